"""Tests that a query which runs clause by clause ends with one error when it would hold more than --host-memory: with the
place of the clause, in seconds, on one, two and three ranks, and without an output file. Each process stays below its
budget and the memory that it takes for a small query, and a fixed part. Searches are on the host, since the memory of an
OpenCL driver and of its compiler is not counted.

Groups of a search that go to a temporary file leave little in memory, whatever the number of runs in the file, and the
clauses copy a few rows at a time."""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import MPIRUN, SECONDS, run

BUDGET = 60  # MiB
FIXED = 40  # MiB: blocks of malloc that are free, and messages of MPI
VERTICES, DEGREE = 1000, 8

# starts the program, and writes its peak of resident memory in KiB to a file of the rank
MEASURE = """
import os, sys
child = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
with open("rss." + os.environ.get("OMPI_COMM_WORLD_RANK", "0"), "w") as file:
    file.write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))
"""

# the query, and the clause or expression that needs too much
QUERIES = [
    ("MATCH (a) MATCH (b) MATCH (c) RETURN a, b, c", "MATCH (b)"),
    ("MATCH (a)-->(b)-->(c)-->(d)-->(e)-->(f) MATCH (z {i: 1}) RETURN a, z", "MATCH (a)"),
    ("MATCH p = (a {i: 1})-[*1..12]->(b) WITH p RETURN collect(p) AS l", "MATCH p"),
    ("UNWIND range(1, 1000) AS x MATCH (a) MATCH (b) RETURN collect([a, b, x]) AS l", "MATCH (a)"),
    ("UNWIND range(1, 100000) AS x UNWIND range(1, 1000) AS y RETURN x, y ORDER BY y DESC, x", "UNWIND range(1, 1000)"),
    ("RETURN size(range(1, 200000000)) AS x", "range(1, 200000000)"),
    ("UNWIND range(1, 1000) AS x UNWIND range(1, 100000) AS y RETURN collect(x + y) AS l", "UNWIND range(1, 100000)"),
    ("RETURN size(reduce(s = 'a', x IN range(1, 60) | s + s)) AS n", "s + s"),
    ("WITH reduce(s = 'a', x IN range(1, 20) | s + s) AS s RETURN size(replace(s, 'a', s)) AS n", "replace("),
    ("WITH reduce(s = 'a,', x IN range(1, 21) | s + s) AS s RETURN size(split(s, ',')) AS n", "split("),
    ("MATCH (a) CALL { WITH a MATCH (b) MATCH (c) RETURN b, c } RETURN a, b, c", "MATCH (b)"),
    ("MATCH (a) WITH collect(a) AS l UNWIND l AS x UNWIND l AS y UNWIND l AS z RETURN x, y, z", "UNWIND l AS z"),
    ("UNWIND range(1, 3000) AS x WITH x, [y IN range(1, 3000) | [x, y]] AS l RETURN l", "[y IN"),
    ("MATCH (a) RETURN [(a)-->()-->()-->()-->(b) | [a, b]] AS m", "RETURN"),
]
# 957,958 groups, which take 74 MiB without a limit; hundreds of runs
MANY_GROUPS = "MATCH (a)-->(b)-->(c)-->(d)-->(e) WITH a, e, count(*) AS n RETURN a, e, n"
# rows of one round, which the clauses take in blocks
MANY_ROWS = "MATCH (a)-->(b)-->(c)-->(d) RETURN d.i AS i, count(DISTINCT a) AS n, sum(b.i) AS s"
GROUPS_FIXED = 32  # MiB: the graph, rows of a round, tables of threads
ON_SEVERAL_RANKS = 5  # of these queries


def measure(ranks, *arguments):
    """Returns the finished process, its seconds, and the peaks of its ranks in MiB; mpirun may end a rank before it reports."""
    for rank in range(ranks):
        if os.path.exists("rss.%d" % rank):
            os.unlink("rss.%d" % rank)
    launcher = [*MPIRUN, "-n", str(ranks)] if ranks > 1 else []
    began = time.time()
    done = subprocess.run(["timeout", "-k", "10", SECONDS, *launcher, sys.executable, "-c", MEASURE, os.environ["GEMP_MPI"], *arguments],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    peaks = []
    for rank in range(ranks):
        if os.path.exists("rss.%d" % rank):
            with open("rss.%d" % rank) as file:
                peaks.append(int(file.read() or 0) / 1024)
    return done, time.time() - began, peaks


def check(ranks, query, culprit, small):
    """small: the peak of a small query; None: the sanitizer's own memory hides the program's."""
    done, seconds, peaks = measure(ranks, "match", "g.h5", query, "--host-memory", "%dM" % BUDGET, "--on", "host", "-o", "out.tsv")
    place = "1:%d" % (query.index(culprit) + 1)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    assert done.returncode == 71 and len(errors) == 1, (ranks, query, done.returncode, done.stderr)
    assert "error: query:%s: " % place in errors[0] and "of --host-memory" in errors[0], (ranks, query, errors)
    assert "raise --host-memory" in errors[0], errors
    assert not os.path.exists("out.tsv"), query
    assert small is None or max(peaks, default=0) <= small + BUDGET + FIXED, (ranks, query, peaks, small)
    print("%d ranks, %.1f s, %s MiB: %s" % (ranks, seconds, [round(peak) for peak in peaks], query))


def limited(ranks, query, *options):
    """Returns the largest counted memory of a rank in MiB, without a limit and with two limits, which change no row."""
    answers, peaks = [], []
    for limit in (), ("--host-memory", "512K"), ("--host-memory", "20K"):
        done, _, _ = measure(ranks, "match", "g.h5", query, "-o", "groups.tsv", "-q", "--json", "groups.json", *options, *limit)
        assert done.returncode == 0, (ranks, limit, done.stderr)
        with open("groups.tsv") as rows, open("groups.json") as report:
            answers.append(rows.read())
            peaks.append(json.load(report)["memory"]["host"] >> 20)
    assert answers[0] == answers[1] == answers[2] and len(answers[0]) > 10**4, (ranks, query)
    print("%d ranks, without a limit, with 512 KiB, with 20 KiB: %s MiB: %s" % (ranks, peaks, query))
    return peaks


def check_groups(ranks):
    peaks = limited(ranks, MANY_GROUPS, "--on", "host")
    assert max(peaks[1:]) <= GROUPS_FIXED, (ranks, peaks)
    if ranks == 1:
        peaks = limited(ranks, MANY_ROWS)
        assert max(peaks[1:]) <= peaks[0] * 3 // 4, peaks


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("v.tsv", "w") as file:
            file.write("id\ttype\ti:int\n" + "".join("v%d\tP\t%d\n" % (i, i) for i in range(VERTICES)))
        with open("e.tsv", "w") as file:
            file.write("src\tdst\ttype\n" + "".join("v%d\tv%d\tR\n" % (i, (7 * i + 13 * k * k + 1) % VERTICES)
                                                    for i in range(VERTICES) for k in range(DEGREE)))
        run(1, "import", "--vertices", "v.tsv", "--edges", "e.tsv", "-o", "g.h5", "-q")
        sanitized = b"libasan" in subprocess.run(["ldd", os.environ["GEMP_MPI"]], capture_output=True).stdout
        for ranks in (1, 2, 3):
            done, _, peaks = measure(ranks, "match", "g.h5", "MATCH (a) MATCH (a)-->(b) RETURN count(*) AS n", "--host-memory",
                                     "%dM" % BUDGET, "--on", "host", "-o", "-", "-q")
            assert done.stdout == "n\n%d\n" % (VERTICES * DEGREE), (done.stdout, done.stderr)
            for query, culprit in QUERIES[:None if ranks == 1 else ON_SEVERAL_RANKS]:
                check(ranks, query, culprit, None if sanitized else max(peaks))
            check_groups(ranks)
        os.chdir("/")


if __name__ == "__main__":
    main()
