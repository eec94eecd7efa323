"""Compares the queries configs/applications/synonyms*.cypher and the lists of jobs/synonyms.sh with a search of all paths in
Python, on generated translations. tests/unit/disjoint_paths.py tests the numbers of disjoint paths."""
import collections
import csv
import json
import os
import subprocess
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


def listed(folder, *options, code=0):
    script = os.path.join(SOURCE, "jobs", "synonyms.sh")
    done = subprocess.run(["bash", script, f"{folder}/g.h5", *options], capture_output=True, text=True,
                          env=dict(os.environ, GEMP_PYTHON=sys.executable))
    assert done.returncode == code, done
    return done


def check_list(folder, words, neighbours, wanted):
    """wanted: by query, the cycles of each pair of words."""
    listed(folder, "--language", "EN", "-o", f"{folder}/list.tsv")
    with open(f"{folder}/list.tsv", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    assert {frozenset(row[:2]) for row in rows} == set().union(*wanted.values()), len(rows)
    key_of = {word: key for key, (lang, word) in words.items() if lang == "EN"}
    for row in rows:
        one, other = (neighbours[key_of[word]] for word in row[:2])
        numbers = [int(cell) for cell in row[2:5] + row[6:]]
        assert abs(float(row[5]) - numbers[0] / min(numbers[3:5])) < 0.001, row
        assert numbers[2] == len(one & other) and numbers[3:5] == [len(one), len(other)], row
        assert numbers[2] <= numbers[1] <= numbers[0] <= min(numbers[3:5]), row
        assert numbers[5:] == [cycles.get(frozenset(row[:2]), 0) for cycles in wanted.values()], row
    order = [tuple(-int(cell) for cell in row[2:5]) for row in rows]
    assert order == sorted(order)
    short = listed(folder, "--language", "EN", "--cycles", "5").stdout.splitlines()
    assert len(short) - 1 == len(set(wanted["synonyms"]) | set(wanted["synonyms-5"])) and short[0].endswith("\tcycles_of_5"), short
    known = {tuple(row[:10]) for row in rows}
    assert all(tuple(line.split("\t")) in known for line in short[1:])
    some = listed(folder, "--language", "EN", "--top", "3").stdout.splitlines()
    assert some[1:] == ["\t".join(row) for row in rows[:3]], some
    shares = listed(folder, "--language", "EN", "--sort", "share").stdout.splitlines()
    assert shares[1:] == ["\t".join(row) for row in sorted(rows, key=lambda row: -float(row[5]))], shares
    assert "has no words of language 'XX'; it has " in listed(folder, "-l", "XX", code=1).stderr
    return rows


def check_parallel_edges(folder):
    """The words a and b are on one cycle of four. The list warns of a second edge between a and m."""
    with open(f"{folder}/v.tsv", "w") as file:
        file.write("id\ttype\tlang\tword\na\tWord\tEN\ta\nb\tWord\tEN\tb\nm\tWord\tDE\tm\nn\tWord\tDE\tn\n")
    with open(f"{folder}/e.tsv", "w") as file:
        file.write("src\tdst\ttype\n" + "".join(f"{a}\t{b}\tTRANSLATES\n" for a, b in ("am", "ma", "mb", "bn", "na")))
    for options, warnings in (((), 1), (("--undirected", "--parallel", "merge"), 0)):
        run(1, "import", "--vertices", f"{folder}/v.tsv", "--edges", f"{folder}/e.tsv", *options, "-o", f"{folder}/g.h5", "-q")
        done = listed(folder, "--language", "EN", "--cycles", "5")
        assert done.stderr.count("has parallel edges (1)") == warnings, done.stderr
        assert done.stdout.splitlines()[1].split("\t")[:5] == ["a", "b", "2", "2", "2"], done.stdout


def main():
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        check_parallel_edges(folder)
        for seed, languages in ((1, 6), (2, 10)):
            run(1, "generate", "translations", "--pairs", "300", "--concepts", "50", "--languages", str(languages), "--seed",
                str(seed), "-o", f"{folder}/g.h5", "--quiet")
            run(1, "convert", f"{folder}/g.h5", "-o", f"{folder}/g.tsv", "--quiet")
            words, neighbours = read_graph(folder)
            wanted_of = {}
            for number, (name, lengths) in enumerate(QUERIES.items()):
                wanted = expected(words, neighbours, "EN", lengths)
                run(1 + 2 * (number % 2), "match", f"{folder}/g.h5", "--query-file",
                    os.path.join(SOURCE, "configs", "applications", name + ".cypher"), "--param", "lang=EN",
                    "--semantics", "iso", "-o", f"{folder}/rows.jsonl", "--quiet")
                with open(f"{folder}/rows.jsonl", encoding="utf-8") as file:
                    rows = [json.loads(line) for line in file]
                got = {frozenset((row["word"], row["synonym"])): row["ways"] * (row["ways"] - 1) // 2 if "ways" in row
                       else row["cycles"] for row in rows}
                assert len(got) == len(rows) and got == wanted, (seed, name, len(got), len(wanted))
                total += len(rows)
                wanted_of[name] = wanted
        longer = sum(row[2] != row[4] for row in check_list(folder, words, neighbours, wanted_of))  # of the last graph
    assert total > 50 and longer > 5, (total, longer)


main()
