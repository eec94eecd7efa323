"""The work of growth.sh: a line of a table for each graph and pattern, series by series."""
import argparse
import os
import shutil
import sys
import tempfile
import time

import cells
from device import call

SERIES = {'clique': range(3, 9), 'cycle': range(4, 9), 'path': range(3, 9)}
HEAD = ['series', 'x', 'graph', 'edges', 'pattern', 'count', 'kernel_ms', 'prepare_ms', 'run_ms', 'first_ms', 'by']


class Growth:
    def __init__(self, options, extra):
        self.options, self.extra, self.began, self.lines = options, extra, time.monotonic(), []
        self.device = (call(['bench', 'device'] + extra, 60)[0] or {}).get('devices', [{}])[0].get('name', '?')

    def measure(self, series, x, path, graph, pattern):
        """False where the series is to end."""
        limit = min(self.options.limit, self.options.budget - (time.monotonic() - self.began))
        if limit <= 0:
            return False
        report, _, wrong = call(['bench', 'match', path, '--pattern', pattern, '--repeat', '3', '--seconds', '2'] + self.extra, limit)
        if report is None:
            print('%-10s %-10s %s' % (graph, pattern, wrong), file=sys.stderr, flush=True)
            return False
        line = [series, x, graph, report['graph']['edges'], pattern, report['matches']] + [
            '%.6g' % value for value in (report['kernel_ms']['median'], report['first_prepare_ms'], report['run_ms']['median'],
                                         report['first_ms'])] + ['sums' if report['by_sums'] else 'search']
        self.lines.append(line)
        print('%-10s %-10s %12s ms, %s matches' % (graph, pattern, line[6], report['matches']), file=sys.stderr, flush=True)
        return True

    def sizes(self, folder, scales):
        going = ['triangle', 'cycle:4', 'clique:4', 'house']
        for scale in scales:
            path = os.path.join(folder, 'rmat.h5')
            if not going or call(['generate', 'rmat', '--scale', str(scale), '-o', path], 300)[0] is None:
                return
            going = [p for p in going if self.measure(p, scale, path, 'rmat %d' % scale, p)]

    def patterns(self, path, name):
        for series, sizes in SERIES.items():
            for size in sizes:
                if not self.measure(series, size, path, name, '%s:%d' % (series, size)):
                    break

    def write(self, path):
        with open(path, 'w') as file:
            file.write('# %s, %s, limit %g s\n' % (self.device, time.strftime('%Y-%m-%d %H:%M', time.gmtime()), self.options.limit))
            for line in [HEAD] + self.lines:
                file.write('\t'.join(map(str, line)) + '\n')


def one_graph(options, folder):
    """(graph file, name) of the graph for all patterns."""
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
