"""Compares WITH and RETURN over one small pattern with Python: groups, DISTINCT, ORDER BY, SKIP, LIMIT.

clauses.py [--seed N] [--ranks 1,3] [--only TEXT]"""
import argparse
import json
import math
import os
import random
import sys
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from reference import Run, need_program, work_folder
from relational import imported, write_table

MATCH = 'MATCH (a:Person)-[r:KNOWS]->(b:Person) '


class Person:
    def __init__(self, number, rng):
        self.id = number
        self.name = rng.choice(['Ann', 'Bob', 'Cleo', 'dan', 'Ärne', 'a "b"'])
        self.age = rng.choice([None, 20, 30, 40])
        self.score = rng.choice([None, 0.1, 0.2, 1e16, -1e16, 3.0])


class World:
    """A graph, and the rows (a, b, since) of its MATCH."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.people = [Person(i, rng) for i in range(40)]
        self.rows = []
        for a in self.people:
            for b in rng.sample(self.people, rng.randrange(8)):
                if a is not b:
                    self.rows.append((a, b, rng.choice([None, 1999, 2005, 2010])))

    def files(self, folder):
        vertices, edges = os.path.join(folder, 'v.tsv'), os.path.join(folder, 'e.tsv')
        write_table(vertices, ['id', 'type', 'name', 'age', 'score'],
                    [[p.id, 'Person', p.name, p.age, p.score] for p in self.people])
        write_table(edges, ['src', 'dst', 'type', 'since'], [[a.id, b.id, 'KNOWS', s] for a, b, s in self.rows])
        return vertices, edges


def known(values):
    return [v for v in values if v is not None]


def mean(values):
    exact = [Fraction(v) for v in known(values)]
    return float(sum(exact) / len(exact)) if exact else None


def groups(rows, key):
    table = {}
    for row in rows:
        table.setdefault(key(row), []).append(row)
    return list(table.items())


def last(value):
    """Returns a key for sorting that puts NULL after all other values."""
    return (value is None, value if value is not None else 0)


def by_bytes(text):
    return text.encode()


def questions(rows):
    """Yields the name, the clauses, the expected rows, and whether their order matters."""
    yield from plain(rows)
    yield from grouped(rows)
    yield from ordered(rows)
    yield from through_with(rows)


def plain(rows):
    yield 'columns', 'RETURN a, b.name, r.since', [(a.id, b.name, s) for a, b, s in rows], False
    yield 'arithmetic', 'RETURN a, a.age * 2 + 1 AS n', \
        [(a.id, None if a.age is None else a.age * 2 + 1) for a, _, _ in rows], False
    yield 'truths', 'RETURN a, a.age > 20 AS old', \
        [(a.id, None if a.age is None else a.age > 20) for a, _, _ in rows], False
    yield 'functions', 'RETURN toUpper(a.name) AS n, type(r) AS t, labels(b) AS l, id(a) AS k', \
        [(a.name.upper(), 'KNOWS', ['Person'], a.id) for a, _, _ in rows], False
    yield 'DISTINCT', 'RETURN DISTINCT a.age, b.name', list({(a.age, b.name) for a, b, _ in rows}), False


def grouped(rows):
    ages, scores = [a.age for a, _, _ in rows], lambda group: [a.score for a, _, _ in group]
    there = known(ages)
    by_a, by_b = groups(rows, lambda r: r[0].id), groups(rows, lambda r: r[1].id)
    yield 'all in one', 'RETURN count(*) AS n, count(a.age) AS k, count(DISTINCT a.age) AS d, sum(a.age) AS s, ' \
        'min(a.age) AS x, max(a.age) AS y', \
        [(len(rows), len(there), len(set(there)), sum(there), min(there), max(there))], False
    yield 'of nothing', 'WITH a WHERE a.age > 99 RETURN count(*) AS n, sum(a.age) AS s, avg(a.age) AS m, ' \
        'min(a.age) AS x, collect(a.name) AS l', [(0, 0, None, None, [])], False
    yield 'floats', 'RETURN b, sum(a.score) AS s, avg(a.score) AS m', \
        [(b, math.fsum(known(scores(g))), mean(scores(g))) for b, g in by_b], False
    yield 'a mean of integers', 'RETURN avg(a.age) AS m', [(mean(ages),)], False
    yield 'NULL is a group', 'RETURN a.age AS age, count(*) AS n', \
        [(k, len(g)) for k, g in groups(rows, lambda r: r[0].age)], False
    yield 'lists', 'RETURN a, collect(b) AS l, collect(DISTINCT b.name) AS m', \
        [(k, sorted(b.id for _, b, _ in g), sorted({b.name for _, b, _ in g}, key=by_bytes)) for k, g in by_a], False
    yield 'within an expression', 'RETURN a.name AS n, count(*) * 2 + 1 AS k', \
        [(k, 2 * len(g) + 1) for k, g in groups(rows, lambda r: r[0].name)], False
    yield 'edges', 'RETURN r, count(*) AS n', [('KNOWS:%d->%d' % (a.id, b.id), 1) for a, b, _ in rows], False


def ordered(rows):
    by_age = sorted(rows, key=lambda r: ((r[0].age is not None, -(r[0].age or 0)), r[1].id, r[0].id))
    by_since = sorted(rows, key=lambda r: (last(r[2]), by_bytes(r[0].name), r[0].id, r[1].id))
    counts = [(k, len(g)) for k, g in groups(rows, lambda r: r[0].id)]
    yield 'order', 'RETURN a.age AS age, a, b ORDER BY age DESC, b', \
        [(a.age, a.id, b.id) for a, b, _ in by_age], True
    yield 'order by what is not returned', 'RETURN a, b ORDER BY r.since, a.name SKIP 5 LIMIT 30', \
        [(a.id, b.id) for a, b, _ in by_since][5:35], True
    ends = {b for _, b, _ in rows}
    yield 'order by what hangs on a column', 'RETURN DISTINCT b ORDER BY b.age DESC, id(b) LIMIT 9', \
        [(b.id,) for b in sorted(ends, key=lambda b: ((b.age is not None, -(b.age or 0)), b.id))][:9], True
    yield 'order of groups', 'RETURN a, count(*) AS n ORDER BY n DESC, a LIMIT 7', \
        sorted(counts, key=lambda r: (-r[1], r[0]))[:7], True


def through_with(rows):
    by_a = groups(rows, lambda r: r[0].id)
    most = sorted(by_a, key=lambda g: (-len(g[1]), g[0]))[:10]
    counts, recent = [len(g) for _, g in by_a], [r for r in rows if r[2] and r[2] >= 2005]
    pairs = groups({(a.name, b.age) for a, b, _ in rows}, lambda r: r[0])
    yield 'WITH ... WHERE', 'WITH a, count(b) AS n WHERE n >= 4 RETURN a.name, n', \
        [(g[0][0].name, len(g)) for _, g in by_a if len(g) >= 4], False
    yield 'WITH ... LIMIT ... WHERE', \
        'WITH a, count(b) AS n ORDER BY n DESC, id(a) LIMIT 10 WHERE a.age >= 30 RETURN a, n', \
        [(k, len(g)) for k, g in most if g[0][0].age is not None and g[0][0].age >= 30], False
    yield 'groups of groups', 'WITH a, count(b) AS n RETURN n, count(*) AS k ORDER BY n', \
        [(n, counts.count(n)) for n in sorted(set(counts))], True
    yield 'WITH DISTINCT', 'WITH DISTINCT a.name AS n, b.age AS k RETURN n, count(*) AS c, sum(k) AS s', \
        [(n, len(g), sum(known(k for _, k in g))) for n, g in pairs], False
    yield 'edges through WITH', 'WITH r, a WHERE r.since >= 2005 RETURN r.since AS s, min(a.name) AS m', \
        [(s, min((a.name for a, _, _ in g), key=by_bytes)) for s, g in groups(recent, lambda r: r[2])], False


def written(value):
    """Returns a cell of JSON lines in the form of the expected rows."""
    if isinstance(value, dict):
        return '%s:%d->%d' % (value['type'], value['source'], value['target'])
    return tuple(value) if isinstance(value, list) else value


def ask(file, text, folder, ranks):
    output = os.path.join(folder, 'rows.jsonl')
    run = Run(ranks, ['match', file, MATCH + text, '--output', output, '--json', '-'], 300)
    if run.hangs or run.code != 0:
        return None, '%s: code %s: %s' % (run.shown(), run.code, run.err[-1500:])
    with open(output, encoding='utf-8') as lines:
        rows = [tuple(written(cell) for cell in json.loads(line).values()) for line in lines]
    report = run.json()
    if report['rows'] != len(rows) or not report['complete']:
        return None, 'the report says %s rows, complete: %s' % (report['rows'], report['complete'])
    return rows, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=random.randrange(10**6))
    parser.add_argument('--ranks', default='1,3')
    parser.add_argument('--only', default='')
    arguments = parser.parse_args()
    need_program()
    print('seed %d' % arguments.seed)
    folder, world, failed, asked = work_folder(), World(arguments.seed), 0, 0
    file = imported(*world.files(folder), os.path.join(folder, 'world.h5'))
    for i, (name, text, expected, in_order) in enumerate(questions(world.rows)):
        if arguments.only not in name:
            continue
        expected = [tuple(tuple(c) if isinstance(c, list) else c for c in row) for row in expected]
        ranks = arguments.ranks.split(',')
        rows, wrong = ask(file, text, folder, int(ranks[i % len(ranks)]))
        if not wrong and (rows != expected if in_order else sorted(map(repr, rows)) != sorted(map(repr, expected))):
            wrong = 'expected %s\n   found %s' % (expected[:12], rows[:12])
        asked, failed = asked + 1, failed + bool(wrong)
        if wrong:
            print('FAILED: %s: %s\n%s' % (name, text, wrong), flush=True)
    print('%d questions, %d failed' % (asked, failed))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
