#!/usr/bin/env python3
"""Draws tuples per second of each shuffle over the size of tuples with gnuplot, from reports of `gemp-mpi bench shuffle
--json`.

    tests/bench/shuffle.py OUT.svg WHERE REPORT.json...

Only shuffles with uniform destinations are drawn. If several reports have the same shuffle, the last report counts."""
import json
import os
import subprocess
import sys
import tempfile

SERIES = [  # method, number of ranges, and where tuples of 8 bytes and more have their destinations
    ("decode", 256, "column"), ("decode", 2048, "column"), ("decode", 256, "tuple"), ("atomic", 256, "tuple"),
    ("atomic", 2048, "tuple"), ("polling", 256, "tuple"), ("converge", 256, "tuple"), ("tables", 256, "tuple"),
]


def rows(paths):
    found, bound = {}, {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        for row in report["shuffles"]:
            if row["destinations"] != "uniform":
                continue
            size = row["tuple_size"]
            rate = row.get("shuffle_tuples_per_second", row["tuples_per_second"])
            found[row["method"], row["ranges"], row["destinations_in"], size] = rate
            bound[size] = row["copy_over_2w_plus_4"]
    return found, bound


def main():
    out, where, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
    found, bound = rows(paths)
    names = []
    with tempfile.TemporaryDirectory() as folder:
        def write(name, points):
            if points:
                names.append(name)
                with open(os.path.join(folder, f"{len(names)}.tsv"), "w", encoding="utf-8") as file:
                    file.writelines(f"{size}\t{rate / 1e9}\n" for size, rate in sorted(points))

        write("copy / (2w + 4)", list(bound.items()))
        for method, ranges, place in SERIES:
            points = [(size, rate) for (m, r, p, size), rate in found.items()
                      if (m, r) == (method, ranges) and p == ("tuple" if size == 4 else place)]
            write(f"{method}, {ranges:,} ranges" + (f", destinations in a {place}" if method == "decode" else ""), points)
        lines = ", ".join(f"'{folder}/{i}.tsv' title '{name}' {'lw 2 pt 0 lc black' if i == 1 else f'pt {2 * i + 1}'}"
                          for i, name in enumerate(names, 1))
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shuffle.gp")
        subprocess.run(["gnuplot", "-e", f"out='{out}'; where='{where}'", script, "-e", f"plot {lines}"], check=True)


if __name__ == "__main__":
    main()
