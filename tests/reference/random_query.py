"""Random queries over a random graph, with names of this graph."""
from reference import Query, Text, named_shape

SHAPES = ['triangle', 'cycle:3', 'cycle:4', 'cycle:5', 'clique:3', 'clique:4', 'path:2', 'path:3', 'path:4', 'star:2',
          'star:3', 'diamond', 'house', 'edges:0-1,1-2,1-3', 'edges:0-1,0-2,0-3,1-2,1-3,2-4,3-4', 'edges:0-1']


def random_leaf(rng, graph, variable, edge):
    """Returns a condition on one variable, or None if the graph has no value to compare with."""
    columns = ['w', 't'] if edge else ['name', 'x', 'f', 'b']
    column = rng.choice(columns)
    if not edge and graph.labels() and rng.random() < 0.1:
        return ('label', variable, rng.choice(graph.labels()))
    known = graph.known(column, edge)
    if not known:
        return None
    operand = '%s.%s' % (variable, column)
    if rng.random() < 0.15:
        return (rng.choice(['isnull', 'notnull']), operand)
    text = rng.choice(known)
    if column in ('name', 't'):
        value = Text(text)
        kind = rng.choice(['eq', 'ne', 'lt', 'ge', 'contains', 'starts', 'ends', 'in'])
        if kind in ('contains', 'starts', 'ends'):
            value = Text(value[:2] if kind == 'starts' else value[-2:])
    elif column == 'b':
        value, kind = text == 'true', rng.choice(['eq', 'ne'])
    else:
        value = float(text) if column == 'f' else int(text)
        kind = rng.choice(['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'in'])
    if kind == 'in':
        others = rng.sample(known, min(len(known), rng.randint(0, 2)))
        make = Text if column in ('name', 't') else float if column == 'f' else int
        return ('in', operand, value) + tuple(make(o) for o in others if o != text)
    return (kind, operand, value)


def renamed(e, old, new):
    if isinstance(e, tuple) and e[0] == 'label':
        return (e[0], new) + e[2:]
    if isinstance(e, tuple):
        return (e[0],) + tuple(renamed(c, old, new) for c in e[1:])
    if isinstance(e, str) and not isinstance(e, Text) and e.split('.')[0] == old:
        return new + e[len(old):]
    return e


def random_condition(rng, graph, variable, edge):
    leaf = random_leaf(rng, graph, variable, edge)
    if leaf is None:
        return None
    way = rng.random()
    if way < 0.15:
        return ('not', variable + '.b' if leaf[1] == variable + '.b' else leaf)
    other = random_leaf(rng, graph, variable, edge)
    if way < 0.4 and other is not None and other != leaf:
        both = (rng.choice(['or', 'and']), leaf, other)
        return ('not', both) if rng.random() < 0.2 else both
    return leaf


def random_where(rng, graph, vertices, edges):
    where = []
    names = [v for v, _ in vertices]
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        of_edge = bool(edges) and rng.random() < 0.25
        edge = rng.choice(edges) if of_edge else None
        group = [e[0] for e in edges if e[4] == edge[4]] if edge else names
        variable = rng.choice(group)
        condition = random_condition(rng, graph, variable, edge)
        if condition is None:
            continue
        # several variables get the same condition, so automorphisms remain
        for one in group if rng.random() < 0.3 else [variable]:
            where.append(renamed(condition, variable, one))
    if len(names) > 1 and rng.random() < 0.25:
        a, b = rng.sample(names, 2)
        column = rng.choice(['name', 'x', 'f'])
        if graph.known(column):
            where.append((rng.choice(['eq', 'ne', 'lt', 'ge', 'gt', 'le']), '%s.%s' % (a, column), '%s.%s' % (b, column)))
    if len(names) > 1 and rng.random() < 0.15:
        where.append(('ne',) + tuple(rng.sample(names, 2)))
    return [e for i, e in enumerate(where) if e not in where[:i]]


def random_edges(rng, graph, names):
    """Returns a spanning tree with additional edges, sometimes loops and parallel edges."""
    types = graph.types()
    alike = rng.random() < 0.6

    def kind():
        way = 'either' if graph.undirected or rng.random() < 0.35 else 'out'
        return way, [] if rng.random() < 0.25 else sorted(rng.sample(types, rng.choice([1, 1, min(2, len(types))])))
    same = kind()
    pairs = []
    for i in range(1, len(names)):
        pairs.append((rng.randrange(i), i) if rng.random() < 0.5 else (i - 1, i))
    for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
        a, b = rng.randrange(len(names)), rng.randrange(len(names))
        fresh = (a, b) not in pairs and (b, a) not in pairs
        if (a != b and fresh) or rng.random() < 0.08:
            pairs.append((a, b))
    edges = []
    for i, pair in enumerate(pairs):
        a, b = pair if rng.random() < 0.6 else pair[::-1]
        edges.append(('e%d' % i, names[a], names[b]) + (same if alike else kind()))
    return edges


def random_returns(rng, graph, names, edges, distinct):
    way = rng.random()
    if way < 0.08:
        return ['count(*)']
    if way < 0.2 and len(names) > 1:
        return rng.sample(names, rng.randint(1, len(names) - 1))
    returns = list(names)
    if way < 0.5:
        for column in ('name', 'x', 'f', 'b'):
            if graph.known(column) and rng.random() < 0.4:
                returns += ['%s.%s' % (n, column) for n in (names if rng.random() < 0.7 else rng.sample(names, 1))]
    if edges and distinct == 'none' and rng.random() < 0.4:
        edge = rng.choice(edges)
        returns += [edge[0] + '.w'] * bool(graph.known('w', edge))
    rng.shuffle(returns)
    return returns


def random_query(rng, graph, name, distinct):
    if rng.random() < 0.15:
        return named_shape(rng.choice(SHAPES))
    labels, types = graph.labels(), graph.types()
    count = rng.choice([1, 2, 2, 3, 3, 3, 4, 4, 5]) if types else 1
    names = ['a', 'b', 'c', 'd', 'x1'][:count]
    alike = rng.random() < 0.5

    def some_labels():
        if not labels or rng.random() < 0.5:
            return []
        return sorted(rng.sample(labels, rng.choice([1, 1, min(2, len(labels))])))
    same = some_labels()
    vertices = [(n, same if alike else some_labels()) for n in names]
    edges = random_edges(rng, graph, names) if types else []
    query = Query(name, vertices, edges, random_where(rng, graph, vertices, edges),
                  random_returns(rng, graph, names, edges, distinct))
    query.arrange(rng)
    return query
