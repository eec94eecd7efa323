"""Tests som train and apply within --device-memory: the errors of the map and the units are the same within
rounding, and the device never uses more memory. A map that does not fit is refused with a remedy."""
import json
import os
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import attempt
from som_case import clusters

SIZE = ("--size", "24x30", "--epochs", "3", "--radius", "6")


def program(ranks, *words):
    done = attempt(ranks, "som", *words, "-q", "--devices", "cpu", "--json", "report.json")
    with open("report.json", encoding="utf-8") as file:
        return done, json.load(file) if done.returncode == 0 else None


def within(ranks, bytes_allowed, *options):
    """Trains and applies a map with this much memory. Returns the errors of the epochs, the rows of units, and the
    memory that was used."""
    memory = ("--device-memory", str(bytes_allowed)) if bytes_allowed else ()
    done, trained = program(ranks, "train", "x.npy", "-o", "map.h5", *SIZE, *options, *memory)
    assert done.returncode == 0, done.stderr
    done, applied = program(ranks, "apply", "map.h5", "x.npy", "-o", "units.tsv", *memory)
    assert done.returncode == 0, done.stderr
    held = [report["memory"]["device"] for report in (trained, applied)]
    assert not bytes_allowed or max(held) <= ranks * bytes_allowed, (held, bytes_allowed)
    with open("units.tsv", encoding="utf-8") as file:
        rows = [line.split("\t") for line in file]
    errors = [(epoch["quantisation_error"], epoch["topographic_error"]) for epoch in trained["epochs"]]
    return errors, [row[:2] for row in rows], max(held)


def main():
    rng = numpy.random.default_rng(5)
    numpy.save("x.npy", clusters(rng, 2500, 17, 0.02))
    for ranks, options in ((1, ()), (2, ("--training", "online"))):
        errors, rows, held = within(ranks, None, *options)
        for share in (0.6, 0.3)[ranks - 1:]:
            found, units, _ = within(ranks, int(held * share) // ranks + 16384, *options)
            assert numpy.allclose(found, errors, rtol=1e-5, atol=1e-9), (found, errors)
            assert sum(one != other for one, other in zip(units, rows)) <= 2 and len(units) == len(rows) == 2501
    done, _ = program(1, "train", "x.npy", "-o", "map.h5", "--size", "300x300", "--device-memory", "1M")
    assert done.returncode == 71 and "take a smaller map" in done.stderr, (done.returncode, done.stderr)
    done, _ = program(1, "train", "x.npy", "-o", "map.h5", "--size", "65536x65536")
    assert done.returncode == 2 and "2^31 - 1 units" in done.stderr, (done.returncode, done.stderr)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
