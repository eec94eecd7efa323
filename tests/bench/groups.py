"""Measures groups of matches: pairs of people with a common film, by people and by attributes, on generated films.

    groups.py [--roles 10000000] [--ranks N] [--repeat 2] [OPTION OF match...]

The films have about --roles roles. Each query runs --repeat times in one process. GEMP_MPI is the program;
GEMP_DEVICE_GROUPS=off measures the same without groups on devices."""
import argparse
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

ROLES_A_FILM = 5.1
PAIRS = "MATCH (a)-[:ACTS_IN]->(m)<-[:ACTS_IN]-(b) "
QUERIES = (
    PAIRS + "RETURN a, b, count(*) AS n ORDER BY n DESC LIMIT 10",
    PAIRS + "WITH a, b, count(m) AS n, avg(m.year) AS y WHERE n >= 6 RETURN a, b, n, y",
    PAIRS + "RETURN m.year, count(*) AS n ORDER BY n DESC LIMIT 10",
    PAIRS + "RETURN a.born, m.year, count(*) AS n, avg(m.year) AS y ORDER BY n DESC LIMIT 100",
)
PHASES = ("convert", "upload", "kernel", "launch", "distinct", "deliver", "attributes", "elapsed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--roles", type=float, default=1e7)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=2)
    arguments, options = parser.parse_known_args()
    films = int(arguments.roles / ROLES_A_FILM)
    with tempfile.TemporaryDirectory() as folder:
        graph, text, report = f"{folder}/films.h5", f"{folder}/queries.cypher", f"{folder}/report.json"
        run(arguments.ranks, "generate", "movies", "--films", str(films), "--people", str(films * 5 // 8), "-o", graph, "-q")
        with open(text, "w") as file:
            file.writelines(query + ";\n" for query in QUERIES for _ in range(arguments.repeat))
        run(arguments.ranks, "match", graph, "--query-file", text, "--json", report, *options)
        with open(report) as file:
            queries = json.load(file)["queries"]
    print("matches", "groups", *PHASES, "query", sep="\t")
    for query in queries:
        seconds = (f"{query['seconds'][phase]['max']:.3f}" for phase in PHASES)
        print(query["embeddings"], query["groups_of_devices"], *seconds, query["query"], sep="\t")


if __name__ == "__main__":
    main()
