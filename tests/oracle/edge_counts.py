"""Compares counts of queries without directions, in openCypher's sense and under hom, with the brute-force reference:
by sums where they apply, and by enumeration.

    edge_counts.py [--seed N] [--cases N]

The graphs are small random graphs of one to three types, directed or undirected. Most of them have neither loops nor
parallel edges, so that sums apply if the pattern has no condition; the others have some. The patterns are random trees
with up to two more edges, in which two edges without a common end may coincide; some have a label, or edges of several
types. A quarter of the queries have two MATCH, whose edges may coincide; the enumeration in this file counts them. The
number of ranks and the place are drawn. Some case must be counted by sums."""
import argparse
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from reference import Query, Reference, Run, need_program, test_seed, work_folder


def random_graph(rng):
    """Returns (vertices, edges, undirected): [(key, label)], [(source, target, type)]."""
    n, types = rng.randint(1, 12), 'RST'[:rng.randint(1, 3)]
    density, noise = rng.choice([0.15, 0.3, 0.6]), rng.random() < 0.3
    edges = [rng.sample([a, b], 2) + [rng.choice(types)] for a in range(n) for b in range(a) if rng.random() < density]
    if noise:
        edges += [[rng.randrange(n), rng.randrange(n), rng.choice(types)] for _ in range(rng.randint(0, 3))]
    if noise and rng.random() < 0.5:
        edges += [[v, v, rng.choice(types)] for v in rng.sample(range(n), 1)]
    rng.shuffle(edges)
    return [(v, rng.choice('PQ')) for v in range(n)], edges or [[0, 0, 'R']], rng.random() < 0.5


def random_query(rng, types, label):
    n = rng.choice([2, 3, 4, 4, 5, 5, 6])
    pairs = [(rng.randrange(v) if rng.random() < 0.5 else v - 1, v) for v in range(1, n)]
    for _ in range(rng.choice([0, 0, 1, 2])):
        pair = tuple(sorted(rng.sample(range(n), 2)))
        if pair not in pairs:
            pairs.append(pair)
    wanted = rng.choice([[], types, rng.sample(types, 1)])
    several = rng.random() < 0.1
    edges = [('e%d' % i, 'v%d' % a, 'v%d' % b, 'either', rng.sample(types, 1) if several else wanted)
             for i, (a, b) in enumerate(pairs)]
    labels = [label] if rng.random() < 0.1 else []
    query = Query('q', [('v%d' % v, [] if v else labels) for v in range(n)], edges, returns=['count(*)'])
    query.arrange(rng)
    return query


def divide(query, rng):
    """Divides the edges into two MATCH, and returns the number of the MATCH of each edge."""
    query.edges.sort(key=lambda e: int(e[0][1:]))  # each edge of the tree has an end in an earlier edge
    first = rng.randint(1, len(query.edges) - 1)
    parts = ['(%s)-[%s]-(%s)' % (a, types and ':' + '|'.join(types) or '', b) for _, a, b, _, types in query.edges]
    query.text = 'MATCH %s MATCH %s RETURN count(*)' % (', '.join(parts[:first]), ', '.join(parts[first:]))
    return [i >= first for i in range(len(parts))]


def count_divided(query, edges, matches, images=()):
    """Counts the ways to choose an edge of the graph, and a direction, for each edge of the query from number
    len(images) on. images: the chosen edges, as (number, image of the one end, image of the other end)."""
    at = len(images)
    if at == len(query.edges):
        return 1
    ends = {v: x for e, image in zip(query.edges, images) for v, x in zip(e[1:3], image[1:])}
    used = {image[0] for image, match in zip(images, matches) if match == matches[at]}
    _, a, b, _, types = query.edges[at]
    return sum(count_divided(query, edges, matches, images + ((number, x, y),))
               for number, (source, target, kind) in enumerate(edges) if number not in used and (not types or kind in types)
               for x, y in {(source, target), (target, source)} if ends.get(a, x) == x and ends.get(b, y) == y)


def write_graph(folder, graph):
    vertices, edges, undirected = graph
    files = [os.path.join(folder, name) for name in ('v.tsv', 'e.tsv', 'g.h5')]
    if os.path.exists(files[2]):
        os.remove(files[2])
    with open(files[0], 'w') as out:
        out.write('id\ttype\n' + ''.join('%d\t%s\n' % v for v in vertices))
    with open(files[1], 'w') as out:
        out.write('src\tdst\ttype\n' + ''.join('%d\t%d\t%s\n' % tuple(e) for e in edges))
    run = Run(1, ['import', '--vertices', files[0], '--edges', files[1]] + ['--undirected'] * undirected +
              ['-o', files[2]])
    if run.code != 0:
        sys.exit('import: ' + run.err)
    return files


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=test_seed())
    parser.add_argument('--cases', type=int, default=25)
    o = parser.parse_args()
    need_program()
    rng, reference, folder = random.Random(o.seed), Reference(), work_folder()
    failures = sums = 0
    print('seed %d' % o.seed)
    for case in range(o.cases):
        if case % 4 == 0:
            graph = random_graph(rng)
            files = write_graph(folder, graph)
        query = random_query(rng, sorted({e[2] for e in graph[1]}), graph[0][0][1])
        semantics = rng.choice(['edge-iso', 'edge-iso', 'hom'])
        divided = 2 <= len(query.edges) <= 5 and not any(labels for _, labels in query.vertices) and rng.random() < 0.4
        if divided:
            semantics = 'edge-iso'
            want = count_divided(query, graph[1], divide(query, rng))
        else:
            want = reference.ask([query], files[0], files[1], undirected=graph[2], semantics=semantics,
                                 distinct='none')[0].matches
        sense = [] if divided or (semantics == 'edge-iso' and rng.random() < 0.7) else ['--semantics', semantics, '--distinct', 'none']
        for by in ['auto'] + ['enumerate'] * (rng.random() < 0.3):
            place = rng.choice(['auto'] * 9 + ['device']) if by == 'auto' else 'auto'
            run = Run(rng.choice([1, 1, 2, 3]), ['match', files[2], query.text, '--count', '--count-by', by, '--on', place,
                                                 '--explain', '--json', '-'] + sense, 200)
            report = run.json()
            sums += bool(report) and 'counted without enumerating' in report['plan']
            if not report or report['matches'] != want:
                failures += 1
                print('FAILED: case %d: %s\n  %s instead of %d\n  edges%s: %s\n%s' %
                      (case, run.shown(), report and report['matches'], want, ' undirected' * graph[2],
                       graph[1], run.err[-500:]))
    print('%d failures, %d counted by sums' % (failures, sums))
    return failures > 0 or sums == 0


if __name__ == '__main__':
    sys.exit(main())
