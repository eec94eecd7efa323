"""Compares sorted files of numbers in all formats with Python's sorted, on host and device, with 1 to 3 ranks. Refusals
name line and column."""
import gzip
import json
import math
import os
import random
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from numbers_case import key, read_npy, write_npy
from program import run

SEED = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 30)))


def check_text(rng, folder, ranks, on):
    real = rng.random() < 0.4
    low, high = rng.choice(((0, 5), (0, 1 << 32), (-100, 100), (-(1 << 31), 1 << 31), (-(1 << 63), 1 << 63), (0, 1 << 64)))
    count = rng.choice((1, 2, 10, 3000))
    numbers = [rng.choice((rng.uniform(-1e3, 1e3), 1e300, math.inf, -math.inf, math.nan, -0.0, 0.0, 3.0, 0.1)) if real
               else rng.randrange(low, high) for _ in range(count)]
    text = "".join(rng.choice(("", " ", "\t")) + repr(x) + rng.choice(("", " ", "\r")) + rng.choice(("\n", "\n", "\n\n"))
                   for x in numbers)
    name = rng.choice(("n.txt", "n.gz"))
    with (gzip.open if name.endswith("gz") else open)(f"{folder}/{name}", "wt", newline="") as file:
        file.write(text if rng.random() < 0.5 else text.rstrip("\n"))
    descending = rng.random() < 0.5
    done = run(ranks, "sort", f"{folder}/{name}", "-o", "-", "-q", "--on", on, *["--descending"] * descending)
    got = [float(x) if real else int(x) for x in done.stdout.split()]
    if descending:
        got.reverse()
    assert [key(x) for x in got] == sorted(key(x) for x in numbers), (numbers, done.stdout)


def check_arrays(rng, folder, ranks):
    """Sorts .npy of each type to .npy, HDF5 and back."""
    for letter, (low, high) in {"u1": (0, 256), "i2": (-32768, 32768), "u4": (0, 1 << 32), "i8": (-(1 << 63), 1 << 63)}.items():
        numbers = [rng.randrange(low, high) for _ in range(rng.choice((0, 1, 500)))]
        write_npy(f"{folder}/a.npy", letter, numbers)
        run(ranks, "sort", f"{folder}/a.npy", "-o", f"{folder}/b.h5:/x", "-q")
        run(ranks, "sort", f"{folder}/b.h5:/x", "-o", f"{folder}/c.npy", "-q", "--descending")
        kind, got = read_npy(f"{folder}/c.npy")
        assert got == sorted(numbers, reverse=True) and kind[0] == letter[0], (letter, kind)
    run(ranks, "sort", f"{folder}/c.npy", "--type", "f64", "-o", f"{folder}/d.npy", "-q", code=65 if got else 0)


def refusals(folder):
    for ranks in (1, 2):
        for text, where, part in (("1\n2\n3x\n", ":3:1:", "'3x' is not a number"), ("1\n  2 3\n", ":2:5:", "one number a line"),
                                  ("1\n\n\nvalue\n" + "7\n" * 100, ":4:1:", "sort(1)"),
                                  ("1\n" * 500 + "-\n", ":501:1:", "'-' is not a number"),
                                  ("1.5\n" * 50 + "0x10\n", ":51:1:", "'0x10' is not a number")):
            with open(f"{folder}/bad.txt", "w") as file:
                file.write(text)
            done = run(ranks, "sort", f"{folder}/bad.txt", code=65, says=f"bad.txt{where} ")
            assert part in done.stderr, done.stderr
    with open(f"{folder}/some.txt", "w") as file:
        file.write("1\n-2\n300\n")
    run(1, "sort", f"{folder}/some.txt", "--type", "u32", code=65, says="some.txt:2:1: '-2' is beyond the type")
    with open(f"{folder}/wide.txt", "w") as file:
        file.write("7 \t\r  8")
    run(1, "sort", f"{folder}/wide.txt", code=65, says="wide.txt:1:7: '8' stands behind a number")
    run(1, "sort", f"{folder}/none.txt", code=66, says="none.txt")
    run(1, "sort", f"{folder}/some.txt", "--type", "text", code=2, says="auto|u32|u64")
    run(1, "sort", f"{folder}/some.txt", "-o", f"{folder}/none/out.txt", code=74, says="none/out.txt")
    run(1, "sort", f"{folder}/g.h5", code=66, says="g.h5")
    with open(f"{folder}/cut.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00\x10\x00{'descr'")
    run(2, "sort", f"{folder}/cut.npy", code=65, says="cut.npy: the array is cut off")
    with open(f"{folder}/big.npy", "wb") as file:
        head = b"{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }\n"
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + b"1234")
    run(1, "sort", f"{folder}/big.npy", "-o", f"{folder}/big.txt", "-q")
    with open(f"{folder}/big.txt") as file:
        assert file.read() == f"{0x31323334}\n"
    run(1, "sort", f"{folder}/some.txt", "-o", f"{folder}/b.h5:/x/y", code=2, says="without groups")


def special_files(folder):
    """Devices and pipes are neither mistaken for empty files nor replaced. A file cannot be overwritten while it is
    read."""
    os.mkfifo(f"{folder}/pipe")
    run(1, "sort", "/dev/null", code=66, says="/dev/null: not a regular file")
    run(2, "sort", f"{folder}/some.txt", "-o", f"{folder}/pipe", code=74, says="pipe: is a device or a pipe")
    run(1, "sort", f"{folder}/some.txt", "--json", f"{folder}/pipe", code=74, says="pipe: is a device or a pipe")
    run(1, "sort", f"{folder}/some.txt", "-o", f"{folder}/kept.h5:/x", "-q")
    for place in (f"{folder}/kept.h5:/y", f"{folder}/./kept.h5"):
        run(1, "sort", f"{folder}/kept.h5:/x", "-o", place, code=2, says="is also the file of an argument")
    assert run(1, "sort", f"{folder}/kept.h5:/x", "-o", "-", "-q").stdout.split() == ["-2", "1", "300"]


def empty(folder):
    open(f"{folder}/empty.txt", "w").close()
    for ranks in (1, 3):
        run(ranks, "sort", f"{folder}/empty.txt", "-o", f"{folder}/e.npy", "-q")
        assert read_npy(f"{folder}/e.npy") == ("u4", [])


def report(folder):
    write_npy(f"{folder}/r.npy", "u4", list(range(70000, 0, -1)))
    out = json.loads(run(2, "sort", f"{folder}/r.npy", "--json", "-").stdout)
    assert (out["numbers"], out["type"], out["rate"]["on"]) == (70000, "u32", "host") and out["exchange"]["bytes"] > 0, out


def main():
    print(f"seed {SEED} (GEMP_TEST_SEED={SEED} repeats this)")
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        for ranks in (1, 2, 3):
            for _ in range(6 if ranks == 1 else 2):
                check_text(rng, folder, ranks, "host" if ranks > 1 else rng.choice(("host", "auto", "device")))
            if ranks != 2:
                check_arrays(rng, folder, ranks)
        refusals(folder)
        special_files(folder)
        empty(folder)
        report(folder)


main()
