"""edges and degrees agree with the edges that convert writes, on host and device and with 1 to 3 ranks."""
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


def check_degrees(vertices, edges):
    """Checks the degrees that info shows, by direction."""
    key = next(iter(vertices[0]))
    out, into = collections.Counter(), collections.Counter()
    for (source, _, target), count in edges.items():
        out[source] += count
        into[target] += count
    pairs = [(out[v[key]], into[v[key]]) for v in vertices]
    want = {"sources": sum(o > 0 == i for o, i in pairs), "sinks": sum(i > 0 == o for o, i in pairs),
            "isolated": pairs.count((0, 0)), "balanced": sum(o == i for o, i in pairs),
            "more_out": sum(o > i for o, i in pairs), "more_in": sum(i > o for o, i in pairs),
            "max_out": max(o for o, _ in pairs), "max_in": max(i for _, i in pairs)}
    for ranks in (1, 3):
        run(ranks, "info", "g.h5", "--json", "report.json", "-q")
        with open("report.json") as file:
            directed = json.load(file)["degrees"]["directed"]
        for row in directed.pop("classes"):
            assert row["out"] == sum(o.bit_length() == row["class"] for o, _ in pairs), row
            assert row["in"] == sum(i.bit_length() == row["class"] for _, i in pairs), row
        assert directed == want, (directed, want)
    lines = set()
    for ranks, on in ((1, "host"), (1, "device"), (3, "auto"), (3, "device")):
        run(ranks, "degrees", "g.h5", "--on", on, "-o", "d.tsv", "--json", "report.json", "-q")
        with open("report.json") as file:
            report = json.load(file)
        directed = report["directed"]
        directed.pop("classes")
        assert directed == want, (directed, want)
        assert report["rate"]["on"] == ("device" if on == "device" else "host"), report["rate"]
        assert ("exchange_seconds" in report) == (ranks > 1 and on == "device"), report
        assert ranks == 1 or report["exchange"]["bytes"] > 0, report
        with open("d.tsv") as file:
            lines.add(file.read())
    assert len(lines) == 1
    assert {(r["key"], int(r["out"]), int(r["in"])) for r in rows("d.tsv")} == {
        (v[key], out[v[key]], into[v[key]]) for v in vertices}


def main():
    run(1, "generate", "movies", "--films", "60", "--people", "40", "-o", "g.h5")
    run(1, "convert", "g.h5", "-o", "g.tsv")
    want = collections.Counter((r["src:int"], r["type"], r["dst:int"]) for r in rows("g.edges.tsv"))
    texts = set()
    for ranks, on in ((1, "host"), (1, "device"), (1, "auto"), (2, "host"), (3, "auto"), (3, "device")):
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
    check_degrees(rows("g.vertices.tsv"), want)
    only = run(2, "edges", "g.h5", "--relation", "ACTS_IN", "-o", "-", "-q").stdout.splitlines()
    assert len(only) == 1 + sum(n for key, n in want.items() if key[1] == "ACTS_IN")
    run(1, "generate", "uniform", "--vertices", "0", "--edges", "0", "-o", "none.h5")
    assert "0 edges of 0 types" in run(2, "edges", "none.h5").stdout
    run(1, "edges", "g.h5", "--relation", "ACTS", code=2, says="no edges of this type")
    run(2, "edges", "g.h5", "-o", "e.png", code=2, says=".tsv, .csv, .jsonl or .h5")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
