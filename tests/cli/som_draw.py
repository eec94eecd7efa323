"""Tests som draw on maps that this test makes: colours in SVG and PNG, legends, labels, layouts, and damaged maps and
labels, on 1 and 3 ranks."""
import csv
import gzip
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
import zlib

import h5py
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run
from som_case import write_map

SEED = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 30)))
DENSITY = 2  # pixels of a PNG per unit of length of an SVG
VIRIDIS = numpy.array([(68, 1, 84), (71, 45, 123), (59, 82, 139), (44, 114, 142), (33, 145, 140), (40, 174, 128),
                       (94, 201, 98), (173, 220, 48), (253, 231, 37)])
TITLE = re.compile(r"unit (\d+) \(x (\d+), y (\d+)\): ([^;]*)(?:; (.*))?")


def read_png(path):
    """Returns an array [height, width, 3] of a PNG with 8 bits a colour and without filters, as the program writes it."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, body = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + size]
        assert zlib.crc32(kind + chunk) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
        if kind == b"IHDR":
            width, height, depth, colours, *_ = struct.unpack(">IIBBBBB", chunk)
        body += chunk if kind == b"IDAT" else b""
        at += 12 + size
    assert (depth, colours) == (8, 2)
    raw = numpy.frombuffer(zlib.decompress(body), numpy.uint8).reshape(height, 3 * width + 1)
    assert (raw[:, 0] == 0).all()  # no filters
    return raw[:, 1:].reshape(height, width, 3)


def shade(values, value):
    """Returns the viridis colour of a value between the minimum and the maximum."""
    place = 8 * (value - values.min()) / (values.max() - values.min()) if values.max() > values.min() else 0
    below = min(int(place), 7)
    return VIRIDIS[below] + (place - below) * (VIRIDIS[below + 1] - VIRIDIS[below])


class Picture:
    """An SVG picture: its units in order, as (part, unit, middle, colour, value, label), and its texts as (x, y, text)."""
    def __init__(self, path, units):
        root = tree.parse(path).getroot()
        self.size = float(root.get("width")), float(root.get("height"))
        self.units, self.words, self.labels = [], [], []
        for element in root:
            kind = element.tag.split("}")[1]
            if kind == "text":
                place = float(element.get("x")), float(element.get("y"))
                (self.labels if element.get("class") else self.words).append((*place, element.text or ""))
            elif kind == "path" and len(element):
                corners = numpy.array(re.findall(r"([-\d.]+) ([-\d.]+)", element.get("d")), float)
                colour = [int(element.get("fill")[i:i + 2], 16) for i in (1, 3, 5)]
                unit, x, y, value, label = TITLE.fullmatch(element[0].text).groups()
                part, place = len(self.units) // units, (int(x), int(y))
                self.units.append((part, int(unit), corners, colour, value, label, place))

    def texts(self):
        return [text for _, _, text in self.words]


def draw(some, out, *options, ranks=1, code=0, says=""):
    run(ranks, "som", "draw", some, "-o", out, "-q", *options, code=code, says=says)


def close(found, wanted):
    return numpy.abs(numpy.array(found) - wanted).max() <= 1


def colours_of_units(rng):
    """In an SVG, units are at their positions of the grid, in the colours of their values. The PNG has the same colours
    at these positions."""
    for grid, rows, columns in (("rectangular", 4, 6), ("hexagonal", 5, 4)):
        w = rng.normal(size=(rows, columns, 3)).astype(numpy.float32).astype(float)  # rounded to floats, as in the file
        write_map("map.h5", w, ["a<b", "b", "c"], grid=grid)
        planes = [numpy.linspace(0.25, 1, rows * columns).reshape(rows, columns)] + [w[:, :, c] for c in range(3)]
        draw("map.h5", "map.svg", ranks=3)
        draw("map.h5", "map.png")
        svg, png = Picture("map.svg", rows * columns), read_png("map.png")
        assert png.shape == (DENSITY * svg.size[1], DENSITY * svg.size[0], 3), (png.shape, svg.size)
        assert {"U-matrix", "a<b", "b", "c"} <= set(svg.texts()), svg.texts()
        assert len(svg.units) == 4 * rows * columns
        for part, unit, corners, colour, value, _, (x, y) in svg.units:
            plane, middle = planes[part], corners.mean(0)
            assert (x, y) == (unit % columns, unit // columns) and abs(float(value) - plane[y, x]) < 1e-4
            assert close(colour, shade(plane, plane[y, x])), (part, unit, colour, plane[y, x])
            dot = png[int(middle[1] * DENSITY), int(middle[0] * DENSITY)]
            assert list(dot) == colour, (part, unit, dot, colour)
            first = svg.units[part * rows * columns][2].mean(0)
            cell = corners[:, 0].max() - corners[:, 0].min()
            place = (x + 0.5 * (y % 2), y * 0.75 ** 0.5) if grid == "hexagonal" else (x, y)
            assert numpy.abs(middle - first - numpy.array(place) * cell).max() < 0.2, (unit, middle, first, cell)
            assert len(corners) == (6 if grid == "hexagonal" else 4)
        for plane in planes[1:]:
            ends = {f"{plane.min():.4g}", f"{plane.max():.4g}"}
            assert ends <= set(svg.texts()), (ends, svg.texts())


def own_colours(rng):
    """The values of rgb are from 0 to 1, from 0 to 255, or from the minimum to the maximum."""
    raw = rng.random((3, 4, 4))
    rounded = raw.copy()
    rounded[1, 2] = 1 + 2e-7  # means may exceed 1 by rounding
    for w, least, most in ((raw, 0, 1), (rounded, 0, 1), (255 * raw, 0, 255), (255 * rounded, 0, 255), (1000 * raw - 300, None, None)):
        w = w.astype(numpy.float32).astype(float)  # rounded to floats, as in the file
        write_map("map.h5", w, ["red", "green", "blue", "x"])
        draw("map.h5", "map.svg", "--show", "rgb:blue,red,green")
        used = w[:, :, [2, 0, 1]].reshape(-1, 3)
        least, most = (used.min(0), used.max(0)) if most is None else (least, most)
        svg = Picture("map.svg", 12)
        for _, unit, _, colour, *_ in svg.units:
            assert close(colour, 255 * (used[unit] - least) / (most - least)), (unit, colour, used[unit])
        ends = [f"{v:.4g}" for pair in zip(numpy.broadcast_to(least, 3), numpy.broadcast_to(most, 3)) for v in pair]
        assert [text for text in svg.texts() if text][1:] == ends, (svg.texts(), ends)
    for asked in ("rgb:red,green", "rgb:red,green,blue,x", "rgb:"):
        draw("map.h5", "m.svg", "--show", asked, code=2, says="three columns")
    draw("map.h5", "m.svg", "--show", "rgb:red,green,blu", code=2, says="did you mean 'blue'?")


def hits():
    """Units without hits are grey, and the legend begins at 1."""
    write_map("map.h5", numpy.zeros((2, 3, 1)))
    draw("map.h5", "map.svg", "--show", "hits", "--show", "x1")
    svg = Picture("map.svg", 6)
    assert svg.units[0][3] == [224] * 3 and close(svg.units[1][3], VIRIDIS[0]) and close(svg.units[5][3], VIRIDIS[8])
    # in the second plane all values are equal
    assert close(svg.units[3][3], shade(numpy.arange(1, 6), 3)) and close(svg.units[7][3], VIRIDIS[0])
    assert svg.texts()[:4] == ["hits", "1", "grey: 0", "5"], svg.texts()


def other_forms_of_names(rows):
    """.csv and .jsonl, compressed or not, give the same picture as units.tsv."""
    with open("map.svg", encoding="utf-8") as file:
        expected = file.read()
    with open("units.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("unit", "x", "key")] + [(unit, "a,\nb", key) for key, unit in rows])
    with open("units.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"key": key, "unit": None if unit == "" else unit}) + "\n" for key, unit in rows)
    with open("units.jsonl", "rb") as file, gzip.open("units.jsonl.gz", "wb") as packed:
        packed.write(file.read())
    with h5py.File("units.h5", "w") as file:
        file["rows/key"] = [key for key, unit in rows]
        file["rows/unit"] = [0 if unit == "" else unit for key, unit in rows]
        file["null/unit"] = [unit == "" for key, unit in rows]
    with h5py.File("strings.h5", "w") as file:  # as the program writes strings
        texts = [key.encode() for key, unit in rows]
        file["rows/key/offsets"] = numpy.cumsum([0, *map(len, texts)], dtype=numpy.uint64)
        file["rows/key/bytes"] = numpy.frombuffer(b"".join(texts), dtype=numpy.uint8)
        file["rows/key"].attrs["encoding-type"] = "gemp-strings"
        file["rows/unit"] = [0 if unit == "" else unit for key, unit in rows]
        file["null/unit"] = [unit == "" for key, unit in rows]
    for name in ("units.csv", "units.jsonl", "units.jsonl.gz", "units.h5", "strings.h5"):
        draw("map.h5", "again.svg", "--show", "x2", "--show", "x1", "--labels", name)
        with open("again.svg", encoding="utf-8") as file:
            assert file.read() == expected, name
    os.mkfifo("pipe")
    with subprocess.Popen(["cp", "units.tsv", "pipe"]) as started:
        draw("map.h5", "again.svg", "--show", "x2", "--show", "x1", "--labels", "pipe")
    with open("again.svg", encoding="utf-8") as file:
        assert started.returncode == 0 and file.read() == expected
    draw("map.h5", "again.svg", "--labels", "/dev/null", code=65, says="/dev/null: is empty")
    with open("numbers.jsonl", "w", encoding="utf-8") as file:
        file.write('{"key":17,"unit":3}\n')
    draw("map.h5", "again.svg", "--show", "x1", "--labels", "numbers.jsonl")
    assert [text for *_, text in Picture("again.svg", 24).labels] == ["17"]
    for text, says in (("[1]\n", ":1: is no object"), ('{"key":"a","unit":0}\n{"key":"a"}\n', ":2: is no object"),
                       ("{\n", ":1: is no object"), ('{"key":"a","unit":"b"}\n', ":1: unit is a string"),
                       ('{"key":"a","unit":24}\n', ":1: '24' is no unit"), ('{"key":"a","unit":-1}\n', ":1: '-1'")):
        with open("bad.jsonl", "w", encoding="utf-8") as file:
            file.write(text)
        draw("map.h5", "plain.png", "--labels", "bad.jsonl", code=65, says="bad.jsonl" + says)
    draw("map.h5", "plain.png", "--labels", "map.h5", code=65, says="map.h5: has no /rows/key and /rows/unit")
    with h5py.File("bad.h5", "w") as file:
        file["rows/key"] = [1, 2]
        file["rows/unit"] = [0, 24]
    draw("map.h5", "plain.png", "--labels", "bad.h5", code=65, says="bad.h5:2: '24' is no unit")
    for last, says in ((0, "do not ascend"), (1 << 20, "fewer than")):
        with h5py.File("strings.h5", "r+") as file:
            file["rows/key/offsets"][-1] = last
        draw("map.h5", "plain.png", "--labels", "strings.h5", code=65, says=says)


def names_of_units(rng):
    """The label of a unit is the name that most of its vectors have. The label is cut to its space and followed by the
    number of vectors with other names."""
    write_map("map.h5", rng.normal(size=(2, 12, 2)), grid="hexagonal")
    rows = [("oak", 0), ("elm", 0), ("elm", 0), ("a<b & é", 2), ("first", 4), ("second", 4), ("", 23), ("x" * 50, 23)]
    rows.append(("yew", ""))  # an empty cell: the vector has no unit
    rows += [(f"unit of the lower row {u}", u) for u in range(13, 22)]
    with open("units.tsv", "w", encoding="utf-8") as file:
        file.write("distance\tunit\tkey\r\n")
        file.writelines(f"1\t{unit}\t{key}\n" for key, unit in rows)
    draw("map.h5", "map.svg", "--show", "x2", "--show", "x1", "--labels", "units.tsv", ranks=3)
    svg = Picture("map.svg", 24)
    texts = [text for *_, text in svg.labels]
    assert texts[:3] == ["elm +1", "a<b & é", "first +1"], texts
    assert svg.units[0][5] == "elm and 1 more" and svg.units[1][5] is None and svg.units[24][5] is None
    lower = sorted(label for label in svg.labels if label[1] > svg.labels[0][1])
    assert len(lower) == 9, lower
    at_the_edges = [text for *_, text in lower[::8]]  # labels in the corners have enough space
    assert at_the_edges == ["unit of the lower row 13", "unit of the lower row 21"], lower
    assert all(re.fullmatch("uni.*…", text) and len(text) < 14 for *_, text in lower[1:-1]), lower
    other_forms_of_names(rows)
    draw("map.h5", "map.png", "--show", "x1", "--labels", "units.tsv")
    dots = {tuple(dot) for line in read_png("map.png") for dot in line}
    assert {(0, 0, 0), (255, 255, 255)} <= dots and len(dots) > 20
    draw("map.h5", "plain.png", "--show", "x1", "--labels", "empty.tsv", code=66, says="empty.tsv")
    for text, says in (("key\tplace\na\t1\n", ":1: the header"), ("", ": is empty"),
                       ("key\tunit\na\t24\n", ":2: '24' is no unit"), ("key\tunit\na\tb\n", ":2: 'b'"),
                       ("key\tunit\n\na\n", ":3: has no"), ("key\tunit\n\udce9\t1\n", ":2: is not UTF-8")):
        with open("bad.tsv", "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        draw("map.h5", "plain.png", "--labels", "bad.tsv", code=65, says="bad.tsv" + says)
    assert not os.path.exists("plain.png")


def layouts(rng):
    """All parts are within the picture and do not overlap, for any shape of the map and any number of parts."""
    for rows, columns, dims in ((1, 1, 1), (1, 40, 3), (40, 1, 2), (3, 3, 20), (2, 2, 40), (70, 50, 5)):
        names = [f"a name that is too long for its part of the picture, of column {c}" for c in range(dims)]
        grid = str(rng.choice(["rectangular", "hexagonal"]))
        write_map("map.h5", rng.normal(size=(rows, columns, dims)), names, grid=grid)
        draw("map.h5", "map.svg", "--show", "planes")
        svg = Picture("map.svg", rows * columns)
        width, height = svg.size
        assert 0.5 < width / height < 3 or dims < 6, (rows, columns, dims, svg.size)
        boxes = []
        for part in range(dims):
            of = numpy.concatenate([unit[2] for unit in svg.units if unit[0] == part])
            boxes.append((*of.min(0), *of.max(0)))
        for i, (left, top, right, bottom) in enumerate(boxes):
            assert 0 <= left and right <= width and 0 < top and bottom < height, (boxes[i], svg.size)
            assert all(left > b[2] or right < b[0] or top > b[3] or bottom < b[1] for b in boxes[:i]), boxes
        assert sum(text.endswith("…") for text in svg.texts()) == dims, svg.texts()


def refusals():
    write_map("map.h5", numpy.zeros((3, 3, 2)), ["a", "price"])
    write_map("large.h5", numpy.zeros((700, 700, 1)))
    for ranks in (1, 3):
        draw("map.h5", "m.png", "--show", "prise", ranks=ranks, code=2, says="did you mean 'price'?")
    draw("map.h5", "m.gif", code=2, says=".svg or .png")
    draw("large.h5", "m.svg", "--show", "x1", code=2, says="write a .png")
    write_map("large.h5", numpy.zeros((1, 16000, 1)))
    draw("large.h5", "m.png", code=2, says="pixels wide or high")
    draw("map.h5", "none/m.png", code=74, says="none/m.png")
    draw("none.h5", "m.png", code=66, says="none.h5")


def replace(file, name, value):
    del file[name]
    file[name] = value


def spoil(name, at, value):
    def change(file):
        values = file[name][()]
        values[at] = value
        file[name][...] = values
    return change


DAMAGES = {
    "has no dataset 'codebook'": lambda f: f.pop("codebook"),
    "has no dataset 'columns'": lambda f: f.pop("columns"),
    "'codebook' is not of 3 dimensions": lambda f: replace(f, "codebook", numpy.zeros(12)),
    "'codebook' is not of numbers": lambda f: replace(f, "codebook", numpy.array([[[b"a"]]])),
    "the codebook is of 0 x 4 x 2": lambda f: replace(f, "codebook", numpy.zeros((0, 4, 2))),
    "'umatrix' has 4 in dimension 1, where the codebook makes it 3":
        lambda f: replace(f, "umatrix", f["umatrix"][()].T),
    "'hits' has 2 in dimension 2": lambda f: replace(f, "hits", f["hits"][()][:, :2]),
    "'columns' has 1 in dimension 1": lambda f: replace(f, "columns", f["columns"][()][:1]),
    "'columns' is not of texts": lambda f: replace(f, "columns", numpy.arange(2)),
    "columns[1] is not UTF-8": lambda f: replace(f, "columns", numpy.array([b"a", b"\xe9"], dtype=h5py.string_dtype())),
    "codebook: 'x2' of the unit in row 1, column 2 is nan": spoil("codebook", (1, 2, 1), numpy.nan),
    "codebook: 'x1' of the unit in row 2, column 0 is inf": spoil("codebook", (2, 0, 0), numpy.inf),
    "umatrix: row 2, column 3 is nan": spoil("umatrix", (2, 3), numpy.nan),
    "scale: 'x2' has 0 and 0": spoil("scale", (1, 1), 0),
    "has no attribute 'grid'": lambda f: f.attrs.pop("grid"),
    "attribute 'grid' is 'round', and not rectangular|hexagonal": lambda f: f.attrs.modify("grid", "round"),
    "attribute 'seed' is not one number": lambda f: f.attrs.__setitem__("seed", "x"),
    "attribute 'radius' is not one number": lambda f: f.attrs.__setitem__("radius", numpy.zeros(3)),
    "is no map, but 'gemp-result'": lambda f: f.attrs.modify("encoding-type", "gemp-result"),
    "version '9.0.0'": lambda f: f.attrs.modify("encoding-version", "9.0.0"),
}


def damages(rng):
    """A damaged map gives one error with the file and the position, exit code 65 and no picture. apply gives the same
    error."""
    w = rng.normal(size=(3, 4, 2))
    numpy.save("t.npy", numpy.zeros((5, 2), numpy.float32))
    for number, (says, damage) in enumerate(DAMAGES.items()):
        write_map("bad.h5", w)
        with h5py.File("bad.h5", "r+") as file:
            damage(file)
        draw("bad.h5", "m.png", ranks=3 if number % 5 == 0 else 1, code=65, says="bad.h5: ")
        run(1, "som", "apply", "bad.h5", "t.npy", "-o", "u.tsv", "-q", "--devices", "cpu", code=65, says=says)
    write_map("map.h5", w)
    with open("map.h5", "rb") as file:
        whole = file.read()
    for ranks, part in ((1, b""), (3, b"no HDF5"), (3, whole[:len(whole) // 2]), (1, whole[:-1])):
        with open("bad.h5", "wb") as file:
            file.write(part)
        draw("bad.h5", "m.png", ranks=ranks, code=65, says="bad.h5: not ")
    draw("map.h5", "map.png")
    assert not os.path.exists("m.png") and not os.path.exists("u.tsv")


def main():
    print("seed", SEED)
    rng = numpy.random.default_rng(SEED)
    colours_of_units(rng)
    own_colours(rng)
    hits()
    names_of_units(rng)
    layouts(rng)
    refusals()
    damages(rng)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
