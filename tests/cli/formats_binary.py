"""Tests import of GraphML as other programs write it, sparse matrices of scipy, AnnData, binsparse and IMDb's dumps.
The result is compared with the JSON lines of convert. Each bad file gives one clear error."""
import collections
import gzip
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

try:
    import h5py
    import numpy
    import scipy.sparse as sparse
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TEXT = h5py.string_dtype()


def load(ranks, *files):
    """Returns the vertices by key with labels and properties, and the edges as a list of (source, target, type,
    properties)."""
    run(ranks, "import", *files, "-o", "g.h5", "-q")
    run(1, "convert", "g.h5", "-o", "g.jsonl", "-q")
    vertices, edges = {}, []
    with open("g.jsonl", encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            if record["type"] == "node":
                vertices[record["id"]] = (record["labels"], record["properties"])
            else:
                edges.append((record["start"]["id"], record["end"]["id"], record["label"], record["properties"]))
    return vertices, edges


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name


NEO4J = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
<key id="name" for="node" attr.name="name"/><key id="labels" for="node" attr.name="labels"/>
<key id="color" for="all" attr.name="color" attr.type="string"><default>yellow</default></key>
<key id="shape" for="node" yfiles.type="nodegraphics"/>
<key id="label" for="edge" attr.name="label"/><key id="w" for="edge" attr.name="w" attr.type="double"/>
<graph id="G" edgedefault="directed">
<node id="n0" labels=":Person:Actor"><data key="labels">:Person:Actor</data><data key="name">A &amp; <![CDATA[<B>]]></data>
<data key="shape"><y:ShapeNode>text</y:ShapeNode></data></node><node id="n1" labels=":Film"/>
<edge id="e0" source="n0" target="n1" label="ACTS"><data key="label">ACTS</data><data key="w"> 1.5 </data></edge>
<edge source="n0" target="n1"><data key="color"/></edge></graph></graphml>"""

NETWORKX = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d2" for="edge" attr.name="type" attr.type="string"/>
<key id="d1" for="node" attr.name="n" attr.type="double"/><key id="d0" for="node" attr.name="n" attr.type="long"/>
<key id="d3" for="node" attr.name="label" attr.type="string"/>
<graph edgedefault="undirected"><node id="1"><data key="d0">7</data><data key="d3">Thing</data></node>
<node id="2"><data key="d1">0.5</data></node>
<edge source="2" target="1"><data key="d2">NEAR</data></edge></graph></graphml>"""


def graphml():
    for ranks in 1, 2:
        vertices, edges = load(ranks, write("neo4j.graphml", NEO4J))
        assert vertices == {"n0": (["Actor", "Person"], {"name": "A & <B>", "color": "yellow"}),
                            "n1": (["Film"], {"color": "yellow"})}, vertices
        assert sorted(edges, key=str) == [("n0", "n1", "ACTS", {"color": "yellow", "w": 1.5}),
                                          ("n0", "n1", "E", {"color": ""})], edges
    vertices, edges = load(1, write("networkx.graphml", NETWORKX))
    assert vertices == {1: (["Thing"], {"n": 7.0}), 2: ([], {"n": 0.5})}, vertices
    # the direction in which an undirected edge is stored follows from ids
    assert [(*sorted(edge[:2]), *edge[2:]) for edge in edges] == [(1, 2, "NEAR", {})], edges
    assert "undirected" in run(1, "info", "g.h5", "--schema").stdout
    head = '<graphml><key id="a" for="node" attr.type="int"/>'
    for text, says in (
            ("hello", ":1: syntax error"), ("<x/>", "not GraphML"), ("<graphml/>", "no <graph>"),
            (f"{head}<graph>", "whole"), (f"{head}<graph><node/></graph></graphml>", "no id"),
            (f"{head}<graph><hyperedge/></graph></graphml>", "<hyperedge>"),
            (f"{head}\n<graph><node id='1'><data key='a'>x</data></node></graph></graphml>", ":2: data 'a': 'x'"),
            (f"{head}<graph><node id='1'><data key='b'/></node></graph></graphml>", "no <key> declares"),
            (f"{head}<graph><node id='1'><graph/></node></graph></graphml>", "inside a node"),
            ('<!DOCTYPE graphml [<!ENTITY a "b">]><graphml><graph/></graphml>', "entity"),
            (f"{head}<graph><node id='1'/><edge source='1' target='2'/></graph></graphml>", "target '2'"),
            (f"{head}<graph><node id='1'/><edge source='1' target='1' directed='false'/></graph></graphml>", "undirected")):
        run(1, "import", write("bad.graphml", text), "-o", "bad.h5", code=65, says=says)
    run(3, "import", "bad.graphml", "-o", "bad.h5", code=65, says="bad.graphml:1: ")
    both = write("both.graphml", head + "<graph edgedefault='directed'/><graph edgedefault='undirected'><node id='1'/>"
                 "<node id='2'/><edge source='1' target='2'/></graph></graphml>")
    run(1, "import", both, "-o", "both.h5", code=65, says="a directed and an undirected graph")
    run(1, "import", "--undirected", both, "-o", "both.h5")
    assert "undirected" in run(1, "info", "both.h5", "--schema").stdout


def entries(matrix):
    matrix = matrix.tocoo()
    return collections.Counter(zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist()))


def found(edges, kind="E"):
    return collections.Counter((s, t, p["value"]) for s, t, label, p in edges if label == kind)


def npz():
    matrix = sparse.random(40, 40, 0.1, format="csr", random_state=1)
    for number, (given, compressed) in enumerate(((matrix, True), (matrix.tocsc(), False), (matrix.tocoo(), True),
                                                  ((matrix * 50).astype(numpy.int16), False), (matrix.astype(bool), True))):
        sparse.save_npz("m.npz", given, compressed=compressed)
        vertices, edges = load(1 + number % 3, "m.npz")
        assert sorted(vertices) == list(range(40)) and found(edges) == entries(given)
    numpy.savez("m.npz", format=b"csr", shape=[40, 40], indptr=matrix.indptr.astype(">i4"), indices=matrix.indices.astype(">i8"),
                data=matrix.data.astype(">f2"))
    halves = sparse.csr_matrix((matrix.data.astype("f2").astype(float), matrix.indices, matrix.indptr), matrix.shape)
    assert found(load(2, "m.npz")[1]) == entries(halves)
    sparse.save_npz("m.npz", sparse.csr_matrix(numpy.array([[0, 2.5, 0]])))
    vertices, edges = load(1, "m.npz")
    assert sorted(vertices) == ["c0", "c1", "c2", "r0"] and edges == [("r0", "c1", "E", {"value": 2.5})]
    for given, says in ((matrix.todia(), "'dia'"), (matrix.astype(complex), "complex")):
        sparse.save_npz("bad.npz", given)
        run(1, "import", "bad.npz", "-o", "bad.h5", code=65, says=says)
    sparse.save_npz("m.npz", matrix, compressed=False)
    with open("m.npz", "rb") as file:
        whole = file.read()
    for spoilt, says in ((whole[:len(whole) // 2], "no directory"), (whole.replace(b"indptr", b"indptx"), "indptr"),
                         (whole.replace(matrix.data.tobytes()[:8], b"\0" * 8), "checksum")):
        with open("bad.npz", "wb") as file:
            file.write(spoilt)
        run(1, "import", "bad.npz", "-o", "bad.h5", code=65, says=says)
    run(3, "import", "none.npz", "-o", "bad.h5", code=66, says="none.npz")


def put_matrix(group, matrix):
    group.attrs.update({"encoding-type": f"{matrix.format}_matrix", "encoding-version": "0.1.0", "shape": matrix.shape})
    for name in "data", "indices", "indptr":
        group[name] = getattr(matrix, name)


def anndata():
    n = 30
    near = sparse.random(n, n, 0.1, format="csr", random_state=2)
    far = sparse.random(n, n, 0.05, format="csc", random_state=3)
    with h5py.File("t.h5ad", "w") as file:
        obs = file.create_group("obs")
        obs.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "names"})
        obs.attrs.create("column-order", ["kind", "n", "score", "ok", "maybe", "note"], dtype=TEXT)
        obs.create_dataset("names", data=[f"cell{i}" for i in range(n)], dtype=TEXT, chunks=(7,), compression="gzip")
        kind = obs.create_group("kind")
        kind.attrs["encoding-type"] = "categorical"
        kind["codes"] = numpy.arange(n, dtype="i1") % 3 - 1
        kind.create_dataset("categories", data=["A", "Ü"], dtype=TEXT)
        obs["n"] = numpy.arange(n, dtype="i2")
        obs["score"] = numpy.where(numpy.arange(n) % 3 == 0, numpy.nan, numpy.arange(n) / 8).astype("f4")
        obs["ok"] = numpy.arange(n) % 2 == 0
        maybe = obs.create_group("maybe")
        maybe.attrs["encoding-type"] = "nullable-integer"
        maybe["values"], maybe["mask"] = numpy.arange(n), numpy.arange(n) % 5 == 0
        obs.create_dataset("note", data=[f"n{i}".encode() for i in range(n)])
        put_matrix(file.create_group("obsp/near"), near)
        put_matrix(file.create_group("obsp/far"), far)
        file["obsp/dense"] = numpy.zeros((n, n))
    for ranks in 1, 3:
        vertices, edges = load(ranks, "t.h5ad", "--label", "Cell")
        for i in range(n):
            expected = {"kind": [None, "A", "Ü"][i % 3], "n": i, "score": None if i % 3 == 0 else i / 8, "ok": i % 2 == 0,
                        "maybe": None if i % 5 == 0 else i, "note": f"n{i}"}
            assert vertices[f"cell{i}"] == (["Cell"], {k: v for k, v in expected.items() if v is not None})
        plain = [(int(s[4:]), int(t[4:]), kind, p) for s, t, kind, p in edges]
        assert found(plain, "near") == entries(near) and found(plain, "far") == entries(far)
    run(1, "import", "t.h5ad", "-o", "g.h5", says="/obsp/dense is no sparse matrix")
    with h5py.File("t.h5ad", "a") as file:
        file["obsp/near/indices"][0] = 77
    run(2, "import", "t.h5ad", "-o", "bad.h5", code=65, says="beyond the shape")
    run(1, "import", "g.h5", "--format", "h5ad", "-o", "bad.h5", code=65, says="/obs")


def binsparse():
    given = {"E": sparse.random(9, 9, .3, format="csr", random_state=1),
             "X": sparse.random(9, 9, .3, format="csc", random_state=2),
             "Y": sparse.random(9, 9, .3, format="coo", random_state=5)}
    with h5py.File("t.bsp.h5", "w") as file:
        for name, matrix in given.items():
            group = file if name == "E" else file.create_group(name)
            group.attrs["binsparse"] = json.dumps({"binsparse": {"version": "0.1", "format": matrix.format.upper(),
                                                                 "shape": matrix.shape}})
            group["values"] = matrix.data
            if matrix.format == "coo":
                group["indices_0"], group["indices_1"] = matrix.row, matrix.col
            else:
                group["pointers_to_1"], group["indices_1"] = matrix.indptr, matrix.indices
    for ranks in 1, 2:
        vertices, edges = load(ranks, "t.bsp.h5")
        assert sorted(vertices) == list(range(9))
        for name, matrix in given.items():
            assert found(edges, name) == entries(matrix), name
    with h5py.File("t.bsp.h5", "a") as file:
        file["X"].attrs["binsparse"] = json.dumps({"format": "DMAT", "shape": [9, 9]})
    run(1, "import", "t.bsp.h5", "-o", "bad.h5", code=65, says="DMAT")
    # the other direction: a relation of our graph file is copied to a file of its own and read as binsparse
    with h5py.File("g.h5") as ours, h5py.File("own.h5", "w") as file:
        ours.copy("edges/X/csr", file, "X")
    _, edges = load(1, "--format", "binsparse", "own.h5")
    assert len(edges) == given["X"].nnz


def imdb():
    os.mkdir("dumps")
    with gzip.open("dumps/title.basics.tsv.gz", "wt") as file:
        file.write("tconst\ttitleType\tprimaryTitle\toriginalTitle\tisAdult\tstartYear\tendYear\truntimeMinutes\tgenres\n"
                   'tt1\tmovie\tUp "there"\tUp\t0\t2009\t\\N\t96\tAdventure,Comedy\ntt2\tshort\tX\tX\t1\t\\N\t\\N\t\\N\t\\N\n')
    write("dumps/name.basics.tsv", "nconst\tprimaryName\tbirthYear\tdeathYear\tprimaryProfession\tknownForTitles\n"
          "nm1\tAnn\t1950\t\\N\tactress\ttt1\nnm2\tBob\t\\N\t\\N\t\t\\N\n")
    principals = ("tconst\tordering\tnconst\tcategory\tjob\tcharacters\ntt1\t1\tnm1\tactress\t\\N\t[\"Di\"]\n"
                  "tt1\t2\tnm2\tdirector\t\\N\t\\N\ntt2\t1\tnm3\tarchive_footage\t\\N\t\\N\n")
    write("dumps/title.principals.tsv", principals)
    write("dumps/title.ratings.tsv", "tconst\taverageRating\tnumVotes\ntt1\t8.3\t1000\ntt9\t1.0\t5\n")
    for ranks in 1, 3:
        vertices, edges = load(ranks, "--format", "imdb", "dumps")
        assert vertices == {
            "tt1": (["Movie"], {"averageRating": 8.3, "numVotes": 1000, "titleType": "movie", "name": 'Up "there"',
                                "originalTitle": "Up", "isAdult": False, "year": 2009, "runtimeMinutes": 96,
                                "genres": "Adventure,Comedy"}),
            "tt2": (["Movie"], {"titleType": "short", "name": "X", "originalTitle": "X", "isAdult": True}),
            "nm1": (["Person"], {"name": "Ann", "birthYear": 1950, "primaryProfession": "actress", "knownForTitles": "tt1"}),
            "nm2": (["Person"], {"name": "Bob"}), "nm3": ([], {})}, vertices
        assert sorted(edges, key=str) == [
            ("nm1", "tt1", "ACTS_IN", {"category": "actress", "ordering": 1, "characters": '["Di"]'}),
            ("nm2", "tt1", "DIRECTOR", {"category": "director", "ordering": 2}),
            ("nm3", "tt2", "ARCHIVE_FOOTAGE", {"category": "archive_footage", "ordering": 1})], edges
    # Queries for the films of `generate movies` have answers in IMDb's data.
    os.mkdir("cast")
    write("cast/title.basics.tsv", gzip.open("dumps/title.basics.tsv.gz", "rt").read())
    write("cast/name.basics.tsv", "nconst\tprimaryName\tbirthYear\tdeathYear\tprimaryProfession\tknownForTitles\n" + "".join(
        f"nm{i}\t{name}\t\\N\t\\N\tactor\t\\N\n" for i, name in enumerate(("Ann", "Bob", "Jackie", "Zoe"))))
    write("cast/title.principals.tsv", "tconst\tordering\tnconst\tcategory\tjob\tcharacters\n" + "".join(
        f"tt1\t{i}\tnm{i}\tactor\t\\N\t\\N\n" for i in range(4)))
    run(1, "import", "--format", "imdb", "cast", "-o", "cast.h5", "-q")
    run(1, "match", "cast.h5", "--query-file", os.path.join(TOP, "configs/casts.cypher"), "--semantics", "iso", "--distinct", "orbit", "-o", "cast.tsv", "-q")
    with open("cast.tsv") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    assert rows[0] == ["film", "jack", "b.name", "c.name", "d.name"] and len(rows) > 1, rows
    assert all(row[:2] == ['Up "there"', "Jackie"] and sorted(row[2:]) == ["Ann", "Bob", "Zoe"] for row in rows[1:]), rows
    for text, says in ((principals.replace("nconst", "person"), "title.principals.tsv:1: column 'nconst'"),
                       (principals.replace("1\tnm1", "first\tnm1"), "title.principals.tsv:2: column 'ordering'"),
                       (principals.replace("\tnm1", ""), "5 fields")):
        write("dumps/title.principals.tsv", text)
        run(1, "import", "--format", "imdb", "dumps", "-o", "bad.h5", code=65, says=says)
    os.remove("dumps/name.basics.tsv")
    run(2, "import", "--format", "imdb", "dumps", "-o", "bad.h5", code=66, says="name.basics")


with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    for test in graphml, npz, anndata, binsparse, imdb:
        test()
    assert not os.path.exists("bad.h5")
print("all passed")
