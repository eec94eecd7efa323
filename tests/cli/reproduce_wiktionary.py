"""Runs jobs/reproduce-wiktionary.sh on tiny inputs: generated ones, and a list of pairs that has one cycle of each length."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from reproduce_case import cells, check  # noqa: E402 (the path above is needed)


def rows(text, first):
    """The rows of the table whose first cell is `first`, by their first cells."""
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("| %s |" % first))
    found = {}
    for line in lines[at + 2:]:
        if not line.startswith("|"):
            return found
        row = cells(line)
        found[row[0]] = row[1:]
    return found


def main():
    text, _ = check("wiktionary")
    assert rows(text, "data")["pairs"] == ["3,000"], rows(text, "data")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "list.txt")
        # car and auto have the paths over coche and over kocsi - Wagen, which are a cycle of five; a and b those over x - y and
        # over v - w, a cycle of six. No other words are on cycles.
        pairs = ["EN car\tES coche", "EN auto\tES coche", "EN car\tHU kocsi", "HU kocsi\tDE Wagen", "DE Wagen\tEN auto",
                 "EN a\tDE x", "DE x\tFR y", "FR y\tEN b", "EN a\tDE v", "DE v\tFR w", "FR w\tEN b", "EN b\tES z"]
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(pairs) + "\n")
        text, _ = check("wiktionary", "--pairs", path)
    found = rows(text, "cycles of")
    assert len(found) == 8, found
    for name, row in found.items():
        assert row[:2] == ["1", "10" if name.startswith("5 ") else "12"], (name, row)
    ranked = rows(text, "pair")
    assert ranked == {"a, b": ["2, 3", "2", "2", "0", "1", "0", "0", "1", "0"], "auto, car": ["2, 2", "2", "2", "1", "1", "0", "1", "0", "0"]}, ranked


main()
