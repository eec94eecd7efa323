"""Tests that rows that pass the clauses in several blocks are all rows of the graph, for several ranks, and that LIMIT
ends within a block. Blocks have 2^16 rows."""
import os
import sys
import tempfile
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

EDGES = 150_000


def rows(ranks, limit=""):
    run(ranks, "match", "g.h5", "MATCH (a)-->(b) RETURN id(a) AS a, id(b) + 1 AS b" + limit, "-o", "rows.tsv", "-q")
    with open("rows.tsv", encoding="utf-8") as file:
        return Counter(tuple(map(int, line.split())) for line in file.readlines()[1:])


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run(1, "generate", "uniform", "--vertices", "50000", "--edges", str(EDGES), "--directed", "1", "-o", "g.h5", "-q")
        run(1, "convert", "g.h5", "-o", "g.tsv", "-q")
        with open("g.edges.tsv", encoding="utf-8") as file:
            cells = [line.split("\t") for line in file.readlines()[1:]]
        known = Counter((int(cell[0]), int(cell[1]) + 1) for cell in cells)
        assert sum(known.values()) == EDGES
        for ranks in (1, 3):
            assert rows(ranks) == known, ranks
            for limit in (65536, 65537, 140_000):
                found = rows(ranks, " LIMIT %d" % limit)
                assert sum(found.values()) == limit and not found - known, (ranks, limit)
        os.chdir("/")


if __name__ == "__main__":
    main()
