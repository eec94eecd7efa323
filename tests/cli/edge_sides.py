"""Tests counts by sums of patterns with labels and directions that the graph's edges imply, against enumeration, on
random graphs: films with their people, the same with one edge or vertex that breaks the rule, and people who know one
another. The seed is printed; GEMP_TEST_SEED repeats a run."""
import json
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

SEED = int(os.environ.get("GEMP_TEST_SEED") or random.randrange(1 << 30))
SUMS = "counted without enumerating: ("  # of src/count/plan; an elimination has its number of sums there
PATH3 = "(a:P)-[:A]->(m:F)<-[:A]-(b:P)-[:A]->(n:F)"
TWO_SIDED = [PATH3 + "<-[:A]-(a)", PATH3, PATH3 + "<-[:A]-(c:P)-[:A]->(o:F)",
             "(a)-[:A]->(m)<-[:A]-(b)-[:A]->(n)<-[:A]-(a)",
             PATH3 + "<-[:A]-(a), (c:P)-[:A]->(m), (a)-[:A]->(o:F)"]
ONE_SIDED = ["(a:P)-[:A]->(m:F)<-[:A]-(b:P)", PATH3 + "<-[:A]-(c:P)", "(a:P)-[:A]->(m:F), (b)-[:A]->(m), (c)-[:A]->(m)",
             "(a:P)-[:A]->(m:P)<-[:A]-(b:P)-[:A]->(n:F)", "(a:P)-[:A]-(b)-[:A]-(c)", "(a)-[:A]-(m:F)-[:A]-(b:P)"]
LABELLED = ["(a:P)-[:K]-(b:P)-[:K]-(c:P)", "(a:P)-[:K]-(b:P)-[:K]-(c:P)-[:K]-(a)",
            "(a:P)-[:K]-(b)-[:K]-(c:P|F)-[:K]-(d)-[:K]-(a)", "(c:P)-[:K]-(x), (c)-[:K]-(y), (c)-[:K]-(z:P)"]


def write(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("\t".join(map(str, row)) + "\n" for row in rows)


def graph(name, rng, labels=(), edges=()):
    """People 0 to 19 and films 20 to 34. labels: other labels of some vertices. edges: further edges."""
    label = {v: "P" if v < 20 else "F" for v in range(40)}
    label.update(labels)
    acts = {(rng.randrange(20), rng.randrange(20, 35), "A") for _ in range(70)}
    knows = {(a, b, "K") for a, b in ((rng.randrange(20), rng.randrange(20)) for _ in range(50)) if a < b}
    write("v.tsv", [("id", "type"), *label.items()])
    write("e.tsv", [("src", "dst", "type"), *sorted(acts | knows | set(edges))])
    run(1, "import", "--vertices", "v.tsv", "--edges", "e.tsv", "-o", name, "-q")
    return name


def counted(name, patterns, ranks, *options):
    with open("q.cypher", "w", encoding="utf-8") as file:
        file.writelines("MATCH %s RETURN count(*) AS n;\n" % pattern for pattern in patterns)
    queries = json.loads(run(ranks, "match", name, "--query-file", "q.cypher", "--json", "-", *options).stdout)["queries"]
    return [query["matches"] for query in queries], [query["plan"].startswith(SUMS) for query in queries]


def compare(name, patterns, sums):
    """sums: whether sums over the simple graph must count all the patterns, or none. Others are counted by elimination."""
    for semantics in ("edge-iso", "hom", "iso"):
        known, _ = counted(name, patterns, 1, "--count-by", "enumerate", "--semantics", semantics, "--distinct", "none")
        assert any(known), (SEED, name, semantics)
        for ranks in (1, 3):
            found, by_sums = counted(name, patterns, ranks, "--semantics", semantics, "--distinct", "none")
            assert found == known, (SEED, name, semantics, ranks, list(zip(patterns, found, known)))
            if semantics != "iso":
                assert all(by is sums for by in by_sums), (SEED, name, semantics, list(zip(patterns, by_sums)))


def main():
    rng = random.Random(SEED)
    print("seed", SEED)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        clean = graph("clean.h5", rng)
        compare(clean, TWO_SIDED, True)
        compare(clean, LABELLED, True)
        compare(clean, ONE_SIDED, False)
        # A person in whom another person acts is a source and a target; a person of another label acts.
        compare(graph("both.h5", rng, edges=[(0, 1, "A"), (1, 20, "A")]), TWO_SIDED, False)
        compare(graph("other.h5", rng, {0: "X"}, [(0, 20, "A")]), [p for p in TWO_SIDED if ":P" in p], False)
        os.chdir("/")


if __name__ == "__main__":
    main()
