"""The cells of latency.py: commands, the graphs that they need, the bytes that they must move, and the right answers."""
import os
import re
import shutil
import subprocess
import sys

import cells
import latency_run
from latency_run import compile_c, run_program

REFERENCE = os.path.join(cells.HERE, '..', 'reference')
CONFIGS = os.path.join(cells.HERE, '..', '..', 'configs', 'train-benchmark')
PATTERNS = ['triangle', 'cycle:4', 'diamond', 'clique:4', 'cycle:5', 'house']
# pattern -> (the text of a query for it, rows for each subgraph): sums count them in the default sense of a text, too
TEXTS = {'triangle': ('(a)--(b)--(c)--(a)', 6), 'cycle:4': ('(a)--(b)--(c)--(d)--(a)', 8),
         'diamond': ('(a)--(b)--(c)--(d)--(a), (a)--(c)', 4)}
RAILWAY = ['PosLength', 'SwitchSensor', 'RouteSensor', 'SemaphoreNeighbor', 'SwitchSet', 'ConnectedSegments']
# scale -> key of the vertex that has the most edges in `generate rmat`: number 0 before the generator permutes the ids
# with its default seed. Half of the vertices have no edge, so bfs needs a chosen source.
HUBS = {10: 193, 11: 244, 12: 244, 13: 1927, 14: 9640, 15: 30341, 16: 30341, 17: 44103, 18: 44103, 19: 157698,
        20: 537025, 21: 1613796, 22: 2731082, 23: 581412, 24: 581412, 25: 18205329, 26: 18205329, 27: 15478645,
        28: 15478645}
ENTRY, OFFSET = 4, 4  # bytes; an undirected edge has two entries of rows
PEOPLE = {'movies': 'Harold Lloyd', 'movies generated': 'Barbara Schneider'}
# name -> (query, the same in SQL). PERSON is a name of PEOPLE.
QUESTIONS = {
    'one hop': (
        "MATCH (p:Person {name: 'PERSON'})-[:ACTS_IN]->(m:Movie) RETURN m.name, m.year",
        "SELECT m.name, m.year FROM Person p JOIN edge_ACTS_IN a ON a.src = p.id JOIN Movie m ON m.id = a.dst "
        "WHERE p.name = 'PERSON'"),
    'two hops': (
        "MATCH (p:Person {name: 'PERSON'})-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(q:Person) RETURN q.name, m.name",
        "SELECT q.name, m.name FROM Person p JOIN edge_ACTS_IN a ON a.src = p.id JOIN Movie m ON m.id = a.dst "
        "JOIN edge_ACTS_IN b ON b.dst = m.id JOIN Person q ON q.id = b.src WHERE p.name = 'PERSON' AND q.id <> p.id"),
    'years': (
        "MATCH (m:Movie)-[:HAS_GENRE]->(g:Genre) WHERE m.year >= 1950 AND m.year < 1952 RETURN m.name, g.name",
        "SELECT m.name, g.name FROM Movie m JOIN edge_HAS_GENRE h ON h.src = m.id JOIN Genre g ON g.id = h.dst "
        "WHERE m.year >= 1950 AND m.year < 1952"),
    'optional': (
        "MATCH (m:Movie) WHERE m.year = 1930 OPTIONAL MATCH (m)<-[:ACTS_IN]-(p:Person) RETURN m.name, p.name",
        "SELECT m.name, p.name FROM Movie m LEFT JOIN edge_ACTS_IN a ON a.dst = m.id LEFT JOIN Person p ON p.id = a.src "
        "WHERE m.year = 1930"),
    'exists': (
        "MATCH (m:Movie) WHERE m.year = 1960 AND EXISTS { (m)-[:HAS_GENRE]->(g:Genre) WHERE g.name = 'Comedy' } "
        "RETURN m.name",
        "SELECT m.name FROM Movie m WHERE m.year = 1960 AND EXISTS (SELECT 1 FROM edge_HAS_GENRE h "
        "JOIN Genre g ON g.id = h.dst WHERE h.src = m.id AND g.name = 'Comedy')"),
    'groups': (
        "MATCH (m:Movie)-[:HAS_GENRE]->(g:Genre) RETURN g.name, count(m) AS films",
        "SELECT g.name, count(*) FROM edge_HAS_GENRE h JOIN Genre g ON g.id = h.dst GROUP BY g.name"),
    'first ten': (
        "MATCH (p:Person)-[:ACTS_IN]->(m:Movie) WHERE m.year = 1999 RETURN p.name, count(m) AS films "
        "ORDER BY films DESC, p.name LIMIT 10",
        "SELECT p.name, count(*) AS films FROM Movie m JOIN edge_ACTS_IN a ON a.dst = m.id "
        "JOIN Person p ON p.id = a.src WHERE m.year = 1999 GROUP BY p.name ORDER BY films DESC, p.name LIMIT 10"),
    'starts with': (
        "MATCH (p:Person)-[:ACTS_IN]->(m:Movie) WHERE p.name STARTS WITH 'Jack' AND m.year < 1940 RETURN p.name, m.name",
        "SELECT p.name, m.name FROM Person p JOIN edge_ACTS_IN a ON a.src = p.id JOIN Movie m ON m.id = a.dst "
        "WHERE substr(p.name, 1, 4) = 'Jack' AND m.year < 1940"),
    'with': (
        "MATCH (p:Person)-[:ACTS_IN]->(m:Movie) WITH p, count(m) AS films WHERE films >= 60 RETURN p.name, films",
        "SELECT p.name, count(*) FROM Person p JOIN edge_ACTS_IN a ON a.src = p.id GROUP BY p.id HAVING count(*) >= 60"),
    'distinct': (
        "MATCH (p:Person {name: 'PERSON'})-[:ACTS_IN]->(m:Movie)-[:HAS_GENRE]->(g:Genre) RETURN DISTINCT g.name",
        "SELECT DISTINCT g.name FROM Person p JOIN edge_ACTS_IN a ON a.src = p.id JOIN edge_HAS_GENRE h ON h.src = a.dst "
        "JOIN Genre g ON g.id = h.dst WHERE p.name = 'PERSON'"),
}


class Missing(Exception):
    """Data or an option of the program that a cell needs is not there."""


class Graphs:
    """Graph files and tables in one folder. Each is made when it is first asked for; a file that is there already is
    kept."""

    def __init__(self, folder, limit):
        self.folder, self.limit, self.databases = folder, limit, {}

    def at(self, name):
        return os.path.join(self.folder, name)

    def program(self, *arguments):
        sample = run_program(list(arguments), self.folder, self.limit)
        if sample.error:
            raise Missing(' '.join(arguments[:2]) + ': ' + sample.error)

    def imported(self, name, folder, generator, *options):
        """Returns the graph of a folder of GEMP_SHARED/data, or a generated one if the folder is missing."""
        files = [os.path.join(cells.SHARED, 'data', folder, part + '.tsv.zst') for part in ('vertices', 'edges')]
        path = self.at(name + '.h5')
        if not os.path.exists(files[0]) and not generator:
            raise Missing('no GEMP_SHARED/data/' + folder)
        if not os.path.exists(files[0]):
            name, path = name + ' generated', self.at(name + '-generated.h5')
        if not os.path.exists(path) and name.endswith(' generated'):
            self.program('generate', *generator, '-o', path)
        elif not os.path.exists(path):
            self.program('import', '--vertices', files[0], '--edges', files[1], *options, '-o', path)
        return name, path, files

    def wiki(self):
        return self.imported('wiki-vote', 'graphs/wiki-vote', [], '--undirected')

    def movies(self):
        return self.imported('movies', 'movies', ['movies'])

    def railway(self):
        return self.imported('railway', 'railway/size512', ['railway', '--routes', '2560'])

    def rmat(self, scale):
        path = self.at('rmat%d.h5' % scale)
        if not os.path.exists(path):
            self.program(*generate(scale), '-o', path)
        return path

    def table(self, edges):
        """Returns a TSV file of random edges."""
        path = self.at('edges-%d.tsv' % edges)
        if not os.path.exists(path):
            tool = compile_c(self.folder, 'edges', 'edges.c')
            if not tool:
                raise Missing('edges.c does not compile here')
            scale = max(10, (edges // 5).bit_length())
            with open(path + '.part', 'wb') as file:
                subprocess.run([tool, str(edges), str(scale), '1'], stdout=file, check=True)
            os.rename(path + '.part', path)
        return path

    def database(self, graph, whole):
        """Returns a graph in SQLite (tests/reference/relational.py), to check answers."""
        name, path, files = graph
        if name in self.databases:
            return self.databases[name]
        sys.path.insert(0, REFERENCE)
        try:
            from relational import Relational, read_table
        except ImportError as error:  # a Python without SQLite
            raise Missing(str(error)) from None
        if name.endswith(' generated') or not shutil.which('zstd'):
            self.program('convert', path, '-o', self.at(name + '.tsv'))
            files = [self.at('%s.%s.tsv' % (name, part)) for part in ('vertices', 'edges')]
        tables = list(map(read_table, files))
        for rows in tables:
            rows[0] = [title.split(':')[0] for title in rows[0]]
        self.databases[name] = Relational(*tables, whole)
        return self.databases[name]


def generate(scale, *options):
    return ['generate', 'rmat', '--scale', str(scale), '--edge-factor', '16', *options]


def rows_bytes(report):
    """Returns the bytes of the rows of an undirected graph without attributes, in both directions."""
    return 2 * ENTRY * report['graph']['edges'] + OFFSET * report['graph']['vertices']


class Cell:
    """One command. start: the empty process of its limit; states: see latency.tsv; expected: the exit code; on_device:
    it accepts --devices."""
    start, states, expected, on_device, has_report = 'OpenCL', ('first', 'installed', 'warm'), 0, True, True

    def __init__(self, name):
        self.name = name

    def command(self, graphs):
        """Returns the arguments of the program. May raise Missing."""
        raise NotImplementedError

    def files(self, graphs):
        """Returns the files that it reads, whose content leaves the page cache before a first run."""
        return []

    def answer(self, sample, graphs):
        """Returns what every run must give again."""
        return None

    def moved(self, sample, graphs):
        """Returns {'read' | 'link' | 'write': bytes} that every program would have to move."""
        rows = rows_bytes(sample.report)
        return {'read': rows, 'link': rows} if is_gpu(sample) else {'read': rows}

    def more(self, sample, graphs):
        """Returns further figures of a run: [(name, value, limit)]."""
        return []

    def check(self, answer, graphs, limit):
        """Returns (the answer as a text, whether it is right, or None if that is not known)."""
        return '', None


def is_gpu(sample):
    return any(device.get('gpu') for device in (sample.report or {}).get('devices') or [])


class Text(Cell):
    start, states, on_device, has_report = 'process', ('warm',), False, False

    def __init__(self, name, arguments, expected=0):
        super().__init__(name)
        self.arguments, self.expected = arguments, expected

    def command(self, graphs):
        return self.arguments

    def answer(self, sample, graphs):
        return sample.code, sample.stdout

    def moved(self, sample, graphs):
        return {}

    def check(self, answer, graphs, limit):
        return 'exit code %d' % answer[0], True  # a Sample with another code has an error


class Pattern(Cell):
    def __init__(self, pattern, oracles):
        super().__init__('wiki-vote: ' + pattern)
        self.pattern = pattern
        self.field, self.known = oracles.get(('wiki-vote', pattern), ('matches', None))

    def command(self, graphs):
        return ['match', graphs.wiki()[1], '--pattern', self.pattern, '--count']

    def files(self, graphs):
        return [graphs.wiki()[1]]

    def answer(self, sample, graphs):
        return sample.report[self.field]

    def check(self, answer, graphs, limit):
        return '{:,}'.format(answer), None if self.known is None else answer == self.known


class CountText(Pattern):
    def __init__(self, pattern, oracles):
        super().__init__(pattern, oracles)
        self.text, rows = TEXTS[pattern]
        self.name += ' as text'
        self.known = self.known and self.known * rows

    def command(self, graphs):
        return ['match', graphs.wiki()[1], 'MATCH %s RETURN count(*)' % self.text]


class Question(Cell):
    start = 'process'  # a small question needs no device

    def __init__(self, number, name):
        super().__init__('movies: %d %s' % (number, name))
        self.cypher, self.sql = QUESTIONS[name]

    def command(self, graphs):
        name, path, _ = graphs.movies()
        rows = graphs.at('rows.tsv')
        return ['match', path, self.cypher.replace('PERSON', PEOPLE[name]), '-o', rows]

    def files(self, graphs):
        return [graphs.movies()[1]]

    def answer(self, sample, graphs):
        with open(graphs.at('rows.tsv'), encoding='utf-8', newline='') as file:
            return sorted(tuple(line.rstrip('\n').split('\t')) for line in file.readlines()[1:])

    def check(self, answer, graphs, limit):
        graph = graphs.movies()
        base = graphs.database(graph, ['year', 'extract_length', 'born'])
        return '%d rows' % len(answer), answer == base.rows(self.sql.replace('PERSON', PEOPLE[graph[0]]))


class Railway(Cell):
    start = 'process'

    def __init__(self):
        super().__init__('railway 512: six questions')

    def command(self, graphs):
        path = graphs.at('railway.cypher')
        with open(path, 'w', encoding='utf-8') as out:
            for name in RAILWAY:
                with open(os.path.join(CONFIGS, name + '.cypher'), encoding='utf-8') as file:
                    out.write(file.read() + ';\n')
        return ['match', graphs.railway()[1], '--query-file', path, '--semantics', 'hom', '--distinct', 'none', '--count']

    def files(self, graphs):
        return [graphs.railway()[1]]

    def answer(self, sample, graphs):
        return [query['matches'] for query in sample.report['queries']]

    def check(self, answer, graphs, limit):
        base = graphs.database(graphs.railway(), ['length'])
        sys.path.insert(0, REFERENCE)
        from railway import SQL
        return ' '.join(map(str, answer)), answer == [len(base.rows(SQL[name])) for name in RAILWAY]


class Rmat(Cell):
    """A command on an R-MAT graph. Its memory is compared with the bytes of the rows."""

    def __init__(self, scale, what, *arguments):
        super().__init__('R-MAT %d: %s' % (scale, what))
        self.scale, self.arguments = scale, arguments

    def command(self, graphs):
        return [self.arguments[0], graphs.rmat(self.scale), *self.arguments[1:]]

    def files(self, graphs):
        return [graphs.rmat(self.scale)]

    def more(self, sample, graphs):
        return [('peak GiB', sample.peak / 2**30, rows_bytes(sample.report) / 2**30)]

    def answer(self, sample, graphs):
        report = sample.report
        if 'matches' in report:
            return report['matches']
        return report.get('reached') or [line['key'] for line in report['top']]

    def check(self, answer, graphs, limit):
        """Asks the program again: it verifies analytics independently, and enumerates what was counted by sums."""
        more = ['--count-by', 'enumerate'] if self.arguments[0] == 'match' else ['--verify']
        sample = run_program(self.command(graphs) + more, graphs.folder, limit)
        shown = '{:,}'.format(answer) if isinstance(answer, int) else 'first %s' % answer[0]
        if sample.error:
            return shown, False if sample.code == 70 else None
        reached = sample.report.get('reached')
        if reached is not None and reached < sample.report['graph']['vertices'] / 4:
            return shown + ' from a source outside the large component', False
        return shown, self.answer(sample, graphs) == answer and sample.report.get('verified', True)


class Make(Cell):
    """A command that makes a graph file. Its answer is the size and the hash of the graph."""
    start, on_device = 'process', False

    def answer(self, sample, graphs):
        return [sample.report['graph'][key] for key in ('vertices', 'edges', 'hash')]

    def output(self, graphs):
        raise NotImplementedError

    def moved(self, sample, graphs):
        return {'write': rows_bytes(sample.report)}


class Generate(Make):
    states = ('warm',)

    def __init__(self, scale, compressed=False):
        super().__init__('R-MAT %d: generate%s' % (scale, ' compressed' * compressed))
        self.scale, self.compressed = scale, compressed

    def output(self, graphs):
        return graphs.at('rmat%d%s.h5' % (self.scale, '-compressed' * self.compressed))

    def command(self, graphs):
        more = compress_option() if self.compressed else []
        return generate(self.scale, *more) + ['-o', self.output(graphs)]

    def more(self, sample, graphs):
        edges = sample.report['graph']['edges']
        return [('bytes an edge', os.path.getsize(self.output(graphs)) / edges, rows_bytes(sample.report) / edges)]

    def check(self, answer, graphs, limit):
        return '%s edges' % '{:,}'.format(answer[1]), answer[0] == 1 << self.scale


class Import(Make):
    states = ('first', 'warm')

    def __init__(self, edges):
        super().__init__('import of %g M edges' % (edges / 1e6))
        self.edges = edges

    def output(self, graphs):
        return graphs.at('imported.h5')

    def command(self, graphs):
        return ['import', '--edges', graphs.table(self.edges), '--format', 'tsv', '-o', self.output(graphs)]

    def files(self, graphs):
        return [graphs.table(self.edges)]

    def moved(self, sample, graphs):
        return {'read': os.path.getsize(graphs.table(self.edges)), **super().moved(sample, graphs)}

    def check(self, answer, graphs, limit):
        return '%s edges' % '{:,}'.format(answer[1]), answer[1] == self.edges


def help_text(*command):
    done = subprocess.run([latency_run.PROGRAM, 'help', *command], capture_output=True, text=True)
    return done.stdout


def compress_option():
    """Returns the option of generate that compresses the file. It may take a value."""
    found = re.search(r'--compress(?:ed)?\b([= ]\S+\|\S+)?', help_text('generate'))
    if not found:
        raise Missing('generate has no option --compress')
    values = (found[1] or '').strip('= []').split('|')
    return [found[0].split()[0].split('=')[0]] + [value for value in values if value not in ('', 'none', 'auto')][:1]


def all_cells(scale, edges, large):
    """Returns the cells in the order of their measurement: small ones first; a graph is made before it is asked for."""
    known = os.path.exists(os.path.join(cells.SHARED, 'oracles', 'structural.tsv'))
    oracles = cells.oracles() if known else {}
    wanted = [Text('--version', ['--version']), Text('help', ['help']),
              Text('usage error', ['match', '--no-such-option'], 2)]
    wanted += [Pattern(pattern, oracles) for pattern in PATTERNS] + [CountText(pattern, oracles) for pattern in TEXTS]
    wanted += [Question(number, name) for number, name in enumerate(QUESTIONS, 1)] + [Railway()]
    for size in [scale, 27] if large else [scale]:
        wanted += [Generate(size), Rmat(size, 'triangle', 'match', '--pattern', 'triangle', '--count'),
                   Rmat(size, 'bfs', 'bfs', '--source', str(HUBS[size]))]
        if size == scale:
            wanted += [Rmat(size, 'pagerank', 'pagerank'), Import(edges), Generate(size, True)]
    return wanted
