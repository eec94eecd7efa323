"""Compares the queries configs/applications/synonyms*.cypher with a search of all paths in Python, on generated translations."""
import collections
import csv
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import SOURCE, run  # noqa: E402 (the path above is needed)

QUERIES = {"synonyms": (2, 2), "synonyms-5": (2, 3), "synonyms-6": (3, 3), "synonyms-6-near": (2, 4)}


def read_graph(folder):
    with open(f"{folder}/g.vertices.tsv", encoding="utf-8", newline="") as file:
        words = {row["id"]: (row["lang:string"], row["word:string"]) for row in csv.DictReader(file, delimiter="\t")}
    neighbours = collections.defaultdict(set)
    with open(f"{folder}/g.edges.tsv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            neighbours[row["src"]].add(row["dst"])
            neighbours[row["dst"]].add(row["src"])
    return words, neighbours


def paths_from(neighbours, path, edges):
    if edges == 0:
        yield path
    else:
        for vertex in neighbours[path[-1]] - set(path):
            yield from paths_from(neighbours, path + [vertex], edges - 1)


def expected(words, neighbours, lang, lengths):
    """Counts the pairs of paths of these lengths that have only their ends in common, for each two words of the language."""
    found = collections.Counter()
    for start in (vertex for vertex in neighbours if words[vertex][0] == lang):
        inner = [collections.defaultdict(list) for _ in lengths]
        for to, edges in zip(inner, lengths):
            for path in paths_from(neighbours, [start], edges):
                if words[path[-1]][0] == lang:
                    to[path[-1]].append(frozenset(path[1:-1]))
        for end, first in inner[0].items():
            pairs = sum(not one & other for one in first for other in inner[1][end])
            pairs //= 2 if lengths[0] == lengths[1] else 1
            if pairs:
                found[frozenset((words[start][1], words[end][1]))] += pairs
    assert all(count % 2 == 0 for count in found.values())
    return {pair: count // 2 for pair, count in found.items()}  # each pair was found from both of its words


def main():
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed, languages in ((1, 6), (2, 10)):
            run(1, "generate", "translations", "--pairs", "300", "--concepts", "50", "--languages", str(languages), "--seed",
                str(seed), "-o", f"{folder}/g.h5", "--quiet")
            run(1, "convert", f"{folder}/g.h5", "-o", f"{folder}/g.tsv", "--quiet")
            words, neighbours = read_graph(folder)
            for number, (name, lengths) in enumerate(QUERIES.items()):
                wanted = expected(words, neighbours, "EN", lengths)
                run(1 + 2 * (number % 2), "match", f"{folder}/g.h5", "--query-file",
                    os.path.join(SOURCE, "configs", "applications", name + ".cypher"), "--param", "lang=EN", "-o",
                    f"{folder}/rows.jsonl", "--quiet")
                with open(f"{folder}/rows.jsonl", encoding="utf-8") as file:
                    rows = [json.loads(line) for line in file]
                got = {frozenset((row["word"], row["synonym"])): row["ways"] * (row["ways"] - 1) // 2 if "ways" in row
                       else row["cycles"] for row in rows}
                assert len(got) == len(rows) and got == wanted, (seed, name, len(got), len(wanted))
                total += len(rows)
    assert total > 50, total


main()
