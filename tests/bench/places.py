#!/usr/bin/env python3
"""Compares hosts and devices by size, and says how good the choice of `--on auto` is.

    places.py [--ranks 1,2] [--sizes 14,17,20,23] [--only TEXT] [--repeat N] [--save FOLDER]

A size is the logarithm of the number of keys, or of edges of a graph. Each cell is a whole process; its seconds of work are those
that gpus.py compares, with transfers and exchanges. The loss is the time of the chosen place divided by that of the faster one. The
last line has the worst loss, and the largest loss of time."""
import os
import sys

from gpus import Bench, numbers, on_devices, parser_of, save, tsv, work_of, write_numbers

ENGINES = [
    ('sort', 'sort {numbers}'),
    ('distinct', 'distinct {numbers}'),
    ('degrees', 'degrees {directed}'),
    ('edges', 'edges {directed}'),
    ('reverse', 'reverse {directed}'),
    ('components', 'components {undirected}'),
    ('euler', 'euler {circuit}'),
]


class Places(Bench):
    def input(self, kind, size):
        """Returns the path of an input with 2^size keys or edges, which is made when it is first needed."""
        path = os.path.join(self.folder, '%s-%d%s' % (kind, size, '.npy' if kind == 'numbers' else '.h5'))
        if path in self.files:
            return path
        if kind == 'numbers':
            write_numbers(path, 1 << size)
        else:
            rmat = ['generate', 'rmat', '--scale', str(size - 4), '--edge-factor', '16']
            circuit = ['generate', 'eulerian', '--vertices', str(1 << (size - 3)), '--edges', str(1 << size)]
            made = {'directed': rmat + ['--directed', '1'], 'undirected': rmat, 'circuit': circuit}
            report, _, error = self.call(1, made[kind] + ['-o', path])
            if not report:
                raise RuntimeError('%s: %s' % (kind, error))
        self.files[path] = True
        return path

    def seconds(self, text, size, ranks, place):
        """Returns the least seconds of work of the repeated runs, and where the work was done."""
        command = [self.input(w.strip('{}'), size) if w.startswith('{') else w for w in text.split()]
        least, where = None, None
        for _ in range(self.options.repeat):
            report, _, error = self.call(ranks, command + ['--on', place] + self.devices)
            if not report:
                raise RuntimeError('%s with %d ranks: %s' % (' '.join(command), ranks, error))
            least = min(least or 1e9, work_of(report))
            where = 'host' if on_devices(report, ranks) in ('host', '0 devices') else 'device'
        return least, where

    def row(self, name, text, size, ranks):
        host, _ = self.seconds(text, size, ranks, 'host')
        device, _ = self.seconds(text, size, ranks, 'device')
        _, chosen = self.seconds(text, size, ranks, 'auto')
        took = host if chosen == 'host' else device
        row = {'engine': name, 'size': size, 'ranks': ranks, 'host': host, 'device': device, 'auto': chosen,
               'loss': took / min(host, device), 'lost': took - min(host, device)}
        self.rows.append(row)
        print(tsv([name, size, ranks, '%.5f' % host, '%.5f' % device, chosen, '%.2f' % row['loss']]), flush=True)


def main():
    parser = parser_of(__doc__.splitlines()[0])
    parser.add_argument('--sizes', default='14,17,20,23', type=numbers)
    options = parser.parse_args()
    with Places(options) as places:
        print(tsv(['engine', 'log2 size', 'ranks', 'host s', 'device s', 'auto chose', 'loss']), flush=True)
        for name, text in ENGINES:
            if any(t in name for t in options.only.split(',')):
                for ranks in options.ranks:
                    for size in options.sizes:
                        places.row(name, text, size, ranks)
        worst = max(places.rows, key=lambda r: r['loss'])
        most = max(places.rows, key=lambda r: r['lost'])
        print('worst: %(engine)s of 2^%(size)d with %(ranks)d ranks, %(loss).2f' % worst)
        print('most time lost: %(engine)s of 2^%(size)d with %(ranks)d ranks, %(lost).4f s' % most)
    save(options, 'places', places.rows)


if __name__ == '__main__':
    sys.exit(main())
