"""Measures each engine on the devices of 1, 2, 4, ... ranks, and checks that its answer does not depend on their number.

    gpus.py [--ranks 1,2] [--size small|large] [--only TEXT] [--repeat N] [--budget S] [--save FOLDER] [--devices SPEC]
            [--shared DEVICE]

Each cell is a whole process. Its seconds of work are those that the report gives for the engine, on the slowest rank, and the
speed-up is the ratio to one rank of the same call. Answers on a small graph are compared byte by byte, those on the large one by
the counts of the report. A kernel must have run on the device of every rank; the cell says so if it has not. With --shared 0
there is one more line for each number of ranks, in which all ranks share device 0. --size large has R-MAT 24 x 16, an Euler
circuit of 168 M edges and 2^30 numbers. GEMP_MPI is the program. The table goes to stdout; exit code 1 if an answer differs."""
import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

os.environ.update(OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', OMPI_MCA_mpi_yield_when_idle='1')
PROGRAM = os.environ.get('GEMP_MPI', 'gemp-mpi')
SIZES = {
    'small': {'scale': 14, 'factor': 16, 'euler': 1 << 14, 'numbers': 1 << 18, 'level': 6},
    'middle': {'scale': 20, 'factor': 16, 'euler': 1 << 20, 'numbers': 1 << 26, 'level': 12},
    'large': {'scale': 24, 'factor': 16, 'euler': 1 << 24, 'numbers': 1 << 30, 'level': 14},
}
# Name, arguments with {graph} names, and the ending of the file whose bytes are compared; None: only facts of the report are.
ENGINES = [
    ('sort', 'sort {numbers} --on device', '.npy'),
    ('distinct', 'distinct {numbers} --on device', '.npy'),
    ('degrees', 'degrees {directed} --on device', '.tsv'),
    ('edges', 'edges {directed} --on device', '.tsv'),
    ('reverse', 'reverse {directed} --on device', None),
    ('components', 'components {undirected} --on device', '.tsv'),
    ('euler', 'euler {circuit} --on device --verify', None),
    ('bfs', 'bfs {undirected} --source {undirected:hub}', '.tsv'),
    ('sssp', 'sssp {weighted} --source {weighted:hub} --weight weight', None),
    ('pagerank', 'pagerank {undirected}', None),
    ('triangles', 'match {undirected} --pattern triangle --count --count-by enumerate --on device', None),
    ('cycle:4', 'match {undirected} --pattern cycle:4 --count --on device', None),
]
# Facts of a report that must not depend on the number of ranks.
FACTS = ['directed', 'listed', 'turned', 'components', 'single_vertices', 'largest', 'sizes', 'reached', 'depth', 'farthest',
         'iterations', 'count', 'numbers', 'distinct', 'found', 'kind', 'edges']


def tsv(cells):
    return '\t'.join(str(c) for c in cells)


class Bench:
    def __init__(self, options):
        self.options, self.began = options, time.monotonic()
        self.folder = tempfile.mkdtemp(prefix='gemp-gpus-', dir=options.folder)
        self.files, self.hubs, self.rows, self.wrong = {}, {}, [], 0
        self.devices = ['--devices', options.devices] if options.devices else []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        shutil.rmtree(self.folder)

    def left(self):
        return self.options.budget - (time.monotonic() - self.began)

    def call(self, ranks, arguments):
        """Returns (the report or None, the seconds of the process, the error)."""
        mpirun = ['mpirun', '-q', '--bind-to', 'none', '--oversubscribe', '-n', str(ranks)]
        command = (mpirun if ranks > 1 else []) + [PROGRAM] + arguments + ['--json', '-', '--quiet']
        began = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=max(10, self.left()))
        except subprocess.TimeoutExpired:
            return None, time.monotonic() - began, 'out of time'
        seconds = time.monotonic() - began
        if done.returncode:
            lines = [x for x in done.stderr.splitlines() if 'error' in x] or done.stderr.split('\n')[-1:]
            return None, seconds, 'code %d: %s' % (done.returncode, lines[0][:200])
        return json.loads(done.stdout), seconds, ''

    def make(self, kind, size):
        """Returns the path of an input, which is made when it is first needed."""
        path = os.path.join(self.folder, '%s-%s%s' % (kind, size, '.npy' if kind == 'numbers' else '.h5'))
        if path in self.files:
            return path
        s = SIZES[size]
        rmat = ['generate', 'rmat', '--scale', str(s['scale']), '--edge-factor', str(s['factor'])]
        made = {'directed': rmat + ['--directed', '1'], 'undirected': rmat, 'weighted': rmat + ['--weights', '255'],
                'circuit': ['generate', 'eulerian', '--vertices', str(s['euler']), '--edges', str(10 * s['euler'])]}
        if kind == 'numbers':
            write_numbers(path, s['numbers'])
        else:
            report, _, error = self.call(1, made[kind] + ['-o', path])
            if not report:
                raise RuntimeError('%s: %s' % (kind, error))
        self.files[path] = True
        return path

    def drop(self, size, kinds):
        for kind in kinds:
            path = os.path.join(self.folder, '%s-%s%s' % (kind, size, '.npy' if kind == 'numbers' else '.h5'))
            if self.files.pop(path, None):
                os.remove(path)

    def arguments(self, text, size):
        words = []
        for word in text.split():
            if word.startswith('{'):
                kind, _, hub = word.strip('{}').partition(':')
                path = self.make(kind, size)
                word = self.hub(path) if hub else path
            words.append(word)
        return words

    def hub(self, path):
        """Returns the key of a vertex with the most edges, since many vertices of the graph have none."""
        if path not in self.hubs:
            out = os.path.join(self.folder, 'edges.tsv')
            report, _, error = self.call(1, ['match', path, '--pattern', 'path:2', '--count-per', '0', '-o', out])
            if not report:
                raise RuntimeError('the vertex with the most edges: %s' % error)
            with open(out, encoding='utf-8') as file:
                next(file)
                rows = (line.split('\t') for line in file)
                self.hubs[path] = max(rows, key=lambda row: (int(row[1]), row[0]))[0]
            os.remove(out)
        return self.hubs[path]

    def compare(self, text, ending):
        """Compares the output of a small input byte by byte, and the facts, and finds ranks whose device ran no kernel. Yields
        what is wrong."""
        want = None
        for ranks in self.options.ranks:
            out, trace = os.path.join(self.folder, 'out' + (ending or '')), os.path.join(self.folder, 'trace.json')
            report, _, error = self.call(
                ranks, self.arguments(text, 'small') + self.devices + ['--trace', trace] + (['-o', out] if ending else []))
            if not report:
                yield '%d ranks: %s' % (ranks, error)
                continue
            found = facts_of(report), digest(out) if ending else None
            want = want or found
            if found != want:
                yield '%d ranks: another answer' % ranks
            idle = set(range(ranks)) - ranks_with_kernels(trace)
            if idle:
                yield '%d ranks: no kernel on the devices of %s' % (ranks, ', '.join(map(str, sorted(idle))))

    def measure(self, name, text, size):
        """Prints a line for each number of ranks, and with --shared another one for ranks that share a device."""
        one, want = None, None
        shared = [(n, True) for n in self.options.ranks if n > 1 and self.options.shared]
        for ranks, share in [(n, False) for n in self.options.ranks] + shared:
            label = '%d, shared' % ranks if share else ranks
            if self.left() < 15:
                print(tsv([name, size, label, 'left out: the budget is spent']), flush=True)
                continue
            devices = ['--devices', self.options.shared] if share else self.devices
            cells = []
            for _ in range(self.options.repeat):
                report, seconds, error = self.call(ranks, self.arguments(text, size) + devices)
                if not report:
                    break
                cells.append((work_of(report), seconds, report))
            if not cells:
                self.wrong += 1
                print(tsv([name, size, label, error]), flush=True)
                continue
            work, seconds, report = min(cells, key=lambda c: c[0])
            one = one or work
            want = want or facts_of(report)
            right = facts_of(report) == want
            self.wrong += not right
            row = {'engine': name, 'size': size, 'ranks': ranks, 'shared': share, 'work': work, 'whole': seconds,
                   'speedup': one / work if work else None, 'devices': on_devices(report, ranks), 'right': right, 'report': report}
            self.rows.append(row)
            print(tsv([name, size, label, '%.4f' % work, '%.2f' % (one / work if work else 0), '%.2f' % prepare_of(report),
                       '%.2f' % seconds, row['devices'], 'yes' if right else 'NO']), flush=True)


def write_numbers(path, count):
    """Writes a numpy array of random 32-bit numbers."""
    head = "{'descr': '<u4', 'fortran_order': False, 'shape': (%d,), }" % count
    head += ' ' * (63 - (10 + len(head)) % 64) + '\n'
    with open(path, 'wb') as file:
        file.write(b'\x93NUMPY\x01\x00' + len(head).to_bytes(2, 'little') + head.encode())
        generator = random.Random(7)
        block = 1 << 24
        for at in range(0, count, block):
            file.write(generator.randbytes(4 * min(block, count - at)))


def digest(path):
    with open(path, 'rb') as file:
        found = hashlib.sha256(file.read()).hexdigest()
    os.remove(path)
    return found


def ranks_with_kernels(path):
    with open(path, encoding='utf-8') as file:
        events = json.load(file)['traceEvents']
    os.remove(path)
    lanes = {(e['pid'], e['tid']) for e in events if e['name'] == 'thread_name' and e['args']['name'].startswith('device')}
    return {e['pid'] for e in events if e['ph'] == 'X' and (e['pid'], e['tid']) in lanes}


def facts_of(report):
    graph = report.get('graph') or {}
    return json.dumps([{f: report[f] for f in FACTS if f in report}, graph.get('hash')], sort_keys=True)


def work_of(report):
    """The seconds of the engine on the slowest rank, with its transfers and exchanges, without opening devices and compiling."""
    if 'stages' in report and 'total' in report['stages']:
        return report['stages']['total']
    if 'work_seconds' in report and 'rate' not in report:
        return report['work_seconds']
    phases = ('convert', 'upload', 'prepare', 'kernel', 'exchange', 'resolve', 'download')
    return sum(phase_of(report['seconds'], p) for p in phases)


def prepare_of(report):
    """The seconds in which the graph is laid out for the engine, if the work does not contain them."""
    return report.get('prepare_seconds') or 0


def phase_of(seconds, phase):
    value = seconds.get(phase) or 0
    return value['max'] if isinstance(value, dict) else value


def on_devices(report, ranks):
    """Says on how many devices kernels ran, as far as the report tells."""
    on = (report.get('rate') or {}).get('on')
    return on or '%d devices' % len(report.get('devices') or [])


def numbers(text):
    return [int(n) for n in text.split(',')]


def parser_of(description):
    """Returns a parser with the options of gpus.py and places.py."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument('--ranks', default='1,2', type=numbers)
    parser.add_argument('--only', default='', help='engines whose name has this text; several by commas')
    parser.add_argument('--repeat', type=int, default=2)
    parser.add_argument('--budget', type=float, default=400, help='seconds after which no further process begins')
    parser.add_argument('--folder', default=None, help='folder for the inputs')
    parser.add_argument('--devices', help='the devices of all ranks')
    parser.add_argument('--save', help='folder for the raw results')
    return parser


def save(options, name, rows):
    if options.save:
        path = os.path.join(options.save, time.strftime(name + '-%Y-%m-%d-%H%M.json', time.gmtime()))
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(rows, file, indent=1)


def main():
    parser = parser_of(__doc__.splitlines()[0])
    parser.add_argument('--size', default='middle', choices=sorted(SIZES))
    parser.add_argument('--shared', help='a device that all ranks share in additional lines')
    options = parser.parse_args()
    wanted = [e for e in ENGINES if any(t in e[0] for t in options.only.split(','))]
    with Bench(options) as bench:
        for name, text, ending in wanted:
            for line in bench.compare(text, ending):
                bench.wrong += 1
                print(tsv([name, 'small', line]), flush=True)
        print(tsv(['engine', 'size', 'ranks', 'work s', 'speed-up', 'prepare s', 'whole s', 'ran on', 'right']))
        for i, (name, text, _) in enumerate(wanted):
            bench.measure(name, text, options.size)
            later = ' '.join(t for _, t, _ in wanted[i + 1:])
            bench.drop(options.size, [k for k in ('numbers', 'directed', 'undirected', 'weighted', 'circuit') if '{%s' % k not in later])
    save(options, 'gpus', bench.rows)
    return 1 if bench.wrong else 0


if __name__ == '__main__':
    sys.exit(main())
