#!/usr/bin/env python3
"""Compiles with Clang the sources that use vectors or compiler builtins, since the other tests are mostly built with GCC.

A builtin that Clang lacks is an error here. Clang ignores GCC's option for the width of vectors, which is no error. The
layer io is left out, since mpicc does not know where HDF5 is."""
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys

TOP = os.environ.get("GEMP_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SPECIAL = re.compile(r"__builtin_(?!expect|unreachable)\w+|vector_size|core/vector\.h")


def sources():
    for layer in ("src", "partition"):
        for path in sorted(glob.glob(os.path.join(os.path.abspath(TOP), layer, "**", "*.c"), recursive=True)):
            with open(path, encoding="utf-8") as file:
                if SPECIAL.search(file.read()):
                    yield path


def errors(path, clang, flags):
    run = subprocess.run([clang, "-std=gnu17", "-fsyntax-only", "-Wno-ignored-attributes", "-Werror=implicit-function-declaration",
                          "-D_GNU_SOURCE", "-DCL_TARGET_OPENCL_VERSION=120", *flags, path], capture_output=True, text=True)
    return run.stderr if run.returncode else ""


def main():
    clang, mpicc = shutil.which("clang"), shutil.which("mpicc")
    if not clang or not mpicc:
        print("skipped: there is no clang or no mpicc")
        return 77
    shown = subprocess.run([mpicc, "-show"], capture_output=True, text=True, check=True).stdout.split()
    flags = [word for word in shown if word.startswith("-I")] + ["-I" + os.path.join(TOP, d) for d in ("include", "src", "")]
    spoilt = subprocess.run([clang, "-std=gnu17", "-fsyntax-only", "-Werror=implicit-function-declaration", "-xc", "-"],
                            input="int f(int a) { return __builtin_no_such_name(a); }\n", capture_output=True, text=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = [text for text in pool.map(lambda path: errors(path, clang, flags), sources()) if text]
    if not spoilt.returncode:
        found.append("clang accepts an unknown builtin\n")
    print("".join(found), end="")
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main())
