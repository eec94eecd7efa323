"""Compares distances with Dijkstra's algorithm and predecessors with their definition. Invalid lengths are refused."""
import math
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from analytics import Graph, check_predecessors, column, distances, must_fail, random_graph, report, rows, vertices_of
from program import run


def check_rows(graph, arcs, source, found):
    distance = distances(arcs, source)
    assert {row["key"] for row in found} == set(graph.keys)
    assert column(found, "distance") == distance
    check_predecessors(arcs, distance, column(found, "predecessor"), source)
    return distance


def check(graph, path, source, ranks, *options, weight="w", direction="along"):
    kind, scale = type(graph.keys[0]), 8 if weight == "real" else 1
    done = run(ranks, "sssp", path, "--source", str(source), "--weight", weight, "--direction", direction, *options, "-o",
               "s.tsv", "--json", "report.json", "--verify")
    assert "Verified" in done.stdout
    found = rows("s.tsv", {"key": kind, "distance": float if weight == "real" else int, "predecessor": kind})
    arcs = graph.arcs(direction, weight=lambda w: w / scale if scale > 1 else w)
    distance = check_rows(graph, arcs, source, found)
    told = report()
    assert told["reached"] == len(distance) and told["farthest"] == max(distance.values())
    edges = [one["from"] for one in told["distances"]] + [math.inf]
    assert [one["vertices"] for one in told["distances"]] == [sum(a <= d < b for d in distance.values())
                                                            for a, b in zip(edges, edges[1:])]
    assert edges[0] == 0 and 1 <= len(told["distances"]) <= 24
    with open("s.tsv") as file:
        return found, arcs, file.read()


def spoilt(graph, found, arcs, source):
    row = next(r for r in found if r["distance"])
    row["distance"] += 1
    must_fail(lambda: check_rows(graph, arcs, source, found))
    row["distance"] -= 1
    row["predecessor"] = row["key"]
    must_fail(lambda: check_rows(graph, arcs, source, found))


def lengths_that_are_none(draw):
    for number, weight in enumerate((-1, None)):
        graph = random_graph(draw, 20, 20)
        graph.edges[5] = ("v4", "v9", "A", weight)
        path = graph.write(f"bad{number}")
        for ranks in (1, 2):
            what = "has 'w' -1; weights are not negative" if weight else "has no 'w'; give it one"
            run(ranks, "sssp", path, "--source", "v0", "--weight", "w", code=65,
                says=f"{path}: the edge from 'v4' to 'v9' of type 'A' {what}")


def large_lengths():
    """Tests distances beyond 32 bits, and distances beyond the values of a column."""
    far = 1 << 40
    graph = Graph(["a", "b", "c", "d"], [("a", "b", "A", far), ("b", "c", "A", far + 3), ("a", "c", "A", 3 * far)])
    check(graph, graph.write("far"), "a", 2)
    for most, ranks in (((1 << 32) - 2, (1, 3)), (1 << 32, (2,)), ((1 << 64) - 2, (1, 3))):
        totals = [most - less for less in (0, 1, 2, 65534, 65535, 65536) if most < 1 << 63 or not less]
        edges = [("a", f"m{t}", "A", t // 2) for t in totals] + [(f"m{t}", f"e{t}", "A", t - t // 2) for t in totals]
        graph = Graph(["a"] + [f"{c}{t}" for t in totals for c in "me"], edges)
        path = graph.write("border")
        for number in ranks:
            if most < 1 << 63:
                check(graph, path, "a", number)
            else:  # the distance is exact, but no column of a file can hold it
                shown = run(number, "sssp", path, "--source", "a", "--weight", "w").stdout
                assert f"{most:,} away" in shown, shown
                run(number, "sssp", path, "--source", "a", "--weight", "w", "-o", "far.tsv", code=65,
                    says=f"{most} is more than a column")
                assert not os.path.exists("far.tsv")
    heavy = Graph(["a", "b"], 20 * [("a", "b", "A", 1.6e308)])
    check(heavy, heavy.write("heavy"), "a", 2, weight="real")
    check(heavy, "heavy.h5", "a", 1, "--delta", "1e-300", weight="real")
    most = (1 << 63) - 1
    graph = Graph(["a", "b", "c"], [("a", "b", "A", most), ("b", "c", "A", 1)])
    run(1, "sssp", graph.write("most"), "--source", "a", "--weight", "w", "-o", "far.tsv", code=65)
    chain = Graph(list("abcdefghijk"), [(a, b, "A", most) for a, b in zip("abcdefghij", "bcdefghijk")])
    path = chain.write("chain")
    for ranks, weight, says in ((1, "w", "2^64 - 2"), (3, "w", "2^64 - 2"), (2, "great", "double precision")):
        if weight == "great":
            chain.edges = [(a, b, kind, 1.7e308) for a, b, kind, _ in chain.edges]
            path, weight = chain.write("great"), "real"
        run(ranks, "sssp", path, "--source", "a", "--weight", weight, code=65,
            says=f"{path}: weight {weight}: some distances are")
        assert says in run(ranks, "sssp", path, "--source", "a", "--weight", weight, code=65).stderr


def sums_too_large_on_each_rank():
    """On all ranks some sums of lengths overflow, but the distance of every vertex does not."""
    large, chain, tail = 1.7e308, [f"c{i}" for i in range(9)], ["c8"] + [f"y{i}" for i in range(6)]
    edges = [(a, b, "A", large) for a, b in zip(chain, chain[1:])] + [("c8", "x", "A", large), ("c0", "x", "A", 8.0)]
    edges += [(a, b, "A", large / 1000) for a, b in zip(tail, tail[1:])]
    path = Graph(chain + ["x"] + tail[1:], edges).write("sums")
    for ranks in (1, 2, 3):
        run(ranks, "sssp", path, "--source", "c0", "--weight", "real", "-q")


def main():
    seed = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 32)))
    print("seed", seed)
    draw = random.Random(seed)
    graph = random_graph(draw, 200, 500)
    path = graph.write("g")
    found, arcs, text = check(graph, path, "v0", 1)
    assert all(check(graph, path, "v0", ranks, *more)[2] == text
               for ranks, more in ((2, ()), (3, ("--delta", "1")), (1, ("--delta", "1000")), (1, ("--pass", "shuffle")),
                                   (3, ("--pass", "shuffle")), (2, ("--pass", "push"))))
    spoilt(graph, found, arcs, "v0")
    check(graph, path, "v2", 2, weight="real", direction="against")
    nothing = random_graph(draw, 60, 120, least=0, most=1, directed=False, key=int)
    check(nothing, nothing.write("z"), 0, 3)
    large_lengths()
    sums_too_large_on_each_rank()
    lengths_that_are_none(draw)
    run(1, "sssp", path, "--source", "v0", code=2, says="--weight")
    run(1, "sssp", path, "--weight", "w", code=2, says="--source")
    for ranks in (1, 3):
        run(ranks, "sssp", path, "--weight", "w", "--source", "v1", "--source", "v2", code=2, says="--source v1 and --source v2: sssp starts")
    run(1, "sssp", path, "--source", "v0", "--weight", "length", code=2, says="length")
    run(2, "sssp", path, "--source", "v0", "--weight", "text", code=2, says="text")
    run(1, "sssp", path, "--source", "v0", "--weight", "w", "--delta", "0", code=2, says="--delta")
    run(2, "sssp", path, "--source", "v0", "--weight", "w", "--into", path, "-q")
    assert {int(v["sssp_distance"]) for v in vertices_of(path).values() if "sssp_distance" in v} == {r["distance"] for r in found
                                                                                                if r["distance"] is not None}


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
