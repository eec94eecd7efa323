"""Small random property multigraphs, and their files in several forms that import can read."""
import csv
import gzip
import io
import os

WORDS = ['Ann', 'Anna', 'Bob', 'Bo', 'Jack', 'Jackson', 'Ada', 'Zoë', 'x y', 'ann', '7', '日本']


class Graph:
    """vertices: {key: (labels, {attribute: text})}, edges: [(source, target, type, {attribute: text})]. An attribute
    that is NULL has no entry."""
    vertex_columns = ['name:string', 'x:int', 'f:float', 'b:bool']
    edge_columns = ['w:int', 't:string']

    def __init__(self, vertices, edges, undirected):
        self.vertices, self.edges, self.undirected = vertices, edges, undirected

    def labels(self):
        return sorted({label for labels, _ in self.vertices.values() for label in labels})

    def types(self):
        return sorted({e[2] for e in self.edges})

    def known(self, column, edge=None):
        """Returns the sorted values of an attribute of vertices, or of edges that may match a pattern edge."""
        rows = [row for _, row in self.vertices.values()]
        if edge:
            rows = [e[3] for e in self.edges if e[2] in edge[4] or not edge[4]]
        return sorted({row[column] for row in rows if row.get(column)})

    def vertex_rows(self, keys):
        header = ['id', 'type'] + self.vertex_columns
        names = [c.split(':')[0] for c in self.vertex_columns]
        return [header] + [[k, ';'.join(self.vertices[k][0])] + [self.vertices[k][1].get(c, '') for c in names]
                           for k in keys]

    def edge_rows(self, edges):
        header = ['src', 'dst', 'type'] + self.edge_columns
        names = [c.split(':')[0] for c in self.edge_columns]
        return [header] + [list(e[:3]) + [e[3].get(c, '') for c in names] for e in edges]

    def write(self, folder):
        """Writes one TSV file of vertices and one of edges, for the reference."""
        paths = [os.path.join(folder, 'vertices.tsv'), os.path.join(folder, 'edges.tsv')]
        write_table(paths[0], self.vertex_rows(self.vertices))
        write_table(paths[1], self.edge_rows(self.edges))
        return paths

    def write_pieces(self, folder, rng):
        """Writes the same graph as TSV or CSV, some files compressed, with up to three files of vertices and of edges.
        Returns arguments of import."""
        form = rng.choice(['tsv', 'tsv', 'csv'])
        arguments = [] if form == 'tsv' else ['--format', 'csv']
        arguments += ['--undirected'] * self.undirected
        for option, rows, make in (('--vertices', list(self.vertices), self.vertex_rows),
                                   ('--edges', self.edges, self.edge_rows)):
            rows = rng.sample(rows, len(rows))
            pieces = rng.choice([1, 1, 2, 3])
            for i in range(pieces):
                name = '%s%d.%s%s' % (option[2:], i, form, rng.choice(['', '', '.gz']))
                path = os.path.join(folder, name)
                write_table(path, make(rows[i::pieces]))
                arguments += [option, path]
        return arguments


def write_table(path, rows):
    if '.csv' in os.path.basename(path):
        text = io.StringIO()
        csv.writer(text, lineterminator='\n').writerows(rows)
        data = text.getvalue()
    else:
        data = ''.join('\t'.join(row) + '\n' for row in rows)
    data = data.encode()
    with gzip.open(path, 'wb') if path.endswith('.gz') else open(path, 'wb') as file:
        file.write(data)


def some(rng, chance, make):
    return make() if rng.random() < chance else ''


def random_keys(rng, n):
    kind = rng.choice(['count', 'integers', 'strings', 'mixed'])
    if kind == 'count':
        return [str(i) for i in range(n)]
    numbers = [str(i) for i in rng.sample(range(-50, 10000), n)]
    words = ['%s%d' % (rng.choice('abcXYZé'), i) for i in rng.sample(range(10000), n)]
    if kind == 'mixed':
        return [rng.choice(pair) for pair in zip(numbers, words)]
    return numbers if kind == 'integers' else words


def random_graph(rng, large=False):
    """Returns a random graph. large: rows are long and pivots many, so kernels run in several batches."""
    n = rng.choice([300, 1000, 3000]) if large else rng.choice([1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 40])
    m = int(n * rng.choice([0, 0.5, 1, 1.5, 2, 3])) if n > 12 else rng.randint(0, 4 * n)
    m = n * rng.randint(1, 8) if large else m
    loops, parallels = rng.choice([0, 0, 0.2]), rng.choice([0, 0, 0.3])
    skewed = rng.random() < (0.6 if large else 0.3)
    label_count, type_count = rng.choice([1, 1, 2, 3]), rng.choice([1, 1, 2, 3])
    full = rng.choice([1, 0.8, 0.4])
    keys = random_keys(rng, n)
    vertices = {}
    for key in keys:
        labels = [] if rng.random() < 0.1 else rng.sample('ABC'[:label_count], rng.randint(1, min(2, label_count)))
        vertices[key] = (labels, {'name': some(rng, full, lambda: rng.choice(WORDS)),
                                  'x': some(rng, full, lambda: str(rng.randint(-2, 4))),
                                  'f': some(rng, full, lambda: str(rng.randint(-4, 8) / 2)),
                                  'b': some(rng, full, lambda: rng.choice(['true', 'false']))})
    edges = []
    for _ in range(m):
        source = keys[int(n * rng.random() ** 3)] if skewed else rng.choice(keys)
        target = rng.choice(keys)
        if edges and rng.random() < parallels:
            source, target = rng.choice(edges)[:2]
        if source == target and rng.random() >= loops:
            continue
        edges.append((source, target, 'RST'[rng.randrange(type_count)],
                      {'w': some(rng, full, lambda: str(rng.randint(0, 3))),
                       't': some(rng, full, lambda: rng.choice(WORDS))}))
    return Graph(vertices, edges, rng.random() < 0.3)
