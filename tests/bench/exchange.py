#!/usr/bin/env python3
"""Measures whether --exchange auto chooses well. Searches by enumeration without replicas, with pull, push and auto.
Prints seconds, processor seconds, bytes, and the ratios of push to pull and of auto to the better of both.

    tests/bench/exchange.py [--suite shapes|sparse] [--ranks 2,4,8] [--repeat N] [--limit SECONDS] [--only TEXT] [--save] G.h5...

GEMP_MPI is the program. The suite `shapes` has patterns that close cycles; `sparse` has paths, trees and cycles with
selective ends. The three exchanges run alternately, and for each the best of N runs counts, because other processes may
use the machine. A run that exceeds the limit is not repeated. Seconds are those of planning, copying rows, kernels and
exchange, the mean of the ranks, without start, reading and compilation. Bytes are those of the rows or partial matches
that were sent. *Best filter* is the least that push could send if it tested partial matches by a summary of the rows
that pull fetches (docs/ranks.md). --save keeps raw results and the table under tests/bench/results."""
import argparse
import json
import math
import os
import platform
import resource
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SHAPES = {
    'triangle': '(a)-[]-(b)-[]-(c)-[]-(a)',
    'clique:4': '(a)-[]-(b)-[]-(c)-[]-(d)-[]-(a), (a)-[]-(c), (b)-[]-(d)',
    'cycle:4': '(a)-[]-(b)-[]-(c)-[]-(d)-[]-(a)',
    'house': '(a)-[]-(b)-[]-(c)-[]-(d)-[]-(a), (a)-[]-(e)-[]-(b)',
}
FEW = {'1 of 50': 'id(a) % 50 = 1', '1 of 1000': 'id(a) % 1000 = 1', 'last 1 of 20': 'id(%s) % 20 = 1'}
PHASES = ('convert', 'upload', 'kernel', 'launch', 'exchange', 'resolve', 'filter')
LAST = {'triangle': 'c', 'cycle:4': 'c'}


PATH3, PATH4, CYCLE3 = '(a)-[]-(b)-[]-(c)-[]-(d)', '(a)-[]-(b)-[]-(c)-[]-(d)-[]-(e)', '(a)-[]-(b)-[]-(c)-[]-(a)'
TREE = '(a)-[]-(b)-[]-(c), (b)-[]-(d)-[]-(e)'
A, D, E = 'id(a) % 1000 = 0', 'id(d) % 1000 = 1', 'id(e) % 1000 = 2'
SPARSE = {  # name: shape, condition
    'path of 3, one end': (PATH3, A),
    'path of 3, both ends': (PATH3, f'{A} AND {D}'),
    'path of 4, both ends': (PATH4, f'{A} AND {E}'),
    'path of 4, ends of 1 of 50': (PATH4, 'id(a) % 50 = 0 AND id(e) % 50 = 2'),
    'tree of 4, a': (TREE, A),
    'tree of 4, a and e': (TREE, f'{A} AND {E}'),
    'triangle, a': (CYCLE3, A),
    'triangle, tail to d': (CYCLE3 + ', (c)-[]-(d)', f'{A} AND id(d) % 100 = 1'),
    'triangle, a, tail of 2': (CYCLE3 + ', (c)-[]-(d)-[]-(e)', A),
    'triangle, a of 50, tail of 2': (CYCLE3 + ', (c)-[]-(d)-[]-(e)', 'id(a) % 50 = 0'),
    'cycle of 4, a': (SHAPES['cycle:4'], A),
    'cycle of 4, a and c': (SHAPES['cycle:4'], f'{A} AND id(c) % 100 = 1'),
    'cycle of 5, a and c': ('(a)-[]-(b)-[]-(c)-[]-(d)-[]-(e)-[]-(a)', f'{A} AND id(c) % 100 = 1'),
}


def queries(suite):
    if suite == 'sparse':
        for name, (shape, condition) in SPARSE.items():
            yield name, [f'MATCH {shape} WHERE {condition} RETURN a', '--semantics', 'iso', '--distinct', 'orbit']
        return
    for name, shape in SHAPES.items():
        yield name, ['--pattern', name]
        for kind, condition in FEW.items():
            if '%s' in condition:
                if name not in LAST:
                    continue
                condition = condition.replace('%s', LAST[name])
            yield f'{name}, {kind}', [f'MATCH {shape} WHERE {condition} RETURN a', '--semantics', 'iso', '--distinct', 'orbit']


def run(program, graph, ranks, way, query, limit):
    mpirun = ['mpirun', '-q', '--oversubscribe', '--bind-to', 'none', '-n', str(ranks)]
    options = ['--count', '--count-by', 'enumerate', '--on', 'device', '--replicate', 'none', '--exchange', way]
    options += ['--json', '-', '--quiet']
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
    try:
        done = subprocess.run(mpirun + [program, 'match', graph] + query + options, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        sys.exit(f'{graph} {query} {way}: {done.stderr.decode()}')
    found = json.loads(done.stdout)
    exchange = found['exchange']
    search = sum(found['seconds'][phase]['avg'] for phase in PHASES)
    sent = sum(rank['partial_matches_sent'] for rank in found['by_rank'])
    return {'graph': os.path.basename(graph)[:-3], 'ranks': ranks, 'way': way, 'matches': found['matches'],
            'how': exchange['how'], 'seconds': search, 'elapsed': found['seconds']['elapsed']['max'], 'sent': sent,
            'kernel': found['seconds']['kernel']['max'], 'program': time.monotonic() - began,
            'processor': resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 'exchange': exchange}


def best_of(runs):
    done = [r for r in runs if r]
    return min(done, key=lambda r: r['seconds']) if done else None


def megabytes(one):
    return (one['exchange'].get('row_bytes', 0) + one['exchange'].get('match_bytes', 0)) / 1e6


def best_filter(pull, push):
    """Megabytes: a summary of the entries that pull fetches, and the partial matches that it lets pass by chance."""
    if not pull or not push or not push['sent'] or not pull['exchange'].get('row_bytes_uncoded'):
        return '-'
    entries, sent = pull['exchange']['row_bytes_uncoded'] / 4, push['sent']
    bits = 8 * push['exchange']['match_bytes'] / sent
    chance = min(entries / (sent * bits * math.log(2)), 1)
    return '%.4f' % ((entries * -math.log2(chance) + chance * sent * bits) / 8e6)


def ratio(push, pull, value):
    return '%.2f' % (value(push) / value(pull)) if push and pull and value(pull) else '-'


def shown(one, value, form='%.2f'):
    return form % value(one) if one else '-'


def case(arguments, graph, ranks, name, query, raw):
    ways, late = {'pull': [], 'push': [], 'auto': []}, set()
    for turn in range(arguments.repeat):
        for way in ways:
            if way in late:
                continue
            one = run(arguments.program, graph, ranks, way, query, arguments.limit)
            ways[way].append(one)
            if one is None:
                late.add(way)
            else:
                raw.append({'query': name, 'turn': turn, **one})
    best = {way: best_of(runs) for way, runs in ways.items()}
    counts = {one['matches'] for one in best.values() if one}
    if len(counts) > 1:
        sys.exit(f'{graph} {name}, {ranks} ranks: counts differ: {counts}')
    auto, others = best['auto'], [way for way in ('pull', 'push') if best[way]]
    least = min((best[way]['seconds'] for way in others), default=float('nan'))
    busy = min((min(r['processor'] for r in ways[way] if r) for way in others), default=float('nan'))
    expected = auto['exchange'] if auto else {}
    pull, push = best['pull'], best['push']
    row = [os.path.basename(graph)[:-3], name, ranks]
    row += [shown(best[way], lambda one: one['seconds'], '%.3f') for way in ways]
    row += [ratio(push, pull, lambda one: one['seconds'])]
    row += [shown(best[way], megabytes, '%.4f') for way in ('pull', 'push')] + [ratio(push, pull, megabytes)]
    row += [best_filter(pull, push)]
    row += ['%.4f' % (expected[key] / 1e6) if key in expected else '-' for key in ('expected_row_bytes', 'expected_match_bytes')]
    row += [auto['how'] if auto else '-', '%.2f' % (auto['seconds'] / least) if auto else '-']
    row += ['%.2f' % (min(r['processor'] for r in ways['auto'] if r) / busy) if auto else '-']
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('graphs', nargs='+', metavar='G.h5')
    parser.add_argument('--suite', choices=['shapes', 'sparse'], default='shapes')
    parser.add_argument('--ranks', default='2,4,8')
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('--limit', type=float, default=60)
    parser.add_argument('--only', default='')
    parser.add_argument('--save', action='store_true')
    arguments = parser.parse_args()
    arguments.program = os.environ.get('GEMP_MPI', 'gemp-mpi')
    for name in ('OMPI_ALLOW_RUN_AS_ROOT', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM', 'OMPI_MCA_mpi_yield_when_idle'):
        os.environ.setdefault(name, '1')
    raw, lines = [], []

    def put(cells):
        lines.append('| ' + ' | '.join(str(c) for c in cells) + ' |')
        print(lines[-1], flush=True)

    put(['graph', 'query', 'ranks', 'pull s', 'push s', 'auto s', 'push / pull', 'pull MB', 'push MB', 'push / pull',
         'best filter MB', 'expected pull MB', 'expected push MB', 'auto took', 'auto / best', 'in processor s'])
    put(['---'] * 16)
    for graph in arguments.graphs:
        for name, query in queries(arguments.suite):
            for ranks in arguments.ranks.split(','):
                if arguments.only in name:
                    put(case(arguments, graph, int(ranks), name, query, raw))
    if arguments.save:
        base = os.path.join(HERE, 'results', f'exchange-{arguments.suite}-' + time.strftime('%Y-%m-%d-%H%M'))
        with open(base + '.jsonl', 'w') as file:
            file.write(json.dumps({'machine': platform.platform(), 'cores': os.cpu_count(), 'ranks': arguments.ranks}) + '\n')
            file.writelines(json.dumps(one) + '\n' for one in raw)
        with open(base + '.md', 'w') as file:
            file.write('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
