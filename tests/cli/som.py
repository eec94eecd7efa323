"""Tests som train and apply on 1 to 3 ranks. h5py reads the map. Its units, errors, U-matrix and hits equal those that
numpy computes. Other tests cover units in all formats, a training that stops and continues, the example of the docs,
and options that contradict each other. som_long.py tests more settings, and som_draw.py tests pictures and damaged
maps."""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import h5py
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import SOURCE, attempt, run
from som_case import NAMES, Map, apply, check_setting, clusters, read_rows, train, write_map, write_table

SEED = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 30)))


def as_cells(rows):
    def cell(value):
        return "" if value is None else value if isinstance(value, str) else format(value, "g")
    return [[cell(value) for value in row] for row in rows]


def alike(found, rows):
    """True if all cells are equal except for the last digits of numbers."""
    assert len(found) == len(rows), (len(found), len(rows))
    for one, other in zip(found, rows):
        assert one[:4] == other[:4] and one[5] == other[5], (one, other)
        assert one[4] == other[4] == "" or abs(float(one[4]) - float(other[4])) < 1e-4, (one, other)


def forms_of_units(data):
    """.csv, .jsonl, .h5 and stdout have the content of .tsv."""
    rows = read_rows("units.tsv")
    for ranks, out in ((3, "units.csv"), (1, "units.jsonl"), (3, "units.h5")):
        apply(ranks, "map.h5", data, out)
    alike(read_rows("units.csv", ","), rows)
    with open("units.jsonl", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert list(lines[0]) == ["key", "unit", "x", "y", "distance", "second"], lines[0]
    alike(as_cells(line.values() for line in lines), rows)
    with h5py.File("units.h5") as file:
        unit = file["rows/unit"] if "rows/unit" in file else file["unit"]
        values = unit["values"][()] if isinstance(unit, h5py.Group) else unit[()]
    assert [int(row[1]) for row in rows if row[1]] == [int(v) for v, row in zip(values, rows) if row[1]]
    shown = apply(1, "map.h5", data, "-").stdout.splitlines()
    alike([line.split("\t") for line in shown[1:]], rows)


def columns_by_name(x, keys):
    """Columns are found by name in a table with another order of columns and an additional column. A table that lacks a
    column is refused."""
    rows = read_rows("units.tsv")
    other = numpy.column_stack([x[:, 2], numpy.arange(len(x)), x[:, 0], x[:, 1]]).astype(numpy.float32)
    names = [NAMES[2], "more", NAMES[0], NAMES[1]]
    write_table("other.csv", other, names, keys)
    apply(3, "map.h5", "other.csv", "other.tsv")
    alike(read_rows("other.tsv"), rows)
    write_table("less.csv", other[:, :3], names[:3], keys)
    for ranks in (1, 3):
        run(ranks, "som", "apply", "map.h5", "less.csv", "-o", "less.tsv", "-q", code=65, says=NAMES[1])
    assert not os.path.exists("less.tsv")


def resumed(rng):
    """A training that stops and continues equals an uninterrupted training to the last bit. With another number of
    ranks a vector that is equally far from two units may go to either unit, so whole trainings are compared by their
    quality."""
    x = clusters(rng, 100, 3)
    numpy.save("t.npy", x)
    options = ("--size", "6x8", "--epochs", "30", "--training", "online", "--metric", "cosine")
    reports = []
    for ranks, exchange in ((3, "maps"), (1, None)):  # the map has fewer bytes than the vectors, so three ranks exchange maps
        reports.append(train(ranks, "t.npy", "whole.h5", *options))
        assert reports[-1]["exchange"] == exchange, reports[-1]
        done = attempt(ranks, "som", "train", "t.npy", "-o", "part.h5", *options, "-q", "--devices", "cpu",
                       "--max-time", "0.000001")
        assert done.returncode == 75 and "resume goes on" in done.stderr, (done.returncode, done.stderr)
        first = Map("part.h5").attributes["epoch"]
        assert 0 < first < 30, first
        assert train(ranks, "t.npy", "part.h5", "--resume")["exchange"] == exchange
        whole, part = Map("whole.h5"), Map("part.h5")
        assert part.attributes["epoch"] == 30
        assert numpy.array_equal(whole.w, part.w), (ranks, numpy.abs(whole.w - part.w).max())
    errors = [report["quantisation_error"] for report in reports]
    assert abs(errors[0] - errors[1]) <= 0.05 * errors[1], errors
    run(1, "som", "train", "t.npy", "-o", "part.h5", "-q", "--resume", "--devices", "cpu")  # the training is complete
    numpy.save("u.npy", x[:50])
    run(1, "som", "train", "u.npy", "-o", "part.h5", "-q", "--resume", code=65, says="the same data")


def few_vectors(rng):
    """If each rank holds a copy of all vectors, the map equals that of one rank."""
    numpy.save("few.npy", clusters(rng, 20, 3))
    numpy.save("same.npy", numpy.tile(numpy.eye(3), (6, 1)))  # any two axes are principal components
    for data in "few.npy", "same.npy":
        for training in "batch", "online":
            options = ("--size", "6x8", "--epochs", "12", "--training", training)
            options += ("--scale", "standard") if data == "same.npy" else ()
            maps = []
            for ranks in 1, 2, 3:
                assert train(ranks, data, "few.h5", *options)["exchange"] == ("units" if ranks > 1 else None)
                maps.append(Map("few.h5").w)
            assert numpy.array_equal(maps[0], maps[1]) and numpy.array_equal(maps[0], maps[2]), (data, training)


def example():
    """The map of colours of docs/som-examples.md, or of eight colours if the names of X11 are not installed."""
    with open(os.path.join(SOURCE, "docs", "som-examples.md"), encoding="utf-8") as file:
        colours = file.read().split("## Debian's packages")[0]
    lines = [line for line in re.findall(r"^    (.*)$", colours, re.MULTILINE)]
    if not os.path.exists("/usr/share/X11/rgb.txt"):
        lines = [line for line in lines if line.startswith("gemp-mpi")]
        with open("colours.tsv", "w", encoding="utf-8") as file:
            file.write("name\tred\tgreen\tblue\n")
            file.writelines(f"c{i}\t{255 * (i & 1)}\t{255 * (i >> 1 & 1)}\t{255 * (i >> 2)}\n" for i in range(8))
    assert sum(line.startswith("gemp-mpi") for line in lines) == 4, lines
    script = 'set -e; gemp-mpi() { "$GEMP_MPI" "$@" -q; }\n' + "\n".join(lines)
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    some = Map("colours.h5")
    assert some.columns == ["red", "green", "blue"] and -1e-3 < some.w.min() and some.w.max() < 255.001
    assert os.path.getsize("som-colours.svg") > 50000 and os.path.getsize("som-colours-planes.png") > 20000


def extremes(rng):
    """Values whose distances exceed a float are refused with a message. Columns may share a name. A map with one long
    side can be read again."""
    x = clusters(rng, 30, 3)
    numpy.save("large.npy", x * numpy.float32(1e30))
    numpy.save("small.npy", x * numpy.float32(1e-30))
    numpy.save("far.npy", x + numpy.float32(1e7))
    size = ("--size", "6x8", "--epochs", "1", "--grid", "hexagonal")  # the kernels of this setting are built already
    options = ("-o", "edge.h5", "--devices", "cpu", *size)
    for ranks in (1, 3):
        run(ranks, "som", "train", "large.npy", *options, code=65, says="row 0 (from 0), 'x1'")
    assert not os.path.exists("edge.h5")
    assert "warning: small.npy" in run(1, "som", "train", "small.npy", *options).stderr
    assert "scale standard" in run(1, "som", "train", "far.npy", *options).stderr
    done = run(1, "som", "train", "large.npy", "--scale", "standard", *options)
    assert "warning" not in done.stderr and Map("edge.h5").hits.sum() == 30
    # radius 1e300 gives each unit the mean of all samples, radius 1e-300 the mean of its own samples
    for radius in ("1e300", "1e-300"):
        run(1, "som", "train", "t.npy", *options, "--radius", radius, "--radius-end", radius)
        w = Map("edge.h5").w.reshape(48, 3)
        assert (numpy.abs(w - w[0]).max() < 1e-5 * numpy.abs(w).max()) == (radius == "1e300"), w
    write_table("twice.csv", x, ["a", "b", "a"])
    train(1, "twice.csv", "edge.h5", *size)
    for columns, names in (((0, 1, 2), ["a", "b", "a"]), ((1, 0, 2), ["b", "a", "a"])):
        write_table("again.csv", x[:, columns], names)
        apply(3, "edge.h5", "again.csv", "edge.tsv")
        Map("edge.h5").check_rows(x, None, read_rows("edge.tsv"))
    run(1, "som", "train", "again.csv", *options, "--resume", code=65, says="'a', and of the data 'b'")
    write_table("plain.csv", x, ["x1", "x2", "x3"])
    train(1, "plain.csv", "edge.h5", "--size", "6x8", "--epochs", "1")
    # columns are found by name if they have the names of the map
    for columns, names in (((2, 0, 1), ["x3", "x1", "x2"]), ((0, 1, 2), NAMES)):
        write_table("again.csv", x[:, columns], names)
        apply(1, "edge.h5", "again.csv", "edge.tsv")
        Map("edge.h5").check_rows(x, None, read_rows("edge.tsv"))
    write_map("long.h5", numpy.zeros((1, (1 << 20) + 1, 1)))
    numpy.save("narrow.npy", x[:2, :1])
    apply(1, "long.h5", "narrow.npy", "edge.tsv")
    with h5py.File("vast.h5", "w") as file:
        file.create_dataset("x", shape=(1 << 60, 16), dtype="f4", chunks=(1024, 16))
        file.create_dataset("lzf", data=x, compression="lzf")
        file.create_dataset("gzip", data=x, compression="gzip", shuffle=True)
    run(3, "som", "train", "vast.h5:/lzf", *options, code=65, says="'lzf'")
    run(1, "som", "train", "vast.h5:/gzip", *options)
    run(1, "som", "train", "vast.h5:/x", *options, code=71, says="more than any memory holds")


def refusals(rng):
    numpy.save("wide.npy", clusters(rng, 20, 4))
    asked = ("som", "train", "t.npy", "-o", "m.h5")
    for options, says in ((("--size", "3"), "20x30"), (("--size", "0x3"), "--size"), (("--size", "3x-1"), "--size"),
                          (("--radius", "0"), "--radius"), (("--radius-end", "-1"), "--radius-end"),
                          (("--rate", "2", "--training", "online"), "rate 2"), (("--epochs", "0"), "--epochs"),
                          (("--neighbourhood", "square", "--grid", "hexagonal"), "square"),
                          (("--grid", "hexagonal", "--topology", "toroid", "--size", "3x3"), "even"),
                          (("--metric", "hamming"), "euclidean"), (("--start", "zero"), "samples")):
        run(1, *asked, *options, code=2, says=says)
    for ranks in (1, 3):
        run(ranks, "som", "paint", "t.npy", "-o", "m.h5", code=2, says="som needs train DATA -o MAP.h5, or train G.h5")
        run(ranks, "som", "train", "t.npy", code=2, says="som needs train DATA -o MAP.h5, or train G.h5")
        run(ranks, "som", "train", "t.npy", "-o", "m.txt", code=2, says="MAP.h5")
        run(ranks, *asked, "--grid", "hexagonal", "--topology", "toroid", "--size", "3x3", code=2, says="even")
        run(ranks, "som", "train", "none.npy", "-o", "m.h5", code=66, says="none.npy")
        run(ranks, "som", "train", "t.npy", "-o", "none/m.h5", code=74, says="none/m.h5")
        run(ranks, "som", "apply", "part.h5", "wide.npy", "-o", "u.tsv", code=65, says="vectors have 4 numbers")
        run(ranks, "som", "apply", "t.npy", "t.npy", "-o", "u.tsv", code=65)
    run(1, "som", "apply", "part.h5", "t.npy", "-o", "u.txt", code=2, says=".tsv, .csv, .jsonl or .h5")
    assert not os.path.exists("m.h5") and not os.path.exists("u.tsv")


def main():
    print("seed", SEED)
    rng = numpy.random.default_rng(SEED)
    x, keys, data = check_setting(rng, 0, 1, 3)  # the training on one rank builds the kernels, so no other rank waits for them
    forms_of_units(data)
    columns_by_name(x, keys)
    check_setting(rng, 1, 1, 1)
    resumed(rng)
    few_vectors(rng)
    example()
    extremes(rng)
    refusals(rng)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
