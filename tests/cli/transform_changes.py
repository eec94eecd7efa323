"""Tests change logs of random rules on random graphs. An interpreter and transform, with every number of ranks, make
the same graph from the log. A run that stops and continues gives the same files. Damaged logs are refused with one
message."""
import json
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import attempt, run

CASES = int(os.environ.get("GEMP_TEST_CASES", "2"))
SEED = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 30)))
MUTANTS = 4

RULES = [  # rules over one pattern, whose kernel is built once
    ("push", "WHERE a.x < b.x SET a.x = b.x + 1, k.w = 2.5"),
    ("split", "DELETE k CREATE (a)-[:L {w: 7}]->(n:N:M {y: a.x, s: 'h\u00e9 \"x\"'}), (n)-[:K {w: 1}]->(b)"),
    ("drop", "WHERE b.x > 1 DETACH DELETE b"),
    ("join", "SET k.w = 3 MERGE a INTO b"),
    ("turn", "SET k:L, a:Q REMOVE a:P, b.x"),
    ("back", "REMOVE k.w MERGE b INTO a"),
    ("mark", "WHERE k.w = 1 SET b.z = true, k.v = 'v' CREATE (b)-[:K {w: a.x}]->(a)"),
    ("part", "WHERE a.x = b.x DELETE k SET a.x = 0.5, a:P REMOVE b:P:Q"),
]

JSON = [1, "a\u00e9", [1, 2.5, None], {"$date": "1984-10-11"}, {"b": [[]], "a": True}]


class Log:
    """A graph that replays a log: vertices {key: [labels, attributes]}, edges {number: [type, source, target,
    attributes]}."""

    def __init__(self, vertices, edges):
        self.vertices = {k: [set(v[0]), dict(v[1])] for k, v in vertices.items()}
        self.edges = dict(enumerate([t, s, d, dict(a)] for t, s, d, a in edges))

    def find(self, line):
        wanted = [line["type"], line["source"], line["target"], line.get("attributes", {})]
        return [n for n, edge in self.edges.items() if edge == wanted][line.get("n", 1) - 1]

    def create(self, line):
        self.edges[max(self.edges, default=0) + 1] = [line["type"], line["source"], line["target"],
                                                      dict(line.get("attributes", {}))]

    def change(self, line, edge):
        what = line["change"]
        if what == "create vertex":
            assert line["key"] not in self.vertices, line
            self.vertices[line["key"]] = [set(line["labels"]), line.get("attributes", {})]
        elif what in ("delete vertex", "merge vertex"):
            del self.vertices[line["key"]]
        elif what == "add labels":
            self.vertices[line["key"]][0] |= set(line["labels"])
        elif what == "remove labels":
            self.vertices[line["key"]][0] -= set(line["labels"])
        elif what in ("set vertex", "set edge"):
            values = self.vertices[line["key"]][1] if edge is None else self.edges[edge][3]
            assert values.get(line["name"]) == line["was"], line
            values.pop(line["name"], None)
            if line["value"] is not None:
                values[line["name"]] = line["value"]
        elif what == "create edge":
            self.create(line)
        elif what == "retype edge":
            self.edges[edge][0] = line["into"]
        else:
            assert what in ("delete edge", "move edge"), line
            del self.edges[edge]
            if what == "move edge":
                self.create(line["to"])

    def step(self, lines):
        """Applies the lines of one step. Lines name edges as they are before the step."""
        named = [None if "vertex" in line["change"] or "labels" in line["change"] or line["change"] == "create edge"
                 else self.find(line) for line in lines]
        for line, edge in zip(lines, named):
            self.change(line, edge)

    def apply(self, text):
        lines = [json.loads(line) for line in text.splitlines()]
        assert "changes" in lines[0] and "end" in lines[-1], (lines[0], lines[-1])
        starts = [i for i, line in enumerate(lines) if "step" in line] + [len(lines) - 1]
        for begin, end in zip(starts, starts[1:]):
            self.step(lines[begin + 1:end])
        assert lines[-1]["lines"] == sum("change" in line for line in lines), lines[-1]
        return self

    def said(self):
        return (sorted((str(k), sorted(v[0]), sorted(v[1].items())) for k, v in self.vertices.items()),
                sorted((e[0], str(e[1]), str(e[2]), sorted(e[3].items())) for e in self.edges.values()))


def random_graph(rng):
    count = rng.randint(3, 10)
    words = rng.random() < 0.5
    keys = [f"k{i}" if words else i for i in range(1, count + 1)]
    vertices = {k: [{label for label in "PQ" if rng.random() < 0.5}, {"x": rng.randint(0, 3)} if rng.random() < 0.8 else {}]
                for k in keys}
    for _, values in vertices.values():
        values.update({"j": rng.choice(JSON)} if rng.random() < 0.7 else {})
    edges = []  # at least one edge has the type K, since rules that name a type without edges are refused
    for _ in range(rng.randint(2, 2 * count)):
        kind = rng.choice("KKKL") if edges else "K"
        edge = [kind, rng.choice(keys), rng.choice(keys), {"w": rng.randint(1, 2)} if rng.random() < 0.7 else {}]
        edges += [edge] * rng.choice([1, 1, 1, 2, 3])
    return vertices, edges


def write(vertices, edges, folder):
    with open(f"{folder}/v.tsv", "w") as file:
        file.write("id\ttype\tx:int\tj:json\n")
        for key, (labels, values) in vertices.items():
            file.write(f"{key}\t{';'.join(sorted(labels))}\t{values.get('x', '')}\t"
                       f"{json.dumps(values['j']) if 'j' in values else ''}\n")
    with open(f"{folder}/e.tsv", "w") as file:
        file.write("src\tdst\ttype\tw:int\n")
        for kind, source, target, values in edges:
            file.write(f"{source}\t{target}\t{kind}\t{values.get('w', '')}\n")
    run(1, "import", "--vertices", f"{folder}/v.tsv", "--edges", f"{folder}/e.tsv", "-o", f"{folder}/g.h5", "-q")


def read(folder):
    run(1, "convert", f"{folder}/h.h5", "-o", f"{folder}/h.jsonl", "-q")
    vertices, edges = {}, []
    with open(f"{folder}/h.jsonl") as file:
        for line in map(json.loads, file):
            values = line.get("properties", {})
            if line["type"] == "node":
                vertices[line["id"]] = [line.get("labels", []), values]
            else:
                edges.append([line["label"], line["start"]["id"], line["end"]["id"], values])
    return Log(vertices, edges)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def transform(ranks, folder, how, *options):
    done = run(ranks, "transform", f"{folder}/g.h5", f"{folder}/{how}", "-o", f"{folder}/h.h5", "--json", "-", *options)
    return json.loads(done.stdout)["graph"]["hash"]


def stop_and_go(rng, folder, how):
    """Runs jobs that have time for one step each, with varying numbers of ranks."""
    for _ in range(20):
        done = attempt(rng.choice([1, 1, 2, 3]), "transform", f"{folder}/g.h5", f"{folder}/r.rules", "-o", f"{folder}/h.h5",
                       "--changes", f"{folder}/again.jsonl", "--checkpoint", f"{folder}/c", "--resume", "--max-time", "0.0001",
                       *how)
        if done.returncode != 75:
            assert done.returncode == 0 and not os.path.exists(f"{folder}/c"), done.stderr
            return
        assert not os.path.exists(f"{folder}/again.jsonl"), "a log that is not whole"
    raise AssertionError("it does not come to an end")


def spoil(rng, text):
    """Returns the log with one fault of a random kind."""
    lines = text.split("\n")
    at = rng.randrange(len(lines) - 1)
    way = rng.randrange(6)
    if way == 0:
        del lines[at]
    elif way == 1:
        lines.insert(at, lines[rng.randrange(len(lines) - 1)])
    elif way == 2:
        place = rng.randrange(len(lines[at]))
        lines[at] = lines[at][:place] + rng.choice("{}[]\",:0a") + lines[at][place + 1:]
    elif way == 3:
        return text[:rng.randrange(1, len(text))]
    elif way == 4:
        other = rng.randrange(len(lines) - 1)
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines[at] = lines[at].replace('"K"', '"NO"', 1).replace('"key":', '"kez":', 1)
    return "\n".join(lines)


def check_mutants(rng, folder, text, good):
    for _ in range(MUTANTS):
        mutant = spoil(rng, text)
        with open(f"{folder}/m.jsonl", "w") as file:
            file.write(mutant)
        if os.path.exists(f"{folder}/m.h5"):
            os.remove(f"{folder}/m.h5")
        done = attempt(rng.choice([1, 1, 1, 3]), "transform", f"{folder}/g.h5", f"{folder}/m.jsonl", "-o", f"{folder}/m.h5",
                       "--json", "-")
        if done.returncode == 0:
            assert json.loads(done.stdout)["graph"]["hash"] == good, ("another graph", mutant)
            continue
        assert done.returncode in (2, 65), (done.returncode, done.stderr, mutant)
        assert done.stderr.count("error:") == 1 and "m.jsonl" in done.stderr, (done.stderr, mutant)
        assert not os.path.exists(f"{folder}/m.h5"), ("a graph in spite of an error", mutant)


def check(rng, case, folder):
    vertices, edges = random_graph(rng)
    write(vertices, edges, folder)
    rules = rng.sample(RULES, 4)
    with open(f"{folder}/r.rules", "w") as file:
        for name, rest in rules:
            file.write(f"RULE {name} MATCH (a)-[k:K]->(b) {rest}\n")
        file.write("RUN " + "; ".join(rng.choice(["TRY ", "TRY ", "TRY ONE "]) + name for name, _ in rules) + "\n")
    how = ["--semantics", rng.choice(["iso", "iso", "hom"]), "--seed", str(case)]
    hashes = [transform(ranks, folder, "r.rules", "--changes", f"{folder}/{ranks}.jsonl", *how) for ranks in (1, 3)]
    file, text = content(f"{folder}/h.h5"), content(f"{folder}/1.jsonl")
    assert hashes[0] == hashes[1] and text == content(f"{folder}/3.jsonl"), "1 and 3 ranks differ"
    log = Log(vertices, edges).apply(text.decode())
    assert log.said() == read(folder).said(), (rules, log.said(), read(folder).said())
    for ranks in (1, 2 + case % 3):
        assert transform(ranks, folder, "1.jsonl") == hashes[0], f"{ranks} ranks replay another graph"
    stop_and_go(rng, folder, how)
    assert content(f"{folder}/h.h5") == file, "a run that stopped has another graph"
    assert content(f"{folder}/again.jsonl") == text, "a run that stopped has another log"
    check_mutants(rng, folder, text.decode(), hashes[0])


def main():
    rng, faults = random.Random(SEED), 0
    for case in range(CASES):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(rng, case, folder)
            except AssertionError as error:
                faults += 1
                print(f"case {case}: {error}", file=sys.stderr)
    print(f"{CASES} cases, {faults} faults (GEMP_TEST_SEED={SEED} repeats this)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
