"""Graphs for tests of bfs, sssp, pagerank and spmv, and the right answers from slow and independent code.

A graph is a list of keys and a list of edges (source, target, type, weight); weight None is NULL. A directed edge is
one arc, an undirected edge is two arcs, and an undirected self-loop is one arc."""
import csv
import heapq
import json
import math
import os

from program import run


class Graph:
    def __init__(self, keys, edges, directed=True):
        self.keys, self.edges, self.directed = keys, edges, directed

    def write(self, name):
        """Imports the graph as NAME.h5."""
        with open(name + ".v.tsv", "w") as file:
            file.write("id\tname\tsize\n" + "".join(f"{k}\tn{k}\t{i % 7 - 3}\n" for i, k in enumerate(self.keys)))
        with open(name + ".e.tsv", "w") as file:
            file.write("source\ttarget\ttype\tw\treal:float\ttext\n")
            for a, b, kind, weight in self.edges:
                shown = "" if weight is None else weight
                file.write(f"{a}\t{b}\t{kind}\t{shown}\t{'' if weight is None else weight / 8}\tx\n")
        options = [] if self.directed else ["--undirected"]
        run(1, "import", "--vertices", name + ".v.tsv", name + ".e.tsv", *options, "-o", name + ".h5", "-q")
        return name + ".h5"

    def arcs(self, direction="along", types=None, weight=lambda w: w):
        result = []
        for a, b, kind, w in self.edges:
            if types and kind not in types:
                continue
            both = not self.directed or direction == "either"
            if both or direction == "along":
                result.append((a, b, weight(w)))
            if (both and a != b) or (direction == "against" and not both):
                result.append((b, a, weight(w)))
        return result


def random_graph(draw, vertices, edges, directed=True, key=lambda i: f"v{i}", least=0, most=9):
    """Returns a graph with self-loops, parallel edges, an edge in both directions, a vertex without out-edges, and
    vertices without edges."""
    keys = [key(i) for i in range(vertices)]
    used = keys[: vertices * 3 // 4]
    ends = [(draw.choice(used), draw.choice(used)) for _ in range(edges)]
    ends += [(used[0], used[0]), (used[0], used[1]), (used[0], used[1]), (used[1], used[0]), (used[2], keys[-1])]
    return Graph(keys, [(a, b, draw.choice("AB"), draw.randint(least, most)) for a, b in ends], directed)


def order(key):
    """Returns a key for sorting vertex keys as the program does: integers by value, strings by bytes."""
    return key if isinstance(key, int) else key.encode()


def levels(arcs, source):
    near = {}
    for a, b, _ in arcs:
        near.setdefault(a, set()).add(b)
    found, todo = {source: 0}, [source]
    while todo:
        next_ones = []
        for a in todo:
            for b in near.get(a, ()):
                if b not in found:
                    found[b] = found[a] + 1
                    next_ones.append(b)
        todo = next_ones
    return found


def parents(arcs, level, source):
    """Returns for each vertex the smallest neighbour one level nearer to the source."""
    least = {}
    for a, b, _ in arcs:
        if b != source and a in level and level[b] == level[a] + 1:
            least[b] = min(least.get(b, a), a, key=order)
    return least


def distances(arcs, source):
    near = {}
    for a, b, w in arcs:
        near.setdefault(a, []).append((b, w))
    found, heap, number = {}, [(0, 0, source)], 0
    while heap:
        distance, _, a = heapq.heappop(heap)
        if a in found:
            continue
        found[a] = distance
        for b, w in near.get(a, ()):
            if b not in found:
                number += 1
                heapq.heappush(heap, (distance + w, number, b))
    return found


def check_predecessors(arcs, distance, predecessor, source):
    """Checks that each predecessor is the vertex before the last edge of a shortest path, the smallest of the vertices
    that are nearer to the source, and that all predecessors lead to the source."""
    nearer, tight = {}, {}
    for a, b, w in arcs:
        if a in distance and distance[a] + w == distance[b] and b != source:
            tight.setdefault(b, set()).add(a)
            if distance[a] < distance[b]:
                nearer[b] = min(nearer.get(b, a), a, key=order)
    assert set(predecessor) == set(distance) - {source}
    for b, a in predecessor.items():
        assert a in tight[b], (b, a)
        assert b not in nearer or nearer[b] == a, (b, a, nearer[b])
    for b in predecessor:
        steps = 0
        while b != source:
            b, steps = predecessor[b], steps + 1
            assert steps <= len(predecessor), "a circle of predecessors"


def ranks(keys, arcs, damping=0.85, jump=None, weighted=False, tolerance=1e-14, most=1000):
    total = math.fsum((jump or {k: 1 for k in keys}).values())
    to = {k: (jump or {k: 1 for k in keys}).get(k, 0) / total for k in keys}
    out = dict.fromkeys(keys, 0)
    for a, _, w in arcs:
        out[a] += w if weighted else 1
    rank = dict(to) if jump else {k: 1 / len(keys) for k in keys}
    for _ in range(most):
        dangling = math.fsum(rank[k] for k in keys if out[k] == 0)
        new = {k: (1 - damping + damping * dangling) * to[k] for k in keys}
        for a, b, w in arcs:
            if out[a]:
                new[b] += damping * rank[a] * (w if weighted else 1) / out[a]
        change = math.fsum(abs(new[k] - rank[k]) for k in keys)
        rank = new
        if change < tolerance:
            break
    return rank


def rows(path, kinds):
    """Returns the rows of a TSV file as dictionaries. kinds: the type of each column. An empty cell is None."""
    with open(path, newline="") as file:
        return [{name: None if cell == "" else kinds[name](cell) for name, cell in row.items()}
                for row in csv.DictReader(file, delimiter="\t")]


def column(found, name):
    """Returns the values of a column by key, without NULLs."""
    return {row["key"]: row[name] for row in found if row[name] is not None}


def report(path="report.json"):
    with open(path) as file:
        return json.load(file)


def close(found, wanted, relative=1e-9, absolute=0.0):
    assert set(found) == set(wanted), set(found) ^ set(wanted)
    for key, value in wanted.items():
        assert math.isclose(found[key], value, rel_tol=relative, abs_tol=absolute), (key, found[key], value)


def vertices_of(graph):
    """Returns the attributes of vertices in a graph file, by key, without NULLs."""
    run(1, "convert", graph, "-o", "out.tsv")
    with open("out.vertices.tsv", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t"))
    names = [name.split(":")[0] for name in lines[0]]
    return {line[0]: {n: cell for n, cell in zip(names[1:], line[1:]) if cell != ""} for line in lines[1:]}


def must_fail(check):
    """Runs a check on a wrong answer, and fails unless the check fails."""
    try:
        check()
    except AssertionError:
        return
    raise SystemExit("a spoilt answer passed")


def refusals(command, graph, *needed):
    """Tests options that all four commands refuse in the same way."""
    run(1, command, "nowhere.h5", *needed, code=66, says="nowhere.h5")
    run(2, command, graph, *needed, "--relation", "C", code=2, says="relation C")
    run(1, command, graph, *needed, "-o", "x.png", code=2, says=".tsv, .csv, .jsonl or .h5")
    run(1, command, graph, *needed, "--into", "x.tsv", code=2, says=".h5")
    run(1, command, graph, *needed, "--column", "c", code=2, says="`into`")
    run(2, command, graph, *needed, "-o", os.path.join("nowhere", "x.tsv"), code=74, says="nowhere")
    run(1, command, graph, *needed, "--into", os.path.join("nowhere", "x.h5"), code=74, says="nowhere")
    run(1, command, graph, *needed, "--into", "x.h5", "--json", "x.h5", code=2, says="x.h5")


def alike(one, other):
    """True if the cells are equal, or are floats that another number of ranks may round differently."""
    return one == other or (None not in (one, other) and "." in one and math.isclose(float(one), float(other), rel_tol=1e-9))


def into_itself(command, graph, *options, names):
    """Checks that --into stores the rows as attributes and keeps other attributes, and that a second --into with the
    same names is refused."""
    before = vertices_of(graph)
    quiet = run(2, command, graph, *options, "-o", "rows.tsv", "--into", graph, "-q")
    assert graph not in quiet.stdout + quiet.stderr, quiet.stdout + quiet.stderr
    run(2, "verify", graph, "-q")
    after = vertices_of(graph)
    wanted = {row["key"]: row for row in rows("rows.tsv", dict.fromkeys(["key", *names], str))}
    for key, values in after.items():
        found = {n: values.pop(attribute, None) for n, attribute in names.items()}
        assert found == {n: wanted[key][n] for n in names}, (key, found, wanted[key])
    assert after == before
    run(1, command, graph, *options, "--into", graph, code=2, says="`column`")
    assert f" to {graph} (" in run(1, command, graph, *options, "--into", graph, "--column", "again").stdout
    again = vertices_of(graph)
    many = len(names) > 1
    for key, values in again.items():
        for n in names:
            assert alike(values.get(f"again_{n}" if many else "again"), wanted[key][n]), (key, values, wanted[key])
