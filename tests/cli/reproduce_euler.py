"""jobs/reproduce-euler.sh on tiny graphs: every step of every engine has a time, every published figure has a ratio, and
the page says that PINs, words and the genome are right. The script itself checks circuits, words and the genome."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from reproduce_case import check

STEPS = ["predecessors", "partition into circuits", "circuit graph", "its spanning tree", "swaps", "order of the edges"]

text, content = check("euler")
names = [comparison["experiment"] for comparison in content["comparisons"]]
for expected in ("generation of the deep graph", "circuit of the dense graph"):
    assert expected in names, names
assert sum(name.startswith("list of edges") for name in names) == 3, names
for step in STEPS:
    lines = re.findall(r"^\| %s \| .*$" % step, text, re.MULTILINE)
    assert len(lines) == 3, (step, lines)  # one rank's device, one rank's threads, several ranks
    for line in lines:
        cells = [float(cell.replace(",", "")) for cell in line.strip("|").split("|")[1:]]
        assert len(cells) == 4 and all(cell >= 0 for cell in cells), line
assert re.search(r"^\| dense \| \S+ \| \S+ \| 50 \| \S+ \|$", text, re.MULTILINE)  # beside sequential code
assert re.search(r"^\| PINs of 4 digits \| 10,000 \| 10,003 \| 40,000 \| \S+ \| yes \|$", text, re.MULTILINE)
assert re.search(r"^\| 3,000 \| \S+ \| 3,000 \| yes \| \S+ \|$", text, re.MULTILINE)
