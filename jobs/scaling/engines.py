"""What a scaling study runs: for each engine of gemp-mpi its input, which can grow with the ranks, the command, the work of a
run, and the part of its answer that may not depend on the number of ranks."""
import math
import os
import shlex
import subprocess
import sys

import machine


class Input:
    """A file that runs read, and the commands that make it if it is not there. `share` is its size in multiples of the input of
    one rank."""

    def __init__(self, path, commands=(), share=1):
        self.path, self.commands, self.share = path, list(commands), share
        self.work = self.unit = None


def digits(value, count):
    """Returns the number with so many significant digits, since sums differ in the last ones between numbers of ranks."""
    return float('%.*g' % (count, value))


class Engine:
    """An engine whose input is a random graph. `arguments` are those behind -- on the command line of the study."""

    scale = 16  # 2^scale vertices, by default: a second or more of work for a core
    unit = 'edges'  # of the work
    profiled = False  # the work is counted by a run of its own
    kernels = False  # kernels do not depend on the graph, so that a first run can build them for all
    generators = ('rmat', 'uniform')
    defaults = ()  # arguments if there are none behind --
    needed = None  # text for a user who gives no arguments
    output = None  # ending of the file that a run writes

    def __init__(self, name, program, options):
        self.name, self.program, self.options = name, program, options
        self.arguments = list(options.arguments or self.defaults)

    def generator(self):
        return self.options.generator or self.generators[0]

    def size(self, share):
        """Returns (name of the graph, parameters of its generator)."""
        options, vertices = self.options, share << self.options.scale
        if self.generator() == 'rmat':
            scale = options.scale + int(math.log2(share))
            return ('rmat-%d-%d' % (scale, options.edge_factor), ['--scale', scale, '--edge-factor', options.edge_factor])
        return ('%s-%d-%d' % (self.generator(), vertices, options.edge_factor),
                ['--vertices', vertices, '--edges', vertices * options.edge_factor])

    def input(self, folder, share):
        if self.options.graph:
            return Input(self.options.graph)
        name, size = self.size(share)
        path = os.path.join(folder, name + '.h5')
        return Input(path, [[self.program, 'generate', self.generator()] + [str(s) for s in size] + ['-o', path, '--quiet']], share)

    def command(self, source, folder):
        """Returns the command of a run, without the launcher and without --json."""
        return [self.program, self.name, source.path] + self.own_arguments(source) + self.written(folder)

    def own_arguments(self, source):
        return self.arguments

    def written(self, folder):
        return ['--output', self.output_path(folder)] if self.output else []

    def output_path(self, folder):
        return os.path.join(folder, 'written-by-' + self.name + self.output)

    def prepare(self, source):
        """Called once for each input, before the runs."""

    def extent(self, report):
        """Returns the numbers of vertices and edges."""
        return report['graph']['vertices'], report['graph']['edges']

    def work(self, report):
        return report['graph']['edges']

    def answer(self, report):
        return report['graph']['hash']


class Match(Engine):
    unit = 'entries_read'
    profiled = True
    needed = 'what is to be matched? Options of match follow --, as: -- --pattern cycle:4 --count'

    def answer(self, report):
        return report['matches']


class Import(Engine):
    scale = 20
    output = '.h5'

    def input(self, folder, share):
        made = super().input(folder, share)
        if made.commands:
            tables = os.path.splitext(made.path)[0] + '.tsv'
            made.commands.append([self.program, 'convert', made.path, '-o', tables, '--quiet'])
            made.path = tables[:-len('.tsv')] + '.edges.tsv'
        return made

    def own_arguments(self, source):
        vertices = source.path[:-len('.edges.tsv')] + '.vertices.tsv'
        return (['--vertices', vertices] if source.commands else []) + self.arguments


class Transform(Engine):
    """The first argument is the file of rules, unless it is an option."""

    scale = 14
    unit = 'matches'
    output = '.h5'

    def own_arguments(self, source):
        own = self.arguments and not self.arguments[0].startswith('-')
        return ([] if own else [os.path.join(machine.HERE, 'close.rules')]) + self.arguments

    def work(self, report):
        return sum(rule['matches'] for rule in report['rules']) or report['graph']['edges']


class Euler(Engine):
    scale = 20
    generators = ('eulerian',)

    def answer(self, report):
        return '%s of %d edges' % (report['kind'], report['edges'])


class Analysis(Engine):
    scale = 20
    unit = 'edges_of_the_work'
    kernels = True

    def work(self, report):
        return report['edges_of_the_work'] or report['graph']['edges']


class Pagerank(Analysis):
    def answer(self, report):
        return digits(report['top'][0]['rank'], 3)


class Spmv(Analysis):
    def answer(self, report):
        return digits(report['sum'], 4)


class Search(Analysis):
    """Without --source it starts at a vertex of the largest degree, since most vertices of a random graph may be unreachable
    from a vertex of no or few edges."""

    def prepare(self, source):
        if any(a == '--source' or a.startswith('--source=') for a in self.arguments):
            source.start = None
            return
        command = [self.program, 'match', source.path, '--pattern', 'path:2', '--count-per', '0', '-o', '-', '--quiet']
        counted = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if counted.returncode:
            sys.exit('scaling-study: %s: %s' % (shlex.join(command), counted.stderr.strip()))
        rows = [line.split('\t') for line in counted.stdout.splitlines()[1:]]
        if not rows:
            sys.exit('scaling-study: %s has no edges, so a search has no start; give --source KEY' % source.path)
        source.start = max(rows, key=lambda row: (int(row[1]), row[0]))[0]

    def own_arguments(self, source):
        start = getattr(source, 'start', 'KEY')
        return (['--source', start] if start else []) + self.arguments

    def answer(self, report):
        return report['reached']


class Sssp(Search):
    defaults = ('--weight', 'weight')

    def size(self, share):
        name, size = super().size(share)
        return name + '-weights', size + ['--weights', 255]


class Som(Engine):
    """The input is a table of vectors; --scale and --edge-factor are 2^N vectors and twice as many dimensions."""

    scale = 15
    unit = 'vectors'
    kernels = True
    defaults = ('--size', '24x24', '--epochs', '10')
    output = '.h5'

    def input(self, folder, share):
        if self.options.graph:
            return Input(self.options.graph)
        count, dimensions = share << self.options.scale, 2 * self.options.edge_factor
        path = os.path.join(folder, 'vectors-%d-%d.tsv' % (count, dimensions))
        script = os.path.join(machine.HERE, 'samples.py')
        return Input(path, [[sys.executable, script, str(count), str(dimensions), path]], share)

    def command(self, source, folder):
        return [self.program, 'som', 'train', source.path] + self.arguments + self.written(folder)

    def extent(self, report):
        return report['vectors'], report['vectors']

    def work(self, report):
        return report['vectors'] * report['epoch']

    def answer(self, report):
        return digits(report['quantisation_error'], 3)


KINDS = {'match': Match, 'import': Import, 'transform': Transform, 'euler': Euler, 'bfs': Search, 'sssp': Sssp,
         'pagerank': Pagerank, 'spmv': Spmv, 'som': Som}
