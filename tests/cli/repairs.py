"""Repairs of the Train Benchmark on railways: there are as many changes as the queries have matches, and no match
remains."""
import collections
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
from repairs import RULES, generated, imported, known_counts, matches, repaired
from program import run

ONE_EACH = ("PosLength", "SwitchSensor", "RouteSensor", "SwitchSet")  # a change removes exactly one match and creates no match
CHANGES = {"PosLength": {"set vertex": 1}, "SwitchSensor": {"create vertex": 1, "create edge": 1}, "RouteSensor": {"create edge": 1},
           "SemaphoreNeighbor": {"create edge": 1}, "SwitchSet": {"set vertex": 1}}  # changes for each match
FAULTS = []


def equal(what, value, expected):
    if value != expected:
        FAULTS.append(f"{what}: {value}, not {expected}")


def check_log(graph, log, applied):
    """The log has a line for each change."""
    found, rule = {name: collections.Counter() for name in RULES}, None
    with open(log) as file:
        for line in map(json.loads, file):
            rule = line.get("rule", rule)
            if "change" in line:
                found[rule][line["change"]] += 1
    for name, each in CHANGES.items():
        equal(f"{graph}, log of {name}", found[name], {k: n * applied[name] for k, n in each.items() if applied[name]})
    segments = found["ConnectedSegments"]
    equal(f"{graph}, segments", (segments["delete vertex"], segments["create edge"]), (applied["ConnectedSegments"],) * 2)


def check_together(graph, before, folder):
    files = []
    log = os.path.join(folder, "changes.jsonl")
    for ranks in (1, 3):
        output, report = repaired(graph, RULES, folder, ranks, "--changes", log)
        files.append(open(output, "rb").read())
    check_log(graph, log, {rule["rule"]: rule["applied"] for rule in report["rules"]})
    equal(f"{graph}: 1 and 3 ranks give one file", files[0] == files[1], True)
    equal(f"{graph}, matches left", matches(output, folder), dict.fromkeys(RULES, 0))
    for rule in report["rules"]:
        equal(f"{rule}: applied and conflicts", rule["applied"] + rule["conflicts"], rule["matches"])
        if rule["rule"] in ("PosLength", "SwitchSensor"):
            equal(f"{graph}, changes by {rule['rule']}", rule["applied"], before[rule["rule"]])


def check_alone(graph, before, folder):
    for name in RULES:
        _, report = repaired(graph, [name], folder, 1)
        steps, rule = report["explain"], report["rules"][0]
        equal(f"{graph}, {name}: matches", (steps[0]["matches"], steps[-1]["matches"]), (before[name], 0))
        if name in ONE_EACH:
            equal(f"{graph}, {name}: changes", rule["applied"], before[name])


def main():
    with tempfile.TemporaryDirectory() as folder:
        made = generated(12, folder, "--faults", "0.15", "--switches", "4", "--sensors", "3", "--seed", "3")
        before = matches(made, folder)
        equal(f"{made} has faults of all kinds", all(before.values()), True)
        check_together(made, before, folder)
        real = imported(1, folder)
        if real:
            before, known = matches(real, folder, 2), known_counts()
            equal("known counts", {n: known.get(("1", n), before[n]) for n in RULES}, before)
            check_alone(real, before, folder)
            check_together(real, before, folder)
        sound = generated(5, folder, "--faults", "0")
        equal("matches without faults", matches(sound, folder), dict.fromkeys(RULES, 0))
        run(1, "generate", "railway", "--faults", "1.5", "-o", sound, code=2, says="between 0 and 1")
    for line in FAULTS:
        print(line, file=sys.stderr)
    print(f"{len(FAULTS)} faults; railway of size 1 {'repaired' if real else 'is not there'}")
    return 1 if FAULTS else 0


if __name__ == "__main__":
    sys.exit(main())
