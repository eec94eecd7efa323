"""Compares the procedures gemp.pagerank, gemp.bfs, gemp.sssp and gemp.components of a query with slow searches in this
test, and with the commands of the same names, whose values must be equal, on 1 to 3 ranks."""
import json
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from analytics import check_predecessors, close, column, distances, levels, order, parents, random_graph, rows
from analytics import ranks as page_ranks
from program import run


def ask(ranks, path, texts):
    """Returns the rows of each query as lists. One run answers all queries."""
    with open("q.cypher", "w") as file:
        file.write(";\n".join(texts))
    run(ranks, "match", path, "--query-file", "q.cypher", "-q", "-o", "q.jsonl")
    answers = []
    for number in range(1, len(texts) + 1):
        with open(f"q.{number}.jsonl") as file:
            answers.append([list(json.loads(line).values()) for line in file])
    return answers


def command(ranks, path, name, kinds, *options):
    run(ranks, name, path, *options, "-o", "c.tsv", "-q")
    return rows("c.tsv", kinds)


def by_key(found):
    """Checks that rows are in the order of their keys, the first column, and returns the other columns by key."""
    keys = [row[0] for row in found]
    assert keys == sorted(keys, key=order) and len(set(keys)) == len(keys), keys
    return {row[0]: row[1] if len(row) == 2 else row[1:] for row in found}


# Each of these functions returns queries, and a function that checks their rows.

def bfs_case(graph, path, source, ranks, direction, types):
    def check(answer):
        kind, found = type(graph.keys[0]), by_key(answer)
        arcs = graph.arcs(direction, types)
        level = levels(arcs, source)
        assert {k: d for k, (d, _) in found.items()} == level  # vertices that are not reached have no row
        before = {k: p for k, (_, p) in found.items() if p is not None}
        assert before == parents(arcs, level, source)
        told = command(ranks, path, "bfs", {"key": kind, "level": int, "parent": kind}, "--source", str(source),
                       "--direction", direction, *[o for t in types for o in ("--relation", t)])
        assert column(told, "level") == level and column(told, "parent") == before

    return [f"MATCH (s) WHERE id(s) = {source!r} CALL gemp.bfs(s, {{types: {types}, direction: '{direction}'}}) "
            "YIELD node, distance, parent RETURN node, distance, parent"], check


def sssp_case(graph, path, source, ranks, direction, weight):
    def check(answer):
        kind, real, found = type(graph.keys[0]), weight == "real", by_key(answer)
        arcs = graph.arcs(direction, weight=lambda w: w / 8 if real else w)
        distance = {k: d for k, (d, _) in found.items()}
        assert distance == distances(arcs, source)
        assert all(isinstance(d, float if real else int) for d in distance.values())
        before = {k: p for k, (_, p) in found.items() if p is not None}
        check_predecessors(arcs, distance, before, source)
        told = command(ranks, path, "sssp", {"key": kind, "distance": float if real else int, "predecessor": kind},
                       "--source", str(source), "--direction", direction, "--weight", weight)
        assert column(told, "distance") == distance and column(told, "predecessor") == before

    return [f"MATCH (s) WHERE id(s) = {source!r} CALL gemp.sssp(s, {weight!r}, {{direction: '{direction}'}}) "
            "YIELD node, distance, predecessor RETURN node, distance, predecessor"], check


def pagerank_case(graph, path, source, ranks):
    """With the default settings, and with all settings."""
    def check(plain, full):
        kind, found = type(graph.keys[0]), by_key(plain)
        assert found == column(command(ranks, path, "pagerank", {"key": kind, "rank": float}), "rank")
        close(found, page_ranks(graph.keys, graph.arcs()), relative=1e-3)
        told = command(ranks, path, "pagerank", {"key": kind, "rank": float}, "--damping", "0.7", "--tolerance", "1e-12",
                       "--max-iterations", "1000", "--weight", "real", "--direction", "either", "--source", str(source),
                       "--relation", "A", "--precision", "double")
        assert by_key(full) == column(told, "rank")
        wanted = page_ranks(graph.keys, graph.arcs("either", ["A"], weight=lambda w: w / 8), 0.7, {source: 1}, weighted=True)
        close(by_key(full), wanted, relative=1e-8, absolute=1e-12)

    return ["CALL gemp.pagerank()", f"MATCH (s) WHERE id(s) = {source!r} CALL gemp.pagerank({{damping: 0.7, tolerance: 1e-12, "
            "iterations: 1000, weight: 'real', direction: 'either', sources: [s], types: 'A', precision: 'double'}) YIELD node, "
            "score RETURN node, score"], check


def components_case(graph, path, ranks):
    """In the last query all rows have the same settings, so one analysis serves them all."""
    def check(whole, part, counted, repeated):
        kind = type(graph.keys[0])
        for answer, options in ((whole, []), (part, ["--relation", "A"])):
            found, arcs = by_key(answer), graph.arcs("either", options[1:])
            assert found == {key: min(levels(arcs, key), key=order) for key in graph.keys}
            told = command(ranks, path, "components", {"key": kind, "component": kind}, *options)
            assert found == column(told, "component")
        assert counted == [[len(set(by_key(whole).values()))]] and repeated == [[len(graph.keys) ** 2]]

    return ["CALL gemp.components()", "CALL gemp.components({types: ['A']})",
            "CALL gemp.components() YIELD component RETURN count(DISTINCT component)",
            "MATCH (a) CALL gemp.components() YIELD node RETURN count(*)"], check


def rows_case(graph):
    """A search runs for each row, for each source of a list, and not for NULL. Without a weight each edge has length 1."""
    some = sorted(graph.keys, key=order)[:4]
    arcs = [(a, b, 1) for a, b, _ in graph.arcs()]
    each = [[s, k, d] for s in some for k, d in sorted(levels(arcs, s).items(), key=lambda kd: order(kd[0]))]
    match = f"MATCH (s) WHERE id(s) IN {some!r} "

    def check(bfs, sssp, listed, filtered, nothing):
        assert bfs == each and sssp == each and listed == each and nothing == [[0]]
        assert filtered == [[s, k] for s, k, d in each if d == 1]

    return [match + "CALL gemp.bfs(s) YIELD node, distance RETURN s, node, distance",
            match + "CALL gemp.sssp(s, null) YIELD node, distance RETURN s, node, distance",
            match + "WITH collect(s) + [null] AS l CALL gemp.bfs(l) YIELD source, node, distance RETURN source, node, distance",
            match + "CALL gemp.bfs(s) YIELD node AS n, distance AS d WHERE d = 1 RETURN s, n",
            "OPTIONAL MATCH (s {name: 'nobody'}) CALL gemp.bfs(s) YIELD node RETURN count(*)"], check


def check_all(graph, path, ranks, draw):
    source = draw.choice(graph.keys[:30])
    cases = [bfs_case(graph, path, source, ranks, draw.choice(["along", "against", "either"]), draw.choice([["A"], ["A", "B"]])),
             sssp_case(graph, path, source, ranks, draw.choice(["along", "either"]), draw.choice(["w", "real"])),
             pagerank_case(graph, path, source, ranks), components_case(graph, path, ranks), rows_case(graph)]
    answers = ask(ranks, path, [text for texts, _ in cases for text in texts])
    for texts, check in cases:
        check(*answers[:len(texts)])
        del answers[:len(texts)]


def check_refusals(path):
    for text, says in (
            ("CALL gemp.pagerank({damping: 1})", "query:1:1: damping must be in [0, 1); got 1"),
            ("CALL gemp.pagerank({damping: -1})", "damping of gemp.pagerank() must be 0 or more"),
            ("CALL gemp.pagerank({iterations: 0})", "iterations of gemp.pagerank() must be 1 or more"),
            ("CALL gemp.pagerank({precision: 'high'})", "must be one of 'auto', 'single', 'double'; it is 'high'"),
            ("CALL gemp.pagerank({damping: 'x'})", "damping of gemp.pagerank() must be of type"),
            ("CALL gemp.pagerank({types: ['X']})", "relation X: "),
            ("CALL gemp.pagerank({types: []})", "the list 'types' of gemp.pagerank() is empty"),
            ("CALL gemp.pagerank({types: [1]})", "'types' of gemp.pagerank() has a value of type Integer"),
            ("CALL gemp.pagerank({weight: 'text'})", "weight text: "),
            ("WITH {dampng: 1} AS m CALL gemp.pagerank(m) YIELD node RETURN node", "has no option 'dampng'"),
            ("MATCH (a) CALL gemp.sssp(a, 'z') YIELD node RETURN node", "query:1:11: weight z: no selected edges have"),
            ("MATCH (a) CALL gemp.bfs(a.name) YIELD node RETURN node", "source of gemp.bfs() must be of type"),
            ("MATCH (a) CALL gemp.bfs([1]) YIELD node RETURN node", "the source of gemp.bfs() must be of type Node")):
        run(1, "match", path, text, "-q", code=2, says=says)
    run(3, "match", path, "MATCH (a) CALL gemp.bfs(a, {types: 'X'}) YIELD node RETURN node", "-q", code=2, says="relation X: ")
    done = run(1, "match", path, "CALL gemp.pagerank({iterations: 1})", "-o", "q.tsv")
    assert "allow more iterations" in done.stderr, done.stderr


def main():
    seed = int(os.environ.get("GEMP_TEST_SEED") or random.randrange(1 << 30))
    print("seed", seed)
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for directed, key, all_ranks in ((True, lambda i: f"v{i}", (1, 3)), (False, lambda i: 7 * i - 20, (2,))):
            graph = random_graph(draw, 40, 70, directed, key)
            path = graph.write(f"g{len(all_ranks)}")
            for ranks in all_ranks:
                check_all(graph, path, ranks, draw)
        negative = random_graph(draw, 10, 20, least=-3, most=-1).write("negative")
        run(2, "match", negative, "MATCH (a) CALL gemp.sssp(a, 'w') YIELD node RETURN node", "-q", code=65, says="weight")
        check_refusals(path)


if __name__ == "__main__":
    main()
