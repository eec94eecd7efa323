"""Compares counts by sums and by enumeration with the brute-force reference, for connected patterns of up to 5 vertices
and the cycle of 6.

    count_by.py [--seed N] [--patterns N] [--graphs N] [--all [--share I/N]]

By default a few patterns are drawn at random for the device, since PoCL needs seconds to build a kernel, and more for
the host. --all tests the 2 patterns
of three, 6 of four and 21 of five vertices, and the cycle. --share I/N takes every N-th of these patterns from the
I-th on, so N processes can run at the same time. The graphs are random graphs of several densities, with hubs, and
with self-loops and parallel edges in the file; a clique; a star; and a graph whose only edge is a self-loop. By default one of the
last three is drawn, and only the first graph is counted by enumeration. The number of ranks is drawn: 1, 2, 3 or 8
for sums, 1 or 2 for enumeration."""
import argparse
import itertools
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from reference import Reference, Run, need_program, shape, test_seed, work_folder


def canonical(size, edges):
    return min(tuple(sorted(tuple(sorted((order[a], order[b]))) for a, b in edges))
               for order in itertools.permutations(range(size)))


def connected(size, edges):
    seen, todo = {0}, [0]
    while todo:
        at = todo.pop()
        for a, b in edges:
            for near, far in ((a, b), (b, a)):
                if near == at and far not in seen:
                    seen.add(far)
                    todo.append(far)
    return len(seen) == size


def connected_patterns(size):
    pairs = list(itertools.combinations(range(size), 2))
    subsets = (edges for n in range(size - 1, len(pairs) + 1) for edges in itertools.combinations(pairs, n))
    return sorted({canonical(size, edges) for edges in subsets if connected(size, edges)})


def random_edges(rng):
    n, density, hubs = rng.randint(6, 40), rng.choice([0.08, 0.2, 0.5]), rng.choice([0, 0, 1, 2])
    edges = [(a, b) for a in range(n) for b in range(a) if b < hubs or rng.random() < density]
    noise = [rng.choice(edges) for _ in range(3)] + [(0, 0), (1, 1)] if edges else [(0, 1)]
    return edges + noise


CYCLE_OF_6 = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)]
FIXED = [[(0, 0)], [(0, i) for i in range(1, 20)], [(a, b) for a in range(9) for b in range(a)]]


def make_graph(folder, number, edges):
    text, file = (os.path.join(folder, 'g%d.%s' % (number, end)) for end in ('tsv', 'h5'))
    with open(text, 'w') as out:
        out.write('src\tdst\ttype\n' + ''.join('%d\t%d\tR\n' % edge for edge in edges))
    run = Run(1, ['import', '--edges', text, '--undirected', '-o', file])
    if run.code != 0:
        sys.exit('import: ' + run.err)
    return text, file


def name_of(edges):
    return 'edges:' + ','.join('%d-%d' % edge for edge in edges)


def differs(name, file, ranks, by, want, on='device'):
    run = Run(ranks, ['match', file, '--pattern', name, '--count', '--count-by', by, '--on', on, '--json', '-'], 200)
    report = run.json()
    if report and report['matches'] == want.matches and report['embeddings'] == want.embeddings:
        return False
    got = report and (report['matches'], report['embeddings'])
    print('FAILED: %s\n  %s instead of %s\n%s' % (run.shown(), got, (want.matches, want.embeddings), run.err[-500:]))
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=test_seed())
    parser.add_argument('--patterns', type=int, default=3)
    parser.add_argument('--graphs', type=int, default=2)
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--share', default='1/1')
    o = parser.parse_args()
    need_program()
    rng, reference, folder, failures = random.Random(o.seed), Reference(), work_folder(), 0
    print('seed %d' % o.seed)
    patterns = {size: connected_patterns(size) for size in (3, 4, 5)}
    assert [len(patterns[size]) for size in (3, 4, 5)] == [2, 6, 21]
    first, step = map(int, o.share.split('/'))
    every = [edges for size in (3, 4, 5) for edges in patterns[size]] + [CYCLE_OF_6]
    every = every[first - 1::step]
    graphs = [random_edges(rng) for _ in range(o.graphs)] + (FIXED if o.all else [rng.choice(FIXED)])
    graphs = [make_graph(folder, i, edges) for i, edges in enumerate(graphs)]
    for edges in every if o.all else rng.sample(every, o.patterns):
        name = name_of(edges)
        for i, (text, file) in enumerate(graphs):
            want = reference.ask([shape(name, edges)], None, text, undirected=True)[0]
            failures += differs(name, file, rng.choice([1, 1, 2, 3, 8]), 'auto', want)
            if o.all or i == 0:
                failures += differs(name, file, rng.choice([1, 2]), 'enumerate', want)
    for edges in every if o.all else rng.sample(every, 3 * o.patterns):
        for text, file in graphs:
            want = reference.ask([shape(name_of(edges), edges)], None, text, undirected=True)[0]
            failures += differs(name_of(edges), file, rng.choice([1, 1, 2, 3, 8]), 'auto', want, rng.choice(['host', 'auto']))
    print('%d failures' % failures)
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
