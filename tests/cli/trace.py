"""Tests --trace: the spans of every rank are complete and nested in their lanes, devices worked as long as the report
says, and rows of the next round are fetched while a kernel runs."""
import collections
import json
import os
import shutil
import socket
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

LANES = ["host", "exchange", "ranks", "output", "download", "wire", "upload", "device"]
ENUMERATE = ["--count-by", "enumerate", "-q"]
PULL = ["--exchange", "pull", "--replicate", "none"]

Span = collections.namedtuple("Span", "begin end name")


def read(path, ranks):
    """Returns spans by (rank, lane), in the order of the file, in nanoseconds."""
    with open(path) as file:
        trace = json.load(file)
    assert trace["otherData"]["ranks"] == ranks and trace["otherData"]["dropped"] == 0
    lanes, names = collections.defaultdict(list), {}
    for event in trace["traceEvents"]:
        place = event["pid"], event["tid"]
        assert 0 <= place[0] < ranks
        if event["ph"] == "M":
            names[place[0] if event["name"] == "process_name" else place, event["name"]] = event["args"]
            continue
        assert set(event) == {"ph", "pid", "tid", "ts", "dur", "name"} and event["ph"] == "X"
        assert event["ts"] >= 0 and event["dur"] >= 0
        begin, took = round(1000 * event["ts"]), round(1000 * event["dur"])
        lanes[place[0], names[place, "thread_name"]["name"]].append(Span(begin, begin + took, event["name"]))
    for rank in range(ranks):
        assert names[rank, "process_name"]["name"] == f"rank {rank} {socket.gethostname()}"
    assert {lane for _, lane in lanes} <= set(LANES)
    return lanes


def check_nested(lanes):
    for (rank, lane), spans in lanes.items():
        above = []
        for span in spans:
            while above and above[-1].end <= span.begin:
                above.pop()
            assert not above or (span.end <= above[-1].end and lane != "device"), (rank, lane, above[-1], span)
            above.append(span)


def overlap(some, others):
    return sum(max(0, min(a.end, b.end) - max(a.begin, b.begin)) for a in some for b in others)


def traced(ranks, *arguments):
    """Runs a command with --trace and compares the lanes with the report."""
    run(ranks, *arguments, "--trace", "trace.json", "--json", "report.json")
    with open("report.json") as file:
        report = json.load(file)
    lanes = read("trace.json", ranks)
    check_nested(lanes)
    assert report["trace"] == {"file": "trace.json", "spans": sum(map(len, lanes.values())), "dropped": 0}
    last = max(span.end for spans in lanes.values() for span in spans)
    assert last <= 1e9 * report["seconds"]["elapsed"]["max"] + 1e9
    for part in report["overlap"].values():
        assert 0 <= part["hidden"] <= part["seconds"] + 1e-9
    return lanes, report


def check_kernels(lanes, report, ranks):
    kernels = [span for rank in range(ranks) for span in lanes[rank, "device"] if span.name in ("match", "nested")]
    seconds, said = sum(span.end - span.begin for span in kernels) / 1e9, ranks * report["seconds"]["kernel"]["avg"]
    assert len(kernels) == report["launches"] and abs(seconds - said) <= 0.01 * said + 1e-6, (seconds, said)


def check_pull(ranks):
    """Some rows are fetched while a kernel runs. A single rank fetches nothing."""
    lanes, report = traced(ranks, "match", "g.h5", "--pattern", "cycle:4", "--count", *ENUMERATE, *PULL, "--row-cache", "64K")
    check_kernels(lanes, report, ranks)
    assert report["exchange"]["pull_rounds"] > 3
    beside = 0
    for rank in range(ranks):
        pulls = [span for span in lanes[rank, "host"] if span.name == "pull"]
        assert len(pulls) == report["exchange"]["pull_rounds"]
        beside += overlap(pulls, lanes[rank, "device"])
        assert ranks == 1 or any(span.name == "exchange" for span in lanes[rank, "exchange"])
    assert ranks == 1 or beside > 0, "no round was fetched while a kernel ran"
    assert ranks == 1 or report["overlap"]["host"]["hidden"] > 0


def check_push():
    lanes, report = traced(3, "match", "g.h5", "--pattern", "triangle", *ENUMERATE, "--exchange", "push", "--replicate", "none",
                           "-o", "rows.tsv")
    check_kernels(lanes, report, 3)
    for rank in range(3):
        names = collections.Counter(span.name for lane in LANES for span in lanes[rank, lane])
        assert {"read", "convert", "build", "match", "exchange", "agree", "deliver", "turn", "write"} <= set(names), names
        assert names["exchange"] >= report["exchange"]["rounds"]


def check_one_rank():
    lanes, report = traced(1, "match", "g.h5", "--pattern", "cycle:4", "--count", "--on", "device", *ENUMERATE)
    check_kernels(lanes, report, 1)
    sums = ["match", "g.h5", "--pattern", "house", "--count", "-q", "--on", "device"]
    lanes, report = traced(1, *sums)
    assert lanes[0, "device"] and lanes[0, "host"][0].name == "start"
    start = lanes[0, "host"][0]
    assert start.begin == 0 and abs(start.end / 1e9 - report["seconds"]["start"]["max"]) < 1e-3
    run(1, "import", "e.tsv", "-o", "h.h5", "-q", "--trace", "import.json")
    lanes = read("import.json", 1)
    check_nested(lanes)
    assert not lanes[0, "device"] and any(span.name == "write" for span in lanes[0, "output"])


def check_refusals():
    for ranks in 1, 3:
        done = run(ranks, "match", "g.h5", "--pattern", "triangle", "--trace", "nowhere/t.json", code=74,
                   says="--trace nowhere/t.json: cannot write to folder nowhere/")
        assert done.stdout == "" and done.stderr.count("\n") == 1, done
    run(1, "info", "g.h5", "--trace", "-", code=2, says="name a file")
    run(1, "info", "g.h5", "--trace", "./g.h5", code=2, says="--trace ./g.h5 is also the file of an argument")
    run(2, "match", "g.h5", "--pattern", "triangle", "--json", "t.json", "--trace", "t.json", code=2, says="--trace t.json is also the file of --json")
    run(1, "match", "g.h5", "--pattern", "triangle", "-o", "t.tsv", "--json", "t.tsv", code=2, says="--json t.tsv is also the file of --output")
    run(1, "match", "g.h5", "--pattern", "triangle", "-o", "./g.h5", code=2, says="--output ./g.h5 is also the file of an argument")
    with open("r.rules", "w") as file:
        file.write("rule r { MATCH (a) SET a.x = 1 }\n")
    for path in "g.h5", "r.rules":
        before = open(path, "rb").read()
        run(1, "transform", "g.h5", "r.rules", "-o", "changed.h5", "--changes", path, code=2,
            says=f"--changes {path} is also the file of an argument")
        assert open(path, "rb").read() == before and not os.path.exists("changed.h5")
    run(1, "partition", "g.h5", "-k", "2", "-o", "g.h5", code=2, says="--output g.h5 is also the file of an argument")
    assert not [name for name in os.listdir(".") if ".tmp" in name]


def main():
    folder = tempfile.mkdtemp()
    try:
        os.chdir(folder)
        run(1, "generate", "rmat", "--scale", "11", "--seed", "3", "-q", "-o", "g.h5")
        with open("e.tsv", "w") as file:
            file.write("src\tdst\na\tb\nb\tc\n")
        check_one_rank()
        check_pull(1)
        check_pull(3)
        check_push()
        check_refusals()
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    print("all passed")


main()
