"""jobs/reproduce-exchange.sh on tiny graphs: the page has every cell, one rank sends nothing, and two ranks send rows by pull and
partial matches by push. The script itself compares the counts of all ways; here they are compared with paths counted in closed
form: replicas of a graph of n entries on R ranks take 4 n (R - 1) bytes."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from reproduce_case import cells, check, figure

VERTICES, DEGREE = 2000, 16

text, content = check("exchange", published=False)
sections = re.findall(r"^### (.*)$", text, re.MULTILINE)
assert len(sections) == 4, sections
ranks = [cells(line) for line in text.split("## Ranks")[1].splitlines() if re.match(r"^\| \d+ \|", line)]
assert [row[0] for row in ranks] == ["1", "2", "3"], ranks
assert len({row[1] for row in ranks}) == 1 and figure(ranks[0][1]) > 0, ranks
for row in ranks:
    count = int(row[0])
    replicas, pull, push = (figure(cell) for cell in row[2:5])
    assert abs(replicas - 4e-6 * VERTICES * DEGREE * (count - 1)) <= 0.005 * replicas, row
    assert (pull > 0) == (push > 0) == (count > 1), row
    assert row[-2] in ("none", "pull", "push") and (row[-2] == "none") == (count == 1), row
