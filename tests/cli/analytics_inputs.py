"""Runs bfs, sssp, pagerank and spmv on empty graphs, on files that are not graphs, and with outputs that cannot be
written. Each run gives an answer or one error that names the file, and no rank hangs."""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from analytics import Graph, rows
from program import MPIRUN, run

NEEDS = {"bfs": ("--source", "a"), "sssp": ("--source", "a", "--weight", "w"), "pagerank": (), "spmv": ("--weight", "w")}


def each(ranks=(1, 3)):
    """Yields each of the four commands with one number of ranks, which alternates."""
    for number, command in enumerate(NEEDS):
        yield command, ranks[(number + each.turn) % len(ranks)]
    each.turn += 1


each.turn = 0


def nothing():
    """Tests a graph without vertices, a graph of one vertex with a self-loop, and a graph without edges."""
    run(1, "generate", "uniform", "--vertices", "0", "--edges", "0", "--weights", "9", "-o", "none.h5", "-q")
    for command, ranks in each():
        if command in ("bfs", "sssp"):
            weight = ("--weight", "weight") if command == "sssp" else ()
            run(ranks, command, "none.h5", "--source", "0", *weight, code=2, says="none.h5 has no vertex with this key")
        else:
            run(ranks, command, "none.h5", "--verify", "-o", "n.tsv", "-q")
            assert rows("n.tsv", {"key": str, "rank": float, "y": float}) == []
    one = Graph(["a"], [("a", "a", "A", 2)]).write("one")
    wanted = {"bfs": ["a", "0", ""], "sssp": ["a", "0", ""], "pagerank": ["a", "1.0"], "spmv": ["a", "2.0"]}
    for command, ranks in each():
        done = run(ranks, command, one, *NEEDS[command], "--verify", "-o", "-")
        assert done.stdout.splitlines()[1].split("\t") == wanted[command], done.stdout
    for command, ranks in each((2, 1)):
        run(ranks, command, "bare.h5", *NEEDS[command], "--verify")  # without edges, no weight is missing


def refusals(graph):
    """Names that the graph lacks and columns that are not numeric are refused."""
    for option, value in (("--relation", "C"), ("--weight", "text"), ("--source", "z")):
        for command, ranks in each():
            if option == "--weight" and command == "bfs" or option == "--source" and command == "spmv":
                continue
            needs = list(NEEDS[command])
            if option in needs:
                del needs[needs.index(option):needs.index(option) + 2]
            run(ranks, command, graph, *needs, option, value, code=2, says=f"{option[2:]} {value}")


def damaged(graph):
    with open(graph, "rb") as file:
        data = file.read()
    with open("short.h5", "wb") as file:
        file.write(data[: len(data) // 2])
    with open("zeros.h5", "wb") as file:
        file.write(data[:2048] + bytes(len(data) - 2048))
    with open("text.h5", "w") as file:
        file.write("a\tb\n")
    for name in ("short.h5", "zeros.h5", "text.h5"):
        for command, ranks in each():
            run(ranks, command, name, *NEEDS[command], code=65, says=name)


def not_written(graph):
    os.mkdir("folder.h5")
    for command, ranks in each():
        run(ranks, command, graph, *NEEDS[command], "--into", "folder.h5", code=74, says="into folder.h5: is a folder")
    for command, ranks in each():
        run(ranks, command, graph, *NEEDS[command], "-o", "nowhere/x.tsv", code=74, says="nowhere")
    if os.geteuid():
        os.mkdir("closed", 0o555)
        for command, ranks in each():
            run(ranks, command, graph, *NEEDS[command], "--into", "closed/x.h5", code=74, says="closed/x.h5")
    with open(graph, "rb") as before:
        whole = before.read()
    if os.path.exists("/dev/full"):
        for command, ranks in each():
            launcher = [*MPIRUN, "-n", str(ranks)] if ranks > 1 else []
            with open("/dev/full", "w") as full:
                done = subprocess.run([*launcher, os.environ["GEMP_MPI"], command, graph, *NEEDS[command], "-o", "-", "-q"],
                                      stdout=full if ranks == 1 else subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      timeout=60, check=False)
            assert ranks > 1 or (done.returncode == 74 and "stdout" in done.stderr), (done.returncode, done.stderr)
    with open(graph, "rb") as after:
        assert after.read() == whole


def closed_pipe(graph):
    """The reader of the rows closes the pipe: the program prints no message and does not hang."""
    for command, ranks in each():
        launcher = [*MPIRUN, "-n", str(ranks)] if ranks > 1 else []
        ours, theirs = os.pipe()
        os.close(ours)
        with subprocess.Popen([*launcher, os.environ["GEMP_MPI"], command, graph, *NEEDS[command], "-o", "-", "-q"],
                              stdout=theirs, stderr=subprocess.PIPE) as started:
            os.close(theirs)
            started.wait(timeout=60)
            assert ranks > 1 or started.returncode == -signal.SIGPIPE, started.returncode
            assert b"error:" not in started.stderr.read()


def interrupted():
    """A signal during --into leaves the old graph or the complete new graph, and no temporary file."""
    os.mkdir("work")
    run(1, "generate", "uniform", "--vertices", "60000", "--edges", "900000", "-o", "work/g.h5", "-q")
    with open("work/g.h5", "rb") as file:
        whole = file.read()
    patient = dict(os.environ, OMPI_MCA_odls_base_sigkill_timeout="5")  # mpirun would kill ranks that are still cleaning up
    for number, (ranks, by) in enumerate(((1, signal.SIGTERM), (2, signal.SIGTERM), (1, signal.SIGINT))):
        launcher = [*MPIRUN, "-n", str(ranks)] if ranks > 1 else []
        with subprocess.Popen([*launcher, os.environ["GEMP_MPI"], "bfs", "work/g.h5", "--source", "1", "--into", "work/g.h5",
                               "--column", f"c{number}", "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=patient) as started:
            while started.poll() is None and len(os.listdir("work")) == 1:
                time.sleep(0.001)
            started.send_signal(by)
            started.wait(timeout=60)
            assert ranks > 1 or started.returncode in (0, -by), started.returncode
        assert os.listdir("work") == ["g.h5"], os.listdir("work")
        with open("work/g.h5", "rb") as file:
            now = file.read()
        if now != whole:
            run(1, "verify", "work/g.h5")
            whole = now


def main():
    seed = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 32)))
    print("seed", seed)
    bare = Graph(["a", "b"], [])
    bare.write("bare")
    nothing()
    graph = Graph(["a", "b", "c"], [("a", "b", "A", 1), ("b", "c", "B", 2)]).write("g")
    refusals(graph)
    damaged(graph)
    not_written(graph)
    closed_pipe(graph)
    interrupted()


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
