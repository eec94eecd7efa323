"""Tests rows as HDF5: h5py reads the values that JSON lines have, with NULL, lists and edges; rows in a definite order give the
same bytes on any number of ranks; every dataset has chunks and HDF5's own filters; and results without rows have their columns."""
import json
import os
import sys
import tempfile

import h5py

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run
from result_rows import read_rows

RANKS = (1, 2, 3, 4, 8)
ORDERED = ("MATCH (p:Person)-[r:ACTS_IN]->(m:Movie) RETURN p.name, m.name, m.year, m.rating, r.role AS `role/100%`, p.born, "
           "m.year > 1950 AS late ORDER BY p.name, m.name, r.role")
GROUPS = "MATCH (p:Person)-[:ACTS_IN]->(m:Movie) WITH p, m ORDER BY m.name RETURN p.name AS name, collect(m.year) AS years ORDER BY name"


def from_json(path):
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def digest(path):
    with open(path, "rb") as file:
        return file.read()


def datasets(path):
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, thing: found.update({name: (thing.shape[0], thing.chunks, thing.shuffle, thing.compression, thing.dtype)})
                        if isinstance(thing, h5py.Dataset) else None)
    return found


def same_on_all_ranks():
    """150,000 rows fill two chunks and a part of a third one."""
    for ranks in RANKS:
        run(ranks, "match", "films.h5", ORDERED, "-o", f"{ranks}.h5", "-q")
        assert digest(f"{ranks}.h5") == digest("1.h5"), f"{ranks} ranks write other bytes"
    run(1, "match", "films.h5", ORDERED, "-o", "rows.jsonl", "-q")
    rows = read_rows("2.h5")
    assert rows == from_json("rows.jsonl"), "HDF5 and JSON lines have other values"
    assert 131072 < len(rows["p.name"]) and None in rows["m.rating"] and None in rows["p.born"]
    for name, (length, chunks, shuffled, filtered, kind) in datasets("2.h5").items():
        assert chunks == (min(length, 65536 * (8 if name.endswith("/bytes") else 1)),), (name, chunks, length)
        assert shuffled == (kind.itemsize > 1) and filtered == "gzip", name
    with h5py.File("2.h5") as file:
        assert sorted(file["null"]) == sorted(name.replace("%", "%25").replace("/", "%2F") for name in rows if None in rows[name])


def lists_are_texts(ranks):
    run(ranks, "match", "films.h5", GROUPS, "-o", "groups.h5", "-q")
    run(1, "match", "films.h5", GROUPS, "-o", "groups.jsonl", "-q")
    rows, expected = read_rows("groups.h5"), from_json("groups.jsonl")
    assert rows["name"] == expected["name"] and [json.loads(text) for text in rows["years"]] == expected["years"]


def edges_are_three_columns(ranks):
    query = "MATCH (p:Person)-[r:ACTS_IN]->(m:Movie) RETURN r, p, m"
    run(ranks, "match", "films.h5", query, "--limit", "1000", "-o", "edges.h5", "-q")
    rows = read_rows("edges.h5")
    assert list(rows) == ["r.type", "r.source", "r.target", "p", "m"] and len(rows["p"]) == 1000
    assert set(rows["r.type"]) == {"ACTS_IN"} and rows["r.source"] == rows["p"] and rows["r.target"] == rows["m"]


def no_rows(ranks):
    query = "MATCH (p:Person)-[r:HAS_GENRE]->(m:Movie) RETURN r, p.name, m.year, m.rating"
    run(ranks, "match", "films.h5", query, "-o", "none.h5", "-q")
    assert read_rows("none.h5") == {name: [] for name in ("r.type", "r.source", "r.target", "p.name", "m.year", "m.rating")}
    assert not [name for name in datasets("none.h5") if name.startswith("null/")]


def a_file_is_replaced_when_it_is_whole(ranks):
    with open("old.h5", "w", encoding="utf-8") as file:
        file.write("old")
    run(ranks, "match", "films.h5", "UNWIND [1, 0] AS x RETURN 1 / x", "-o", "old.h5", "-q", code=2, says="divides by zero")
    assert digest("old.h5") == b"old"
    run(ranks, "match", "films.h5", "UNWIND [1, 2] AS x RETURN 1 / x AS y", "-o", "old.h5", "-q")
    assert read_rows("old.h5") == {"y": [1, 0]}
    assert not [name for name in os.listdir() if ".tmp" in name]


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run(1, "generate", "movies", "--films", "30000", "--people", "1000", "-o", "films.h5", "-q")
        same_on_all_ranks()
        for ranks in (1, 3):
            lists_are_texts(ranks)
            edges_are_three_columns(ranks)
            no_rows(ranks)
            a_file_is_replaced_when_it_is_whole(ranks)
        os.chdir("/")


main()
