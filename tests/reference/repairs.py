"""The repairs of the Train Benchmark: each rule of configs/train-benchmark is applied until it no longer applies, and
then its query runs again."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import SOURCE, run

# In this order no rule creates matches of an earlier rule.
RULES = ["PosLength", "SwitchSensor", "RouteSensor", "SemaphoreNeighbor", "SwitchSet", "ConnectedSegments"]
SHARED = os.environ.get("GEMP_SHARED", os.path.join(SOURCE, "..", "shared"))


def read(name, kind):
    with open(os.path.join(SOURCE, "configs", "train-benchmark", f"{name}.{kind}")) as file:
        return file.read()


def imported(size, folder):
    """Imports a railway of GEMP_SHARED. Returns None if it is missing."""
    files = [os.path.join(SHARED, "data", "railway", f"size{size}", f"{part}.tsv.zst") for part in ("vertices", "edges")]
    if not all(map(os.path.exists, files)):
        return None
    graph = os.path.join(folder, f"size{size}.h5")
    run(1, "import", "--vertices", files[0], "--edges", files[1], "-o", graph, "-q")
    return graph


def generated(routes, folder, *options):
    graph = os.path.join(folder, f"routes{routes}.h5")
    run(1, "generate", "railway", "--routes", str(routes), "-o", graph, "-q", *options)
    return graph


def known_counts():
    """Returns {(size, query): count} on which several systems agree."""
    path = os.path.join(SHARED, "oracles", "railway.tsv")
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        header, *rows = [line.split() for line in file]
    return {(row[0], name): int(count) for row in rows for name, count in zip(header[1:], row[1:])}


def matches(graph, folder, ranks=1):
    """Returns {query: number of matches} from one run of the program."""
    path = os.path.join(folder, "questions.cypher")
    with open(path, "w") as file:
        file.writelines(read(name, "cypher") + ";\n" for name in RULES)
    done = run(ranks, "match", graph, "--query-file", path, "--semantics", "hom", "--distinct", "none", "--count", "--json", "-")
    return {name: one["matches"] for name, one in zip(RULES, json.loads(done.stdout)["queries"])}


def repaired(graph, names, folder, ranks, *options):
    """Applies these rules in this order. Returns (graph, report)."""
    path, output = os.path.join(folder, "repair.rules"), os.path.join(folder, f"repaired{ranks}.h5")
    with open(path, "w") as file:
        file.writelines(read(name, "rules") for name in names)
    done = run(ranks, "transform", graph, path, "-o", output, "--semantics", "hom", "--explain", "--json", "-", *options)
    return output, json.loads(done.stdout)
