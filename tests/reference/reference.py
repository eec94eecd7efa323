"""Shared parts of the tests that compare the program with the reference: queries, the reference, and runs of the
program.

A Query is written once. It is translated into the program's query text (cypher) and the text form of the reference
(neutral)."""
import atexit
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from expression import Text, expr_cypher, expr_variables, literal

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('GEMP_SOURCE_DIR') or os.path.dirname(os.path.dirname(HERE))
SHARED = os.environ.get('GEMP_SHARED') or os.path.join(SOURCE, '..', 'shared')
PROGRAM = os.environ.get('GEMP_MPI', '')
MPIRUN = shlex.split(os.environ.get('GEMP_MPIRUN') or 'mpirun -q --oversubscribe --bind-to none')
SKIPPED = 77

os.environ.setdefault('OMPI_ALLOW_RUN_AS_ROOT', '1')
os.environ.setdefault('OMPI_ALLOW_RUN_AS_ROOT_CONFIRM', '1')
os.environ.setdefault('OMPI_MCA_mpi_yield_when_idle', '1')

def test_seed():
    """Returns the seed of a run: GEMP_TEST_SEED, or the time."""
    return int(os.environ.get('GEMP_TEST_SEED') or time.time())


def work_folder():
    """Returns a folder that is removed at the end."""
    folder = tempfile.mkdtemp(prefix='gemp-reference-')
    atexit.register(shutil.rmtree, folder, True)
    return folder


def expr_neutral(e):
    if isinstance(e, tuple):
        return '(' + e[0] + ''.join(' ' + expr_neutral(c) for c in e[1:]) + ')'
    return '"%s"' % e if isinstance(e, Text) else literal(e)


class Query:
    """A query. vertices: [(name, [labels])], edges: [(name, from, to, 'out' | 'either', [types])], where: nested
    tuples."""

    def __init__(self, name, vertices, edges, where=(), returns=(), simple=False):
        self.name, self.vertices, self.edges = name, list(vertices), list(edges)
        self.where, self.returns, self.simple = list(where), list(returns), simple
        self.text = None

    def neutral(self):
        lines = ['query ' + self.name] + ['simple'] * self.simple
        lines += ['vertex %s %s' % (v, '|'.join(labels)) for v, labels in self.vertices]
        lines += ['edge %s %s %s %s %s' % (e, a, b, way, '|'.join(types)) for e, a, b, way, types in self.edges]
        lines += ['where ' + expr_neutral(e) for e in self.where]
        lines += ['return ' + ' '.join(self.returns)] * (self.returns not in ([], ['count(*)']))
        return '\n'.join(line.rstrip() for line in lines) + '\nend\n'

    def arrange(self, rng):
        """Writes the query as text in one of many ways. Afterwards its variables are in their order of appearance in
        the text."""
        used = set(r.split('.')[0] for r in self.returns).union(*(expr_variables(e) for e in self.where), set())
        parts, where = self.parts(rng, used)
        self.text = 'MATCH ' + ', '.join(parts)
        if where:
            self.text += ' WHERE ' + ' AND '.join(expr_cypher(e) for e in where)
        if self.returns:
            self.text += ' RETURN ' + ', '.join(self.returns)

    def parts(self, rng, used, names=True):
        """Returns the texts of the query's paths, and the conditions that these do not contain. If names is true, names
        outside `used` may be written, too."""
        inline, where = self.split_where(rng)
        paths = self.paths(rng)
        mentions = [v for path in paths for v in path[0::2]]
        order = []
        parts = []
        for path in paths:
            text = ''
            for i, item in enumerate(path):
                if i % 2 == 0:
                    first = item not in order
                    if first:
                        order.append(item)
                    named = item in used or mentions.count(item) > 1 or (names and rng.random() < 0.7)
                    text += self.vertex_text(item, first, named, inline.get(item, []) if first else [])
                else:
                    order.append(item[0])
                    named = item[0] in used or (names and rng.random() < 0.3)
                    text += self.edge_text(item, path[i - 1], named, inline.get(item[0], []), rng)
            parts.append(text)
        self.vertices.sort(key=lambda v: order.index(v[0]))
        self.edges.sort(key=lambda e: order.index(e[0]))
        return parts, where

    def split_where(self, rng):
        """Chooses conditions `a.x = literal` that are written as {x: literal}."""
        inline, where = {}, []
        for e in self.where:
            if e[0] == 'eq' and isinstance(e[1], str) and '.' in e[1] and expr_variables(e[2]) == set() \
                    and e[2] is not None and rng.random() < 0.5:
                variable, attribute = e[1].split('.')
                if attribute not in [a for a, _ in inline.get(variable, [])]:
                    inline.setdefault(variable, []).append((attribute, e[2]))
                    continue
            where.append(e)
        return inline, where

    def paths(self, rng):
        """Returns trails [v, edge, v, edge, v ...] that together contain every edge once and every vertex."""
        left = list(self.edges)
        rng.shuffle(left)
        paths, met = [], set()
        while left:
            edge = left.pop()
            ends = [edge[1], edge[2]]
            rng.shuffle(ends)
            path = [ends[0], edge, ends[1]]
            while rng.random() < 0.6:
                further = [e for e in left if path[-1] in (e[1], e[2])]
                if not further:
                    break
                edge = rng.choice(further)
                left.remove(edge)
                path += [edge, edge[2] if edge[1] == path[-1] else edge[1]]
            paths.append(path)
            met.update(path[0::2])
        paths += [[v] for v, _ in self.vertices if v not in met]
        rng.shuffle(paths)
        return paths

    def vertex_text(self, name, first, named, properties):
        labels = dict(self.vertices)[name] if first else []
        text = name if named else ''
        if labels:
            text += ':' + '|'.join(labels)
        if properties:
            text += ' {%s}' % ', '.join('%s: %s' % (a, expr_cypher(v)) for a, v in properties)
        return '(' + text + ')'

    def edge_text(self, edge, before, named, properties, rng):
        name, source, target, way, types = edge
        text = name if named else ''
        if types:
            text += ':' + '|'.join(types)
        if properties:
            text += ' {%s}' % ', '.join('%s: %s' % (a, expr_cypher(v)) for a, v in properties)
        if way == 'either':
            return '-[%s]-' % text
        forward = source == before if source != target else rng.random() < 0.5
        return '-[%s]->' % text if forward else '<-[%s]-' % text


def shape(name, edges):
    """Returns a Query for --pattern edges:..., which is matched on the simple graph."""
    count = 1 + max(max(pair) for pair in edges)
    return Query(name, [('v%d' % v, []) for v in range(count)],
                 [('e%d' % i, 'v%d' % a, 'v%d' % b, 'either', []) for i, (a, b) in enumerate(edges)], simple=True)


def named_shape(name):
    """Returns the Query of --pattern NAME."""
    kind, _, size = name.partition(':')
    fixed = {'triangle': [(0, 1), (1, 2), (0, 2)], 'diamond': [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)],
             'house': [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4)]}
    if kind in fixed:
        return shape(name, fixed[kind])
    if kind == 'edges':
        return shape(name, [tuple(map(int, pair.split('-'))) for pair in size.split(',')])
    n = int(size)
    return shape(name, {'cycle': [(i, (i + 1) % n) for i in range(n)],
                        'clique': [(i, j) for i in range(n) for j in range(i + 1, n)],
                        'path': [(i, i + 1) for i in range(n - 1)],
                        'star': [(0, i + 1) for i in range(n)]}[kind])


class Answer:
    def __init__(self, embeddings, matches, order):
        self.embeddings, self.matches, self.order, self.rows = embeddings, matches, order, []


class Reference:
    """The brute-force matcher, which is compiled once for each process."""

    def __init__(self):
        self.path = os.path.join(work_folder(), 'gemp-reference')
        sources = sorted(os.path.join(HERE, f) for f in os.listdir(HERE) if f.endswith('.c'))
        subprocess.run([os.environ.get('CC', 'cc'), '-std=gnu17', '-D_GNU_SOURCE', '-O2', '-o', self.path] + sources,
                       check=True)

    def ask(self, queries, vertices, edges, undirected=False, semantics='iso', distinct='orbit', rows=False, most=None):
        """Returns for each query an Answer, or None if it has more than `most` embeddings."""
        command = [self.path, '--semantics', semantics, '--distinct', distinct]
        command += ['--undirected'] * undirected + ['--rows'] * rows + (['--most', str(most)] if most else [])
        done = subprocess.run(command + [vertices or '-', edges], input=''.join(q.neutral() for q in queries), text=True,
                              stdout=subprocess.PIPE, check=True)
        answers = []
        for line in done.stdout.splitlines():
            cells = line.split('\t')
            if cells[0] == 'row' and answers:
                answers[-1].rows.append(cells[1:])
            else:
                answers.append(None if cells[1] == 'more' else Answer(*map(int, cells[1:4])))
        return answers


class Run:
    """A run of the program on some ranks. One rank starts without mpirun, whose start takes longer than most runs."""

    def __init__(self, ranks, arguments, limit=120, env=None):
        self.arguments = [str(a) for a in arguments]
        self.command = (MPIRUN + ['-n', str(ranks)] if ranks > 1 else []) + [PROGRAM] + self.arguments
        began = time.time()
        process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, errors='replace',
                                   env=dict(os.environ, **(env or {})))
        self.hangs = False
        try:
            self.out, self.err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self.hangs = True
            process.terminate()
            try:
                self.out, self.err = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                self.out, self.err = process.communicate()
        self.code = process.returncode
        self.seconds = time.time() - began

    def shown(self):
        return ' '.join(shlex.quote(c) for c in self.command)

    def json(self):
        """Returns the report, or None if stdout is not exactly one JSON object."""
        try:
            report = json.loads(self.out)
        except ValueError:
            return None
        return report if isinstance(report, dict) else None


def need_program():
    if not PROGRAM or not os.access(PROGRAM, os.X_OK):
        sys.exit('set GEMP_MPI to the path of gemp-mpi')


def need_shared(path=''):
    found = os.path.join(SHARED, path)
    if not os.path.exists(found):
        print('skipped: %s is not there' % found)
        sys.exit(SKIPPED)
    return found
