"""Implements latency.sh."""
import argparse
import fnmatch
import json
import os
import platform
import shutil
import sys
import tempfile
import time

import cells
import latency_cells
from device import commit, shown
from latency_run import Caches, Limits, caches_of, drop, run_program

MANY = 8  # cores of a host on which the large sizes are the default, with 64 GiB of memory
LONG = 3  # a first run of more than this many seconds is not repeated
HEAD = ['cell', 'state', 's', 'now', 'to reach', 'met', 'limit', 'ratio', 'cpu s', 'peak MiB', 'start s',
        'in no phase', 'phases', 'answer', 'right']


class Bench:
    def __init__(self, options, extra):
        self.options, self.extra, self.began = options, extra, time.monotonic()
        self.date = time.strftime('%Y-%m-%d-%H%M', time.gmtime())
        self.scratch = tempfile.mkdtemp(prefix='gemp-latency-')
        os.makedirs(options.folder or self.scratch, exist_ok=True)
        self.graphs = latency_cells.Graphs(options.folder or self.scratch, options.limit)
        self.device = ['--devices', 'cpu'] if options.cpu else []
        self.rates = run_program(['bench', 'device'] + self.device, self.scratch, 120).report or {}
        self.kind = 'gpu' if any(d.get('gpu') for d in self.rates.get('devices') or []) else 'cores'
        self.left_in_cache, self.results = 0, []
        self.caches = Caches(self.scratch, self.warm())
        self.limits = Limits(self.graphs.folder, self.caches, 'cpu' if options.cpu else 'auto', options.megabytes,
                             options.repeat)
        self.figures = cells.rows(os.path.join(cells.HERE, 'latency.tsv'))

    def warm(self):
        """Returns a folder with the kernels that `gemp-mpi warm` builds, or None if the program has no such command."""
        path = os.path.join(self.scratch, 'warm')
        if '\n  warm ' not in latency_cells.help_text():
            return None
        sample = run_program(['warm'] + self.device, self.scratch, self.options.limit, caches_of(path), report=False)
        return None if sample.error else path

    def left(self):
        return self.options.budget - (time.monotonic() - self.began)

    def run_once(self, cell, environment):
        command = cell.command(self.graphs) + (self.device + self.extra if cell.on_device else [])
        if hasattr(cell, 'output'):
            # What earlier cells wrote would go to the disk in this cell's time. So would the cell's own bytes if they
            # replaced a file: ext4 allocates their blocks before the renaming, 1.2 s for 1.5 GB.
            if os.path.exists(cell.output(self.graphs)):
                os.remove(cell.output(self.graphs))
            os.sync()
        return run_program(command, self.scratch, self.options.limit, environment, cell.expected, cell.has_report)

    def sample(self, cell, environment, samples, answers):
        sample = self.run_once(cell, environment)
        if sample.error:  # an internal error (code 70) or a crash is a wrong answer, and too little time is none
            crashed = sample.code == 70 or (sample.code < 0 and not sample.late)
            raise latency_cells.Missing('WRONG: ' * crashed + sample.error)
        samples.append(sample)
        answers.append(cell.answer(sample, self.graphs))

    def repeated(self, cell, state, environment, samples, answers):
        """Runs a cell in one state: twice if empty folders are part of it and a run is short, or up to --repeat times
        while the runs take less than --seconds."""
        began = time.monotonic()
        count = self.options.repeat if state == 'warm' else 2
        for run in range(count):
            passed = time.monotonic() - began
            if run and (self.left() <= 0 or passed > (self.options.seconds if state == 'warm' else LONG)):
                break
            if state != 'warm':
                environment = self.caches.fresh(state == 'installed')
            if state == 'first':
                self.left_in_cache = max(self.left_in_cache, drop(cell.files(self.graphs)))
            self.sample(cell, environment, samples, answers)
        return environment

    def measure(self, cell):
        """Measures a cell in all its states and keeps a result for each. The last folder of kernels, which is no longer
        empty, serves the warm runs; a cell without earlier states has one run before them, if it is short."""
        environment, answers = self.caches.fresh(), []
        for state in cell.states:
            if state == 'installed' and not self.caches.template:
                continue
            samples, result = [], {'cell': cell.name, 'state': state}
            try:
                if self.left() <= 0:
                    raise latency_cells.Missing('not run: over budget')
                environment = self.repeated(cell, state, environment, samples, answers)
                if any(answer != answers[0] for answer in answers):
                    raise latency_cells.Missing('WRONG: answers differ')
                result.update(self.result(cell, state, min(samples, key=lambda s: s.wall)), answer=answers[0],
                              samples=[sample.result() for sample in samples])
            except latency_cells.Missing as missing:
                result['failed'] = str(missing)
            self.results.append((cell, result))
            print('%-28s %-9s %s' % (cell.name, state, result.get('failed') or '%.3f s' % result['value']),
                  file=sys.stderr, flush=True)
            if 'failed' in result:
                break

    def add_limits(self, cell):
        """Adds the limit to the results of a cell. All states have the least kernel time, since some drivers compile in
        the first launch."""
        results = [result for other, result in self.results if other is cell and 'failed' not in result]
        kernel = min((r['phases'].get('kernel', 0) + r['phases'].get('prepare', 0) for r in results), default=0)
        for r in results:
            r['limit'] = self.limits.seconds(r['state'], cell.start, r['moved'], kernel)

    def result(self, cell, state, best):
        phases = best.phases()
        elapsed = phases.pop('elapsed', None)
        return {'value': best.wall, 'cpu': best.cpu, 'peak': best.peak, 'phases': phases,
                'start': None if elapsed is None else best.wall - elapsed + phases.get('start', 0),
                'nowhere': None if elapsed is None else elapsed - sum(phases.values()) + phases.get('other', 0),
                'moved': cell.moved(best, self.graphs),
                'more': cell.more(best, self.graphs) if state == cell.states[-1] else []}

    def check(self):
        """Compares the answers with those of others, after all times are measured. This takes memory and time."""
        answers = {}
        for cell, result in self.results:
            if 'answer' in result and cell not in answers:
                answers[cell] = '', None
                if self.left() > 0:
                    try:
                        limit = max(10, min(self.options.limit, self.left()))
                        answers[cell] = cell.check(result['answer'], self.graphs, limit)
                    except latency_cells.Missing as missing:
                        answers[cell] = str(missing), None
            if cell in answers:
                result['shown'], result['right'] = answers[cell]

    def run(self, wanted):
        try:
            for cell in wanted:
                self.measure(cell)
                self.add_limits(cell)
                self.save()
            self.check()
            self.save()
        finally:
            shutil.rmtree(self.scratch, True)

    def wrong(self):
        return any(result.get('right') is False or result.get('failed', '').startswith('WRONG')
                   for _, result in self.results)

    def save(self):
        if self.options.save:
            save(self)


def figure(bench, name, state):
    """Returns (now, to reach) of latency.tsv, or two times None."""
    for row in bench.figures:
        if fnmatch.fnmatchcase(name, row['cell']) and row['kind'] in ('any', bench.kind) and row['state'] == state:
            return row['now'], float(row['reach'])
    return None, None


def verdict(reach, value, cpu):
    """Returns `met`, `alone` if only the processor seconds are within the figure (other processes used the cores), or
    `NO`."""
    return '-' if reach is None else 'met' if value <= reach else 'alone' if cpu is not None and cpu <= reach else 'NO'


def figures(bench, name, state, value, limit, cpu=None):
    now, reach = figure(bench, name, state)
    return {'cell': name, 'state': state, 's': shown(value), 'now': now or '-', 'to reach': shown(reach),
            'met': verdict(reach, value, cpu), 'limit': shown(limit, 3),
            'ratio': shown(value / limit if limit else None, 3)}


def rows(bench, result):
    """Returns the lines of the table for one cell in one state."""
    if 'failed' in result:
        return [{'cell': result['cell'], 'state': result['state'], 's': result['failed']}]
    phases = sorted(result['phases'].items(), key=lambda phase: -phase[1])
    line = figures(bench, result['cell'], result['state'], result['value'], result['limit'],
                   result['cpu'])
    line.update({'cpu s': shown(result['cpu'], 3), 'peak MiB': '%d' % (result['peak'] >> 20),
                 'start s': shown(result['start'], 2), 'in no phase': shown(result['nowhere'], 2),
                 'phases': ' '.join('%s %.2g' % phase for phase in phases if phase[1] >= .001) or '-',
                 'answer': result.get('shown') or '-',
                 'right': {True: 'right', False: 'WRONG', None: '?'}[result.get('right')]})
    return [line] + [figures(bench, '%s, %s' % (result['cell'], name), result['state'], value, limit)
                     for name, value, limit in result['more']]


def print_limits(bench, out):
    limits, rate = bench.limits, lambda name: shown(bench.limits.rate(name) and bench.limits.rate(name) / 1e9, 3)
    print('%s, %d cores, %s, commit %s. GB/s of all threads together: disk %s, page cache %s, write %s, link to the device '
          '%s.' % (limits.rates.get('device', '?'), os.cpu_count(), time.strftime('%Y-%m-%d %H:%M', time.gmtime()),
                   commit(), rate('disk'), rate('page_cache'), rate('write'), rate('link')), file=out)
    for state in 'warm', 'first':
        print('Seconds of an empty program that starts nothing, MPI, OpenCL, both (%s): %s.' % (
            state, ', '.join(shown(limits.start[state].get(name), 3) for name in latency_cells.latency_run.EMPTY)),
              file=out)
    if bench.left_in_cache > .1:
        print('The page cache could not be dropped: up to %.0f %% of a file was there before `first`.' %
              (100 * bench.left_in_cache), file=out)
    if (bench.options.scale, bench.options.edges) != (24, 10**8):
        print('Sizes are smaller than those of the issue, so their rows have no figures to reach.', file=out)


def print_table(bench, out):
    print_limits(bench, out)
    print('\n| %s |\n|%s' % (' | '.join(HEAD), '---|' * len(HEAD)), file=out)
    lines = [line for _, result in bench.results for line in rows(bench, result)]
    for line in lines:
        print('| %s |' % ' | '.join(line.get(name, '-') for name in HEAD), file=out)
    verdicts = [line['met'] for line in lines if line.get('met', '-') != '-']
    print('\n%d of %d figures are reached, %d of them by processor seconds only.' % (
        len(verdicts) - verdicts.count('NO'), len(verdicts), verdicts.count('alone')), file=out)


def save(bench):
    os.makedirs(bench.options.save, exist_ok=True)
    name = os.path.join(bench.options.save, 'latency-%s-%s' % (bench.kind, bench.date))
    with open(name + '.jsonl', 'w', encoding='utf-8') as file:
        head = {'host': platform.node(), 'commit': commit(), 'cores': os.cpu_count(), 'rates': bench.limits.rates,
                'start': bench.limits.start, 'options': vars(bench.options), 'extra': bench.extra}
        file.write(json.dumps(head) + '\n')
        file.writelines(json.dumps({key: value for key, value in result.items() if key != 'answer'}) + '\n'
                        for _, result in bench.results)
    with open(name + '.md', 'w', encoding='utf-8') as file:
        print_table(bench, file)


def sizes():
    """Returns the default R-MAT scale and number of edges of a table, by cores and memory."""
    memory = os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') >> 30
    cores = len(os.sched_getaffinity(0))
    if cores >= MANY and memory >= 64:
        return 24, 10**8
    return (21, 2 * 10**7) if cores >= 4 and memory >= 16 else (18, 4 * 10**6)


def main():
    scale, edges = sizes()
    parser = argparse.ArgumentParser()
    parser.add_argument('--cpu', action='store_true')
    parser.add_argument('--large', action='store_true')
    parser.add_argument('--only', default='', help='a part of the name of a cell; | separates several parts')
    parser.add_argument('--scale', type=int, choices=latency_cells.HUBS, default=scale, metavar='S')
    parser.add_argument('--edges', type=int, default=edges)
    parser.add_argument('--megabytes', type=int, default=1024 if scale == 24 else 256)
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=6)
    parser.add_argument('--limit', type=float, default=300)
    parser.add_argument('--budget', type=float, default=380)
    parser.add_argument('--folder', default='')
    parser.add_argument('--save', default='')
    options, extra = parser.parse_known_args()
    wanted = [cell for cell in latency_cells.all_cells(options.scale, options.edges, options.large)
              if any(part in cell.name for part in options.only.split('|'))]
    bench = Bench(options, extra)
    bench.run(wanted)
    print_table(bench, sys.stdout)
    return bench.wrong()


if __name__ == '__main__':
    sys.exit(main())
