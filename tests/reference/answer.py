"""Computes the result of a whole query: the rows of all clauses, the classes of --distinct, WITH and RETURN."""
import functools
import itertools

from clause import expr_signature
from expression import Text, calculated, kind, truth
from host import TooMany, inside, key_value

ORDER_OF_KINDS = ['element', 'list', 'string', 'boolean', 'number']


def rows_of(host, query, semantics):
    """Returns the rows as environments (variable -> element): every embedding of MATCH, extended by each OPTIONAL
    MATCH."""
    rows = list(host.embeddings(query.match, {}, semantics))
    for optional in query.optionals:
        rows = [longer for row in rows for longer in
                list(host.embeddings(optional, row, inside(semantics))) or [dict(row, **{n: None for n in optional.own()})]]
    return rows


# --distinct

def automorphisms(query):
    """Returns [{name: name}]: the renamings of variables that leave the query unchanged."""
    vertices, edges = query.points()
    original = renamed_texts(query, {n: n for n in vertices + edges})
    found = []
    for order in itertools.permutations(vertices):
        of_vertices = dict(zip(vertices, order))
        for of_edges in edge_renamings(query, of_vertices):
            names = dict(of_vertices, **of_edges)
            if renamed_texts(query, names) == original:
                found.append(names)
    return found


def edge_renamings(query, of_vertices):
    every = [e for p in query.patterns() for e in p.edges]

    def may_be(e, f):
        ends = (of_vertices[e[1]], of_vertices[e[2]])
        same = ends == (f[1], f[2]) or (e[3] == 'either' and ends == (f[2], f[1]))
        return same and e[3:] == f[3:]

    def choose(i, used):
        if i == len(every):
            yield {}
            return
        for f in every:
            if f[0] not in used and may_be(every[i], f):
                for rest in choose(i + 1, used | {f[0]}):
                    yield dict(rest, **{every[i][0]: f[0]})
    return choose(0, frozenset())


def renamed_texts(query, names):
    parts = [p.renamed_text(names) for p in query.patterns()]
    for projection in (query.with_clause, query.result):
        if projection:
            said = [(expr_signature(i.expr, names), i.aggregate, i.distinct) for i in projection.items]
            # later clauses may use the aliases
            names = dict(names, **{i.alias: repr(s) for i, s in zip(projection.items, said) if i.alias not in names})
            order = [(expr_signature(e, names), down) for e, down in projection.order]
            where = sorted(expr_signature(e, names) for e in projection.where)
            parts.append(repr((sorted(said, key=repr), projection.distinct, order, where)))
    return parts


def smallest_key(host, query, row):
    """Returns a key that compares rows by their vertices, in order of first appearance. A missing vertex comes last."""
    vertices, edges = query.points()

    def vertex_key(vertex):
        value = key_value(vertex[1])
        return (isinstance(value, str), value.encode() if isinstance(value, str) else value)
    return [vertex_key(row[v]) if row[v] else (2, 0) for v in vertices]


def classes(host, query, rows, distinct):
    """Returns for each class of --distinct the row with the smallest key."""
    vertices, edges = query.points()
    if distinct == 'none':
        return rows
    if distinct == 'orbit' and len(vertices) > 6:
        raise TooMany()
    group = automorphisms(query) if distinct == 'orbit' else None

    def image(row):
        if distinct == 'orbit':
            return min(tuple(vertex_or_edge(row, p, names) for p in vertices + edges) for names in group)
        hit = frozenset(row[v] for v in vertices if row[v])
        used = frozenset(n for e in edges if row[e] for n in (row[e][1] if row[e][0] == 'path' else (row[e][1],)))
        return hit if distinct == 'vertices' else (hit, used)

    every = {e[0]: e for p in query.patterns() for e in p.edges}

    def vertex_or_edge(row, point, names):
        """Returns the image of a vertex or edge after the renaming. A path is reversed if the renaming exchanges its
        ends."""
        element = row[names[point]]
        if not element or element[0] != 'path':
            return str(element)
        edge, path = every[point], element[1]
        if edge[1] == edge[2] and edge[3] == 'either':
            return str(min(path, path[::-1]))
        return str(path if names[edge[1]] == every[names[point]][1] else path[::-1])
    kept = {}
    for row in rows:
        name = image(row)
        if name not in kept or smallest_key(host, query, row) < smallest_key(host, query, kept[name]):
            kept[name] = row
    return list(kept.values())


# projections

def identity(value):
    """Returns a value that is equal for values that DISTINCT and grouping treat as equal."""
    if value is None:
        return ('null',)
    if isinstance(value, list):
        return ('list',) + tuple(map(identity, value))
    return (kind(value), value)


def ascending(x, y):
    """Compares two values as ORDER BY does: NULL last, numbers by value, strings bytewise, false before true, vertices
    by key."""
    if x is None or y is None:
        return (x is None) - (y is None)
    if kind(x) != kind(y):
        return ORDER_OF_KINDS.index(kind(x)) - ORDER_OF_KINDS.index(kind(y))
    if isinstance(x, list):
        for a, b in zip(x, y):
            if ascending(a, b):
                return ascending(a, b)
        return len(x) - len(y)
    if isinstance(x, str):
        x, y = x.encode(), y.encode()
    elif isinstance(x, tuple):
        x, y = (ordinal(v) for v in (x, y))
    return (x > y) - (x < y)


def ordinal(element):
    value = key_value(element[1]) if element[0] == 'vertex' else element[1]
    return (isinstance(value, str), value.encode() if isinstance(value, str) else value)


def aggregated(item, values):
    if item.expr is None:
        return len(values)
    values = [v for v in values if v is not None]
    if item.distinct:
        values = list({identity(v): v for v in values}.values())
    if item.aggregate == 'count':
        return len(values)
    if item.aggregate == 'collect':
        return sorted(values, key=functools.cmp_to_key(ascending))
    if item.aggregate == 'sum':
        return functools.reduce(lambda x, y: calculated('add', x, y), values, 0)
    if item.aggregate == 'avg':
        return sum(values) / len(values) if values else None
    least, most = (min, max)
    chosen = least if item.aggregate == 'min' else most
    return chosen(values, key=functools.cmp_to_key(ascending)) if values else None


def projected(projection, rows, host, semantics):
    """Returns [(values of the items, environment)]. Without grouping, each row has one result with the row's
    environment."""
    def value(e, row):
        return truth(e, row, host, inside(semantics))
    if not projection.grouped():
        done = [([value(i.expr, row) for i in projection.items], row) for row in rows]
    else:
        keys = [i.expr for i in projection.items if not i.aggregate]
        groups = {} if keys else {(): []}
        for row in rows:
            groups.setdefault(tuple(identity(value(e, row)) for e in keys), []).append(row)
        done = []
        for members in groups.values():
            values = [aggregated(i, [i.expr is None or value(i.expr, row) for row in members]) if i.aggregate
                      else value(i.expr, members[0]) for i in projection.items]
            done.append((values, {}))
    if projection.distinct:
        done = list({tuple(map(identity, values)): (values, {}) for values, _ in done}.values())
    named = []
    for values, row in done:
        named.append((values, dict(row, **{i.alias: v for i, v in zip(projection.items, values)})))
    return named


def result(query, rows, host, semantics):
    """Returns groups of rows in the order of ORDER BY, before SKIP and LIMIT. Rows of one group may have any order."""
    if query.with_clause:
        rows = [{i.alias: v for i, v in zip(query.with_clause.items, values)}
                for values, _ in projected(query.with_clause, rows, host, semantics)]
        rows = [row for row in rows if all(truth(e, row, host, semantics) is True for e in query.with_clause.where)]
    done = projected(query.result, rows, host, semantics)

    def before(x, y):
        for e, down in query.result.order:
            way = ascending(truth(e, x[1], host, semantics), truth(e, y[1], host, semantics))
            if way:
                return -way if down else way
        return 0
    done.sort(key=functools.cmp_to_key(before))
    tied = []
    for one in done:
        if tied and before(tied[-1][-1], one) == 0:
            tied[-1].append(one)
        else:
            tied.append([one])
    return [[values for values, _ in group] for group in tied]


def shown(value):
    """Returns the value as JSON lines show it."""
    if isinstance(value, tuple):
        return key_value(value[1]) if value[0] == 'vertex' else value
    if isinstance(value, list):
        return [shown(v) for v in value]
    return str(value) if isinstance(value, Text) else value
