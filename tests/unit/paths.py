#!/usr/bin/env python3
"""Checks that every path of the project in documents and comments exists, and every name gemp_... in documents.

Paths are looked for in Markdown files (in backticks and links) and in the text of C, OpenCL, CMake, shell and Python
files. CHANGELOG.md, which describes the past, tests/unit and tests/bench/results are left out. A path begins with a
folder of the top or with a layer (comm/session.h). In backticks its suffix may be missing (`match/search/search` is a
module), and * stands for any name. Then the script checks that wrong lines are reported."""
import glob
import os
import re
import subprocess
import sys

TOP = os.path.abspath(os.environ.get("GEMP_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ROOTS = ("src", "io", "partition", "kernels", "tests", "jobs", "cmake", "configs", "docs", "include", "examples")
PATH = r"[A-Za-z0-9_][\w.-]*(?:/[\w.*-]+)+"
QUOTED = re.compile(r"`(?:\./)?(" + PATH + r")/?`")
BARE = re.compile(r"`(\w+\.(?:c|h|cl|clh|sbatch))`")
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#\s]+)")
PLAIN = re.compile(r"(?<![\w./<$\"{}=+-])((?:" + "|".join(ROOTS) + r")/[\w./*-]*\.(?:c|h|cl|clh|y|l|md|sh|py|bash|cmake|txt|tsv|conf))\b")
SHORT = re.compile(r"(?<![\w./<$\"{}=+-])([a-z]+/[\w/]+\.[ch])\b")
# Names in documents. check() ignores names with "thing", which are CONTRIBUTING.md's example.
NAME = re.compile(r"\b(?:gemp|GEMP)_\w*[A-Za-z0-9]\b(?![-*./\w])")
SUFFIXES = ("", ".c", ".h", ".cl", ".clh", ".y", ".l", ".md", ".sh", ".py", ".cmake")
# Names in examples, and names of things that a build or the user makes.
MADE = re.compile(r"^(configs/tuning/DEVICE|tests/cache|jobs/my|.*/(ROOM|LAYER|FOLDER|NAME|TOPIC|MACHINE|DATE)|.*(ROOM|LAYER|NAME|TOPIC|MACHINE|DATE)[_.-])")


def layers():
    """Returns the folders with which a short path may begin, and their real paths."""
    places = {root: "" for root in ROOTS}
    for name in os.listdir(os.path.join(TOP, "src")):
        if os.path.isdir(os.path.join(TOP, "src", name)):
            places[name] = "src"
    return places


def exists(path, places, start):
    """True if there is such a file, folder or module. start: the folder of the file that mentions it, for links."""
    path = path.rstrip("/.")
    bases = {os.path.join(TOP, places.get(path.split("/")[0], "")), TOP, os.path.join(TOP, "tests"), start, os.path.join(TOP, "docs")}
    bases.add(os.path.join(TOP, "src"))
    return any(glob.glob(os.path.join(base, path) + suffix) for base in bases for suffix in SUFFIXES)


def mentions(name, text):
    """Returns (line, path) of all paths that a file mentions."""
    if name.endswith(".md"):
        for match in QUOTED.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match.group(1)
    for pattern in (PLAIN, SHORT):
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match.group(1)


def check(name, text, places, known=None, basenames=()):
    """Returns messages about paths that do not exist and, in documents, about unknown names and files."""
    start = os.path.dirname(os.path.join(TOP, name))
    for match in BARE.finditer(text) if name.endswith(".md") and basenames else ():
        if match.group(1) not in basenames:
            yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: no file is called {match.group(1)}"
    for match in NAME.finditer(text) if name.endswith(".md") and known else ():
        if match.group() not in known and "thing" not in match.group():
            yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()} is not a name of the code"
    for match in LINK.finditer(text) if name.endswith(".md") else ():
        if not os.path.exists(os.path.join(start, match.group(1))):
            yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: the link to {match.group(1)} leads nowhere"
    for line, path in sorted(set(mentions(name, text))):
        if path.split("/")[0] in places and not MADE.match(path) and not exists(path, places, start):
            yield f"{name}:{line}: {path} does not exist"


def main():
    places = layers()
    listed = subprocess.run(["git", "-C", TOP, "ls-files"], capture_output=True, text=True)
    names = listed.stdout.split("\n") if listed.returncode == 0 else [
        os.path.relpath(os.path.join(place, name), TOP) for place, _, files in os.walk(TOP) for name in files if "/build" not in place]
    wanted = re.compile(r"(\.(md|c|h|cl|clh|y|l|cmake|sh|bash|sbatch|py)|CMakeLists\.txt)$")
    names = [name for name in names if wanted.search(name) and not name.startswith(("CHANGELOG", "tests/unit/", "tests/bench/results"))]
    texts = {}
    for name in names:
        if os.path.isfile(os.path.join(TOP, name)):
            with open(os.path.join(TOP, name), encoding="utf-8") as file:
                texts[name] = file.read()
    basenames = {os.path.basename(name) for name in listed.stdout.split("\n") or names}
    known = {word for name, text in texts.items() if not name.endswith(".md") for word in re.findall(r"\b(?:gemp|GEMP)_\w+", text)}
    faults = [fault for name, text in texts.items() for fault in check(name, text, places, known, basenames)]
    for spoilt in ("`core/gone`", "[x](../io/gone.h)", "[x](gone.md#a)", "see src/core/gone.h", "`tests/unit/gone_*.c`", "`match/gone/search`", "core/gone.h", "`gemp_gone`", "`gone.h`"):
        if not list(check("docs/a.md", spoilt, places, {"gemp_code"}, {"status.h"})):
            faults.append(f"self-test: {spoilt} was not faulted")
    for sound in ("`core/status`", "[x](architecture.md#layers)", "[x](https://a.b/c.md)", "[x](#here)", "src/core/status.h", "`tests/unit/core_*.c`", "`other/thing`", "`src/core`",
                  "core/status.h", "`status.h`", "`gemp_code`", "`gemp_shard_need_*`"):
        faults += [f"self-test: {fault}" for fault in check("docs/a.md", sound, places, {"gemp_code"}, {"status.h"})]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(names)} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
