#!/usr/bin/env python3
"""Measures the structure of the code: files, modules, include circles, headers, names, comments, lengths.

    jobs/house.py [DIR] [--json] [--folders]

Prints one table for the tree in DIR (by default the tree of this script), so that two checkouts can be compared. A module is a
.c/.h pair. The product is src, partition, io, include and kernels. Host files are the .c, .h, .y and .l files of the product
outside kernels. A comment line holds only a comment; every other line that is not blank is a code line. A function is measured
from its return type to its closing brace. Two facts need tools and are left out without them: the compiler mpicc checks whether
one file can include all headers, and nm looks for names without the prefix in the libraries of a build folder of DIR.

The exit status is always 0, since people judge the figures. tests/unit/house.py checks that they are counted correctly.
"""
import argparse
import glob
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

PRODUCT = ("src", "partition", "io", "include", "kernels")
HOST_SUFFIXES = (".c", ".h", ".y", ".l")
SUFFIXES = HOST_SUFFIXES + (".cl", ".clh")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.M)
TOKENS = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
STATIC_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+static\b", re.M)
GENERATED = ("parser.c.o", "lexer.c.o")  # flex and bison choose the names in these files


def blank(text):
    """Returns the text with blanks in place of comments and the contents of literals. Lines and columns do not change."""

    def replace(match):
        token = match.group()
        if token[0] == "/":
            return re.sub(r"[^\n]", " ", token)
        return token[0] + " " * (len(token) - 2) + token[-1]

    return TOKENS.sub(replace, text)


class Declaration:
    """A top-level declaration of a file: `code` without comments, from line `first` (counted from 0) through line `last`.

    static_words has `static` and the macros that contain it, such as GEMP_INLINE.
    """

    def __init__(self, code, first, static_words):
        self.code = " ".join(code.split())
        stripped = code.lstrip()
        self.first = first + code.count("\n", 0, len(code) - len(stripped))
        self.last = self.first + stripped.rstrip().count("\n")
        head = re.sub(r"__attribute__\s*\(\(.*?\)\)", " ", self.code.split("{")[0])
        self.static = not static_words.isdisjoint(re.findall(r"\w+", head))
        before_value = head.split("=")[0]
        call = re.search(r"(\w+)\s*\([^=]*\)\s*$", before_value)
        self.function = bool(call) and self.code.endswith("}") and "=" not in head and not head.startswith("typedef")
        self.name = first_call(before_value) if self.function else None
        self.head = before_value


def first_call(head):
    """Returns the name before the parameter list, which is the last parenthesis at depth 0 with a name before it."""
    name, depth = None, 0
    for match in re.finditer(r"(\w+)?\s*([()])", head):
        if match.group(2) == "(":
            if depth == 0 and match.group(1):
                name = match.group(1)
            depth += 1
        else:
            depth -= 1
    return name


def declarations(blanked, static_words):
    """Returns the top-level declarations of a C file, without preprocessor lines."""
    lines, directive = [], False
    for line in blanked.split("\n"):
        directive = directive or line.lstrip().startswith("#")
        lines.append("" if directive else line)
        directive = directive and line.rstrip().endswith("\\")
    text = "\n".join(lines)
    start, depth, found = 0, 0, []
    for match in re.finditer(r"[{}();]", text):
        mark, end = match.group(), match.end()
        if mark in "{(":
            depth += 1
        elif mark in "})":
            depth -= 1
        if depth == 0 and (mark == ";" or mark == "}" and ends_function(text[start:end])):
            found.append(Declaration(text[start:end], text.count("\n", 0, start), static_words))
            start = end
    return found


def ends_function(code):
    head = re.sub(r"__attribute__\s*\(\(.*?\)\)", " ", code.split("{")[0], flags=re.S).strip()
    return head.endswith(")") and "=" not in head


class Source:
    """A file of the project, read once."""

    def __init__(self, top, path):
        self.path = path
        with open(os.path.join(top, path), encoding="utf-8", errors="replace") as file:
            self.text = file.read()
        self.blanked = blank(self.text)
        raw, code = self.text.split("\n"), self.blanked.split("\n")
        self.lines = self.text.count("\n")
        self.code = sum(1 for line in code if line.strip())
        self.comments = sum(1 for line, kept in zip(raw, code) if line.strip() and not kept.strip())
        self.includes = INCLUDE.findall(self.text)
        self.host = path.endswith(HOST_SUFFIXES) and not path.startswith("kernels/")
        self.declarations = []

    def split(self, static_words):
        if self.path.endswith((".c", ".h")):
            self.declarations = declarations(self.blanked, static_words)

    @property
    def functions(self):
        return [d for d in self.declarations if d.function]

    def types(self):
        """Returns {name: definition} of the structs, unions and enums with a body, and of typedefs."""
        found = {}
        for declaration in self.declarations:
            code = declaration.code
            tag = re.match(r"(?:typedef )?(?:struct|union|enum) (\w+) ?\{", code)
            if tag and not declaration.function:
                found[tag.group(1)] = code
            if code.startswith("typedef"):
                pointer = re.search(r"\( ?\* ?(\w+) ?\) ?\(", code) if "{" not in code else None
                name = pointer or re.search(r"(\w+) ?(?:\[[^\]]*\] ?)*;$", re.sub(r"\{.*\}", " ", code))
                name = name or re.match(r"typedef [^(]*?(\w+) ?\(", code)
                if name and not re.match(r"typedef (?:struct|union|enum) (\w+) \1;$", code):
                    found[name.group(1)] = code
        return found

    def globals(self):
        """Returns the names of variables that other files can see and change."""
        names = []
        for declaration in self.declarations:
            head = declaration.head.strip().rstrip(";").strip()
            skip = declaration.function or declaration.static or "(" in head
            if skip or re.match(r"(typedef|extern|_Static_assert)\b", head) or re.match(r"(struct|union|enum)( \w+)?$", head):
                continue
            name = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", head)
            value = head.rsplit("*", 1)[-1] if "*" in head else head
            if name and " " in head and not re.search(r"\bconst\b", value):
                names.append(name.group(1))
        return names


def read_tree(top, folders, suffixes):
    """Reads the files of `folders`. Build folders are not among them; partition/build is a folder of sources."""
    found = []
    for folder in folders:
        for place, inner, names in os.walk(os.path.join(top, folder)):
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            found += [os.path.relpath(os.path.join(place, name), top) for name in sorted(names) if name.endswith(suffixes)]
    return [Source(top, path) for path in found]


def module_of(path):
    return os.path.splitext(path)[0]


def meant_files(top, source):
    """Yields the files of the project that a source includes."""
    for quote, name in source.includes:
        tries = [os.path.join(os.path.dirname(source.path), name)] if quote == '"' else []
        tries += [os.path.join(root, name) for root in ("src", "", "include")]
        meant = next((path for path in map(os.path.normpath, tries) if os.path.isfile(os.path.join(top, path))), None)
        if meant:
            yield meant


def circles(graph):
    """Returns the strongly connected components with more than one node (Tarjan 1972), the largest first."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 4 * len(graph) + 1000))

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on_stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = []
            while not component or component[-1] != node:
                component.append(stack.pop())
                on_stack.discard(component[-1])
            if len(component) > 1:
                found.append(sorted(component))

    for node in graph:
        if node not in index:
            visit(node)
    return sorted(found, key=len, reverse=True)


def flags_of(command):
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        return [flag for flag in result.stdout.split() if flag.startswith(("-I", "-D"))]
    except (OSError, subprocess.CalledProcessError):
        return []


def headers_together(top, headers):
    """Compiles one file that includes every header. Returns (True, []), (False, messages) or, without mpicc, (None, [reason])."""
    compiler = shutil.which("mpicc")
    mpi = flags_of([compiler, "--showme:compile"]) if compiler else []
    if not mpi:
        return None, ["no mpicc that knows --showme:compile"]
    hdf5 = flags_of(["pkg-config", "--cflags", "hdf5-openmpi"]) or flags_of(["pkg-config", "--cflags", "hdf5"])
    folders = [f"-I{os.path.join(top, folder)}" for folder in ("src", "", "include")]
    flags = ["-std=gnu17", "-D_GNU_SOURCE", "-DCL_TARGET_OPENCL_VERSION=300", '-DGEMP_VERSION="0"', *folders, *mpi, *hdf5]
    with tempfile.TemporaryDirectory() as work:
        unit = os.path.join(work, "all.c")
        with open(unit, "w", encoding="utf-8") as file:
            file.writelines(f'#include "{os.path.join(top, path)}"\n' for path in headers)
        result = subprocess.run(["gcc", "-fsyntax-only", "-fmax-errors=0", *flags, unit], capture_output=True, text=True)
    errors = [line.replace(top + "/", "") for line in result.stderr.split("\n") if "error:" in line]
    return result.returncode == 0, errors


def exported_names(top):
    """Returns the functions without the prefix in the static libraries of the newest build folder, or None without libraries."""
    libraries = glob.glob(os.path.join(top, "build*", "libgemp_*.a"))
    if not libraries or not shutil.which("nm"):
        return None
    newest = max(map(os.path.dirname, libraries), key=os.path.getmtime)
    names, generated = set(), False
    chosen = sorted(path for path in libraries if os.path.dirname(path) == newest)
    result = subprocess.run(["nm", "-g", "--defined-only", *chosen], capture_output=True, text=True)
    for line in result.stdout.split("\n"):
        fields = line.split()
        if line.endswith(":"):
            generated = line.startswith(GENERATED)
        elif len(fields) == 3 and fields[1] == "T" and not generated and not fields[2].startswith(("gemp_", "yy", "__")):
            names.add(fields[2])
    return sorted(names - {"main"})


def spread(values):
    """Returns the median, the 90th percentile and the maximum."""
    ordered = sorted(values)
    if not ordered:
        return {"median": 0, "p90": 0, "max": 0}
    return {"median": int(statistics.median(ordered)), "p90": ordered[(len(ordered) * 9 + 9) // 10 - 1], "max": ordered[-1]}


def conflicting_types(headers):
    """Returns {name: files} of the type names that two headers define differently."""
    seen = {}
    for source in headers:
        for name, code in source.types().items():
            seen.setdefault(name, {}).setdefault(code, []).append(source.path)
    return {name: sorted(sum(by_code.values(), [])) for name, by_code in sorted(seen.items()) if len(by_code) > 1}


def measure(top):
    sources = read_tree(top, PRODUCT, SUFFIXES)
    static_words = {"static"}.union(*(STATIC_MACRO.findall(source.blanked) for source in sources))
    for source in sources:
        source.split(static_words)
    host = [source for source in sources if source.host]
    c_files = [source for source in host if source.path.endswith(".c")]
    headers = [source for source in host if source.path.endswith(".h")]
    internal = [source for source in headers if not source.path.startswith("include/")]
    graph, includers = {}, {source.path: set() for source in internal}
    for source in sources + read_tree(top, ("examples",), (".c", ".h")):
        node = module_of(source.path)
        graph.setdefault(node, set())
        for meant in meant_files(top, source):
            if module_of(meant) != node:
                graph[node].add(module_of(meant))
                includers.get(meant, set()).add(node)
    rings = circles(graph)
    together, why = headers_together(top, [source.path for source in headers])
    functions = [(d.last - d.first + 1, d, source) for source in c_files for d in source.functions]
    bare = sorted({d.name for _, d, _ in functions if not d.static and not d.name.startswith("gemp_") and d.name != "main"})
    lines = {source.path: source.lines for source in host}
    c_lines = sum(source.lines for source in c_files)
    longest = max(functions, key=lambda entry: entry[0], default=None)
    return {
        "host_files": len(host),
        "host_file_lines": spread(lines.values()),
        "host_files_up_to_60_lines": sum(1 for count in lines.values() if count <= 60),
        "longest_file": max(lines, key=lines.get, default=None),
        "modules": len({module_of(path) for path in lines}),
        "circles": len(rings),
        "largest_circle": rings[0] if rings else [],
        "headers": len(internal),
        "headers_with_one_includer": sorted(path for path, users in includers.items() if len(users) <= 1),
        "parts_headers": sum(1 for source in headers if source.path.endswith("_parts.h")),
        "conflicting_types": conflicting_types(headers),
        "headers_together": together,
        "headers_together_errors": why,
        "bare_functions": bare,
        "bare_exported_functions": exported_names(top),
        "mutable_globals": sorted(f"{source.path}: {name}" for source in c_files for name in source.globals()),
        "c_lines": c_lines,
        "c_comment_percent": round(100 * sum(source.comments for source in c_files) / c_lines, 1) if c_lines else 0.0,
        "functions": len(functions),
        "function_lines": spread(entry[0] for entry in functions),
        "longest_function": f"{longest[2].path}: {longest[1].name}" if longest else None,
        "code_lines": sum(source.code for source in sources),
        "code_lines_without_kernels": sum(source.code for source in host),
        "folders": folder_table(sources),
    }


def folder_table(sources):
    """Returns {folder: figures}. The row of a layer, such as src/core or io, precedes the rows of its folders."""
    table = {}
    for source in sources:
        parts = os.path.dirname(source.path).split("/")
        depth = 2 if parts[0] == "src" and len(parts) > 1 else 1
        for folder in {"/".join(parts[:depth]), "/".join(parts)}:
            row = table.setdefault(folder, {"files": 0, "modules": set(), "lines": 0, "code": 0, "longest": 0, "c": 0, "comments": 0})
            row["files"] += 1
            row["modules"].add(module_of(source.path))
            row["lines"] += source.lines
            row["code"] += source.code
            row["longest"] = max(row["longest"], source.lines)
            if source.path.endswith((".c", ".cl")):
                row["c"] += source.lines
                row["comments"] += source.comments
    for row in table.values():
        row["modules"] = len(row["modules"])
        row["comment_percent"] = round(100 * row.pop("comments") / row["c"], 1) if row["c"] else 0.0
        del row["c"]
    return dict(sorted(table.items()))


def print_table(figures, folders):
    def row(name, value, detail=""):
        print(f"{name:<52} {value:>9}" + (f"   {detail}" if detail else ""))

    def three(values):
        return f"median {values['median']}, 90 % {values['p90']}, max {values['max']}"

    together = {True: "yes", False: "no", None: "unknown"}[figures["headers_together"]]
    errors = figures["headers_together_errors"]
    exported = figures["bare_exported_functions"]
    row("host files", figures["host_files"], f"lines: {three(figures['host_file_lines'])} ({figures['longest_file']})")
    row("  of at most 60 lines", figures["host_files_up_to_60_lines"])
    row("modules (.c/.h pairs)", figures["modules"])
    row("circles between modules", figures["circles"], f"largest: {len(figures['largest_circle'])}" if figures["circles"] else "")
    row("headers", figures["headers"])
    row("  with at most one includer beside their own .c", len(figures["headers_with_one_includer"]))
    row("  named *_parts.h", figures["parts_headers"])
    row("type names that headers define differently", len(figures["conflicting_types"]), " ".join(figures["conflicting_types"]))
    row("all headers in one file", together, f"{len(errors)} errors; {errors[0]}" if errors else "")
    row("extern functions without gemp_ (source)", len(figures["bare_functions"]), " ".join(figures["bare_functions"][:6]))
    if exported is not None:
        row("extern functions without gemp_ (nm)", len(exported), " ".join(exported[:6]))
    row("public mutable globals", len(figures["mutable_globals"]))
    row("comment lines of .c files, %", figures["c_comment_percent"], f"of {figures['c_lines']:,} lines")
    row("functions", figures["functions"], f"lines: {three(figures['function_lines'])} ({figures['longest_function']})")
    row("code lines of the product", f"{figures['code_lines']:,}", f"{figures['code_lines_without_kernels']:,} without kernels")
    print(f"\n{'folder':<32} {'files':>6} {'modules':>8} {'lines':>8} {'code':>8} {'longest':>8} {'comments':>9}")
    for folder, row_ in figures["folders"].items():
        parts = folder.split("/")
        inner = len(parts) > (2 if parts[0] == "src" else 1)
        if folders or not inner:
            name = "  " + "/".join(parts[2 if parts[0] == "src" else 1:]) if inner else folder
            print(f"{name:<32} {row_['files']:>6} {row_['modules']:>8} {row_['lines']:>8,} {row_['code']:>8,} {row_['longest']:>8}"
                  f" {row_['comment_percent']:>7} %")


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    parser = argparse.ArgumentParser(description="Measures the shape of the code of a checkout.")
    parser.add_argument("directory", nargs="?", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    parser.add_argument("--json", action="store_true", help="print all figures, with the names behind the counts")
    parser.add_argument("--folders", action="store_true", help="list the folders within layers, too")
    options = parser.parse_args()
    top = os.path.realpath(options.directory)
    if not any(os.path.isdir(os.path.join(top, folder)) for folder in PRODUCT):
        parser.error(f"{top} has none of {', '.join(PRODUCT)}; name the top folder of a checkout")
    figures = measure(top)
    if options.json:
        json.dump(figures, sys.stdout, indent=1)
        print()
    else:
        print_table(figures, options.folders)


if __name__ == "__main__":
    main()
