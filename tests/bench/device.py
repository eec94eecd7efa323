"""The work of device.sh."""
import argparse
import concurrent.futures
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import cells
import experiments

PROGRAM = os.environ.get('GEMP_MPI', 'gemp-mpi')
BYTES = 4  # of an entry of a row
HOT = 1.5  # seconds of a run up to which it is profiled, and the whole process repeated
WORK = {'Wedges': 'wedges', 'JoinedWedges': 'wedges', 'Cliques': 'pairs', 'Triangles': 'tails'}  # of a sum, at least


def call(arguments, limit):
    """(report or None, seconds, what went wrong)"""
    began = time.monotonic()
    try:
        done = subprocess.run([PROGRAM] + arguments + ['--json', '-', '--quiet'], capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, time.monotonic() - began, 'over %g s' % limit
    seconds = time.monotonic() - began
    if done.returncode:
        return None, seconds, (done.stderr.strip().splitlines() or ['code %d' % done.returncode])[-1][:200]
    return json.loads(done.stdout), seconds, ''


class Bench:
    def __init__(self, options, extra):
        self.options, self.extra, self.began = options, extra, time.monotonic()
        self.folder = tempfile.mkdtemp(prefix='gemp-bench-')
        self.tables, self.plain, self.work, self.experiments, self.results = {}, {}, {}, {}, []
        self.oracles = cells.oracles()
        self.makers = concurrent.futures.ThreadPoolExecutor(1 if options.cpu else 4)
        self.files = {}
        self.device = ['--devices', 'cpu'] if options.cpu else []
        self.rates = call(['bench', 'device'] + self.device, 60)[0] or {}
        usage = subprocess.run([PROGRAM, 'bench', '--help'], capture_output=True, text=True).stdout
        self.has_count_by = '--count-by' in usage

    def left(self):
        return self.options.budget - (time.monotonic() - self.began)

    def make(self, name):
        """(the graph file, or None, what went wrong)"""
        path = os.path.join(self.folder, name + '.h5')
        self.tables[name] = cells.tables(name, self.folder)
        if not self.tables[name]:
            return None, 'no data'
        vertices, edges = self.tables[name]
        done = call(['import', '--vertices', vertices, '--edges', edges, '--undirected', '-o', path], 300)
        self.edges(name)
        return (path, '') if done[0] else (None, 'import: ' + done[2])

    def begin(self, name):
        """Graphs are made beside the measuring of others where there are cores for that."""
        if name not in self.files:
            self.files[name] = self.makers.submit(self.make, name)
        return self.files[name]

    def edges(self, name):
        return cells.edge_lines(self.tables[name], self.folder, name)

    def run_plain(self, name, patterns):
        """{pattern: (count, ms, finished)} of the plain kernel, the patterns of a graph in one process."""
        tool = os.path.join(self.folder, 'plain')
        if not os.path.exists(tool):
            subprocess.run(['cc', '-std=gnu17', '-O2', '-o', tool, os.path.join(cells.HERE, 'plain.c'), '-lOpenCL'], check=True)
        lists = {cells.edges_of(p): p for p in patterns}
        command = [tool, os.path.join(cells.HERE, 'plain.cl'), self.edges(name), '3'] + list(lists)
        try:
            out = subprocess.run(command, capture_output=True, text=True, timeout=4 * self.options.limit).stdout
        except subprocess.TimeoutExpired as late:
            out = (late.stdout or b'').decode()
        found = {}
        for line in out.splitlines():
            if line.startswith('#'):
                words = line.split()[1:]
                self.work[name] = {word: int(count) for word, count in zip(words[::2], words[1::2])}
                continue
            edges, count, ms, finished = line.split()
            found[lists[edges]] = (int(count), float(ms), finished == 'yes')
        return found

    def others(self, name, wanted):
        """What the plain kernel and the experiments need on this graph."""
        patterns = sorted({c.pattern for c in wanted if c.graph == name and not c.labelled})
        if self.options.cpu:  # patterns whose plain kernel ends within the limit
            patterns_plain = [p for p in patterns if p in ('triangle', 'clique:4')]
        else:
            patterns_plain = patterns
        if not self.options.no_plain and patterns_plain:
            self.plain[name] = self.run_plain(name, patterns_plain)
        if self.options.no_experiments or not patterns:
            return
        limit = 4 * self.options.limit
        self.experiments[name] = (experiments.run_cpu(name, self.edges(name), self.folder, ['triangle'] + patterns, limit)
                                  if self.options.cpu else experiments.run_gpu(name, self.edges(name), self.folder, limit))

    def arguments(self, cell):
        by = ['--count-by', cell.count_by] if self.has_count_by and cell.count_by != 'auto' else []
        return cell.arguments() + self.device + by + self.extra

    def profile(self, path, cell):
        """Entries of rows that one run of a search reads, and lookups in rows."""
        report = call(['bench', 'match', path] + self.arguments(cell) + ['--profile', '--repeat', '0'], self.options.limit)[0]
        return {key: report.get(key) for key in ('entries_read', 'lookups')} if report else {}

    def measure(self, cell):
        result = {'graph': cell.graph, 'pattern': cell.pattern, 'count_by': cell.count_by, 'name': cell.name()}
        path, wrong = self.begin(cell.graph).result()
        if path is None or self.left() <= 0:
            return dict(result, failed=wrong or 'not run: over budget')
        options = self.options
        report, seconds, wrong = call(['bench', 'match', path] + self.arguments(cell) +
                                      ['--repeat', str(options.repeat), '--seconds', '3'], options.limit)
        if report is None:
            return dict(result, failed=wrong)
        field, count = self.oracles.get((cell.graph, cell.pattern), ('matches', None))
        quick = report['run_ms']['median'] < HOT * 1e3
        result.update(count=report[field], right=None if count is None else report[field] == count, bench=report,
                      whole=[call(['match', path, '--count'] + self.arguments(cell), options.limit)[1]
                             for _ in range(options.whole if quick else 1)])
        if quick and not options.no_profile and not report.get('by_sums'):
            result.update(self.profile(path, cell))
        return result

    def free(self, name):
        """Generated graphs are large: gone when their cells are done."""
        for part in (name, name + '.h5', name + '.bin', name + '.tables'):
            path = os.path.join(self.folder, part)
            shutil.rmtree(path, True) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)

    def run(self, wanted):
        names = list(dict.fromkeys(c.graph for c in wanted))
        for name in names[:1] if self.options.cpu else names:
            self.begin(name)
        for name in names:
            for cell in (c for c in wanted if c.graph == name):
                self.results.append((cell, self.measure(cell)))
                print('%-12s %-20s %s' % (name, cell.name(), self.results[-1][1].get('failed') or '%.4f ms' % (
                    self.results[-1][1]['bench']['kernel_ms']['median'])), file=sys.stderr, flush=True)
            if self.tables.get(name) and self.left() > 0:
                self.others(name, wanted)
            self.free(name)
        shutil.rmtree(self.folder, True)


def shown(value, digits=4):
    return '-' if value is None else '%.*g' % (digits, value)


def ratio(a, b):
    return a / b if a is not None and b else None


def entries_of(bench, cell, result):
    """Entries of rows that a run reads: counted by the program's profile, or the least that its sums can do with."""
    if not result['bench'].get('by_sums'):
        return result.get('entries_read')
    kinds = [line.split()[0] for line in result['bench']['plan'].splitlines()[1:] if line.strip()]
    work = bench.work.get(cell.graph, {})
    return sum(work.get(WORK.get(kind), 0) for kind in kinds)


def alone(bench, b):
    """Milliseconds of a run on a CPU device if it had the cores for itself, or None."""
    devices = bench.rates.get('units')
    return b['cpu_ms']['min'] / devices if bench.options.cpu and devices else None


def verdict(goal, ms, prepared, quiet):
    """Is the goal met with what is prepared once, by the kernels alone, or by their processor time?"""
    if goal is None:
        return '-'
    return 'met' if ms + prepared <= goal else 'kernel' if ms <= goal else 'alone' if quiet and quiet <= goal else 'NO'


def row(bench, cell, result):
    prefix = 'cpu_' if bench.options.cpu else ''
    peer, recorded, goal = (cell.figures[prefix + key] for key in ('peer', 'experiment', 'goal'))
    plain = bench.plain.get(cell.graph, {}).get(cell.pattern) if cell.count_by == 'auto' else None
    key = cell.pattern if cell.count_by == 'auto' else cell.pattern + ' enumerate'
    here = bench.experiments.get(cell.graph, {}).get(key)
    if 'failed' in result:
        return [cell.graph, cell.name(), '-', '-', result['failed'], '-', '-', '-', '-', shown(goal), '-', shown(peer), '-',
                shown(recorded), shown(here), '-', '-', '-', '-']
    b = result['bench']
    ms = b['kernel_ms']['median']
    all_ms = ms + b['prepare_ms']['median']
    read = entries_of(bench, cell, result)
    rate = BYTES * read / (ms * 1e-3) if read and ms else None
    fraction = ratio(rate, bench.rates.get('copy_bytes_per_second'))
    result.update(plain=plain, experiment_here=here, kernel_ms=ms, fraction=fraction)
    return [cell.graph, cell.name(), '{:,}'.format(result['count']),
            {True: 'right', False: 'WRONG', None: '?'}[result['right']],
            '%s (%s)' % (shown(ms), shown(b['kernel_ms']['min'])), shown(b['prepare_ms']['median']),
            shown(b['first_prepare_ms']), shown(b['run_ms']['median']), shown(alone(bench, b)), shown(goal), verdict(goal, ms, b['first_prepare_ms'], alone(bench, b)),
            shown(peer), shown(ratio(peer, all_ms), 3), shown(recorded), shown(here), shown(ratio(alone(bench, b) or ms, here or recorded), 3),
            ('' if not plain or plain[2] else 'over ') + shown(plain and plain[1]), shown(ratio(plain and plain[1], ms), 3),
            '%.3f (%.3f)' % (statistics.median(result['whole']), min(result['whole'])), shown(fraction, 2)]


HEAD = ['graph', 'pattern', 'count', '', 'kernel (min)', 'prepare', 'first prepare', 'run', 'cpu / cores', 'goal', '', 'peer', 'peer / ours',
        'experiment', 'here', 'ours / exp.', 'plain', 'plain / ours', 'whole s (min)', 'of copy']


def print_table(bench, out):
    device = (bench.rates.get('devices') or [{}])[0].get('name', '?')
    print('%s, %s: copy %s GB/s, launch %s us; milliseconds, medians of up to %d runs in one process.\n' % (
        device, time.strftime('%Y-%m-%d %H:%M', time.gmtime()), shown((bench.rates.get('copy_bytes_per_second') or 0) / 1e9),
        shown(bench.rates.get('launch_us')), bench.options.repeat), file=out)
    print('| %s |\n|%s' % (' | '.join(HEAD), '---|' * len(HEAD)), file=out)
    for cell, result in bench.results:
        line = row(bench, cell, result)
        print('| %s |' % ' | '.join(line + ['-'] * (len(HEAD) - len(line))), file=out)


def commit():
    done = subprocess.run(['git', 'rev-parse', '--short', 'HEAD'], capture_output=True, text=True, cwd=cells.HERE)
    return os.environ.get('GEMP_COMMIT') or done.stdout.strip()


def save(bench, folder):
    os.makedirs(folder, exist_ok=True)
    name = os.path.join(folder, '%s-%s' % ('cpu' if bench.options.cpu else 'device', time.strftime('%Y-%m-%d-%H%M', time.gmtime())))
    with open(name + '.jsonl', 'w') as file:
        file.write(json.dumps({'host': platform.node(), 'commit': commit(), 'rates': bench.rates, 'options': vars(bench.options),
                               'extra': bench.extra}) + '\n')
        file.writelines(json.dumps(result) + '\n' for _, result in bench.results)
        file.write(json.dumps({'plain': bench.plain, 'experiments': bench.experiments}) + '\n')
    with open(name + '.md', 'w') as file:
        print_table(bench, file)
    print('raw results: %s.jsonl' % name, file=sys.stderr)


def main():
    parser = argparse.ArgumentParser()
    for flag in ('cpu', 'no-plain', 'no-experiments', 'no-profile'):
        parser.add_argument('--' + flag, action='store_true')
    parser.add_argument('--only', default='', help='part of "graph pattern"; several joined by |')
    parser.add_argument('--repeat', type=int, default=10)
    parser.add_argument('--whole', type=int, default=3)
    parser.add_argument('--limit', type=float, default=20)
    parser.add_argument('--budget', type=float, default=420)
    parser.add_argument('--save', default='')
    options, extra = parser.parse_known_args()
    wanted = [c for c in cells.all_cells()
              if any(part in '%s %s' % (c.graph, c.name()) for part in options.only.split('|')) and
              c.figures['cpu_goal' if options.cpu else 'goal'] is not None]
    bench = Bench(options, extra)
    bench.run(wanted)
    print_table(bench, sys.stdout)
    if options.save:
        save(bench, options.save)
    return any(result.get('right') is False for _, result in bench.results)


if __name__ == '__main__':
    sys.exit(main())
