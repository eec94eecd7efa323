#!/usr/bin/env python3
"""Numbers about Debian's packages, for a self-organising map: apt-cache dumpavail | som_packages.py > packages.tsv

A line for each package: logarithms (base 10) of its size in KiB once installed and in bytes to download, and, of one
and the number, of the packages that it depends on, recommends or suggests, that depend on it, and that are built from
the same source; of the words of its one-line description; and whether it is made for one kind of processor (1) or all
(0).
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
    """Those that the fields name; of alternatives the first."""
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
