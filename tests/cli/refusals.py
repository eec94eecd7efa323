"""Parts of openCypher that the program does not support are refused by name and position, with exit code 2 and nothing
on stdout.

tests/unit/pattern_refusals.c gives the parser every line of tests/data/refusals.tsv. This test gives the program
some of these lines, queries that can only be refused against a graph, and other queries that users of Neo4j might
try. No query may be accepted and then be partly ignored."""
import concurrent.futures
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from reference import PROGRAM, SOURCE, Run, need_program, work_folder

# the query, the position of the error (line:column), the word that the message contains
MORE = [
    ('MATCH (a) CREATE (a)-[:R]->(:P)', '1:11', 'CREATE'),
    ('MATCH (a) MERGE (a)-[:R]->(b)', '1:11', 'MERGE'),
    ('MATCH (a) CALL { MATCH (b) RETURN b } RETURN a', '1:11', 'CALL'),
    ('MATCH (a) UNWIND labels(a) AS l RETURN l', '1:11', 'UNWIND'),
    ('MATCH ((a)-->(b)){2,3} RETURN a', '1:7', 'path in parentheses'),
    ('MATCH (a)-[:!R]->(b) RETURN a', '1:13', '!'),
    ('MATCH (a $map) RETURN a', '1:10', 'parameter'),
    ('MATCH (a)-[:R*1..2 {w: 1}]->(b) RETURN a', '1:20', 'path of variable length'),
    ('MATCH (a) RETURN keys(a) AS y', '1:18', 'keys'),
    ('MATCH (a) RETURN properties(a) AS y', '1:18', 'properties'),
    ('MATCH (a) RETURN rand() AS y', '1:18', 'rand'),
    ("MATCH (a) RETURN split(a.name, ' ') AS y", '1:18', 'split'),
    ('MATCH (a) RETURN toString(a.x) AS y', '1:18', 'toString'),
    ('MATCH (a)-[r]->(b) RETURN startNode(r) AS y', '1:27', 'startNode'),
    ('MATCH (a) RETURN reduce(s = 0, x IN [1] | s + x) AS y', '1:18', 'reduce'),
    ('MATCH (a) RETURN [(a)-->(b) | b.x] AS y', '1:18', 'list'),
    ('MATCH (a) RETURN labels(a)[0] AS y', '1:27', 'index'),
    ("MATCH (a) RETURN a LIMIT 'x'", '1:26', 'expected an integer'),
    ('MATCH (a) RETURN a SKIP 1.5', '1:25', 'expected an integer'),
    # these can only be refused against a graph
    ('MATCH (a) RETURN a.missing AS y', '1:18', "'missing'"),
    ('MATCH (a:Missing) RETURN a', '1:10', "'Missing'"),
    ('MATCH (a)-[:MISSING]->(b) RETURN a', '1:13', "'MISSING'"),
    ('MATCH (a)-[r]->(b) RETURN r.missing AS y', '1:27', "'missing'"),
    ('MATCH (a) WHERE EXISTS { (a)-[:MISSING]->() } RETURN a', '1:32', "'MISSING'"),
    ('MATCH (a) WHERE (a)-[:R]->(:Missing) RETURN a', '1:29', "'Missing'"),
    ('MATCH (a) WHERE COUNT { (a)-[:MISSING]->() } > 1 RETURN a', '1:31', "'MISSING'"),
    ('MATCH (a) OPTIONAL MATCH (a)-->(b:Missing) RETURN a', '1:35', "'Missing'"),
    ('MATCH (a) WITH a RETURN a.missing AS y', '1:25', "'missing'"),
    ('MATCH (a) RETURN a.name - 1 AS y', '1:18', 'number'),
    ('MATCH (a) RETURN sum(a.name) AS y', '1:22', 'number'),
    ("MATCH (a) WHERE a.name =~ '(' RETURN a", '1:29', 'regular expression'),
]


def some_of_the_list():
    with open(os.path.join(SOURCE, 'tests', 'data', 'refusals.tsv'), encoding='utf-8') as file:
        return [tuple(line.rstrip('\n').split('\t')) for line in file][::8]


def refused(file, query, place, named):
    """Returns None, or the reason why the refusal is wrong."""
    run = subprocess.run([PROGRAM, 'match', file, query], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, timeout=120)
    first = run.stderr.splitlines()[0] if run.stderr else ''
    if run.returncode != 2:
        return 'code %d: %s' % (run.returncode, first)
    if run.stdout:
        return 'something on stdout'
    if 'query:%s: ' % place not in first:
        return 'not at %s: %s' % (place, first)
    if named not in first:
        return "does not say '%s': %s" % (named, first)
    return None if '^' in run.stderr else 'no caret'


def main():
    need_program()
    folder = work_folder()
    files = [os.path.join(folder, name) for name in ('v.tsv', 'e.tsv', 'g.h5')]
    with open(files[0], 'w') as file:
        file.write('id\ttype\tname:string\tx:int\n1\tP\tAnn\t1\n2\tQ\tBob\t2\n')
    with open(files[1], 'w') as file:
        file.write('src\tdst\ttype\tw:int\n1\t2\tR\t3\n')
    run = Run(1, ['import', '--vertices', files[0], '--edges', files[1], '-o', files[2]])
    if run.code:
        raise SystemExit('FAILED: import: ' + run.err)
    asked, failures = MORE + some_of_the_list(), 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for line, wrong in zip(asked, pool.map(lambda line: refused(files[2], *line), asked)):
            if wrong:
                failures += 1
                print('FAILED: %s\n    %s' % (line[0], wrong))
    print('%d refusals, %d failed' % (len(asked), failures))
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
