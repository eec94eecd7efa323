"""Implements growth.sh. Writes a table with a line for each graph and pattern, series by series."""
import argparse
import os
import shutil
import sys
import tempfile
import time

import cells
from device import call

SERIES = {'clique': range(3, 9), 'cycle': range(4, 9), 'path': range(3, 9)}
HEAD = ['series', 'x', 'graph', 'edges', 'pattern', 'count', 'kernel_ms', 'prepare_ms', 'run_ms', 'first_ms', 'cpu_ms',
        'by']


class Growth:
    def __init__(self, options, extra):
        self.options, self.extra, self.began, self.lines = options, extra, time.monotonic(), []
        device = (call(['bench', 'device'] + extra, 60)[0] or {}).get('devices', [{}])[0]
        self.device, self.kind = device.get('name', '?'), 'gpu' if device.get('gpu') else 'cpu'

    def limit(self):
        return min(self.options.limit, self.options.budget - (time.monotonic() - self.began))

    def ask(self, path, patterns):
        """Returns the results of bench match for these patterns, or None."""
        if self.limit() <= 0:
            return None
        queries = sum((['--pattern', p] for p in patterns), [])
        command = ['bench', 'match', path, '--repeat', '3', '--seconds', '2'] + queries + self.extra
        report, _, wrong = call(command, self.limit())
        if report is None:
            print('%s: %s' % (' '.join(patterns), wrong), file=sys.stderr, flush=True)
        return report

    def add(self, series, x, graph, pattern, report, one):
        times = (one['kernel_ms']['min'], one['first_prepare_ms'], one['run_ms']['min'], one['first_ms'],
                 one['cpu_ms']['min'])
        by = 'sums' if one['by_sums'] else 'search'
        self.lines.append([series, x, graph, report['graph']['edges'], pattern, one['matches']] +
                          ['%.6g' % ms for ms in times] + [by])
        said = '%-10s %-10s %12.6g ms, %s matches' % (graph, pattern, times[0], one['matches'])
        print(said, file=sys.stderr, flush=True)

    def sizes(self, folder, scales):
        """Measures all patterns of a graph in one process. If this process fails, measures each pattern in its own
        process and drops the patterns that fail."""
        going = ['triangle', 'cycle:4', 'clique:4', 'house']
        for scale in scales:
            made = os.path.join(self.options.made, 'rmat-%d.h5' % scale)
            path = made if os.path.exists(made) else os.path.join(folder, 'rmat.h5')
            if path != made and call(['generate', 'rmat', '--scale', str(scale), '-o', path], 300)[0] is None:
                return
            together = self.ask(path, going)
            reports = {p: together or self.ask(path, [p]) for p in going}
            for i, p in enumerate(going):
                if reports[p]:
                    self.add(p, scale, 'rmat %d' % scale, p, reports[p], reports[p]['queries'][i if together else 0])
            going = [p for p in going if reports[p]]
            if not going:
                return

    def patterns(self, path, name):
        for series, sizes in SERIES.items():
            for size in sizes:
                pattern = '%s:%d' % (series, size)
                report = self.ask(path, [pattern])
                if not report:
                    break
                self.add(series, size, name, pattern, report, report['queries'][0])

    def write(self, path):
        with open(path, 'w') as file:
            date = time.strftime('%Y-%m-%d %H:%M', time.gmtime())
            file.write('# %s, %s, %s, limit %g s\n' % (self.kind, self.device, date, self.options.limit))
            for line in [HEAD] + self.lines:
                file.write('\t'.join(map(str, line)) + '\n')


def one_graph(options, folder):
    """Returns (graph file, name) of the graph on which all patterns are counted."""
    if options.graph:
        return options.graph, os.path.basename(options.graph)
    path = os.path.join(folder, 'wiki-vote.h5')
    tables = cells.tables('wiki-vote', folder)
    if not tables:
        sys.exit('growth: no --graph, and GEMP_SHARED has no wiki-vote')
    done = call(['import', '--vertices', tables[0], '--edges', tables[1], '--undirected', '-o', path], 300)
    return (path, 'wiki-vote') if done[0] else sys.exit('growth: import of wiki-vote: ' + done[2])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('out')
    parser.add_argument('--limit', type=float, default=60)
    parser.add_argument('--budget', type=float, default=1e9)
    parser.add_argument('--scales', default='14-22')
    parser.add_argument('--graph', default='')
    parser.add_argument('--made', default='')
    options, extra = parser.parse_known_args()
    first, last = map(int, options.scales.split('-'))
    folder = tempfile.mkdtemp(prefix='gemp-growth-')
    growth = Growth(options, extra)
    try:
        growth.patterns(*one_graph(options, folder))
        growth.sizes(folder, range(first, last + 1))
    finally:
        growth.write(options.out)
        shutil.rmtree(folder, True)


if __name__ == '__main__':
    main()
