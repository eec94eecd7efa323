"""Compares groups that a device makes by vertices and by values of attributes with those of the host, on a random
multigraph with integers, floats, strings and NULL, with 1 and 3 ranks."""
import json
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

SEED = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 30)))
VERTICES, EDGES = 40, 300

# a query, and the vertices or values by which the plan says that the device groups
QUERIES = (
    ("RETURN a.i, c.s, count(*) AS n, sum(b.f) AS s, min(b.f) AS l ORDER BY n DESC, a.i, c.s", "a.i, b.f, c.s"),
    ("RETURN c.s, count(*) AS n ORDER BY n DESC, c.s LIMIT 3", "c.s"),
    ("WITH b.i AS i, count(*) AS n, sum(a.f) AS f, collect(c.s) AS s WHERE n >= 300 RETURN i, n, f, s ORDER BY i", "b.i"),
    ("RETURN a.key2, count(*) AS n ORDER BY n DESC, a.key2 LIMIT 4", "a.key2"),
)


def write_graph(rng, folder):
    with open(f"{folder}/v.tsv", "w") as file:
        print("id", "i", "f", "s", "key2", sep="\t", file=file)
        for v in range(VERTICES):
            values = (rng.choice(("", -1, 2, 7)), rng.choice(("", "0.0", "-0.0", "2.5", "1e300")), rng.choice(("", "x", "yy")), v * v)
            print(v, *values, sep="\t", file=file)
    with open(f"{folder}/e.tsv", "w") as file:
        print("src", "dst", "type", sep="\t", file=file)
        for _ in range(EDGES):
            print(rng.randrange(VERTICES), rng.randrange(VERTICES), "E", sep="\t", file=file)
    run(1, "import", "--vertices", f"{folder}/v.tsv", "--edges", f"{folder}/e.tsv", "-o", f"{folder}/g.h5", "-q")


def check(folder, clauses, by):
    query, graph = "MATCH (a)-[:E]->(b)-[:E]->(c) " + clauses, f"{folder}/g.h5"
    run(1, "match", graph, query, "--on", "host", "-o", f"{folder}/host.tsv", "-q")
    with open(f"{folder}/host.tsv") as file:
        expected = file.read()
    assert expected.count("\n") > 2, expected
    for ranks in (1, 3):
        run(ranks, "match", graph, query, "--on", "device", "-o", f"{folder}/device.tsv", "-q", "--json", f"{folder}/out.json")
        with open(f"{folder}/device.tsv") as file:
            assert file.read() == expected, (query, ranks)
        with open(f"{folder}/out.json") as file:
            out = json.load(file)
        assert f"made on the device, by ({by})" in out["plan"], out["plan"]
        assert out["rows_grouped_by_devices"] == out["embeddings"] >= out["groups_of_devices"] > 0, (query, ranks)


def main():
    print(f"seed {SEED} (GEMP_TEST_SEED={SEED} repeats this)")
    os.environ["GEMP_DEVICE_GROUPS"] = "on"
    with tempfile.TemporaryDirectory() as folder:
        write_graph(random.Random(SEED), folder)
        for clauses, by in QUERIES:
            check(folder, clauses, by)


if __name__ == "__main__":
    main()
