"""Implements scaling-study.sh: plans a series of runs of an engine of gemp-mpi (engines.py), runs it, and writes tables, plots
and a model.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import time

import engines
import every
import forecast
import machine
import tables

PROGRAM = os.environ.get('GEMP_MPI', 'gemp-mpi')
LAUNCHER = os.environ.get('GEMP_MPIRUN', 'mpirun -q --oversubscribe --bind-to none')
ABOUT = '''Strong scaling: one input, more and more ranks. Weak scaling: an input that grows with the ranks.
Writes OUTPUT/STUDY.json, .csv, and plots where gnuplot is. docs/scaling.md explains the figures.'''
PIN = os.path.join(machine.HERE, 'pin.sh')


def complain(text):
    sys.exit('scaling-study: ' + text)


def numbers(text):
    try:
        found = [int(part) for part in text.split(',')]
    except ValueError:
        found = [0]
    if min(found) < 1:
        raise argparse.ArgumentTypeError('%r is not a list of positive numbers, as 1,2,4' % text)
    return found


def parse(arguments):
    parser = argparse.ArgumentParser(prog='scaling-study.sh', allow_abbrev=False,
                                     formatter_class=argparse.RawTextHelpFormatter,
                                     usage='scaling-study.sh strong|weak [OPTIONS] -- ARGUMENTS OF THE ENGINE\n'
                                           '       scaling-study.sh predict STUDY.json... [OPTIONS]\n'
                                           '       scaling-study.sh plot STUDY.json... [-o FOLDER]',
                                     description=ABOUT)
    parser.add_argument('study', choices=['strong', 'weak', 'predict', 'plot'])
    parser.add_argument('studies', nargs='*', metavar='STUDY.json', help='predict, plot: what was measured earlier')
    add = parser.add_argument
    add('-o', '--output', metavar='FOLDER', help='default: scaling-DATE')
    add('--engine', choices=list(engines.KINDS) + ['all'], default='match',
        help='what is measured (default match); all: each with its defaults')
    add('--graph', metavar='FILE', help='strong: this graph, or for import and som this table (else one is generated)')
    add('--generator', choices=['rmat', 'uniform', 'eulerian'], help='default: rmat; euler: always eulerian')
    add('--scale', type=int, metavar='N',
        help='2^N vertices, for som vectors; weak: for one rank (default: by engine)')
    add('--edge-factor', type=int, default=8, metavar='N',
        help='edges a vertex; for som half of the dimensions (default 8)')
    add('--ranks', type=numbers, metavar='A,B,...', help='default: powers of two up to the cores or tasks')
    add('--outboxes', type=numbers, metavar='A,B,...', help='message sizes: each number of ranks with each --outbox')
    add('--repeat', type=int, default=3, metavar='N', help='runs of each kind (default 3)')
    add('--launcher', metavar='COMMAND',
        help='starts the ranks: "srun --mpi=pmix", "mpirun ..." (default: %s)' % LAUNCHER)
    add('--cores-per-rank', type=int, metavar='N',
        help='CPU devices: each rank has N cores of its own (default 1);\n0: leave that to the launcher')
    add('--places', type=int, metavar='N',
        help='ranks that can run at once (default: cores or GPUs here; with --launcher: all)')
    add('--limit', type=float, default=600, metavar='S', help='seconds that a run may take (default 600)')
    add('--budget', type=float, default=1e9, metavar='S', help='no run begins after so many seconds')
    add('--no-profile', action='store_true', help='do not count the work of each graph by one run with --profile')
    add('--hold-out', type=int, metavar='R',
        help='ranks that the model is not shown, but checked on (default: the most)')
    add('--predict', type=numbers, metavar='A,B,...', default=[64 << i for i in range(7)],
        help='ranks to predict (default 64 to 4,096)')
    add('--parts-per-rank', type=int, default=1, metavar='N',
        help='predict: parts of the graph that a rank goes through (default 1)')
    add('--latency', type=float, metavar='S', help='predict for a network with this latency (seconds)')
    add('--bandwidth', type=float, metavar='B', help='and this bandwidth (bytes a second and rank)')
    add('-n', '--dry-run', action='store_true', help='print the commands')
    cut = arguments.index('--') if '--' in arguments else len(arguments)
    options = parser.parse_args(arguments[:cut])
    options.arguments = arguments[cut + 1:]
    every_engine = options.engine == 'all'
    engine = engines.Engine if every_engine else engines.KINDS[options.engine]
    options.scale = engine.scale if options.scale is None else options.scale
    if every_engine and (options.graph or options.generator or options.outboxes or options.arguments):
        parser.error('--engine all: each engine has its own input and arguments; leave out --graph, --generator, --outboxes and --')
    later = options.study in ('predict', 'plot')
    if later and not options.studies:
        parser.error(options.study + ': which STUDY.json?')
    if not later and (options.studies or (engine.needed and not options.arguments)):
        parser.error(engine.needed or 'arguments of %s follow --' % options.engine)
    if options.study == 'weak' and options.graph:
        parser.error('weak scaling generates its inputs: --graph is for strong')
    if options.generator and options.generator not in engine.generators:
        parser.error('--generator %s: %s needs %s' % (options.generator, options.engine, ' or '.join(engine.generators)))
    if options.outboxes and options.engine not in ('match', 'transform'):
        parser.error('--outboxes: %s has no --outbox' % options.engine)
    return options


class Study:
    def __init__(self, options):
        self.options, self.began, self.done = options, time.monotonic(), 0
        self.launcher = shlex.split(options.launcher or LAUNCHER)
        self.engine = engines.KINDS[options.engine](options.engine, PROGRAM, options)
        self.devices = option_of(self.engine.arguments, '--devices', '-d')
        tasks = os.environ.get('SLURM_NTASKS') or os.environ.get('SLURM_NPROCS')
        most = int(tasks) if tasks else machine.cores()
        self.ranks = sorted(set(options.ranks or [1 << i for i in range(most.bit_length())]))
        if options.study == 'weak' and self.engine.generator() == 'rmat' and any(r & (r - 1) for r in self.ranks):
            complain('R-MAT graphs double: --ranks must be powers of two for weak scaling (or --generator uniform)')
        self.rooms = options.outboxes or [None]
        self.records, self.wrong = [], []

    def prepare(self):
        """Determines the inputs (generate() makes their files), and how many cores or GPUs the ranks have."""
        options = self.options
        self.machine = machine.facts(PROGRAM, ' '.join(self.launcher), self.devices)
        gpus = [d for d in self.machine['devices'] if d['kind'] != 'cpu' and self.devices != 'cpu']
        self.cores_per_rank = options.cores_per_rank
        if self.cores_per_rank is None:
            self.cores_per_rank = 0 if gpus else int(os.environ.get('SLURM_CPUS_PER_TASK') or 1)
        self.places = options.places  # None: on a cluster every rank has its own cores
        if not options.launcher and not options.places:
            self.places = len(gpus) or max(1, machine.cores() // (self.cores_per_rank or machine.cores()))
        folder = os.path.join(options.output, 'graphs')
        one = options.study == 'strong'
        shared = self.engine.input(folder, 1)
        self.graphs = {r: shared if one else self.engine.input(folder, r) for r in self.ranks}

    def command(self, ranks, room, further):
        own = []
        if self.cores_per_rank:  # the variable of PoCL 3, and the variable of PoCL 4 and later
            own = ['env'] + ['%s=%d' % (name, self.cores_per_rank)
                             for name in ('POCL_MAX_PTHREAD_COUNT', 'POCL_CPU_MAX_CU_COUNT')]
            if not self.options.launcher and ranks * self.cores_per_rank <= machine.cores():
                own += [PIN, str(self.cores_per_rank)]
        outbox = ['--outbox', str(room)] if room else []
        return (self.launcher + ['-n', str(ranks)] + own + self.engine.command(self.graphs[ranks], self.options.output) +
                outbox + further)

    def plan(self):
        """Returns (ranks, outbox entries or None, purpose) for all runs. The purpose is 'work' for a run with --profile, 'warm-up'
        for a run that only builds the kernels, otherwise the number of the repetition. The repetitions of a run are far apart,
        so a disturbance affects all runs alike."""
        profiles = [(self.ranks[0], None, 'warm-up')] if self.engine.kernels else []
        if self.engine.profiled and not self.options.no_profile:
            by_path = {self.graphs[r].path: r for r in self.ranks}  # the largest number of ranks of each graph
            profiles = [(r, None, 'work') for r in by_path.values()]
        return profiles + [(r, room, repeat) for repeat in range(self.options.repeat)
                           for r in self.ranks for room in self.rooms]

    def show(self):
        for graph in dict.fromkeys(self.graphs.values()):
            for command in graph.commands:
                print(shlex.join(command))
        for ranks, room, what in self.plan():
            further = ['--profile'] if what == 'work' else []
            print(shlex.join(self.command(ranks, room, further + ['--json', '-', '--quiet'])))

    def progress(self, text, total):
        spent = time.monotonic() - self.began
        left = spent / self.done * (total - self.done) if self.done else 0
        print('[%*d/%d] %s%s' % (len(str(total)), self.done, total, text,
                                 ', about %.0f s left' % left if left >= 10 else ''), file=sys.stderr, flush=True)

    def left(self):
        return self.options.budget - (time.monotonic() - self.start)

    def call(self, command):
        """Returns (JSON report or None, seconds, error)."""
        began = time.monotonic()
        limit = max(1.0, min(self.options.limit, self.left()))
        try:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       stdin=subprocess.DEVNULL)
        except OSError as error:
            return None, 0, str(error)
        try:
            out, said = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            end(process)
            return None, time.monotonic() - began, 'over %.0f s' % limit
        seconds = time.monotonic() - began
        if process.returncode:
            return None, seconds, (said.strip().splitlines() or ['exit code %d' % process.returncode])[-1]
        try:
            return json.loads(out), seconds, ''
        except ValueError:
            return {}, seconds, ''

    def generate(self):
        os.makedirs(os.path.join(self.options.output, 'graphs'), exist_ok=True)
        for graph in dict.fromkeys(self.graphs.values()):
            whole = 0
            for command in graph.commands if not os.path.exists(graph.path) else []:
                report, seconds, wrong = self.call(command)
                if report is None:
                    complain('%s: %s' % (shlex.join(command), wrong))
                whole += seconds
            if whole:
                print('made %s in %.1f s' % (graph.path, whole), file=sys.stderr, flush=True)
            self.engine.prepare(graph)

    def note_work(self, graph, report):
        """Notes the work of a graph: the entries that the search reads, or the matches if the kernels do not report entries. If the
        report has neither, check() uses the edges."""
        for unit in ('entries_read', 'matches'):
            if report and report.get(unit):
                graph.work, graph.unit = report[unit], unit
                return

    def run(self):
        self.start = time.monotonic()
        self.generate()
        self.began = time.monotonic()
        plan = self.plan()
        for ranks, room, what in plan:
            if self.left() <= 0:
                break
            graph = self.graphs[ranks]
            further = ['--profile'] if what == 'work' else []
            command = self.command(ranks, room, further + ['--json', '-', '--quiet'])
            report, seconds, wrong = self.call(command)
            if not report and self.left() <= 0:
                break
            self.done += 1
            said = '%d rank%s%s, %s' % (ranks, 's' if ranks > 1 else '', ', outbox %d' % room if room else '',
                                       what if isinstance(what, str) else 'run %d' % (what + 1))
            if not report:
                self.wrong.append('%s: %s' % (said, wrong or 'no report'))
                self.progress(self.wrong[-1], len(plan))
                continue
            self.progress('%s: %.3f s' % (said, report['seconds']['elapsed']['max']), len(plan))
            if what == 'work':
                self.note_work(graph, report)
            elif what != 'warm-up':
                self.records.append(tables.record(report, self.engine, ranks, room, what, graph.path, seconds, shlex.join(command)))
        if self.engine.output and os.path.exists(self.engine.output_path(self.options.output)):
            os.remove(self.engine.output_path(self.options.output))
        self.not_made = len(plan) - self.done
        if self.not_made:
            print('the budget of %g s is spent: %d of %d runs were not made' % (
                self.options.budget, self.not_made, len(plan)), file=sys.stderr)
        self.check()

    def check(self):
        """Checks that all runs on one input have the same answer."""
        for path in dict.fromkeys(r['graph'] for r in self.records):
            answers = {r['answer'] for r in self.records if r['graph'] == path}
            if len(answers) > 1:
                self.wrong.append('%s: answers differ: %s' % (path, sorted(answers)))
        for r in self.records:
            r['places'] = self.places or r['ranks']
        if not self.engine.profiled:
            self.unit = self.engine.unit
            return
        known = {g.path: g for g in self.graphs.values() if g.work}
        whole = all(r['graph'] in known for r in self.records)
        for r in self.records:
            graph = known.get(r['graph']) if whole else None
            r['work'] = graph.work if graph else r['edges']
        self.unit = next((g.unit for g in known.values()), 'edges') if whole else 'edges'

    def result(self):
        options = self.options
        return {'study': options.study, 'command': shlex.join(['jobs/scaling-study.sh'] + sys.argv[1:]),
                'engine': options.engine, 'arguments': self.engine.arguments, 'machine': self.machine,
                'cores_per_rank': self.cores_per_rank or None, 'places': self.places, 'work_unit': self.unit,
                'seconds': round(time.monotonic() - self.start, 1), 'failures': self.wrong, 'not_made': self.not_made,
                'points': tables.points(self.records, options.study), 'runs': self.records}


def end(process):
    """Requests the process to end before killing it, so that mpirun and srun can end their ranks."""
    process.terminate()
    try:
        process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def option_of(arguments, *names):
    """Returns the value of an option of the engine, or ''."""
    for name in names:
        for i, argument in enumerate(arguments):
            if argument == name and i + 1 < len(arguments):
                return arguments[i + 1]
            if argument.startswith(name + '='):
                return argument[len(name) + 1:]
    return ''


def measure(options):
    options.output = options.output or time.strftime('scaling-%Y-%m-%d-%H%M', time.gmtime())
    if options.engine == 'all':
        return every.run(options, sys.argv[1:])
    study = Study(options)
    study.prepare()
    if options.dry_run:
        study.show()
        return 0
    study.run()
    if not study.records:
        complain('no run ended well: ' + '; '.join(study.wrong[:3]))
    result = study.result()
    model, text = forecast.make([result], options)
    result['model'] = model
    base = os.path.join(options.output, options.study)
    tables.write(result, base)
    print(tables.text(result) + text)
    tables.draw(base, options.study)
    for wrong in study.wrong:
        print('scaling-study: ' + wrong, file=sys.stderr)
    print('written: %s.json and .csv' % base)
    return 1 if study.wrong else 0


def load(paths):
    results = []
    for path in paths:
        try:
            with open(path) as file:
                results.append(json.load(file))
                results[-1]['runs'][0]['seconds']
        except (OSError, ValueError, LookupError, TypeError) as error:
            complain('%s is no study: %s' % (path, error))
    return results


def plot(options):
    for path, result in zip(options.studies, load(options.studies)):
        folder = options.output or os.path.dirname(path) or '.'
        os.makedirs(folder, exist_ok=True)
        base = os.path.join(folder, os.path.splitext(os.path.basename(path))[0])
        tables.write_points(result, base)
        tables.draw(base, result['study'])
    return 0


def predict(options):
    results = load(options.studies)
    if len({r.get('engine', 'match') for r in results}) > 1:
        complain('these studies are of different engines: ' + ', '.join(r.get('engine', 'match') for r in results))
    if len({r['work_unit'] for r in results}) > 1:
        complain('these studies count work differently: ' + ', '.join(r['work_unit'] for r in results))
    model, text = forecast.make(results, options)
    print(text, end='')
    if options.output:
        os.makedirs(options.output, exist_ok=True)
        base = os.path.join(options.output, 'model')
        tables.write_json(model, base + '.json')
        tables.draw_model(model, base)
        print('written: %s.json' % base)
    return 0


if __name__ == '__main__':
    given = parse(sys.argv[1:])
    sys.exit({'predict': predict, 'plot': plot}.get(given.study, measure)(given))
