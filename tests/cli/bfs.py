"""Compares the levels and smallest parents of bfs with a search in this test, on 1 to 4 ranks, as rows and in graph
files."""
import json
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from analytics import Graph, column, into_itself, levels, must_fail, parents, random_graph, refusals, report, rows
from program import run


def check_rows(graph, arcs, source, found):
    level = levels(arcs, source)
    assert {row["key"] for row in found} == set(graph.keys) and len(found) == len(graph.keys)
    assert column(found, "level") == level
    assert column(found, "parent") == parents(arcs, level, source)
    return level


def check(graph, path, source, ranks, *options, direction="along", types=None):
    kind = type(graph.keys[0])
    done = run(ranks, "bfs", path, "--source", str(source), "--direction", direction, *options, "-o", "b.tsv", "--json",
               "report.json", "--verify")
    assert "Verified" in done.stdout
    found = rows("b.tsv", {"key": kind, "level": int, "parent": kind})
    arcs = graph.arcs(direction, types)
    level = check_rows(graph, arcs, source, found)
    told = report()
    assert told["reached"] == len(level) and told["depth"] == max(level.values())
    assert told["levels"] == [sum(v == k for v in level.values()) for k in range(told["depth"] + 1)]
    with open("b.tsv") as file:
        return found, arcs, file.read()


def spoilt(graph, found, arcs, source):
    row = next(r for r in found if r["level"] == 1)
    row["level"] = 2
    must_fail(lambda: check_rows(graph, arcs, source, found))
    row["level"], row["parent"] = 1, row["key"]
    must_fail(lambda: check_rows(graph, arcs, source, found))


def forms(path):
    """The other formats have the same rows."""
    plain = run(2, "bfs", path, "--source", "v3", "-o", "-").stdout
    with open("b.tsv", "w") as file:
        file.write(plain)
    wanted = rows("b.tsv", {"key": str, "level": int, "parent": str})
    run(3, "bfs", path, "--source", "v3", "-o", "b.jsonl", "-q")
    with open("b.jsonl") as file:
        assert [json.loads(line) for line in file] == wanted


def small_graphs():
    alone = Graph(["one"], []).write("alone")
    assert "1 of 1 vertex is reached from one, the farthest over 0 edges" in run(1, "bfs", alone, "--source", "one").stdout
    run(1, "generate", "uniform", "--vertices", "0", "--edges", "0", "-o", "none.h5", "-q")
    run(2, "bfs", "none.h5", "--source", "0", code=2, says="no vertex with this key")
    path = Graph(list(range(40)), [(i, i + 1, "A", 1) for i in range(39)])
    check(path, path.write("path"), 0, 3)


def main():
    seed = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 32)))
    print("seed", seed)
    draw = random.Random(seed)
    graph = random_graph(draw, 200, 420)
    path = graph.write("g")
    found, arcs, text = check(graph, path, "v0", 1)
    assert all(check(graph, path, "v0", ranks, *more)[2] == text
               for ranks, more in ((2, ()), (4, ()), (1, ("--pass", "shuffle")), (3, ("--pass", "shuffle")), (2, ("--pass", "push"))))
    spoilt(graph, found, arcs, "v0")
    check(graph, path, "v2", 3, direction="against")
    check(graph, path, "v1", 2, "--relation", "A", direction="either", types="A")
    forms(path)
    undirected = random_graph(draw, 90, 100, directed=False, key=lambda i: 7 * i - 300)
    check(undirected, undirected.write("u"), -300, 2)
    small_graphs()
    run(1, "bfs", path, code=2, says="--source")
    for ranks in (1, 3):
        run(ranks, "bfs", path, "--source", "v1", "--source", "v2", code=2, says="--source v1 and --source v2: bfs starts")
    run(2, "bfs", path, "--source", "v900", code=2, says="source v900")
    run(1, "bfs", "u.h5", "--source", "x", code=2, says="integers")
    run(1, "bfs", path, "--source", "v0", "--direction", "up", code=2, says="along|against|either")
    refusals("bfs", path, "--source", "v0")
    into_itself("bfs", path, "--source", "v0", names={"level": "bfs_level", "parent": "bfs_parent"})


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
