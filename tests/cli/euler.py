"""Tests euler: circuits and paths of random multigraphs with loops and parallel edges of several types, on the
devices of 1 and 2 ranks and on the threads of 3. This test checks the circuits edge by edge. Also tests reasons for no circuit, pictures and
refusals."""
import collections
import json
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

SEED = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 30)))
WAYS = [(1, "device"), (3, "auto"), (2, "device")]


def make(folder, name, edges, vertices=(), undirected=False):
    """Makes a graph of (source, type, target) and returns the path of its file."""
    with open(f"{folder}/{name}.v.tsv", "w") as file:
        file.write("id\n" + "".join(f"{v}\n" for v in dict.fromkeys([*vertices, *(v for s, _, t in edges for v in (s, t))])))
    with open(f"{folder}/{name}.e.tsv", "w") as file:
        file.write("source\ttarget\ttype\n" + "".join(f"{s}\t{t}\t{kind}\n" for s, kind, t in edges))
    graph = f"{folder}/{name}.h5"
    run(1, "import", "--vertices", f"{folder}/{name}.v.tsv", "--edges", f"{folder}/{name}.e.tsv", "-q", "-o", graph,
        *["--undirected"] * undirected)
    return graph


def walk(rng, names, steps, closed=True):
    """Returns the edges of a random walk."""
    at = start = rng.choice(names)
    edges = []
    for i in range(steps):
        to = start if closed and i + 1 == steps else rng.choice(names)
        edges.append((at, rng.choice("ABC"), to))
        at = to
    return edges


def check_rows(path, edges, ends=None, undirected=False):
    """Each edge occurs once and begins where the edge before it ends, around the circuit or from ends[0] to ends[1]."""
    def seen(source, kind, target):
        return (*sorted((str(source), str(target))), kind) if undirected else (str(source), str(target), kind)
    with open(path, encoding="utf-8") as file:
        head, *rows = [line.rstrip("\n").split("\t") for line in file]
    assert head == ["place", "source", "type", "edge", "target"], head
    assert [int(row[0]) for row in rows] == list(range(len(edges))), "places"
    assert len({(row[2], row[3]) for row in rows}) == len(rows), "an edge is there twice"
    told = collections.Counter(seen(s, kind, t) for _, s, kind, _, t in rows)
    assert told == collections.Counter(seen(*edge) for edge in edges), "other edges"
    for before, after in zip(rows, rows[1:] + ([] if ends else rows[:1])):
        assert before[4] == after[1], (before, after)
    if ends and rows:
        told = (rows[0][1], rows[-1][4])
        assert told == ends or undirected and told == ends[::-1], (told, ends)


def check_steps(facts):
    """The seconds of the stages add up to those of the steps, and to the sum."""
    stages, steps = facts["stages"], facts["steps"]
    of = {"predecessors": ("fill", "pair"), "circuits": ("walk", "circuits", "orphans"), "circuit_graph": ("graph",),
          "spanning_tree": ("union",), "swaps": ("rotate", "rewalk"), "order": ("rank", "emit")}
    assert list(steps) == list(of), steps
    for step, parts in of.items():
        assert abs(steps[step] - sum(stages[part] for part in parts)) < 1e-6, (step, facts)
    assert abs(sum(steps.values()) - stages["sum"]) < 1e-6 and steps["order"] > 0 <= min(steps.values()), facts


def report(folder, ranks, *arguments, code=0, says=""):
    run(ranks, "euler", *arguments, "-q", "--json", f"{folder}/report.json", code=code, says=says)
    with open(f"{folder}/report.json", encoding="utf-8") as file:
        return json.load(file)


def found(folder, rng):
    """Tests graphs with circuits and graphs with paths."""
    names = [f"v{i}" for i in range(40)] if rng.random() < 0.5 else list(range(40))
    shapes = {
        "walk": walk(rng, names, 300),
        "short": [edge for k in range(60) for edge in walk(rng, [names[0], *rng.sample(names, 2)], 3) +
                  [(names[0], "A", names[k % 40]), (names[k % 40], "B", names[0])]],
        "loops": [(1, "A", 1)] * 5 + [(1, "B", 1)],
        "loop": [(7, "A", 7)],
        "ring": [(i, "A", (i + 1) % 30) for i in range(30)],
        "complete": [(i, "A", j) for i in range(9) for j in range(9) if i != j],
    }
    for turn, (name, edges) in enumerate(shapes.items()):
        edges = list(edges)
        while name == "short" and any(balance(edges).values()):
            edges = shapes["walk"]
        rng.shuffle(edges)
        graph = make(folder, name, edges, vertices=[edges[0][0]])
        for ranks, place in [*WAYS, (1, "host")] if turn == 0 else WAYS[turn % 3:][:1]:
            facts = report(folder, ranks, graph, "--on", place, "--verify", "-o", f"{folder}/o.tsv")
            check_rows(f"{folder}/o.tsv", edges)
            assert facts["found"] and facts["kind"] == "circuit" and facts["edges"] == len(edges) and facts["verified"]
            assert facts["circuits"] == facts["forest_edges"] + 1, facts
            check_steps(facts)
    return names


def balance(edges):
    count = collections.Counter()
    for source, _, target in edges:
        count[source] += 1
        count[target] -= 1
    return count


def paths(folder, rng, names):
    edges = walk(rng, names, 200, closed=False)
    while edges[0][0] == edges[-1][2]:
        edges = walk(rng, names, 200, closed=False)
    ends = (str(edges[0][0]), str(edges[-1][2]))
    graph = make(folder, "path", rng.sample(edges, len(edges)))
    for ranks, place in WAYS:
        facts = report(folder, ranks, graph, "--on", place, code=65, says="add --path")
        assert not facts["found"] and facts["path"] and facts["unbalanced"] == 2 and facts["components"] == 1, facts
        assert (str(facts["path_start"]), str(facts["path_end"])) == ends, facts
        facts = report(folder, ranks, graph, "--on", place, "--path", "--verify", "-o", f"{folder}/o.tsv")
        check_rows(f"{folder}/o.tsv", edges, ends)
        assert facts["kind"] == "path" and facts["edges"] == len(edges), facts
    one = make(folder, "one", [(1, "A", 2)])
    report(folder, 1, one, "--path", "-o", f"{folder}/o.tsv")
    check_rows(f"{folder}/o.tsv", [(1, "A", 2)], ("1", "2"))


def undirected(folder, rng, names):
    """Tests undirected graphs, whose edges may be used in either direction."""
    for closed in True, False:
        edges = walk(rng, names, 150, closed)
        while not closed and edges[0][0] == edges[-1][2]:
            edges = walk(rng, names, 150, closed)
        ends = (str(edges[0][0]), str(edges[-1][2]))
        turned = [edge if rng.random() < 0.5 else edge[::-1] for edge in edges]
        graph = make(folder, "either", rng.sample(turned, len(turned)), undirected=True)
        for ranks, place in WAYS:
            if not closed:
                facts = report(folder, ranks, graph, "--on", place, code=65, says="add --path")
                assert facts["unbalanced"] == 2 and all(one["degree"] % 2 for one in facts["first_unbalanced"]), facts
            report(folder, ranks, graph, "--on", place, "--path", "--verify", "-o", f"{folder}/o.tsv")
            check_rows(f"{folder}/o.tsv", edges, None if closed else ends, undirected=True)
    odd = [(0, "A", i) for i in range(1, 6)] + [(9, "A", 9)]
    facts = report(folder, 3, make(folder, "odd", odd, undirected=True), "--path", code=65, says="odd number of edges")
    assert facts["components"] == 2 and facts["unbalanced"] == 6 and not facts["path"], facts
    assert [one["degree"] for one in facts["first_unbalanced"]] == [5, 1, 1, 1, 1, 1], facts
    loops = [(5, "A", 5)] * 3
    report(folder, 2, make(folder, "round", loops, undirected=True), "-o", f"{folder}/o.tsv")
    check_rows(f"{folder}/o.tsv", loops, undirected=True)


def none(folder, rng):
    edges = [(i, "A", (i + 1) % 5) for i in range(5)] + [(i, "A", i + 1) for i in range(10, 12)] + [(12, "B", 10), (20, "A", 20)]
    graph = make(folder, "apart", edges, vertices=[99])
    edges = [(0, "A", i) for i in range(1, 30)] + [(40, "A", 41)]
    star = make(folder, "star", edges)
    for ranks, place in WAYS:
        facts = report(folder, ranks, graph, "--on", place, code=65, says="3 components")
        assert not facts["found"] and facts["components"] == 3 and facts["unbalanced"] == 0 and not facts["path"], facts
        facts = report(folder, ranks, star, "--on", place, "--path", code=65, says="32 vertices")
        assert facts["components"] == 2 and facts["unbalanced"] == 32 and not facts["path"], facts
        first = [(one["vertex"], one["in"], one["out"]) for one in facts["first_unbalanced"]]
        assert first == [(0, 0, 29), *((i, 1, 0) for i in range(1, 10))], first
    facts = report(folder, 1, graph, "--relation", "B", code=65, says="add --path")
    assert facts["path"], facts
    empty = make(folder, "empty", [], vertices=[1, 2])
    assert report(folder, 1, empty)["edges"] == 0


def pictures(folder, rng, names):
    edges = walk(rng, names, 60)
    graph = make(folder, "drawn", edges)
    for ranks, place in WAYS:
        report(folder, ranks, graph, "--on", place, "--dot", f"{folder}/o.dot")
        with open(f"{folder}/o.dot", encoding="utf-8") as file:
            text = file.read()
        before, circuits, after = (text[text.index(f"cluster_{side}"):] for side in "bca")
        count = collections.Counter()
        for source, target, colour in re.findall(r"\tb(\d+) -> b(\d+) \[color=(\"[^\"]*\")", before):
            count[source, colour] += 1
            count[target, colour] -= 1
        assert count and not any(count.values()), "a colour is no circuit"
        assert circuits.count("penwidth") == len({colour for _, colour in count}) - 1, "no spanning tree"
        out, into = (collections.Counter(edge[end] for edge in edges) for end in (0, 2))
        shown = re.findall(r'\ta\d+ \[label="([^"]*)", tooltip="in (\d+), out (\d+)"', after)
        assert {(key, int(i), int(o)) for key, i, o in shown} == {(str(v), into[v], out[v]) for v in out}, shown
        joined = len(re.findall("peripheries=2", before))
        assert bool(joined) == (len({colour for _, colour in count}) > 1) and joined < len({c for _, c in count}) + 1
        order = sorted((int(place), source, target) for source, target, place in
                       re.findall(r"\ta(\d+) -> a(\d+) \[color=\"[^\"]*\", label=\"(\d+)\"", after))
        assert [one[0] for one in order] == list(range(1, 61)), order
        assert all(a[2] == b[1] for a, b in zip(order, order[1:] + order[:1])), order


def places(folder):
    """--on auto takes devices from euler.host_below edges a rank on, and threads of the hosts if a part does not fit."""
    graph, os.environ["GEMP_TUNING"] = f"{folder}/middle.h5", f"{folder}/tuning.conf"
    with open(f"{folder}/tuning.conf", "w") as file:
        file.write("euler.host_below = 16384\n")
    run(1, "generate", "eulerian", "--vertices", "9000", "--edges", "36000", "-q", "-o", graph)
    for memory, wanted in ([], ["device", "devices", "ranks"]), (["--device-memory", "100K"], ["ranks"] * 3):
        for ranks, engine in enumerate(wanted, 1):
            facts = report(folder, ranks, graph, "--verify", *memory)
            assert facts["engine"] == engine and facts["verified"], (ranks, memory, facts)
    del os.environ["GEMP_TUNING"]


def refusals(folder):
    graph = make(folder, "both", [(1, "A", 2), (2, "A", 1)])
    run(1, "euler", graph, "--relation", "Z", code=2, says="no edges of this type")
    run(1, "euler", graph, "-o", f"{folder}/o.xyz", code=2, says=".tsv, .csv, .jsonl or .h5")
    run(2, "euler", graph, "--on", "device", "--device-memory", "100", code=71, says="use more ranks")
    run(1, "generate", "eulerian", "--vertices", "2000", "--edges", "4000", "-q", "-o", f"{folder}/large.h5")
    run(1, "euler", f"{folder}/large.h5", "--dot", f"{folder}/o.dot", code=65, says="too many to draw")


def main():
    print(f"GEMP_TEST_SEED={SEED}")
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        names = found(folder, rng)
        paths(folder, rng, names)
        undirected(folder, rng, names)
        none(folder, rng)
        pictures(folder, rng, names)
        places(folder)
        refusals(folder)


main()
