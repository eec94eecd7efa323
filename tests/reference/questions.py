"""Queries over the real graphs of GEMP_SHARED, with counts on which several systems agree."""
import os

from reference import SHARED

CAST = 'MATCH (m:Movie)<-[:ACTS_IN]-(a:Person)'
FOUR = CAST + ', (m)<-[:ACTS_IN]-(b:Person), (m)<-[:ACTS_IN]-(c:Person), (m)<-[:ACTS_IN]-(d:Person)'
MOVIES = {  # name of the row in movies.tsv -> (query, --distinct)
    'two people in one movie': (CAST + ', (m)<-[:ACTS_IN]-(b:Person)', 'orbit'),
    'four people in one movie': (FOUR, 'orbit'),
    "four people in one movie, one of them (marked) with name CONTAINS 'Jack'":
        (FOUR + " WHERE a.name CONTAINS 'Jack'", 'orbit'),
    "four people in one movie, at least one with name CONTAINS 'Jack'": (FOUR + " WHERE a.name CONTAINS 'Jack'", 'vertices'),
    'two people sharing two movies (the 4-cycle person-movie-person-movie)':
        ('MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person)-[:ACTS_IN]->(n:Movie)<-[:ACTS_IN]-(a)', 'orbit'),
    'two people sharing three movies (with those movies)':
        ('MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person), (a)-[:ACTS_IN]->(n:Movie)<-[:ACTS_IN]-(b), '
         '(a)-[:ACTS_IN]->(o:Movie)<-[:ACTS_IN]-(b)', 'orbit'),
}
DIRECTED = ('movies', 'railway', 'lsqb', 'packages', 'wordnet', 'movies-ttc')


class Question:
    """graph: folder of the data; arguments of match; the field of the report and its expected value; weight: quick or
    long."""

    def __init__(self, name, graph, arguments, field, expected, weight):
        self.name, self.graph, self.arguments = name, graph, list(arguments)
        self.field, self.expected, self.weight = field, expected, weight

    def right(self, report):
        return report is not None and report.get(self.field) == self.expected

    def import_arguments(self):
        folder = os.path.join(SHARED, 'data', self.graph)
        arguments = ['import', '--vertices', os.path.join(folder, 'vertices.tsv.zst'), '--edges',
                     os.path.join(folder, 'edges.tsv.zst')]
        return arguments + ['--undirected'] * (self.graph.split('/')[0] not in DIRECTED)


def table(name):
    with open(os.path.join(SHARED, 'oracles', name)) as file:
        return [line.rstrip('\n').split('\t') for line in file][1:]


def structural():
    quick = {('wiki-vote', 'triangle'), ('wiki-vote', 'cycle:4'), ('wiki-vote', 'clique:4'), ('email-enron', 'triangle')}
    questions = []
    for graph, pattern, count, _ in table('structural.tsv'):
        if graph.startswith('rmat'):  # these counts are of graphs that a generator made on the GPU machine
            continue
        arguments = ['--pattern', pattern.split(' ')[0]] + ['--distinct', 'vertices'] * pattern.endswith('by vertex set')
        questions.append(Question('%s %s' % (graph, pattern), graph if graph == 'translations' else 'graphs/' + graph,
                                  arguments + ['--count'], 'matches', int(count),
                                  'quick' if (graph, pattern) in quick else 'long'))
    return questions


def query_graphs():
    questions = []
    for i, (query, count) in enumerate(table('hprd.tsv')):
        path = os.path.join(SHARED, 'data/hprd/queries', query + '.graph')
        questions.append(Question('hprd ' + query, 'hprd', ['--query-graph', path, '--query-labels', '%d', '--count'],
                                  'embeddings', int(count), 'quick' if i % 30 == 7 else 'long'))
    for graph, query, count in table('labelled.tsv'):
        path = os.path.join(SHARED, 'data/labelled', graph, 'queries', query + '.graph')
        if os.path.exists(path):
            questions.append(Question('%s %s' % (graph, query), 'labelled/' + graph,
                                      ['--query-graph', path, '--query-labels', 'L%d', '--count'], 'embeddings',
                                      int(count), 'quick' if query == 'l_k4' else 'long'))
    return questions


def movies():
    questions = []
    for name, count, _ in table('movies.tsv'):
        if name in MOVIES:
            text, distinct = MOVIES[name]
            weight = 'quick' if name.startswith('two') else 'long'
            questions.append(Question('movies: ' + name, 'movies', [text, '--semantics', 'iso', '--distinct', distinct, '--count'], 'matches',
                                      int(count), weight))
            if distinct == 'vertices':
                questions.append(Question('movies: %s, by subgraph' % name, 'movies',
                                          [text, '--semantics', 'iso', '--distinct', 'subgraph', '--count'], 'matches', int(count), 'long'))
    return questions


def all_questions():
    return structural() + movies() + query_graphs()
