"""Compares the reference with closed forms. Other tests rely on the reference, so the reference is tested itself."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from reference import Query, Reference, named_shape, work_folder

reference = Reference()
folder = work_folder()
failures = 0


def graph(edges, vertices=None):
    """Writes the files of a graph of edges (source, target, type)."""
    names = vertices if vertices is not None else sorted({v for e in edges for v in e[:2]})
    paths = [os.path.join(folder, f) for f in ('vertices.tsv', 'edges.tsv')]
    with open(paths[0], 'w') as file:
        file.write('id\ttype\tx:int\n' + ''.join('%s\t%s\t%s\n' % (v if isinstance(v, tuple) else (v, '', ''))
                                                 for v in names))
    with open(paths[1], 'w') as file:
        file.write('src\tdst\ttype\n' + ''.join('%s\t%s\t%s\n' % e for e in edges))
    return paths


def check(what, files, query, embeddings, matches, **options):
    global failures
    answer = reference.ask([query], *files, **options)[0]
    if (answer.embeddings, answer.matches) != (embeddings, matches):
        failures += 1
        print('FAILED: %s: %d embeddings, %d matches; expected %d, %d' %
              (what, answer.embeddings, answer.matches, embeddings, matches))


def complete(n):
    return [(i, j, 'E') for i in range(n) for j in range(i + 1, n)]


def shapes_in_complete_graphs():
    for n in range(3, 8):
        files = graph(complete(n))
        for k in range(3, 6):
            falling = math.perm(n, k)
            check('clique:%d in K%d' % (k, n), files, named_shape('clique:%d' % k), falling, math.comb(n, k))
            check('cycle:%d in K%d' % (k, n), files, named_shape('cycle:%d' % k), falling, falling // (2 * k))
            closed = (n - 1) ** k + (-1) ** k * (n - 1)
            answer = reference.ask([named_shape('cycle:%d' % k)], *files, semantics='hom')[0]
            if answer.embeddings != closed:
                check('closed walks', files, named_shape('cycle:%d' % k), closed, -1, semantics='hom')
            check('path:%d in K%d' % (k, n), files, named_shape('path:%d' % k), falling, falling // 2)
            check('star:%d in K%d' % (k - 1, n), files, named_shape('star:%d' % (k - 1)), falling,
                  n * math.comb(n - 1, k - 1))
            check('induced path in K%d' % n, files, named_shape('path:%d' % k), 0, 0, semantics='induced')
            check('cycle:%d by vertices' % k, files, named_shape('cycle:%d' % k), falling, math.comb(n, k),
                  distinct='vertices')
            check('cycle:%d by image' % k, files, named_shape('cycle:%d' % k), falling, falling // (2 * k),
                  distinct='subgraph')


def shapes_in_other_graphs():
    for a in range(1, 5):
        for b in range(1, 5):
            files = graph([('a%d' % i, 'b%d' % j, 'E') for i in range(a) for j in range(b)])
            squares = math.comb(a, 2) * math.comb(b, 2)
            check('C4 in K%d,%d' % (a, b), files, named_shape('cycle:4'), 8 * squares, squares)
            check('induced C4 in K%d,%d' % (a, b), files, named_shape('cycle:4'), 8 * squares, squares,
                  semantics='induced')
            check('triangles in K%d,%d' % (a, b), files, named_shape('triangle'), 0, 0)
    for n in range(3, 9):
        ring = graph([(i, (i + 1) % n, 'E') for i in range(n)])
        for k in range(3, 9):
            check('C%d in C%d' % (k, n), ring, named_shape('cycle:%d' % k), 2 * n * (k == n), int(k == n))
        check('star:2 in C%d' % n, ring, named_shape('star:2'), 2 * n, n)
        directed = Query('ring', [('a', []), ('b', []), ('c', [])],
                         [('e', 'a', 'b', 'out', ['E']), ('f', 'b', 'c', 'out', ['E'])])
        check('directed path in C%d' % n, ring, directed, n, n)
        either = Query('ring', directed.vertices, [e[:3] + ('either', ['E']) for e in directed.edges])
        check('walks of two in C%d' % n, ring, either, 4 * n, 3 * n, semantics='hom')
    for w in range(2, 6):
        for h in range(2, 5):
            grid = [('%d_%d' % (x, y), '%d_%d' % (x + dx, y + dy), 'E') for x in range(w) for y in range(h)
                    for dx, dy in ((1, 0), (0, 1)) if x + dx < w and y + dy < h]
            squares = (w - 1) * (h - 1)
            check('C4 in a grid', graph(grid), named_shape('cycle:4'), 8 * squares, squares)


def multigraphs():
    edge = Query('edge', [('a', []), ('b', [])], [('e', 'a', 'b', 'out', ['T'])])
    either = Query('either', [('a', []), ('b', [])], [('e', 'a', 'b', 'either', [])])
    loop = Query('loop', [('a', [])], [('e', 'a', 'a', 'either', ['T'])])
    two = Query('two', [('a', []), ('b', []), ('c', [])], [('e', 'a', 'b', 'out', []), ('f', 'b', 'c', 'out', [])])
    double = Query('double', [('a', []), ('b', [])], [('e', 'a', 'b', 'out', []), ('f', 'a', 'b', 'out', [])])
    for p in range(1, 5):
        for q in range(1, 4):
            files = graph([('u', 'v', 'T')] * p + [('v', 'u', 'S')] * q)
            check('parallel edges', files, edge, p, p)
            check('either way', files, either, 2 * (p + q), p + q)
            check('double edge', files, double, p * (p - 1) + q * (q - 1), (p * (p - 1) + q * (q - 1)) // 2)
            check('double edge, hom', files, double, p * p + q * q, p * (p + 1) // 2 + q * (q + 1) // 2, semantics='hom')
            check('double edge by vertices', files, double, p * (p - 1) + q * (q - 1), int(p > 1 or q > 1),
                  distinct='vertices')
            check('there and back', files, two, 2 * p * q, 2 * p * q, semantics='edge-iso')
            check('induced in one relation', files, edge, p, p, semantics='induced')
            both = Query('both', edge.vertices, [('e', 'a', 'b', 'out', ['S', 'T'])])
            check('induced in two relations', files, both, 0, 0, semantics='induced')
        files = graph([('u', 'u', 'T')] * p)
        check('loops', files, loop, p, p)
        check('loops, directed', files, two, 0, 0)
        check('trails of two loops', files, two, p * (p - 1), p * (p - 1), semantics='edge-iso')
        check('walks of two loops', files, two, p * p, p * p, semantics='hom')
        check('an edge on a loop', files, either, p, p, semantics='hom')
        files = graph([('u', 'v', 'T'), ('v', 'v', 'T')] * p)
        check('a loop is no part of an induced match', files, edge, 0, 0, semantics='induced')


def conditions():
    people = [('a', 'P', 1), ('b', 'P;Q', 2), ('c', 'Q', ''), ('d', '', 3)]
    files = graph([(x[0], y[0], 'E') for x in people for y in people if x is not y], people)

    def asked(where, embeddings, matches, labels=([], []), returns=()):
        query = Query('conditions', [('s', labels[0]), ('t', labels[1])], [('e', 's', 't', 'out', [])], where, returns)
        check('condition %r' % (where,), files, query, embeddings, matches)

    asked([('gt', 's.x', 1)], 6, 6)
    asked([('not', ('gt', 's.x', 1))], 3, 3)  # NULL is neither true nor false, also under NOT
    asked([('isnull', 's.x')], 3, 3)
    asked([('or', ('isnull', 's.x'), ('eq', 's.x', 1))], 6, 6)
    asked([('lt', 's.x', 't.x')], 3, 3)
    asked([('in', 's.x', 1, 3), ('in', 't.x', 1, 3)], 2, 2)
    asked([], 6, 6, (['P'], []))
    asked([], 4, 4, (['P'], ['Q', 'P']))
    asked([('not', ('in', 's.x', 1, None))], 0, 0)
    pair = [('s', ['P']), ('t', ['P'])]
    either = [('e', 's', 't', 'either', []), ('f', 's', 't', 'either', [])]
    check('a group of four', files, Query('g', pair, either), 4, 1)
    check('a marked end', files, Query('g', pair, either, [('notnull', 's.x')]), 4, 2)
    check('both ends marked', files, Query('g', pair, either, [('gt', 's.x', 0), ('lt', 0, 't.x')]), 4, 1)
    check('RETURN marks an end', files, Query('g', pair, either, returns=['s']), 4, 2)
    check('RETURN of both', files, Query('g', pair, either, returns=['s', 't', 't.x', 's.x']), 4, 1)
    rows = reference.ask([Query('g', [('s', []), ('t', [])], either)], *files, rows=True)[0].rows
    if [r[:2] for r in rows] != [['a', 'b'], ['a', 'c'], ['a', 'd'], ['b', 'c'], ['b', 'd'], ['c', 'd']]:
        raise SystemExit('FAILED: representatives: %r' % rows)


shapes_in_complete_graphs()
shapes_in_other_graphs()
multigraphs()
conditions()
print('%d failed' % failures if failures else 'all passed')
sys.exit(failures > 0)
