"""Tests queries that run clause by clause: the forms of their rows in every kind of file, the types of columns, parameters
that are lists and maps, plans, reports, scripts, and the settings that such queries refuse. Rows are compared with values in
Python, on one and on three ranks."""
import json
import os
import sys
import tempfile

import h5py

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run
from result_rows import strings

VERTICES = "id\ttype\tname\tborn:int\np1\tPerson\tAnn\t1950\np2\tPerson\tBob\t1960\np3\tPerson\tCy\t\nm1\tFilm\tUp\t2009\nm2\tFilm\tIt\t2017\n"
EDGES = "src\tdst\ttype\np1\tm1\tACTS_IN\np2\tm1\tACTS_IN\np3\tm1\tACTS_IN\np2\tm2\tACTS_IN\np3\tm2\tACTS_IN\np1\tp2\tKNOWS\n"
CAST = [("p1", "m1"), ("p2", "m1"), ("p3", "m1"), ("p2", "m2"), ("p3", "m2")]

ROADS = [("a", "b", "a"), ("b", "c", "a"), ("c", "d", "a"), ("a", "d", "c"), ("b", "d", "b"), ("d", "a", "c")]


def edge(source, target, kind="ACTS_IN"):
    return {"type": kind, "source": source, "target": target}


def rows(ranks, query, *options):
    run(ranks, "match", "g.h5", query, *options, "-o", "rows.jsonl", "-q")
    with open("rows.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def check_values(ranks):
    """Each query is refused as one search, so that the rows come from the clauses."""
    assert rows(ranks, "UNWIND [1, 2.5, 'a', null, [1]] AS x RETURN x, {k: x} AS m") == [
        {"x": x, "m": {"k": x}} for x in (1, 2.5, "a", None, [1])]
    got = rows(ranks, "MATCH (a:Person) MATCH (a)-[r:ACTS_IN]->(m) RETURN a, r, m.born + 1 AS y ORDER BY a.name, m.name DESC")
    assert got == [{"a": a, "r": edge(a, m), "y": {"m1": 2010, "m2": 2018}[m]}
                   for a in ("p1", "p2", "p3") for m in ("m1", "m2") if (a, m) in CAST], got
    got = rows(ranks, "MATCH p = (:Person {name: 'Ann'})-[:ACTS_IN]->()<-[:ACTS_IN]-(b) RETURN p, b.name AS n ORDER BY n")
    assert got == [{"p": ["p1", edge("p1", "m1"), "m1", edge(b, "m1"), b], "n": n} for b, n in (("p2", "Bob"), ("p3", "Cy"))], got
    got = rows(ranks, "MATCH (a:Person) WITH a ORDER BY a.name RETURN collect(a) AS all, date('2020-02-01') AS d")
    assert got == [{"all": ["p1", "p2", "p3"], "d": "2020-02-01"}], got
    got = rows(ranks, "MATCH (n:Person), (m:Film) WHERE (n)-->(m) RETURN n, m")
    assert sorted((row["n"], row["m"]) for row in got) == sorted(CAST), got
    got = rows(ranks, "UNWIND $xs AS x RETURN x * $m.by AS y", "--param", "xs=[1, 2]", "--param", 'm={"by": 10}')
    assert got == [{"y": 10}, {"y": 20}], got
    got = rows(ranks, "MATCH (a {name: 'Ann'})-[r*0.. {none: null}]-(b) RETURN r, b", "--lenient")
    assert got == [{"r": [], "b": "p1"}], got
    assert rows(ranks, "MATCH (a {name: null})-[*2]-(b) RETURN b UNION MATCH (b)-[{x: null}]-() RETURN b", "--lenient") == []
    assert rows(ranks, "RETURN 1 AS one LIMIT 0") == []
    assert rows(ranks, "RETURN [][-1][0] AS x, [][0]['a'] AS y") == [{"x": None, "y": None}]
    assert rows(ranks, "MATCH (n:Film) WITH n LIMIT 0 RETURN n {.name} AS m") == []


def check_trail_maps(ranks):
    """The properties of a hop of variable length may read the row: here the roads of each name form a tree. The towns t0,
    t1, ... have a road to each other, and more trails than any machine could follow without these properties."""
    many = [f"t{i}" for i in range(25)]
    roads = ROADS + [(s, t, "-") for s in many for t in many if s != t]
    names = [*"abcd", *many]
    with open("towns.tsv", "w", encoding="utf-8") as file:
        file.write("id\ttype\tname\n" + "".join(f"{name}\tTown\t{name}\n" for name in names))
    with open("roads.tsv", "w", encoding="utf-8") as file:
        file.write("src\tdst\ttype\tby\n" + "".join(f"{s}\t{t}\tROAD\t{by}\n" for s, t, by in roads))
    run(1, "import", "--vertices", "towns.tsv", "--edges", "roads.tsv", "-o", "roads.h5", "-q")

    def found(query):
        run(ranks, "match", "roads.h5", query, "-o", "rows.jsonl", "-q")
        with open("rows.jsonl", encoding="utf-8") as file:
            return sorted(tuple(json.loads(line).values()) for line in file)

    reach = {name: {name} for name in names}
    for name, ends in reach.items():
        for _ in range(4):
            ends |= {t for s, t, by in roads if by == name and s in ends}
    assert found("MATCH (n) MATCH (n)-[*0.. {by: n.name}]->(m) RETURN n.name AS n, m.name AS m") == sorted(
        (n, m) for n, ends in reach.items() for m in ends)
    assert found("MATCH (n), (m) MATCH p = shortestPath((n)-[* {by: n.name}]->(m)) RETURN n.name AS n, m.name AS m, length(p) AS l") == [
        ("a", "b", 1), ("a", "c", 2), ("a", "d", 3), ("b", "d", 1)]
    assert found("UNWIND ['c', 'a', 1] AS x MATCH p = shortestPath((n {name: 'a'})-[* {by: x}]->(m {name: 'd'})) "
                 "RETURN x, length(p) AS l") == [("a", 3), ("c", 1)]
    assert found("MATCH (n)-[* {by: 1}]->(m) RETURN m.name AS m") == []
    run(1, "match", "roads.h5", "MATCH (n) MATCH p = shortestPath((n)-[* {by: m.name}]->(m)) RETURN p", "-q", code=2,
        says="query:1:41: the properties of a shortest path must be known before it; find both of its ends by a MATCH before")


def check_types(ranks):
    """One search does not compute with these types of attributes, so the query runs clause by clause."""
    for query, want in (
            ("MATCH (a:Film) RETURN a.name + a.born AS x ORDER BY x", ["It2017", "Up2009"]),
            ("MATCH (a:Person) RETURN 1 + a.name + true AS x ORDER BY x", ["1Anntrue", "1Bobtrue", "1Cytrue"]),
            ("MATCH (a:Person) RETURN 'b' + a.born AS x ORDER BY x", ["b1950", "b1960", None]),
            ("MATCH (a) WHERE a.name + a.born = 'Up' + $year RETURN a.name AS x", ["Up"]),
            ("MATCH (a:Film) RETURN null - a.name AS x", [None, None]),
            ("MATCH (a) WHERE EXISTS { (a)-->(b) WHERE a.name + b.born = 'Ann1960' } RETURN a.name AS x", ["Ann"])):
        options = ["--param", "year=2009"] if "$year" in query else []
        assert [row["x"] for row in rows(ranks, query, *options)] == want, query
    for query, says in (("MATCH (a) WHERE a.name - 1 = 2 RETURN a", "query:1:17: a.name - 1: this is a string"),
                        ("MATCH (a) WHERE a.born RETURN a", "query:1:17: a.born: this is an integer, and a condition is needed"),
                        ("MATCH (a) RETURN a.nam + 1 AS x", "unknown attribute 'nam'"),
                        ("MATCH (n) RETURN [count(*), n {.born}] AS x", "query:1:29: 'n' stands beside an aggregate")):
        run(ranks, "match", "g.h5", query, "-q", code=2, says=says)
    run(ranks, "match", "g.h5", "MATCH (a) RETURN a.name + 1 AS x", "--semantics", "iso", "-q", code=2,
        says="a string beside a string is needed")


def check_labels(ranks):
    """The same constructs have the same rows as one search and, behind UNWIND, clause by clause."""
    for query, want in (
            ("MATCH (a:Person|Film) RETURN count(*) AS n", [{"n": 5}]),
            ("MATCH (a:Nobody|Film) RETURN a ORDER BY a", [{"a": "m1"}, {"a": "m2"}]),
            ("MATCH (a:Person&Film) RETURN a", []),
            ("MATCH (a:Nobody&Film|Person {name: 'Cy'}) RETURN a", [{"a": "p3"}]),
            ("MATCH (a)-->(b) WHERE b:Person|Nobody RETURN a, b", [{"a": "p1", "b": "p2"}]),
            ("MATCH (a) WHERE NOT a:Person|Nobody RETURN a ORDER BY a", [{"a": "m1"}, {"a": "m2"}]),
            ("MATCH ()-[r]->() WHERE r:KNOWS|LIKES RETURN r", [{"r": edge("p1", "p2", "KNOWS")}]),
            ("MATCH (a)-[:KNOWS]->(b {born: a.born + 10}) RETURN a, b", [{"a": "p1", "b": "p2"}]),
            ("MATCH (a)-[:KNOWS]->(b {born: a.born + 11}) RETURN a, b", []),
            ("MATCH (:Film)-[:KNOWS]->() RETURN count(*) AS n ORDER BY 7, 1 + 1", [{"n": 0}]),
            ("MATCH (a:Film) OPTIONAL MATCH (b:Person) WHERE a = b RETURN a, b ORDER BY a",
             [{"a": "m1", "b": None}, {"a": "m2", "b": None}])):
        for before in ("", "UNWIND [0] AS one_row "):
            got = rows(ranks, before + query, "--lenient")
            assert got == want, (before + query, got)


def check_key_order(ranks):
    """Nodes are in the order of keys, whichever way a query runs: integers precede strings, unless all keys are strings."""
    keys = ["863", "1661", "A1", "-5", "007", "B", "7"]
    for header, want in (("id", ["-5", "7", "863", "1661", "007", "A1", "B"]),
                         ("id:string", ["-5", "007", "1661", "7", "863", "A1", "B"])):
        with open("keys.tsv", "w", encoding="utf-8") as file:
            file.write(header + "\ttype\n" + "".join(key + "\tK\n" for key in keys))
        with open("links.tsv", "w", encoding="utf-8") as file:
            file.write("src\tdst\ttype\n" + "".join(f"B\t{key}\tR\n" for key in keys[:5]))
        run(1, "import", "--vertices", "keys.tsv", "--edges", "links.tsv", "-o", "keys.h5", "-q")
        for before in ("", "UNWIND [0] AS one_row "):
            def found(query):
                run(ranks, "match", "keys.h5", before + query, "-o", "rows.jsonl", "-q")
                with open("rows.jsonl", encoding="utf-8") as file:
                    return [str(json.loads(line)["x"]) for line in file]
            assert found("MATCH (a) RETURN a AS x ORDER BY a") == want, (header, before)
            assert found("MATCH (a) RETURN a AS x ORDER BY a DESC LIMIT 3") == want[:3:-1], (header, before)
            assert found("MATCH ()-[r]->(b) WITH r, b ORDER BY r RETURN b AS x") == [key for key in want if key in keys[:5]], (header, before)


def check_files(ranks):
    query = "MATCH (a:Person) WITH a ORDER BY a.name RETURN a, a.born AS born, a.born / 2.0 AS half, a.born > 1955 AS late, [a.name] AS l"
    run(ranks, "match", "g.h5", query, "-o", "rows.h5", "-q")
    with h5py.File("rows.h5") as file:
        group = file["rows"]
        assert list(group["born"][:2]) == [1950, 1960] and group["born"].dtype.kind == "i"
        assert group["half"].dtype.kind == "f" and list(file["null/born"][:]) == [False, False, True]
        assert [json.loads(x) for x in strings(group["l"])] == [["Ann"], ["Bob"], ["Cy"]] and file.attrs["semantics"] == "edge-iso"
    assert run(ranks, "match", "g.h5", query, "-o", "-", "-q").stdout == (
        'a\tborn\thalf\tlate\tl\np1\t1950\t975.0\tfalse\t["Ann"]\np2\t1960\t980.0\ttrue\t["Bob"]\np3\t\t\t\t["Cy"]\n')
    run(ranks, "match", "g.h5", "MATCH ()-[r:KNOWS]->() WITH r RETURN r, [r] AS l", "-o", "rows.csv", "-q")
    with open("rows.csv", encoding="utf-8") as file:
        assert file.read().splitlines()[1].startswith("KNOWS:p1->p2,"), "an edge in CSV"
    assert rows(ranks, query, "--limit", "2")[-1]["a"] == "p2"


def check_reports(ranks):
    query = "UNWIND [1] AS one MATCH (a:Person) MATCH (a)-->(m) RETURN a, m"
    report = json.loads(run(ranks, "match", "g.h5", query, "--count", "--json", "-", "-q").stdout)
    assert (report["rows"], report["complete"], report["executed"]) == (6, True, "clause by clause"), report
    assert (report["semantics"], report["distinct"], report["embeddings"]) == ("edge-iso", "none", None), report
    text = run(ranks, "match", "g.h5", query, "--explain").stdout
    assert "4. RETURN a, m" in text and "6 rows; the query ran clause by clause\n" in text and "(openCypher)" in text, text
    text = run(ranks, "match", "g.h5", query, "--dry-run").stdout
    assert "2. MATCH (a:Person)" in text and "6 rows" not in text, text
    assert "(20 of 25 rows;" in run(ranks, "match", "g.h5", "UNWIND range(1, 25) AS x RETURN x").stdout
    with open("two.cypher", "w", encoding="utf-8") as file:
        file.write("MATCH (a:Person) RETURN count(*) AS n;\n UNWIND $xs AS x RETURN x + 1 AS y;\n")
    run(ranks, "match", "g.h5", "--query-file", "two.cypher", "--param", "xs=[1,2]", "-o", "two.tsv", "--json", "two.json", "-q")
    with open("two.1.tsv") as one, open("two.2.tsv") as two, open("two.json") as file:
        assert (one.read(), two.read()) == ("n\n3\n", "y\n2\n3\n")
        assert [query["rows"] for query in json.load(file)["queries"]] == [1, 2]


def check_refusals():
    query = "MATCH (a) MATCH (b) RETURN a, b"
    for options, says in ((("--semantics", "iso"), "in the sense of openCypher"), (("--distinct", "orbit"), "in the sense of openCypher"),
                          (("--subgraph", "s.h5"), "return the vertices"), (("--draw", "s.svg"), "one search"), (("--order", "a,b"), "order"),
                          (("--estimate",), "--count"), (("--count-per", "a"), "count(*)"), (("--checkpoint", "c"), "checkpoint")):
        run(1, "match", "g.h5", query, *options, code=2, says=says)
    run(3, "match", "g.h5", "UNWIND [1] AS x RETURN $y", code=2, says="query:1:24: the parameter $y has no value")
    run(3, "match", "g.h5", "UNWIND [1] AS x RETURN x", "--param", "y=[1]", code=2, says="parameter y")
    run(3, "match", "g.h5", "UNWIND [1, 'a'] AS x RETURN 1 / (x - 1)", code=2, says="query:1:29: 1 / 0 divides by zero")
    for expression in ("range(1, 100000000)", "reduce(l = [], x IN range(1, 30000) | l + x)", "[x IN range(1, 1000000) | {a: [x, x]}]",
                       "reduce(s = 'a', x IN range(1, 40) | s + s)"):
        run(3, "match", "g.h5", "RETURN size(" + expression + ") AS x", "--host-memory", "50M", code=71, says="of --host-memory; use fewer rows")
    run(1, "match", "g.h5", "UNWIND range(1, 500000) AS x UNWIND range(1, 100) AS y RETURN x", "--host-memory", "50M", code=71, says="of --host-memory")
    run(1, "match", "g.h5", "MATCH (a)\nMATCH (b)\nRETURN c", code=2, says="query:3:8: the variable 'c' is not defined")


def check_names():
    """Names that the graph lacks are errors, or warnings with --lenient; attributes of maps are no names of the graph."""
    for query, says in (("MATCH (a:Persn) MATCH (b) RETURN a", "query:1:10: unknown label 'Persn'; did you mean 'Person'?"),
                        ("MATCH (a) MATCH (a)-[:ACTS]->() RETURN a", "query:1:23: unknown edge type 'ACTS'; the graph has ACTS_IN, KNOWS"),
                        ("MATCH (a) MATCH (b) RETURN a.nam", "unknown attribute 'nam'; did you mean 'name'?"),
                        ("MATCH (a) MATCH (b {nam: 1}) RETURN a", "unknown attribute 'nam'"),
                        ("MATCH (a) MATCH ()-[r]->() RETURN r.since", "unknown edge attribute 'since'; the edges here have none"),
                        ("MATCH (a:Person|Fil) MATCH (b) RETURN a", "unknown label 'Fil'"),
                        ("MATCH (a) MATCH (b) WHERE a:Fil RETURN a", "unknown label 'Fil'")):
        run(2, "match", "g.h5", query, code=2, says=says)
        assert says.split(": ", 1)[-1] in run(1, "match", "g.h5", query, "--lenient").stderr, query
    assert rows(1, "UNWIND [{x: 1}] AS a RETURN a.x AS x") == [{"x": 1}]
    assert rows(1, "MATCH (a:Film) WITH {n: a.name} AS a RETURN a.n AS n ORDER BY n") == [{"n": "It"}, {"n": "Up"}]
    assert rows(1, "MATCH (a:Film) RETURN [a IN [{n: 3}] | a.n] AS l LIMIT 1") == [{"l": [3]}]
    for query in ("MATCH (a)-[KNOWS]->(b) RETURN a", "MATCH (a) MATCH (a)-[KNOWS]->(b) RETURN a"):
        assert "for edges of this type write -[:KNOWS]-" in run(1, "match", "g.h5", query).stderr, query


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in (("v.tsv", VERTICES), ("e.tsv", EDGES)):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        run(1, "import", "--vertices", "v.tsv", "--edges", "e.tsv", "-o", "g.h5", "-q")
        for ranks in (1, 3):
            check_values(ranks)
            check_labels(ranks)
            check_key_order(ranks)
            check_trail_maps(ranks)
            check_types(ranks)
            check_files(ranks)
            check_reports(ranks)
        check_refusals()
        check_names()
        os.chdir("/")


if __name__ == "__main__":
    main()
