"""Graphs as tables of SQLite, to check queries. Each query runs as SQL and in the program.

A label L is the table L(id, attributes...), and an edge type t is the table edge_t(src, dst, attributes...)."""
import os
import sqlite3
import subprocess

from reference import SOURCE, Run


def read_table(path):
    """Returns the rows of a TSV file, which may be compressed by Zstandard."""
    if path.endswith('.zst'):
        text = subprocess.run(['zstd', '-dcq', path], stdout=subprocess.PIPE, check=True).stdout.decode()
    else:
        with open(path, encoding='utf-8', newline='') as file:
            text = file.read()
    return [line.split('\t') for line in text.split('\n')[:-1]]


def write_table(path, header, rows):
    with open(path, 'w', encoding='utf-8', newline='') as file:
        for row in [header] + rows:
            file.write('\t'.join('' if cell is None else str(cell) for cell in row) + '\n')


class Relational:
    """A database of a graph. vertices and edges are rows of text with a header: id, type, ...; src, dst, type, ...."""

    def __init__(self, vertices, edges, whole=()):
        """whole: names of integer columns, in addition to the ids."""
        self.base = sqlite3.connect(':memory:')
        self.load(vertices, 1, '%s', ['id'], list(whole) + ['id'])
        self.load(edges, 2, 'edge_%s', ['src', 'dst'], list(whole) + ['src', 'dst'])
        self.base.execute('ANALYZE')

    def load(self, rows, type_column, name, indexed, whole):
        header, tables = rows[0], {}
        for row in rows[1:]:
            tables.setdefault(row[type_column], []).append([cell if cell != '' else None for cell in row])
        columns = ', '.join('"%s" %s' % (c, 'INTEGER' if c in whole else 'TEXT') for c in header)
        for kind, lines in tables.items():
            table = name % kind
            self.base.execute('CREATE TABLE "%s" (%s)' % (table, columns))
            self.base.executemany('INSERT INTO "%s" VALUES (%s)' % (table, ', '.join('?' * len(header))), lines)
            for column in indexed:
                self.base.execute('CREATE INDEX "%s_%s" ON "%s" ("%s")' % (table, column, table, column))

    def lacks(self, *tables):
        """Makes empty tables for labels and types that the data lack."""
        for table in tables:
            columns = 'src INTEGER, dst INTEGER' if table.startswith('edge_') else 'id INTEGER'
            self.base.execute('CREATE TABLE IF NOT EXISTS "%s" (%s)' % (table, columns))

    def rows(self, sql):
        return sorted(tuple('' if cell is None else str(cell) for cell in row) for row in self.base.execute(sql))


def example(name):
    """Returns the arguments of match for the query in a file of configs."""
    return ['--query-file', os.path.join(SOURCE, 'configs', name + '.cypher')]


def asked(file, query, folder, ranks=2, options=(), limit=300):
    """Runs a query in the program. Returns (sorted rows as texts, seconds, None), or (None, seconds, the error)."""
    output = os.path.join(folder, 'rows.tsv')
    if os.path.exists(output):
        os.remove(output)
    run = Run(ranks, ['match', file] + query + ['--output', output, '--json', '-'] + list(options), limit)
    if run.hangs or run.code != 0 or run.json() is None:
        how = 'hangs' if run.hangs else 'code %d' % run.code
        return None, run.seconds, '%s\n%s\n%s' % (how, run.shown(), run.err[-2000:])
    with open(output, encoding='utf-8', newline='') as lines:
        rows = [tuple(line.rstrip('\n').split('\t')) for line in lines][1:]
    return sorted(rows), run.seconds, None


def imported(vertices, edges, file, ranks=2, options=()):
    run = Run(ranks, ['import', '--vertices', vertices, '--edges', edges, '-o', file] + list(options), 600)
    if run.hangs or run.code != 0:
        raise SystemExit('FAILED: import: code %s: %s\n%s' % (run.code, run.shown(), run.err))
    return file


class Comparison:
    """Compares the program's rows with expected rows and counts the differences."""

    def __init__(self, folder):
        self.folder, self.failures, self.asked = folder, 0, 0

    def compare(self, name, file, query, expected, ranks=2, options=('--semantics', 'hom', '--distinct', 'none')):
        rows, seconds, wrong = asked(file, query, self.folder, ranks, options)
        if not wrong and rows != expected:
            few = [r for r in rows[:1000] if r not in expected][:3]
            wrong = '%d rows, %d expected; wrong are %s' % (len(rows), len(expected), few)
        self.asked += 1
        self.failures += bool(wrong)
        count = '-' if rows is None else len(rows)
        print('%-44s %7.1f s %9s %s' % (name, seconds, count, 'WRONG' if wrong else 'right'), flush=True)
        if wrong:
            print('FAILED: %s: %s' % (name, wrong))
        return rows

    def end(self):
        print('%d questions, %d failed' % (self.asked, self.failures))
        return self.failures > 0
