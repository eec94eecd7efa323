"""Tests the times and the memory of a search by the parts that GEMP measured, and the figures of conditions that are tested after
the search. The expected counts come from loops over the casts."""
import csv
import itertools
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

CASTS = ("MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person), (c:Person)-[:ACTS_IN]->(m)<-[:ACTS_IN]-(d:Person) "
         "WHERE a.name CONTAINS 'Jack' RETURN m.name AS film, a.name, b.name, c.name, d.name")
SUBGRAPHS = ("--semantics", "iso", "--distinct", "orbit")
AFTER, SEARCH = ("values", "test", "select"), ("build", "copy", "run", "read_back")
WHOLE = ("read", "convert", "search", "results", *AFTER, "filter", "exchange", "check")


def rows_of(*query):
    run(1, "match", "m.h5", *query, "-o", "rows.csv", "-q")
    with open("rows.csv", newline="") as file:
        return list(csv.reader(file))[1:]


def expected():
    """Returns the embeddings of four different people of one film as (people, ids), and the ids of people named Jack."""
    casts, names = {}, {}
    for film, person, name in rows_of("MATCH (p:Person)-[:ACTS_IN]->(m:Movie) RETURN id(m), id(p), p.name"):
        casts.setdefault(film, set()).add(person)
        names[person] = name
    jacks = {person for person, name in names.items() if "Jack" in name}
    # b, c and d are interchangeable, so a match is one person and a set of three others
    tested = [(a, others) for cast in casts.values() for a in cast for others in itertools.combinations(sorted(cast - {a}), 3)]
    return tested, jacks, names


def search(ranks, *options):
    run(ranks, "match", "m.h5", CASTS, *SUBGRAPHS, *options, "-o", "rows.tsv", "--json", "report.json", "-q")
    with open("report.json") as file, open("rows.tsv") as rows:
        return json.load(file), sorted(rows)


def check_times(report, after, device):
    times, elapsed = report["times"], report["seconds"]["elapsed"]
    assert set(times) == {*WHOLE, *SEARCH}, times
    for kind in ("min", "avg", "max"):
        assert all(part[kind] >= 0 for part in times.values()), times
    for part in times.values():
        assert part["min"] <= part["avg"] * (1 + 1e-6) and part["avg"] <= part["max"] * (1 + 1e-6), times
    # Parts of different ranks are added only as means.
    assert sum(times[name]["avg"] for name in WHOLE) <= elapsed["avg"] * (1 + 1e-6), (times, elapsed)
    assert abs(sum(times[name]["avg"] for name in SEARCH) - times["search"]["avg"]) <= 1e-6, times
    for name in AFTER:
        assert (times[name]["max"] > 0) == after, (name, times)
    assert times["read"]["max"] > 0 and times["convert"]["max"] > 0 and times["results"]["max"] > 0, times
    assert times["run"]["max"] > 0 and (times["build"]["max"] > 0) == device, times


def check_residual(report, tested, jacks, names, ranks, each):
    found = report["residual"]
    assert found["tested"] == len(tested) and found["values_referred"] == len(tested), found
    assert found["kept"] == sum(a in jacks for a, _ in tested) == report["matches"], found
    people = {a for a, _ in tested}
    if each:
        assert found["values_copied"] == len(tested), found
        assert found["bytes_copied"] >= sum(len(names[a].encode()) + 8 for a, _ in tested), found
    else:  # once for each rank and round; a slow machine needs more rounds
        assert len(people) <= found["values_copied"] < len(tested) // 10, found
    if found["values_copied"] == len(people):
        # a string has a word for its begin, each round of a rank one more, and a byte may mark NULL
        rest = found["bytes_copied"] - sum(len(names[a].encode()) + 8 for a in people)
        assert 0 <= rest <= len(people) + 8 * ranks * 20, found
    assert found["host_bytes"] * ranks >= found["bytes_copied"] or not each, found


def check_launches():
    """Each launch has the size that follows from the launch before by the formulas of docs/launch-sizes.md."""
    for factor in (0.3, 0.8):
        report, _ = search(1, "--on", "device", "--attributes", "after", "--launch-factor", str(factor), "--result-buffer",
                           "5000", "--profile")
        sizes = report["launch_sizes"]
        least = min(size["planned"] for size in sizes)
        assert len(sizes) == report["launches"] > 5 and all(size["capacity"] == 5000 for size in sizes), sizes
        for last, size in zip(sizes, sizes[1:]):
            ratio = last["capacity"] / max(last["results"], 1)
            expected = last["planned"] * factor * (ratio if ratio > factor else 1)
            expected = max(least, min(expected, 0.2 * last["taken"] / last["seconds"]))
            assert abs(size["planned"] / expected - 1) < 1e-6, (last, size, expected)
            assert size["taken"] <= size["tasks"] <= size["planned"], size
        assert sum(size["taken"] for size in sizes) == report["pivots"], report


def main():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    try:
        run(1, "generate", "movies", "--films", "150", "--people", "300", "--seed", "5", "-o", "m.h5", "-q")
        tested, jacks, names = expected()
        assert 0 < sum(a in jacks for a, _ in tested) < len(tested)
        right = None
        for ranks, where in ((1, "host"), (2, "host"), (3, "host"), (8, "host"), (1, "device"), (2, "device")):
            for each in (False, True):
                options = ["--on", where, "--attributes", "after", "--attribute-copies", "each" if each else "once"]
                report, rows = search(ranks, *options, *(["--result-buffer", "500"] if where == "device" else []))
                right = right or rows
                assert rows == right and len(rows) == report["matches"] + 1, (ranks, options)
                check_times(report, True, where == "device")
                check_residual(report, tested, jacks, names, ranks, each)
                device_bytes = report["residual"]["device_bytes"]
                assert (device_bytes > 0) == (where == "device"), report["residual"]
        for where in ("host", "device"):
            report, rows = search(1, "--on", where, "--attributes", "before", "--attribute-copies", "each")
            assert rows == right
            check_times(report, False, where == "device")
            assert not any(report["residual"].values()) and report["times"]["filter"]["max"] > 0, report
            assert (report["device_memory"]["graph"] > 0) == (where == "device"), report["device_memory"]
        check_launches()
        text = run(1, "match", "m.h5", CASTS, *SUBGRAPHS, "--on", "host", "--attributes", "after", "--profile", "-o", "rows.tsv").stdout
        line = next(line for line in text.splitlines() if line.startswith("  times "))
        assert all(name.replace("_", " ") + " " in line for name in (*WHOLE, *SEARCH)), line
    finally:
        os.chdir("/")
        shutil.rmtree(folder)


main()
