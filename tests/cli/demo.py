"""Tests the demo: every rank works, what leaves one rank arrives at another, and duplicates are the embeddings that are no
matches. The number of matches follows from the casts: a film with n people has (n-1)(n-2)(n-3)/6 for each Jack."""
import json
import math
import os
import random
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

SEED = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 30)))
FILMS = ("--films", "50000", "--people", "60000")


def expected(folder, seed):
    run(1, "generate", "movies", *FILMS, "--seed", str(seed), "-o", f"{folder}/g.h5", "-q")
    run(1, "match", f"{folder}/g.h5", "MATCH (p:Person)-[:ACTS_IN]->(m:Movie) RETURN m, p.name", "-o", f"{folder}/cast.tsv", "-q")
    sizes, jacks = {}, {}
    with open(f"{folder}/cast.tsv") as rows:
        next(rows)
        for row in rows:
            film, name = row.rstrip("\n").split("\t")
            sizes[film] = sizes.get(film, 0) + 1
            jacks[film] = jacks.get(film, 0) + ("Jack" in name)
    return sum(jacks[film] * math.comb(size - 1, 3) for film, size in sizes.items())


def total(ranks, name):
    return sum(one[name] for one in ranks)


def check_pictures(text, path, part):
    """The table fits a terminal, and its numbers and those of the SVG picture are those of the report."""
    lines, full = table(text), "█" if os.environ["LC_ALL"] == "C.UTF-8" else "#"
    bars = [line.count(full) for line in lines]
    assert len(lines) == len(part) + 3 and max(map(len, lines)) <= 80, lines
    assert max(bars) == 8 and bars[0] == bars[1] == bars[-1] == 0 and min(bars[2:-1]) > 0, lines
    assert full != "#" or all(line.isascii() for line in lines), lines
    svg = xml.parse(path).getroot()
    words = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    for line, one in zip(lines[2:], part):
        shown = [f"{one[name]:,}" for name in ("pivots", "reads", "duplicates_removed")]
        assert [line.split()[i] for i in (1, 5, 7)] == shown, (line, one)
        assert {f"rank {one['rank']}", *shown} <= set(words), (one, words)


def check(ranks, seed, matches, folder):
    """Runs the demo and checks its report and its pictures. Returns the parts of the ranks."""
    files = f"{folder}/report.json", f"{folder}/ranks.svg"
    text = run(ranks, "demo", "--seed", str(seed), "--json", files[0], "--svg", files[1]).stdout
    with open(files[0]) as file:
        report = json.load(file)
    part = report["by_rank"]
    assert [one["rank"] for one in part] == list(range(ranks)), part
    assert report["matches"] == total(part, "matches") == report["default_way"]["matches"] == matches, report
    assert report["embeddings"] == total(part, "embeddings") == 6 * matches
    assert total(part, "duplicates_removed") == report["embeddings"] - matches
    assert total(part, "partial_matches_sent") == total(part, "partial_matches_received"), part
    assert total(part, "forms_sent") == total(part, "forms_received"), part
    assert total(part, "pivots") == report["pivots"] and total(part, "launches") == report["launches"]
    for one in part:
        assert one["pivots"] > 0 and one["launches"] > 0 and one["reads"] > 0, one
        assert one["duplicates_removed"] == one["embeddings"] - one["forms_sent"] + one["forms_received"] - one["matches"]
        for way in ("partial_matches_sent", "partial_matches_received", "forms_sent", "forms_received"):
            assert (one[way] > 0) == (ranks > 1), (way, one)
    check_pictures(text, files[1], part)
    return part


def short_of_memory():
    """The hashes take several passes, so nobody knows how many duplicates a pass removed, and the table does not say none."""
    text = run(1, "demo", "--seed", "1", "--host-memory", "4M").stdout
    assert table(text)[2].split()[7] == table(text)[-1].split()[7] == "?", text
    assert "duplicates: unknown" in text, text


def even(part):
    """The share of each rank is within 1.3 of the mean."""
    reads = [one["reads"] for one in part]
    assert max(reads) <= 1.3 * sum(reads) / len(reads), reads


def table(text):
    """The lines of the table of ranks."""
    lines = text.split("\n")
    begin = next(i for i, line in enumerate(lines) if line.startswith("rank "))
    end = next(i for i, line in enumerate(lines) if line.startswith(" all "))
    return lines[begin - 1:end + 1]


def main():
    print(f"seed {SEED} (GEMP_TEST_SEED={SEED} repeats this)")
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        seed = rng.randrange(1, 1 << 30)
        matches = expected(folder, seed)
        for ranks, locale in ((1, "C"), (2, "C.UTF-8"), (3, "C")):
            os.environ["LC_ALL"] = locale
            check(ranks, seed, matches, folder)
        short_of_memory()
        even(check(8, seed, matches, folder))
        even(check(8, seed + 1, expected(folder, seed + 1), folder))
        run(2, "demo", "--svg", f"{folder}/none/ranks.svg", code=74, says="none/ranks.svg")


if __name__ == "__main__":
    main()
