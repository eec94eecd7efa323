#!/usr/bin/env python3
"""Tests that jobs/house.py counts correctly: a small tree contains a known number of each thing in its table.

Then checks the project: it has no include circles, no type defined twice, no extern function without gemp_, and no
variable that other files can change, and all its headers can be included in one file."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.environ.get("GEMP_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

TREE = {
    "src/core/status.h": "#ifndef A\n#define A\n/* A code. */\ntypedef enum { GOOD, BAD } gemp_code;\ngemp_code gemp_status(void);\n#endif\n",
    "src/core/status.c": '#include "core/status.h"\n\n/* Says { always } "the\n * same". */\n'
    'gemp_code gemp_status(void)\n{\n\tchar brace = \'{\';\n\treturn brace ? GOOD : BAD; // it is\n}\n',
    "src/core/list.h": '#ifndef B\n#define B\n#include "core/status.h"\n#include "core/ring.h"\n'
    "typedef struct gemp_cell { int a; } gemp_cell;\ntypedef int (*gemp_visit)(int, void *);\n#endif\n",
    "src/core/ring.h": '#ifndef C\n#define C\n#include "core/list.h"\nvoid bare_ring(void);\n#endif\n',
    "src/core/ring.c": '#include "core/ring.h"\nint gemp_level = 1;\nconst int gemp_fixed = 2;\nstatic int hidden;\n'
    "const char *const gemp_names[] = {\n\t\"a{\",\n\t\"b\",\n};\nconst char *gemp_name;\nstruct local { int (*call)(int); };\n"
    "#define ALWAYS static inline\nALWAYS int twice(int a)\n{\n\treturn 2 * a;\n}\n\nvoid bare_ring(void)\n{\n\thidden = 1;\n\n}\n",
    "io/file.h": '#ifndef D\n#define D\n#include "core/status.h"\ntypedef struct gemp_cell { long b; } gemp_cell;\n#endif\n',
    "io/file.c": '#include "io/file.h"\n#include "core/list.h"\n' + "int gemp_long_one(int a)\n{\n" + "\ta++;\n" * 70 + "\treturn a;\n}\n",
    "io/file_parts.h": "#ifndef E\n#define E\nstruct gemp_part;\n#endif\n",
    "kernels/k.cl": "/* kernel */\n__kernel void k(void) {}\n",
    "include/gemp/gemp.h": "#ifndef F\n#define F\nint gemp_version(void);\n#endif\n",
    "partition/build/cut.c": "int gemp_cut_chunk;\n",
    "build-debug/generated.c": "int gemp_generated;\n",
    "tests/unit/t.c": '#include "io/file.h"\n#include "core/ring.h"\n',
}


def measure(top, *options):
    script = os.path.join(TOP, "jobs", "house.py")
    return subprocess.run([sys.executable, script, top, *options], capture_output=True, text=True, check=True).stdout


def main():
    faults = []

    def equal(what, found, wanted):
        if found != wanted:
            faults.append(f"{what}: {found!r}, expected {wanted!r}")

    with tempfile.TemporaryDirectory() as top:
        for path, text in TREE.items():
            os.makedirs(os.path.join(top, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(top, path), "w", encoding="utf-8") as file:
                file.write(text)
        figures = json.loads(measure(top, "--json"))
        equal("host files", figures["host_files"], 10)
        equal("host files of at most 60 lines", figures["host_files_up_to_60_lines"], 9)
        equal("longest file", figures["longest_file"], "io/file.c")
        equal("longest file's lines", figures["host_file_lines"]["max"], 76)
        equal("modules", figures["modules"], 7)
        equal("circles", figures["circles"], 1)
        equal("largest circle", figures["largest_circle"], ["src/core/list", "src/core/ring"])
        equal("headers with one includer", figures["headers_with_one_includer"],
              ["io/file.h", "io/file_parts.h", "src/core/ring.h"])
        equal("_parts.h", figures["parts_headers"], 1)
        equal("conflicting types", figures["conflicting_types"], {"gemp_cell": ["io/file.h", "src/core/list.h"]})
        equal("bare functions", figures["bare_functions"], ["bare_ring"])
        equal("mutable globals", figures["mutable_globals"],
              ["partition/build/cut.c: gemp_cut_chunk", "src/core/ring.c: gemp_level", "src/core/ring.c: gemp_name"])
        equal("functions", figures["functions"], 4)
        equal("function lines", figures["function_lines"], {"median": 5, "p90": 74, "max": 74})
        equal("longest function", figures["longest_function"], "io/file.c: gemp_long_one")
        equal("lines of .c files", figures["c_lines"], 1 + 9 + 21 + 76)
        equal("comment share", figures["c_comment_percent"], round(100 * 2 / 107, 1))
        equal("code lines in include", figures["folders"]["include/gemp"]["code"], 4)
        equal("code lines in kernels", figures["folders"]["kernels"]["code"], 1)
        equal("code lines", figures["code_lines"], figures["code_lines_without_kernels"] + 1)
        equal("lines of a layer", figures["folders"]["src/core"]["files"], 5)
        if shutil.which("mpicc"):
            equal("headers together", figures["headers_together"], False)
            equal("why", any("gemp_cell" in error for error in figures["headers_together_errors"]), True)
            shutil.copy(os.path.join(top, "src/core/status.h"), os.path.join(top, "io/file.h"))
            equal("headers together when mended", json.loads(measure(top, "--json"))["headers_together"], True)
        table = measure(top, "--folders")
        for line in (f"{'circles between modules':<52}         1   largest: 2", "include", "  gemp"):
            equal(f"the table has '{line}'", any(row.startswith(line) for row in table.split("\n")), True)
    own = json.loads(measure(TOP, "--json"))  # the rules that the project must fulfil
    for what in ("circles", "parts_headers"):
        equal(f"{what} of the project", own[what], 0)
    for what, empty in (("conflicting_types", {}), ("bare_functions", []), ("mutable_globals", []), ("headers_together_errors", [])):
        if what != "headers_together_errors" or own["headers_together"] is not None:
            equal(f"{what} of the project", own[what], empty)
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
