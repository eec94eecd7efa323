"""Compares steps of random rules on random graphs with an interpreter that applies one match after another. The result
of a step must equal that of applying some of its matches one by one, in the order of their keys and in the reverse
order. The interpreter also counts the matches and the inapplicable matches. The file is the same with every number
of ranks."""
import itertools
import json
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

CASES = int(os.environ.get("GEMP_TEST_CASES", "6"))
SEED = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 30)))
MOST_SUBSETS = 20000


class Graph:
    """A graph: vertices {key: [labels, {name: value}]}, edges {number: [source, target, type]}."""

    def __init__(self, vertices, edges):
        self.vertices, self.edges = vertices, edges

    def copy(self):
        return Graph({k: [set(v[0]), dict(v[1])] for k, v in self.vertices.items()},
                     {e: list(v) for e, v in self.edges.items()})

    def said(self):
        return (sorted((k, sorted(v[0]), sorted(v[1].items())) for k, v in self.vertices.items()),
                sorted(tuple(e) for e in self.edges.values()))

    def of_type(self, kind):
        return [(e, s, t) for e, (s, t, k) in self.edges.items() if k == kind]

    def degree(self, vertex):
        return sum((s == vertex) + (t == vertex) for s, t, _ in self.edges.values())

    def out(self, vertex, kind):
        """Returns the edges to other vertices, since all vertices of a pattern are distinct."""
        return sum(s == vertex != t and k == kind for s, t, k in self.edges.values())

    def x(self, vertex):
        return self.vertices[vertex][1].get("x")

    def has(self, vertex, label):
        return label in self.vertices[vertex][0]

    def add(self, source, target, kind):
        self.edges[max(self.edges, default=0) + 1] = [source, target, kind]

    def drop(self, vertex):
        del self.vertices[vertex]
        self.edges = {e: v for e, v in self.edges.items() if vertex not in v[:2]}


def pairs(condition):
    """Returns the matches of (a)-[k:K]->(b) with distinct a and b for which the condition is true."""
    return lambda g: [(a, b, k) for k, a, b in g.of_type("K") if a != b and condition(g, a, b)]


def known(condition):
    return lambda g, a, b: g.x(a) is not None and g.x(b) is not None and condition(g.x(a), g.x(b))


def exchange(g, match, fresh):
    a, b = (g.vertices[v][1] for v in match[:2])
    a["x"], b["x"] = b["x"], a["x"]


def cut_off(g, match, fresh):
    del g.edges[match[2]]
    g.drop(match[1])


def split(g, match, fresh):
    a, b, k = match
    del g.edges[k]
    g.vertices[fresh] = [{"N"}, {} if g.x(a) is None else {"x": g.x(a)}]
    g.add(a, fresh, "L")
    g.add(fresh, b, "L")


def relabel(g, match, fresh):
    g.vertices[match[1]][0].add("Q")
    g.vertices[match[0]][0].discard("P")


def merge(g, match, fresh):
    a, b, _ = match
    for edge in g.edges.values():
        edge[:2] = [b if v == a else v for v in edge[:2]]
    g.drop(a)


def retype(g, match, fresh):
    g.edges[match[2]][2] = "L"


RULES = [  # the rule's text, its matches, the effect of a match, whether a match is applicable
    ("MATCH (a)-[k:K]->(b) WHERE a.x > b.x SET a.x = b.x, b.x = a.x",
     pairs(known(lambda x, y: x > y)), exchange, None),
    ("MATCH (a)-[k:K]->(b:P) DELETE k, b",
     pairs(lambda g, a, b: g.has(b, "P")), cut_off, lambda g, m: g.degree(m[1]) == 1),
    ("MATCH (a:P)-[k:K]->(b:P) WHERE NOT EXISTS { (a)-[:L]->() } CREATE (a)-[:L]->(b)",
     pairs(lambda g, a, b: g.has(a, "P") and g.has(b, "P") and g.out(a, "L") == 0),
     lambda g, m, fresh: g.add(m[0], m[1], "L"), None),
    ("MATCH (a:P)-[k:K]->(b) WHERE NOT EXISTS { (b)-[:L]->() } CREATE (b)-[:M]->(a) SET a.x = 7",
     pairs(lambda g, a, b: g.has(a, "P") and g.out(b, "L") == 0),
     lambda g, m, fresh: (g.add(m[1], m[0], "M"), g.vertices[m[0]][1].update(x=7)), None),
    ("MATCH (a)-[k:K]->(b) WHERE a.x < b.x DETACH DELETE b",
     pairs(known(lambda x, y: x < y)), lambda g, m, fresh: g.drop(m[1]), None),
    ("MATCH (a)-[k:K]->(b) DELETE k CREATE (a)-[:L]->(n:N {x: a.x}), (n)-[:L]->(b)", pairs(lambda g, a, b: True), split, None),
    ("MATCH (a:P)-[k:K]->(b:P) SET b:Q REMOVE a:P",
     pairs(lambda g, a, b: g.has(a, "P") and g.has(b, "P")), relabel, None),
    ("MATCH (a)-[k:K]->(b) WHERE a.x = b.x MERGE a INTO b", pairs(known(lambda x, y: x == y)), merge, None),
    ("MATCH (a)-[k:K]->(b) WHERE NOT EXISTS { (b)-[:L]->() } SET k:L",
     pairs(lambda g, a, b: g.out(b, "L") == 0), retype, None),
    ("MATCH (a)-[k:K]->(b) WHERE COUNT { (b)-[:K]->() } > 1 DELETE k",
     pairs(lambda g, a, b: g.out(b, "K") > 1), lambda g, m, fresh: g.edges.pop(m[2]), None),
    ("MATCH (a)-[k:K]->(b) WHERE NOT EXISTS { (b)-[:K]->()-[:L]->() } CREATE (b)-[:L]->(a)",
     pairs(lambda g, a, b: not any(s == b and c != b and any(f == c and t not in (b, c) for _, f, t in g.of_type("L"))
                                   for _, s, c in g.of_type("K"))),
     lambda g, m, fresh: g.add(m[1], m[0], "L"), None),
    ("MATCH (a)-[k:K]->(b:P) WHERE NOT EXISTS { (a)-[:L]->() } DETACH DELETE b",
     pairs(lambda g, a, b: g.has(b, "P") and g.out(a, "L") == 0), lambda g, m, fresh: g.drop(m[1]), None),
    ("MATCH (a)-[k:K]->(b) WHERE COUNT { (b)-[:K]->() } = 1 MERGE a INTO b",
     pairs(lambda g, a, b: g.out(b, "K") == 1), merge, None),
    ("MATCH (a)-[k:K]->(b) WHERE NOT EXISTS { (b)-[:L]->() } DETACH DELETE a SET b.x = 8",
     pairs(lambda g, a, b: g.out(b, "L") == 0),
     lambda g, m, fresh: (g.drop(m[0]), g.vertices[m[1]][1].update(x=8)), None),
    ("MATCH (a)-[k:K]->(b) REMOVE a.x SET b.y = a.x",
     pairs(lambda g, a, b: True),
     lambda g, m, fresh: (g.vertices[m[1]][1].pop("y", None) if g.x(m[0]) is None
                          else g.vertices[m[1]][1].update(y=g.x(m[0])), g.vertices[m[0]][1].pop("x", None)), None),
]


def random_graph(rng):
    count = rng.randint(2, 9)
    vertices = {k: [{label for label in "PQ" if rng.random() < 0.6}, {"x": rng.randint(0, 3)} if rng.random() < 0.9 else {}]
                for k in range(1, count + 1)}
    edges = {}
    for kind, share in (("K", 1.1), ("L", 0.25)):
        ends = {(rng.randint(1, count), rng.randint(1, count)) for _ in range(int(share * count) + 1)}
        for s, t in sorted(ends):
            edges[len(edges) + 1] = [s, t, kind]
    return Graph(vertices, edges)


def write(graph, folder):
    with open(f"{folder}/v.tsv", "w") as file:
        file.write("id\ttype\tx:int\n")
        for key, (labels, values) in graph.vertices.items():
            file.write(f"{key}\t{';'.join(sorted(labels))}\t{values.get('x', '')}\n")
    with open(f"{folder}/e.tsv", "w") as file:
        file.write("src\tdst\ttype\n")
        for edge in graph.edges.values():
            file.write("\t".join(map(str, edge)) + "\n")
    run(1, "import", "--vertices", f"{folder}/v.tsv", "--edges", f"{folder}/e.tsv", "-o", f"{folder}/g.h5", "-q")


def lines(path):
    if not os.path.exists(path):
        return
    with open(path) as file:
        names = [name.split(":")[0] for name in next(file).rstrip("\n").split("\t")]
        for line in file:
            yield dict(zip(names, line.rstrip("\n").split("\t")))


def read(folder):
    run(1, "convert", f"{folder}/h.h5", "-o", f"{folder}/h.tsv", "-q")
    vertices = {int(row.pop("id")): [set(filter(None, row.pop("type", "").split(";"))),
                                     {k: int(v) for k, v in row.items() if v != ""}] for row in lines(f"{folder}/h.vertices.tsv")}
    edges = {i: [int(row["src"]), int(row["dst"]), row.get("type", "")] for i, row in enumerate(lines(f"{folder}/h.edges.tsv"))}
    return Graph(vertices, edges)


def apply_one_by_one(graph, rule, chosen, order):
    """Applies the chosen matches in this order. Returns None if a match no longer exists when its turn comes."""
    _, find, act, applies = rule
    first = max(graph.vertices) + 1
    graph = graph.copy()
    for i in order:
        if chosen[i] not in find(graph) or (applies and not applies(graph, chosen[i])):
            return None
        act(graph, chosen[i], first + i)
    return graph.said()


def explained(graph, rule, able, applied, result):
    tried = itertools.islice(itertools.combinations(sorted(able), applied), MOST_SUBSETS)
    return any(apply_one_by_one(graph, rule, chosen, range(applied)) == result and
               apply_one_by_one(graph, rule, chosen, reversed(range(applied))) == result for chosen in tried)


def check(rng, case, folder):
    graph, rule = random_graph(rng), RULES[(SEED + case) % len(RULES)]
    matches = rule[1](graph)
    able = [m for m in matches if rule[3] is None or rule[3](graph, m)]
    write(graph, folder)
    with open(f"{folder}/r.rules", "w") as file:
        file.write(f"RULE r {rule[0]} RUN TRY r\n")
    files, report = [], None
    for ranks in (1, 3):
        report = json.loads(run(ranks, "transform", f"{folder}/g.h5", f"{folder}/r.rules", "-o", f"{folder}/h.h5",
                                "--lenient", "--seed", str(case), "--json", "-").stdout)["rules"][0]
        files.append(open(f"{folder}/h.h5", "rb").read())
    faults = [] if files[0] == files[1] else ["1 and 3 ranks give different files"]
    if (report["matches"], report["blocked"]) != (len(matches), len(matches) - len(able)):
        faults.append(f"{report}, and not {len(matches)} matches, {len(matches) - len(able)} blocked")
    elif (report["applied"] == 0) != (not able):
        faults.append(f"{report['applied']} of {len(able)} applied")
    elif not explained(graph, rule, able, report["applied"], read(folder).said()):
        faults.append(f"no {report['applied']} of the matches {able} give one by one {read(folder).said()}")
    return [f"case {case}, {rule[0]}: {fault}; {graph.said()}" for fault in faults]


def main():
    rng, faults = random.Random(SEED), []
    for case in range(CASES):
        with tempfile.TemporaryDirectory() as folder:
            faults += check(rng, case, folder)
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{CASES} cases, {len(faults)} faults (GEMP_TEST_SEED={SEED} repeats this)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
