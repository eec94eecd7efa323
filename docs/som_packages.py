#!/usr/bin/env python3
"""Makes a table of numbers about Debian's packages, for a self-organising map:

    apt-cache dumpavail | som_packages.py > packages.tsv

The table has a line for each package, with its name and these columns:

    installed   log10(1 + size in KiB after installation)
    download    log10(size in bytes of the package file)
    depends     log10(1 + number of packages on which it depends)
    suggests    log10(1 + number of packages that it recommends or suggests)
    needed_by   log10(1 + number of packages that depend on it)
    siblings    log10(1 + number of packages that are built from the same source, with itself)
    words       log10(1 + number of words of its one-line description)
    native      1 if it is built for one kind of processor, 0 if it is for all
"""
import math
import re
import sys

NAMES = ["installed", "download", "depends", "suggests", "needed_by", "siblings", "words", "native"]


def records(lines):
    record, field = {}, None
    for line in lines:
        if line == "\n":
            if record:
                yield record
            record = {}
        elif line[0] in " \t":
            record[field] += line
        else:
            field, value = line.split(":", 1)
            record[field] = value.strip()
    if record:
        yield record


def packages(record, *fields):
    """Returns the names of the packages that the fields list; of alternatives only the first one."""
    wanted = ",".join(record[field] for field in fields if field in record)
    return {match.group() for part in wanted.split(",") if (match := re.match(r"[a-z0-9.+-]+", part.strip()))}


def main():
    known = {record["Package"]: record for record in records(sys.stdin) if "Size" in record}
    needed_by, siblings = {}, {}
    for name, record in known.items():
        for other in packages(record, "Depends", "Pre-Depends"):
            needed_by[other] = needed_by.get(other, 0) + 1
        source = record.get("Source", name).split()[0]
        siblings[source] = siblings.get(source, 0) + 1
    print("package", *NAMES, sep="\t")
    for name, record in sorted(known.items()):
        numbers = [int(record.get("Installed-Size", 0)) + 1, int(record["Size"]),
                   1 + len(packages(record, "Depends", "Pre-Depends")),
                   1 + len(packages(record, "Recommends", "Suggests")),
                   1 + needed_by.get(name, 0), 1 + siblings[record.get("Source", name).split()[0]],
                   1 + len(record.get("Description", "").split("\n")[0].split())]
        logarithms = (f"{math.log10(number):.3f}" for number in numbers)
        print(name, *logarithms, int(record["Architecture"] != "all"), sep="\t")


main()
