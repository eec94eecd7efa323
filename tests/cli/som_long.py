"""Tests som with all settings and formats of data, on 1 to 3 ranks; scaling of values; a training that is interrupted;
and output that does not fit on the disk."""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run
from som_case import SETTINGS, Map, apply, check_setting, clusters, train, write_map, write_table

SEED = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 30)))


def settings(rng):
    for number in range(len(SETTINGS)):
        for ranks in (1, 2, 3):
            check_setting(rng, number, ranks, 4 - ranks)


def forms(rng):
    """A table, an array and HDF5 give the same map. Other numbers of ranks give a map of the same quality, since a
    vector that is equally far from two units may go to either unit."""
    x = clusters(rng, 90, 4)
    write_table("t.tsv", x, ["x1", "x2", "x3", "x4"])
    numpy.save("t.npy", x.astype(numpy.float64))
    numpy.save("f.npy", numpy.asfortranarray(x))
    with h5py.File("t.h5", "w") as file:
        file.create_dataset("group/x", data=x, chunks=(16, 2), compression="gzip")
    errors = []
    for ranks in (1, 3):
        maps = []
        for data in ("t.tsv", "t.npy", "f.npy", "t.h5:/group/x"):
            report = train(ranks, data, "map.h5", "--size", "5x5", "--epochs", "3")
            maps.append(Map("map.h5").w)
            assert numpy.array_equal(maps[0], maps[-1]), (ranks, data, numpy.abs(maps[0] - maps[-1]).max())
        errors.append(report["quantisation_error"])
    assert abs(errors[0] - errors[1]) <= 0.05 * errors[0], errors


def scaling(rng):
    x = clusters(rng, 80, 3)
    x[:, 2] = 5  # all values of the column are equal
    numpy.save("t.npy", x)
    for word, middle, width in (("none", x[0] * 0, x[0] * 0 + 1), ("unit", x.min(0), x.max(0) - x.min(0)),
                                ("standard", x.astype(float).mean(0), x.astype(float).std(0))):
        train(2, "t.npy", "map.h5", "--size", "4x4", "--epochs", "2", "--scale", word)
        some = Map("map.h5")
        assert numpy.allclose(some.offset, middle, atol=1e-5), (word, some.offset, middle)
        assert numpy.allclose(1 / some.factor[:2], width[:2], rtol=1e-5) and some.factor[2] == 1, (word, some.factor)


def interrupted(rng):
    numpy.save("t.npy", clusters(rng, 500, 8))
    command = [os.environ["GEMP_MPI"], "som", "train", "t.npy", "-o", "long.h5", "-q", "--devices", "cpu", "--size",
               "30x30", "--epochs", "1000000", "--save-every", "5"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as started:
        while started.poll() is None and not os.path.exists("long.h5"):
            time.sleep(0.01)
        saved = Map("long.h5")
        assert saved.attributes["epoch"] % 5 == 0 and saved.hits is None
        started.send_signal(signal.SIGTERM)
        started.wait(timeout=60)
        said = started.stderr.read()
        assert started.returncode == 75 and "SIGTERM" in said, (started.returncode, said)
    assert Map("long.h5").attributes["epoch"] >= saved.attributes["epoch"] and Map("long.h5").hits.sum() == 500
    assert not [name for name in os.listdir(".") if ".tmp-" in name]


def limited(ranks, *arguments):
    """No file is left behind, and one error names the file that did not fit."""
    before = sorted(os.listdir("."))
    run(ranks, "som", *arguments, "-q", code=74, says=arguments[arguments.index("-o") + 1].split(".")[0])
    assert sorted(os.listdir(".")) == before, (arguments, before, os.listdir("."))


def no_room(rng):
    """A limit on the size of files acts like a full disk. The limit is larger than the files that MPI keeps. The
    program ignores the signal of the limit, but LLVM restores the signal's default while it builds a kernel, so all
    kernels are built before."""
    os.environ["POCL_WORK_GROUP_SPECIALIZATION"] = "0"
    numpy.save("t.npy", clusters(rng, 200, 3))
    numpy.save("u.npy", clusters(rng, 400000, 3))
    wide = ("--size", "1000x1000", "--epochs", "1", "--start", "random", "--neighbourhood", "bubble", "--radius", "1")
    write_map("shapes.h5", rng.normal(size=(300, 500, 3)))
    train(1, "t.npy", "wide.h5", *wide)
    train(1, "t.npy", "map.h5", "--size", "6x8", "--epochs", "1")
    for name in ("units.tsv", "units.h5"):
        apply(1, "map.h5", "u.npy", name)
        os.remove(name)
    with open("map.h5", "rb") as file:
        kept = file.read()
    program = os.environ["GEMP_MPI"]
    with open("limited", "w", encoding="utf-8") as file:
        file.write(f"#!/bin/bash\ntrap '' XFSZ\nulimit -f 9000\nexec '{program}' \"$@\"\n")
    os.chmod("limited", 0o755)
    os.environ["GEMP_MPI"] = os.path.abspath("limited")
    for ranks in (1, 3):
        limited(ranks, "train", "t.npy", "-o", "map.h5", "--devices", "cpu", *wide)
        limited(ranks, "train", "t.npy", "-o", "new.h5", "--devices", "cpu", *wide)
        for name in ("units.tsv", "units.jsonl", "units.h5"):
            limited(ranks, "apply", "map.h5", "u.npy", "-o", name, "--devices", "cpu")
        limited(ranks, "draw", "shapes.h5", "--show", "x1", "-o", "picture.svg")
    os.environ["GEMP_MPI"] = program
    with open("map.h5", "rb") as file:
        assert file.read() == kept


def main():
    print("seed", SEED)
    rng = numpy.random.default_rng(SEED)
    for part in (settings, forms, scaling, interrupted, no_room):
        part(rng)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
