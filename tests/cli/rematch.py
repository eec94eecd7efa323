"""Applies random rules several times: --rematch incremental, on 1 and 3 ranks, gives the same graph as --rematch full
on one rank, and the same numbers of matches and changes in each step."""
import json
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

CASES = int(os.environ.get("GEMP_TEST_CASES", "2"))
SEED = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 30)))

RULES = [  # %d is a number that restricts the matches to a few
    "MATCH (a:P) WHERE a.x = %d SET a.x = a.x + 1",
    "MATCH (a:P)-[k:K]->(b) WHERE b.x = %d SET b:Q REMOVE a:P",
    "MATCH (a)-[k:K]->(b:Q) WHERE a.x < %d CREATE (b)-[:L]->(a), (n:P {x: a.x})-[:K]->(b) REMOVE b:Q",
    "MATCH (a)-[k:K]->(b)-[l:L]->(c) WHERE a.x <= %d DELETE k, l",
    "MATCH (a:P)-[k:K]->(b) WHERE a.x < %d AND NOT EXISTS { (b)-[:L]->(:Q) } SET k:L SET k.w = a.x",
    "MATCH (a)-[k:L]->(b) WHERE k.w >= %d AND COUNT { (b)-[:K]->() } > 0 REMOVE k.w",
    "MATCH (a)-[:K]->(b)-[:K]->(c)-[:K]->(d) WHERE a.x = %d SET d.x = b.x",
    "MATCH (a {x: %d}) WHERE NOT EXISTS { (a)--() } DELETE a",
    "MATCH (a {x: %d})-[:K]->(b) WHERE NOT EXISTS { (a)-[:K]->()-[:L]->(b) } CREATE (a)-[:K]->(m {x: 1})-[:L]->(b)",
    "MATCH (a {x: %d})-[:K]->(b)-[:K]->(c)-[:K]->(d) WHERE NOT EXISTS { (a)-[:L]->(d) } CREATE (a)-[:L]->(d)",
    "MATCH (a {x: %d})-[:K]->(b)-[:K]->(c) WHERE NOT EXISTS { (a)-[:L]->(d:Q)-[:L]->(c) } CREATE (a)-[:L]->(c) SET c:Q",
    "MATCH (a:Q {x: %d})-[:K]->(b) DETACH DELETE b",
    "MATCH (a {x: %d})-[k:K]->(b) MERGE a INTO b",
    "MATCH (a:P) WHERE a.x < %d OPTIONAL MATCH (a)-[e:L]->(b:P) DELETE e SET b.x = a.x",
    "MATCH (a)-[:K*1..2]->(b) WHERE a.x < %d AND b.x > 18 SET b.x = a.x",
    "MATCH (a)-[:K]-(b)-[:L]-(c) WHERE b.x = %d SET c.y = a.x + b.x",
    "MATCH (a)-[:K]->(b)<-[:K]-(c) WHERE b.x = %d CREATE (b)-[:L]->(:Q)",
    "MATCH (a:P)-[:K]->(b) WHERE a.x < %d WITH a, b, a.x + b.x AS s WHERE s > 9 CREATE (b)-[:L {w: s}]->(a) REMOVE a:P",
    "MATCH (a)-[:K]->(b) WHERE a.x = %d WITH b, count(a) AS n WHERE n > 1 SET b.x = n",
]


def write_graph(rng, folder):
    count = rng.choice((0, 1, 40, 400, 1500))
    with open(f"{folder}/v.tsv", "w") as file:
        file.write("id\ttype\tx:int\n")
        for key in range(1, count + 1):
            labels = ";".join(label for label in "PQ" if rng.random() < 0.5)
            file.write(f"{key}\t{labels}\t{rng.randint(0, 20) if rng.random() < 0.95 else ''}\n")
    with open(f"{folder}/e.tsv", "w") as file:
        file.write("src\tdst\ttype\tw:int\n")
        for kind, share in (("K", 1.2), ("L", 0.5)):
            for _ in range(int(share * count)):
                hub = rng.random() < 0.02
                file.write(f"{1 if hub else rng.randint(1, count)}\t{rng.randint(1, count)}\t{kind}\t{rng.randint(0, 20)}\n")
    run(1, "import", "--vertices", f"{folder}/v.tsv", "--edges", f"{folder}/e.tsv", "-o", f"{folder}/g.h5", "-q")


def write_rules(rng, folder):
    names = "abc"[:rng.randint(1, 3)]
    with open(f"{folder}/r.rules", "w") as file:
        for name in names:
            file.write(f"RULE {name} {rng.choice(RULES) % rng.choice((1, 2, 3, 10))}\n")
        parts = ["TRY " + rng.choice(("", "ONE ")) + name for name in names]
        file.write(f"RUN ({'; '.join(parts)}){{4}}\n")


def steps(ranks, folder, semantics, how):
    done = run(ranks, "transform", f"{folder}/g.h5", f"{folder}/r.rules", "-o", f"{folder}/{how}.h5", "--rematch", how, "--lenient",
               "--semantics", semantics, "--explain", "--json", f"{folder}/{how}.json", "-q")
    assert done.returncode == 0
    with open(f"{folder}/{how}.json") as file:
        report = json.load(file)
    told = report["explain"]
    return told, [report["graph"], *([s[k] for k in ("rule", "matches", "applied", "conflicts", "blocked")] for s in told)]


def check(rng, case, folder):
    write_graph(rng, folder)
    write_rules(rng, folder)
    paths = "*1..2" in open(f"{folder}/r.rules").read()
    semantics, kept = "iso" if paths else rng.choice(("iso", "hom", "edge-iso", "induced")), 0
    expected = steps(1, folder, semantics, "full")[1]
    for ranks in (1, 3):
        told, found = steps(ranks, folder, semantics, "incremental")
        kept += sum("kept" in step for step in told)
        if found != expected:
            rules = open(f"{folder}/r.rules").read()
            return kept, [f"case {case}, {ranks} ranks, {semantics}: {found}, not {expected}\n{rules}"]
    return kept, []


def main():
    faults, kept = [], 0
    for case in range(CASES):
        with tempfile.TemporaryDirectory() as folder:
            more, wrong = check(random.Random(SEED + case), case, folder)
            kept += more
            faults += wrong
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{CASES} cases, {kept} steps kept rows, {len(faults)} faults (GEMP_TEST_SEED={SEED} repeats this)")
    return 1 if faults or (CASES >= 4 and not kept) else 0


if __name__ == "__main__":
    sys.exit(main())
