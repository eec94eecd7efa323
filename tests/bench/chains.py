#!/usr/bin/env python3
"""Measures chains of MATCH and WITH against the query with one pattern that asks the same.

    tests/bench/chains.py [--only TEXT] [--repeat N] [--limit SECONDS] [--save FOLDER]

GEMP_MPI is the program; GEMP_SHARED a folder with data/graphs/wiki-vote and data/translations. The goal is a ratio of at
most 1.2. The numbers of rows may differ: relationships differ within a MATCH and not between two. The least of N runs
counts, runs of both queries alternate, and rows go to a file. Chains of the second table do not mean one search; they have
no query to compare with. --save keeps the tables under the folder."""
import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time

# graph, chain, one pattern
CHAINS = (
    ('translations', "MATCH (a {lang: 'DE'})--(b) WITH a, b MATCH (b)--(c) RETURN count(*)",
     "MATCH (a {lang: 'DE'})--(b)--(c) RETURN count(*)"),
    ('translations', 'MATCH (a)--(b) MATCH (b)--(c) RETURN count(*)', 'MATCH (a)--(b)--(c) RETURN count(*)'),
    ('translations', "MATCH (a {lang: 'SV'})--(b {lang: 'DE'}) WITH a, b MATCH (b)--(c {lang: 'FR'}) WITH a, c AS d "
                     "MATCH (d)--(e {lang: 'DE'}) RETURN count(*)",
     "MATCH (a {lang: 'SV'})--(b {lang: 'DE'})--(d {lang: 'FR'})--(e {lang: 'DE'}) RETURN count(*)"),
    ('translations', "MATCH (a {lang: 'SV'})--(b {lang: 'DE'}) WITH a, b MATCH (b)--(c {lang: 'FR'}) RETURN a, c",
     "MATCH (a {lang: 'SV'})--(b {lang: 'DE'})--(c {lang: 'FR'}) RETURN a, c"),
    ('translations', "MATCH (a {lang: 'DE'})--(b) WITH a, b MATCH (b)--(c) WITH a, c WHERE c.lang = 'FR' MATCH (c)--(a) "
                     'RETURN a, c',
     "MATCH (a {lang: 'DE'})--(b)--(c {lang: 'FR'}), (c)--(a) RETURN a, c"),
    ('wiki-vote', 'MATCH (a)-->(b) WITH a, b MATCH (b)-->(c) RETURN count(*)', 'MATCH (a)-->(b)-->(c) RETURN count(*)'),
    ('wiki-vote', 'MATCH (a)-->(b) WITH a, b MATCH (b)-->(c) WITH a, c MATCH (c)-->(a) RETURN count(*)',
     'MATCH (a)-->(b)-->(c)-->(a) RETURN count(*)'),
    ('wiki-vote', 'MATCH (a)-->(b) WITH a, b MATCH (b)-->(c) WITH a, c MATCH (c)-->(a) RETURN a, c',
     'MATCH (a)-->(b)-->(c)-->(a) RETURN a, c'),
    ('wiki-vote', 'MATCH (a)-->(b) WITH a, b.orig_id AS n, b MATCH (b)-->(c) WHERE c.orig_id < n RETURN c, count(*)',
     'MATCH (a)-->(b)-->(c) WHERE c.orig_id < b.orig_id RETURN c, count(*)'),
)
OTHERS = (
    ('wiki-vote', 'MATCH (a)-->(b) WITH b, count(*) AS n WHERE n > 3 MATCH (b)-->(c) RETURN count(*)'),
    ('wiki-vote', 'MATCH (a)-->(b) WITH b, count(*) AS n ORDER BY n DESC LIMIT 10 MATCH (b)-->(c) RETURN b, c'),
    ('wiki-vote', 'MATCH (a)-->(b) WITH DISTINCT b MATCH (b)-->(c) RETURN count(*)'),
    ('translations', "MATCH (a {lang: 'DE'})--(b) WITH b, count(*) AS n WHERE n > 3 MATCH (b)--(c) RETURN count(*)"),
)
HEAD = ('graph', 'chain', 'rows', 'rows of one pattern', 'user s', 'one pattern user s', 'whole s', 'one pattern whole s',
        'user ratio', 'whole ratio')
HEAD_OTHERS = ('graph', 'chain', 'rows', 'user s', 'whole s')


def make_graph(program, shared, name, folder):
    path = f'{folder}/{name}.h5'
    source = f'{shared}/data/translations' if name == 'translations' else f'{shared}/data/graphs/{name}'
    files = ['--vertices', f'{source}/vertices.tsv.zst', '--edges', f'{source}/edges.tsv.zst']
    files += ['--undirected'] * (name == 'translations')
    subprocess.run([program, 'import', *files, '-o', path, '-q'], check=True)
    return path


def run(program, graph, text, limit):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, 'match', graph, text, '-q', '--json', '-', '--output', f'{folder}/rows.tsv']
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run(command, capture_output=True, timeout=limit)
        after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    if done.returncode:
        sys.exit(f'{" ".join(command)}: {done.stderr.decode()}')
    report = json.loads(done.stdout)
    return report, after.ru_utime - before.ru_utime, seconds


def least(program, graph, texts, given):
    """Returns (report, least user seconds, least whole seconds) for each text; the runs alternate."""
    runs = [[] for _ in texts]
    for _ in range(given.repeat):
        for text, found in zip(texts, runs):
            found.append(run(program, graph, text, given.limit))
    return [(found[0][0], min(f[1] for f in found), min(f[2] for f in found)) for found in runs]


def show(value):
    return f'{value:,}' if isinstance(value, int) else f'{value:.3f}' if isinstance(value, float) else value


def line(cells):
    return '| ' + ' | '.join(show(cell) for cell in cells) + ' |'


def tables(given, program, shared, folder):
    graphs = {}

    def graph(name):
        if name not in graphs:
            graphs[name] = make_graph(program, shared, name, folder)
        return graphs[name]

    yield from (line(HEAD), '|' + '---|' * len(HEAD))
    for name, chain, plain in CHAINS:
        if given.only in f'{name} {chain}':
            a, b = least(program, graph(name), (chain, plain), given)
            if 'executed' in a[0]:
                sys.exit(f'{chain}: this chain is not one search')
            yield line((name, f'`{chain}`', a[0]['matches'], b[0]['matches'], a[1], b[1], a[2], b[2], a[1] / b[1], a[2] / b[2]))
    yield from ('', line(HEAD_OTHERS), '|' + '---|' * len(HEAD_OTHERS))
    for name, chain in OTHERS:
        if given.only in f'{name} {chain}':
            (report, user, whole), = least(program, graph(name), (chain,), given)
            yield line((name, f'`{chain}`', report['rows'], user, whole))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--only', default='')
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('--limit', type=float, default=600)
    parser.add_argument('--save')
    given = parser.parse_args()
    program, shared = os.environ['GEMP_MPI'], os.environ['GEMP_SHARED']
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for text in tables(given, program, shared, folder):
            lines.append(text)
            print(text, flush=True)
    lines.append(f'\n{platform.node()}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}, least of '
                 f'{given.repeat} runs')
    print(lines[-1])
    if given.save:
        with open(f'{given.save}/chains-{time.strftime("%Y-%m-%d-%H%M")}.md', 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines) + '\n')


main()
