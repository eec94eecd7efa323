"""What of openCypher is refused, and how: by its name, at its place, with exit code 2.

Each query is one that a user of Neo4j might bring; none may be taken and partly ignored.
"""
import concurrent.futures
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from reference import PROGRAM, Run, need_program, work_folder

# what the message names, the place (line:column), the query
REFUSALS = [
    # clauses
    ('CREATE', '1:1', 'CREATE (a:P)'),
    ('CREATE', '1:11', 'MATCH (a) CREATE (a)-[:R]->(:P)'),
    ('MERGE', '1:11', 'MATCH (a) MERGE (a)-[:R]->(b)'),
    ('SET', '1:11', 'MATCH (a) SET a.x = 1 RETURN a'),
    ('DELETE', '1:11', 'MATCH (a) DELETE a'),
    ('DETACH', '1:11', 'MATCH (a) DETACH DELETE a'),
    ('REMOVE', '1:11', 'MATCH (a) REMOVE a.x RETURN a'),
    ('FOREACH', '1:11', 'MATCH (a) FOREACH (x IN [1] | SET a.x = x)'),
    ('UNWIND', '1:1', 'UNWIND [1, 2] AS x RETURN x'),
    ('UNWIND', '1:11', 'MATCH (a) UNWIND [1] AS x RETURN a'),
    ('CALL', '1:1', 'CALL db.labels()'),
    ('CALL', '1:11', 'MATCH (a) CALL { MATCH (b) RETURN b } RETURN a'),
    ('UNION', '1:20', 'MATCH (a) RETURN a UNION MATCH (b) RETURN b'),
    ('LOAD', '1:1', "LOAD CSV FROM 'f' AS row RETURN row"),
    ('USE', '1:1', 'USE g MATCH (a) RETURN a'),
    ('EXPLAIN', '1:1', 'EXPLAIN MATCH (a) RETURN a'),
    ('PROFILE', '1:1', 'PROFILE MATCH (a) RETURN a'),
    ('MATCH', '1:11', 'MATCH (a) MATCH (b) RETURN a, b'),
    ('MATCH', '1:18', 'MATCH (a) WITH a MATCH (a)-->(b) RETURN a, b'),
    ('WITH', '1:18', 'MATCH (a) WITH a WITH a RETURN a'),
    ('USING', '1:13', 'MATCH (a:P) USING INDEX a:P(x) RETURN a'),
    ('OPTIONAL', '1:1', 'OPTIONAL MATCH (a) RETURN a'),
    # patterns
    ('a name for a whole path', '1:7', 'MATCH p = (a)-->(b) RETURN p'),
    ('shortestPath', '1:7', 'MATCH shortestPath((a)-[*]->(b)) RETURN a'),
    ('path of any length', '1:14', 'MATCH (a)-[:R*]->(b) RETURN a'),
    ('path of any length', '1:14', 'MATCH (a)-[:R*2..]->(b) RETURN a'),
    ('name for a path of variable length', '1:12', 'MATCH (a)-[r:R*1..2]->(b) RETURN r'),
    ('attributes of a path', '1:20', 'MATCH (a)-[:R*1..2 {w: 1}]->(b) RETURN a'),
    ('', '1:7', 'MATCH ((a)-->(b)){2,3} RETURN a'),
    ('!', '1:10', 'MATCH (a:!P) RETURN a'),
    ('%', '1:10', 'MATCH (a:%) RETURN a'),
    ('', '1:13', 'MATCH (a)-[:!R]->(b) RETURN a'),
    ('', '1:10', 'MATCH (a WHERE a.x > 1) RETURN a'),
    ('', '1:10', 'MATCH (a $map) RETURN a'),
    ("'r' is an edge", '1:22', 'MATCH (a)-[r]->(b), (r)-->(c) RETURN a'),
    ("'r' is an edge", '1:26', 'MATCH (a)-[r]->(b), (b)-[r]->(c) RETURN a'),
    # conditions and expressions
    ('CASE', '1:18', 'MATCH (a) RETURN CASE a.x WHEN 1 THEN 2 END AS y'),
    ('(^)', '1:22', 'MATCH (a) RETURN a.x ^ 2 AS y'),
    ('', '1:17', 'MATCH (a) WHERE exists(a.x) RETURN a'),
    ('coalesce', '1:18', 'MATCH (a) RETURN coalesce(a.x, 1) AS y'),
    ('keys', '1:18', 'MATCH (a) RETURN keys(a) AS y'),
    ('properties', '1:18', 'MATCH (a) RETURN properties(a) AS y'),
    ('abs', '1:18', 'MATCH (a) RETURN abs(a.x) AS y'),
    ('rand', '1:18', 'MATCH (a) RETURN rand() AS y'),
    ('split', '1:18', "MATCH (a) RETURN split(a.name, ' ') AS y"),
    ('toString', '1:18', 'MATCH (a) RETURN toString(a.x) AS y'),
    ('startNode', '1:27', 'MATCH (a)-[r]->(b) RETURN startNode(r) AS y'),
    ('elementId', '1:18', 'MATCH (a) RETURN elementId(a) AS y'),
    ('all', '1:17', 'MATCH (a) WHERE all(x IN [1] WHERE x > 0) RETURN a'),
    ('any', '1:17', 'MATCH (a) WHERE any(x IN [1] WHERE x > 0) RETURN a'),
    ('reduce', '1:18', 'MATCH (a) RETURN reduce(s = 0, x IN [1] | s + x) AS y'),
    ('stDev', '1:18', 'MATCH (a) RETURN stDev(a.x) AS y'),
    ('percentileCont', '1:18', 'MATCH (a) RETURN percentileCont(a.x, 0.5) AS y'),
    ('', '1:18', 'MATCH (a) RETURN [x IN [1] | x] AS y'),
    ('', '1:18', 'MATCH (a) RETURN [(a)-->(b) | b.x] AS y'),
    ('', '1:18', 'MATCH (a) RETURN {x: a.x} AS y'),
    ('map', '1:20', 'MATCH (a) RETURN a {.x} AS y'),
    ('', '1:27', 'MATCH (a) RETURN labels(a)[0] AS y'),
    ('', '1:17', 'MATCH (a) WHERE count(a) > 1 RETURN a'),
    ('', '1:24', 'MATCH (a) RETURN count(sum(a.x)) AS y'),
    ('$p', '1:23', 'MATCH (a) WHERE a.x = $p RETURN a'),
    ('nobody', '1:17', 'MATCH (a) WHERE nobody.x = 1 RETURN a'),
    ('nobody', '1:18', 'MATCH (a) RETURN nobody'),
    ("'missing'", '1:18', 'MATCH (a) RETURN a.missing AS y'),
    ('Missing', '1:10', 'MATCH (a:Missing) RETURN a'),
    ('MISSING', '1:13', 'MATCH (a)-[:MISSING]->(b) RETURN a'),
    # results
    ("'x'", '1:33', 'MATCH (a) RETURN a AS x, a.x AS x'),
    ('AS name', '1:16', 'MATCH (a) WITH a.x RETURN a'),
    ("'a' is not in WITH", '1:32', 'MATCH (a) WITH a.x AS y RETURN a'),
    ('', '1:26', 'MATCH (a) RETURN a LIMIT -1'),
    ('', '1:25', 'MATCH (a) RETURN a SKIP 1.5'),
    ('', '1:26', "MATCH (a) RETURN a LIMIT 'x'"),
    ('ORDER BY', '1:40', 'MATCH (a) RETURN DISTINCT a.x ORDER BY a.name'),
    ('ORDER BY', '1:36', 'MATCH (a) RETURN count(*) ORDER BY a.x'),
    ('MATCH', '1:21', 'MATCH (a) RETURN a; MATCH (b) RETURN b'),
]


def refused(file, query):
    """None, or what is wrong about the refusal."""
    run = subprocess.run([PROGRAM, 'match', file, query], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, timeout=120)
    named, place, text = query_of[query], places[query], run.stderr
    if run.returncode != 2:
        return 'code %d: %s' % (run.returncode, text[:200])
    if run.stdout:
        return 'something on stdout'
    first = text.splitlines()[0] if text else ''
    if 'query:%s: ' % place not in first:
        return 'not at %s: %s' % (place, first)
    if named not in first:
        return "does not name '%s': %s" % (named, first)
    return None if '^' in text else 'no caret'


query_of = {query: named for named, _, query in REFUSALS}
places = {query: place for _, place, query in REFUSALS}


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
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for query, wrong in zip(query_of, pool.map(lambda q: refused(files[2], q), query_of)):
            if wrong:
                failures += 1
                print('FAILED: %s\n    %s' % (query, wrong))
    print('%d refusals, %d failed' % (len(query_of), failures))
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
