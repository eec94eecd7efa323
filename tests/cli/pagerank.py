"""Compares pagerank with power iteration in this test, with vertices without out-edges, weights, and jumps to selected
vertices."""
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from analytics import Graph, close, column, into_itself, must_fail, random_graph, ranks, report, rows
from program import run

EXACT = ("--tolerance", "1e-13", "--max-iterations", "1000")


def found_by(path, number, *options, kind=str):
    run(number, "pagerank", path, *options, "-o", "p.tsv", "--json", "report.json", "-q")
    return column(rows("p.tsv", {"key": kind, "rank": float}), "rank")


def check(graph, path, number, *options, direction="along", types=None, precise=True, **how):
    kind = type(graph.keys[0])
    found = found_by(path, number, "--direction", direction, "--verify", *(EXACT if precise else ()), *options, kind=kind)
    wanted = ranks(graph.keys, graph.arcs(direction, types), **how)
    close(found, wanted, 1e-9 if precise else 2e-3, 1e-12 if precise else 1e-6)
    told = report()
    assert told["converged"] and told["verified"] and abs(sum(found.values()) - 1) < 1e-5
    assert told["residuals"][-1] < (1e-13 if precise else 1e-6) and len(told["residuals"]) == told["iterations"]
    top = sorted(found.values(), reverse=True)[:10]
    assert len(told["top"]) == len(top) and all(abs(one["rank"] - rank) < 1e-7 for one, rank in zip(told["top"], top))
    return found, wanted


def jumps(graph, path):
    with open("jumps.tsv", "w") as file:
        file.write("key\tchance\n# two of them\nv1\t3\nv5\t0.5\n")
    check(graph, path, 2, "--personalization", "jumps.tsv", jump={"v1": 3, "v5": 0.5})
    check(graph, path, 1, "--source", "v1", "--source", "v7", "--damping", "0.5", jump={"v1": 1, "v7": 1}, damping=0.5)
    for text, says in (("v1\t-1\n", ":1:4: '-1' is negative"), ("v1\nv1\n", ":2:1: 'v1' is there already"),
                       ("v1\nv900\t1\n", ":2:1: 'v900' is no key"), ("v1\nv22\tx\n", ":2:5: 'x' is no number"),
                       ("v1\t0,5\nv2\t1\n", ":1:4: '0,5' is no number"), ("# such\n\nv1\t\r\n", ":3:4: '' is no number"),
                       ("v1\t0\n", "add up to 0"), ("", "add up to 0")):
        with open("bad.tsv", "w") as file:
            file.write(text)
        run(2, "pagerank", path, "--personalization", "bad.tsv", code=65, says=says)
    run(1, "pagerank", path, "--personalization", "nowhere.tsv", code=66, says="nowhere.tsv")
    run(1, "pagerank", path, "--personalization", "jumps.tsv", "--source", "v1", code=2, says="one of them")
    run(1, "pagerank", path, "--source", "v900", code=2, says="source v900")


def names_beside_keys():
    """--show adds an attribute to the list of the largest ranks, on each number of ranks."""
    with open("v.tsv", "w") as file:
        file.write("id\ttype\tname\tborn\nv1\tP\tAda L.\t1815\nv2\tP\t\t\nv3\tP\tZo\u00eb\t-3\n")
    with open("e.tsv", "w") as file:
        file.write("src\tdst\nv1\tv3\nv2\tv3\nv3\tv1\n")
    run(1, "import", "--vertices", "v.tsv", "--edges", "e.tsv", "-o", "named.h5", "-q")
    for number in 1, 3:
        text = run(number, "pagerank", "named.h5", "--show", "name", "--json", "report.json").stdout
        top = [(one["key"], one["shown"]) for one in report()["top"]]
        assert top == [("v3", "Zo\u00eb"), ("v1", "Ada L."), ("v2", None)], top
        table = text[text.index("key"):].splitlines()[:5]
        assert table[0].split() == ["key", "name", "rank"] and "Ada L." in table[3], table
    run(1, "pagerank", "named.h5", "--show", "born", "--json", "report.json", "-q")
    assert [one["shown"] for one in report()["top"]] == [-3, 1815, None]
    with open("v.csv", "w") as file:
        file.write('id,name\nv1,"a\tb\tc\td\te\tf\ng"\nv2,\nv3,h\n')
    run(1, "import", "--vertices", "v.csv", "--edges", "e.tsv", "-o", "tabs.h5", "-q")
    text = run(2, "pagerank", "tabs.h5", "--show", "name").stdout
    assert r"a\tb\tc\td\te\tf\ng" in text and "\t" not in text, text
    run(3, "pagerank", "named.h5", "--show", "title", code=2, says="show title: vertices of named.h5 have no such attribute")


def small_graphs():
    close(found_by(Graph(["one", "two"], []).write("alone"), 2), {"one": 0.5, "two": 0.5}, 1e-6)
    run(1, "generate", "uniform", "--vertices", "0", "--edges", "0", "-o", "none.h5", "-q")
    run(2, "pagerank", "none.h5")
    negative = Graph(["a", "b"], [("a", "b", "A", -2)])
    run(2, "pagerank", negative.write("negative"), "--weight", "w", code=65,
        says="negative.h5: the edge from 'a' to 'b' of type 'A' has 'w' -2; weights are not negative")
    little = Graph(["a", "b"], [("a", "b", "A", 8e-200)]).write("little")
    run(2, "pagerank", little, "--weight", "real", code=65,
        says="little.h5: the edge from 'a' to 'b' of type 'A' has 'real' 1e-200; single precision reaches from 1.2e-38 to")
    close(found_by(little, 3, "--weight", "real", "--precision", "double"), {"a": 20 / 57, "b": 37 / 57}, 1e-5)
    little = Graph(["a", "b"], [("a", "b", "A", 8e-37)]).write("little")
    run(2, "pagerank", little, "--weight", "real", code=65,
        says="little.h5: weight real: weights of the edges that leave 'a' add up to 1e-37, where single precision takes")


def main():
    seed = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 32)))
    print("seed", seed)
    draw = random.Random(seed)
    graph = random_graph(draw, 150, 500)
    path = graph.write("g")
    found, wanted = check(graph, path, 1)
    found["v0"] += 1e-6
    must_fail(lambda: close(found, wanted, 1e-9, 1e-12))
    check(graph, path, 3, "--relation", "A", direction="against", types="A")
    check(graph, path, 2, precise=False)
    for number, way in ((1, "binned"), (3, "binned"), (2, "pull")):
        check(graph, path, number, "--gather", way)
    check(graph, path, 4, "--weight", "w", weighted=True)
    check(graph, path, 4, "--weight", "w", "--partition", "2d", weighted=True)
    assert report()["grid"] == {"rows": 2, "columns": 2}
    undirected = random_graph(draw, 60, 150, directed=False, key=lambda i: 5 * i)
    check(undirected, undirected.write("u"), 2)
    jumps(graph, path)
    names_beside_keys()
    small_graphs()
    assert "still change" in run(1, "pagerank", path, "--max-iterations", "2").stderr
    found_by(path, 2, "--tolerance", "0", "--max-iterations", "7")
    assert report()["iterations"] == 7
    for options, says in ((("--damping", "1"), "damping"), (("--damping", "-0.1"), "damping"),
                          (("--tolerance", "-1"), "tolerance"), (("--max-iterations", "0"), "--max-iterations"),
                          (("--weight", "text"), "text"), (("--precision", "half"), "auto|single|double")):
        run(1, "pagerank", path, *options, code=2, says=says)
    into_itself("pagerank", path, *EXACT, names={"rank": "pagerank"})


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
