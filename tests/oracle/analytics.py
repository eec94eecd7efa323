"""Compares bfs, sssp, pagerank and spmv with networkx, igraph and scipy, which are independent of one another. Skipped
(77) if these, h5py or numpy are not installed.

    analytics.py [--shared] [--only TEXT] [--ranks N]

The graphs are generated and small enough for networkx. With --shared they are the real graphs of GEMP_SHARED, which
are compared with igraph and scipy; --only TEXT selects graphs by name. The first graph that is not there ends the
test as skipped. Edges of real graphs have no weights, so the test gives them weights from 1 to 255."""
import argparse
import csv
import io
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
from analytics import close, column, rows
from program import run
from reference import need_shared, need_program

try:
    import h5py
    import igraph
    import networkx
    import numpy
    import scipy.sparse
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

SHARED = (("graphs/wiki-vote", False), ("graphs/arxiv-cit-hep-ph", True), ("graphs/email-enron", False), ("packages", True),
          ("wordnet", True), ("movies", True), ("translations", False))


class Arcs:
    """The arcs (source, target, weight) of a graph file. An undirected edge is two arcs, and an undirected self-loop is
    one arc."""

    def __init__(self, keys, edges, directed):
        self.keys = keys
        self.all = list(edges)
        if not directed:
            self.all += [(b, a, w) for a, b, w in edges if a != b]


def found(path, ranks, command, kinds, *options):
    run(ranks, command, path, *options, "-o", "found.tsv", "-q", "--verify")
    return rows("found.tsv", kinds)


def ask(path, arcs, source, ranks):
    """Runs the program. Returns levels, distances, ranks, and ranks with jumps to the source."""
    kind = type(arcs.keys[0])
    exact = ("--tolerance", "1e-12", "--max-iterations", "1000")
    near = ("--source", str(source))
    levels = column(found(path, ranks, "bfs", {"key": kind, "level": int, "parent": kind}, *near), "level")
    distances = column(found(path, ranks, "sssp", {"key": kind, "distance": int, "predecessor": kind}, *near,
                             "--weight", "weight"), "distance")
    everywhere = column(found(path, ranks, "pagerank", {"key": kind, "rank": float}, *exact), "rank")
    seen = column(found(path, ranks, "pagerank", {"key": kind, "rank": float}, *exact, *near), "rank")
    return levels, distances, everywhere, seen


def with_networkx(arcs, source, answer):
    graph = networkx.MultiDiGraph()
    graph.add_nodes_from(arcs.keys)
    graph.add_edges_from((a, b, {"weight": w}) for a, b, w in arcs.all)
    levels, distances, everywhere, seen = answer
    assert levels == networkx.single_source_shortest_path_length(graph, source)
    assert distances == networkx.single_source_dijkstra_path_length(graph, source)
    how = {"tol": 1e-13 / len(arcs.keys), "max_iter": 2000, "weight": None}
    close(everywhere, networkx.pagerank(graph, **how), 1e-7, 1e-12)
    close(seen, networkx.pagerank(graph, personalization={source: 1}, **how), 1e-7, 1e-12)


def with_igraph(arcs, source, answer):
    place = {key: i for i, key in enumerate(arcs.keys)}
    graph = igraph.Graph(len(arcs.keys), [(place[a], place[b]) for a, b, _ in arcs.all], directed=True)
    levels, distances, everywhere, _ = answer
    for ours, weights in ((levels, None), (distances, [w for _, _, w in arcs.all])):
        theirs = graph.distances([place[source]], weights=weights)[0]
        assert ours == {key: theirs[i] for key, i in place.items() if math.isfinite(theirs[i])}
    theirs = graph.pagerank(implementation="prpack")
    close(everywhere, {key: theirs[i] for key, i in place.items()}, 1e-6, 1e-11)


def with_scipy(path, directed, ranks, kind):
    """Computes y = A x by scipy from the matrices in the graph file."""
    with h5py.File(path) as file:
        progression = file["nodes"].attrs.get("gemp-key-progression")
        stored = file["nodes/_id"][:].tolist() if progression is None else \
            (progression[0] + progression[1] * numpy.arange(file.attrs["vertices"])).tolist()
        keys = [key.decode() if isinstance(key, bytes) else key for key in stored]
        n = len(keys)
        matrix = scipy.sparse.csr_matrix((n, n))
        for relation in file["edges"].values():
            one = scipy.sparse.csr_matrix((relation["csr/data"][:].astype(float), relation["csr/indices"][:],
                                           relation["csr/indptr"][:]), shape=(n, n))
            matrix = matrix + one
    if not directed:
        matrix = matrix + matrix.T - scipy.sparse.diags(matrix.diagonal())
    for options, product in (((), matrix @ numpy.ones(n)), (("--transpose", "--repeat", "2"), matrix.T @ (matrix.T @ numpy.ones(n)))):
        y = column(found(path, ranks, "spmv", {"key": kind, "y": float}, "--weight", "weight", *options), "y")
        close(y, dict(zip(keys, product.tolist())), 1e-12)


def generated(ranks):
    for number, (directed, scale) in enumerate((("0", "9"), ("1", "10"))):
        path = f"rmat{number}.h5"
        run(2, "generate", "rmat", "--scale", scale, "--directed", directed, "--weights", "255", "--seed", str(number + 5), "-o",
            path, "-q")
        run(1, "convert", path, "-o", "out.tsv", "-q")
        with open("out.vertices.tsv") as file:
            keys = [int(row[0]) for row in list(csv.reader(file, delimiter="\t"))[1:]]
        with open("out.edges.tsv") as file:
            edges = [(int(a), int(b), int(w)) for a, b, _, w in list(csv.reader(file, delimiter="\t"))[1:]]
        arcs = Arcs(keys, edges, directed == "1")
        source = edges[0][0]
        answer = ask(path, arcs, source, ranks)
        with_networkx(arcs, source, answer)
        with_igraph(arcs, source, answer)
        yield path, directed == "1", int


def unpacked(path):
    text = subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout.decode()
    return list(csv.reader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


def shared(ranks, only):
    for name, directed in SHARED:
        if only not in name:
            continue
        folder = need_shared(os.path.join("data", name))
        keys = [row[0] for row in unpacked(os.path.join(folder, "vertices.tsv.zst"))]
        kind = int if all(key.lstrip("-").isdigit() for key in keys) else str
        draw = random.Random(name)
        lines = unpacked(os.path.join(folder, "edges.tsv.zst"))
        edges = [(kind(row[0]), kind(row[1]), draw.randint(1, 255)) for row in lines]
        with open("v.tsv", "w") as file:
            file.write("id\n" + "".join(f"{key}\n" for key in keys))
        with open("e.tsv", "w") as file:
            file.write("source\ttarget\tweight\n" + "".join(f"{a}\t{b}\t{w}\n" for a, b, w in edges))
        run(2, "import", "--vertices", "v.tsv", "e.tsv", *([] if directed else ["--undirected"]), "--weight", "weight", "-o",
            "g.h5", "-q")
        arcs = Arcs([kind(key) for key in keys], edges, directed)
        source = edges[len(edges) // 2][0]
        answer = ask("g.h5", arcs, source, ranks)
        with_igraph(arcs, source, answer)
        print("%-30s %9d vertices, %9d arcs: %9d reached from %s" % (name, len(keys), len(arcs.all), len(answer[0]), source),
              flush=True)
        yield "g.h5", directed, kind


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared", action="store_true")
    parser.add_argument("--only", default="", help="test only graphs whose names contain this")
    parser.add_argument("--ranks", type=int, default=2)
    arguments = parser.parse_args()
    need_program()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        graphs = shared(arguments.ranks, arguments.only) if arguments.shared else generated(arguments.ranks)
        for path, directed, kind in graphs:
            if not arguments.shared:  # here the weights of the matrices are used
                run(1, "convert", path, "-o", "w.tsv", "-q")
                run(1, "import", "--vertices", "w.vertices.tsv", "--edges", "w.edges.tsv",
                    *([] if directed else ["--undirected"]), "--weight", "weight", "-o", path, "-q")
            with_scipy(path, directed, arguments.ranks, kind)
        os.chdir("/")


main()
