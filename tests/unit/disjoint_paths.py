"""Tests jobs/synonyms/disjoint_paths.py: on small random graphs the number of disjoint paths is that of the largest set among
all sets of paths, and on some graphs it has a closed form."""
import itertools
import os
import random
import sys

sys.path.insert(0, os.path.join(os.environ.get("GEMP_SOURCE_DIR", "."), "jobs", "synonyms"))
from disjoint_paths import disjoint_paths  # noqa: E402 (the path above is needed)


def all_paths(neighbours, path, last, edges):
    """Every simple path that continues `path` to `last`, with at most `edges` further edges."""
    if path[-1] == last:
        yield path
    elif edges > 0:
        for vertex in neighbours[path[-1]]:
            if vertex not in path:
                yield from all_paths(neighbours, path + [vertex], last, edges - 1)


def largest_set(inner):
    """The largest number of sets in the list `inner` of which no two have a common element, by trying all."""
    if not inner:
        return 0
    first, rest = inner[0], inner[1:]
    return max(largest_set(rest), 1 + largest_set([other for other in rest if not other & first]))


def check(neighbours, first, last, edges):
    found = disjoint_paths(neighbours, first, last, edges)
    for path in found:
        assert path[0] == first and path[-1] == last and len(path) <= edges + 1, path
        assert all(b in neighbours[a] for a, b in zip(path, path[1:])), path
    inner = [vertex for path in found for vertex in path[1:-1]]
    assert len(inner) == len(set(inner)) and first not in inner and last not in inner, found
    return len(found)


def graph(count, pairs):
    neighbours = {vertex: set() for vertex in range(count)}
    for a, b in pairs:
        neighbours[a].add(b)
        neighbours[b].add(a)
    return neighbours


def random_graphs(chance, rounds):
    larger = 0
    for _ in range(rounds):
        count = chance.randint(2, 9)
        pairs = [pair for pair in itertools.combinations(range(count), 2) if chance.random() < chance.choice([0.2, 0.35, 0.5])]
        neighbours, found = graph(count, pairs), []
        for edges in (2, 3, 4):
            wanted = largest_set([frozenset(path[1:-1]) or frozenset([-1]) for path in all_paths(neighbours, [0], 1, edges)])
            found.append(check(neighbours, 0, 1, edges))
            assert found[-1] == wanted, (pairs, edges, found, wanted)
        larger += found[0] < found[2]
    assert larger > rounds / 20, "longer paths were hardly ever of use"


def closed_forms():
    complete = graph(9, itertools.combinations(range(9), 2))
    assert [check(complete, 0, 1, edges) for edges in (2, 3, 4)] == [8, 8, 8]
    ring = graph(8, [(i, (i + 1) % 8) for i in range(8)])
    assert [check(ring, 0, 4, edges) for edges in (2, 3, 4)] == [0, 0, 2]
    assert [check(ring, 0, 3, edges) for edges in (2, 3, 4)] == [0, 1, 1]
    # the first path that is found, 0-2-5-1, has to be given back for 0-2-4-1 and 0-3-5-1
    assert check(graph(6, [(0, 2), (0, 3), (2, 5), (2, 4), (3, 5), (4, 1), (5, 1)]), 0, 1, 3) == 2
    for edges in (1, 5):
        try:
            disjoint_paths(ring, 0, 4, edges)
        except ValueError:
            continue
        raise AssertionError("paths of at most %d edges are not refused" % edges)


def main():
    seed = int(os.environ.get("GEMP_TEST_SEED", random.randrange(2**31)))
    print("seed", seed)
    closed_forms()
    random_graphs(random.Random(seed), 1500)


main()
