"""Tests import of random graphs, which this test writes in each format with its own writers. The JSON lines of convert
must have the same graph. scipy writes and reads matrices. Then one bad file of each format is imported with one or
three ranks."""
import bz2
import collections
import gzip
import json
import os
import random
import sys
import tempfile
import xml.sax.saxutils

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from program import attempt

try:
    import scipy.io
    import scipy.sparse
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

WORDS = ["", "x", "naïve", 'say "hi"', "two\nlines", "a, b", "tab\there", "007", "true", "-1.5e3"]


def items(properties):
    """Returns properties in a form in which values of different types differ."""
    return tuple(sorted((name, type(value).__name__, value) for name, value in properties.items()))


def imported(folder, ranks, arguments):
    """Imports files. Returns counters of vertices and edges, and whether the graph is undirected."""
    for processes, command in ((ranks, ["import", *arguments, "-q", "-o", f"{folder}/g.h5"]),
                               (1, ["convert", f"{folder}/g.h5", "-q", "-o", f"{folder}/g.jsonl"])):
        done = attempt(processes, *command)
        assert done.returncode == 0, (command, done.stderr)
    vertices, edges = collections.Counter(), collections.Counter()
    with open(f"{folder}/g.jsonl", encoding="utf-8") as file:
        for line in map(json.loads, file):
            if line["type"] == "node":
                vertices[line["id"], tuple(sorted(line["labels"])), items(line["properties"])] += 1
            else:
                edges[line["label"], line["start"]["id"], line["end"]["id"], items(line["properties"])] += 1
    return vertices, edges


def texts(found):
    """Returns the graph with all keys as text, since one string among the keys makes all keys strings."""
    return collections.Counter({tuple(str(part) if isinstance(part, int) else part for part in row): count
                                for row, count in found.items()})


def plain(keys, labels=()):
    return collections.Counter({(key, labels, ()): 1 for key in keys})


def lower(edges):
    """Returns undirected edges with their ends in ascending order, since the order of the ends has no meaning."""
    return collections.Counter({(kind, *sorted(ends), rest): count for (kind, *ends, rest), count in edges.items()})


def packed(chance, path):
    """Compresses the file in some cases. Returns its name."""
    if chance.random() < 0.3:
        ending, module = chance.choice([(".gz", gzip), (".bz2", bz2)])
        with open(path, "rb") as source, module.open(path + ending, "wb") as target:
            target.write(source.read())
        return path + ending
    return path


def matrix(folder, chance, check):
    for field, symmetry in (("real", "general"), ("integer", "symmetric"), ("pattern", "general"), ("real", "skew-symmetric")):
        rows = chance.randint(1, 40)
        columns = rows if symmetry != "general" or chance.random() < 0.5 else rows + chance.randint(1, 5)
        cells = {}
        for _ in range(chance.randint(0, 150)):
            i, j = chance.randrange(rows), chance.randrange(columns)
            value = chance.randint(1, 9) if field != "real" else chance.randint(1, 99) / 8
            if symmetry == "general":
                cells[i, j] = value
            elif i != j or symmetry == "symmetric":
                cells[i, j], cells[j, i] = (value, value) if symmetry == "symmetric" else (value, -value)
        where = list(zip(*cells)) if cells else ([], [])
        made = scipy.sparse.coo_matrix((list(cells.values()), where), shape=(rows, columns))
        path = f"{folder}/m.mtx"
        scipy.io.mmwrite(path, made, field=field, symmetry=symmetry)
        read = scipy.sparse.coo_matrix(scipy.io.mmread(path))
        side = ("", "") if rows == columns else ("r", "c")
        key = (lambda side, number: number + 1) if rows == columns else (lambda side, number: f"{side}{number + 1}")
        kind = {"integer": int, "real": float}.get(field)
        edges = collections.Counter(
            ("E", key(side[0], i), key(side[1], j), items({"value": kind(v)} if kind else {}))
            for i, j, v in zip(read.row.tolist(), read.col.tolist(), read.data.tolist())
            if symmetry != "symmetric" or i >= j)
        vertices = plain(range(1, rows + 1)) if rows == columns else (
            plain((f"r{i + 1}" for i in range(rows)), ("Row",)) + plain((f"c{i + 1}" for i in range(columns)), ("Column",)))
        check([packed(chance, path), "--format", "mtx"], vertices, edges, symmetry == "symmetric")


def metis(folder, chance, check):
    n = chance.randint(2, 60)
    sizes, weighted, weights = chance.random() < 0.5, chance.random() < 0.5, chance.choice([0, 1, 3])
    edges = {}
    for _ in range(chance.randint(0, 150)):
        i, j = chance.sample(range(1, n + 1), 2)
        edges[min(i, j), max(i, j)] = chance.randint(1, 9)
    path = f"{folder}/m.graph"
    vertices = collections.Counter()
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"% made\n{n} {len(edges)} {int(sizes)}{int(weights > 0)}{int(weighted)} {weights}\n")
        for v in range(1, n + 1):
            numbers, properties = [], {}
            if sizes:
                properties["size"] = chance.randint(1, 9)
            for w in range(weights):
                properties["weight" if weights == 1 else f"weight{w + 1}"] = chance.randint(0, 99)
            numbers += properties.values()
            near = [(i + j - v, weight) for (i, j), weight in edges.items() if v in (i, j)]
            chance.shuffle(near)
            for other, weight in near:
                numbers += [other, weight] if weighted else [other]
            file.write(" ".join(map(str, numbers)) + "\n" + ("% a comment\n" if chance.random() < 0.1 else ""))
            vertices[v, (), items(properties)] += 1
    wanted = collections.Counter(("E", i, j, items({"weight": w} if weighted else {})) for (i, j), w in edges.items())
    check([packed(chance, path), "--format", "metis"], vertices, wanted, True)


def adjacency(folder, chance, check):
    names = [chance.choice([f"v{i}", f"two words {i}", i]) for i in range(30)]
    vertices, edges = set(), collections.Counter()
    with open(f"{folder}/a.adj", "w", encoding="utf-8") as file:
        for _ in range(60):
            source, targets = chance.choice(names), chance.choices(names, k=chance.randint(0, 4))
            file.write(f"{source} -> " * bool(targets) + f"{'' if targets else source}" + ", ".join(map(str, targets)) + "\n")
            vertices.update([source, *targets])
            edges.update(("E", source, target, ()) for target in targets)
    check([packed(chance, f"{folder}/a.adj"), "--format", "adjacency"], plain(vertices), edges, False)


def properties_of(chance):
    """Draws one value of each type. Some values are missing."""
    all_of_them = {"i": chance.randint(-2**40, 2**40), "f": chance.randint(-999, 999) / 16, "b": chance.random() < 0.5,
                   "s": chance.choice(WORDS)}
    return {name: value for name, value in all_of_them.items() if chance.random() < 0.7}


def neo4j(folder, chance, check):
    def cell(value):
        return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

    def write(path, header, rows):
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(",".join(header) + "\n")
            for row in rows:  # "" is a text; an empty field is a missing value
                file.write(",".join('""' if value == "" else cell(value) if not isinstance(value, str) else
                                    '"' + value.replace('"', '""') + '"' for value in row) + "\n")

    typed = ["i:long", "f:double", "b:boolean", "s:string"]
    vertices, edges, rows, links = collections.Counter(), collections.Counter(), {"A": [], "B": []}, []
    for group in rows:
        for number in range(chance.randint(1, 25)):
            properties, label = properties_of(chance), chance.choice(["Person", "Person;Actor", None])
            rows[group].append([number, label, *(properties.get(name[0]) for name in typed)])
            vertices[f"{group}:{number}", tuple(sorted(label.split(";"))) if label else (), items(properties)] += 1
    for _ in range(chance.randint(0, 90)):
        i, j, properties = chance.choice(rows["A"])[0], chance.choice(rows["B"])[0], properties_of(chance)
        kind = chance.choice(["KNOWS", "SAW"])
        links.append([*(properties.get(name[0]) for name in typed), "left out", j, kind, i])
        edges[kind, f"A:{i}", f"B:{j}", items(properties)] += 1
    arguments = ["--format", "neo4j", "--edges", f"{folder}/e.csv"]
    for group, lines in rows.items():
        write(f"{folder}/{group}.csv", [f":ID({group})", ":LABEL", *typed], lines)
        arguments += ["--vertices", packed(chance, f"{folder}/{group}.csv")]
    write(f"{folder}/e.csv", [*typed, "x:IGNORE", ":END_ID(B)", ":TYPE", ":START_ID(A)"], links)
    check(arguments, vertices, edges, False)


def json_lines(folder, chance, check):
    lines, vertices, edges = [], collections.Counter(), collections.Counter()
    keys = [chance.choice([i, f"k{i}"]) for i in range(chance.randint(1, 40))]
    for key in keys:
        properties, labels = properties_of(chance), chance.sample(["A", "B", "C"], chance.randint(0, 2))
        lines.append({"type": "node", "id": key, "labels": labels, "properties": properties} if chance.random() < 0.5
                     else {"id": key, "labels": labels, **properties})
        vertices[key, tuple(sorted(labels)), items(properties)] += 1
    for _ in range(chance.randint(0, 90)):
        i, j, properties = chance.choice(keys), chance.choice(keys), properties_of(chance)
        lines.append({"type": "relationship", "label": "T", "start": {"id": i}, "end": {"id": j, "labels": ["A"]},
                      "properties": properties} if chance.random() < 0.5 else {"src": i, "dst": j, "type": "T", **properties})
        edges["T", i, j, items(properties)] += 1
    chance.shuffle(lines)
    with open(f"{folder}/g.ndjson", "w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=chance.random() < 0.5) + "\n")
    check([packed(chance, f"{folder}/g.ndjson")], vertices, edges, False)


def packages(folder, chance, check):
    names = [f"pkg{i}" for i in range(chance.randint(1, 30))]
    known, vertices, edges = set(names), {}, collections.Counter()
    with open(f"{folder}/x_Packages", "w", encoding="utf-8") as file:
        for name in names:
            size = chance.randint(1, 9999)
            file.write(f"Package: {name}\nSize: {size}\nMaintainer: M {size % 3} <m@example.org>\n")
            vertices[name] = ("Package", {"name": name, "size": size})
            edges["BUILT_FROM", name, f"source:{name}", ()] += 1
            edges["MAINTAINED_BY", name, f"maintainer:M {size % 3}", ()] += 1
            for field, kind in (("Depends", "DEPENDS"), ("Recommends", "RECOMMENDS")):
                groups = [chance.sample(names + ["virtual", "other"], chance.randint(1, 2)) for _ in range(chance.randint(0, 3))]
                groups = [[target for target in group if target in names or field == "Depends"] for group in groups]
                groups, seen = [group for group in groups if group], set()
                if groups:
                    file.write(f"{field}: " + ",\n ".join(" | ".join(f"{t} (>= 1)" for t in group) for group in groups) + "\n")
                for group in groups:
                    for place, target in enumerate(group):
                        if target not in seen:
                            edges[kind, name, target, items({"alternative": place} if len(group) > 1 else {})] += 1
                        seen.add(target)
            file.write("\n")
    prefixes = {"source": "SourcePackage", "maintainer": "Maintainer"}
    for (_, _, target, _) in edges:
        if target not in known:
            label = prefixes.get(target.split(":")[0], "VirtualPackage")
            vertices[target] = (label, {"name": target.split(":")[-1]})
    wanted = collections.Counter({(key, (label,), items(rest)): 1 for key, (label, rest) in vertices.items()})
    check([packed(chance, f"{folder}/x_Packages"), "--format", "packages"], wanted, edges, False)


def dictionary(folder, chance, check):
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    def number(value):
        return (number(value // 64) if value > 63 else "") + digits[value % 64]

    text, index, words, edges = b"about\n", ["00databaseinfo\tA\tF"], set(), collections.Counter()
    for i in range(chance.randint(1, 30)):
        head, grammar = f"Wörter {i}", chance.choice(["n, fem", None])
        senses = [list(dict.fromkeys(f"word {chance.randrange(40)}" for _ in range(chance.randint(1, 3))))
                  for _ in range(chance.choice([1, 1, 3]))]
        lines = [head + " /ipa/" + (f" <{grammar}>" if grammar else "")]
        seen = set()
        for sense, targets in enumerate(senses, 1):
            lines.append((f"{sense}. " if len(senses) > 1 else "") + ", ".join(f"{t} <x>" for t in targets))
            lines += ["an explanation"] * chance.randint(0, 1)
            for target in targets:
                rest = {"grammar": grammar} if grammar else {}
                if len(senses) > 1:
                    rest["sense"] = sense
                if target not in seen:
                    edges["TRANSLATES", f"deu:{head}", f"eng:{target}", items(rest)] += 1
                seen.add(target)
        words.update([("deu", head), *(("eng", word) for word in seen)])
        entry = ("\n".join(lines) + "\n").encode()
        index += [f"{head.lower()}{extra}\t{number(len(text))}\t{number(len(entry))}" for extra in ("", " again")]
        text += entry
    with open(f"{folder}/d-deu-eng.index", "w", encoding="utf-8") as file:
        file.write("\n".join(sorted(index)) + "\n")
    with gzip.open(f"{folder}/d-deu-eng.dict.dz", "wb") as file:
        file.write(text)
    wanted = collections.Counter({(f"{lang}:{word}", ("Word",), items({"lang": lang, "word": word})): 1 for lang, word in words})
    check([f"{folder}/d-deu-eng.index"], wanted, edges, False)


def word_pairs(folder, chance, check):
    words = [(chance.choice(["HU", "EN", "x-y"]), f"szó {i}") for i in range(chance.randint(1, 30))]
    pairs = [(chance.choice(words), chance.choice(words)) for _ in range(chance.randint(1, 60))]
    with open(f"{folder}/list.pairs", "w", encoding="utf-8") as file:
        for one, other in pairs:
            file.write(" ".join(one) + "\t" + " ".join(other) + chance.choice(["\n", "\r\n", "\n\n"]))
    named = {word for pair in pairs for word in pair}
    vertices = collections.Counter({(f"{lang}:{word}", ("Word",), items({"lang": lang, "word": word})): 1 for lang, word in named})
    edges = collections.Counter({("TRANSLATES", *sorted([":".join(one), ":".join(other)]), ()): 1 for one, other in pairs})
    check([packed(chance, f"{folder}/list.pairs")], vertices, edges, True)


def wiktionaries(folder, chance, check):
    languages = [("Deutsch", "de"), ("Englisch", "en"), ("Altgriechisch", "grc"), ("Klingonisch", None)]
    pairs, paths = set(), []

    def translation(name, word):
        code, target = chance.choice(["fr", "ru", "zh-tw"]), f"mot {chance.randrange(20)}"
        shown = chance.choice([target, f"[[{target}]]", f"[[x#y|{target}]]", f"''{target}''"])
        if word is None:
            return f"{{{{{name}?|{code}|{shown}}}}}"
        pairs.add(frozenset((word, f"{code}:{target}")))
        return f"{{{{{name}|{code}|{shown}{chance.choice(['', '|m', '|tr={{x|y}}'])}}}}}"

    def english(word):
        lines = ["{{t|fr|no}}", "==English==", "===Noun===", "{{t|fr|no}}", "====Translations====", "{{trans-top|a}}"]
        lines += ["* French: " + ", ".join(translation(chance.choice(["t", "t+", "tt"]), f"en:{word}") for _ in range(2))
                  for _ in range(chance.randint(0, 3))]
        return lines + ["<!-- {{t|fr|no}} -->", "{{trans-bottom}}", "====See also====", "{{t|fr|no}}", "==Old English==",
                        "===Translations===", "{{t|fr|no}}"]

    def german(word):
        lines = []
        for name, code in chance.sample(languages, 2):
            lines += [f"== {word} ({{{{Sprache|{name}}}}}) ==", "{{Ü|fr|no}}", "==== {{Übersetzungen}} ====", "{{Ü-Tabelle|Ü-Liste="]
            lines += ["*{{fr}}: [1] " + (translation("Ü", f"{code}:{word}") if code else "{{Ü|fr|no}}") + translation("Ü", None)
                      for _ in range(chance.randint(0, 2))]
            lines += ["}}", "=== x ===", "{{Ü|fr|no}}"]
        return lines

    for wiki, page in (("en", english), ("de", german)):
        paths.append(f"{folder}/{wiki}-pages-articles.xml")
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(f'<mediawiki xml:lang="{wiki}">\n<siteinfo><base>x</base></siteinfo>\n')
            for number in range(chance.randint(1, 6)):
                text = xml.sax.saxutils.escape("\n".join(page(f"wörd {number}")))
                file.write(f"<page><title>wörd {number}</title><ns>0</ns><revision><text>{text}</text></revision></page>\n")
                file.write("<page><title>Talk</title><ns>1</ns><revision><text>==English==\n===Translations===\n{{t|fr|no}}</text>"
                           "</revision></page>\n")
            file.write("</mediawiki>\n")
    named = {word for pair in pairs for word in pair}
    vertices = collections.Counter({(word, ("Word",), items(dict(zip(("lang", "word"), word.split(":"))))): 1 for word in named})
    edges = collections.Counter({("TRANSLATES", *sorted(pair), ()): 1 for pair in pairs})
    check([packed(chance, path) for path in paths], vertices, edges, True)


BAD = {
    "mtx": ("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", 3),
    "metis": ("m.graph", "2 1\n2\n\n", 2),
    "adjacency": ("a.adj", "a -> b\nb ->\n", 2),
    "neo4j": ("e.csv", ":START_ID,:END_ID,n:int\n1,2,x\n", 2),
    "jsonl": ("g.jsonl", '{"id":1}\n{"id":\n', 2),
    "packages": ("x_Packages", "Package: a\nSize\n", 2),
    "dict": ("d-deu-eng.index", "a\tA\t~\n", 1),
    "wiktionary": ("w.xml", "<mediawiki xml:lang='en'>\n<page></mediawiki>\n", 2),
    "pairs": ("list.pairs", "HU alma\tEN apple\nHU alma\n", 2),
}


def bad_files(folder):
    with open(f"{folder}/d-deu-eng.dict", "w", encoding="utf-8") as file:
        file.write("a\nb\n")
    for name, (file_name, text, line) in BAD.items():
        path = f"{folder}/{file_name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        ranks = 1 + 2 * (len(name) % 2)
        done = attempt(ranks, "import", path, "--format", name, "-o", f"{folder}/bad.h5")
        errors = [message for message in done.stderr.splitlines() if message.strip()]
        assert done.returncode == 65 and len(errors) == 1 and f"{file_name}:{line}: " in errors[0], (name, done)
        assert not any(left.startswith("bad.h5") for left in os.listdir(folder)), name
    done = attempt(2, "import", f"{folder}/nowhere.mtx", "-o", f"{folder}/bad.h5")
    assert done.returncode == 66 and "nowhere.mtx" in done.stderr, done


def main():
    seed = int(os.environ.get("GEMP_TEST_SEED", random.randrange(2**31)))
    print(f"seed {seed}")
    chance = random.Random(seed)
    for rounds in range(int(os.environ.get("GEMP_FORMAT_ROUNDS", "1"))):
        for make in (matrix, metis, adjacency, neo4j, json_lines, packages, dictionary, word_pairs, wiktionaries):
            with tempfile.TemporaryDirectory() as folder:
                def check(arguments, vertices, edges, undirected):
                    found = imported(folder, chance.randint(1, 3), arguments)
                    ours, theirs = texts(found[0]), texts(vertices)
                    assert ours == theirs, (arguments, ours - theirs, theirs - ours)
                    ours, theirs = texts(found[1]), texts(edges)
                    if undirected:
                        ours, theirs = lower(ours), lower(theirs)
                    assert ours == theirs, (arguments, ours - theirs, theirs - ours)
                make(folder, chance, check)
    with tempfile.TemporaryDirectory() as folder:
        bad_files(folder)
    print("all passed")


main()
