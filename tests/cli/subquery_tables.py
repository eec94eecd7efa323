"""Compares EXISTS and COUNT of tree patterns, which have tables of all vertices, with searches on devices, on a random
graph of people and films. The plans must say which of the two was used. GEMP_TEST_SEED repeats a run."""
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

SEED = int(os.environ.get("GEMP_TEST_SEED") or random.randrange(1 << 30))
TABLE, SEARCH = "for all vertices by sums over their edges", "given vertices"
# A query, and whether its inner pattern has a table.
QUERIES = [
    ("MATCH (p:P) WHERE EXISTS { MATCH (p)-[:A]->(m:F)-[:G]->(g) WHERE g.size > 3 } RETURN id(p)", True),
    ("MATCH (p:P)-[:K]-(q:P) WHERE NOT EXISTS { MATCH (p)-[:A]->(m:F)-[:G]->(g) WHERE g.size > 3 } "
     "RETURN id(p), id(q)", True),
    ("MATCH (m:F) WHERE COUNT { MATCH (m)<-[:A]-(p:P) WHERE p.size <= 4 } < 2 RETURN id(m)", True),
    ("MATCH (p:P) RETURN id(p), COUNT { MATCH (p)-[:A]->(m:F) WHERE m.size > 2 } AS n, "
     "EXISTS { MATCH (p)-[:K]-(q:P) WHERE q.size = 1 } AS e", True),
    ("MATCH (p:P) WHERE EXISTS { MATCH (p)-[:A]->(m:F) WHERE m.size = 2 } OR "
     "COUNT { MATCH (p)-[:K]->(q) WHERE q.size > 2 } = 1 RETURN id(p)", True),
    ("MATCH (p:P), (q:F) WHERE EXISTS { MATCH (p)-[:A]->(m:F) WHERE m.size = 2 } AND "
     "COUNT { MATCH (q)<-[:A]-(r:P) WHERE r.size > 1 } >= 3 RETURN id(p), id(q)", True),
    ("MATCH (p:P)-[:K*0..2]-(q:P) WHERE EXISTS { MATCH (p)-[:A]->(m:F) WHERE m.size = 2 } AND "
     "EXISTS { MATCH (q)-[:A]->(m:F) WHERE m.size = 3 } RETURN id(p), id(q)", True),
    # Both edges may be one edge, which the search excludes.
    ("MATCH (p:P) WHERE COUNT { MATCH (p)-[:A]->(m:F)<-[:A]-(q:P) WHERE q.size > 2 } > 4 RETURN id(p)", False),
    # The condition joins vertices.
    ("MATCH (p:P) WHERE EXISTS { MATCH (p)-[:A]->(m:F)-[:G]->(g) WHERE m.size = g.size } RETURN id(p)", False),
]


def write(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("\t".join(map(str, row)) + "\n" for row in rows)


def graph(rng):
    """People 0 to 19, films 20 to 34 and genres 35 to 39; some elements have no size."""
    label = {v: "P" if v < 20 else "F" if v < 35 else "G" for v in range(40)}
    size = {v: rng.randrange(6) if rng.randrange(8) else "" for v in label}
    edges = [(rng.randrange(20), rng.randrange(20, 35), "A") for _ in range(70)]
    edges += [(rng.randrange(20), rng.randrange(20), "K") for _ in range(40)]
    edges += [(rng.randrange(20, 35), rng.randrange(35, 40), "G") for _ in range(25)]
    write("v.tsv", [("id", "type", "size"), *((v, label[v], size[v]) for v in label)])
    write("e.tsv", [("src", "dst", "type"), *edges])
    run(1, "import", "--vertices", "v.tsv", "--edges", "e.tsv", "-o", "g.h5", "-q")


def rows(ranks, query, *options):
    """Returns the sorted rows, and the plan."""
    done = run(ranks, "match", "g.h5", query, "--explain", "-o", "rows.tsv", *options)
    with open("rows.tsv", encoding="utf-8") as file:
        return sorted(file), done.stdout + done.stderr


def main():
    print("seed", SEED)
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        graph(rng)
        for query, table in QUERIES:
            expected, plan = rows(1, query, "--on", "device")
            assert SEARCH in plan and TABLE not in plan, plan
            for ranks in (1, 2, 3):
                found, plan = rows(ranks, query)
                assert (TABLE in plan) == table and (SEARCH in plan) != table, (query, plan)
                assert found == expected, (query, ranks, len(found), len(expected))
        os.chdir("/")


if __name__ == "__main__":
    main()
