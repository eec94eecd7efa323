"""Parts of openCypher that the program does not support are refused by name and position, with exit code 2 and nothing
on stdout.

This test gives the program queries that users of Neo4j might try, and queries that can only be refused against a
graph. tests/data/refusals.tsv has the refusals of one search; the program answers some of these queries clause by
clause, and must refuse the others with a place and a caret, too."""
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
    ('MATCH (a)-[:!R]->(b) RETURN a', '1:13', '!'),
    ('MATCH (a $map) RETURN a', '1:10', 'parameter'),
    ("MATCH (a) RETURN a LIMIT 'x'", '1:26', 'Integer'),
    ('MATCH (a) RETURN a SKIP 1.5', '1:25', 'Integer'),
    ('CREATE (a)', '1:1', 'gemp-mpi transform'),
    ('MATCH (a) SET a.x = 1', '1:11', 'gemp-mpi transform'),
    ('MATCH ((a)-->(b)){2,3} RETURN a', '1:18', "unexpected '{'"),
    ('MATCH (a WHERE a.x = 1) RETURN a', '1:10', 'write it after all paths'),
    ('MATCH (a)-[r]->(b), (r)-->(c) RETURN a', '1:22', 'has type Relationship'),
    ('MATCH (a) WHERE a.x + 1 RETURN a', '1:17', 'true, false or NULL'),
    ('MATCH (a) WHERE count(*) > 1 RETURN a', '1:17', 'WITH before'),
    ('MATCH (a) MATCH (b) RETURN x', '1:28', "'x' is not defined"),
    ('MATCH (a) RETURN toUper(a.name)', '1:18', 'toUpper'),
    ('MATCH (a) RETURN date(1)', '1:23', 'date'),
    ('MATCH (a) RETURN a UNION MATCH (b) RETURN b', '1:43', 'column'),
    ('UNWIND [1] AS x RETURN $y AS y', '1:24', '$y'),
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
        return [(line.split('\t')[0], None, None) for line in file][::4]


def refused(file, query, place, named):
    """Returns None, or the reason why the refusal is wrong."""
    run = subprocess.run([PROGRAM, 'match', file, query], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, timeout=120)
    first = next((line for line in run.stderr.splitlines() if 'error:' in line), '')
    if place is None and run.returncode == 0:
        return None
    if run.returncode != 2:
        return 'code %d: %s' % (run.returncode, first)
    if run.stdout:
        return 'something on stdout'
    if place and 'query:%s: ' % place not in first:
        return 'not at %s: %s' % (place, first)
    if named and named not in first:
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
