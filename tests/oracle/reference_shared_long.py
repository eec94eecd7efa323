"""Compares the reference with counts of real graphs on which other systems agree."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from reference import Query, Reference, Text, named_shape, need_shared, work_folder

reference, folder, failures = Reference(), work_folder(), 0


def files(graph):
    paths = []
    for name in ('vertices.tsv', 'edges.tsv'):
        source = need_shared(os.path.join('data', graph, name + '.zst'))
        paths.append(os.path.join(folder, graph.replace('/', '-') + name))
        with open(paths[-1], 'wb') as file:
            subprocess.run(['zstd', '-dcq', source], stdout=file, check=True)
    return paths


def check(graph, query, expected, field='matches', **options):
    global failures
    answer = reference.ask([query], *files(graph), **options)[0]
    if getattr(answer, field) != expected:
        failures += 1
        print('FAILED: %s in %s: %d, expected %d' % (query.name, graph, getattr(answer, field), expected))


def acts(name, person, movie):
    return (name, person, movie, 'out', ['ACTS_IN'])


def query_graph(path):
    lines = [line.split() for line in open(path)]
    return Query(os.path.basename(path), [('v' + line[1], ['L' + line[2]]) for line in lines if line and line[0] == 'v'],
                 [('e%d' % i, 'v' + line[1], 'v' + line[2], 'either', []) for i, line in enumerate(lines)
                  if line and line[0] == 'e'])


check('graphs/wiki-vote', named_shape('triangle'), 608389)
check('graphs/wiki-vote', named_shape('clique:4'), 2077903)
people = [('m', ['Movie']), ('a', ['Person']), ('b', ['Person'])]
check('movies', Query('pairs', people, [acts('e', 'a', 'm'), acts('f', 'b', 'm')]), 460702)
check('movies', Query('two movies', people + [('n', ['Movie'])],
                      [acts(x + y, x, y) for x in 'ab' for y in 'mn']), 52091)
check('movies', Query('three movies', people + [('n', ['Movie']), ('o', ['Movie'])],
                      [acts(x + y, x, y) for x in 'ab' for y in 'mno']), 101288)
four = Query('casts with Jack', people + [('c', ['Person']), ('d', ['Person'])], [acts('e' + x, x, 'm') for x in 'abcd'],
             [('contains', 'a.name', Text('Jack'))])
check('movies', four, 649542)
check('movies', four, 637011, distinct='vertices')
for size, low, switches in ((1, 43, 3), (16, 988, 76)):
    check('railway/size%d' % size, Query('PosLength', [('s', ['Segment'])], [], [('le', 's.length', 0)]), low)
    check('railway/size%d' % size,
          Query('SwitchSet', [('r', ['Route']), ('s', ['Semaphore']), ('p', ['SwitchPosition']), ('w', ['Switch'])],
                [('e', 'r', 's', 'out', ['entry']), ('f', 'r', 'p', 'out', ['follows']), ('g', 'p', 'w', 'out', ['switch'])],
                [('eq', 's.signal', Text('GO')), ('ne', 'p.position', 'w.position')]), switches)
for name, count in (('l_k4', 187217), ('l_diamond', 562990), ('l_q6', 923928)):
    check('labelled/wiki4', query_graph(need_shared('data/labelled/wiki4/queries/%s.graph' % name)), count, 'embeddings',
          undirected=True)
print('%d failed' % failures if failures else 'all passed')
sys.exit(failures > 0)
