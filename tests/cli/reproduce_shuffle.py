"""jobs/reproduce-shuffle.sh on tiny graphs: every application has a speed-up over every other method on every graph, every size of
a tuple a rate, and the kernels of each application their resources. A list of edges is used in place of a stand-in."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from reproduce_case import cells, check

with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "web-Google.txt"), "w") as file:
        file.write("# from SNAP\n" + "".join("%d\t%d\n" % (v, (v * 7 + k) % 300) for v in range(300) for k in (1, 5)))
    text, content = check("shuffle", "--graphs", folder, "--only", "R19,MG,GG")

published = {c["experiment"]: c["published"] for c in content["comparisons"]}
assert published == {"PageRank, decode over convergence, largest": 100, "PageRank, decode over polling, largest": 6,
                     "PageRank, decode over atomics, largest": "not published"}, published
parts = dict(re.findall(r"^### (\w+)\n(.*?)(?=^#)", text, re.MULTILINE | re.DOTALL))
assert list(parts) == ["PageRank", "BFS", "SSSP", "SpMV"], list(parts)
for name, part in parts.items():
    rows = [cells(line) for line in part.splitlines() if re.match(r"\| (R19|MG|GG) \|", line)]
    assert len(rows) == 3 and all(len(row) == 8 and all("×" in cell for cell in row[5:]) for row in rows), (name, rows)
assert re.search(r"^\| GG, web-Google \|.*\| real graph \| 300 \| 600 \|", text, re.MULTILINE), "the list of edges was not used"
assert len(re.findall(r"^\| [48] \| ", text, re.MULTILINE)) == 2
resources = re.findall(r"^\| (\w+) \| ([\w, ]+) \| [\d,]+ \| [\d,]+ \| (?:\d+|not told by the driver) \| \d+ \|$", text, re.MULTILINE)
assert {("shuffle_gather", "BFS, SSSP"), ("shuffle_polling", "PageRank, SpMV"), ("stream_pagerank", "PageRank")} <= set(resources)
