"""Tests that the phases of a report add up to the elapsed time, with the start of the process, under several ranks."""
import json
import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

GENERATE = ["generate", "rmat", "--scale", "12", "--seed", "3", "-o", "g.h5"]
COMMANDS = [
    GENERATE,
    ["import", "e.tsv", "-o", "h.h5"],
    ["match", "g.h5", "--pattern", "triangle", "--count"],
    ["match", "g.h5", "--pattern", "triangle", "--count-by", "enumerate", "-o", "rows.tsv"],
    ["components", "g.h5"],
    ["bfs", "g.h5", "--source", "1"],
    ["pagerank", "g.h5"],
]


def phases(report):
    seconds = dict(report["seconds"])
    return seconds.pop("elapsed"), seconds


def check(ranks, arguments):
    began = time.monotonic()
    done = run(ranks, *arguments, "--json", "report.json")
    wall = time.monotonic() - began
    with open("report.json") as file:
        elapsed, seconds = phases(json.load(file))
    for kind in ("min", "avg", "max"):
        assert all(phase[kind] >= 0 for phase in seconds.values()), (arguments, seconds)
        assert 0 < seconds["start"][kind] < elapsed[kind] <= wall, (arguments, seconds, elapsed, wall)
        assert 0 < seconds["close"][kind] < elapsed[kind], (arguments, seconds)
    # Phases of different ranks are added only as means. Kernels may run beside other phases.
    total, beside = sum(phase["avg"] for phase in seconds.values()), seconds.get("kernel", {"avg": 0})["avg"]
    assert elapsed["avg"] * (1 - 1e-6) <= total <= 1.02 * elapsed["avg"] + beside, (ranks, arguments, seconds, elapsed)
    line = next(line for line in done.stdout.splitlines() if line.startswith("  shares "))
    shares = [int(word.split()[1]) for word in line[len("  shares "):].split(", ")]
    assert shares == sorted(shares, reverse=True) and 90 <= sum(shares) <= 105 + 100 * beside / elapsed["avg"], line


def check_several_queries():
    """The start of the process belongs to the whole report only."""
    with open("two.cypher", "w") as file:
        file.write("MATCH (a)--(b) RETURN count(*);\nMATCH (a)--(b)--(c) RETURN count(*);\n")
    run(2, "match", "g.h5", "--query-file", "two.cypher", "--json", "report.json", "-q")
    with open("report.json") as file:
        report = json.load(file)
    assert report["seconds"]["start"]["min"] > 0 and len(report["queries"]) == 2
    for query in report["queries"]:
        assert query["seconds"]["start"]["max"] == query["seconds"]["close"]["max"] == 0


def check_columns():
    """Columns and checks of analyses are in phases. Columns that nobody receives are not made."""
    for ranks in (1, 2):
        for arguments in (["--source", "1"], ["--source", "1", "--verify"], ["--source", "1", "-o", "rows.tsv"]):
            done = run(ranks, "bfs", "g.h5", *arguments, "--json", "report.json", "--trace", "trace.json")
            last = done.stdout.splitlines()[-1]
            assert last.startswith("  trace "), done.stdout
            with open("report.json") as file:
                seconds = json.load(file)["seconds"]
            with open("trace.json") as file:
                names = {event["name"] for event in json.load(file)["traceEvents"] if event["ph"] == "X"}
            assert {"start", "close"} < names and names & {"compile", "load kernels"}, names
            assert ("verify" in names) == ("--verify" in arguments), names
            assert (seconds["verify"]["max"] > 0) == ("--verify" in arguments), seconds


def main():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    try:
        with open("e.tsv", "w") as file:
            file.write("src\tdst\n" + "".join(f"{i}\t{i * 7 % 1000}\n" for i in range(1000)))
        run(1, *GENERATE, "-q")
        for ranks in (1, 2, 3, 4):
            for arguments in COMMANDS if ranks < 3 else COMMANDS[2:4]:
                check(ranks, arguments)
        check_several_queries()
        check_columns()
    finally:
        os.chdir("/")
        shutil.rmtree(folder)


main()
