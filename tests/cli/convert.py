"""convert writes the same bytes with every number of ranks. Python's own readers read the written files and find the
imported data. Importing the files again gives the same graph."""
import collections
import csv
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

try:
    import scipy.io
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

WORDS = ["", "Jack", "a, b", 'say "hi"', "two\nlines", "Jürgen <&> co", "tab\there", "back\\slash", "\r"]
PLAIN = ["Jack", "Jürgen <&> co", '"quoted"']


def hash_of(path):
    return json.loads(run(1, "info", path, "--json", "-", "--schema").stdout)["graph"]["hash"]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def quoted(value):
    """Returns a field as RFC 4180 writes it. None becomes an empty field."""
    if value is None:
        return ""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    plain = isinstance(value, (bool, int, float)) or (text and not any(c in text for c in ',"\r\n'))
    return text if plain else '"' + text.replace('"', '""') + '"'


def make(seed, words, keys):
    """Makes the vertices, by key, and the edges."""
    chance = random.Random(seed)
    vertices = {}
    for index in range(150):
        vertices[keys(chance, index)] = {
            "labels": chance.choice(["Person", "Film", "Actor;Person", ""]),
            "age": chance.choice([None, 0, -5, 2**40]), "rating": chance.choice([None, 0.5, 1e300, 0.1]),
            "seen": chance.choice([None, True, False]), "word": chance.choice([None, *words])}
    edges = []
    for _ in range(600):
        kind = chance.choice(["KNOWS", "ACTS/IN", "E"])
        edges.append((chance.choice(list(vertices)), chance.choice(list(vertices)), kind,
                      None if kind == "E" else chance.choice([None, 1, 2]),
                      None if kind == "KNOWS" else chance.choice([None, *words])))
    return vertices, edges


def write(folder, vertices, edges, key_type):
    with open(f"{folder}/v.csv", "w", encoding="utf-8", newline="") as file:
        file.write(f"id{key_type},type,age:int,rating:float,seen:bool,word:string\n")
        for key, row in vertices.items():
            file.write(",".join(quoted(value) for value in (key, *row.values())) + "\n")
    with open(f"{folder}/e.csv", "w", encoding="utf-8", newline="") as file:
        file.write(f"src{key_type},dst{key_type},type,w:int,z:string\n")
        for edge in edges:
            file.write(",".join(quoted(value) for value in edge) + "\n")


def check_csv(folder, vertices, edges):
    with open(f"{folder}/g1.vertices.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == len(vertices) + 1
    for key, labels, age, _, seen, word in rows[1:]:
        row = vertices[key]
        assert labels == row["labels"] and word == (row["word"] or "")
        assert age == quoted(row["age"]) and seen == quoted(row["seen"])
    with open(f"{folder}/g1.edges.csv", encoding="utf-8", newline="") as file:
        found = collections.Counter(tuple(row) for row in list(csv.reader(file))[1:])
    assert found == collections.Counter(tuple("" if v is None else str(v) for v in edge) for edge in edges)


def check_jsonl(folder, vertices, edges):
    found = collections.Counter()
    with open(f"{folder}/g1.jsonl", encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            properties = record["properties"]
            if record["type"] == "node":
                row = vertices.pop(record["id"])
                assert ";".join(record["labels"]) == row.pop("labels")
                assert properties == {name: value for name, value in row.items() if value is not None}
            else:
                found[record["start"]["id"], record["end"]["id"], record["label"], properties.get("w"),
                      properties.get("z")] += 1
    assert not vertices and found == collections.Counter(edges)


def check_graphml(folder, vertices, edges):
    space = "{http://graphml.graphdrawing.org/xmlns}"
    root = xml.parse(f"{folder}/g1.graphml").getroot()
    names = {key.get("id"): key.get("attr.name") for key in root.iter(f"{space}key")}
    nodes = list(root.iter(f"{space}node"))
    assert len(nodes) == len(vertices)
    for node in nodes:
        data = {names[item.get("key")]: item.text or "" for item in node}
        row = vertices[node.get("id")]
        assert data.get("labels", "") == row["labels"] and data.get("word") == row["word"]
        assert data.get("age") == (None if row["age"] is None else str(row["age"]))
    found = collections.Counter()
    for edge in root.iter(f"{space}edge"):
        data = {names[item.get("key")]: item.text or "" for item in edge}
        found[edge.get("source"), edge.get("target"), data["label"], data.get("w"), data.get("z")] += 1
    assert found == collections.Counter((s, t, kind, w and str(w), z) for s, t, kind, w, z in edges)


def check_matrix(folder, edges):
    matrix = scipy.io.mmread(f"{folder}/g1.mtx")
    with open(f"{folder}/g1.keys.tsv", encoding="utf-8") as file:
        number = {key: int(value) - 1 for key, value in (line.rstrip("\n").split("\t") for line in list(file)[1:])}
    expected = collections.Counter((number[s], number[t]) for s, t, kind, *_ in edges if kind == "KNOWS")
    assert collections.Counter(zip(matrix.row.tolist(), matrix.col.tolist())) == expected
    assert matrix.shape == (len(number), len(number))


def same_bytes(folder):
    """Every format has the same bytes with several numbers of ranks."""
    for form, extra, files in (("csv", (), ("vertices.csv", "edges.csv")), ("jsonl", (), ("jsonl",)),
                               ("dot", (), ("dot",)), ("adj", (), ("adj",)), ("graphml", (), ("graphml",)), ("mtx", ("--type", "KNOWS"), ("mtx", "keys.tsv"))):
        for ranks in (1, 3) if form != "csv" else (1, 2, 3):
            run(ranks, "convert", f"{folder}/g.h5", "-o", f"{folder}/g{ranks}.{form}", "-q", *extra)
        for file in files:
            one = read(f"{folder}/g1.{file}")
            assert one == read(f"{folder}/g3.{file}"), file
            assert form != "csv" or one == read(f"{folder}/g2.{file}"), file


def mixed(chance, index):
    return f"{chance.choice(['v', ''])}{index}"


def round_trip(folder, keys, key_type, words, ranks=(2,)):
    """Converts a graph file to CSV or GraphML and imports the result."""
    vertices, edges = make(len(key_type) + 11, words, keys)
    write(folder, vertices, edges, key_type)
    run(1, "import", "--vertices", f"{folder}/v.csv", "--edges", f"{folder}/e.csv", "--seed", "5", "-o",
        f"{folder}/g.h5", "-q")
    wanted = hash_of(f"{folder}/g.h5")
    for form in "csv", "graphml":
        run(1, "convert", f"{folder}/g.h5", "-o", f"{folder}/g1.{form}", "-q")
    for number in ranks:
        for files in (("--vertices", f"{folder}/g1.vertices.csv", "--edges", f"{folder}/g1.edges.csv"),
                      (f"{folder}/g1.graphml",)):
            run(number, "import", *files, "--seed", "5", "-o", f"{folder}/again.h5", "-q")
            assert hash_of(f"{folder}/again.h5") == wanted, files
    return vertices, edges


def kinds_of_keys(folder):
    vertices, edges = round_trip(folder, mixed, "", WORDS, (1, 2, 3))
    same_bytes(folder)
    check_csv(folder, vertices, edges)
    check_graphml(folder, vertices, edges)
    check_matrix(folder, edges)
    check_jsonl(folder, dict(vertices), edges)
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tsvg", "-Kneato", f"{folder}/g1.dot", "-o", os.devnull], check=True)
    # TSV cannot represent all of these words
    run(2, "convert", f"{folder}/g.h5", "-o", f"{folder}/no.tsv", code=65, says="TSV")
    assert not [name for name in os.listdir(folder) if name.startswith("no.")]
    round_trip(folder, lambda chance, index: f"{index:02}", ":string", PLAIN)
    round_trip(folder, lambda chance, index: str(index), ":int", PLAIN, (1,))
    run(3, "convert", f"{folder}/g.h5", "-o", f"{folder}/t.tsv", "-q")
    run(1, "import", "--vertices", f"{folder}/t.vertices.tsv", "--edges", f"{folder}/t.edges.tsv", "--seed", "5",
        "-o", f"{folder}/again.h5", "-q")
    assert hash_of(f"{folder}/again.h5") == hash_of(f"{folder}/g.h5")


def undirected(folder):
    with open(f"{folder}/u.tsv", "w", encoding="utf-8") as file:
        file.write("src\tdst\tw:int\n1\t2\t5\n3\t2\t7\n2\t2\t1\n")
    run(1, "import", "--edges", f"{folder}/u.tsv", "--undirected", "-o", f"{folder}/u.h5", "-q")
    wanted = hash_of(f"{folder}/u.h5")
    run(2, "convert", f"{folder}/u.h5", "-o", f"{folder}/u.graphml", "-q")
    run(1, "import", f"{folder}/u.graphml", "-o", f"{folder}/again.h5", "-q")
    assert hash_of(f"{folder}/again.h5") == wanted
    run(2, "convert", f"{folder}/u.h5", "-o", f"{folder}/u.mtx", "--weight", "w", "-q")
    assert not os.path.exists(f"{folder}/u.keys.tsv")
    assert scipy.io.mmread(f"{folder}/u.mtx").toarray().tolist() == [[0, 5, 0], [5, 1, 7], [0, 7, 0]]


def neighbours(path):
    """Returns the sorted neighbours of each vertex in adjacency text."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").partition(" -> ") for line in file]
    assert len({name for name, _, _ in lines}) == len(lines), "a vertex has two lines"
    return {name: sorted(others.split(", ")) for name, _, others in lines}


def to_stdout(folder):
    """Formats with one file can also be printed, with the same bytes as in a file. Others refuse."""
    run(1, "generate", "uniform", "--vertices", "50", "--edges", "90", "--directed", "1", "-o", f"{folder}/p.h5", "-q")
    for format_, ending in (("adjacency", "adj"), ("jsonl", "jsonl"), ("graphml", "graphml"), ("dot", "dot")):
        run(1, "convert", f"{folder}/p.h5", "-o", f"{folder}/p.{ending}", "-q")
        for ranks in 1, 3:
            shown = run(ranks, "convert", f"{folder}/p.h5", "--format", format_, "-o", "-").stdout
            assert shown.encode() == read(f"{folder}/p.{ending}"), (format_, ranks)
    for format_ in "csv", "tsv":
        run(2, "convert", f"{folder}/p.h5", "--format", format_, "-o", "-", code=2, says="stdout")
    run(1, "convert", f"{folder}/p.h5", "-o", "-", code=2, says="name the format")
    run(2, "import", f"{folder}/p.adj", "-o", f"{folder}/q.h5", "-q")
    run(1, "convert", f"{folder}/q.h5", "-o", f"{folder}/q.adj", "-q")
    assert neighbours(f"{folder}/p.adj") == neighbours(f"{folder}/q.adj")


def way_back(folder):
    """The import command that convert prints must work. Formats that declare keys and attributes give the same graph."""
    run(1, "generate", "movies", "--films", "20", "-o", f"{folder}/m.h5", "-q")
    wanted = json.loads(run(1, "info", f"{folder}/m.h5", "--json", "-").stdout)["graph"]
    for format_ in "tsv", "csv", "jsonl", "graphml", "mtx", "adj":
        printed = run(1, "convert", f"{folder}/m.h5", "-o", f"{folder}/m.{format_}").stdout
        line = next(line for line in printed.splitlines() if line.startswith("Back: gemp-mpi import "))
        run(1, *line.replace("G.h5", f"{folder}/back.h5").split()[2:], "-q")
        found = json.loads(run(1, "info", f"{folder}/back.h5", "--json", "-").stdout)["graph"]
        assert found["vertices"] == wanted["vertices"], (format_, found, wanted)
        assert (found["hash"] == wanted["hash"]) == (format_ in ("tsv", "csv", "graphml")), (format_, found, wanted)


def refused(folder):
    graph = f"{folder}/u.h5"
    for code, says, *arguments in (
            (2, "--output", graph), (2, "ending", graph, "-o", f"{folder}/x.png"),
            (2, "no such edges", graph, "-o", f"{folder}/x.mtx", "--type", "X"),
            (2, "have no column", graph, "-o", f"{folder}/x.mtx", "--weight", "x"),
            (2, "weight is for .mtx", graph, "-o", f"{folder}/x.csv", "--weight", "w"),
            (74, "cannot write", graph, "-o", "/no/such/folder/x.csv"),
            (66, "none.h5", f"{folder}/none.h5", "-o", f"{folder}/x.csv")):
        run(1, "convert", *arguments, code=code, says=says)
    run(1, "generate", "rmat", "--scale", "14", "-o", f"{folder}/big.h5", "-q")
    run(2, "convert", f"{folder}/big.h5", "-o", f"{folder}/x.dot", code=65, says="too many to draw")
    assert not [name for name in os.listdir(folder) if name.startswith("x.")]


with tempfile.TemporaryDirectory() as place:
    kinds_of_keys(place)
    undirected(place)
    to_stdout(place)
    way_back(place)
    refused(place)
print("all passed")
