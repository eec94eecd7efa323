"""Runs the examples of the help of bfs, sssp, pagerank and spmv, and those of docs/analytics.md."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import SOURCE, run

COMMANDS = ("bfs", "sssp", "pagerank", "spmv")


def examples_of(command):
    lines = run(1, "help", command).stdout.splitlines()
    begin = lines.index("Examples:") + 1
    found = [line.strip() for line in lines[begin:lines.index("", begin)]]
    return [line for line in found if not line.startswith("#")]


def examples_of_docs():
    """Returns the commands of the code blocks that show no output."""
    with open(os.path.join(SOURCE, "docs", "analytics.md")) as file:
        blocks = re.findall(r"```\n(.*?)```", file.read(), re.DOTALL)
    blocks = [block.splitlines() for block in blocks]
    return [line[2:] for lines in blocks if all(line.startswith("$ ") for line in lines) for line in lines]


def write_graphs():
    """Makes the graphs of the examples: social, citations and web with numbers as keys, roads with towns and lengths in
    km, flows with litres and prices of vertices."""
    for name in ("social", "citations", "web"):
        run(1, "generate", "uniform", "--vertices", "300", "--edges", "2000", "-o", name + ".h5", "-q")
    with open("roads.tsv", "w") as file:
        file.write("source\ttarget\tkm\nJena\tWeimar\t24.5\nWeimar\tErfurt\t25\nErfurt\tJena\t50\n")
    run(1, "import", "roads.tsv", "-o", "roads.h5", "-q")
    with open("flows.v.tsv", "w") as file:
        file.write("id\tprice\na\t1.5\nb\t2\nc\t0\n")
    with open("flows.tsv", "w") as file:
        file.write("source\ttarget\tlitres\na\tb\t3\nb\tc\t4\na\tc\t2\n")
    run(1, "import", "--vertices", "flows.v.tsv", "flows.tsv", "-o", "flows.h5", "-q")


def main():
    os.mkdir("bin")
    os.symlink(os.environ["GEMP_MPI"], "bin/gemp-mpi")
    environment = dict(os.environ, PATH=f"{os.getcwd()}/bin:{os.environ['PATH']}", OMPI_MCA_rmaps_base_oversubscribe="1")
    write_graphs()
    examples = {command: examples_of(command) for command in COMMANDS} | {"docs": examples_of_docs()}
    for place, lines in examples.items():
        assert len(lines) >= 2, (place, lines)
        for line in lines:
            done = subprocess.run(["timeout", "-k", "10", "100", "sh", "-c", line], env=environment, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, check=False)
            assert done.returncode == 0, (place, line, done.stderr)
    print(sum(map(len, examples.values())), "examples")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
