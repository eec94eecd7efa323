"""The questions of rows.py, as openCypher and as SQL."""
import os
import sys

from latency_run import HERE

sys.path.insert(0, os.path.join(HERE, '..', 'reference'))
import railway
import social

CONFIGS = os.path.join(HERE, '..', '..', 'configs')


class Question:
    """data: name of the input. hom: edges of a match may be equal, as in SQL; otherwise they must differ, for which Kuzu
    needs the condition `differ`."""

    def __init__(self, data, name, cypher, sql, differ='', hom=False):
        self.data, self.name, self.cypher, self.sql, self.hom = data, name, cypher, sql, hom
        self.walks = cypher.replace(' RETURN', ' WHERE %s RETURN' % differ) if differ else cypher

    def title(self):
        return '%s: %s' % (self.data, self.name)


# A person of the generated films, whatever their number.
PERSON = 'James Stewart'
COMMON = ('FROM edge_ACTS_IN x JOIN edge_ACTS_IN y ON y.dst = x.dst JOIN Person a ON a.id = x.src '
          'JOIN Person b ON b.id = y.src WHERE a.id < b.id GROUP BY a.id, a.name, b.id, b.name ')
FILMS = [
    ('pairs with most films', 'MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person) WHERE id(a) < id(b) '
     'WITH a, b, count(m) AS films '
     'RETURN a.name AS one, b.name AS other, films ORDER BY films DESC, one, other LIMIT 10',
     'SELECT a.name, b.name, count(*) AS films ' + COMMON +
     'ORDER BY films DESC, a.name NULLS LAST, b.name NULLS LAST LIMIT 10'),
    ('couples', 'MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person) WHERE id(a) < id(b) '
     'WITH a, b, count(m) AS films WHERE films >= 3 RETURN a.name AS one, b.name AS other, films',
     'SELECT a.name, b.name, count(*) AS films ' + COMMON + 'HAVING count(*) >= 3'),
    ('groups by person',
     'MATCH (p:Person)-[:ACTS_IN]->(m:Movie) WITH p, count(m) AS films RETURN p.name AS name, films',
     'SELECT p.name, count(*) FROM edge_ACTS_IN e JOIN Person p ON p.id = e.src JOIN Movie m ON m.id = e.dst '
     'GROUP BY p.id, p.name'),
    ('persons with most films', 'MATCH (p:Person)-[:ACTS_IN]->(m:Movie) WITH p, count(m) AS films '
     'RETURN p.name AS name, films ORDER BY films DESC, name LIMIT 10',
     'SELECT p.name, count(*) AS films FROM edge_ACTS_IN e JOIN Person p ON p.id = e.src JOIN Movie m ON m.id = e.dst '
     'GROUP BY p.id, p.name ORDER BY films DESC, p.name NULLS LAST LIMIT 10'),
    ('groups by genre', 'MATCH (p:Person)-[:ACTS_IN]->(m:Movie)-[:HAS_GENRE]->(g:Genre) '
     'RETURN g.name AS genre, count(*) AS roles, count(DISTINCT p) AS people, '
     'min(m.year) AS first, max(m.year) AS last',
     'SELECT g.name, count(*), count(DISTINCT p.id), min(m.year), max(m.year) FROM edge_ACTS_IN e '
     'JOIN Person p ON p.id = e.src JOIN Movie m ON m.id = e.dst JOIN edge_HAS_GENRE h ON h.src = m.id '
     'JOIN Genre g ON g.id = h.dst GROUP BY g.name'),
    ('groups by year', 'MATCH (p:Person)-[:ACTS_IN]->(m:Movie) '
     'RETURN m.year AS year, count(*) AS roles, max(p.born) AS youngest',
     'SELECT m.year, count(*), max(p.born) FROM edge_ACTS_IN e JOIN Person p ON p.id = e.src '
     'JOIN Movie m ON m.id = e.dst GROUP BY m.year'),
    ('optional match',
     'MATCH (m:Movie) WHERE m.year >= 1950 OPTIONAL MATCH (m)<-[:ACTS_IN]-(p:Person) WHERE p.born > 1960 '
     'RETURN m.name AS film, p.name AS person',
     'SELECT m.name, p.name FROM Movie m LEFT JOIN (edge_ACTS_IN e JOIN Person p ON p.id = e.src AND p.born > 1960) '
     'ON e.dst = m.id WHERE m.year >= 1950'),
    ('exists', "MATCH (p:Person) WHERE EXISTS { MATCH (p)-[:ACTS_IN]->(m:Movie)-[:HAS_GENRE]->(g:Genre) "
     "WHERE g.name = 'Comedy' } RETURN p.name AS name",
     'SELECT p.name FROM Person p WHERE EXISTS (SELECT 1 FROM edge_ACTS_IN e JOIN edge_HAS_GENRE h ON h.src = e.dst '
     "JOIN Genre g ON g.id = h.dst WHERE e.src = p.id AND g.name = 'Comedy')"),
    ('count of films', 'MATCH (p:Person) WHERE COUNT { MATCH (p)-[:ACTS_IN]->(m:Movie) WHERE m.year >= 1980 } >= 4 '
     'RETURN p.name AS name',
     'SELECT p.name FROM Person p WHERE (SELECT count(*) FROM edge_ACTS_IN e JOIN Movie m ON m.id = e.dst '
     'WHERE e.src = p.id AND m.year >= 1980) >= 4'),
    ('one hop by name',
     "MATCH (p:Person {name: '%s'})-[:ACTS_IN]->(m:Movie) RETURN m.name AS film, m.year AS year" % PERSON,
     "SELECT m.name, m.year FROM Person p JOIN edge_ACTS_IN e ON e.src = p.id JOIN Movie m ON m.id = e.dst "
     "WHERE p.name = '%s'" % PERSON),
    ('colleagues by name',
     "MATCH (p:Person {name: '%s'})-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(q:Person) WHERE id(p) <> id(q) "
     'RETURN q.name AS name, count(*) AS films' % PERSON,
     'SELECT q.name, count(*) FROM Person p JOIN edge_ACTS_IN e ON e.src = p.id JOIN edge_ACTS_IN f ON f.dst = e.dst '
     "JOIN Person q ON q.id = f.src WHERE p.name = '%s' AND q.id <> p.id GROUP BY q.name" % PERSON),
    ('all roles', 'MATCH (p:Person)-[:ACTS_IN]->(m:Movie) RETURN p.name AS name, m.name AS film, m.year AS year',
     'SELECT p.name, m.name, m.year FROM edge_ACTS_IN e JOIN Person p ON p.id = e.src JOIN Movie m ON m.id = e.dst'),
    ('first ten roles by name', 'MATCH (p:Person)-[:ACTS_IN]->(m:Movie) '
     'RETURN p.name AS name, m.name AS film, m.year AS year ORDER BY year DESC, name, film LIMIT 10',
     'SELECT p.name, m.name, m.year FROM edge_ACTS_IN e JOIN Person p ON p.id = e.src JOIN Movie m ON m.id = e.dst '
     'ORDER BY m.year DESC NULLS FIRST, p.name NULLS LAST, m.name NULLS LAST LIMIT 10'),
    ('distinct genres of people', 'MATCH (p:Person)-[:ACTS_IN]->(m:Movie)-[:HAS_GENRE]->(g:Genre) '
     'WITH DISTINCT p, g RETURN g.name AS genre, count(p) AS people',
     'SELECT g.name, count(*) FROM (SELECT DISTINCT e.src, h.dst FROM edge_ACTS_IN e JOIN edge_HAS_GENRE h '
     'ON h.src = e.dst) x JOIN Genre g ON g.id = x.dst JOIN Person p ON p.id = x.src GROUP BY g.name'),
    ('four people and one Jack', "MATCH (a:Person)-[:ACTS_IN]->(m:Movie), (b:Person)-[:ACTS_IN]->(m), "
     "(c:Person)-[:ACTS_IN]->(m), (d:Person)-[:ACTS_IN]->(m) WHERE a.name STARTS WITH 'Jack' AND id(b) < id(c) "
     'AND id(c) < id(d) AND id(a) <> id(b) AND id(a) <> id(c) AND id(a) <> id(d) RETURN count(*) AS n',
     'SELECT count(*) FROM Person a JOIN edge_ACTS_IN w ON w.src = a.id JOIN edge_ACTS_IN x ON x.dst = w.dst '
     'JOIN edge_ACTS_IN y ON y.dst = w.dst AND y.src > x.src JOIN edge_ACTS_IN z ON z.dst = w.dst AND z.src > y.src '
     "WHERE substr(a.name, 1, 4) = 'Jack' AND a.id NOT IN (x.src, y.src, z.src)"),
    ('4-cycles', 'MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person)-[:ACTS_IN]->(n:Movie)<-[:ACTS_IN]-(a) '
     'RETURN count(*) AS n',
     'SELECT 4 * count(*) FROM edge_ACTS_IN w JOIN edge_ACTS_IN x ON x.dst = w.dst AND x.src > w.src JOIN edge_ACTS_IN y '
     'ON y.src = x.src AND y.dst > w.dst JOIN edge_ACTS_IN z ON z.dst = y.dst AND z.src = w.src',
     'id(a) <> id(b) AND id(m) <> id(n)'),
]


def of_configs(data, folder, sql):
    """Returns the questions of a folder of configs."""
    for name in sql:
        with open(os.path.join(CONFIGS, folder, name + '.cypher'), encoding='utf-8') as file:
            yield Question(data, name, file.read(), sql[name], hom=True)


def all_questions(only):
    """Returns the questions with one of the parts of names, which | separates."""
    asked = [Question('films', *question) for question in FILMS]
    asked += of_configs('railway', 'train-benchmark', railway.SQL)
    asked += of_configs('social', 'social-network', social.SQL)
    return [question for question in asked if any(part in question.title() for part in only.split('|'))]
