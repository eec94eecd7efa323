"""The cells of the benchmark tables (cells.tsv), the graphs that they need, and the right counts."""
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.environ.get('GEMP_SHARED', '')
RMAT = {'rmat20': '20 8 0.45 0.22 0.22', 'rmat18s': '18 8 0.57 0.19 0.19'}
FOLDERS = {'wiki4': 'labelled/wiki4', 'translations': 'translations'}
EDGES = {'triangle': '0-1,0-2,1-2', 'diamond': '0-1,0-2,0-3,1-2,1-3', 'house': '0-1,1-2,2-3,0-3,0-4,1-4'}


def edges_of(pattern):
    """Returns the edge list of an unlabelled pattern, or None for other patterns."""
    name, _, size = pattern.partition(':')
    if name == 'edges':
        return size
    if name == 'cycle':
        k = int(size)
        return ','.join('%d-%d' % (i, (i + 1) % k) for i in range(k))
    if name == 'clique':
        return ','.join('%d-%d' % (i, j) for i in range(int(size)) for j in range(i + 1, int(size)))
    return EDGES.get(pattern)


def short(pattern):
    names = {'edges:0-1,0-2,0-3,1-2,1-3,2-4,3-4': 'q4', 'edges:0-1,0-2,0-3,0-4,1-2,2-3,3-4,4-1': 'q5'}
    return names.get(pattern, pattern)


class Cell:
    def __init__(self, row):
        self.graph, self.pattern, self.count_by = row['graph'], row['pattern'], row['count_by']
        self.labelled = self.pattern.startswith('l_')
        self.figures = {key: None if row[key] == '-' else float(row[key])
                        for key in ('peer', 'experiment', 'goal', 'cpu_peer', 'cpu_experiment', 'cpu_goal')}

    def name(self):
        return short(self.pattern) + (' enumerated' if self.count_by == 'enumerate' else '')

    def kind(self):
        """Cells of one graph with equal kinds can be measured in one process."""
        return self.labelled, self.count_by

    def query(self):
        """Returns the query as arguments of match and of bench match; they follow the graph."""
        if not self.labelled:
            return ['--pattern', self.pattern]
        return ['--query-graph', os.path.join(SHARED, 'data/labelled/wiki4/queries', self.pattern + '.graph')]

    def how(self):
        return ['--query-labels', 'L%d'] if self.labelled else []


def rows(path):
    with open(path) as file:
        lines = [line.rstrip('\n').split('\t') for line in file if not line.startswith('#')]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def all_cells():
    return [Cell(row) for row in rows(os.path.join(HERE, 'cells.tsv'))]


def oracles():
    """Returns {(graph, pattern): (field of the report, count)}."""
    known = {}
    for row in rows(os.path.join(SHARED, 'oracles/structural.tsv')):
        pattern, _, rest = row['pattern'].partition(' ')
        if not rest:
            known[row['graph'], pattern] = ('matches', int(row['subgraphs']))
    for row in rows(os.path.join(SHARED, 'oracles/labelled.tsv')):
        known[row['graph'], row['query']] = ('embeddings', int(row['embeddings']))
    return known


def make_rmat(name, folder):
    tool = os.path.join(folder, 'make-' + name)
    subprocess.run(['cc', '-O2', '-o', tool, os.path.join(SHARED, 'tools/rmat.c')], check=True)
    out = os.path.join(folder, name + '.tables')
    os.makedirs(out)
    subprocess.run([tool] + RMAT[name].split() + ['20261121', out], check=True, stderr=subprocess.DEVNULL)
    return [os.path.join(out, part + '.tsv') for part in ('vertices', 'edges')]


def tables(name, folder):
    """Returns the files [vertices, edges] of a graph. A generated graph is made first. Returns None if a real graph is
    not there."""
    if name in RMAT:
        return make_rmat(name, folder)
    path = os.path.join(SHARED, 'data', FOLDERS.get(name, 'graphs/' + name))
    files = [os.path.join(path, part + '.tsv.zst') for part in ('vertices', 'edges')]
    return files if all(map(os.path.exists, files)) else None


def edge_lines(tables_of, folder, name):
    """Returns the path of a file with a line `u v` for each edge."""
    out = os.path.join(folder, name)  # the prototypes expect a file of this name
    if not os.path.exists(out):
        cat = 'zstd -qdc' if tables_of[1].endswith('.zst') else 'cat'
        subprocess.run("%s '%s' | tail -n +2 | cut -f 1,2 | tr '\\t' ' ' > '%s'" % (cat, tables_of[1], out), shell=True,
                       check=True)
    return out
