"""Measures the rule that creates couples with three or more common films, on generated films.

    couples.py [--roles 1000000] [--ranks N] [--repeat N] [--output FILE] [OPTION OF transform...]

The films have about --roles roles. If this Python has h5py and NumPy, NumPy counts the couples again.
GEMP_MPI is the program. GEMP_TEST_LIMIT is the number of seconds after which a run is ended."""
import argparse
import datetime
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import SOURCE, run

ROLES_A_FILM = 5.1
RULES = os.path.join(SOURCE, "configs", "applications", "couples.rules")


def counted(path):
    """Counts the pairs of people with three or more common films in the graph file, with NumPy only."""
    try:
        import h5py
        import numpy as np
    except ImportError:
        return None
    with h5py.File(path, "r") as file:
        acts = file["edges/ACTS_IN/csc"]  # the people of each film
        begin, people = acts["indptr"][:].astype(np.int64), acts["indices"][:].astype(np.int64)
    size, found = np.diff(begin), []
    for cast in np.unique(size[size > 1]):
        films = begin[:-1][size == cast]
        rows = np.sort(people[films[:, None] + np.arange(cast)], axis=1)
        first, second = np.triu_indices(cast, 1)
        found.append((rows[:, first] * len(size) + rows[:, second]).ravel())
    _, films = np.unique(np.concatenate(found), return_counts=True)
    return int((films >= 3).sum())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--roles", type=float, default=1e6)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--output")
    arguments, options = parser.parse_known_args()
    films = int(arguments.roles / ROLES_A_FILM)
    lines = []

    def write(*cells):
        lines.append("\t".join(map(str, cells)))
        print(lines[-1], flush=True)
    write(f"# {datetime.datetime.now():%Y-%m-%d %H:%M}, {os.cpu_count()} cores, ranks {arguments.ranks}", *options)
    write("films", "people", "edges", "couples", "counted", "step s", "run s", "host MiB")
    with tempfile.TemporaryDirectory() as folder:
        graph, output = os.path.join(folder, "films.h5"), os.path.join(folder, "couples.h5")
        run(arguments.ranks, "generate", "movies", "--films", str(films), "--people", str(films * 5 // 8), "-o", graph, "-q")
        size = json.loads(run(1, "info", graph, "--json", "-").stdout)["graph"]
        known = counted(graph)
        for _ in range(arguments.repeat):
            done = json.loads(run(arguments.ranks, "transform", graph, RULES, "-o", output, "--json", "-", *options).stdout)
            rule = done["rules"][0]
            write(films, films * 5 // 8, size["edges"], rule["applied"], known, f"{rule['seconds']:.2f}",
                  f"{done['seconds']['elapsed']['max']:.2f}", done["memory"]["host"] >> 20)
    if arguments.output:
        with open(arguments.output, "w") as file:
            file.writelines(line + "\n" for line in lines)
    return known not in (None, rule["applied"])


if __name__ == "__main__":
    sys.exit(main())
