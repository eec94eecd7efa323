"""Tests the field by_rank of `match`: its sums over the ranks are the figures of the whole run, whatever way the ranks obtain rows,
and with buffers so small that partial matches, rows and canonical forms take many rounds. The number of matches is compared with
a count in Python."""
import json
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

SEED = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 30)))
WAYS = {"replicas": ("--replicate", "all"), "pull": ("--replicate", "none", "--exchange", "pull", "--row-cache", "2K"),
        "push": ("--replicate", "none", "--exchange", "push", "--outbox", "3")}
SUBGRAPHS = ("--semantics", "iso", "--distinct", "orbit")
QUERY = "MATCH (a)-[]-(b)-[]-(c)-[]-(a) RETURN a, b, c"


def triangles(edges):
    near = {}
    for a, b in edges:
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    return sum(len(near[a] & near[b]) for a, b in edges) // 3


def check(folder, ranks, way, matches, *more):
    report = json.loads(run(ranks, "match", f"{folder}/g.h5", QUERY, *SUBGRAPHS, "--count", "--symmetry", "hash", "--count-by", "enumerate",
                            "--json", "-", *WAYS[way], *more).stdout)
    part = report["by_rank"]
    total = {name: sum(one[name] for one in part) for name in part[0] if part[0][name] is not None}
    assert [one["rank"] for one in part] == list(range(ranks)), part
    assert report["matches"] == total["matches"] == matches, (ranks, way, report["matches"], matches, part)
    assert total["embeddings"] == report["embeddings"] == 6 * matches, part
    assert total["partial_matches_sent"] == total["partial_matches_received"], part
    assert total["forms_sent"] == total["forms_received"], part
    assert total["launches"] == report["launches"] and total["pivots"] == report["pivots"], (part, report["pivots"])
    assert (total["partial_matches_sent"] > 0) == (way == "push" and ranks > 1), part
    assert total["rows_fetched"] == report["exchange"].get("rows_fetched", 0), part
    assert (total["rows_fetched"] > 0) == (way == "pull" and ranks > 1), part
    if report["distinct_passes"] > 1:
        assert all(one["duplicates_removed"] is None for one in part), part
    else:
        assert total["duplicates_removed"] == 5 * matches, part
        assert all(one["duplicates_removed"] >= 0 for one in part), part
    assert ("reads" in part[0]) == ("--profile" in more), part
    assert "--profile" not in more or total["reads"] == report["entries_read"] + report["lookups"] > 0, part
    return report


def main():
    print(f"seed {SEED} (GEMP_TEST_SEED={SEED} repeats this)")
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        edges = {tuple(sorted(rng.sample(range(60), 2))) for _ in range(400)}
        with open(f"{folder}/edges.tsv", "w") as file:
            file.write("src\tdst\n" + "".join(f"{a}\t{b}\n" for a, b in edges))
        run(1, "import", "--undirected", "--edges", f"{folder}/edges.tsv", "-o", f"{folder}/g.h5", "-q")
        matches = triangles(edges)
        check(folder, 1, "pull", matches, "--on", "device")
        check(folder, 3, "replicas", matches, "--on", "device")
        check(folder, 3, "replicas", matches, "--on", "host")
        check(folder, 4, "pull", matches, "--on", "device")
        for ranks in (2, 8):
            check(folder, ranks, "push", matches, "--on", "device", "--profile")
        report = check(folder, 3, "push", matches, "--on", "device", "--profile", "--host-memory", "1K")
        assert report["distinct_passes"] > 1, report["distinct_passes"]


if __name__ == "__main__":
    main()
