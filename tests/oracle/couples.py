"""Rules create couples and groups of three people with at least three common films. They are compared with plain
Python.

    couples.py [--full] [--ranks N] [--films N]

The films are generated. If the films of GEMP_SHARED exist, couples are created on these, too, and with --full also
the groups. Each couple and group has the number of its films, and each couple has the average of their years."""
import argparse
import collections
import itertools
import json
import os
import sys
from fractions import Fraction

for room in ("reference", "harness"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", room))
from program import SOURCE, run
from reference import SHARED, need_program, work_folder
from relational import read_table

QUESTIONS = {"couples": "MATCH (c:Couple)-[:P1]->(a), (c)-[:P2]->(b) RETURN a, b, c.films, c.year",
             "groups": "MATCH (g:Group)-[:MEMBER]->(a), (g)-[:MEMBER]->(b), (g)-[:MEMBER]->(c) "
                       "WHERE id(a) < id(b) AND id(b) < id(c) RETURN a, b, c, g.films"}
LEAST = 3


def together(vertices, edges, size):
    """Returns {people: (films, average year)}."""
    header = vertices[0]
    year = {row[0]: row[header.index("year")] for row in vertices[1:]}
    cast = collections.defaultdict(set)
    for source, target, kind, *_ in edges[1:]:
        if kind == "ACTS_IN":
            cast[target].add(int(source))
    films = often(cast, 2)
    if size == 3:  # a group counts only if each two of its people have enough common films
        beside = collections.defaultdict(set)
        for a, b in films:
            beside[a].add(b)
        films = often(cast, 3, beside)
    return {people: (len(common), average([year[film] for film in common])) for people, common in films.items()}


def often(cast, size, beside=None):
    films = collections.defaultdict(list)
    for film, people in cast.items():
        for some in itertools.combinations(sorted(people), size):
            if beside is None or (some[1] in beside[some[0]] and some[2] in beside[some[0]] and some[2] in beside[some[1]]):
                films[some].append(film)
    return {people: common for people, common in films.items() if len(common) >= LEAST}


def average(years):
    known = [Fraction(year) for year in years if year not in ("", None)]
    return float(sum(known) / len(known)) if known else None


def created(graph, rules, ranks, folder):
    output, rows = os.path.join(folder, "h.h5"), os.path.join(folder, "rows.jsonl")
    text = os.path.join(SOURCE, "configs", "applications", rules + ".rules")
    report = json.loads(run(ranks, "transform", graph, text, "-o", output, "--json", "-").stdout)["rules"][0]
    run(1, "match", output, QUESTIONS[rules], "--output", rows, "-q", "--semantics", "hom", "--lenient")
    with open(rows, encoding="utf-8") as file:
        found = [list(json.loads(line).values()) for line in file]
    return report, found


def check(name, graph, tables, rules, ranks, folder):
    size = 2 if rules == "couples" else 3
    expected = together(*tables, size)
    report, rows = created(graph, rules, ranks, folder)
    found = {tuple(row[:size]): (row[size], row[size + 1] if size == 2 else expected.get(tuple(row[:3]), (0, 0))[1]) for row in rows}
    good = report["matches"] == report["applied"] == len(rows) == len(expected) and found == expected
    print("%-24s %-8s %6d created, %6d expected, %.2f s%s" %
          (name, rules, report["applied"], len(expected), report["seconds"], "" if good else "  WRONG"), flush=True)
    return good


def shared(name, folder):
    files = [os.path.join(SHARED, "data", name, part + ".tsv.zst") for part in ("vertices", "edges")]
    if not all(map(os.path.exists, files)):
        return None
    graph = os.path.join(folder, name + ".h5")
    run(1, "import", "--vertices", files[0], "--edges", files[1], "-o", graph, "-q")
    return graph, [read_table(file) for file in files]


def made(films, folder):
    graph = os.path.join(folder, "made.h5")
    run(1, "generate", "movies", "--films", str(films), "--people", str(films // 10), "-o", graph, "-q")
    run(1, "convert", graph, "-o", os.path.join(folder, "made.tsv"), "-q")
    tables = [read_table(os.path.join(folder, "made.%s.tsv" % part)) for part in ("vertices", "edges")]
    tables[0][0] = [cell.split(":")[0] for cell in tables[0][0]]
    return graph, tables


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--films", type=int, default=600)
    arguments = parser.parse_args()
    need_program()
    folder, good = work_folder(), True
    graph, tables = made(arguments.films, folder)
    for rules in QUESTIONS:
        good &= check("made, %d films" % arguments.films, graph, tables, rules, arguments.ranks, folder)
    for name in ("movies", "movies-ttc"):
        there = shared(name, folder)
        if not there:
            print(name, "is not there")
            continue
        for rules in QUESTIONS if arguments.full else ["couples"]:
            good &= check(name, *there, rules, arguments.ranks, folder)
    return not good


if __name__ == "__main__":
    sys.exit(main())
