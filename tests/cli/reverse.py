"""Tests reverse: edges have opposite directions and the same attributes, vertices without edges remain, and reversing
twice changes nothing."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

VERTICES = "id\tname\na\tx\nb\ty\nc\tz\nd\t\n"
EDGES = ("source\ttarget\ttype\tweight\na\tb\tK\t1\na\tb\tK\t2\nb\ta\tK\t3\nc\tc\tK\t4\nc\ta\tL\t5\nb\tc\tL\t\n")


def turned(text):
    lines = [line.split("\t") for line in text.splitlines()]
    return sorted([b, a, *rest] for a, b, *rest in lines[1:])


def edges_of(graph):
    run(1, "convert", graph, "-o", "out.tsv")
    with open("out.edges.tsv") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    assert lines[0] == ["src", "dst", "type", "weight:int"], lines[0]
    return sorted(lines[1:])


def same(a, b):
    run(1, "convert", a, "-o", "a.jsonl")
    run(1, "convert", b, "-o", "b.jsonl")
    with open("a.jsonl") as one, open("b.jsonl") as other:
        assert one.read() == other.read()


def main():
    for name, text in (("v.tsv", VERTICES), ("e.tsv", EDGES)):
        with open(name, "w") as file:
            file.write(text)
    run(1, "import", "--vertices", "v.tsv", "e.tsv", "-o", "g.h5")
    for ranks, on in ((1, "host"), (1, "device"), (2, "auto"), (3, "auto"), (3, "device")):
        done = run(ranks, "reverse", "g.h5", "--on", on, "-o", "h.h5", "--json", "report.json")
        assert "6 edges reversed" in done.stdout and "4 vertices" in done.stdout
        with open("report.json") as file:
            report = json.load(file)
        assert report["rate"]["on"] == ("device" if on == "device" else "host"), report["rate"]
        assert ("exchange_seconds" in report) == (ranks > 1 and on == "device"), report
        assert edges_of("h.h5") == turned(EDGES)
        run(ranks, "verify", "h.h5")
        run(1, "reverse", "h.h5", "-o", "back.h5", "-q")
        same("back.h5", "g.h5")
    run(2, "reverse", "g.h5", "--relation", "L", "-o", "h.h5", "-q")
    assert [e for e in edges_of("h.h5") if e[2] == "K"] == [e for e in edges_of("g.h5") if e[2] == "K"]
    assert [e for e in edges_of("h.h5") if e[2] == "L"] == [e for e in turned(EDGES) if e[2] == "L"]
    run(1, "import", "--undirected", "--vertices", "v.tsv", "e.tsv", "-o", "u.h5")
    assert "0 edges reversed" in run(1, "reverse", "u.h5").stdout
    run(1, "reverse", "g.h5", "-o", "nowhere/h.h5", code=74, says="nowhere")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
