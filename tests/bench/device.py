"""Implements device.sh."""
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
BYTES = 4  # bytes of an entry of a row
HOT = 1.5  # a run of less than this many seconds is profiled if it is a search, and its whole process is repeated
# kind of sum -> the field of the plain kernel's work line with the least entries that the sum reads
WORK = {'Wedges': 'wedges', 'JoinedWedges': 'wedges', 'Cliques': 'pairs', 'Triangles': 'tails'}


def call(arguments, limit):
    """Returns (report or None, seconds, error)."""
    began, command = time.monotonic(), [PROGRAM] + arguments + ['--json', '-', '--quiet']
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, time.monotonic() - began, 'over %g s' % limit
    seconds = time.monotonic() - began
    if done.returncode:
        return None, seconds, (done.stderr.strip().splitlines() or ['code %d' % done.returncode])[-1][:200]
    return json.loads(done.stdout), seconds, ''


class Bench:
    def __init__(self, options, extra):
        self.options, self.extra, self.began = options, extra, time.monotonic()
        self.date = time.strftime('%Y-%m-%d-%H%M', time.gmtime())
        self.folder = tempfile.mkdtemp(prefix='gemp-bench-')
        self.tables, self.plain, self.work, self.experiments, self.results = {}, {}, {}, {}, []
        self.oracles = cells.oracles()
        self.makers = concurrent.futures.ThreadPoolExecutor(1 if options.cpu else 4)
        self.files = {}
        self.device = ['--devices', 'cpu'] if options.cpu else []
        self.rates = call(['bench', 'device'] + self.device, 60)[0] or {}

    def left(self):
        return self.options.budget - (time.monotonic() - self.began)

    def make(self, name):
        """Returns (the graph file or None, the error)."""
        path = os.path.join(self.folder, name + '.h5')
        self.tables[name] = cells.tables(name, self.folder)
        if not self.tables[name]:
            return None, 'no data'
        vertices, edges = self.tables[name]
        done = call(['import', '--vertices', vertices, '--edges', edges, '--undirected', '-o', path], 300)
        self.edges(name)
        return (path, '') if done[0] else (None, 'import: ' + done[2])

    def begin(self, name):
        """Makes the graph in the background, while other graphs are measured, if there are enough cores."""
        if name not in self.files:
            self.files[name] = self.makers.submit(self.make, name)
        return self.files[name]

    def edges(self, name):
        return cells.edge_lines(self.tables[name], self.folder, name)

    def run_plain(self, name, patterns):
        """Returns {pattern: (count, ms, finished)} of the plain kernel. All patterns of a graph run in one process."""
        tool = os.path.join(self.folder, 'plain')
        if not os.path.exists(tool):
            subprocess.run(['cc', '-std=gnu17', '-O2', '-o', tool, os.path.join(cells.HERE, 'plain.c'), '-lOpenCL'],
                           check=True)
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
        """Measures the plain kernel and the prototypes on this graph."""
        patterns = sorted({c.pattern for c in wanted if c.graph == name and not c.labelled})
        if self.options.cpu:  # only these patterns finish within the limit in the plain kernel on a CPU
            patterns_plain = [p for p in patterns if p in ('triangle', 'clique:4')]
        else:
            patterns_plain = patterns
        if not self.options.no_plain and patterns_plain:
            self.plain[name] = self.run_plain(name, patterns_plain)
        if self.options.no_experiments or not patterns:
            return
        limit, edges = 4 * self.options.limit, self.edges(name)
        if self.options.cpu:
            found = experiments.run_cpu(name, edges, self.folder, ['triangle'] + patterns, limit)
        else:
            found = experiments.run_gpu(name, edges, self.folder, limit)
        self.experiments[name] = found

    def how(self, cell):
        # Threads of the host would answer small searches.
        count_by = ['--count-by', cell.count_by] if cell.count_by != 'auto' else []
        return ['--on', 'device'] + self.device + count_by + self.extra

    def queries(self, path, group, more, limit):
        """Returns (the results of bench match for all cells of the group or None, the error)."""
        how = group[0].how() + self.how(group[0])
        report, _, wrong = call(['bench', 'match', path] + sum((c.query() for c in group), []) + how + more, limit)
        return report and report['queries'], wrong

    def bench_group(self, path, group):
        """Returns {cell: (result of bench match or None, the error)}. All cells run in one process. If this process
        fails, each cell runs in its own process."""
        more = ['--repeat', str(self.options.repeat), '--seconds', '3']
        found, wrong = self.queries(path, group, more, self.options.limit * min(len(group), 3))
        if found:
            return {cell: (one, '') for cell, one in zip(group, found)}
        if len(group) == 1:
            return {group[0]: (None, wrong)}
        alone = {}
        for cell in group:
            found, wrong = None, 'not run: over budget'
            if self.left() > 0:
                found, wrong = self.queries(path, [cell], more, self.options.limit)
            alone[cell] = (found[0] if found else None, wrong)
        return alone

    def result(self, cell, one, wrong):
        result = {'graph': cell.graph, 'pattern': cell.pattern, 'count_by': cell.count_by, 'name': cell.name()}
        if one is None:
            return dict(result, failed=wrong)
        field, count = self.oracles.get((cell.graph, cell.pattern), ('matches', None))
        return dict(result, count=one[field], right=None if count is None else one[field] == count, bench=one, whole=[])

    def measure(self, group):
        path, wrong = self.begin(group[0].graph).result()
        if path is None or self.left() <= 0:
            found = {cell: (None, wrong or 'not run: over budget') for cell in group}
        else:
            found = self.bench_group(path, group)
        for cell in group:
            result = self.result(cell, *found[cell])
            self.results.append((cell, result))
            said = result.get('failed') or '%.4f ms' % result['bench']['kernel_ms']['median']
            print('%-12s %-20s %s' % (cell.graph, cell.name(), said), file=sys.stderr, flush=True)

    def complete(self, cell, result):
        """Adds the seconds of whole processes and the entries that a search reads."""
        path, one = self.begin(cell.graph).result()[0], result['bench']
        quick = one['run_ms']['median'] < HOT * 1e3
        command = ['match', path, '--count'] + cell.query() + cell.how() + self.how(cell)
        for _ in range(self.options.whole if quick else min(self.options.whole, 1)):
            result['whole'] += [call(command, self.options.limit)[1]] if self.left() > 0 else []
        if quick and self.left() > 0 and not self.options.no_profile and not one.get('by_sums'):
            found = self.queries(path, [cell], ['--profile', '--repeat', '0'], self.options.limit)[0]
            result.update({key: found[0].get(key) for key in ('entries_read', 'lookups')} if found else {})

    def run(self, wanted):
        """Measures the kernels first. While time is left, measures whole processes and then the kernels of other
        programs. Saves after each group of results."""
        names = list(dict.fromkeys(c.graph for c in wanted))
        for name in names[:1] if self.options.cpu else names:
            self.begin(name)
        for key in dict.fromkeys((c.graph, c.kind()) for c in wanted):
            self.measure([c for c in wanted if (c.graph, c.kind()) == key])
            self.save()
        for name in names:
            for cell, result in self.results:
                if cell.graph == name and 'failed' not in result:
                    self.complete(cell, result)
            self.save()
        for name in names:
            if self.tables.get(name) and self.left() > 0:
                self.others(name, wanted)
                self.save()
        self.makers.shutdown()
        shutil.rmtree(self.folder, True)

    def save(self):
        if self.options.save:
            save(self)


def shown(value, digits=4):
    return '-' if value is None else '%.*g' % (digits, value)


def ratio(a, b):
    return a / b if a is not None and b else None


def entries_of(bench, cell, result):
    """Returns the row entries that a run reads: from the program's profile or, for sums, the least that they need
    (WORK)."""
    if not result['bench'].get('by_sums'):
        return result.get('entries_read')
    kinds = [line.split()[0] for line in result['bench']['plan'].splitlines()[1:] if line.strip()]
    work = bench.work.get(cell.graph, {})
    return sum(work.get(WORK.get(kind), 0) for kind in kinds)


def alone(bench, b):
    """Returns the least processor time of a run divided by the device's compute units, in ms; None if the device is no
    CPU."""
    devices = bench.rates.get('units')
    return b['cpu_ms']['min'] / devices if bench.options.cpu and devices else None


def verdict(goal, ms, prepared, quiet):
    """Compares with the goal and returns `met` if kernels and preparation together are within it, `kernel` if only the
    kernels are, `alone` if only the processor time per core is, otherwise `NO`."""
    if goal is None:
        return '-'
    return 'met' if ms + prepared <= goal else 'kernel' if ms <= goal else 'alone' if quiet and quiet <= goal else 'NO'


def row(bench, cell, result):
    prefix = 'cpu_' if bench.options.cpu else ''
    peer, recorded, goal = (cell.figures[prefix + key] for key in ('peer', 'experiment', 'goal'))
    plain = bench.plain.get(cell.graph, {}).get(cell.pattern) if cell.count_by == 'auto' else None
    here = bench.experiments.get(cell.graph, {}).get(cell.pattern + ' enumerate' * (cell.count_by != 'auto'))
    columns = {'graph': cell.graph, 'pattern': cell.name(), 'goal': shown(goal), 'peer': shown(peer),
               'experiment': shown(recorded), 'here': shown(here)}
    if plain:
        columns['plain'] = ('' if plain[2] else 'over ') + shown(plain[1])
    if 'failed' in result:
        return dict(columns, kernel=result['failed'])
    b, whole = result['bench'], result['whole']
    ms, quiet, read = b['kernel_ms']['median'], alone(bench, b), entries_of(bench, cell, result)
    rate = BYTES * read / (ms * 1e-3) if read and ms else None
    columns.update({
        'count': '{:,}'.format(result['count']), 'right': {True: 'right', False: 'WRONG', None: '?'}[result['right']],
        'kernel': '%s (%s)' % (shown(ms), shown(b['kernel_ms']['min'])), 'prepare': shown(b['prepare_ms']['median']),
        'first prepare': shown(b['first_prepare_ms']), 'run': shown(b['run_ms']['median']), 'cpu / cores': shown(quiet),
        'met': verdict(goal, ms, b['first_prepare_ms'], quiet),
        'peer / ours': shown(ratio(peer, ms + b['prepare_ms']['median']), 3),
        'ours / exp.': shown(ratio(quiet or ms, here or recorded), 3),
        'plain / ours': shown(ratio(plain and plain[1], ms), 3),
        'whole s (min)': '%.3f (%.3f)' % (statistics.median(whole), min(whole)) if whole else '-',
        'of copy': shown(ratio(rate, bench.rates.get('copy_bytes_per_second')), 2)})
    return columns


HEAD = ['graph', 'pattern', 'count', 'right', 'kernel', 'prepare', 'first prepare', 'run', 'cpu / cores', 'goal', 'met',
        'peer', 'peer / ours', 'experiment', 'here', 'ours / exp.', 'plain', 'plain / ours', 'whole s (min)', 'of copy']


def print_table(bench, out):
    device = (bench.rates.get('devices') or [{}])[0].get('name', '?')
    copy, launch = bench.rates.get('copy_bytes_per_second'), bench.rates.get('launch_us')
    print('%s, %s: copy %s GB/s, launch %s us; milliseconds, medians (and least) of up to %d runs in one process.\n' % (
        device, time.strftime('%Y-%m-%d %H:%M', time.gmtime()), shown(copy and copy / 1e9), shown(launch),
        bench.options.repeat), file=out)
    print('| %s |\n|%s' % (' | '.join(HEAD), '---|' * len(HEAD)), file=out)
    for cell, result in bench.results:
        columns = row(bench, cell, result)
        print('| %s |' % ' | '.join(columns.get(name, '-') for name in HEAD), file=out)


def commit():
    done = subprocess.run(['git', 'rev-parse', '--short', 'HEAD'], capture_output=True, text=True, cwd=cells.HERE)
    return os.environ.get('GEMP_COMMIT') or done.stdout.strip()


def save(bench):
    folder = bench.options.save
    os.makedirs(folder, exist_ok=True)
    kind = 'cpu' if bench.options.cpu else 'device'
    name = os.path.join(folder, '%s-%s' % (kind, bench.date))
    with open(name + '.jsonl', 'w') as file:
        head = {'host': platform.node(), 'commit': commit(), 'rates': bench.rates, 'options': vars(bench.options)}
        file.write(json.dumps(dict(head, extra=bench.extra)) + '\n')
        file.writelines(json.dumps(result) + '\n' for _, result in bench.results)
        file.write(json.dumps({'plain': bench.plain, 'experiments': bench.experiments}) + '\n')
    with open(name + '.md', 'w') as file:
        print_table(bench, file)


def main():
    parser = argparse.ArgumentParser()
    for flag in ('cpu', 'no-plain', 'no-experiments', 'no-profile'):
        parser.add_argument('--' + flag, action='store_true')
    parser.add_argument('--only', default='', help='a part of "graph pattern"; | separates several parts')
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
    return any(result.get('right') is False for _, result in bench.results)


if __name__ == '__main__':
    sys.exit(main())
