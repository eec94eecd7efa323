"""Tests generate eulerian and debruijn: the file is the same with every number of ranks, the graph is balanced and
connected, and parameters may be words."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run


def facts(graph):
    run(1, "info", graph, "--json", "report.json", "-q")
    with open("report.json") as file:
        info = json.load(file)
    run(1, "components", graph, "--on", "host", "--json", "report.json", "-q")
    with open("report.json") as file:
        return info["degrees"]["directed"], json.load(file)


def check(arguments, vertices, edges, path):
    hashes = set()
    for ranks in (1, 3):
        run(ranks, "generate", *arguments, "-o", "g.h5", "-q")
        head = run(1, "info", "g.h5", "--schema").stdout.splitlines()[0]
        hashes.add(head.split("hash ")[1])
    assert len(hashes) == 1
    assert f"{vertices:,} vertices, {edges:,} edges" in head, head
    degrees, components = facts("g.h5")
    assert components["components"] == 1
    assert degrees["balanced"] == vertices - 2 * path and degrees["more_out"] == degrees["more_in"] == path


def main():
    for path, shape in enumerate(("deep", "shallow", "random")):
        size = ["--vertices", "500", "--edges", "1700", "--path", str(path % 2)]
        check(["eulerian", "--shape", shape, *size], 500, 1700, path % 2)
    check(["debruijn", "--alphabet", "3", "--length", "5", "--keys", "numbers", "--path", "1"], 81, 242, 1)
    run(2, "generate", "eulerian", "--shape", "round", "-o", "g.h5", code=2, says="deep|shallow|random")
    run(1, "generate", "eulerian", "--edges", "3", "-o", "g.h5", code=2, says="at least 10000 edges")
    run(1, "generate", "debruijn", "--length", "1", "-o", "g.h5", code=2, says="between 2 and")
    assert "--shape deep|shallow|random" in run(1, "help", "generate").stdout


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
