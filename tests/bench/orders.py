#!/usr/bin/env python3
"""Measures whether the planner chooses good matching orders. Forces each matching order of each pattern with --order
and compares its work with the work of the planner's order. Work is counted by --profile: entries of rows read, plus
LOOKUP entries for each lookup and PASSED entries for each partial match. Of the orders that an automorphism of the
pattern maps to each other only one is measured.

    tests/bench/orders.py [--only TEXT] [--limit SECONDS] [--graphs FOLDER] [--chosen FILE] [--save]
                          [OPTION of match...]

GEMP_MPI is the program; GEMP_SHARED is the folder with data. --graphs keeps the graph files in
FOLDER. --chosen takes the work of forced orders from earlier
raw results and measures only the planner's orders. --save keeps the raw results under tests/bench/results."""
import argparse
import itertools
import json
import os
import platform
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'reference'))
from reference import SHARED, Run, need_program, need_shared, work_folder

# Costs in entries. They were fitted to the kernel seconds of all orders on 2 CPU cores, as in
# src/match/planner/order_search.c.
LOOKUP, PASSED = 2, 40


class Case:
    """A pattern over a graph: arguments of match, names of the pattern's vertices, its edges, and the conditions that
    distinguish its vertices."""

    def __init__(self, graph, name, arguments, names, edges, kinds=None):
        self.graph, self.name, self.arguments = graph, name, arguments
        self.names, self.edges, self.kinds = names, edges, kinds or [''] * len(names)

    def automorphisms(self):
        pairs = {frozenset(e[:2]): e[2:] for e in self.edges}
        for image in itertools.permutations(range(len(self.names))):
            if all(self.kinds[v] == self.kinds[image[v]] for v in range(len(image))) and all(
                    pairs.get(frozenset((image[a] for a in pair)), None) == kind for pair, kind in pairs.items()):
                yield image

    def orders(self):
        """Yields one order of each class of connected orders that automorphisms map to each other."""
        group, seen = list(self.automorphisms()), set()
        near = [set() for _ in self.names]
        for a, b in (e[:2] for e in self.edges):
            near[a].add(b)
            near[b].add(a)
        for order in itertools.permutations(range(len(self.names))):
            if order in seen or not all(near[v] & set(order[:i]) for i, v in enumerate(order) if i):
                continue
            seen.update(tuple(image[v] for v in order) for image in group)
            yield order


def connected(vertices, pairs):
    reached, before = {0}, set()
    while reached != before:
        before = set(reached)
        for a, b in pairs:
            if a in reached or b in reached:
                reached |= {a, b}
    return len(reached) == vertices


def shapes(vertices):
    """Returns one graph of each isomorphism class of connected graphs with this many vertices."""
    pairs = list(itertools.combinations(range(vertices), 2))
    permutations = list(itertools.permutations(range(vertices)))
    seen = set()
    for count in range(vertices - 1, len(pairs) + 1):
        for chosen in itertools.combinations(pairs, count):
            if chosen in seen or not connected(vertices, chosen):
                continue
            for p in permutations:
                seen.add(tuple(sorted(tuple(sorted((p[a], p[b]))) for a, b in chosen)))
            yield list(chosen)


def shape_case(graph, edges):
    text = 'edges:' + ','.join('%d-%d' % e for e in edges)
    vertices = 1 + max(max(e) for e in edges)
    return Case(graph, text, ['--pattern', text], [str(v) for v in range(vertices)], edges)


def query_graph_case(graph, path):
    kinds, edges = [], []
    for line in open(path):
        words = line.split()
        if words[0] == 'v':
            kinds.append(words[2])
        elif words[0] == 'e':
            edges.append((int(words[1]), int(words[2])))
    return Case(graph, os.path.basename(path), ['--query-graph', path, '--query-labels', 'L%d'],
                [str(v) for v in range(len(kinds))], edges, kinds)


def query_case(graph, name, text, names, edges):
    """Treats all vertices of the query as distinguishable, so each of its orders is measured."""
    return Case(graph, name, [text, '--semantics', 'iso', '--distinct', 'orbit'], names, edges, names)


def cases():
    for vertices in (3, 4):
        for edges in shapes(vertices):
            yield shape_case('wiki-vote', edges)
    for edges in shapes(5):
        yield shape_case('rmat9', edges)
    yield shape_case('rmat9', [(i, (i + 1) % 6) for i in range(6)])
    for edges in ([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)], [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4)]):
        yield shape_case('condmat', edges)
    queries = os.path.join(SHARED, 'data/labelled/wiki4/queries')
    for query in sorted(os.listdir(queries)):
        yield query_graph_case('wiki4', os.path.join(queries, query))
    yield query_case('movies', 'pairs of actors in two films',
                     'MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person), (a)-[:ACTS_IN]->(n:Movie)<-[:ACTS_IN]-(b) '
                     'RETURN count(*)', list('ambn'), [(0, 1), (2, 1), (0, 3), (2, 3)])
    yield query_case('movies', 'a director and two actors',
                     'MATCH (d:Person)-[:DIRECTED]->(m:Movie)<-[:ACTS_IN]-(a:Person), (a)-[:ACTS_IN]->(n:Movie)<-[:DIRECTED]-(d) '
                     'RETURN count(*)', list('dman'), [(0, 1), (2, 1), (2, 3), (0, 3)])


GRAPHS = {  # name -> arguments of gemp-mpi that make the graph
    'wiki-vote': ('import', 'graphs/wiki-vote'), 'condmat': ('import', 'graphs/ca-condmat-cc1'),
    'wiki4': ('import', 'labelled/wiki4'), 'movies': ('import', 'movies'),
    'rmat9': ('generate', 'rmat', '--scale', '9', '--edge-factor', '8', '--seed', '5'),
}


def make_graph(name, folder):
    path = os.path.join(folder, name + '.h5')
    how = GRAPHS[name]
    if os.path.exists(path):
        return path
    arguments = list(how)
    if how[0] == 'import':
        data = os.path.join(SHARED, 'data', how[1])
        arguments = ['import', '--vertices', os.path.join(data, 'vertices.tsv.zst'), '--edges',
                     os.path.join(data, 'edges.tsv.zst')] + ['--undirected'] * (name != 'movies')
    run = Run(1, arguments + ['-o', path, '-q'], 300)
    if run.code != 0:
        sys.exit('cannot make %s: %s' % (name, run.err))
    return path


def work_of(report):
    return report['entries_read'] + LOOKUP * report['lookups'] + PASSED * report['rows_passed']


def run_order(case, path, order, limit, options):
    arguments = ['match', path] + case.arguments + ['--count', '--profile', '--json', '-'] + options
    if order is not None:
        arguments += ['--order', ','.join(case.names[v] for v in order)]
    run = Run(1, arguments, limit)
    report = run.json()
    if run.hangs or report is None or 'entries_read' not in report:
        return None, None if run.hangs else run.err[-300:]
    kept = {k: report[k] for k in ('matches', 'order', 'entries_read', 'lookups', 'rows_passed')}
    kept['kernel'] = report['seconds']['kernel']['max']
    return kept, None


def measure(case, path, limit, options, known):
    """Returns the raw results of a case: of the planner's order, and of all forced orders by their numbers."""
    chosen, error = run_order(case, path, None, 10 * limit, options)
    result = {'graph': case.graph, 'pattern': case.name, 'chosen': chosen, 'error': error, 'orders': {}}
    if known is not None:
        result['orders'] = known['orders']
        return result
    for order in case.orders():
        key = ','.join(map(str, order))
        result['orders'][key], error = run_order(case, path, order, limit, options)
        if error:
            print('    %s: %s' % (key, error))
    return result


def show(result):
    done = {k: work_of(r) for k, r in result['orders'].items() if r}
    chosen = result['chosen']
    wrong = chosen and any(r and r['matches'] != chosen['matches'] for r in result['orders'].values())
    if not chosen or not done:
        print('%-10s %-44s %s' % (result['graph'], result['pattern'][:44], result['error'] or 'late'))
        return None
    best = min(done, key=done.get)
    ratio = work_of(chosen) / max(done[best], 1)
    print('%-10s %-44s %5d %5d %12.4g %12.4g %7.2f%s  %s, best %s' % (
        result['graph'], result['pattern'][:44], len(result['orders']), len(result['orders']) - len(done),
        work_of(chosen), done[best], ratio, ' WRONG' if wrong else '', ','.join(map(str, chosen['order'])), best), flush=True)
    return None if wrong else ratio


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--limit', type=float, default=30)
    parser.add_argument('--only', default='')
    parser.add_argument('--graphs', default='')
    parser.add_argument('--chosen')
    parser.add_argument('--save', action='store_true')
    arguments, options = parser.parse_known_args()
    need_program()
    need_shared('data/graphs')
    known = {}
    if arguments.chosen:
        for line in open(arguments.chosen):
            entry = json.loads(line)
            if 'pattern' in entry:
                known[entry['graph'], entry['pattern']] = entry
    folder, ratios, raw = arguments.graphs or work_folder(), [], []
    print('%-10s %-44s %5s %5s %12s %12s %7s' % ('graph', 'pattern', 'tried', 'late', 'work', 'best work', 'ratio'))
    for case in cases():
        if arguments.only not in case.graph + ' ' + case.name:
            continue
        raw.append(measure(case, make_graph(case.graph, folder), arguments.limit, options,
                           known.get((case.graph, case.name))))
        ratios.append(show(raw[-1]))
        if arguments.save:
            save(raw, options)
    good = sum(r is not None and r <= 1.3 for r in ratios)
    print('%d of %d within 1.3 of the best order; worst %.2f' % (good, len(ratios), max((r or 0) for r in ratios)))
    return good < len(ratios)


STARTED = time.strftime('%Y-%m-%d-%H%M')


def save(raw, options):
    name = os.path.join(HERE, 'results', 'orders-%s.jsonl' % STARTED)
    with open(name, 'w') as file:
        file.write(json.dumps({'host': platform.node(), 'options': options}) + '\n')
        file.writelines(json.dumps(entry) + '\n' for entry in raw)


if __name__ == '__main__':
    sys.exit(main())
