"""Compares the names, sizes and spanning forests of components with a search in this test, on 1 to 4 ranks, on host
and device."""
import collections
import csv
import json
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def parts_of(vertices, edges):
    """Returns the connected components as sets of vertices."""
    near = {v: set() for v in vertices}
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    left, parts = set(vertices), []
    while left:
        part, todo = set(), [next(iter(left))]
        while todo:
            v = todo.pop()
            if v not in part:
                part.add(v)
                todo += near[v]
        parts.append(frozenset(part))
        left -= part
    return set(parts)


def check(vertices, edges, graph, ranks, on):
    run(ranks, "components", graph, "--on", on, "-o", "c.tsv", "--tree", "t.tsv", "--json", "report.json", "-q")
    with open("report.json") as file:
        report = json.load(file)
    parts = parts_of(vertices, edges)
    named = {}
    for row in rows("c.tsv"):
        named.setdefault(row["component"], set()).add(row["key"])
    assert {frozenset(part) for part in named.values()} == parts
    assert all(name in part for name, part in named.items())
    assert report["components"] == len(parts) and report["single_vertices"] == sum(len(p) == 1 for p in parts)
    assert report["largest"] == max(map(len, parts), default=0)
    tree = [(row["source"], row["target"]) for row in rows("t.tsv")]
    assert len(tree) == len(vertices) - len(parts) == report["tree_edges"]
    assert parts_of(vertices, tree) == parts and set(tree) <= set(edges)
    assert sum(s["components"] for s in report["sizes"]) == len(parts)
    with open("c.tsv") as file:
        return file.read()


def check_drawing(ranks, on):
    """The drawing has every edge once, the spanning forest in red, and the degrees of each vertex."""
    draw = random.Random(ranks)
    vertices = [f'w{i}"' if i == 3 else f"w{i}" for i in range(30)]
    edges = [(draw.choice(vertices), draw.choice(vertices)) for _ in range(32)] + [("w0", "w1"), ("w0", "w1"), ("w2", "w2")]
    with open("dv.tsv", "w") as file:
        file.write("id\n" + "".join(f"{v}\n" for v in vertices))
    with open("de.tsv", "w") as file:
        file.write("source\ttarget\n" + "".join(f"{a}\t{b}\n" for a, b in edges))
    for extra in (), ("--undirected",):
        run(1, "import", "--vertices", "dv.tsv", "de.tsv", "-o", "d.h5", "-q", *extra)
        run(ranks, "components", "d.h5", "--on", on, "-o", "dc.tsv", "-q")  # without a forest: undirected rows are not split
        named = collections.defaultdict(set)
        for row in rows("dc.tsv"):
            named[row["component"]].add(row["key"])
        assert set(map(frozenset, named.values())) == parts_of(vertices, edges)
        run(ranks, "components", "d.h5", "--on", on, "--dot", "d.dot", "-q")
        with open("d.dot") as file:
            text = file.read()
        name, out, into = {}, collections.Counter(), collections.Counter()
        shown = re.findall(r'\tv(\d+) \[label="((?:[^"\\]|\\.)*)", tooltip="in (\d+), out (\d+)"', text)
        for number, label, _, _ in shown:
            name[number] = label.replace('\\"', '"')
        drawn = [(name[a], name[b], "red" in style, "dir=none" in style)
                 for a, b, style in re.findall(r"\tv(\d+) -> v(\d+) \[([^]]*)\]", text)]
        assert sorted(name.values()) == sorted(vertices) and all(plain == bool(extra) for *_, plain in drawn)
        ends = (lambda a, b: tuple(sorted((a, b)))) if extra else (lambda a, b: (a, b))
        assert collections.Counter(ends(a, b) for a, b, *_ in drawn) == collections.Counter(ends(a, b) for a, b in edges)
        forest = [(a, b) for a, b, red, _ in drawn if red]
        parts = parts_of(vertices, edges)
        assert parts_of(vertices, forest) == parts and len(forest) == len(vertices) - len(parts)
        for a, b, *_ in drawn:
            for source, target in {(a, b), (b, a)} if extra else [(a, b)]:
                out[source] += 1
                into[target] += 1
        assert all(int(i) == into[name[n]] and int(o) == out[name[n]] for n, _, i, o in shown), shown


def main():
    seed = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 32)))
    print("seed", seed)
    draw = random.Random(seed)
    vertices = [f"v{i}" for i in range(400)]
    edges = [(draw.choice(vertices), draw.choice(vertices)) for _ in range(330)]
    edges += [("v0", "v0"), ("v1", "v2"), ("v1", "v2"), ("v2", "v1")]
    with open("v.tsv", "w") as file:
        file.write("id\n" + "".join(f"{v}\n" for v in vertices))
    with open("e.tsv", "w") as file:
        file.write("source\ttarget\ttype\n" + "".join(f"{a}\t{b}\t{draw.choice('AB')}\n" for a, b in edges))
    run(1, "import", "--vertices", "v.tsv", "e.tsv", "-o", "g.h5")
    texts = {check(vertices, edges, "g.h5", ranks, on)
             for ranks, on in ((1, "host"), (1, "device"), (2, "device"), (3, "auto"), (4, "host"))}
    assert len(texts) == 1
    for ranks, on in ((1, "host"), (1, "device"), (3, "device")):
        check_drawing(ranks, on)
    run(1, "generate", "uniform", "--vertices", "1001", "--edges", "10", "-o", "many.h5", "-q")
    run(2, "components", "many.h5", "--dot", "m.dot", code=65, says="too many to draw")
    run(2, "components", "d.h5", "--dot", "no/such/m.dot", code=74, says="no/such/m.dot")
    assert not os.path.exists("m.dot")
    only = [(r["source"], r["target"]) for r in rows("e.tsv") if r["type"] == "A"]
    run(2, "components", "g.h5", "--relation", "A", "--json", "report.json", "-q")
    with open("report.json") as file:
        assert json.load(file)["components"] == len(parts_of(vertices, only))
    run(1, "generate", "uniform", "--vertices", "0", "--edges", "0", "-o", "none.h5")
    assert "0 components" in run(2, "components", "none.h5").stdout
    run(2, "components", "g.h5", "--tree", "t.png", code=2, says="tree t.png")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
