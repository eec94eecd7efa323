"""Tests match --draw: pictures have every vertex, condition and edge, boxes do not overlap, and the numbers are the order of
the plan."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

SVG = "{http://www.w3.org/2000/svg}"
FILLS = {"#dbe9f6": "vertex", "#ffd97a": "pivot", "#e6e6e6": "optional"}
CASTS = ("MATCH (a:Person)-[r:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person) WHERE a.name CONTAINS 'Jack' AND a.name < b.name "
         "RETURN a, m, b")


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def parse(path):
    """Returns the texts of an SVG, and the boxes of vertices [(kind, x, y, width, height)]. Each box lies in the picture."""
    root = xml.fromstring(text(path))
    width, height = float(root.get("width")), float(root.get("height"))
    words = [element.text for element in root.iter(SVG + "text")]
    boxes = []
    for shape in root.iter():
        if shape.tag == SVG + "path" and shape.get("fill") in FILLS:
            (x, y), _, (right, bottom), _ = (map(float, corner.split()) for corner in re.findall(r"[\d.-]+ [\d.-]+", shape.get("d")))
            w, h = right - x, bottom - y
            assert 0 <= x and x + w <= width and 0 <= y and y + h <= height, (path, x, y, w, h)
            boxes.append((FILLS[shape.get("fill")], x, y, w, h))
    # the text of a vertex stands on a box of its own within the box of the vertex
    outer = [b for b in boxes if not any(inside(b, other) for other in boxes if other is not b)]
    return words, outer


def inside(a, b):
    return a != b and a[1] >= b[1] and a[2] >= b[2] and a[1] + a[3] <= b[1] + b[3] and a[2] + a[4] <= b[2] + b[4]


def apart(a, b):
    return a[1] + a[3] <= b[1] or b[1] + b[3] <= a[1] or a[2] + a[4] <= b[2] or b[2] + b[4] <= a[2]


def no_overlap(boxes, count, pivots):
    assert len(boxes) == count and sum(b[0] == "pivot" for b in boxes) == pivots, boxes
    assert all(apart(a, b) for i, a in enumerate(boxes) for b in boxes[:i]), boxes


def one_query():
    for number in 1, 3:
        run(number, "match", "m.h5", CASTS, "--dry-run", "--draw", "casts%d.svg" % number, "--order", "m,b,a")
    assert text("casts1.svg") == text("casts3.svg")
    words, boxes = parse("casts1.svg")
    for wanted in "a:Person", "m:Movie", "b:Person", "a.name CONTAINS 'Jack'", "WHERE a.name < b.name", "r:ACTS_IN":
        assert wanted in words, (wanted, words)
    assert words.count(":ACTS_IN") == 1 and {"1", "2", "3"} <= set(words)
    no_overlap(boxes, 3, 1)
    run(1, "match", "m.h5", CASTS, "--dry-run", "--draw", "casts.dot", "--order", "m,b,a")
    dot = text("casts.dot")
    order = dict(re.findall(r'(v\d) \[label="[^"]*", xlabel="(\d)"', dot))
    assert order == {"v0": "3", "v1": "1", "v2": "2"}, dot
    assert re.findall(r"(v\d) -> (v\d) \[label=\"([^\"]*)\"", dot) == [("v0", "v1", "r:ACTS_IN\\n"), ("v2", "v1", ":ACTS_IN\\n")], dot
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tsvg", "casts.dot", "-o", "by-dot.svg"], check=True)
    run(1, "match", "m.h5", CASTS, "--count", "--draw", "casts.png", "-q")
    with open("casts.png", "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"


def shapes():
    """Shapes of --pattern, loops, parallel edges, parts that no edge joins, and OPTIONAL MATCH."""
    for shape, count in ("house", 5), ("star:6", 7), ("path:12", 12), ("clique:7", 7), ("cycle:20", 20), ("path:32", 32):
        run(1, "match", "m.h5", "--pattern", shape, "--dry-run", "--draw", "shape.svg", "--count-by", "enumerate")
        words, boxes = parse("shape.svg")
        no_overlap(boxes, count, 1)
        assert {str(v) for v in range(count)} <= set(words)
    run(1, "match", "m.h5", "MATCH (a)-[x]->(a), (a)-[:ACTS_IN]->(b), (a)<-[:HAS_GENRE]-(b), (c:Person) WHERE id(c) <> id(b) "
        "RETURN a", "--dry-run", "--draw", "parts.svg")
    words, boxes = parse("parts.svg")
    no_overlap(boxes, 3, 0)
    assert {"x", ":ACTS_IN", ":HAS_GENRE", "c:Person"} <= set(words), words
    run(1, "match", "m.h5", "MATCH (a:Person) OPTIONAL MATCH (a)-[:ACTS_IN*1..3]->(m) WHERE m.name > 'K' RETURN a, m", "--dry-run",
        "--draw", "optional.svg")
    words, boxes = parse("optional.svg")
    no_overlap(boxes, 2, 0)
    assert [b[0] for b in boxes] == ["vertex", "optional"] and ":ACTS_IN*1..3" in words and "m.name > 'K'" in words, words


def long_conditions():
    """A condition that is too long for a box is in the notes, as a whole."""
    names = ", ".join("'%s'" % (letter * 30) for letter in "abc")
    run(1, "match", "m.h5", f"MATCH (a:Person)-->(m) WHERE a.name IN [{names}] AND EXISTS {{ (m)-[:HAS_GENRE]->(g) WHERE "
        "g.name = 'Drama' } RETURN a", "--dry-run", "--draw", "long.svg")
    words, boxes = parse("long.svg")
    no_overlap(boxes, 2, 0)
    assert f"WHERE a.name IN [{names}]" in words and any(w.startswith("WHERE EXISTS { (m)-[:HAS_GENRE]->(g)") for w in words), words


def files_and_mistakes():
    with open("two.cypher", "w", encoding="utf-8") as file:
        file.write("MATCH (a)-->(b) RETURN a;\nMATCH (c:Movie) RETURN c\n")
    run(2, "match", "m.h5", "--query-file", "two.cypher", "--dry-run", "--draw", "two.svg")
    assert "c:Movie" in parse("two.2.svg")[0] and len(parse("two.1.svg")[1]) == 2
    run(3, "match", "m.h5", CASTS, "--draw", "casts.pdf", code=2, says="the ending must be .svg, .png or .dot")
    run(2, "match", "m.h5", CASTS, "--draw", "no/such/casts.svg", code=74, says="no/such/casts.svg")
    run(1, "match", "m.h5", CASTS, "--draw", "m.h5", code=2, says="also the file of an argument")
    run(1, "match", "m.h5", "--pattern", "motifs:3", "--draw", "m.svg", code=2, says="--draw is for a single pattern")
    run(1, "match", "m.h5", CASTS, "--estimate", "--draw", "m.svg", code=2, says="--draw has no effect")


with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    run(1, "generate", "movies", "--films", "60", "--people", "200", "-o", "m.h5", "-q")
    for test in one_query, shapes, long_conditions, files_and_mistakes:
        test()
