"""edges: the same pairs as convert writes, wherever they are listed and on any number of ranks."""
import collections
import csv
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def main():
    run(1, "generate", "movies", "--films", "60", "--people", "40", "-o", "g.h5")
    run(1, "convert", "g.h5", "-o", "g.tsv")
    want = collections.Counter((r["src:int"], r["type"], r["dst:int"]) for r in rows("g.edges.tsv"))
    texts = set()
    for ranks, on in ((1, "host"), (1, "device"), (1, "auto"), (2, "host"), (3, "auto")):
        run(ranks, "edges", "g.h5", "--on", on, "-o", "e.tsv", "--json", "report.json", "-q")
        with open("report.json") as file:
            report = json.load(file)
        assert report["listed"] == sum(want.values()) and report["rate"]["bytes"] > 12 * report["listed"]
        assert report["rate"]["on"] == ("device" if on == "device" else "host"), report["rate"]
        with open("e.tsv") as file:
            texts.add(file.read())
    assert len(texts) == 1
    got = rows("e.tsv")
    assert collections.Counter((r["source"], r["type"], r["target"]) for r in got) == want
    for kind in {r["type"] for r in got}:
        assert [int(r["edge"]) for r in got if r["type"] == kind] == list(range(sum(r["type"] == kind for r in got)))
    only = run(2, "edges", "g.h5", "--relation", "ACTS_IN", "-o", "-", "-q").stdout.splitlines()
    assert len(only) == 1 + sum(n for key, n in want.items() if key[1] == "ACTS_IN")
    run(1, "generate", "uniform", "--vertices", "0", "--edges", "0", "-o", "none.h5")
    assert "0 edges of 0 types" in run(2, "edges", "none.h5").stdout
    run(1, "edges", "g.h5", "--relation", "ACTS", code=2, says="no such type of edges")
    run(2, "edges", "g.h5", "--on", "device", code=2, says="one rank")
    run(2, "edges", "g.h5", "-o", "e.png", code=2, says=".tsv, .csv, .jsonl or .h5")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
