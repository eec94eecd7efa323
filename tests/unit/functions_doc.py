#!/usr/bin/env python3
"""Compares docs/functions.md with the tables in src/cypher/function: both must have the same functions and procedures, with
the same greatest number of arguments."""
import os
import re
import sys

ROW = re.compile(r'^\t\{ "([\w.]+)", (\d+), (\w+), (?:true|false), \w+, ', re.M)
PROCEDURE = re.compile(r'^\t\{ GEMP_CY_\w+, "([\w.]+)",(.*?)\.columns = ', re.M | re.S)
ARGUMENTS = re.compile(r'\.arguments = \{((?: \{[^{}]*\},?)*) \}')
MANY = "SIZE_MAX"


def in_tables(top):
    """Returns {name: greatest number of arguments}."""
    folder, found = os.path.join(top, "src", "cypher", "function"), {}
    for file in sorted(os.listdir(folder)):
        if file.endswith("_functions.c"):
            with open(os.path.join(folder, file), encoding="utf-8") as text:
                found.update((name, count) for name, _, count in ROW.findall(text.read()))
    with open(os.path.join(folder, "procedure.c"), encoding="utf-8") as text:
        for name, members in PROCEDURE.findall(text.read()):
            arguments = ARGUMENTS.search(members)
            found[name] = str(arguments[1].count("{") if arguments else 0)
    return found


def in_document(top):
    """Returns {name: set of greatest numbers of arguments}, from the first column of all tables."""
    with open(os.path.join(top, "docs", "functions.md"), encoding="utf-8") as text:
        rows = [line.split(" | ")[0] for line in text if line.startswith("| `")]
    found = {}
    for name, arguments in re.findall(r"`([\w.]+)\(([^`]*)\)`", "\n".join(rows)):
        count = MANY if "..." in arguments else str(len(arguments.split(", ")) if arguments else 0)
        found.setdefault(name, set()).add(count)
    return found


def main():
    top = os.environ.get("GEMP_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    tables, document = in_tables(top), in_document(top)
    faults = [f"docs/functions.md lacks {name}()" for name in tables if name not in document]
    faults += [f"docs/functions.md has {name}(), which does not exist" for name in document if name not in tables]
    faults += [f"docs/functions.md: {name}() takes {tables[name]} arguments, not {', '.join(sorted(counts))}"
               for name, counts in document.items() if name in tables and tables[name] not in counts]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(tables)} functions and procedures, {len(faults)} faults")
    return 1 if faults or len(tables) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
