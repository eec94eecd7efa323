"""jobs/reproduce-som.sh on a tiny map: the page has the published figures, and training makes the errors smaller."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from reproduce_case import check

text, content = check("som")
published = {comparison["experiment"]: comparison["published"] for comparison in content["comparisons"]}
assert published["one epoch"] == 40 and published["500 epochs"] == 4 * 3600, published
assert published["best unit of one vector, published in C++"] == 0.004, published
assert published["best unit of one vector, published in F#"] == 0.14, published
rows = re.findall(r"^\| (\d+) \| \S+ \| (\S+) \| (\S+) \|$", text, re.MULTILINE)
assert len(rows) == 9 and rows[0][0] == "1" and rows[-1][0] == "20", rows
first, last = float(rows[0][1]), float(rows[-1][1])
assert last < first / 2, (first, last)  # the quantisation error
for name in ("u-matrix", "hits", "planes"):
    assert "(som-%s.png)" % name in text, name
