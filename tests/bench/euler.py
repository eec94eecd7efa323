#!/usr/bin/env python3
"""Compares Euler circuits with Hierholzer's method over shapes and sizes of graphs.

    GEMP_MPI=PROGRAM HIERHOLZER=PROGRAM tests/bench/euler.py FOLDER [OPTION...] [OPTION of euler...]
    tests/bench/euler.py FOLDER --plot FILE.tsv              draws figures that were measured elsewhere

Generates each graph. `gemp-mpi euler` and, in the same run, tests/bench/hierholzer.c (ninja bench_hierholzer) find a
circuit, which is verified. Without HIERHOLZER only our program runs. Each graph has a line in FOLDER/euler-DATE.tsv:
milliseconds from rows to order, for each program the best of --repeat runs. `ratio` compares our program with the
better of Hierholzer's plain and packed rows in the order of the file, since our program has this order, too. If
gnuplot is installed (Debian: gnuplot-nox), FOLDER/euler-cpu.svg or -gpu.svg is drawn.

  --shapes deep,random,shallow     --edges 1,2,5,10,20,40 (millions)     --goal: the sizes that have goals
  --repeat 3   --limit 300 (seconds for each process)   --ranks 1
  --budget 1e9 (seconds after which no further process starts)
  --keep DIR: graphs are kept in DIR and reused, one file for each shape and size"""
import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from device import call

STAGES = ['fill', 'pair', 'walk', 'circuits', 'orphans', 'graph', 'union', 'rotate', 'rewalk', 'rank', 'emit']
TIMES = ['total', 'sum', 'upload', 'download'] + STAGES
SEQUENTIAL = ['file plain', 'file packed', 'keys plain', 'keys packed']
HEAD = ['shape', 'vertices', 'edges', 'circuits', 'engine', 'ratio'] + TIMES + SEQUENTIAL
GOALS = {'deep': (10485760, 41944529), 'random': (10485760, 41944529), 'shallow': (1048575, 3145727)}
EACH = {'deep': 4, 'random': 4, 'shallow': 3}  # edges per vertex, as in the graphs with goals
MPIRUN = shlex.split(os.environ.get('GEMP_MPIRUN') or 'mpirun -q --oversubscribe --bind-to none')


class Bench:
    def __init__(self, options, extra):
        self.options, self.extra, self.began, self.lines = options, extra, time.monotonic(), []
        self.folder = options.keep or tempfile.mkdtemp(prefix='gemp-euler-')
        self.device, self.kind = '?', 'cpu'
        os.makedirs(self.folder, exist_ok=True)

    def left(self):
        return min(self.options.limit, self.options.budget - (time.monotonic() - self.began))

    def graph(self, shape, vertices, edges):
        path = os.path.join(self.folder, '%s-%d-%d.h5' % (shape, vertices, edges))
        if not os.path.exists(path):
            done = call(['generate', 'eulerian', '--shape', shape, '--vertices', str(vertices), '--edges', str(edges),
                         '-o', path], self.left())
            if done[0] is None:
                return print('%s %d: %s' % (shape, edges, done[2]), file=sys.stderr, flush=True)
        return path

    def run(self, command):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=max(self.left(), 1))
        except subprocess.TimeoutExpired:
            return print('%s: over the limit' % command[0], file=sys.stderr, flush=True)
        if done.returncode:
            return print('%s: %s' % (command[0], done.stderr.strip()[-300:]), file=sys.stderr, flush=True)
        return json.loads(done.stdout)

    def ours(self, path):
        """Returns the report of the best run, or None. The first run is verified."""
        best, ranks = None, self.options.ranks
        launcher = MPIRUN + ['-n', str(ranks)] if ranks > 1 else []
        command = launcher + [os.environ.get('GEMP_MPI', 'gemp-mpi'), 'euler', path, '--json', '-', '--quiet']
        for turn in range(self.options.repeat):
            report = self.run(command + self.extra + ([] if turn else ['--verify']))
            if report is None or self.left() <= 0:
                break
            if best is None or report['stages']['total'] < best['stages']['total']:
                best = report
        return best

    def sequential(self, path):
        program = os.environ.get('HIERHOLZER')
        report = self.run([program, path, str(self.options.repeat)]) if program and self.left() > 0 else None
        return [1e3 * report[order][rows]['seconds'] if report and order in report else None
                for order, rows in map(str.split, SEQUENTIAL)]

    def measure(self, shape, vertices, edges):
        path = self.graph(shape, vertices, edges)
        report = self.ours(path) if path else None
        if report:
            for device in report.get('devices') or []:
                self.device, self.kind = device['name'], 'gpu' if device['gpu'] else 'cpu'
            times = [1e3 * report['stages'][t] for t in TIMES]
            others = self.sequential(path)
            known = [t for t in others[:2] if t]
            ratio = '%.3f' % (times[0] / min(known)) if known else ''
            self.lines.append([shape, vertices, edges, report['circuits'], report['engine'], ratio] +
                              ['' if t is None else '%.6g' % t for t in times + others])
            print('%-8s %11d edges: %10.2f ms, %s of Hierholzer (%s ms)' %
                  (shape, edges, times[0], ratio or '?', ', '.join('%.0f' % t for t in others if t)), flush=True)
        if path and not self.options.keep:
            os.remove(path)

    def write(self, path):
        with open(path, 'w') as file:
            date = time.strftime('%Y-%m-%d %H:%M', time.gmtime())
            file.write('# %s, %s, %s, %d ranks, best of %d, load of the machine %.1f\n' %
                       (self.kind, self.device, date, self.options.ranks, self.options.repeat, os.getloadavg()[0]))
            for line in [HEAD] + self.lines:
                file.write('\t'.join(map(str, line)) + '\n')


def draw(data, folder):
    if not shutil.which('gnuplot'):
        return print('no gnuplot: not drawn', file=sys.stderr)
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'euler.gp')
    subprocess.run(['gnuplot', '-e', "data='%s'; folder='%s'" % (data, folder), beside], check=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('folder')
    parser.add_argument('--plot')
    parser.add_argument('--shapes', default='deep,random,shallow')
    parser.add_argument('--edges', default='1,2,5,10,20,40')
    parser.add_argument('--goal', action='store_true')
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('--limit', type=float, default=300)
    parser.add_argument('--budget', type=float, default=1e9)
    parser.add_argument('--ranks', type=int, default=1)
    parser.add_argument('--keep')
    options, extra = parser.parse_known_args()
    if options.plot:
        return draw(options.plot, options.folder)
    os.makedirs(options.folder, exist_ok=True)
    bench = Bench(options, extra)
    data = os.path.join(options.folder, time.strftime('euler-%Y-%m-%d-%H%M.tsv', time.gmtime()))
    try:
        for shape in options.shapes.split(','):
            sizes = [int(1e6 * float(millions)) for millions in options.edges.split(',') if millions]
            cases = [(edges // EACH[shape], edges) for edges in sizes] + ([GOALS[shape]] if options.goal else [])
            for vertices, edges in sorted(cases, key=lambda case: case[1]):
                if bench.left() > 0:
                    bench.measure(shape, vertices, edges)
    finally:
        bench.write(data)
        if not options.keep:
            shutil.rmtree(bench.folder, True)
    draw(data, options.folder)


if __name__ == '__main__':
    main()
