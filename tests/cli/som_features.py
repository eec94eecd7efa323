"""Tests som on graphs. The features of every vertex, as the map and the distances show them, equal the features that
this test computes (triangles from all triples, PageRank by power iteration), on 1 to 8 ranks. Also tests results as
attributes of the graph, and a map applied to another graph."""
import itertools
import json
import math
import os
import random
import sys
import tempfile

import h5py
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from analytics import Graph, must_fail, random_graph, ranks as power_iteration, rows, vertices_of
from program import attempt, run

SEED = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 30)))
# Five features at a time and maps of one size, as in som.py, because every number of features and units needs a device
# program.
LISTS = [["degree", "in-degree", "out-degree", "neighbours", "triangles"],
         ["clustering", "component-size", "attr:year", "attr:share", "attr:open"],
         ["pagerank", "log:degree", "log:pagerank", "log:attr:year", "triangles"]]
OF_EDGES = ["degree", "in-degree", "triangles", "pagerank", "component-size"]
OF_ATTRIBUTES = ["attr:year", "attr:share", "attr:open", "log:attr:year", "log:attr:share"]
KINDS = {"key": str, "unit": int, "x": int, "y": int, "distance": float, "second": int}


def give_attributes(draw, graph):
    """Adds numeric attributes of all types that some vertices lack, an attribute that all vertices lack, and a text."""
    graph.attributes = {key: {"year": draw.choice([None, -draw.randrange(9), draw.randrange(2100)]),
                              "share": draw.choice([None, draw.random()]), "open": draw.choice([None, True, False]), "name": "n"}
                        for key in graph.keys}
    return graph


def write(graph, name):
    with open(name + ".v.tsv", "w") as file:
        file.write("id\tyear:int\tshare:float\topen:bool\tname\n")
        for key in graph.keys:
            cells = [graph.attributes[key][a] for a in ("year", "share", "open", "name")]
            file.write("\t".join([str(key)] + ["" if c is None else str(c).lower() for c in cells]) + "\n")
    with open(name + ".e.tsv", "w") as file:
        file.write("source\ttarget\ttype\n" + "".join(f"{a}\t{b}\t{kind}\n" for a, b, kind, _ in graph.edges))
    options = [] if graph.directed else ["--undirected"]
    run(1, "import", "--vertices", name + ".v.tsv", name + ".e.tsv", *options, "-o", name + ".h5", "-q")
    return name + ".h5"


def around(keys, edges):
    """Returns for each vertex its neighbours, triangles, and local clustering coefficient."""
    near = {key: set() for key in keys}
    for a, b, *_ in edges:
        if a != b:
            near[a].add(b)
            near[b].add(a)
    triangles = dict.fromkeys(keys, 0)
    for triple in itertools.combinations(keys, 3):
        if all(b in near[a] for a, b in itertools.combinations(triple, 2)):
            for key in triple:
                triangles[key] += 1
    shares = {k: [b in near[a] for a, b in itertools.combinations(near[k], 2)] for k in keys}
    return ({k: len(near[k]) for k in keys}, triangles,
            {k: sum(joined) / len(joined) if joined else math.nan for k, joined in shares.items()})


def component_sizes(keys, edges):
    part = {key: {key} for key in keys}
    for a, b, *_ in edges:
        if part[a] is not part[b]:
            part[a] |= part[b]
            for key in part[b]:
                part[key] = part[a]
    return {key: len(part[key]) for key in keys}


def features(graph, names, types=None):
    """Returns an array [vertices, names] with NaN for a missing feature. Rows are in the order of graph.keys."""
    edges = [e for e in graph.edges if not types or e[2] in types]
    leave, reach = (dict.fromkeys(graph.keys, 0) for _ in range(2))
    for a, b, *_ in edges:
        leave[a] += 1
        reach[b] += 1
    degree = {k: leave[k] + reach[k] for k in graph.keys}
    neighbours, triangles, clustering = around(graph.keys, edges)
    ranked = power_iteration(graph.keys, graph.arcs(types=types))
    found = {"degree": degree, "in-degree": reach if graph.directed else degree,
             "out-degree": leave if graph.directed else degree, "neighbours": neighbours, "triangles": triangles,
             "clustering": clustering, "pagerank": {k: r * len(graph.keys) for k, r in ranked.items()},
             "component-size": component_sizes(graph.keys, edges)}
    for name in ("year", "share", "open"):
        values = {k: graph.attributes[k][name] for k in graph.keys}
        found["attr:" + name] = {k: math.nan if v is None else float(v) for k, v in values.items()}
    table = numpy.array([[float(found[n.removeprefix("log:")][k]) for n in names] for k in graph.keys])
    for c, name in enumerate(names):
        if name.startswith("log:"):
            table[:, c] = numpy.sign(table[:, c]) * numpy.log1p(numpy.abs(table[:, c]))
    return table


class Map:
    def __init__(self, path):
        with h5py.File(path) as file:
            self.scaling = file.attrs["scaling"]
            self.w = file["codebook"][()].astype(float)
            self.offset, self.factor = file["scale"][()]
            self.names = [name.decode() for name in file["columns"][()]]
        self.width = self.w.shape[1]
        self.w = self.w.reshape(-1, self.w.shape[2])


def train(ranks, graph, names, *options):
    run(ranks, "som", "train", graph, "--features", ",".join(names), "-o", "map.h5", "-q", "--devices", "cpu", "--size", "6x8",
        "--epochs", "3", "--json", "r.json", *options)
    with open("r.json") as file:
        return Map("map.h5"), json.load(file)


def check_scale(some, names, table):
    assert some.names == names and some.scaling == "standard", (some.names, some.scaling)
    wide = numpy.nanstd(table, 0)
    wide[wide < 1e-9] = 1
    assert numpy.allclose(some.offset, numpy.nanmean(table, 0), rtol=1e-4, atol=1e-5), (some.offset, numpy.nanmean(table, 0))
    assert numpy.allclose(1 / some.factor, wide, rtol=1e-3), (some.factor, wide)


def check_report(told, names, table):
    assert [f["name"] for f in told["features"]] == names
    for f, column in zip(told["features"], table.T):
        wanted = numpy.nanmin(column), numpy.nanmean(column), numpy.nanmax(column), numpy.isnan(column).sum()
        found = f["least"], f["mean"], f["greatest"], f["missing"]
        assert numpy.allclose(found, wanted, rtol=1e-5, atol=1e-6), (f, wanted)


def check_units(some, keys, table, path="units.tsv"):
    """Each vertex has the distance from its unit that its features give, and no other unit is nearer."""
    found = {row["key"]: row for row in rows(path, KINDS)}
    assert set(found) == {str(k) for k in keys} and len(found) == len(keys)
    for key, values in zip(keys, (table - some.offset) * some.factor):
        row = found[str(key)]
        if numpy.isnan(values).all():
            assert row["unit"] is None and row["distance"] is None, row
            continue
        there = ~numpy.isnan(values)
        distances = numpy.sqrt(((some.w - values)[:, there] ** 2).sum(1))
        assert (row["x"], row["y"]) == (row["unit"] % some.width, row["unit"] // some.width)
        assert abs(row["distance"] - distances[row["unit"]]) <= 2e-3 * (1 + distances.min()), (row, distances)
        assert distances[row["unit"]] <= distances.min() + 2e-3 * (1 + distances.min()), (row, distances)
    return found


def apply(ranks, graph, *options):
    run(ranks, "som", "apply", "map.h5", graph, "-o", "units.tsv", "-q", "--devices", "cpu", *options)


def all_features(draw):
    for directed, ranks in ((True, 3), (False, 1)):
        graph = give_attributes(draw, random_graph(draw, 40, 130, directed, key=lambda i: f"v{i}" if directed else i))
        path = write(graph, "g")
        for names in LISTS:
            some, told = train(ranks, path, names)
            table = features(graph, names)
            check_scale(some, names, table)
            check_report(told, names, table)
            apply(4 - ranks, path)
            check_units(some, graph.keys, table)
    spoilt = table.copy()
    spoilt[5, names.index("triangles")] += 1
    must_fail(lambda: check_report(told, names, spoilt))
    # a value larger by one might have the same distance, on the other side of the unit
    spoilt[5, names.index("triangles")] += 100
    must_fail(lambda: check_units(some, graph.keys, spoilt))


def some_edges(draw):
    graph = give_attributes(draw, random_graph(draw, 30, 90))
    path = write(graph, "typed")
    some, told = train(2, path, OF_EDGES, "--relation", "A", "--scale", "none")
    table = features(graph, OF_EDGES, {"A"})
    assert some.scaling == "none" and (some.factor == 1).all() and (some.offset == 0).all()
    check_report(told, OF_EDGES, table)
    apply(1, path, "--relation", "A")
    check_units(some, graph.keys, table)
    apply(1, path)
    must_fail(lambda: check_units(some, graph.keys, table))  # without --relation, edges of all types count


def into_graphs(draw):
    """The attributes equal the rows, and other attributes remain. A training that is stopped writes no attributes."""
    graph = give_attributes(draw, random_graph(draw, 50, 120))
    graph.attributes["v9"] = dict.fromkeys(graph.attributes["v9"])
    path = write(graph, "h")
    before = vertices_of(path)
    like = ["som", "train", path, "-o", "stopped.h5", "-q", "--devices", "cpu", "--size", "6x8", "--features"]
    done = attempt(2, *like, ",".join(OF_ATTRIBUTES), "--into", path, "--max-time", "0.000001")
    assert done.returncode == 75 and vertices_of(path) == before, (done.returncode, done.stderr)
    others = [*OF_ATTRIBUTES[:-1], "degree"]
    run(1, *like, ",".join(others), "--resume", code=65,
        says="its column 5 is 'log:attr:share', and of features 'degree'")
    run(1, *like, ",".join(OF_ATTRIBUTES), "--resume", "--into", "resumed.h5")
    assert any("som_unit" in values for values in vertices_of("resumed.h5").values())
    train(3, path, OF_ATTRIBUTES, "--into", path)
    run(2, "verify", path, "-q")
    apply(1, path, "--into", "other.h5", "--column", "again")
    found = {row["key"]: row for row in rows("units.tsv", KINDS)}
    for file, prefix in ((path, "som"), ("other.h5", "again")):
        for key, values in vertices_of(file).items():
            for name in ("unit", "x", "y", "distance"):
                shown, row = values.pop(f"{prefix}_{name}", None), found[key][name]
                assert (shown is None) == (row is None) and (shown is None or abs(float(shown) - row) < 1e-4), (key, shown, row)
            assert file != path or values == before[key]
    assert any(row["unit"] is None for row in found.values()) and any(row["unit"] is not None for row in found.values())
    run(1, "som", "apply", "map.h5", path, "--into", "third.h5", "-q", "--devices", "cpu", code=2, says="`column`")
    said = run(1, "match", "--count", path, "MATCH (a) WHERE a.som_unit >= 0 RETURN a").stdout
    assert str(sum(row["unit"] is not None for row in found.values())) in said, said


def other_graphs(draw):
    """The columns of the map determine the features of another graph. The order of vectors is that of the file, with
    any number of ranks."""
    one, other = (give_attributes(draw, random_graph(draw, n, 3 * n)) for n in (40, 25))
    path, second = write(one, "one"), write(other, "two")
    names = ["log:degree", "attr:share", "triangles", "log:pagerank", "neighbours"]
    some, _ = train(2, path, names)
    apply(2, second)
    check_units(some, other.keys, (features(other, names)))
    exact = [name for name in names if "pagerank" not in name]  # the last bits of pagerank depend on sums over ranks
    maps = [train(ranks, path, exact, "--training", "online", "--start", "samples")[0].w for ranks in (1, 3)]
    assert numpy.array_equal(maps[0], maps[1]), numpy.abs(maps[0] - maps[1]).max()
    bare = Graph(["a", "b"], [("a", "b", "A", 1)]).write("bare")
    run(2, "som", "apply", "map.h5", bare, "-o", "u.tsv", code=2, says="bare.h5: attr:share: vertices have no attribute 'share'")


def small_graphs():
    two = Graph(["a", "b"], [("a", "b", "A", 1)]).write("few")
    _, told = train(8, two, OF_EDGES)  # some ranks have no vertices
    assert [round(f["mean"], 6) for f in told["features"]] == [1, 0.5, 0, 1, 2], told["features"]
    with open("lone.tsv", "w") as file:
        file.write("id\nx\ny\nz\n")
    run(1, "import", "--vertices", "lone.tsv", "-o", "lone.h5", "-q")  # the graph has no edge types
    _, told = train(2, "lone.h5", [*OF_EDGES[1:], "clustering"])
    assert [f["mean"] and round(f["mean"], 6) for f in told["features"]] == [0, 0, 1, 1, None], told["features"]
    run(1, "generate", "uniform", "--vertices", "0", "--edges", "0", "-o", "none.h5", "-q")
    for ranks in (1, 2):
        run(ranks, "som", "train", "none.h5", "--features", "degree,triangles,pagerank,component-size", "-o", "m.h5", "--devices",
            "cpu", code=65, says="none.h5: has no vertices to train on")
        run(ranks, "som", "apply", "map.h5", "none.h5", "-o", "units.tsv", "-q", "--devices", "cpu")
    assert rows("units.tsv", KINDS) == []


def refusals():
    numpy.save("t.npy", numpy.zeros((5, 5)))
    run(1, "som", "train", "t.npy", "-o", "plain.h5", "-q", "--size", "6x8", "--epochs", "1", "--devices", "cpu")
    with open("huge.tsv", "w") as file:
        file.write("id\tv:float\tname\nx\t1e300\tn\n")
    run(1, "import", "--vertices", "huge.tsv", "-o", "huge.h5", "-q")
    to = ("-o", "m.h5")
    for arguments, code, says in (
            (("train", "few.h5", "--features", "degre", *to), 2, "'degre' is no feature; did you mean 'degree'? There are degree,"),
            (("train", "few.h5", "--features", "degree,", *to), 2, "'' is no feature; there are degree"),
            (("train", "few.h5", "--features", "attr:", *to), 2, "'attr:' is no feature"),
            (("train", "few.h5", "--features", "degree,degree", *to), 2, "'degree' is there twice"),
            (("train", "few.h5", "--features", "attr:name", *to), 2, "few.h5: attr:name: attribute 'name' is a string, and no number; "
             "vertices have the numbers size"),
            (("train", "huge.h5", "--features", "log:attr:w", *to), 2, "have no attribute 'w'; vertices have the numbers v"),
            (("train", "huge.h5", "--features", "attr:v", *to), 65, "1e+300, which is more than a float holds"),
            (("train", "few.h5", *to), 2, "--features degree,pagerank"),
            (("train", "t.npy", "--features", "degree", *to), 2, "--features is for the vertices of a graph, and DATA is no graph file"),
            (("train", "t.npy", "--into", "few.h5", *to), 2, "--into is for the vertices of a graph"),
            (("train", "few.h5", "--features", "degree", "--relation", "NO", *to), 2, "relation NO: few.h5 has no edges of this type"),
            (("train", "few.h5", "--features", "degree", "--key", "a", *to), 2, "--key is for a table, and DATA is a graph"),
            (("train", "few.h5", "--features", "degree", "--into", "m.h5", *to), 2, "m.h5"),
            (("train", "few.h5", "--features", "degree", "--column", "c", *to), 2, "`into`"),
            (("train", "none/few.h5", "--features", "degree", *to), 66, "none/few.h5"),
            (("train", "few.h5", "--features", "degree", "--into", "none/x.h5", *to), 74, "none/x.h5"),
            (("train", "plain.h5", "--features", "degree", *to), 65, "not a graph file"),
            (("apply", "plain.h5", "few.h5", "-o", "u.tsv"), 65, "plain.h5: its column 'x1' is no feature of vertices"),
            (("apply", "map.h5", "few.h5", "--features", "degree", "-o", "u.tsv"), 2, "--features is for som train; som apply"),
            (("apply", "map.h5", "few.h5"), 2, "or apply MAP.h5 DATA -o FILE, or apply MAP.h5 DATA --into H.h5, or draw"),
            (("draw", "map.h5", "-o", "m.svg", "--into", "x.h5"), 2, "--into is for som train and som apply; som draw writes no graph")):
        run(2 if arguments[1] == "huge.h5" else 1, "som", *arguments, code=code, says=says)
    assert run(1, "som", "train", "huge.h5", "--features", "log:attr:v," + ",".join(OF_EDGES[:4]), "--size", "6x8", "-o", "m.h5", "-q", "--devices", "cpu")
    assert not os.path.exists("u.tsv") and not os.path.exists("x.h5")


def main():
    print("seed", SEED)
    draw = random.Random(SEED)
    for part in (all_features, some_edges, into_graphs, other_graphs):
        part(draw)
    small_graphs()
    refusals()


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
