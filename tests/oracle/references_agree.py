"""Compares the two references, C for plain patterns and Python for the whole language, on the same random queries.

references_agree.py [--seed N] [--seconds S]
"""
import argparse
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from answer import classes, rows_of
from clause import Clauses, Item, Pattern, Projection
from host import Host, TooMany
from random_graph import random_graph
from random_query import random_query
from reference import Reference, test_seed, work_folder


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=test_seed())
    parser.add_argument('--seconds', type=float, default=3)
    arguments = parser.parse_args()
    reference, folder, end = Reference(), work_folder(), time.time() + arguments.seconds
    seed, asked, failures = arguments.seed, 0, 0
    print('seed %d' % seed)
    while time.time() < end and failures < 5:
        rng = random.Random(seed)
        graph = random_graph(rng)
        files = graph.write(folder)
        for _ in range(4):
            semantics = rng.choice(['iso', 'edge-iso', 'hom', 'induced'])
            distinct = rng.choice(['orbit', 'subgraph', 'vertices', 'none'])
            plain = random_query(rng, graph, 'q', distinct)
            if plain.simple:
                continue
            wanted = reference.ask([plain], *files, undirected=graph.undirected, semantics=semantics, distinct=distinct,
                                   rows=True, most=3000)[0]
            if wanted is None:
                continue
            match = Pattern('q', plain.vertices, plain.edges, plain.where)
            names = [] if plain.returns == ['count(*)'] else plain.returns
            query = Clauses(match, result=Projection([Item(n, n) for n in names]))
            host = Host(graph)
            try:
                every = rows_of(host, query, semantics)
                kept = classes(host, query, every, distinct)
            except TooMany:
                continue
            asked += 1
            vertices = [v[0] for v in match.vertices]
            rows = sorted([row[v][1] for v in vertices] for row in kept)
            theirs = sorted(row[:len(vertices)] for row in wanted.rows)
            if (len(every), len(kept), rows) != (wanted.embeddings, wanted.matches, theirs):
                failures += 1
                print('FAILED: seed %d, %s, %s: %d embeddings and %d matches, C has %d and %d: %s' %
                      (seed, semantics, distinct, len(every), len(kept), wanted.embeddings, wanted.matches, plain.text))
        seed += 1
    print('%d questions, %d failed' % (asked, failures))
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
