"""Compares values of expressions with values written by hand after openCypher 9 and docs/query-language.md. All
expressions are in one RETURN, so only one kernel is built. An expression that cannot be computed ends the program,
so each of these has its own run."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from reference import Run, need_program, work_folder

LARGE = 9223372036854775807
VALUES = [
    # arithmetic: integers stay integers, division truncates, and % has the sign of the dividend
    ('a.i + 1', 8), ('a.i - 10', -3), ('a.i * 2', 14), ('a.i / 2', 3), ('-a.i / 2', -3), ('a.i / -2', -3),
    ('a.i % 3', 1),
    ('-a.i % 3', -1), ('a.i % -3', 1), ('a.i / 2.0', 3.5), ('a.f / 2', 1.25), ('a.f % 2', 0.5), ('a.f * a.f', 6.25),
    ('2 + 3 * 4', 14), ('(2 + 3) * 4', 20), ('10 - 2 - 3', 5), ('100 / 10 / 2', 5), ('7 - -2', 9), ('-(a.i)', -7),
    ('- a.i + 8', 1), ('a.i % 4 * 2', 6), ('a.n + 1', None), ('1 - a.n', None), ('-a.n', None), ('a.n * a.f', None),
    ('9223372036854775806 + 1', LARGE), ('-9223372036854775807 - 1', -LARGE - 1), ('a.big - 1', LARGE - 1),
    ("a.s + '!'", 'Ann!'), ("'x' + a.s + 'y'", 'xAnny'), ('a.s + a.none', None),
    # comparison
    ('a.i = 7.0', True), ('a.i = 7.5', False), ('a.i < 7.5', True), ('a.f >= 2.5', True), ('a.i <> 7', False),
    ('1 < a.i < 8', True), ('1 < a.i < 5', False), ('9 > a.i > a.n', None),
    ('1 + 2 = 3', True), ('a.i - 7 = 0', True), ('a.n = a.n', None), ('a.n <> 1', None), ('a.n < 1', None),
    ('a.i = null', None),
    ("a.s = 'Ann'", True), ("a.s < 'B'", True), ("a.s < 'Amm'", False), ("a.s = 'ann'", False), ('a.b = true', True),
    ('a.b <> false', True), ('a.big = 9223372036854775807', True), ('a.big > 9223372036854775806', True),
    ('a = a', True),
    ('a.big = 9223372036854775807.0', False), ('a.u = a.s', False), ('a.u > a.s', True),
    # three-valued logic
    ('true AND a.n = 1', None), ('false AND a.n = 1', False), ('true OR a.n = 1', True), ('false OR a.n = 1', None),
    ('NOT a.n = 1', None), ('true XOR a.n = 1', None), ('true XOR false', True), ('true XOR true', False),
    ('NOT a.b', False),
    ('NOT NOT a.b', True), ('a.n IS NULL', True), ('a.n IS NOT NULL', False), ('(a.n + 1) IS NULL', True),
    ('a.i IS NULL', False),
    ('(a.n = 1) IS NULL', True),
    # precedence of operators
    ('true OR false AND false', True), ('true XOR true AND false', True), ('true OR true XOR true', True),
    ('NOT false AND false', False), ('NOT a.i = 7', False), ('NOT a.b OR true', True), ('a.b AND NOT a.b', False),
    # lists
    ('a.i IN [1, 7]', True), ('a.i IN [1, 2]', False), ('a.i IN [1, null]', None), ('a.i IN [7, null]', True),
    ('a.n IN [1]', None), ('a.n IN []', False), ('a.i IN []', False), ('NOT a.i IN [1]', True),
    ("a.s IN ['Bob', 'Ann']", True),
    ('a.i IN [7.0]', True), ("'Q' IN labels(a)", True), ("'R' IN labels(a)", False),
    # strings
    ("a.s CONTAINS 'nn'", True), ("a.s STARTS WITH 'A'", True), ("a.s ENDS WITH 'N'", False),
    ("a.s CONTAINS ''", True),
    ("a.none CONTAINS 'x'", None), ("NOT a.s CONTAINS 'x'", True), ('a.s CONTAINS a.none', None),
    ('toLower(a.s)', 'ann'), ('toUpper(a.s)', 'ANN'), ('toLower(a.u)', 'zoë ä'), ('toUpper(a.u)', 'ZOË Ä'),
    ('toLower(a.none)', None),
    ('size(a.s)', 3), ('size(a.u)', 5), ('size(a.none)', None), ("size('日本')", 2), ("size('')", 0),
    ("toUpper('x') + a.s", 'XAnn'),
    ("a.s =~ 'A.*'", True), ("a.s =~ 'n'", False), ("a.s =~ '.nn'", True), ("a.s =~ 'Ann|Bob'", True),
    ("a.s =~ 'An|Bobn'", False),
    ("a.s =~ '(?i)ANN'", True), ("a.s =~ 'A\\\\w+'", True), ("a.none =~ '.*'", None), ("a.u =~ 'Zo.. .'", False),
    ("a.u =~ 'Zo. .'", True), ("a.u =~ '.....'", True), ("NOT a.s =~ 'B.*'", True), ("a.lines =~ '.*'", False),
    ("a.s =~ ''", False),
    # vertices and edges
    ('id(a)', 'k'), ('labels(a)', ['P', 'Q']), ('type(r)', 'T'), ('r.w', 3), ('r.w * 2', 6), ('a:P', True),
    ('a:R', False),
    ('a:P|R', True), ('COUNT { (a)-[:T]->() }', 1), ('COUNT { (a)<-[:T]-() }', 0), ('a.i + COUNT { (a)--() }', 8),
]
ERRORS = [  # errors at run time have a message with the position and exit code 65 or 2
    ('a.i / 0', 'zero'), ('a.i % 0', 'zero'), ('a.i / (a.i - 7)', 'zero'), ('a.big + 1', '64 bits'),
    ('a.big * 2', '64 bits'),
    ('-a.big - 2', '64 bits'), ('9223372036854775807 + 1', '64 bits'),
]
REFUSED = ["a.s - 'x'", "a.s * 2", '-a.s', 'toLower(a.i)', 'size(a.i)', "a.s =~ '('", 'a.b + 1', 'nothing(a)',
           'a.i AND true',
           'NOT a.s', 'type(a)', 'labels(r)', '$missing']


def graph(folder):
    files = [os.path.join(folder, name) for name in ('v.csv', 'e.csv', 'g.h5')]
    with open(files[0], 'w', encoding='utf-8', newline='') as file:
        file.write('id,type,i:int,f:float,s:string,b:bool,n:int,none:string,u:string,big:int,lines:string\n'
                   'k,P;Q,7,2.5,Ann,true,,,Zoë Ä,%d,"one\ntwo"\nl,R,1,,Bob,false,,y,,,\n' % LARGE)
    with open(files[1], 'w', encoding='utf-8') as file:
        file.write('src,dst,type,w:int\nk,l,T,3\n')
    run = Run(1, ['import', '--format', 'csv', '--vertices', files[0], '--edges', files[1], '-o', files[2]])
    if run.code:
        raise SystemExit('FAILED: import: ' + run.err)
    return files[2]


def match(file, expression, folder, ranks=1, clause='MATCH (a:P)-[r:T]->(b) RETURN %s'):
    output = os.path.join(folder, 'rows.jsonl')
    return Run(ranks, ['match', file, clause % expression, '--output', output, '--json', '-']), output


def main():
    need_program()
    folder, failures = work_folder(), 0
    file = graph(folder)
    for ranks in (1, 2):
        items = ', '.join('%s AS c%d' % (text, i) for i, (text, _) in enumerate(VALUES))
        run, output = match(file, items, folder, ranks)
        if run.code:
            print('FAILED: code %s: %s' % (run.code, run.err))
            return 1
        with open(output, encoding='utf-8') as lines:
            row = json.loads(lines.readline())
        for i, (text, expected) in enumerate(VALUES):
            value = row['c%d' % i]
            if value != expected or isinstance(value, bool) != isinstance(expected, bool):
                failures += 1
                print('FAILED: %s is %r, not %r' % (text, value, expected))
    for text, word in ERRORS:
        run, _ = match(file, text + ' AS x', folder)
        if run.code not in (2, 65) or word not in run.err:
            failures += 1
            print("FAILED: %s: code %s, and no '%s' in: %s" % (text, run.code, word, run.err))
    for text in REFUSED:
        run, _ = match(file, text + ' AS x', folder)
        if run.code != 2 or 'query:1:' not in run.err or '^' not in run.err:
            failures += 1
            print('FAILED: %s: code %s, not refused: %s' % (text, run.code, run.err[:300]))
    print('%d failed' % failures if failures else 'all passed')
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
