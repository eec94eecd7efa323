"""bench analytics: every application by every method gives the engine's answer, in one part and in several; a wrong kernel is
detected; rounds are those of a search in this test; bad options are refused."""
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import SOURCE, attempt, run

APPLICATIONS, METHODS = ["pagerank", "bfs", "sssp", "spmv"], ["decode", "polling", "converge", "atomic"]


def bench(path, *options):
    run(1, "bench", "analytics", path, "--repeat", "1", "--seconds", "60", *options, "--json", "report.json", "-q")
    with open("report.json") as file:
        return json.load(file)["analytics"]


def row(rows, application, method):
    return next(r for r in rows if r["application"] == application and r["method"] == method)


def check_figures(rows, edges):
    for r in rows:
        round_ = r["seconds"] / r["iterations"]
        assert abs(r["seconds_per_iteration"] / round_ - 1) < 1e-6 and r["complete"], r
        assert abs(r["edges_per_second"] * round_ / edges - 1) < 1e-6, r
        decode = row(rows, r["application"], "decode")["seconds_per_iteration"]
        assert abs(r["times_decode"] * decode / r["seconds_per_iteration"] - 1) < 1e-6, r
        if r["method"] != "engine":
            assert 0 <= r["difference"] < 1e-3 and (r["difference"] == 0 or r["application"] in ("pagerank", "spmv")), r
            assert abs(sum(r["stages"].values()) / r["device_seconds"] - 1) < 1e-6, r
            assert (r["stages"]["gather"] > 0) == (r["method"] == "decode"), r


def all_methods():
    """A graph with loops, parallel edges, weights and vertices without edges."""
    run(1, "generate", "rmat", "--scale", "9", "--directed", "1", "--weights", "50", "-o", "rmat.h5")
    rows = bench("rmat.h5", "--weight", "weight", "--iterations", "4")
    assert [(r["application"], r["method"]) for r in rows] == [(a, m) for a in APPLICATIONS for m in [*METHODS, "engine"]]
    run(1, "info", "rmat.h5", "--json", "info.json")
    with open("info.json") as file:
        check_figures(rows, json.load(file)["graph"]["edges"])
    assert row(rows, "pagerank", "decode")["iterations"] == row(rows, "spmv", "atomic")["iterations"] == 4


def levels():
    """A path of 40 edges with a shorter, heavier way: bfs takes a round a level and one that changes nothing. An undirected
    edge is followed both ways."""
    with open("path.tsv", "w") as file:
        file.write("src\tdst\tlength\n" + "".join(f"{v}\t{v + 1}\t1\n" for v in range(40)) + "0\t39\t30\n99\t99\t1\n")
    run(1, "import", "--edges", "path.tsv", "-o", "path.h5")
    options = ["--application", "bfs", "--source", "3", "--method", "decode"]
    assert row(bench("path.h5", *options), "bfs", "decode")["iterations"] == 37 + 1
    options[1:4] = ["sssp", "--source", "0"]
    assert row(bench("path.h5", *options, "--weight", "length"), "sssp", "decode")["iterations"] == 38 + 1
    run(1, "import", "--edges", "path.tsv", "--undirected", "-o", "both.h5")
    assert row(bench("both.h5", "--application", "bfs", "--source", "40"), "bfs", "atomic")["iterations"] == 21 + 1


def parts():
    """With two ranges of at most 8192 destinations, 32768 vertices are streamed in two parts. The last method is tables,
    which exists on CPU devices."""
    run(1, "generate", "rmat", "--scale", "15", "--edge-factor", "2", "--directed", "1", "-o", "wide.h5")
    rows = bench("wide.h5", "--application", "pagerank", "--ranges", "2", "--iterations", "2")
    assert all(r["complete"] and r["parts"] == 2 and r["ranges"] == 4 for r in rows) and len(rows) == 5
    rows = bench("wide.h5", "--application", "bfs", "--ranges", "2", "--method", "polling")
    assert rows[0]["iterations"] > 3 and rows[0]["times_decode"] is None
    gpu = "GPU" in run(1, "devices").stdout
    done = attempt(1, "bench", "analytics", "wide.h5", "--method", "tables", "--application", "spmv", "--repeat", "1")
    assert done.returncode == (2 if gpu else 0), done.stderr


def cut_off():
    """A limit that no round meets ends each first run after one round, which is checked as far as it went."""
    for application in ("pagerank", "bfs", "sssp"):
        run(1, "bench", "analytics", "rmat.h5", "--weight", "weight", "--application", application, "--method", "decode",
            "--seconds", "1e-9", "--json", "report.json", "-q")
        with open("report.json") as file:
            rows = json.load(file)["analytics"]
        assert row(rows, application, "decode")["iterations"] == 1 and not rows[0]["complete"], rows


def wrong_kernels():
    """The comparison with the engine must detect wrong sums and wrong steps."""
    for before, after, application in [("add_sat(value[source[i]], 1u)", "add_sat(value[source[i]], 2u)", "bfs"),
                                       ("lost += degree[v] ? 0 : rank", "lost += 0", "pagerank"),
                                       ("as_float(weight[i]))", "(as_float(weight[i]) + 1))", "spmv"),
                                       ("value[source[i]], weight[i]", "value[source[i]], weight[i] + 1", "sssp")]:
        shutil.copytree(os.path.join(SOURCE, "kernels"), "kernels", dirs_exist_ok=True)
        with open("kernels/bench/stream.cl") as file:
            text = file.read()
        assert before in text, before
        with open("kernels/bench/stream.cl", "w") as file:
            file.write(text.replace(before, after))
        os.environ["GEMP_KERNEL_DIR"] = "kernels"
        run(1, "bench", "analytics", "rmat.h5", "--weight", "weight", "--application", application, "--method", "decode",
            "--repeat", "1", code=70, says=f"{application} by streaming")
        del os.environ["GEMP_KERNEL_DIR"]


def small_graphs():
    """One vertex with a loop; one edge."""
    for edges, application in [("1\t1\n", "all"), ("1\t2\n", "bfs")]:
        with open("small.tsv", "w") as file:
            file.write("src\tdst\n" + edges)
        run(1, "import", "--edges", "small.tsv", "-o", "small.h5")
        assert len(bench("small.h5", "--application", application)) == (20 if application == "all" else 5)


def refusals():
    def refused(*options, code=2, ranks=1, says):
        run(ranks, "bench", "analytics", "rmat.h5", *options, code=code, says=says)
    refused(ranks=2, says="start one rank")
    refused("--source", "no", says="no")
    refused("--weight", "size", says="size")
    refused("--ranges", "2,4", says="takes one number")
    refused("--application", "euler", says="all|pagerank|bfs|sssp|spmv")
    run(1, "bench", "analytics", code=2, says="analytics G.h5")
    run(1, "bench", "analytics", "none.h5", code=66, says="none.h5")
    with open("real.tsv", "w") as file:
        file.write("src\tdst\tlength\n1\t2\t1.5\n")
    run(1, "import", "--edges", "real.tsv", "-o", "real.h5")
    run(1, "bench", "analytics", "real.h5", "--application", "sssp", "--weight", "length", code=2, says="whole weights")
    with open("far.tsv", "w") as file:
        file.write("src\tdst\tlength\n1\t2\t4000000000\n2\t3\t4000000000\n")
    run(1, "import", "--edges", "far.tsv", "-o", "far.h5")
    run(1, "bench", "analytics", "far.h5", "--application", "sssp", "--weight", "length", "--source", "1", code=2,
        says="does not fit into a tuple")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for test in (all_methods, levels, parts, cut_off, wrong_kernels, small_graphs, refusals):
        test()
