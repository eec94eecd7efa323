"""Small inputs that state huge sizes end soon, with little memory, exit code 65 and one message that names file and
place; inputs at the edge of what is allowed are read."""
import contextlib
import gzip
import io
import itertools
import json
import os
import resource
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
os.environ.setdefault("GEMP_TEST_LIMIT", "60")
from program import run

try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

HUGE = 10**9
VERTICES, VERTICES_A_BYTE, BYTES = 2**20, 1000, 2**23  # the limits of io/file/claim.h
MEMORY = 500  # MiB that a process may take; a dictionary's text of 256 MiB is in memory before it is refused
TEXT = h5py.string_dtype()


def write(name, content):
    with open(name, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return name


def matrix(name, rows, columns, entry="1 1"):
    return write(name, f"%%MatrixMarket matrix coordinate pattern general\n{rows} {columns} 1\n{entry}\n")


def array(values):
    file = io.BytesIO()
    numpy.save(file, values)
    return file.getvalue()


def header(length):
    """A .npy whose header states a length, with its first element only."""
    text = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({length},), }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(8)


def npz(name, kind, **members):
    arrays = {"format": array(numpy.array(kind)), "shape": array(numpy.array([HUGE, HUGE])), **members}
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as file:
        for member, content in arrays.items():
            file.writestr(member + ".npy", content)
    return name


def with_size(name, member, size):
    """Changes the size that the zip archive's directory states for a member."""
    with open(name, "rb") as file:
        content = bytearray(file.read())
    at = content.rindex(member.encode()) - 46  # bytes of an entry before its name
    assert content[at:at + 4] == b"PK\1\2"
    content[at + 24:at + 28] = size.to_bytes(4, "little")
    return write(name, bytes(content))


@contextlib.contextmanager
def hdf5(name):
    with h5py.File(name, "w") as file:
        yield file


def binsparse(name, kind, lengths):
    with hdf5(name) as file:
        file.attrs["binsparse"] = json.dumps({"binsparse": {"version": "0.1", "format": kind, "shape": [HUGE, HUGE]}})
        for dataset, length in lengths.items():
            file.create_dataset(dataset, (length,), "i8")
    return name


def anndata(name, length, dtype, categories=None):
    with hdf5(name) as file:
        obs = file.create_group("obs")
        obs.attrs["_index"] = "names"
        obs.attrs.create("column-order", ["kind"] if categories else [], dtype=TEXT)
        obs.create_dataset("names", (length,), dtype)
        if categories:
            obs.create_group("kind").attrs["encoding-type"] = "categorical"
            obs["kind"].create_dataset("codes", data=numpy.zeros(length, "i1"))
            obs["kind"].create_dataset("categories", (categories,), TEXT)
    return name


def som_map(name):
    with hdf5(name) as file:
        file.attrs.update({"encoding-type": "gemp-som", "encoding-version": "0.1.0"})
        file.create_dataset("codebook", (1000, 1000, 1000), "f4")
    return name


def matrices():
    one, none = array(numpy.array([0])), array(numpy.zeros(0, "i8"))
    yield matrix("rows.mtx", HUGE, HUGE), "rows.mtx:2: 1,000,000,000 vertices"
    yield matrix("columns.mtx", 3, HUGE), "columns.mtx:2: 1,000,000,003 vertices"
    yield write("zipped.mtx.gz", gzip.compress(open("rows.mtx", "rb").read())), "zipped.mtx.gz:2: 1,000,000,000 vertices"
    yield write("v.metis", f"{HUGE} 1\n2\n1\n"), "v.metis:1: the header says"
    yield npz("coo.npz", b"coo", row=one, col=one, data=one), "coo.npz: 1,000,000,000 vertices"
    yield npz("csr.npz", b"csr", indptr=header(HUGE + 1), indices=none, data=none), "csr.npz: array 'indptr'"
    npz("size.npz", b"csr", indptr=header(HUGE // 4), indices=none, data=none)
    yield with_size("size.npz", "indptr", 2 * HUGE), "size.npz: is no zip archive"
    end = b"PK\5\6" + bytes(6) + (65000).to_bytes(2, "little") + HUGE.to_bytes(4, "little") + bytes(6)
    yield write("directory.npz", end), "directory.npz: is no zip archive"
    yield (binsparse("coo.bsp.h5", "COO", {"indices_0": 1, "indices_1": 1, "values": 1}),
           "coo.bsp.h5: 1,000,000,000 vertices")
    yield (binsparse("csr.bsp.h5", "CSR", {"pointers_to_1": HUGE + 1, "indices_1": HUGE, "values": 1}),
           "csr.bsp.h5: dataset '/pointers_to_1'")
    yield anndata("keys.h5ad", HUGE, TEXT), "keys.h5ad: dataset '/obs/names'"
    yield anndata("wide.h5ad", 3, f"S{HUGE}"), "wide.h5ad: dataset '/obs/names'"
    yield anndata("kinds.h5ad", 3, TEXT, HUGE), "kinds.h5ad: dataset '/obs/kind/categories'"


def texts():
    entities = "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    yield (write("laughs.graphml", f'<!DOCTYPE l [<!ENTITY a "ha">{entities}]><graphml>&j;</graphml>'),
           "laughs.graphml:1: the file declares an entity")
    yield (write("deep.jsonl", '{"type":"node","id":"1","labels":[],"properties":{"x":' + "[" * 10**6 + "]" * 10**6 + "}}\n"),
           "deep.jsonl:1: ")
    write("big-deu-eng.index", "a\tA\tB\n")
    write("big-deu-eng.dict.dz", gzip.compress(b"a\n b\n" * (1 << 23)) * 8)
    yield "big-deu-eng.index", "big-deu-eng.dict.dz: has more than 256 MiB"


def datasets():
    with hdf5("other.h5") as file:
        file["x"] = numpy.arange(10)
    with hdf5("numbers.h5") as file:
        file.create_dataset("never", (HUGE,), "i8")
        file.create_dataset("beyond", (BYTES // 8 + 1,), "i8")
        file.create_dataset("chunks", (HUGE,), "i8", chunks=(1024,))
        file.create_dataset("chunk", (10,), "i8", maxshape=(None,), chunks=(2**28,), compression="gzip")
        file.create_dataset("outside", (10,), "i8", external=[("raw.bin", 0, 80)])
        file["link"] = h5py.ExternalLink("other.h5", "/x")
        layout = h5py.VirtualLayout(shape=(HUGE,), dtype="i8")
        layout[:10] = h5py.VirtualSource("other.h5", "x", shape=(10,))
        file.create_virtual_dataset("virtual", layout)
        file.create_dataset("table", (HUGE // 10, 16), "f4")
    for name in "never", "beyond", "chunks", "chunk", "outside", "virtual":
        yield ["sort", f"numbers.h5:/{name}", "-o", "sorted.npy"], f"numbers.h5: dataset '/{name}' "
    # its elements would be read at their places in the wrong file
    yield ["sort", "numbers.h5:/link", "-o", "sorted.npy"], "numbers.h5: there is no dataset '/link'"
    yield ["som", "train", "numbers.h5:/table", "-o", "map.h5"], "numbers.h5: dataset '/table' "
    yield ["som", "draw", som_map("map.h5"), "-o", "map.svg"], "map.h5: dataset 'codebook' "


def refused():
    """A case runs with 1 or 3 ranks in turn, and the first one with both."""
    ranks = itertools.cycle((1, 3))
    cases = [(["import", name, "-o", "g.h5"], says) for name, says in itertools.chain(matrices(), texts())]
    for command, says in itertools.chain(cases, datasets()):
        for count in (1, 3) if "rows.mtx" in command else (next(ranks),):
            run(count, *command, code=65, says=says)
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
            assert peak < MEMORY or "dict.dz" in says or peak == refused.peak, (command, peak)
            refused.peak = peak
        assert not os.path.exists("g.h5"), command


refused.peak = 0


def vertices(ranks, name):
    run(ranks, "import", name, "-o", "g.h5", "-q")
    with h5py.File("g.h5") as file:
        return int(file.attrs["vertices"])


def allowed():
    """The largest numbers that are read, and the smallest that are not."""
    for ranks in 1, 3:
        assert vertices(ranks, matrix("free.mtx", VERTICES, VERTICES)) == VERTICES
    size = os.path.getsize(matrix("most.mtx", VERTICES, VERTICES))
    most = VERTICES + VERTICES_A_BYTE * size
    assert os.path.getsize(matrix("most.mtx", most, most)) == size and vertices(1, "most.mtx") == most
    assert os.path.getsize(matrix("more.mtx", most + 1, most + 1)) == size
    run(3, "import", "more.mtx", "-o", "more.h5", code=65, says=f"more.mtx:2: {most + 1:,} vertices")
    with hdf5("numbers.h5") as file:
        file.create_dataset("never", (BYTES // 8,), "i8", fillvalue=7)
        file.create_dataset("packed", data=numpy.full(BYTES + 1, 5, "i1"), compression="gzip", compression_opts=9)
        file.create_dataset("part", (BYTES // 8 + 1,), "i8", chunks=(10**5,))[:10] = 3
    for ranks, name, length, total in ((1, "never", BYTES // 8, BYTES // 8 * 7), (3, "packed", BYTES + 1, 5 * (BYTES + 1)),
                                       (1, "part", BYTES // 8 + 1, 30)):
        run(ranks, "sort", f"numbers.h5:/{name}", "-o", "sorted.npy", "-q")
        values = numpy.load("sorted.npy")
        assert len(values) == length and values.astype("i8").sum() == total, name


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    refused()
    allowed()
    os.chdir("/")
