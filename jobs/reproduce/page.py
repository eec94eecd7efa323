"""A page of results: runs gemp-mpi, collects tables and pictures, and writes NAME.md, NAME-*.svg and NAME.json.

NAME.json has the comparisons with published figures, from which all.py makes one table of all experiments. Graphs lie in a
working folder and are kept, so that a second run need not make them again."""
import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import time

import plots

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), 'scaling'))
import machine  # noqa: E402 (the path above is needed)

PROGRAM = os.environ.get('GEMP_MPI', 'gemp-mpi')
LAUNCHER = os.environ.get('GEMP_MPIRUN', 'mpirun -q --oversubscribe --bind-to none')
HOST_COMMANDS = ('generate', 'import', 'convert', 'info', 'index', 'partition', 'degrees', 'assemble')  # they have no --devices
NOT_PUBLISHED = 'not published'


def number(value):
    """Returns a number for people: whole ones with separators, others with three significant digits."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int) or abs(value) >= 1000:
        return format(round(value), ',')
    return format(value, '.3g') if value == 0 or abs(value) >= 0.0001 else format(value, '.2e')


def markdown_table(columns, rows):
    """Returns the table as Markdown. A row of another length than the columns, or with an empty cell, is an error."""
    for row in rows:
        if len(row) != len(columns) or any(cell is None or str(cell).strip() == '' for cell in row):
            raise ValueError('the table of %s has an empty or missing cell in the row %s' % (columns, row))
    lines = [columns, ['---'] + ['---:'] * (len(columns) - 1)] + [[number(cell) for cell in row] for row in rows]
    return '\n'.join('| %s |' % ' | '.join(str(cell).replace('|', '\\|') for cell in line) for line in lines)


def ratio(published, here):
    """Returns published / here for two numbers, and says that there is no published figure otherwise."""
    if not isinstance(published, (int, float)):
        return NOT_PUBLISHED
    return '%s ×' % number(published / here)


def with_unit(value, unit):
    return '%s %s' % (number(value), unit) if isinstance(value, (int, float)) else value


def write_whole(path, text):
    """Writes the file under another name first, so that an interrupted run leaves no half of a page."""
    with open(path + '.part', 'w') as file:
        file.write(text)
    os.replace(path + '.part', path)


class Page:
    def __init__(self, name, title, about, add_options=None):
        parser = argparse.ArgumentParser(prog='reproduce-%s.sh' % name, description=about, allow_abbrev=False,
                                         formatter_class=argparse.RawDescriptionHelpFormatter)
        add = parser.add_argument
        add('-o', '--output', metavar='FOLDER', default='reproduced', help='folder of the page (default: reproduced)')
        add('--folder', metavar='FOLDER', help='working folder, for graphs (default: OUTPUT/data)')
        add('-d', '--devices', metavar='SPEC', help='devices, as for gemp-mpi (default: GPUs if there are any, else CPUs)')
        add('--small', action='store_true', help='tiny inputs, to try the script in seconds')
        if add_options:
            add_options(parser)
        self.options, self.name = parser.parse_args(), name
        self.folder = os.path.abspath(self.options.folder or os.path.join(self.options.output, 'data'))
        os.makedirs(self.folder, exist_ok=True)
        self.parts, self.comparisons, self.commands = ['# ' + title], [], []
        self.began = time.monotonic()
        self.machine = machine.facts(PROGRAM, LAUNCHER, self.options.devices)
        if os.environ.get('GEMP_COMMIT'):  # a copy of the tree without git
            self.machine['commit'] = os.environ['GEMP_COMMIT']

    # Input and runs

    def path(self, name):
        """Returns the path of a file in the working folder."""
        return os.path.join(self.folder, name)

    def on_gpu(self):
        """Tells if the runs use a GPU."""
        chosen = self.machine['devices']
        return self.options.devices != 'cpu' and any(device.get('kind') == 'gpu' for device in chosen)

    def gemp(self, command, *arguments, ranks=1, repeat=1, fails=False):
        """Runs gemp-mpi and returns its JSON report, with the seconds of the whole process in `process_seconds`. Of
        several runs it returns the fastest. A failure ends the script, unless `fails` allows it: then it is None."""
        line = [PROGRAM, command] + [str(argument) for argument in arguments]
        if self.options.devices and command not in HOST_COMMANDS:
            line += ['--devices', self.options.devices]
        launcher = shlex.split(LAUNCHER) + ['-n', str(ranks)] if ranks > 1 else []
        self.note(launcher + line)
        best = None
        for _ in range(repeat):
            report = self.run(launcher + line, fails)
            if report and (best is None or report['process_seconds'] < best['process_seconds']):
                best = report
        return best

    def run(self, line, fails):
        report = self.path('%s-%d.json' % (self.name, os.getpid()))
        began = time.monotonic()
        done = subprocess.run(line + ['--json', report, '--quiet'], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        seconds = time.monotonic() - began
        if done.returncode != 0:
            if fails:
                return None
            sys.exit('reproduce-%s: %s ended with code %d:\n%s'
                     % (self.name, shlex.join(line), done.returncode, done.stderr.strip()))
        with open(report) as file:
            content = json.load(file)
        os.remove(report)
        content['process_seconds'] = seconds
        return content

    def make(self, name, *command, ranks=1):
        """Runs a command of gemp-mpi that writes the file `name` of the working folder, if it is not there from the same
        command of an earlier run. Returns its path."""
        path = self.path(name)
        stamp = json.dumps([str(part) for part in command])
        try:
            with open(path + '.made-by') as file:
                kept = file.read() == stamp and os.path.exists(path)
        except OSError:
            kept = False
        if kept:
            self.note([PROGRAM, *[str(part) for part in command], '-o', path])
        else:
            self.gemp(*command, '-o', path, ranks=ranks)
            write_whole(path + '.made-by', stamp)
        return path

    def note(self, line):
        """Adds a command to the list at the end of the page, and shows it as progress."""
        command = shlex.join(line).replace(PROGRAM, 'gemp-mpi').replace(self.folder + os.sep, '')
        print('%6.1f s  %s' % (time.monotonic() - self.began, command), file=sys.stderr, flush=True)
        if command not in self.commands:
            self.commands.append(command)

    # Content

    def text(self, markdown):
        self.parts.append(markdown.strip())

    def table(self, columns, rows):
        self.parts.append(markdown_table(columns, rows))

    def compare(self, rows, unit='s', here='here'):
        """Adds a table of (experiment, published figure or None, our figure) with the ratio of the two."""
        cells = []
        for experiment, published, ours in rows:
            published = NOT_PUBLISHED if published is None else published
            cells.append([experiment, published, ours, ratio(published, ours)])
            self.comparisons.append({'experiment': experiment, 'unit': unit, 'published': published, 'here': ours})
        self.table(['experiment', 'published (%s)' % unit, '%s (%s)' % (here, unit), 'published / here'], cells)

    def bars(self, picture, label, groups, series, **options):
        """Adds a bar chart. `groups` are names on the x-axis, and `series` maps a name to a number for each group."""
        self.drawn(picture, lambda path: plots.bars(path, label, groups, series, **options))

    def lines(self, picture, xlabel, ylabel, xs, series, **options):
        """Adds a line chart. `series` maps a name to a number for each of `xs`."""
        self.drawn(picture, lambda path: plots.lines(path, xlabel, ylabel, xs, series, **options))

    def drawn(self, picture, draw):
        name = '%s-%s.svg' % (self.name, picture)
        os.makedirs(self.options.output, exist_ok=True)
        draw(os.path.join(self.options.output, name))
        self.parts.append('![%s](%s)' % (picture.replace('-', ' '), name))

    def image(self, path, caption):
        """Adds a copy of a picture."""
        name = '%s-%s' % (self.name, os.path.basename(path))
        os.makedirs(self.options.output, exist_ok=True)
        shutil.copyfile(path, os.path.join(self.options.output, name))
        self.parts.append('![%s](%s)' % (caption, name))

    def write(self):
        facts = self.machine
        devices = ', '.join('%s (%s)' % (device['name'], device.get('platform', device['kind'])) for device in facts['devices'])
        about = [['processor', '%s, %d cores' % (facts['cpu'], facts['cores'])],
                 ['memory', '%.0f GiB' % (facts['memory_bytes'] / 2**30)], ['devices', devices or 'none'],
                 ['system', facts['system']], ['program', facts['program']], ['commit', facts['commit'] or 'unknown'],
                 ['date', facts['date']], ['load average before', facts['load_before']],
                 ['seconds of this script', time.monotonic() - self.began]]
        made = ['## How this page was made', 'By `jobs/reproduce-%s.sh`, on this machine:' % self.name,
                markdown_table(['', 'value'], about).replace('---:', '---').replace('|  |', '| fact |', 1),
                'It ran these commands:', '\n'.join('    ' + command for command in self.commands)]
        os.makedirs(self.options.output, exist_ok=True)
        base = os.path.join(self.options.output, self.name)
        write_whole(base + '.json', json.dumps({'title': self.parts[0][2:], 'comparisons': self.comparisons,
                                                'machine': facts}, indent=1, ensure_ascii=False) + '\n')
        write_whole(base + '.md', '\n\n'.join(self.parts + made) + '\n')
        print('Wrote %s.md' % base, file=sys.stderr)
