"""Conditions of all kinds give the rows that Python computes, whether they are tested before the search, after it, or
by estimated cost. Each condition is tested in one of these three ways, in turn, and with --all in all three. The number
of ranks is 1, 2 or 3, in turn."""
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from reference import Run, need_program, work_folder

VERTICES, EDGES = 60, 140
NAMES = ['Ann', 'Jack', 'Jackson', 'jack', 'Zoë', 'a\\b', '']


def divided(a, b):
    return int(a / b)  # integer division truncates towards zero


def known(*values):
    return all(v is not None for v in values)


# The text of each condition, and a function that evaluates it on the rows of a and b: n is a number, s a name, d the
# number of out-edges. A result that Python takes for false stands for false or NULL.
CONDITIONS = [
    ("a.s =~ 'J.*'", lambda a, b: a['s'] is not None and re.fullmatch('J.*', a['s'])),
    ("a.s =~ '(?i)jack' OR b.n > 7", lambda a, b: (a['s'] or '').lower() == 'jack' or (known(b['n']) and b['n'] > 7)),
    ("NOT b.s =~ '.*a.*' AND a.n < 5",
     lambda a, b: known(b['s'], a['n']) and 'a' not in b['s'] and a['n'] < 5),
    ("toLower(a.s) CONTAINS 'jack' AND toUpper(b.s) ENDS WITH 'N'",
     lambda a, b: known(a['s'], b['s']) and 'jack' in a['s'].lower() and b['s'].upper().endswith('N')),
    ("toLower(a.s) = toLower(b.s)", lambda a, b: known(a['s'], b['s']) and a['s'].lower() == b['s'].lower()),
    ("size(a.s) > a.n", lambda a, b: known(a['s'], a['n']) and len(a['s']) > a['n']),
    ("a.n + 2 < b.n * 2 - 1", lambda a, b: known(a['n'], b['n']) and a['n'] + 2 < b['n'] * 2 - 1),
    ("a.n % 3 = 1 XOR b.n % 2 = 0",
     lambda a, b: known(a['n'], b['n']) and (a['n'] % 3 == 1) != (b['n'] % 2 == 0)),
    ("12 / b.n >= 3 AND b.n <> 0", lambda a, b: known(b['n']) and b['n'] != 0 and divided(12, b['n']) >= 3),
    ("a.s IN ['Ann', 'Zoë', ''] AND NOT b.s IN ['Jack']",
     lambda a, b: a['s'] in ('Ann', 'Zoë', '') and known(b['s']) and b['s'] != 'Jack'),
    ("a.s IS NULL OR size(b.s) IS NULL", lambda a, b: a['s'] is None or b['s'] is None),
    ("COUNT { (a)-[:T]->() } > 2", lambda a, b: a['d'] > 2),
    ("COUNT { (a)-[:T]->() } < COUNT { (b)-[:T]->() } + 1", lambda a, b: a['d'] < b['d'] + 1),
    ("id(a) = 7 AND b.s CONTAINS 'a'", lambda a, b: a['id'] == 7 and known(b['s']) and 'a' in b['s']),
    ("a.s STARTS WITH 'J' AND b.s ENDS WITH 'ë' OR a.s CONTAINS b.s",
     lambda a, b: (known(a['s']) and a['s'].startswith('J') and (b['s'] or '').endswith('ë')) or
                  (known(a['s'], b['s']) and b['s'] in a['s'])),
]


def make_graph(folder):
    """Makes the graph from CSV, which distinguishes empty strings from missing ones."""
    rng = random.Random(5)
    rows = [{'id': i, 'n': rng.choice([None] + list(range(10))), 's': rng.choice([None] + NAMES), 'd': 0}
            for i in range(VERTICES)]
    edges = {(rng.randrange(VERTICES), rng.randrange(VERTICES)) for _ in range(EDGES)}
    edges = sorted((a, b) for a, b in edges if a != b)
    with open(os.path.join(folder, 'v.csv'), 'w', encoding='utf-8') as file:
        file.write('id:int,n:int,s:string\n')
        for row in rows:
            name = '' if row['s'] is None else '"%s"' % row['s']
            file.write('%d,%s,%s\n' % (row['id'], '' if row['n'] is None else row['n'], name))
    with open(os.path.join(folder, 'e.csv'), 'w') as file:
        file.write('source:int,target:int,type:string\n')
        for a, b in edges:
            rows[a]['d'] += 1
            file.write('%d,%d,T\n' % (a, b))
    path = os.path.join(folder, 'g.h5')
    run = Run(1, ['import', '--vertices', os.path.join(folder, 'v.csv'), '--edges', os.path.join(folder, 'e.csv'),
                  '-o', path])
    if run.code:
        sys.exit('import: code %s: %s' % (run.code, run.err))
    return path, rows, edges


def main():
    need_program()
    folder, failures = work_folder(), 0
    path, rows, edges = make_graph(folder)
    output = os.path.join(folder, 'rows.jsonl')
    for i, (text, holds) in enumerate(CONDITIONS):
        expected = sorted((a, b) for a, b in edges if holds(rows[a], rows[b]))
        if not 0 < len(expected) < len(edges):
            failures += 1
            print('FAILED: %s tells nothing apart: %d of %d' % (text, len(expected), len(edges)))
        for j, when in enumerate(('before', 'after', 'auto')):
            if '--all' not in sys.argv and (i + j) % 3:
                continue
            query = 'MATCH (a)-[:T]->(b) WHERE %s RETURN id(a) AS a, id(b) AS b' % text
            run = Run(1 + i % 3, ['match', path, query, '--attributes', when, '--output', output])
            found = None
            if run.code == 0:
                with open(output) as lines:
                    found = sorted((row['a'], row['b']) for row in map(json.loads, lines))
            if found != expected:
                failures += 1
                print('FAILED: %s, %s: code %s, %s rows, not %d: %s' % (
                    text, when, run.code, None if found is None else len(found), len(expected), run.err[-300:]))
    print('%d failed' % failures if failures else 'all passed')
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
