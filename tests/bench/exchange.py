#!/usr/bin/env python3
"""Measures whether --exchange auto chooses well. Searches by enumeration without replicas, with pull, push and auto.
Prints seconds, processor seconds, bytes, and the ratio of auto to the better of pull and push.

    tests/bench/exchange.py [--ranks 2,4,8] [--repeat N] [--limit SECONDS] [--only TEXT] [--save] G.h5...

GEMP_MPI is the program. The three exchanges run alternately, and for each the best of N runs counts, because other
processes may use the machine. A run that exceeds the limit is not repeated. Bytes are those of the rows or partial
matches that were sent. --save keeps raw results and the table under tests/bench/results."""
import argparse
import json
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
LAST = {'triangle': 'c', 'cycle:4': 'c'}


def queries():
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
    options = ['--count', '--count-by', 'enumerate', '--replicate', 'none', '--exchange', way, '--json', '-', '--quiet']
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
    try:
        done = subprocess.run(mpirun + [program, 'match', graph] + query + options, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        sys.exit(f'{graph} {query} {way}: {done.stderr.decode()}')
    found = json.loads(done.stdout)
    exchange = found['exchange']
    return {'graph': os.path.basename(graph)[:-3], 'ranks': ranks, 'way': way, 'matches': found['matches'],
            'how': exchange['how'], 'seconds': found['seconds']['elapsed']['max'],
            'kernel': found['seconds']['kernel']['max'], 'program': time.monotonic() - began,
            'processor': resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 'exchange': exchange}


def best_of(runs):
    done = [r for r in runs if r]
    return min(done, key=lambda r: r['seconds']) if done else None


def megabytes(one):
    return (one['exchange'].get('row_bytes', 0) + one['exchange'].get('match_bytes', 0)) / 1e6


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
    row = [os.path.basename(graph)[:-3], name, ranks]
    row += [shown(best[way], lambda one: one['seconds']) for way in ways]
    row += [shown(best[way], megabytes, '%.3f') for way in ('pull', 'push')]
    row += ['%.3f' % (expected[key] / 1e6) if key in expected else '-' for key in ('expected_row_bytes', 'expected_match_bytes')]
    row += [auto['how'] if auto else '-', '%.2f' % (auto['seconds'] / least) if auto else '-']
    row += ['%.2f' % (min(r['processor'] for r in ways['auto'] if r) / busy) if auto else '-']
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('graphs', nargs='+', metavar='G.h5')
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

    put(['graph', 'query', 'ranks', 'pull s', 'push s', 'auto s', 'pull MB', 'push MB', 'expected pull MB',
         'expected push MB', 'auto took', 'auto / best', 'in processor s'])
    put(['---'] * 13)
    for graph in arguments.graphs:
        for name, query in queries():
            for ranks in arguments.ranks.split(','):
                if arguments.only in name:
                    put(case(arguments, graph, int(ranks), name, query, raw))
    if arguments.save:
        base = os.path.join(HERE, 'results', 'exchange-' + time.strftime('%Y-%m-%d-%H%M'))
        with open(base + '.jsonl', 'w') as file:
            file.write(json.dumps({'machine': platform.platform(), 'cores': os.cpu_count(), 'ranks': arguments.ranks}) + '\n')
            file.writelines(json.dumps(one) + '\n' for one in raw)
        with open(base + '.md', 'w') as file:
            file.write('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
