"""Measures the repairs of the Train Benchmark. Each rule is applied to the faulty model until it no longer applies, and
then its query runs again.

    repairs.py [--sizes 1,16,512] [--routes N,...] [--faults X] [--ranks N] [--repeat N] [--output FILE] [OPTION OF transform...]

--sizes are sizes of GEMP_SHARED/data/railway. --routes are numbers of routes of generated railways; 2560 routes make
about a railway of size 512. GEMP_MPI is the program, and GEMP_TEST_LIMIT the number of seconds after which a run is
ended. Seconds are those of the fastest run. `batch` is the first step, in which all matches are found and repaired;
the other columns have the average of the later steps and the whole run."""
import argparse
import datetime
import json
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
from repairs import RULES, generated, imported, known_counts, matches, repaired

HEADER = ("model", "vertices", "edges", "rule", "matches", "applied", "steps", "batch s", "step s", "run s", "left")


def timed(graph, name, folder, arguments, options):
    best = None
    for _ in range(arguments.repeat):
        began = time.monotonic()
        output, report = repaired(graph, [name], folder, arguments.ranks, *options)
        steps = [step["seconds"] for step in report["explain"]]
        if best is None or sum(steps) < sum(best[1]):
            best = report["rules"][0], steps, time.monotonic() - began
    return output, *best


def measure(model, graph, known, folder, arguments, options, write):
    before = matches(graph, folder, arguments.ranks)
    size = count(graph)
    for name in RULES:
        output, rule, steps, whole = timed(graph, name, folder, arguments, options)
        left = matches(output, folder, arguments.ranks)[name]
        later = f"{sum(steps[1:]) / len(steps[1:]):.4f}" if steps[1:] else "-"
        write(model, *size, name, before[name], rule["applied"], rule["steps"], f"{steps[0]:.4f}", later, f"{whole:.2f}", left)
        if left or known.get((model, name), before[name]) != before[name]:
            write(f"WRONG: {left} matches left, {known.get((model, name))} known")


def count(graph):
    from program import run
    told = json.loads(run(1, "info", graph, "--json", "-").stdout)["graph"]
    return told["vertices"], told["edges"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="1,16,512")
    parser.add_argument("--routes", default="80,2560")
    parser.add_argument("--faults", default="0.05")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--output")
    arguments, options = parser.parse_known_args()
    lines = []

    def write(*cells):
        lines.append("\t".join(map(str, cells)))
        print(lines[-1], flush=True)

    write(f"# {datetime.datetime.now():%Y-%m-%d %H:%M}, {os.cpu_count()} cores, ranks {arguments.ranks}, best of",
          arguments.repeat, *options)
    write(*HEADER)
    with tempfile.TemporaryDirectory() as folder:
        for size in filter(None, arguments.sizes.split(",")):
            graph = imported(size, folder)
            if graph:
                measure(size, graph, known_counts(), folder, arguments, options, write)
        for routes in filter(None, arguments.routes.split(",")):
            graph = generated(routes, folder, "--faults", arguments.faults)
            measure(f"{routes} routes", graph, {}, folder, arguments, options, write)
    if arguments.output:
        with open(arguments.output, "w") as file:
            file.writelines(line + "\n" for line in lines)
    return any("WRONG" in line for line in lines)


if __name__ == "__main__":
    sys.exit(main())
