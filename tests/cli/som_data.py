"""Tests vectors of som in arrays: numeric types of numpy and HDF5 are read as numpy reads them, and all other types are
refused by name. Also tests shapes and damaged files."""
import os
import random
import shutil
import sys
import tempfile

import h5py
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import attempt, run
from som_case import Map, apply, read_rows, write_map, write_table

SEED = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 30)))
READ = ["<f2", ">f2", ">f4", "<f8", "|b1", "|u1", "<i2", ">u2", ">i4", "<i8", ">u8"]
FEW = ["<f2", "|b1", ">i4"]  # HDF5 converts all types alike, so only a few are tested
REFUSED = ["<c8", "|O", "<M8[ns]", "<f16"]


def values(rng, kind):
    x = rng.integers(0, 100, size=(23, 3)).astype(float)
    if kind[1] in "fi":
        x -= 50
    if kind[1] == "f":
        x += rng.random(x.shape)
        x[3] = 0
        # 16-bit floats: the smallest value, a value below the smallest normal value, and the largest value
        x[4] = (6e-8, -6.1e-5, 65504)
        x[5, 1] = numpy.nan
    return (x > 50 if kind[1] == "b" else x).astype(kind)


def types(rng):
    """The unit of each vector and its distance do not depend on the type in which the values are stored."""
    write_map("map.h5", rng.normal(size=(3, 4, 3)) * 50)
    some = Map("map.h5")
    with h5py.File("x.h5", "w") as file:
        for kind in READ:
            file[kind] = values(rng, kind)
        file["empty"] = numpy.zeros((0, 3), dtype="f4")
    with h5py.File("x.h5") as file:
        for number, kind in enumerate(READ):
            x = file[kind][()]
            order = numpy.asfortranarray if number % 3 == 0 else numpy.ascontiguousarray
            numpy.save("x.npy", order(x))
            with open("x.npy", "rb") as stored:  # checks that numpy stored the type unchanged
                assert f"'{kind}'".encode() in stored.read(100), kind
            for place in ["x.npy"] + [f"x.h5:/{kind}"] * (kind in FEW):
                apply(1 + (number % 6 == 0), "map.h5", place, "units.tsv")
                some.check_rows(x.astype("f4"), None, read_rows("units.tsv"))
    apply(2, "map.h5", "x.h5:/empty", "units.tsv")
    assert read_rows("units.tsv") == []


def refused(place, says, ranks=1, code=65):
    asked = ("som", "train", place, "--size", "3x3", "-o", "m.h5", "-q")
    said = run(ranks, *asked, code=code).stderr
    assert all(part in said for part in says), (said, says)
    assert not os.path.exists("m.h5")


def refusals(rng):
    for kind in REFUSED:
        array = numpy.zeros((4, 3), dtype=kind)
        numpy.save("bad.npy", array, allow_pickle=True)
        refused("bad.npy", [f"bad.npy: the array is of type '{kind}'", "save" if kind != "|O" else "convert it"])
    numpy.save("bad.npy", numpy.zeros(4, dtype=[("a", "f4"), ("b", "f4")]))
    refused("bad.npy", ["is of records; save one"])
    numpy.save("bad.npy", numpy.array([["a", "b"]]))
    refused("bad.npy", ["holds texts"], 2)
    for shape, says in (((3,), "1 dimension;"), ((2, 3, 4), "3 dimensions;"), ((), "0 dimensions;"), ((4, 0), "0 numbers")):
        numpy.save("bad.npy", numpy.zeros(shape))
        refused("bad.npy", [says])
    numpy.save("whole.npy", rng.random((40, 3)))
    with open("whole.npy", "rb") as file:
        whole = file.read()
    for size in (0, 9, 60, 128, 135):
        with open("bad.npy", "wb") as file:
            file.write(whole[:size])
        refused("bad.npy", ["bad.npy"], 1 + (size == 135))
    with open("old.npy", "wb") as file:
        file.write(whole.replace(b"(40, 3), ", b"(40L, 3L)"))
    run(1, "som", "train", "old.npy", "--size", "2x2", "--epochs", "1", "-o", "old.h5", "-q")
    with open("bad.npy", "wb") as file:
        file.write(whole.replace(b"(40, 3)", b"(40,-3)"))
    refused("bad.npy", ["damaged shape"])
    with h5py.File("bad.h5", "w") as file:
        file["text"] = [[b"abc"]]
        file["records"] = numpy.zeros((2, 2), dtype="c8")
        file.create_dataset("words", data=numpy.zeros((2, 2), "i1"), dtype=h5py.enum_dtype({"A": 0, "B": 1}, "i1"))
        file.create_dataset("lists", (2, 2), dtype=h5py.vlen_dtype("f4"))
        h5py.h5d.create(file.id, b"bits", h5py.h5t.NATIVE_B8, h5py.h5s.create_simple((2, 2)))
        file["one"] = numpy.zeros(3)
        file["three"] = numpy.zeros((3, 3, 3))
        file["scalar"] = 1.0
        file["null"] = h5py.Empty("f4")
        file.create_group("group")
    for name, says in (("text", "texts"), ("records", "records"), ("words", "words (an enum)"), ("lists", "lists"),
                       ("bits", "bits"), ("one", "1 dimension;"), ("three", "3 dimensions;"), ("scalar", "0 dimensions;"),
                       ("null", "0 dimensions;"), ("group", "'/group'"), ("none", "there is no dataset"), ("", "dataset")):
        refused(f"bad.h5:/{name}", [says])
    with open("bad.h5", "rb") as file:
        data = file.read()
    with open("bad.h5", "wb") as file:
        file.write(data[:len(data) // 2])
    refused("bad.h5:/one", ["bad.h5"], 2)


def many_columns(rng):
    """More columns than distances allow are an error of the data or of --features. A table may have more columns than
    the map uses."""
    x = rng.random((4, 16385), dtype=numpy.float32)
    numpy.save("wide.npy", x)
    for ranks in (1, 2):
        run(ranks, "som", "train", "wide.npy", "--size", "2x2", "-o", "m.h5", code=65,
            says="wide.npy: has vectors of 16385 numbers, and maps have at most 16384")
    assert not os.path.exists("m.h5")
    write_map("wide.h5", numpy.zeros((1, 2, 16385)))
    for ranks in (1, 2):
        run(ranks, "som", "apply", "wide.h5", "wide.npy", "-o", "u.tsv", code=65, says="wide.h5: has vectors of 16385")
    with open("wide.csv", "w", encoding="utf-8") as file:
        file.write(",".join(f"c{i}" for i in range(16385)) + "\n" + ",".join(["1"] * 16385) + "\n")
    write_map("few.h5", numpy.zeros((1, 2, 2)), ["c16384", "c0"])
    apply(1, "few.h5", "wide.csv", "u.tsv")
    assert len(read_rows("u.tsv")) == 1
    run(1, "generate", "uniform", "--vertices", "10", "--edges", "20", "-o", "g.h5", "-q")
    with open("run.conf", "w", encoding="utf-8") as file:
        file.write("features = " + ",".join(f"attr:{i}" for i in range(16385)) + "\n")
    run(1, "som", "train", "g.h5", "--config", "run.conf", "-o", "m.h5", code=2, says="features: 16385 are more than the 16384")


def resumed_on_others(rng):
    """--resume accepts only the same vectors, in any format. If a map has no checksum of its vectors, --resume accepts
    any vectors of the same length."""
    x = rng.random((30, 3), dtype=numpy.float32)
    x[4, 1] = numpy.nan
    numpy.save("a.npy", x)
    numpy.save("b.npy", x[::-1])
    write_table("a.csv", x, ["x1", "x2", "x3"])
    train = ("som", "train")
    assert attempt(1, *train, "a.npy", "--size", "3x3", "--max-time", "1e-9", "-o", "part.h5", "-q").returncode == 75
    for ranks in (1, 3):
        said = run(ranks, *train, "b.npy", "--resume", "-o", "part.h5", code=65).stderr
        assert "part.h5: was trained on other vectors than those of b.npy" in said, said
    shutil.copy("part.h5", "old.h5")
    run(3, *train, "a.csv", "--resume", "-o", "part.h5", "-q")
    with h5py.File("old.h5", "r+") as file:
        del file.attrs["data"]
    run(1, *train, "b.npy", "--resume", "-o", "old.h5", "-q")
    for name, says, code in (("folder.npy", "folder.npy: Is a directory", 66), ("folder.h5:/x", "folder.h5: Is a directory", 66),
                             ("a.npy.h5:/x", "a.npy.h5: not an HDF5 file", 65)):
        if name.startswith("folder"):
            os.mkdir(name.split(":")[0])
        else:
            shutil.copy("a.npy", "a.npy.h5")
        refused(name, [says], 2, code)


def other_words():
    """Options that have no effect on a subcommand are refused."""
    numpy.save("a.npy", numpy.zeros((2, 3)))
    write_map("map.h5", numpy.zeros((2, 2, 3)))
    asked = {"train": ("a.npy", "-o", "m.h5"), "apply": ("map.h5", "a.npy", "-o", "u.tsv"), "draw": ("map.h5", "-o", "m.svg")}
    for word, option, says in (("train", ("--show", "hits"), "--show is for som draw"), ("train", ("--labels", "u.tsv"), "--labels is for som draw"),
                               ("train", ("--column", "c"), "for the vertices of a graph"),
                               ("apply", ("--scale", "unit"), "--scale is for som train; som apply uses the map as it was trained"),
                               ("apply", ("--resume",), "as it was trained"), ("apply", ("--show", "hits"), "som apply makes no picture"),
                               ("draw", ("--size", "3x3"), "as it was trained"), ("draw", ("--key", "a"), "som draw reads only a map")):
        run(1, "som", word, *asked[word], *option, code=2, says=says)


def few():
    """Messages about one vector, one number and one epoch use the singular."""
    with open("one.tsv", "w", encoding="utf-8") as file:
        file.write("7\n")
    said = run(1, "som", "train", "one.tsv", "--size", "1x1", "--epochs", "1", "-o", "one.h5").stdout
    assert said.startswith("1 vector of 1 number on a map of 1 x 1 units, after 1 of 1 epoch\n"), said
    done = attempt(1, "som", "train", "one.tsv", "--size", "1x1", "--epochs", "2147483647", "--max-time", "1e-9", "-o", "most.h5")
    assert done.returncode == 75 and "of 2147483647; the map is in most.h5" in done.stderr, done.stderr
    said = run(1, "som", "apply", "one.h5", "one.tsv", "-o", "u.tsv").stdout
    assert said.startswith("1 vector on a map of 1 x 1 units; 0 without any value\n"), said


def main():
    print("seed", SEED)
    rng = numpy.random.default_rng(SEED)
    types(rng)
    refusals(rng)
    many_columns(rng)
    resumed_on_others(rng)
    other_words()
    few()


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
