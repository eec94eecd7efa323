"""jobs/reproduce-gemp.sh on a tiny graph: the page has the seven times, the three sizes, the gains and all series. With --imdb
it reads IMDb's dumps."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from reproduce_case import check

TIMES = ["1 read the graph", "2 convert it", "3 build, copy, run, read back", "3 a. build the kernel", "3 b. copy", "3 c. run",
         "3 d. read back", "4 process the results", "5 make the buffers of phase two", "6 run phase two", "7 give its result"]
SIZES = ["input model", "result buffer", "string buffer of phase two"]


def rows(first):
    """Returns the numbers of the rows that begin with this cell; other cells are left out."""
    lines = re.findall(r"^\| %s \|(.*)\|$" % re.escape(first), text, re.MULTILINE)
    cells = [[cell.strip().replace(",", "") for cell in line.split("|")] for line in lines]
    return [[float(cell) for cell in line if re.fullmatch(r"[-+.0-9e]+", cell)] for line in cells]


text, content = check("gemp")
names = [comparison["experiment"] for comparison in content["comparisons"]]
assert sum("the pivot" in name for name in names) == 1 and sum("copied each time" in name for name in names) == 1, names
for name in TIMES + SIZES:
    (before, after), = rows(name)
    assert before >= 0 and after >= 0, (name, before, after)
    phase_two = name[0] in "567" or name.startswith("string")
    assert (before == 0) == phase_two and (after > 0 or name == "3 d. read back"), (name, before, after)
(before, after), = rows("whole run")
assert all(0 < rows(name)[0][0] < before for name in TIMES[:3]) and after > 0
once, each = rows("after, once"), rows("after, each time")
(vertices, edges, elements, matches, tested), = rows("small")
assert vertices + edges == elements and 0 < matches < tested
assert each[0][0] == tested > once[0][0] and each[0][1] > once[0][1]
for parts in range(7):  # of 2^parts parts
    found = rows(str(1 << parts))
    share = found[0]
    assert share[0] == matches and share[1] <= matches, share
    assert abs(share[3] / 16.0**-parts - 1) < 0.01, share
assert rows("1")[0][1] == matches and rows("2")[1][0] < rows("2")[1][1] < 1, rows("2")  # push keeps more than lies in one part
buffers = [row for row in rows("before") if len(row) == 7]
assert [row[0] for row in buffers] == [100, 1000] and buffers[0][2] >= matches / 100 and buffers[1][2] >= matches / 1000


def write_dumps(folder, films, people):
    """Writes dumps of IMDb in which each film has a cast of 8, of which every fourth person is a Jack. A film's matches are a
    Jack and three of the seven others."""
    def table(name, header, lines):
        with open(os.path.join(folder, name), "w") as file:
            file.writelines("\t".join(map(str, line)) + "\n" for line in [header, *lines])

    table("name.basics.tsv", ["nconst", "primaryName", "birthYear", "deathYear", "primaryProfession", "knownForTitles"],
          [["nm%d" % i, "Ann B" if i % 4 else "Jack B", 1950, "\\N", "actor", "\\N"] for i in range(people)])
    table("title.basics.tsv", ["tconst", "titleType", "primaryTitle", "originalTitle", "isAdult", "startYear", "endYear",
                               "runtimeMinutes", "genres"],
          [["tt%d" % i, "movie", "Film", "Film", 0, 1999, "\\N", 90, "Drama"] for i in range(films)])
    table("title.principals.tsv", ["tconst", "ordering", "nconst", "category", "job", "characters"],
          [["tt%d" % i, k, "nm%d" % ((i * 3 + k) % people), "actor", "\\N", "\\N"] for i in range(films) for k in range(8)])


with tempfile.TemporaryDirectory() as dumps:
    write_dumps(dumps, 40, 60)
    text, content = check("gemp", "--imdb", dumps)
    assert rows("IMDb") == [[100, 320, 420, 40 * 2 * 35, 40 * 8 * 35]], rows("IMDb")
