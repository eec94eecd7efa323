"""Self-organising maps for tests: data, files of maps, and values computed from their definitions."""
import gzip
import json
import struct

import h5py
import numpy

from program import run


def clusters(rng, count, dims, missing=0.0):
    """Returns vectors around a few centres, so units are far apart: [count, dims] of float32."""
    x = rng.normal(size=(6, dims))[rng.integers(6, size=count)] * 4 + rng.normal(size=(count, dims))
    x[rng.random(x.shape) < missing] = numpy.nan
    return x.astype(numpy.float32)


def zstd(data):
    """Returns a Zstandard frame of uncompressed blocks (RFC 8878)."""
    blocks = [data[i:i + 100000] for i in range(0, len(data), 100000)] or [b""]
    frame = struct.pack("<IBI", 0xFD2FB528, 0xA0, len(data))
    for i, block in enumerate(blocks):
        frame += struct.pack("<I", len(block) << 3 | (i == len(blocks) - 1))[:3] + block
    return frame


def write_table(path, x, names, keys=None):
    """Writes a table. The ending of the path selects tabs or commas, and compression."""
    comma = "," if ".csv" in path else "\t"
    lines = [comma.join((["key"] if keys else []) + names)]
    for i, row in enumerate(x):
        cells = ["" if numpy.isnan(v) else repr(float(v)) for v in row]
        lines.append(comma.join(([keys[i]] if keys else []) + cells))
    data = "".join(line + "\n" for line in lines).encode()
    with open(path, "wb") as file:
        file.write(gzip.compress(data) if path.endswith(".gz") else zstd(data) if path.endswith(".zst") else data)


def write_map(path, w, names=None, **attributes):
    """Writes a map of the units w, [rows, columns, d], as the program would. The hits of units are 0, 1, 2, ...."""
    rows, columns, dims = w.shape
    settings = dict(grid="rectangular", topology="planar", metric="euclidean", neighbourhood="gaussian",
                    cooling="linear", training="batch", start="pca", scaling="none", seed=1, epoch=3, epochs=3,
                    samples=5, radius=2.0)
    with h5py.File(path, "w") as file:
        file["codebook"] = w.astype(numpy.float32)
        file["umatrix"] = numpy.linspace(0.25, 1, rows * columns, dtype=numpy.float32).reshape(rows, columns)
        file["hits"] = numpy.arange(rows * columns, dtype=numpy.uint64).reshape(rows, columns)
        file["scale"] = numpy.array([[0.0] * dims, [1.0] * dims])
        file["columns"] = numpy.array(names or [f"x{i + 1}" for i in range(dims)], dtype=h5py.string_dtype())
        settings.update({"encoding-type": "gemp-som", "encoding-version": "0.1.0", "radius-end": 1.0, "rate": 0.1,
                         "rate-end": 0.01, **attributes})
        for name, value in settings.items():
            file.attrs[name] = numpy.uint64(value) if isinstance(value, int) else value


class Map:
    def __init__(self, path):
        with h5py.File(path) as file:
            self.attributes = dict(file.attrs)
            self.w = file["codebook"][()].astype(float)
            self.umatrix = file["umatrix"][()]
            self.hits = file["hits"][()] if "hits" in file else None
            self.offset, self.factor = file["scale"][()]
            self.columns = [name.decode() for name in file["columns"][()]]
        self.rows, self.width, self.dims = self.w.shape

    def scaled(self, x):
        return (x.astype(float) - self.offset) * self.factor

    def distances(self, x):
        """Returns distances [n, units], computed over the values that are present."""
        x, w = self.scaled(x)[:, None, :], self.w.reshape(-1, self.dims)[None]
        there = ~numpy.isnan(x)
        x = numpy.where(there, x, 0)
        w = numpy.where(there, w, 0)
        if self.attributes["metric"] == "manhattan":
            return numpy.abs(x - w).sum(2)
        if self.attributes["metric"] == "cosine":
            with numpy.errstate(invalid="ignore"):  # a vector without values gives 0 / 0
                return 1 - (x * w).sum(2) / numpy.sqrt((x ** 2).sum(2) * (w ** 2).sum(2))
        return numpy.sqrt(((x - w) ** 2).sum(2))

    def neighbours(self, y, x, corners=False):
        steps = [(0, -1), (0, 1), (-1, 0), (1, 0)]
        if self.attributes["grid"] == "hexagonal":
            side = 0 if y % 2 else -1
            steps = [(0, -1), (0, 1), (-1, side), (-1, side + 1), (1, side), (1, side + 1)]
        elif corners:
            steps += [(-1, -1), (-1, 1), (1, -1), (1, 1)]
        found = set()
        for down, right in steps:
            to = (y + down, x + right)
            if self.attributes["topology"] == "toroid":
                to = (to[0] % self.rows, to[1] % self.width)
            if 0 <= to[0] < self.rows and 0 <= to[1] < self.width and to != (y, x):
                found.add(to)
        return found

    def check(self, x, report):
        """Checks U-matrix, hits and errors for this data by their definitions."""
        for y in range(self.rows):
            for column in range(self.width):
                near = [numpy.linalg.norm(self.w[y, column] - self.w[to]) for to in self.neighbours(y, column)]
                mean = numpy.mean(near) if near else 0
                found = self.umatrix[y, column]
                assert abs(found - mean) <= 1e-4 * (1 + mean), (y, column, found, mean)
        has = ~numpy.isnan(x).all(1)
        distances = self.distances(x[has])
        best = distances.argmin(1)
        assert self.hits.sum() == has.sum()
        counted = numpy.bincount(best, minlength=self.rows * self.width)
        nearest = numpy.sort(distances, 1)
        # these two units are so close that single precision may find either
        alike = numpy.sum(nearest[:, 1] <= nearest[:, 0] * (1 + 1e-4) + 1e-7)
        assert numpy.abs(counted - self.hits.ravel()).sum() <= 2 * alike, (counted, self.hits, alike)
        mean = distances.min(1).mean()
        assert abs(report["quantisation_error"] - mean) <= 1e-3 * mean, (report["quantisation_error"], mean)
        assert abs(self.attributes["quantisation-error"] - mean) <= 1e-3 * mean
        least, most = numpy.mean([self.torn(line, near) for line, near in zip(distances, nearest[:, 1])], 0)
        assert least - 1e-6 <= report["topographic_error"] <= most + 1e-6, (report["topographic_error"], least, most)
        return least, most

    def torn(self, distances, second):
        """Returns two booleans for each vector: whether its two best units are certainly apart, and whether they are
        possibly apart, since units at the same distance may be exchanged."""
        best = numpy.flatnonzero(distances <= second * (1 + 1e-4) + 1e-7)
        nearest = [(u // self.width, u % self.width) for u in best]
        apart = [b not in self.neighbours(*a, True) for a in nearest for b in nearest if a != b]
        return all(apart), any(apart)

    def check_rows(self, x, keys, rows):
        """Checks the rows that apply wrote for these vectors, as cells of text."""
        assert len(rows) == len(x)
        distances = self.distances(x)
        for i, (key, unit, column, row, distance, second) in enumerate(rows):
            assert key == (keys[i] if keys else str(i))
            if numpy.isnan(x[i]).all():
                assert (unit, column, row, distance, second) == ("", "", "", "", ""), rows[i]
                continue
            unit = int(unit)
            assert (int(column), int(row)) == (unit % self.width, unit // self.width)
            least = distances[i].min()
            assert distances[i][unit] <= least + 1e-3 * (1 + least), (i, unit, distances[i][unit], least)
            assert abs(float(distance) - distances[i][unit]) <= 1e-3 * (1 + least)
            assert int(second) != unit


def train(ranks, data, out, *options):
    run(ranks, "som", "train", data, "-o", out, "-q", "--json", "r.json", "--devices", "cpu", *options)
    with open("r.json", encoding="utf-8") as file:
        return json.load(file)


def apply(ranks, some, data, out):
    return run(ranks, "som", "apply", some, data, "-o", out, "-q", "--devices", "cpu")


def read_rows(path, comma="\t"):
    """Returns the rows of a .tsv or .csv file, without the header."""
    with open(path, encoding="utf-8") as file:
        head, *lines = [line.rstrip("\n").split(comma) for line in file]
    assert head == ["key", "unit", "x", "y", "distance", "second"], head
    return lines


NAMES = ["a", "b c", "é"]
SETTINGS = [(("--grid", "hexagonal", "--scale", "standard"), 0.1),
            (("--metric", "cosine", "--training", "online", "--cooling", "exponential", "--start", "samples"), 0.0),
            (("--grid", "hexagonal", "--topology", "toroid", "--scale", "unit", "--neighbourhood", "bubble"), 0.1),
            (("--topology", "toroid", "--neighbourhood", "gaussian-cut", "--start", "random"), 0.0),
            (("--metric", "manhattan", "--neighbourhood", "square"), 0.1),
            (("--metric", "cosine", "--scale", "standard"), 0.1)]
TABLES = [("t.tsv.zst", True), ("t.csv", False), ("t.tsv.gz", True), ("t.tsv", False), ("t.csv.gz", True),
          ("t.csv.zst", False)]


def check_setting(rng, number, training, applying):
    """Trains and applies a map with one of SETTINGS, on a table of one of TABLES, on these numbers of ranks."""
    (options, missing), (data, named) = SETTINGS[number], TABLES[number]
    x = clusters(rng, 100, 3, missing)
    if missing:
        x[7] = numpy.nan
    keys = [f"v{i}" for i in range(len(x))] if named else None
    write_table(data, x, NAMES, keys)
    report = train(training, data, "map.h5", "--size", "6x8", "--epochs", "4", *options)
    some = Map("map.h5")
    assert some.w.shape == (6, 8, 3) and some.columns == NAMES
    assert some.attributes["epoch"] == 4 and some.attributes["samples"] == len(x) and len(report["epochs"]) == 4
    least, most = some.check(x, report)
    # the bounds are close, so check() detects a wrong unit
    assert missing or "--neighbourhood" in options or most - least < 0.1, (least, most)
    apply(applying, "map.h5", data, "units.tsv")
    some.check_rows(x, keys, read_rows("units.tsv"))
    return x, keys, data
