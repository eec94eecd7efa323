"""som: train, apply and draw on 1 to 3 ranks; the map is read by h5py, and its units, errors, U-matrix and hits are those that
numpy finds; tables, arrays and HDF5 give the same map; training goes on where it stopped; pictures are whole."""
import gzip
import json
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as tree
import zlib

import h5py
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import attempt, run

SEED = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 30)))


def clusters(rng, count, dims, missing=0.0):
    """Vectors around a few middles, so that units are far apart; [count, dims] of float32."""
    x = rng.normal(size=(6, dims))[rng.integers(6, size=count)] * 4 + rng.normal(size=(count, dims))
    x[rng.random(x.shape) < missing] = numpy.nan
    return x.astype(numpy.float32)


def write_table(path, x, names, keys=None):
    """By the ending: tabs or commas, compressed or not."""
    comma = "," if ".csv" in path else "\t"
    with (gzip.open if path.endswith(".gz") else open)(path, "wt") as file:
        file.write(comma.join((["key"] if keys else []) + names) + "\n")
        for i, row in enumerate(x):
            cells = ["" if numpy.isnan(v) else repr(float(v)) for v in row]
            file.write(comma.join(([keys[i]] if keys else []) + cells) + "\n")


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
        """[n, units], over the values that are there."""
        apart = self.scaled(x)[:, None, :] - self.w.reshape(-1, self.dims)[None]
        there = ~numpy.isnan(apart)
        apart = numpy.where(there, apart, 0)
        if self.attributes["metric"] == "manhattan":
            return numpy.abs(apart).sum(2)
        return numpy.sqrt((apart ** 2).sum(2))

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
        """U-matrix, hits and errors of this data, by their definitions."""
        for y in range(self.rows):
            for column in range(self.width):
                near = [numpy.linalg.norm(self.w[y, column] - self.w[to]) for to in self.neighbours(y, column)]
                mean = numpy.mean(near) if near else 0
                assert abs(self.umatrix[y, column] - mean) <= 1e-4 * (1 + mean), (y, column, self.umatrix[y, column], mean)
        has = ~numpy.isnan(x).all(1)
        distances = self.distances(x[has])
        best = distances.argmin(1)
        assert self.hits.sum() == has.sum()
        counted = numpy.bincount(best, minlength=self.rows * self.width)
        nearest = numpy.sort(distances, 1)
        alike = numpy.sum(nearest[:, 1] <= nearest[:, 0] * (1 + 1e-4)) # a float may find either
        assert numpy.abs(counted - self.hits.ravel()).sum() <= 2 * alike, (counted, self.hits, alike)
        mean = distances.min(1).mean()
        assert abs(report["quantisation_error"] - mean) <= 1e-3 * mean, (report["quantisation_error"], mean)
        assert abs(self.attributes["quantisation-error"] - mean) <= 1e-3 * mean
        least, most = numpy.mean([self.torn(line, near) for line, near in zip(distances, nearest[:, 1])], 0)
        assert least - 1e-6 <= report["topographic_error"] <= most + 1e-6, (report["topographic_error"], least, most)
        return least, most

    def torn(self, distances, second):
        """Whether the two best units are apart: surely, possibly, as units at the same distance are taken for each other."""
        nearest = [(u // self.width, u % self.width) for u in numpy.flatnonzero(distances <= second * (1 + 1e-4) + 1e-7)]
        apart = [b not in self.neighbours(*a, True) for a in nearest for b in nearest if a != b]
        return all(apart), any(apart)


def train(ranks, data, out, *options):
    run(ranks, "som", "train", data, "-o", out, "-q", "--json", "r.json", "--devices", "cpu", *options)
    with open("r.json") as file:
        return json.load(file)


def read_rows(path):
    with open(path) as file:
        head, *lines = [line.rstrip("\n").split("\t") for line in file]
    assert head == ["key", "unit", "x", "y", "distance", "second"], head
    return lines


def check_apply(rng, some, data, x, keys, ranks):
    run(ranks, "som", "apply", "map.h5", data, "-o", "units.tsv", "-q", "--devices", "cpu")
    rows = read_rows("units.tsv")
    assert len(rows) == len(x)
    distances = some.distances(x)
    for i, (key, unit, column, row, distance, second) in enumerate(rows):
        assert key == (keys[i] if keys else str(i))
        if numpy.isnan(x[i]).all():
            assert (unit, column, row, distance, second) == ("", "", "", "", ""), rows[i]
            continue
        unit = int(unit)
        assert (int(column), int(row)) == (unit % some.width, unit // some.width)
        least = distances[i].min()
        assert distances[i][unit] <= least + 1e-3 * (1 + least), (i, unit, distances[i][unit], least)
        assert abs(float(distance) - distances[i][unit]) <= 1e-3 * (1 + least)
        assert int(second) != unit


def settings(rng):
    """All forms of training, on all shapes of maps; planes of data that lacks values, too."""
    base = ("--size", "6x8", "--epochs", "4")
    cases = [(("--scale", "standard"), 0.0), (("--grid", "hexagonal", "--scale", "unit"), 0.1),
             (("--topology", "toroid", "--neighbourhood", "bubble"), 0.1),
             (("--grid", "hexagonal", "--topology", "toroid", "--neighbourhood", "gaussian-cut", "--start", "random"), 0.0),
             (("--training", "online", "--cooling", "exponential", "--start", "samples"), 0.0),
             (("--metric", "manhattan", "--neighbourhood", "square"), 0.0)]
    for number, (options, missing) in enumerate(cases):
        x = clusters(rng, 150, 5, missing)
        if missing:
            x[7] = numpy.nan
        keys = [f"v{i}" for i in range(len(x))] if number % 2 else None
        names = ["a", "b", "c d", "é", "e"]
        data = ("t.tsv", "t.csv", "t.tsv.gz")[number % 3]
        write_table(data, x, names, keys)
        ranks = 1 + number % 3
        report = train(ranks, data, "map.h5", *base, *options)
        some = Map("map.h5")
        assert some.w.shape == (6, 8, 5) and some.columns == names
        assert some.attributes["epoch"] == 4 and some.attributes["samples"] == len(x) and len(report["epochs"]) == 4
        least, most = some.check(x, report)
        assert "--neighbourhood" in options or most - least < 0.1, (least, most) # the check says something
        check_apply(rng, some, data, x, keys, ranks)


def forms(rng):
    """The same map of a table, an array and HDF5, and of any number of ranks but for rounding."""
    x = clusters(rng, 90, 4)
    write_table("t.tsv", x, ["x1", "x2", "x3", "x4"])
    numpy.save("t.npy", x.astype(numpy.float64))
    numpy.save("f.npy", numpy.asfortranarray(x))
    with h5py.File("t.h5", "w") as file:
        file.create_dataset("group/x", data=x, chunks=(16, 2), compression="gzip")
    maps = []
    for data in ("t.tsv", "t.npy", "f.npy", "t.h5:/group/x"):
        for ranks in (1, 3):
            train(ranks, data, "map.h5", "--size", "5x5", "--epochs", "3")
            maps.append(Map("map.h5").w)
    for other in maps[1:]:
        assert numpy.abs(other - maps[0]).max() < 1e-3 * numpy.abs(maps[0]).max()


def scaling(rng):
    x = clusters(rng, 80, 3)
    x[:, 2] = 5 # a column without a width
    numpy.save("t.npy", x)
    for word, middle, width in (("none", x[0] * 0, x[0] * 0 + 1), ("unit", x.min(0), x.max(0) - x.min(0)),
                                ("standard", x.astype(float).mean(0), x.astype(float).std(0))):
        train(2, "t.npy", "map.h5", "--size", "4x4", "--epochs", "2", "--scale", word)
        some = Map("map.h5")
        assert numpy.allclose(some.offset, middle, atol=1e-5), (word, some.offset, middle)
        assert numpy.allclose(1 / some.factor[:2], width[:2], rtol=1e-5) and some.factor[2] == 1, (word, some.factor)


def resumed(rng):
    """A training that was stopped and went on is the one that was not."""
    x = clusters(rng, 120, 6)
    numpy.save("t.npy", x)
    options = ("--size", "6x6", "--epochs", "30", "--training", "online")
    train(2, "t.npy", "whole.h5", *options)
    done = attempt(1, "som", "train", "t.npy", "-o", "part.h5", "-q", "--devices", "cpu", *options, "--max-time", "0.000001")
    assert done.returncode == 75 and "--resume goes on" in done.stderr, (done.returncode, done.stderr)
    first = Map("part.h5").attributes["epoch"]
    assert 0 < first < 30, first
    train(2, "t.npy", "part.h5", "--resume")
    whole, part = Map("whole.h5"), Map("part.h5")
    assert part.attributes["epoch"] == 30
    assert numpy.abs(whole.w - part.w).max() < 1e-3 * numpy.abs(whole.w).max()
    run(1, "som", "train", "t.npy", "-o", "part.h5", "-q", "--resume", "--devices", "cpu") # nothing is left to do
    numpy.save("u.npy", x[:50])
    run(1, "som", "train", "u.npy", "-o", "part.h5", "-q", "--resume", "--devices", "cpu", code=65, says="the same data")


def interrupted(rng):
    numpy.save("t.npy", clusters(rng, 500, 8))
    with subprocess.Popen([os.environ["GEMP_MPI"], "som", "train", "t.npy", "-o", "long.h5", "-q", "--devices", "cpu", "--size",
                           "30x30", "--epochs", "1000000", "--save-every", "5"], stderr=subprocess.PIPE, text=True) as started:
        while started.poll() is None and not os.path.exists("long.h5"):
            time.sleep(0.01)
        saved = Map("long.h5")
        assert saved.attributes["epoch"] % 5 == 0 and saved.hits is None
        started.send_signal(signal.SIGTERM)
        started.wait(timeout=60)
        said = started.stderr.read()
        assert started.returncode == 75 and "SIGTERM" in said, (started.returncode, said)
    assert Map("long.h5").attributes["epoch"] >= saved.attributes["epoch"] and Map("long.h5").hits.sum() == 500
    assert not [name for name in os.listdir(".") if ".part" in name]


def read_png(path):
    """[height, width, 3]; filters are undone as the format's definition says."""
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
    raw = zlib.decompress(body)
    lines, before = [], [0] * (3 * width)
    for y in range(height):
        how, *line = raw[y * (3 * width + 1):(y + 1) * (3 * width + 1)]
        for i in range(3 * width):
            left, up, corner = (line[i - 3], before[i], before[i - 3]) if i >= 3 else (0, before[i], 0)
            guess = left + up - corner
            paeth = min((abs(guess - v), n, v) for n, v in enumerate((left, up, corner)))[2]
            line[i] = (line[i] + (0, left, up, (left + up) // 2, paeth)[how]) % 256
        lines.append(line)
        before = line
    return numpy.array(lines).reshape(height, width, 3)


def pictures(rng):
    x = clusters(rng, 60, 3)
    write_table("t.tsv", x, ["a<b", "b", "c"], [f"k{i}" for i in range(60)])
    for grid in ("rectangular", "hexagonal"):
        train(1, "t.tsv", "map.h5", "--size", "4x6", "--epochs", "3", "--grid", grid, "--scale", "standard")
        run(1, "som", "apply", "map.h5", "t.tsv", "-o", "units.tsv", "-q", "--devices", "cpu")
        run(2, "som", "draw", "map.h5", "--labels", "units.tsv", "-o", "map.svg", "-q")
        texts = [e for e in tree.parse("map.svg").iter() if e.tag.endswith("}text")]
        titles = [e.text for e in tree.parse("map.svg").iter() if e.tag.endswith("}title")]
        words = [e.text for e in texts]
        assert len(titles) == 4 * 24 and {"U-matrix", "a<b", "b", "c"} <= set(words), words
        some = Map("map.h5")
        plane = some.w[:, :, 1] / some.factor[1] + some.offset[1]
        assert f"{plane.min():.4g}" in words and f"{plane.max():.4g}" in words, (plane.min(), plane.max(), words)
        first = {}
        for key, unit, *_ in read_rows("units.tsv"):
            first.setdefault(unit, []).append(key)
        for keys in first.values():
            assert keys[0] + (f" +{len(keys) - 1}" if len(keys) > 1 else "") in words, (keys, words)
    run(1, "som", "draw", "map.h5", "--show", "b", "--show", "hits", "-o", "map.png", "-q")
    colours = {tuple(pixel) for line in read_png("map.png") for pixel in line}
    assert {(68, 1, 84), (253, 231, 37), (255, 255, 255), (0, 0, 0)} <= colours and len(colours) > 20, len(colours)
    run(1, "som", "draw", "map.h5", "--show", "bb", "-o", "map.png", code=2, says="did you mean 'b'?")
    run(1, "som", "draw", "map.h5", "-o", "map.gif", code=2, says=".svg or .png")


def refusals(rng):
    numpy.save("t.npy", clusters(rng, 20, 3))
    numpy.save("wide.npy", clusters(rng, 20, 4))
    train(1, "t.npy", "map.h5", "--size", "3x3", "--epochs", "1")
    for ranks in (1, 2):
        run(ranks, "som", "paint", "t.npy", "-o", "m.h5", code=2, says="train, apply and draw")
        run(ranks, "som", "train", "t.npy", code=2, says="som train needs: DATA -o MAP.h5")
        run(ranks, "som", "train", "t.npy", "-o", "m.txt", code=2, says="MAP.h5")
        run(ranks, "som", "train", "t.npy", "-o", "m.h5", "--size", "3", code=2, says="20x30")
        run(ranks, "som", "train", "t.npy", "-o", "m.h5", "--size", "3x3", "--grid", "hexagonal", "--topology", "toroid", code=2)
        run(ranks, "som", "train", "none.npy", "-o", "m.h5", code=66, says="none.npy")
        run(ranks, "som", "train", "t.npy", "-o", "none/m.h5", code=74, says="none/m.h5")
        run(ranks, "som", "apply", "map.h5", "wide.npy", "-o", "u.tsv", code=65, says="vectors have 4 numbers")
        run(ranks, "som", "apply", "t.npy", "t.npy", "-o", "u.tsv", code=65)
        run(ranks, "som", "apply", "map.h5", "t.npy", "-o", "u.txt", code=2, says=".tsv, .csv, .jsonl or .h5")
    assert not os.path.exists("m.h5") and not os.path.exists("u.tsv")


def main():
    print("seed", SEED)
    rng = numpy.random.default_rng(SEED)
    for part in (settings, forms, scaling, resumed, interrupted, pictures, refusals):
        part(rng)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
