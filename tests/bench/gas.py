#!/usr/bin/env python3
"""Measures bfs, sssp, pagerank and spmv on CPU cores beside a plain OpenMP program and over several ranks, and prints
tables and figures.

    GAS=PROGRAM tests/bench/gas.py FOLDER [OPTION...]        (ninja bench_gas)
    tests/bench/gas.py FOLDER --of FILE.jsonl...             tables and figures of earlier measurements

On each graph our program and the OpenMP program (with unchanged ids, and with ids by degree) run alternately in one
process (gas -b). Then our program runs on several ranks. FOLDER/gas-DATE.jsonl keeps all lines. Table cells have the
median of the runs, followed by the best run. If gnuplot is installed (Debian: gnuplot-nox), FOLDER/analytics-cpu.svg
or -h200.svg is drawn. On a machine with other users, figures are repeatable only with a real-time priority:
GAS_UNDER='chrt -r 5'.

  --graphs kron:18,kron:21,uniform:21   names of gas_parts/graph.h or graph files
  --apps bfs,sssp,pagerank,spmv   --runs 8   --limit 600 (seconds for each process)
  --ranks 1,2,4,8 and --rank-graphs kron:18: numbers of ranks and graphs of the second part ('': none)"""
import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import time

MPIRUN = shlex.split(os.environ.get('GEMP_MPIRUN') or 'mpirun -q --oversubscribe --bind-to none')
ROUNDS = 20
GAP = {'bfs': 34.5, 'sssp': 363, 'pagerank': 1440, 'spmv': 1440}  # ms of the GAP benchmark on 2 cores, Kronecker 21
IDS = ['as-is', 'by-degree']


def run(command, limit):
    """Returns the lines of JSON that the command printed; none if it exceeded the limit. Prints errors to stderr."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        print('%s: over %g s' % (' '.join(command), limit), file=sys.stderr, flush=True)
        return []
    if done.returncode:
        print('%s: %s' % (' '.join(command), done.stderr.strip()[-500:]), file=sys.stderr, flush=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{') and line.endswith('}')]


def measure(options, keep):
    under = shlex.split(os.environ.get('GAS_UNDER', ''))
    ours = [os.environ['GAS'], '-a', options.apps, '-n', str(options.runs), '-k', str(ROUNDS)]
    for graph in filter(None, options.graphs.split(',')):
        keep(run(under + ours + ['-b', graph], options.limit))
    for graph in filter(None, options.rank_graphs.split(',')):
        for ranks in filter(None, options.ranks.split(',')):
            # with more ranks than cores, ranks that spin while they wait would take the cores of other ranks
            alone = int(ranks) <= (os.cpu_count() or 1)
            keep(run((under if alone else []) + MPIRUN + ['-n', ranks] + ours + [graph], options.limit))


def table(title, head, rows):
    if not rows:
        return
    print('\n%s\n\n| %s |\n|%s' % (title, ' | '.join(head), '---|' * len(head)))
    for row in rows:
        print('| %s |' % ' | '.join('' if cell is None else cell if isinstance(cell, str) else '%.3g' % cell
                                    if cell < 1000 else '%.0f' % cell for cell in row))


def beside(lines):
    """Prints each line of our program on one rank beside the lines of the OpenMP program."""
    rows, ours = [], None
    for line in lines:
        if line['program'] == 'ours':
            ours = line
            row = []
            continue
        row += [line['wall']]
        if len(row) < len(IDS):
            continue
        walls, app = [ours['wall']] + row, ours['name']
        gap = GAP.get(app) if ours['graph'] == 'kron:21' else None
        rows.append([os.path.basename(ours['graph']), app] +
                    ['%.4g (%.4g)' % (w['median_ms'], w['best_ms']) for w in walls] +
                    ['%.2f (%.2f)' % tuple(walls[0][t] / w[t] for t in ('median_ms', 'best_ms')) for w in row] +
                    [gap, walls[0]['best_ms'] / gap if gap else None])
    table('Milliseconds beside OpenMP, median (best); pagerank and spmv: %d iterations' % ROUNDS,
          ['graph', '', 'ours'] + ['OpenMP, ' + ids for ids in IDS] + ['ratio, ' + ids for ids in IDS] +
          ['GAP', 'best over it'], rows)


def alone(lines):
    rows = []
    for line in lines:
        if line['program'] == 'ours' and line['ranks'] == 1:
            device, wall = line['device'], line['wall']
            of = device.get('of_experiment'), wall.get('of_experiment')
            rows.append([os.path.basename(line['graph']), line['name'], device['median_ms'], wall['median_ms'],
                         device['gteps'], wall['gteps'], of[0], of[1], line.get('of_copy'), line['rounds'],
                         sum(line['prepare_s'].values())])
    table('Ours; ' + ', '.join(sorted({line['on'] for line in lines if line['program'] == 'ours'})),
          ['graph', '', 'ms by events', 'ms wall', 'GTEPS by events', 'wall', 'of experiment', 'wall', 'of copy',
           'rounds', 'preparation s'], rows)


def over_ranks(lines):
    rows, first = [], {}
    for line in lines:
        if line['program'] == 'ours':
            name, wall = (line['graph'], line['name']), line['wall']
            if line['ranks'] == 1:
                first[name] = wall['median_ms']
            elif name in first:
                rows.append([os.path.basename(name[0]), name[1], str(line['ranks']), wall['median_ms'], wall['gteps'],
                             first[name] / wall['median_ms'], line.get('bytes_per_edge_round'), line['rounds'],
                             sum(line['prepare_s'].values())])
    table('Ranks', ['graph', '', 'ranks', 'ms', 'GTEPS', 'time of one rank over', 'bytes an edge and round', 'rounds',
                    'preparation s'], rows)


def draw(lines, folder):
    """Draws a block of bars for each application on each generated graph: GTEPS of our program, and of the OpenMP
    program or the prototypes."""
    here = os.path.dirname(os.path.abspath(__file__))
    ours = [line for line in lines if line['program'] == 'ours' and line['ranks'] == 1 and ',' not in line['name'] and
            not os.path.exists(line['graph']) and ':' in line['graph']]
    if not ours or not shutil.which('gnuplot'):
        return print('not drawn', file=sys.stderr)
    gpu, rates = 'NVIDIA' in ours[0]['on'], {}
    for line in lines:
        if line['program'] == 'openmp':
            cell = rates.setdefault((line['graph'], line['name']), {})
            cell.setdefault(line['ids'], []).append(line['wall']['gteps'])
    for line in ours:
        cell = rates.setdefault((line['graph'], line['name']), {})
        cell.setdefault('ours', []).append(line['device' if gpu else 'wall']['gteps'])
        if line['device'].get('of_experiment'):
            cell.setdefault('as-is', []).append(line['device']['gteps'] / line['device']['of_experiment'])
    if not any(ids in cell for cell in rates.values() for ids in IDS):
        return print('nothing to draw beside', file=sys.stderr)
    kind = 'h200' if gpu else 'cpu'
    data = os.path.join(folder, 'analytics-%s.tsv' % kind)
    with open(data, 'w') as file:
        for app in GAP:
            for (graph, of), cell in rates.items():
                if of == app and 'ours' in cell:
                    values = [statistics.median(cell[who]) if who in cell else float('nan') for who in ['ours'] + IDS]
                    name = graph.replace('kron:', 'R').replace('uniform:', 'U')
                    file.write('\t'.join([app + '\\n' + name] + ['%.4g' % v for v in values]) + '\n')
    subprocess.run(['gnuplot', '-e', "data='%s'; out='%s'; device='%s'; gpu=%d" %
                    (data, os.path.join(folder, 'analytics-%s.svg' % kind), ours[0]['on'], gpu),
                    os.path.join(here, 'gas.gp')], check=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('folder')
    parser.add_argument('--of', nargs='*')
    parser.add_argument('--graphs', default='kron:18,kron:21,uniform:21')
    parser.add_argument('--apps', default='bfs,sssp,pagerank,spmv')
    parser.add_argument('--runs', type=int, default=8)
    parser.add_argument('--limit', type=float, default=600)
    parser.add_argument('--ranks', default='1,2,4,8')
    parser.add_argument('--rank-graphs', default='kron:18')
    options = parser.parse_args()
    lines = []
    os.makedirs(options.folder, exist_ok=True)
    if options.of:
        for path in options.of:
            lines += [json.loads(line) for line in open(path) if line.startswith('{')]
    else:
        with open(os.path.join(options.folder, time.strftime('gas-%Y-%m-%d-%H%M.jsonl', time.gmtime())), 'w') as file:
            def keep(new):
                for line in new:
                    lines.append(dict(line, load=os.getloadavg()[0]))
                    file.write(json.dumps(lines[-1]) + '\n')
                file.flush()
            measure(options, keep)
    beside(lines)
    alone(lines)
    over_ranks(lines)
    draw(lines, options.folder)


if __name__ == '__main__':
    main()
