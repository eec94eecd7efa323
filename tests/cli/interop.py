"""Other programs read a graph file: h5py, scipy, a reader written after the rules of AnnData 0.8, and a reader of
binsparse."""
import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy
    import scipy.sparse
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

WORDS = ["", "Jack", "Jürgen", "naïve", "a longer piece of text that no category holds " * 8]


def make_input(folder, seed):
    """Makes vertices and edges as dictionaries, and files that hold them."""
    chance = random.Random(seed)
    vertices = {}
    for index in range(200):
        label = chance.choice(["Person", "Film", "Person;Actor"])
        vertices[f"v{index}"] = {
            "labels": label,
            "age": chance.choice([None, 0, -5, 2**40]) if label != "Film" else None,
            "rating": chance.choice([None, 0.5, 7.25]) if label == "Film" else None,
            "seen": chance.choice([None, True, False]),
            "word": chance.choice(WORDS) or None,
            "bio": f"{index} {WORDS[4]}{chance.random()}" if chance.random() < 0.9 else None,
        }
    edges = []
    pairs = set()
    for _ in range(900):
        source, target = (chance.choice(list(vertices)) for _ in range(2))
        kind = chance.choice(["KNOWS", "ACTS/IN"])
        if kind == "KNOWS" and (source, target) in pairs:
            continue  # KNOWS has no parallel edges
        pairs.add((source, target))
        edges.append((source, target, kind, chance.choice([None, 1, 2, 3])))

    def cell(value):
        return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

    with open(f"{folder}/v.tsv", "w", encoding="utf-8") as file:
        file.write("id\ttype\tage:int\trating:float\tseen:bool\tword\tbio\n")
        for key, row in vertices.items():
            file.write("\t".join([key, row["labels"]] + [cell(row[name]) for name in
                                 ("age", "rating", "seen", "word", "bio")]) + "\n")
    with open(f"{folder}/e.tsv", "w", encoding="utf-8") as file:
        file.write("src\tdst\ttype\tweight:int\n")
        for edge in edges:
            file.write("\t".join(cell(value) for value in edge) + "\n")
    return vertices, edges


def read_element(element):
    """Reads an element as AnnData does, by its encoding-type and encoding-version. Missing values are None."""
    kind = element.attrs["encoding-type"]
    version = element.attrs["encoding-version"]
    if kind == "array":
        assert version == "0.2.0"
        return [None if isinstance(value, float) and numpy.isnan(value) else value for value in element[()].tolist()]
    if kind == "string-array":
        assert version == "0.2.0"
        return element.asstr()[()].tolist()
    if kind == "categorical":
        assert version == "0.2.0" and not element.attrs["ordered"]
        categories = read_element(element["categories"])
        return [None if code == -1 else categories[code] for code in element["codes"][()]]
    if kind in ("nullable-integer", "nullable-boolean"):
        assert version == "0.1.0"
        return [None if missing else value
                for value, missing in zip(element["values"][()].tolist(), element["mask"][()].tolist())]
    if kind in ("csr_matrix", "csc_matrix"):
        assert version == "0.1.0"
        make = scipy.sparse.csr_matrix if kind == "csr_matrix" else scipy.sparse.csc_matrix
        return make((element["data"][()], element["indices"][()], element["indptr"][()]),
                    shape=tuple(element.attrs["shape"]))
    if kind == "dataframe":
        assert version == "0.2.0"
        names = [element.attrs["_index"], *element.attrs["column-order"]]
        return {name: read_element(element[name]) for name in names}
    if kind == "gemp-strings":  # our own encoding for long strings: offsets and bytes
        offsets, data = element["offsets"][()], element["bytes"][()].tobytes()
        mask = element["mask"][()] if "mask" in element else [False] * (len(offsets) - 1)
        return [None if missing else data[begin:end].decode()
                for begin, end, missing in zip(offsets[:-1], offsets[1:], mask)]
    assert kind == "dict" and version == "0.1.0", kind
    return {name: read_element(element[name]) for name in element}


def check_nodes(file, vertices):
    nodes = read_element(file["nodes"])
    keys = nodes["_id"]
    assert sorted(keys) == sorted(vertices)
    assert file["nodes"].attrs["_index"] == "_id"
    order = sorted(vertices, key=str.encode)
    assert [order[rank] for rank in nodes["_rank"]] == keys
    assert [set(labels.split(";")) for labels in nodes["_label"]] == \
        [set(vertices[key]["labels"].split(";")) for key in keys]
    for name in ("age", "seen", "word"):
        assert nodes[name] == [vertices[key][name] for key in keys], name
    bio = read_element(file["strings/nodes/bio"])
    assert bio == [vertices[key]["bio"] for key in keys]
    films = read_element(file["nodes_by_label/Film"])
    assert [keys[row] for row in films["_row"]] == [key for key in keys if vertices[key]["labels"] == "Film"]
    assert films["rating"] == [vertices[keys[row]]["rating"] for row in films["_row"]]
    assert sorted(read_element(file["labels"])) == ["Actor", "Film", "Person"]
    return keys


def check_relation(group, name, keys, edges):
    number = {key: index for index, key in enumerate(keys)}
    expected = sorted((number[source], number[target], -1 if weight is None else weight)
                      for source, target, kind, weight in edges if kind == name)
    csr, csc = read_element(group["csr"]), read_element(group["csc"])
    shape = (len(keys), len(keys))
    dense = scipy.sparse.coo_matrix((numpy.ones(len(expected), dtype=int),
                                     ([edge[0] for edge in expected], [edge[1] for edge in expected])), shape=shape)
    assert csr.shape == csc.shape == shape
    assert (csr.astype(int) != dense.tocsr()).nnz == 0 and (csc.astype(int) != dense.tocsc()).nnz == 0
    sources = numpy.repeat(numpy.arange(len(keys)), numpy.diff(group["csr/indptr"][()]))
    weight = read_element(group["props"])["weight"]
    found = [(source, target, -1 if value is None else value)
             for source, target, value in zip(sources.tolist(), group["csr/indices"][()].tolist(), weight)]
    assert found == expected
    edge = group["csc/edge"][()]
    assert sorted(edge.tolist()) == list(range(len(expected)))
    assert (sources[edge] == group["csc/indices"][()]).all()
    parallel = len({edge[:2] for edge in expected}) < len(expected)
    for half, form in (("csr", "CSR"), ("csc", "CSC")):
        attributes = group[half].attrs
        assert attributes["multigraph"] == parallel and attributes["sorted"] == 1
        assert group[half]["indptr"] == group[half]["pointers_to_1"]
        assert group[half]["indices"] == group[half]["indices_1"]
        assert group[half]["data"] == group[half]["values"]
        assert ("binsparse" in attributes) == (not parallel)
        if parallel:
            continue
        described = json.loads(attributes["binsparse"])["binsparse"]
        assert described["format"] == form and described["shape"] == list(shape)
        assert described["number_of_stored_values"] == len(expected)
        for array, kind in described["data_types"].items():
            assert group[half][array].dtype == kind
    return parallel


def check_symmetric(folder, mpirun, seed):
    """Undirected edges without attributes are one symmetric matrix, in which parallel edges and loops are counted."""
    random.seed(seed)
    pairs = [(random.randrange(40), random.randrange(40)) for _ in range(150)]
    with open(f"{folder}/u.tsv", "w") as file:
        file.write("src\tdst\n" + "".join(f"{a - 7}\t{b - 7}\n" for a, b in pairs))
    subprocess.run([*mpirun, os.environ["GEMP_MPI"], "import", "--quiet", "--undirected", "--edges", f"{folder}/u.tsv", "-o",
                    f"{folder}/u.h5"], check=True)
    subprocess.run([*mpirun, os.environ["GEMP_MPI"], "verify", f"{folder}/u.h5"], check=True)
    with h5py.File(f"{folder}/u.h5") as file:
        group = file["edges/E"]
        keys = file["nodes/_id"][()].astype(int).tolist()
        assert file["nodes/_id"].dtype == "int8" and list(group) == ["csr"] and group.attrs["edges"] == len(pairs)
        number = {key: index for index, key in enumerate(keys)}
        dense = numpy.zeros((len(keys), len(keys)), dtype=int)
        for a, b in pairs:
            a, b = number[a - 7], number[b - 7]
            dense[a, b] += 1
            dense[b, a] += a != b
        matrix = read_element(group["csr"])
        assert (matrix.astype(int).toarray() == dense).all()
        if sorted(keys) == list(range(min(keys), min(keys) + len(keys))):
            assert "_rank" not in file["nodes"] and file["nodes"].attrs["gemp-first-key"][0] == min(keys)


def check_implied(folder, mpirun, seed):
    """Keys in arithmetic progression are two numbers, and arrays of equal elements take no space."""
    program = os.environ["GEMP_MPI"]
    subprocess.run([*mpirun, program, "generate", "uniform", "--vertices", "5000", "--edges", "9000", "--labels", "1", "--seed",
                    str(seed % 1000), "-q", "-o", f"{folder}/k.h5"], check=True)
    subprocess.run([program, "convert", f"{folder}/k.h5", "-q", "-o", f"{folder}/k.tsv"], check=True)
    with open(f"{folder}/k.edges.tsv") as file:
        edges = {tuple(map(int, line.split("\t")[:2])) for line in list(file)[1:]}
    with h5py.File(f"{folder}/k.h5") as file:
        first, step = file["nodes"].attrs["gemp-key-progression"]
        keys = (first + step * numpy.arange(file.attrs["vertices"])).tolist()
        assert keys == list(range(5000)) and set(file["nodes"]) == {"_label"}
        assert read_element(file["nodes"])["_label"] == ["L0"] * 5000
        matrix = read_element(file["edges/E/csr"]).tocoo()
        assert {tuple(sorted((keys[a], keys[b]))) for a, b in zip(matrix.row, matrix.col)} == \
            {tuple(sorted(edge)) for edge in edges}
    assert os.path.getsize(f"{folder}/k.h5") < 5001 * 4 + 18000 * 4 + 20000 + 2 * 4096  # the seal
    with open(f"{folder}/c.tsv", "w") as file:
        file.write("src\tdst\tweight\n" + "".join(f"{i}\t{i * 7 % 5000}\t0.5\n" for i in range(5000)))
    subprocess.run([*mpirun, program, "import", "--edges", f"{folder}/c.tsv", "-q", "-o", f"{folder}/c.h5"], check=True)
    subprocess.run([program, "verify", f"{folder}/c.h5"], check=True, stdout=subprocess.DEVNULL)
    with h5py.File(f"{folder}/c.h5") as file:
        weight = file["edges/E/props/weight"]
        assert weight.is_virtual and weight.dtype == "float64" and (weight[()] == 0.5).all() and "checksum" in weight.attrs


def main():
    seed = int(os.environ.get("GEMP_TEST_SEED", random.randrange(2**32)))
    print(f"seed {seed} (GEMP_TEST_SEED={seed} repeats this)")
    mpirun = os.environ["GEMP_MPIRUN"].split() + ["-n", "3"]
    with tempfile.TemporaryDirectory() as folder:
        vertices, edges = make_input(folder, seed)
        subprocess.run([*mpirun, os.environ["GEMP_MPI"], "import", "--quiet", "--vertices", f"{folder}/v.tsv", "--edges",
                        f"{folder}/e.tsv", "-o", f"{folder}/g.h5"], check=True)
        assert sorted(os.listdir(folder)) == ["e.tsv", "g.h5", "v.tsv"]
        with h5py.File(f"{folder}/g.h5") as file:
            assert file.attrs["gemp-format"] == "gemp-graph" and file.attrs["encoding-type"] == "dict"
            assert file.attrs["directed"] and file.attrs["seed"] == 1
            read_element(file)
            keys = check_nodes(file, vertices)
            assert list(file["edges"]) == ["ACTS%2FIN", "KNOWS"]
            check_relation(file["edges/KNOWS"], "KNOWS", keys, edges)
            check_relation(file["edges/ACTS%2FIN"], "ACTS/IN", keys, edges)

            def plain(name, item):
                if isinstance(item, h5py.Dataset) and item.is_virtual:
                    assert not item.virtual_sources() and (item[()] == item.fillvalue).all(), name
                elif isinstance(item, h5py.Dataset):
                    assert item.chunks is None and item.compression is None and "checksum" in item.attrs, name
            file.visititems(plain)
        check_symmetric(folder, mpirun, seed)
        check_implied(folder, mpirun, seed)


main()
