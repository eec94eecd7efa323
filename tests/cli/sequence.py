"""Tests euler --sequence: each word must occur once in the text, which this test counts. The words are all words of an
alphabet, or the edges of a graph of words."""
import itertools
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run


def windows(text, length, circular=False):
    whole = text + (text * length)[:length - 1] if circular else text
    return sorted(whole[i:i + length] for i in range(len(whole) - length + 1))


def words(alphabet, length):
    return sorted("".join(word) for word in itertools.product(alphabet, repeat=length))


def all_words(folder):
    """Tests sets (letters, length, ranks), as linear and circular texts, on stdout and in a file."""
    cases = [("0123456789", 4, 1), ("0123456789", 4, 3), ("ab", 2, 2), ("ab", 9, 8), ("ACGT", 5, 1), ("xyz", 2, 1)]
    for alphabet, length, ranks in cases:
        options = ["--sequence", "--alphabet", alphabet, "--length", str(length), "--verify"]
        text = run(ranks, "euler", *options).stdout
        assert text.endswith("\n") and text.count("\n") == 1, text[-20:]
        text = text[:-1]
        assert len(text) == len(alphabet) ** length + length - 1, (alphabet, length, len(text))
        assert windows(text, length) == words(alphabet, length), (alphabet, length, ranks)
        assert text.startswith(alphabet[0] * length) and text.endswith(alphabet[0] * (length - 1)), text
        path = os.path.join(folder, "ring.txt")
        report = json.loads(run(ranks, "euler", *options, "--circular", "-o", path, "--json", "-", "-q").stdout)
        with open(path, encoding="ascii") as file:
            ring = file.read()
        assert len(ring) == len(alphabet) ** length + 1 and ring[-1] == "\n"
        assert windows(ring[:-1], length, True) == words(alphabet, length), (alphabet, length, ranks)
        expected = {"letters": len(ring) - 1, "word": length, "circular": True}
        assert report["sequence"] == expected and report["verified"], report


def graphs(folder):
    def spelled(name, ranks, *options):
        return run(ranks, "euler", os.path.join(folder, name), "--sequence", "-q", *options).stdout.rstrip("\n")

    for name, *options in (["words.h5"], ["numbers.h5", "--keys", "numbers"], ["path.h5", "--path", "1"]):
        run(1, "generate", "debruijn", "--alphabet", "3", "--length", "4", "-o", os.path.join(folder, name), *options)
    for ranks in (1, 3):
        assert windows(spelled("words.h5", ranks), 4) == words("012", 4)
        assert windows(spelled("numbers.h5", ranks, "--alphabet", "abc"), 4) == words("abc", 4)
        text = spelled("path.h5", ranks, "--path")
        assert windows(text, 4) == [w for w in words("012", 4) if w != "0001"] and text.startswith("001"), text
    table = os.path.join(folder, "table.tsv")
    with open(table, "w", encoding="utf-8") as file: # overlapping words of two letters, some edges twice
        file.write("src\tdst\nto\top\nop\tpo\npo\tot\not\tto\nto\top\nop\tpt\npt\tto\n")
    run(1, "import", table, "-o", os.path.join(folder, "table.h5"))
    assert windows(spelled("table.h5", 1), 3) == sorted(["top", "opo", "pot", "oto", "top", "opt", "pto"])


def refusals(folder):
    graph, other = os.path.join(folder, "words.h5"), os.path.join(folder, "no.h5")
    with open(os.path.join(folder, "no.tsv"), "w", encoding="utf-8") as file:
        file.write("src\tdst\nab\tcd\ncd\tab\n")
    run(1, "import", os.path.join(folder, "no.tsv"), "-o", other)
    run(2, "euler", other, "--sequence", code=65, says="do not overlap: the second must be the first without its first letter")
    run(1, "euler", os.path.join(folder, "numbers.h5"), "--sequence", code=2, says="--alphabet says which letters")
    run(1, "euler", os.path.join(folder, "numbers.h5"), "--sequence", "--alphabet", "ab", code=2, says="no power of the 2")
    run(1, "euler", graph, "--sequence", "--alphabet", "abc", code=2, says="leave it out")
    run(1, "euler", graph, "--sequence", "--length", "4", code=2, says="--length 4: the words of")
    run(1, "euler", graph, "--circular", code=2, says="--circular needs --sequence")
    run(1, "euler", code=2, says="needs a graph file, or --sequence")
    run(1, "euler", "--sequence", "--alphabet", "aba", "--length", "3", code=2, says="a occurs twice")
    run(1, "euler", "--sequence", "--alphabet", "a", "--length", "3", code=2, says="two letters or more")
    run(1, "euler", "--sequence", "--alphabet", "ab", "--length", "99", code=2, says="length")


def main():
    folder = tempfile.mkdtemp()
    try:
        all_words(folder)
        graphs(folder)
        refusals(folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
