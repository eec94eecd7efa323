"""Compares y = A x with sums in this test: transposed, repeated, with attributes as x and as weights."""
import os
import random
import sys
import tempfile
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from analytics import Graph, close, column, must_fail, random_graph, refusals, report, rows
from program import run


def product(keys, arcs, x, times=1, normal=False):
    """Returns y(i) = sum of A[i][j] x(j), where each arc i -> j is an entry of A."""
    for _ in range(times):
        y = dict.fromkeys(keys, 0.0)
        for a, b, w in arcs:
            y[a] += w * x[b]
        most = max((abs(v) for v in y.values()), default=0)
        x = {k: v / most for k, v in y.items()} if normal and most else y
    return x


def check(graph, path, ranks, *options, weight=None, x=None, transpose=False, types=None, relative=1e-12, **how):
    kind = type(graph.keys[0])
    more = (["--weight", weight] if weight else []) + (["--x", "size"] if x else []) + (["--transpose"] if transpose else [])
    run(ranks, "spmv", path, *more, *options, "-o", "y.tsv", "--json", "report.json", "-q", "--verify")
    found = column(rows("y.tsv", {"key": kind, "y": float}), "y")
    values = {None: lambda w: 1, "w": lambda w: w, "real": lambda w: w / 8}[weight]
    arcs = graph.arcs("against" if transpose else "along", types, values)
    wanted = product(graph.keys, arcs, x or dict.fromkeys(graph.keys, 1.0), **how)
    close(found, wanted, relative, relative * max(map(abs, wanted.values())))
    told = report()
    # the report has 9 digits
    assert told["verified"] and abs(told["sum"] - sum(found.values())) <= 1e-8 * sum(map(abs, found.values()))
    return found, wanted


def exact(keys, arcs, rounds):
    """Computes power iteration with exact fractions."""
    x = dict.fromkeys(keys, Fraction(1))
    for _ in range(rounds):
        y = dict.fromkeys(keys, Fraction(0))
        for a, b, w in arcs:
            y[a] += Fraction(w) * x[b]
        most = max(map(abs, y.values()))
        x = {k: v / most for k, v in y.items()}
    return {k: float(v) for k, v in x.items()}, most


def out_of_range(draw):
    """Tests --normalize if sums of products would overflow or underflow, and a graph with both kinds of weights."""
    for name, factors in (("huge", (1e300,)), ("tiny", (1e-300,)), ("both", (1e-290, 1e290))):
        graph = random_graph(draw, 12, 40, least=1)
        graph.edges = [(a, b, kind, w * draw.choice(factors)) for a, b, kind, w in graph.edges]
        path = graph.write(name)
        wanted, most = exact(graph.keys, graph.arcs(weight=lambda w: w / 8), 6)
        for ranks in (1, 3):
            run(ranks, "spmv", path, "--weight", "real", "--normalize", "--repeat", "6", "-o", "y.tsv", "--json", "report.json",
                "--verify", "-q")
            close(column(rows("y.tsv", {"key": str, "y": float}), "y"), wanted, 1e-12, 1e-180)
            assert abs(report()["greatest"][-1] / float(most) - 1) < 1e-8
        run(4, "spmv", path, "--weight", "real", "--normalize", "--repeat", "6", "--partition", "2d", "--json", "report.json", "-q")
        assert report()["sum_bytes_per_edge_and_iteration"] > 0  # the report adds up the products of a scaled run


def main():
    seed = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 32)))
    print("seed", seed)
    draw = random.Random(seed)
    graph = random_graph(draw, 150, 600, least=-9)
    path = graph.write("g")
    size = {k: i % 7 - 3 for i, k in enumerate(graph.keys)}
    found, wanted = check(graph, path, 1, weight="w", x=size)
    found["v0"] += 1
    must_fail(lambda: close(found, wanted, 1e-12, 1e-9))
    check(graph, path, 2, weight="real", x=size, transpose=True)
    check(graph, path, 3, "--relation", "B", types="B")
    for ranks, way in ((1, "binned"), (3, "binned"), (2, "pull")):
        check(graph, path, ranks, "--gather", way, weight="w", x=size)
    check(graph, path, 2, "--repeat", "3", weight="w", times=3)
    check(graph, path, 4, "--repeat", "20", "--normalize", times=20, normal=True, relative=1e-9)
    assert len(report()["greatest"]) == 20
    check(graph, path, 2, "--precision", "single", weight="w", x=size, relative=1e-5)
    for ranks, rows_, columns in ((3, 3, 1), (4, 2, 2)):
        check(graph, path, ranks, "--partition", "2d", "--repeat", "2", weight="real", x=size, times=2)
        told = report()
        assert told["grid"] == {"rows": rows_, "columns": columns}, told["grid"]
        assert (told["sum_bytes_per_edge_and_iteration"] > 0) == (columns > 1)
    out_of_range(draw)
    chain = Graph(list("abcd"), [(a, b, "A", 1) for a, b in zip("abc", "bcd")])
    check(chain, chain.write("chain"), 2, "--normalize", "--repeat", "20000", times=20, normal=True)  # all values soon become 0
    assert report()["greatest"][:5] == [1, 1, 1, 0, 0] and report()["iterations"] == 20000
    undirected = random_graph(draw, 60, 150, directed=False, key=lambda i: 3 * i)
    check(undirected, undirected.write("u"), 2, weight="w")
    run(1, "generate", "uniform", "--vertices", "0", "--edges", "0", "-o", "none.h5", "-q")
    run(2, "spmv", "none.h5")
    lacking = Graph(["a", "b"], [("a", "b", "A", None), ("b", "a", "A", 2)]).write("lacking")
    run(2, "spmv", lacking, "--weight", "w", code=65, says="lacking.h5: the edge from 'a' to 'b' of type 'A' has no 'w'")
    great = Graph(["a", "b"], 9 * [("a", "b", "A", 1.7e308)]).write("great")
    for ranks in (1, 3):
        run(ranks, "spmv", great, "--weight", "real", code=65,
            says="great.h5: y is too great for double precision at 1 of 2 vertices, such as 'a'; scale weights or x down")
    run(1, "spmv", great, "--weight", "real", "--precision", "single", code=65,
        says="great.h5: the edge from 'a' to 'b' of type 'A' has 'real' 2.125e+307; single precision reaches from 1.2e-38 to 3.4e38")
    for options, says in ((("--x", "weight"), "x weight"), (("--x", "name"), "string"), (("--repeat", "0"), "--repeat"),
                          (("--partition", "1d"), "--partition"), (("--weight", "length"), "length"), (("--weight", "text"), "text")):
        run(2, "spmv", path, *options, code=2, says=says)
    refusals("spmv", path)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
