"""The systems that rows.py compares: this program, SQLite, and DuckDB and Kuzu where their npm packages are installed.

A system loads the tables of an Input once. run() answers a question in a process of its own, warm() in an open one."""
import csv
import json
import math
import os
import re
import shutil
import threading
import time

from latency_run import HERE, PROGRAM, Sample

try:
    import sqlite3
except ImportError:  # as in some Pythons without packages of the system
    sqlite3 = None

SQL_TYPES = {'int': 'BIGINT', 'float': 'DOUBLE', 'string': 'VARCHAR'}
KUZU_TYPES = {'int': 'INT64', 'float': 'DOUBLE', 'string': 'STRING'}


def quoted(text):
    return "'%s'" % text.replace("'", "''")


def sql_columns(table):
    return ', '.join('"%s" %s' % (name, SQL_TYPES[kind]) for name, kind in table.columns)


def grouped(data):
    """Returns [(name of the SQL table, tables of the input)]: L for the label L, edge_T for the type T."""
    return [(name % kind, tables) for edges, name in ((False, '%s'), (True, 'edge_%s'))
            for kind, tables in data.kinds(edges).items()]


def derived(data):
    """Statements that make more tables for the social network: messages, and both directions of knows."""
    if data.name != 'social':
        return []
    return ['CREATE TABLE Message AS SELECT id FROM Post UNION ALL SELECT id FROM Comment',
            'CREATE TABLE knows AS SELECT src, dst FROM edge_knows UNION ALL SELECT dst, src FROM edge_knows']


def rows_of(text):
    return sorted(tuple(line.split('\t')) for line in text.split('\n')[:-1])


class Ours:
    name = 'ours'
    compared = True  # false: nobody reads the rows, which are only counted

    def __init__(self, folder, limit, options):
        self.folder, self.limit, self.options = folder, limit, options

    def load(self, data):
        pass

    def run(self, data, question):
        """Returns the sample and the sorted rows, without the header."""
        path = os.path.join(self.folder, 'ours.tsv')
        if os.path.exists(path):
            os.remove(path)
        semantics = ['--semantics', 'hom', '--distinct', 'none'] if question.hom else []
        sample = Sample([PROGRAM, 'match', data.graph, question.cypher, *semantics, '-o', path, '-q', *self.options],
                        self.folder, self.limit)
        if sample.error:
            return sample, None
        with open(path, encoding='utf-8', newline='') as file:
            return sample, rows_of(file.read().split('\n', 1)[1]) if self.compared else [''] * (sum(1 for _ in file) - 1)

    def warm(self, data, questions):
        """Runs bench_rows_open, which is beside the program."""
        tool, path = os.path.join(os.path.dirname(PROGRAM), 'tests', 'bench_rows_open'), os.path.join(self.folder, 'ours.json')
        with open(path, 'w', encoding='utf-8') as file:
            json.dump([{'text': question.cypher, 'hom': question.hom} for question in questions], file)
        if not os.path.exists(tool):
            return [{} for _ in questions]
        sample = Sample([tool, data.graph, path, '4'], self.folder, len(questions) * self.limit)
        if sample.error:
            raise SystemExit('bench_rows_open: ' + sample.error)
        return json.loads(sample.stdout)


class Peer:
    def __init__(self, folder, limit):
        self.folder, self.limit = folder, limit

    def path(self, data):
        return os.path.join(self.folder, '%s.%s' % (data.name, self.name))

    def answered(self, command, environment=None):
        sample = Sample(command, self.folder, self.limit, environment)
        if sample.error:
            return sample, None
        with open(os.path.join(self.folder, 'stdout'), encoding='utf-8', newline='') as file:
            return sample, rows_of(file.read())


class Sqlite(Peer):
    """Tables with indexes of names and both ends of edges. Whole processes run the program sqlite3, or else Python."""
    name = 'sqlite'

    def load(self, data):
        with sqlite3.connect(self.path(data)) as base:
            base.execute('PRAGMA journal_mode = OFF')
            base.execute('PRAGMA synchronous = OFF')
            for kind, tables in grouped(data):
                self.load_table(base, kind, tables)
            for statement in derived(data):
                base.execute(statement)
            if data.name == 'social':
                base.execute('CREATE UNIQUE INDEX Message_id ON Message (id)')
                base.execute('CREATE INDEX knows_src ON knows (src, dst)')
            base.execute('ANALYZE')

    def load_table(self, base, kind, tables):
        columns = sql_columns(tables[0])
        edges = tables[0].ends is not None
        key = ', PRIMARY KEY (id)' if not edges else ''
        base.execute('CREATE TABLE "%s" (%s%s)' % (kind, columns.replace('"id" BIGINT', '"id" INTEGER'), key))
        for table in tables:
            with open(table.path, encoding='utf-8', newline='') as file:
                rows = csv.reader(file)
                next(rows)
                base.executemany('INSERT INTO "%s" VALUES (%s)' % (kind, ', '.join('?' * len(table.columns))),
                                 ([cell if cell else None for cell in row] for row in rows))
        for columns in [('src', 'dst'), ('dst', 'src')] if edges else [('name',)]:
            if columns[0] in [name for name, _ in tables[0].columns]:
                base.execute('CREATE INDEX "%s_%s" ON "%s" (%s)' % (kind, columns[0], kind, ', '.join(columns)))

    def run(self, data, question):
        tool = shutil.which('sqlite3')
        if tool:
            return self.answered([tool, '-batch', '-separator', '\t', self.path(data), question.sql])
        script = ("import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):\n"
                  "    print(*('' if c is None else c for c in row), sep='\\t')")
        return self.answered([os.environ.get('GEMP_PYTHON') or 'python3', '-c', script, self.path(data), question.sql])

    def warm(self, data, questions):
        base = sqlite3.connect(self.path(data), check_same_thread=False)
        return [self.measured(base, question.sql) for question in questions]

    def measured(self, base, sql):
        least, began = {'seconds': math.inf, 'cpu': math.inf}, time.monotonic()
        timer = threading.Timer(self.limit, base.interrupt)
        timer.start()
        try:
            for _ in range(3):
                start, cpu = time.monotonic(), time.process_time()
                base.execute(sql).fetchall()
                least = {'seconds': min(least['seconds'], time.monotonic() - start),
                         'cpu': min(least['cpu'], time.process_time() - cpu)}
                if time.monotonic() - began > 4:
                    break
        except sqlite3.OperationalError as error:
            return {'error': str(error)}
        finally:
            timer.cancel()
        return least


class Node(Peer):
    """A system whose package of npm lies in GEMP_BENCH_NODE/node_modules."""

    def command(self, data, *more):
        return ['node', os.path.join(HERE, 'rows_peer.mjs'), self.name, self.path(data), *more]

    def environment(self):
        return {'GEMP_BENCH_SECONDS': str(self.limit), 'GEMP_BENCH_THREADS': str(os.cpu_count())}

    def load(self, data):
        path = os.path.join(self.folder, 'statements.json')
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(self.statements(data), file)
        sample = Sample(self.command(data, 'load', path), self.folder, 10 * self.limit, self.environment())
        if sample.error:
            raise SystemExit('%s cannot load %s: %s' % (self.name, data.name, sample.error))

    def run(self, data, question):
        return self.answered(self.command(data, 'run', self.text(question)), self.environment())

    def warm(self, data, questions):
        path = os.path.join(self.folder, 'questions.json')
        with open(path, 'w', encoding='utf-8') as file:
            json.dump([self.text(question) for question in questions], file)
        command = self.command(data, 'warm', path, '3')
        sample = Sample(command, self.folder, len(questions) * self.limit, self.environment())
        return [{}] * len(questions) if sample.error else json.loads(sample.stdout)


class Duckdb(Node):
    name, package = 'duckdb', '@duckdb/node-api'

    def text(self, question):
        return question.sql

    def statements(self, data):
        made = []
        for kind, tables in grouped(data):
            made.append('CREATE TABLE "%s" (%s)' % (kind, sql_columns(tables[0])))
            made += ['COPY "%s" FROM %s (HEADER)' % (kind, quoted(table.path)) for table in tables]
        return made + derived(data) + ['CHECKPOINT']


def kuzu_text(text):
    """Translates a query. Kuzu does not tell labels from types by case, so types have the names edge_T."""
    text = '\n'.join(line for line in text.split('\n') if not line.startswith('//'))
    text = re.sub(r'\[(\w*):(\w+)', r'[\1:edge_\2', text).replace('Post|Comment', 'Post:Comment')
    text = re.sub(r'\bid\((\w+)\)', r'\1.id', text)
    head, result, columns = text.rpartition('RETURN ')
    if re.fullmatch(r'[\w., \n]+', columns) and ' ' not in columns.replace(', ', '').strip():  # vertices, as their ids
        columns = ', '.join(name if '.' in name else name + '.id' for name in columns.strip().split(', '))
    return head + result + columns


class Kuzu(Node):
    name, package = 'kuzu', 'kuzu'

    def text(self, question):
        return kuzu_text(question.walks)

    def statements(self, data):
        made = []
        for kind, (table,) in data.kinds(False).items():
            columns = ', '.join('%s %s' % (name, KUZU_TYPES[value]) for name, value in table.columns)
            made.append('CREATE NODE TABLE %s (%s, PRIMARY KEY (id))' % (kind, columns))
            made.append('COPY %s FROM "%s" (HEADER=true, PARALLEL=false)' % (kind, table.path))
        for kind, tables in data.kinds(True).items():
            ends = ', '.join('FROM %s TO %s' % table.ends for table in tables)
            columns = ''.join(', %s %s' % (name, KUZU_TYPES[value]) for name, value in tables[0].columns[2:])
            made.append('CREATE REL TABLE edge_%s (%s%s)' % (kind, ends, columns))
            made += ['COPY edge_%s FROM "%s" (from="%s", to="%s", HEADER=true, PARALLEL=false)' %
                     (kind, table.path, *table.ends) for table in tables]
        return made


def systems(folder, limit, wanted, options):
    """Returns the wanted systems that are there, ours first."""
    found = [Ours(folder, limit, options)]
    for system in (Sqlite, Duckdb, Kuzu):
        installed = sqlite3 is not None if system is Sqlite else shutil.which('node') and os.path.isdir(
            os.path.join(os.environ.get('GEMP_BENCH_NODE', '.'), 'node_modules', *system.package.split('/')))
        if system.name in wanted and installed:
            found.append(system(folder, limit))
    found[0].compared = len(found) > 1
    return found
