"""Compares the numbers that `distinct` finds in files with Python's set, on host and device, with 1 to 3 ranks."""
import json
import math
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from numbers_case import key, read_npy, write_npy
from program import run

SEED = int(os.environ.get("GEMP_TEST_SEED", random.randrange(1 << 30)))


def check(rng, folder, ranks, on):
    kind = rng.choice(("u4", "i4", "u8", "i8"))
    bits = rng.choice((1, 8, 20, 31))
    numbers = [rng.getrandbits(bits) for _ in range(rng.choice((0, 1, 100, 20000)))]
    write_npy(f"{folder}/a.npy", kind, numbers)
    run(ranks, "distinct", f"{folder}/a.npy", "-o", f"{folder}/b.npy", "-q", "--on", on)
    assert read_npy(f"{folder}/b.npy") == (kind, sorted(set(numbers)))
    out = json.loads(run(ranks, "distinct", f"{folder}/a.npy", "--count", "--on", on, "--json", "-").stdout)
    assert (out["distinct"], out["numbers"]) == (len(set(numbers)), len(numbers)), out


def floats(folder):
    numbers = [0.0, -0.0, math.nan, -math.nan, math.inf, 1.5, 1.5, -2.0]
    for kind in ("f4", "f8"):
        write_npy(f"{folder}/f.npy", kind, numbers)
        for ranks in (1, 3):
            run(ranks, "distinct", f"{folder}/f.npy", "-o", f"{folder}/g.npy", "-q")
            got = read_npy(f"{folder}/g.npy")[1]
            assert [key(x) for x in got] == [key(x) for x in (-2.0, 0.0, 1.5, math.inf, math.nan)], got


def main():
    print(f"seed {SEED} (GEMP_TEST_SEED={SEED} repeats this)")
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        for ranks in (1, 2, 3):
            for _ in range(5 if ranks == 1 else 2):
                check(rng, folder, ranks, "host" if ranks > 1 else rng.choice(("host", "auto", "device")))
        floats(folder)
        with open(f"{folder}/a.txt", "w") as file:
            file.write("3\n1\n3\n")
        assert run(1, "distinct", f"{folder}/a.txt", "-o", "-", "-q").stdout == "1\n3\n"
        run(1, "distinct", f"{folder}/a.txt", "--count", "-o", "-", code=2, says="--count")


main()
