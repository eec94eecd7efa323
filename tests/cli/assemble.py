"""Cuts genomes into reads and assembles them again. The file is the same for every number of ranks. It contains the
genome if the reads determine it; otherwise the report gives the reason. Also tests every format of reads, and errors
that name file and line."""
import gzip
import json
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import run

RANKS = (1, 2, 3, 4, 8)


def reverse(text):
    return text[::-1].translate(str.maketrans("ACGT", "TGCA"))


def draw(chance, size):
    return "".join(chance.choice("ACGT") for _ in range(size))


def draw_one_way(chance, size, length):
    """Draws a sequence without a word of this length that equals its own reverse complement. At such a word the path
    along one strand could continue along the other strand."""
    while True:
        text = draw(chance, size)
        ring = text + text[:length - 1]
        if all(ring[i:i + length] != reverse(ring[i:i + length]) for i in range(size)):
            return text


def cut(chance, genome, length, step, strands="one", errors=0.0, circular=False):
    """Returns reads that begin at regular distances, in random order."""
    text = genome + genome[:length - 1] if circular else genome
    begins = list(range(0, len(genome) if circular else len(text) - length, step))
    reads = [text[b:b + length] for b in begins + ([] if circular else [len(text) - length])]
    chance.shuffle(reads)
    reads = ["".join(chance.choice("ACGT") if chance.random() < errors else c for c in r) for r in reads]
    return [reverse(r) if strands == "both" and chance.random() < 0.5 else r for r in reads]


def fasta(reads, width=60):
    lines = []
    for number, read in enumerate(reads):
        lines += [f">read{number} some words"] + [read[i:i + width] for i in range(0, len(read), width)]
    return "\n".join(lines) + "\n"


def fastq(reads):
    return "".join(f"@read{n}\n{r}\n+\n{'@' * len(r)}\n" for n, r in enumerate(reads))


def write(path, text):
    with (gzip.open if path.endswith(".gz") else open)(path, "wt", newline="") as file:
        file.write(text)
    return path


def sequences(path):
    """Returns [(name, tags, letters)] of a FASTA file, whose lines must have at most 80 letters."""
    found = []
    with open(path, encoding="ascii") as file:
        for line in file.read().split("\n")[:-1]:
            if line.startswith(">"):
                found.append([*line[1:].split(" ", 1), ""])
            else:
                assert 0 < len(line) <= 80, line
                found[-1][2] += line
    return found


def content(path):
    with open(path, "rb") as file:
        return file.read()


def assemble(folder, files, *options, ranks=(1, 3)):
    """Checks that the files do not depend on the number of ranks. Returns the sequences and the report."""
    first, report = None, None
    for n in ranks:
        out = os.path.join(folder, f"out{n}.fa")
        done = run(n, "assemble", *files, "-o", out, "--json", "-", "-q", *options)
        report = json.loads(done.stdout)
        first = first or content(out)
        assert content(out) == first, (n, options)
    return sequences(out), report


def is_rotation(one, other):
    return len(one) == len(other) and one in other + other


def plain_genomes(folder, chance):
    genome = draw_one_way(chance, 3000, 20)
    one = write(os.path.join(folder, "one.fa"), fasta(cut(chance, genome, 90, 30)))
    found, report = assemble(folder, [one], "-k", "21", "--strands", "one", ranks=RANKS)
    assert [f[2] for f in found] == [genome] and found[0][0] == "contig1", found
    assert report["path"]["verdict"] == "path" and report["unitigs"]["count"] == 1, report
    both = write(os.path.join(folder, "both.fq"), fastq(cut(chance, genome, 90, 20, "both")))
    for k in ("20", "31"):
        found, report = assemble(folder, [both], "-k", k)
        assert [f[2] for f in found] in ([genome], [reverse(genome)]), (k, report)
    ring = write(os.path.join(folder, "ring.fa"), fasta(cut(chance, genome, 90, 30, circular=True)))
    found, report = assemble(folder, [ring], "-k", "25", "--strands", "one")
    assert len(found) == 1 and is_rotation(found[0][2], genome) and "circular=true" in found[0][1], found
    assert report["path"]["verdict"] == "circuit", report


def errors(folder, chance):
    genome = draw_one_way(chance, 2000, 24)
    reads = cut(chance, genome, 100, 2, "both", errors=0.003, circular=True)  # only few reads cover the ends of a genome
    reads = write(os.path.join(folder, "errors.fa"), fasta(reads))
    found, report = assemble(folder, [reads], "-k", "25", "--min-count", "6")
    assert len(found) == 1 and (is_rotation(found[0][2], genome) or is_rotation(found[0][2], reverse(genome))), report
    assert report["kmers"]["kept"] < report["kmers"]["distinct"], report
    found, report = assemble(folder, [reads], "-k", "25")
    assert report["path"]["verdict"] != "path" and found[0][0] == "unitig1" and len(found) > 10, report


def repeats(folder, chance):
    """Assembles a sequence a R b R c in which R is longer than k. The k-mers of R occur twice as often as others, and
    only one order of the parts is possible."""
    a, b, c, repeat = (draw(chance, size) for size in (400, 500, 450, 80))
    genome = a + repeat + b + repeat + c
    reads = write(os.path.join(folder, "repeats.fa"), fasta(cut(chance, genome, 120, 3)))
    found, report = assemble(folder, [reads], "-k", "31", "--strands", "one", ranks=(1, 4))
    assert [f[2] for f in found] == [genome] and report["unitigs"]["count"] == 4, (report, found)
    unitigs = os.path.join(folder, "unitigs.fa")
    for copies, verdict in (("coverage", "path"), ("one", "unbalanced")):
        _, report = assemble(folder, [reads], "-k", "31", "--strands", "one", "--copies", copies, "--unitigs", unitigs,
                             ranks=(2,))
        assert report["path"]["verdict"] == verdict, report
        assert len(sequences(unitigs)) == 4 and all(f[2] in genome for f in sequences(unitigs))
    assert len(report["path"]["vertices"]) == report["path"]["unbalanced"] == 4, report
    assert all(v["in"] != v["out"] and v["word"] in genome for v in report["path"]["vertices"]), report
    # The genome is an order of all its k-mers, whatever its repeats. The program may find another order of them.
    tangled = "".join(draw(chance, 30) + repeat[:chance.randrange(20, 80)] for _ in range(12))
    whole = write(os.path.join(folder, "whole.fa"), fasta([tangled]))
    found, report = assemble(folder, [whole], "-k", "11", "--strands", "one", "--copies", "count", ranks=(1, 2))
    words = sorted(tangled[i:i + 11] for i in range(len(tangled) - 10))
    assert len(found) == 1 and sorted(found[0][2][i:i + 11] for i in range(len(found[0][2]) - 10)) == words, report


def links(folder, chance):
    """With short words many unitigs share their ends. The links must be all pairs of unitigs that overlap by all
    letters of a k-mer except one."""
    text = write(os.path.join(folder, "tangle.fa"), fasta([draw(chance, 300), "ACGTACACGT" * 3]))
    for k, strands in ((5, "one"), (5, "both"), (6, "both")):
        first = None
        for ranks in (1, 3) if strands == "both" and k == 5 else (1,):
            unitigs, gfa = os.path.join(folder, "tangle.out"), os.path.join(folder, "tangle.gfa")
            run(ranks, "assemble", text, "-k", str(k), "--strands", strands, "-o", os.path.join(folder, "x.fa"), "--unitigs",
                unitigs, "--gfa", gfa, "-q")
            first = first or content(gfa)
            assert content(gfa) == first, (ranks, k, strands)
        lines = [line.split("\t") for line in first.decode().split("\n")[:-1]]
        letters = {name: text for name, _, text in sequences(unitigs)}
        assert {line[1]: line[2] for line in lines if line[0] == "S"} == letters and lines[0][0] == "H"
        ends = [(name, sign, text if sign == "+" else reverse(text)) for name, text in letters.items()
                for sign in ("+" if strands == "one" else "+-")]
        expected = {(a, x, b, y) for a, x, one in ends for b, y, two in ends if one[1 - k:] == two[:k - 1]}
        turn = {"+": "-", "-": "+"}
        found = [tuple(line[1:5]) for line in lines if line[0] == "L"]
        both = {(b, turn[y], a, turn[x]) for a, x, b, y in found} if strands == "both" else set()
        palindromes = {name for name, text in letters.items() if text == reverse(text)}  # both directions are the same link
        same = {(a, "+" if a in palindromes else x, b, "+" if b in palindromes else y) for a, x, b, y in set(found) | both}
        assert same == {(a, "+" if a in palindromes else x, b, "+" if b in palindromes else y) for a, x, b, y in expected}
        assert len(found) == len(set(found)) and all(line[5] == f"{k - 1}M" for line in lines if line[0] == "L")


def reasons(folder, chance):
    two = [draw(chance, 300), draw(chance, 400)]
    apart = write(os.path.join(folder, "apart.fa"), fasta(two))
    for strands in ("one", "both"):
        found, report = assemble(folder, [apart], "-k", "21", "--strands", strands, ranks=(2,))
        assert len(found) == 2 and report["path"]["verdict"] != "path", report
    ring = draw(chance, 300)
    rings = write(os.path.join(folder, "rings.fa"), fasta([r + r[:20] for r in (ring, draw(chance, 200))]))
    found, report = assemble(folder, [rings], "-k", "21", "--strands", "one")
    assert report["path"]["verdict"] == "apart" and report["path"]["components"] == 2, report
    hairpin = two[0] + draw(chance, 50) + reverse(two[0])
    turned = write(os.path.join(folder, "turned.fa"), fasta([hairpin]))
    _, report = assemble(folder, [turned], "-k", "21")
    assert report["path"]["verdict"] == "strands", report
    found, _ = assemble(folder, [turned], "-k", "21", "--strands", "one")
    assert [f[2] for f in found] == [hairpin]


def forms(folder, chance):
    """The same reads in every format give the same sequences."""
    genome = draw(chance, 1500)
    reads = cut(chance, genome, 70, 15)
    half = len(reads) // 2
    mixed = "N" * 5 + reads[0].lower() + "nnRY-*" + reads[1].replace("T", "u")
    forms = {
        "wide.fa": fasta(reads, 1000), "narrow.fa": fasta(reads, 7), "crlf.fa": fasta(reads).replace("\n", "\r\n"),
        "blank.fa": fasta(reads).replace(">", "\n\n>") + "\n\n", "cut.fa": fasta(reads)[:-1], "reads.fq": fastq(reads),
        "crlf.fq": fastq(reads).replace("\n", "\r\n") + "\r\n", "reads.fa.gz": fasta(reads),
        "reads.fastq.gz": fastq(reads), "lower.fa": fasta([mixed] + reads[2:], 50),
        "empty.fq": fastq([""] + reads[:half] + [""] + reads[half:]),
    }
    for name, text in forms.items():
        path = write(os.path.join(folder, name), text)
        found, _ = assemble(folder, [path], "-k", "23", "--strands", "one", ranks=(1 + len(name) % 2 * 2,))
        assert [f[2] for f in found] == [genome], name
    parts = [write(os.path.join(folder, "1.fq.gz"), fastq(reads[:half])), write(os.path.join(folder, "2.fa"), fasta(reads[half:]))]
    found, report = assemble(folder, parts, "-k", "23", "--strands", "one", ranks=(1, 2))
    assert [f[2] for f in found] == [genome] and report["reads"]["sequences"] == len(reads), report


def refusals(folder):
    def refused(name, text, says, *options, code=65):
        path = write(os.path.join(folder, name), text)
        for n in (1, 3) if name == "short.fq" else (1,):
            run(n, "assemble", path, "-o", os.path.join(folder, "no.fa"), *options, code=code, says=says)
        assert not os.path.exists(os.path.join(folder, "no.fa")), name

    refused("neither.fa", "ACGT\n", "neither.fa:1: is neither FASTA")
    refused("digit.fa", ">a\nACGT\nAC5T\n", "digit.fa:3: byte 3 ('5') is no letter")
    refused("name.fq", "@a\nACGT\n+\n!!!!\nb\nAC\n+\n!!\n", "name.fq:5: a FASTQ sequence begins with @")
    refused("plus.fq", "@a\nACGT\nACGT\n+\n", "plus.fq:3: the third line")
    refused("short.fq", "@a\nACGT\n+\n!!!!\n@b\nACGT\n+\n!!!\n", "short.fq:8: 3 signs of quality for 4 letters")
    refused("ends.fq", "@a\nACGT\n+\n!!!!\n@b\nACGT\n", "ends.fq:5: the file ends within this sequence")
    refused("few.fa", ">a\nACGT\n", "no sequence has 31 letters")
    refused("once.fa", ">a\nACGTACGTT\n", "occurs 9 times", "-k", "5", "--min-count", "9")
    refused("k.fa", ">a\nACGT\n", "kmer must have 2 to 31 letters; got 32", "-k", "32", code=2)
    run(1, "assemble", os.path.join(folder, "k.fa"), code=2, says="needs the FASTA file to write")
    run(1, "assemble", os.path.join(folder, "gone.fa"), "-o", os.path.join(folder, "no.fa"), code=66, says="gone.fa")


def main():
    seed = int(os.environ.get("GEMP_TEST_SEED") or random.randrange(1 << 32))
    print(f"GEMP_TEST_SEED={seed}")
    chance = random.Random(seed)
    folder = tempfile.mkdtemp()
    try:
        plain_genomes(folder, chance)
        errors(folder, chance)
        repeats(folder, chance)
        links(folder, chance)
        reasons(folder, chance)
        forms(folder, chance)
        refusals(folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
