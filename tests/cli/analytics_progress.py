"""On a terminal, long runs show the completed percentage and the remaining time, and a query that runs clause by clause
shows the clause in execution and its rows. With --quiet they show nothing."""
import os
import pty
import select
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import MPIRUN, run


def watch(ranks, *arguments, until, seconds):
    """Returns the terminal output of a run. The run is ended when the output contains the text `until` or after
    `seconds`."""
    ours, theirs = pty.openpty()
    launcher = [*MPIRUN, "-n", str(ranks)] if ranks > 1 else []
    said = b""
    with subprocess.Popen([*launcher, os.environ["GEMP_MPI"], *arguments], stdout=subprocess.DEVNULL, stderr=theirs,
                          stdin=subprocess.DEVNULL) as started:
        os.close(theirs)
        end = time.monotonic() + seconds
        while until not in said and time.monotonic() < end:
            if select.select([ours], [], [], 0.2)[0]:
                said += os.read(ours, 4096)
        assert started.poll() is None, said
        started.terminate()
        started.wait(timeout=30)
    os.close(ours)
    return said


def main():
    run(1, "generate", "uniform", "--vertices", "3000", "--edges", "20000", "-o", "g.h5", "-q")
    endless = (("spmv", "--repeat", "2000000000"), b"multiplying: "), \
        (("pagerank", "--tolerance", "0", "--max-iterations", "1000000"), b"ranking: ")
    for (command, *options), what in endless:
        said = watch(1, command, "g.h5", *options, until=b"s left" if command == "pagerank" else b"%", seconds=60)
        assert what in said and b"%" in said, said
    slow = "UNWIND range(1, 5000000) AS x WITH x, reduce(s = 0, y IN range(1, 200) | s + y) AS s WHERE s < x RETURN count(*)"
    # a search for each row and number: none takes the two seconds after which a task shows progress
    short = "MATCH (a) WHERE id(a) >= 0 WITH a MATCH (a)-->(b) WITH a, [x IN range(1, 30) | EXISTS { (b)-->(c) WHERE id(c) = x }] AS l RETURN l"
    for query, what in (slow, b"clause 2 of 3, rows so far: "), (short, b"clause 4 of 5, rows so far: "):
        assert what in watch(1, "match", "g.h5", query, "--count", until=what, seconds=60), query
    assert watch(1, "match", "g.h5", slow, "--count", "--quiet", until=b":", seconds=5) == b""
    assert watch(1, "spmv", "g.h5", "--repeat", "2000000000", "--quiet", until=b":", seconds=5) == b""


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
