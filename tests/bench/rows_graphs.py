"""The inputs of rows.py: graph files, and the same graphs as tables in CSV files that other systems load.

A label is a table with id and attributes, and an edge type from label A to label B a table with src, dst and
attributes. Attributes that a table never has are left out."""
import csv
import os
import random

import latency_run

# size -> films and people, people of the social network, routes of the railway
SIZES = {'tiny': (400, 250, 60, 4), 'small': (60000, 37500, 1500, 320), 'medium': (300000, 187500, 4000, 1280),
         'large': (5000000, 3125000, 20000, 5120)}


class Table:
    """ends: the labels of source and target for edges, None for vertices. columns: (name, type) with the types int,
    float and string."""

    def __init__(self, name, kind, ends, columns, path, rows):
        self.name, self.kind, self.ends, self.columns, self.path, self.rows = name, kind, ends, columns, path, rows


class Input:
    def __init__(self, name, graph, tables):
        self.name, self.graph, self.tables = name, graph, tables

    def kinds(self, edges):
        """Returns {label or type: [tables]}."""
        kinds = {}
        for table in self.tables:
            if (table.ends is not None) == edges:
                kinds.setdefault(table.kind, []).append(table)
        return kinds


def program(folder, *arguments):
    sample = latency_run.run_program([*arguments, '--quiet'], folder, 300, report=False)
    if sample.error:
        raise SystemExit('%s: %s' % (' '.join(arguments), sample.error))


def lines_of(path):
    with open(path, encoding='utf-8', newline='') as file:
        for line in file:
            yield line.rstrip('\n').split('\t')


class Writer:
    """Collects the lines of one table, and writes the columns that have a value."""

    def __init__(self):
        self.rows, self.used = [], set()

    def add(self, row):
        self.rows.append(row)
        self.used.update(i for i, cell in enumerate(row) if cell)

    def table(self, folder, name, kind, ends, header):
        kept = sorted(self.used)
        path = os.path.join(folder, name + '.csv')
        with open(path, 'w', encoding='utf-8', newline='') as file:
            writer = csv.writer(file, lineterminator='\n')
            writer.writerow([header[i][0] for i in kept])
            writer.writerows([row[i] for i in kept] for row in self.rows)
        return Table(name, kind, ends, [header[i] for i in kept], path, len(self.rows))


def header_of(line, dropped):
    pairs = [tuple((cell + ':string').split(':')[:2]) for cell in line]
    return [pair for i, pair in enumerate(pairs) if i != dropped]


def tables_of(vertices, edges, folder):
    """Splits a table of vertices and a table of edges by label and type."""
    os.makedirs(folder, exist_ok=True)
    lines, label, writers, tables = lines_of(vertices), {}, {}, []
    header = header_of(next(lines), 1)
    for row in lines:
        label[row[0]] = row[1]
        writers.setdefault(row[1], Writer()).add(row[:1] + row[2:])
    tables += [writers[name].table(folder, name, name, None, header) for name in sorted(writers)]
    lines, writers = lines_of(edges), {}
    header = header_of(next(lines), 2)
    for row in lines:
        writers.setdefault((row[2], label[row[0]], label[row[1]]), Writer()).add(row[:2] + row[3:])
    return tables + [writers[key].table(folder, '_'.join(key), key[0], key[1:], header) for key in sorted(writers)]


def generated(name, folder, tables, *arguments):
    graph, path = (os.path.join(folder, name + ending) for ending in ('.h5', '.tsv'))
    program(folder, 'generate', *arguments, '--index', 'name', '-o', graph)
    if not tables:
        return Input(name, graph, [])
    program(folder, 'convert', graph, '-o', path)
    files = [os.path.join(folder, name + part) for part in ('.vertices.tsv', '.edges.tsv')]
    return Input(name, graph, tables_of(*files, os.path.join(folder, name)))


class Network:
    """A social network in the schema of the Labelled Subgraph Query Benchmark. Degrees of people are skewed, and people
    mostly know people of nearby numbers, so that triangles and friends of friends are frequent."""

    def __init__(self, folder, people):
        self.random, self.next = random.Random(26), 1
        with open(os.path.join(folder, 'social.vertices.tsv'), 'w', encoding='utf-8') as self.vertices, \
                open(os.path.join(folder, 'social.edges.tsv'), 'w', encoding='utf-8') as self.edges:
            self.vertices.write('id:int\ttype\tname:string\n')
            self.edges.write('src:int\tdst:int\ttype\n')
            self.make(people)

    def some(self, label, count, named=False):
        begin, self.next = self.next, self.next + count
        self.vertices.writelines('%d\t%s\t%s\n' % (i, label, '%s %d' % (label, i - begin) if named else '')
                                 for i in range(begin, begin + count))
        return range(begin, begin + count)

    def link(self, kind, source, target):
        self.edges.write('%d\t%d\t%s\n' % (source, target, kind))

    def links(self, kind, sources, targets):
        for source in sources:
            self.link(kind, source, self.pick(targets))

    def pick(self, some):
        """Picks one of a range; the first ones are more frequent."""
        return some[int(len(some) * self.random.random() ** 2)]

    def picks(self, kind, source, some, count):
        for target in sorted({self.pick(some) for _ in range(count)}):
            self.link(kind, source, target)

    def know(self, persons):
        pairs = set()
        for i in range(len(persons)):
            for _ in range(min(int(self.random.paretovariate(1.5) * 4), 60)):
                other = i + int(self.random.expovariate(1 / 30)) + 1
                if other < len(persons):
                    pairs.add((i, other))
        for a, b in sorted(pairs):
            self.link('knows', persons[a], persons[b])

    def make(self, people):
        countries, cities = self.some('Country', 20, True), self.some('City', 200, True)
        classes, tags = self.some('TagClass', 30, True), self.some('Tag', 600, True)
        persons, forums = self.some('Person', people, True), self.some('Forum', 2 * people)
        self.links('isPartOf', cities, countries)
        self.links('hasType', tags, classes)
        self.links('isLocatedIn', persons, cities)
        self.know(persons)
        for person in persons:
            self.picks('hasInterest', person, tags, 12)
        self.messages(persons, forums, tags)

    def messages(self, persons, forums, tags):
        posts = self.some('Post', 12 * len(persons))
        comments = self.some('Comment', 20 * len(persons))
        for forum in forums:
            self.picks('hasMember', forum, persons, 10)
        for post in posts:
            self.link('containerOf', self.pick(forums), post)
        for i, comment in enumerate(comments):  # two of three comments reply to posts, the others to earlier comments
            self.link('replyOf', comment, self.pick(comments[:i]) if i and i % 3 == 0 else self.pick(posts))
        for message in [*posts, *comments]:
            self.link('hasCreator', message, self.pick(persons))
            self.picks('hasTag', message, tags, self.random.choice([0, 1, 2]))
            for person in sorted({self.pick(persons) for _ in range(self.random.choice([0, 0, 1, 3]))}):
                self.link('likes', person, message)


def social(folder, tables, people):
    Network(folder, people)
    graph = os.path.join(folder, 'social.h5')
    files = [os.path.join(folder, 'social' + part) for part in ('.vertices.tsv', '.edges.tsv')]
    program(folder, 'import', '--vertices', files[0], '--edges', files[1], '--index', 'name', '-o', graph)
    return Input('social', graph, tables_of(*files, os.path.join(folder, 'social')) if tables else [])


def inputs(size, folder, wanted, tables):
    """Makes the wanted ones of films, social and railway. Only peers need the tables."""
    films, people, network, routes = SIZES[size]
    made = {}
    if 'films' in wanted:
        made['films'] = generated('films', folder, tables, 'movies', '--films', str(films), '--people', str(people))
    if 'social' in wanted:
        made['social'] = social(folder, tables, network)
    if 'railway' in wanted:
        made['railway'] = generated('railway', folder, tables, 'railway', '--routes', str(routes))
    return made
