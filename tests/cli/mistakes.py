"""Tests that each query in the tables of mistakes of docs/opencypher.md gives exactly the message of its row, at its place.

The graph has vertices Person (name, born) and Movie (title), and edges ACTS_IN and KNOWS."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import SOURCE, attempt, run

VERTICES = "id\ttype\tname\tborn:int\ttitle\nJack\tPerson\tJack\t1950\t\nBob\tPerson\tBob\t1960\t\nm1\tMovie\t\t\tUp\n"
EDGES = "src\tdst\ttype\nJack\tm1\tACTS_IN\nBob\tm1\tACTS_IN\nJack\tBob\tKNOWS\n"
ROW = re.compile(r"^\| `(.+?)` \| (\d+:\d+) \| (.+) \|$")


def read_rows():
    with open(os.path.join(SOURCE, "docs", "opencypher.md"), encoding="utf-8") as file:
        found = [ROW.match(line.rstrip("\n")) for line in file if line.startswith("| `")]
    rows = [[cell.replace("\\|", "|") for cell in row.groups()] for row in found if row]
    assert len(rows) > 40, len(rows)
    return rows


def check(query, place, message):
    """A row is an error, or the warning of a query that runs."""
    warned = message.startswith("warning: ")
    done = attempt(1, "match", "g.h5", query, "--count")
    want = "gemp-mpi: %s: query:%s: %s" % ("warning" if warned else "error", place, message.removeprefix("warning: "))
    assert done.returncode == (0 if warned else 2), (query, done.returncode, done.stderr)
    assert done.stderr.splitlines()[0] == want, "%s\n  gives  %s\n  not    %s" % (query, done.stderr.splitlines()[0], want)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in (("v.tsv", VERTICES), ("e.tsv", EDGES)):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        run(1, "import", "--vertices", "v.tsv", "--edges", "e.tsv", "-o", "g.h5", "-q")
        for row in read_rows():
            check(*row)
        # the warning does not depend on ranks, nor on the way in which the query runs
        for query, place in (("MATCH (m:Movie) WHERE m.born > 1 RETURN m", "1:25"),
                             ("UNWIND [1] AS x MATCH (m:Movie) WHERE m.born > x RETURN count(*)", "1:41")):
            says = "query:%s: no vertex with the label Movie has the attribute 'born'; vertices with it have the label Person" % place
            for ranks in (1, 2, 3):
                run(ranks, "match", "g.h5", query, says=says)
        for query in ("MATCH (m:Movie) WHERE m.title = 'no' RETURN m", "MATCH (m:Movie|Person) WHERE m.born > 9999 RETURN m",
                      "MATCH (m:Movie) RETURN m.title UNION MATCH (m:Person) WHERE m.title = 'no' RETURN m.title"):
            assert "warning" not in run(2, "match", "g.h5", query).stderr, query
        os.chdir("/")


if __name__ == "__main__":
    main()
