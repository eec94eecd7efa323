"""Tests queries that change a graph (`transform --query`): the new graph, rows, counts and messages, on one to three ranks;
what is refused before the run; and that a run that fails leaves no file. Expected graphs are written by hand."""
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import h5py

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import attempt, run
from result_rows import strings

VERTICES = "id\ttype\tname\tborn:int\np1\tPerson\tAnn\t1950\np2\tPerson\tBob\t1960\np3\tPerson\tCy\t\nm1\tFilm\tUp\t2009\nm2\tFilm\tIt\t2017\n"
EDGES = "src\tdst\ttype\np1\tm1\tACTS_IN\np2\tm1\tACTS_IN\np3\tm1\tACTS_IN\np2\tm2\tACTS_IN\np3\tm2\tACTS_IN\np1\tp2\tKNOWS\n"
NAMES = {"p1": "Ann", "p2": "Bob", "p3": "Cy", "m1": "Up", "m2": "It"}
BORN = {"p1": 1950, "p2": 1960, "m1": 2009, "m2": 2017}
CAST = [("p1", "m1"), ("p2", "m1"), ("p3", "m1"), ("p2", "m2"), ("p3", "m2")]


def start():
    """The graph as ({key: [labels, properties]}, [(type, source, target, properties)])."""
    nodes = {k: [["Person" if k[0] == "p" else "Film"], {"name": NAMES[k], **({"born": BORN[k]} if k in BORN else {})}] for k in NAMES}
    return nodes, [("ACTS_IN", a, b, {}) for a, b in CAST] + [("KNOWS", "p1", "p2", {})]


def graph_of(path):
    run(1, "convert", path, "-o", "seen.jsonl", "-q")
    with open("seen.jsonl", encoding="utf-8") as file:
        things = [json.loads(line) for line in file if line.strip()]
    nodes = {t["id"]: [sorted(t["labels"]), t["properties"]] for t in things if t["type"] == "node"}
    edges = [(t["label"], t["start"]["id"], t["end"]["id"], t["properties"]) for t in things if t["type"] == "relationship"]
    return nodes, edges


def key(edge):
    return edge[:3] + (json.dumps(edge[3], sort_keys=True),)


def change(ranks, query, *options, graph="g.h5"):
    """Returns (nodes, edges, report, rows)."""
    for path in ("h.h5", "h.jsonl"):
        if os.path.exists(path):
            os.remove(path)
    rows = ["--rows", "h.jsonl"] if "RETURN" in query else []
    run(ranks, "transform", graph, "--query", query, "-o", "h.h5", "--json", "h.json", "-q", *rows, *options)
    with open("h.json", encoding="utf-8") as file:
        report = json.load(file)
    found = []
    if rows:
        with open("h.jsonl", encoding="utf-8") as file:
            found = [json.loads(line) for line in file]
        assert report["rows"] == len(found), report
    return (*graph_of("h.h5"), report, found)


def counts(report):
    return (*report["created"].values(), *report["deleted"].values(), report["attributes_set"], report["labels_added"], report["labels_removed"])


def check(ranks, query, nodes, edges, numbers, rows=(), *options, graph="g.h5"):
    got_nodes, got_edges, report, got_rows = change(ranks, query, *options, graph=graph)
    assert got_nodes == nodes, (query, got_nodes, nodes)
    assert sorted(map(key, got_edges)) == sorted(map(key, edges)), (query, got_edges, edges)
    assert counts(report) == numbers, (query, counts(report), numbers)
    assert got_rows == list(rows), (query, got_rows, rows)
    return report["graph"]["hash"]


def check_changes(ranks):
    """Returns the hashes of the new graphs. Counts: created vertices and edges, deleted ones, attributes set, labels added and
    removed."""
    hashes = []

    nodes, edges = start()
    nodes["#1"] = [["Place", "Town"], {"name": "Rome", "tags": ["a", 1], "since": {"$date": "2020-02-01"}}]
    edges.append(("LIVES_IN", "p1", "#1", {"floor": 3}))
    hashes.append(check(ranks, "MATCH (p {name: 'Ann'}) CREATE (p)-[r:LIVES_IN {floor: 1 + 2}]->(t:Town:Place {name: $town, tags: ['a', 1], "
                               "since: date('2020-02-01'), none: null}) RETURN p, t, r.floor AS f, labels(t) AS l, t.name AS n",
                        nodes, edges, (1, 1, 0, 0, 4, 2, 0),
                        [{"p": "p1", "t": "#1", "f": 3, "l": ["Place", "Town"], "n": "Rome"}], "--param", "town=Rome"))

    nodes, edges = start()
    for person in ("p1", "p2", "p3"):
        nodes[person][1]["films"] = 1 if person == "p1" else 2
    hashes.append(check(ranks, "MATCH (p:Person)-[:ACTS_IN]->(m) WITH p, count(m) AS n SET p.films = n RETURN p.name AS p, n ORDER BY p",
                        nodes, edges, (0, 0, 0, 0, 3, 0, 0), [{"p": "Ann", "n": 1}, {"p": "Bob", "n": 2}, {"p": "Cy", "n": 2}]))

    nodes, edges = start()
    nodes["p1"] = [["Old", "Person"], {"name": "Ann"}]
    nodes["p2"] = [["Old"], {"name": "Bob"}]
    nodes["p3"][1]["born"] = 1970
    hashes.append(check(ranks, "MATCH (p:Person) WITH p, p.born AS b SET p.born = CASE WHEN b IS NULL THEN 1970 END "
                               "WITH p, b WHERE b IS NOT NULL SET p:Old WITH p, b WHERE b > 1950 REMOVE p:Person",
                        nodes, edges, (0, 0, 0, 0, 3, 2, 1)))

    nodes, edges = start()
    del nodes["m1"]
    edges = [e for e in edges if e[2] != "m1" and e[0] != "KNOWS"]
    hashes.append(check(ranks, "MATCH (m {name: 'Up'}) DETACH DELETE m WITH count(*) AS c MATCH (a)-[k:KNOWS]->() DELETE k RETURN c, a",
                        nodes, edges, (0, 0, 1, 4, 0, 0, 0), [{"c": 1, "a": "p1"}]))

    # integers and floats of one attribute are floats, so that sssp can use them
    nodes, edges = start()
    edges = [e[:3] + ({"w": {"KNOWS": 1.0, "ACTS_IN": 2.5}[e[0]]},) for e in edges]
    check(ranks, "MATCH ()-[r]->() SET r.w = CASE type(r) WHEN 'KNOWS' THEN 1 ELSE 2.5 END", nodes, edges, (0, 0, 0, 0, 6, 0, 0))
    run(ranks, "transform", "h.h5", "--query", "MATCH ()-[r:KNOWS]->() SET r.w = 3", "-o", "w.h5", "-q")
    assert [e[3] for e in graph_of("w.h5")[1] if e[0] == "KNOWS"] == [{"w": 3.0}]
    run(ranks, "sssp", "w.h5", "--source", "p1", "--weight", "w", "-q")

    # MERGE sees what its earlier rows have created
    nodes, edges = start()
    nodes["#1"] = [["Year"], {"year": 1950, "seen": 0}]
    nodes["#2"] = [["Year"], {"year": 1960, "seen": 2}]
    hashes.append(check(ranks, "UNWIND [1950, 1960, 1960, 1960] AS y MERGE (n:Year {year: y}) ON CREATE SET n.seen = 0 ON MATCH SET n.seen = n.seen + 1 "
                               "RETURN y, count(DISTINCT n) AS n ORDER BY y",
                        nodes, edges, (2, 0, 0, 0, 6, 2, 0), [{"y": 1950, "n": 1}, {"y": 1960, "n": 1}]))

    nodes, edges = start()
    for i in (1, 2, 3):
        nodes["#%d" % i] = [["N"], {"i": i}]
    hashes.append(check(ranks, "FOREACH (i IN range(1, 3) | CREATE (:N {i: i}))", nodes, edges, (3, 0, 0, 0, 3, 3, 0)))

    # a query that only reads, and one that changes nothing
    hashes.append(check(ranks, "MATCH (p:Person) RETURN count(*) AS n", *start(), (0,) * 7, [{"n": 3}]))
    hashes.append(check(ranks, "MATCH (p:Person) SET p.name = p.name, p:Person REMOVE p.absent", *start(), (0,) * 7, [], "--lenient"))
    assert hashes[-1] == hashes[-2], "a graph that is not changed has another hash"
    return hashes


def check_files(ranks):
    """Rows go to files of every form, to stdout, or into the text; the query may stand in a file or come from stdin."""
    query = "MATCH (p:Person) WHERE p.born > 0 SET p.age = 2000 - p.born RETURN p, p.age AS age ORDER BY age"
    with open("age.cypher", "w", encoding="utf-8") as file:
        file.write("// ages\n" + query + ";\n")
    arguments = ["transform", "g.h5", "--query-file", "age.cypher", "-o", "h.h5"]
    for form, text in (("tsv", "p\tage\np2\t40\np1\t50\n"), ("csv", "p,age\np2,40\np1,50\n"),
                       ("jsonl", '{"p": "p2", "age": 40}\n{"p": "p1", "age": 50}\n')):
        run(ranks, *arguments, "--rows", "h." + form, "-q")
        with open("h." + form, encoding="utf-8") as file:
            assert file.read() == text, form
    run(ranks, *arguments, "--rows", "rows.h5", "-q")
    with h5py.File("rows.h5") as file:
        assert strings(file["rows/p"]) == ["p2", "p1"] and list(file["rows/age"][:]) == [40, 50]
    done = run(ranks, *arguments, "--rows", "-")
    assert done.stdout == "p\tage\np2\t40\np1\t50\n" and "set 2 attributes" in done.stderr, done
    text = run(ranks, *arguments).stdout
    assert text.index("p2") < text.index("2 rows") < text.index("created 0 vertices") < text.index("h.h5: 5 vertices"), text
    assert "1. MATCH (p:Person)" in run(ranks, *arguments, "--explain").stdout
    with open("age.cypher", encoding="utf-8") as file:
        done = subprocess.run([os.environ["GEMP_MPI"], "transform", "g.h5", "--query-file", "-", "-o", "h.h5", "-q"], stdin=file)
    assert done.returncode == 0


def check_chain(ranks):
    """A graph that begins empty and grows by one query after another."""
    with open("none.jsonl", "w", encoding="utf-8") as file:
        file.write("\n")
    run(1, "import", "none.jsonl", "-o", "a.h5", "-q")
    run(ranks, "transform", "a.h5", "--query", "UNWIND range(1, 50) AS i CREATE (:N {i: i})", "-o", "b.h5", "-q")
    run(ranks, "transform", "b.h5", "--query", "MATCH (a:N), (b:N) WHERE b.i = a.i * 2 CREATE (a)-[:TWICE]->(b)", "-o", "c.h5", "-q")
    run(ranks, "match", "c.h5", "MATCH (a)-[:TWICE]->(b) RETURN count(*) AS n, sum(b.i) AS s", "-o", "n.jsonl", "-q")
    with open("n.jsonl", encoding="utf-8") as file:
        assert json.load(file) == {"n": 25, "s": sum(range(2, 51, 2))}
    run(ranks, "verify", "c.h5", "-q")


def check_shared_memory():
    """The graph is large enough that the ranks of a node share the memory of a search, which ends with each change."""
    run(1, "generate", "movies", "-o", "movies.h5", "-q")
    query = "MATCH (p:Person)-[:ACTS_IN]->(m) SET p.a = 1 WITH DISTINCT m MATCH (m)-[:HAS_GENRE]->(g) SET g.b = 1"
    changes = [change(ranks, query, graph="movies.h5") for ranks in (1, 2)]
    assert changes[0][0] == changes[1][0] and counts(changes[0][2]) == counts(changes[1][2])
    assert changes[0][2]["graph"]["hash"] == changes[1][2]["graph"]["hash"]


def check_refusals():
    write = ("-o", "x.h5")
    for arguments, says in (
            ((), "needs exactly one of RULES, --query and --query-file, and has none"),
            (("--query", "CREATE ()", "--query-file", "age.cypher"), "has several"),
            (("age.cypher", "--query", "CREATE ()"), "has several"),
            (("age.cypher", "--rows", "x.tsv"), "--rows is for the rows of a query"),
            (("--query", "CREATE ()", "--rows", "x.tsv"), "rows x.tsv: the query has no RETURN"),
            (("--query", "RETURN 1 AS x", "--rows", "x.foo"), "the ending must be"),
            (("--query", "RETURN 1 AS x", "--rows", "x.h5"), "give it another name"),
            (("--query", "RETURN 1 AS x", "--rows", "-", "--json", "-"), "both want stdout"),
            (("--query", "CREATE (); CREATE ()"), "query:1:12: a query ends at ;"),
            (("--query-file", "two.cypher"), "two.cypher has 2 queries"),
            (("--query", "CREATE (n {x: $x})"), "query:1:15: the parameter $x has no value"),
            (("--query", "CREATE (n)", "--param", "x=1"), "parameter x")):
        run(1, "transform", "g.h5", *arguments, *write, code=2, says=says)
    run(1, "transform", "g.h5", "--query-file", "missing.cypher", *write, code=66, says="--query-file missing.cypher")
    for option in (("--changes", "c.jsonl"), ("--dot", "c.dot"), ("--semantics", "iso"), ("--seed", "2"), ("--max-steps", "3"),
                   ("--choose", "host"), ("--rematch", "full"), ("--checkpoint", "c"), ("--resume",), ("--max-time", "3")):
        run(1, "transform", "g.h5", "--query", "CREATE ()", *option, *write, code=2, says=option[0] + " is for rules")
    run(1, "transform", "g.h5", "--query", "CREATE ()", code=2, says="needs the file to write: --output")
    run(1, "transform", "g.h5", "--query", "CREATE ()", "-o", "g.h5", code=2, says="give it another name")
    for query, place, word in (("CREATE (n)", "1:1", "CREATE"), ("MATCH (n)\nSET n.x = 1 RETURN n", "2:1", "SET"), ("MATCH (n) DETACH DELETE n", "1:11", "DELETE"),
                               ("MERGE (n)", "1:1", "MERGE"), ("MATCH (n) REMOVE n.name", "1:11", "REMOVE"), ("FOREACH (i IN [1] | CREATE (n))", "1:1", "FOREACH")):
        for mode in ((), ("--count",), ("-o", "x.tsv")):
            run(1, "match", "g.h5", query, *mode, code=2, says="query:%s: %s changes the graph, and this run only reads; run `gemp-mpi transform" % (place, word))


def check_taken_names(ranks):
    """Attributes with the names of the file's own datasets, also as the weight of the matrices. The keys of g.h5 are strings, those
    of n.h5 consecutive integers, so that n.h5 has no dataset `_rank`."""
    own = {"_id": 1, "_label": [1], "_rank": 3, "_row": "r", "_target": 2.5}
    query = "MATCH (a) SET a._rank = 9 WITH count(*) AS c CREATE (n:Z $own)-[:T $own]->(n)"
    for graph, new in (("g.h5", "#1"), ("n.h5", 3)):
        nodes, edges = graph_of(graph)
        for node in nodes.values():
            node[1]["_rank"] = 9
        nodes[new] = [["Z"], own]
        got_nodes, got_edges, _, _ = change(ranks, query, "--param", "own=" + json.dumps(own), graph=graph)
        assert got_nodes == nodes, (got_nodes, nodes)
        assert sorted(map(key, got_edges)) == sorted(map(key, edges + [("T", new, new, own)])), got_edges
        run(ranks, "verify", "h.h5", "-q")
        run(ranks, "match", "h.h5", "MATCH (n) RETURN n ORDER BY n", "-o", "n.jsonl", "-q")
        with open("n.jsonl", encoding="utf-8") as file:
            assert [json.loads(line)["n"] for line in file] == sorted(nodes)
    with h5py.File("n.h5") as file:
        assert list(file["edges/E/csr/data"]) == [7.5]


def check_new_keys(ranks):
    """The last key that is no integer is deleted, and the keys "1" and "2" become integers, which new keys must follow."""
    change_keys = "MATCH (n:B) DELETE n WITH count(*) AS c %s CREATE (x:N)-[:T]->(y:N) WITH x, y MATCH (n) RETURN n ORDER BY n"
    for between, new in (("MATCH (a:A) WITH count(*) AS a", (3, 4)), ("", ("#1", "#2"))):
        old = (1, 2) if new == (3, 4) else ("1", "2")
        nodes = {k: [["A"], {}] for k in old} | {k: [["N"], {}] for k in new}
        got_nodes, got_edges, _, rows = change(ranks, change_keys % between, graph="mixed.h5")
        assert got_nodes == nodes and got_edges == [("T", *new, {})], (got_nodes, got_edges)
        assert [row["n"] for row in rows] == sorted(nodes), rows


def check_limits(ranks):
    """Values and keys that a graph file cannot hold are errors; they do not become others."""
    for query, code, says in (
            ("MERGE (c:X) ON CREATE SET c.y = COUNT { MATCH (c) }", 2, "query:1:33: a pattern in ON CREATE SET or ON MATCH SET"),
            ("MATCH (p:Person) SET p.name = 1.0 / 0.0", 65, "'name' would be an attribute of JSON, which has no infinite numbers"),
            ("CREATE (n {l: [1, [-1.0 / 0.0]]})", 65, "'l' would be an attribute of JSON"),
            ("MATCH (f:Film) SET f.y = 1.0 / 0.0 WITH f MATCH (p:Person) SET p.y = 'x'", 65, "'y' would be an attribute of JSON"),
            ("CREATE ()-[:T {w: 1.0 / 0.0}]->()-[:T {w: 'x'}]->()", 65, "'w' would be an attribute of JSON"),
            ("CREATE (n:``)", 2, "a label has at least one character"),
            ("MATCH (n) SET n:``", 2, "a label has at least one character")):
        run(ranks, "transform", "g.h5", "--query", query, "-o", "x.h5", code=code, says=says)
    for query in ("CREATE (), ()", "CREATE () WITH 1 AS x MATCH (n) CREATE ()"):
        run(ranks, "transform", "last.h5", "--query", query, "-o", "x.h5", code=2, says="no keys are left for new nodes")
    assert not os.path.exists("x.h5")
    run(ranks, "transform", "last.h5", "--query", "CREATE ({f: 1.0 / 0.0, g: 0.0 / 0.0})", "-o", "h.h5", "-q")
    run(ranks, "match", "h.h5", "MATCH (m) RETURN m, m.f > 1e308 AS f, m.g IS NULL AS g ORDER BY m", "-o", "n.jsonl", "-q")
    with open("n.jsonl", encoding="utf-8") as file:
        assert [json.loads(line) for line in file] == [{"m": 2**63 - 2, "f": None, "g": True}, {"m": 2**63 - 1, "f": True, "g": True}]


def check_failures(ranks):
    """A run that fails leaves neither graph nor rows nor report."""
    before = hashlib.sha256(open("g.h5", "rb").read()).hexdigest()
    for query, code, says in (
            ("MATCH (m:Film) DELETE m RETURN m", 2, "write DETACH DELETE"),
            ("MATCH (p {name: 'Ann'}) DETACH DELETE p RETURN p.name AS n", 2, "query:1:48: this query has deleted the node"),
            ("UNWIND [1, 0] AS x CREATE (n {y: 1 / x}) RETURN n", 2, "query:1:"),
            ("MATCH (p:Persn) SET p.x = 1 RETURN p", 2, "query:1:10: unknown label 'Persn'; did you mean 'Person'?"),
            ("MATCH (p:Person) REMOVE p.borm RETURN p", 2, "query:1:27: unknown attribute 'borm'; did you mean 'born'?"),
            ("CREATE (a)-[:T]-(b) RETURN a", 2, "query:1:"),
            ("CREATE (a:A) RETURN b", 2, "query:1:21: the variable 'b' is not defined")):
        run(ranks, "transform", "g.h5", "--query", query, "-o", "x.h5", "--rows", "x.jsonl", "--json", "x.json", code=code, says=says)
        assert not [path for path in os.listdir(".") if path.startswith("x.")], (query, os.listdir("."))
    done = attempt(ranks, "transform", "g.h5", "--query", "CREATE (n) RETURN n", "-o", "/nowhere/x.h5", "--rows", "x.jsonl")
    assert done.returncode != 0 and "/nowhere/x.h5" in done.stderr and not os.path.exists("x.jsonl"), done
    assert hashlib.sha256(open("g.h5", "rb").read()).hexdigest() == before


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in (("v.tsv", VERTICES), ("e.tsv", EDGES), ("two.cypher", "CREATE ();\nCREATE ();\n"),
                           ("n.tsv", "id\ttype\t_id\n1\tA\tx\n2\tA\ty\n"), ("w.tsv", "src\tdst\t_target:float\n1\t2\t7.5\n"),
                           ("mixed.tsv", "id\ttype\n1\tA\n2\tA\nz\tB\n"),
                           ("last.tsv", "id\ttype\n%d\tA\n" % (2**63 - 2))):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        run(1, "import", "--vertices", "v.tsv", "--edges", "e.tsv", "-o", "g.h5", "-q")
        run(1, "import", "--vertices", "n.tsv", "--edges", "w.tsv", "--weight", "_target", "-o", "n.h5", "-q")
        for name in ("last", "mixed"):
            run(1, "import", "--vertices", name + ".tsv", "-o", name + ".h5", "-q")
        hashes = [check_changes(ranks) for ranks in (1, 2, 3)]
        assert hashes[0] == hashes[1] == hashes[2], hashes
        for ranks in (1, 3):
            check_files(ranks)
            check_chain(ranks)
            check_failures(ranks)
            check_taken_names(ranks)
            check_new_keys(ranks)
            check_limits(ranks)
        check_shared_memory()
        check_refusals()
        os.chdir("/")


if __name__ == "__main__":
    main()
