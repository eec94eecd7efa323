"""Writes the tree of a query as text.

An expression is a tuple whose first item is its kind; cypher_evaluate.py lists the kinds. A node of a pattern is
(name or None, [labels], [(property, expression)]), a relationship (name or None, [types], '->' | '<-' | '--',
[(property, expression)], None or (least, most)). A part of a pattern is (name of the path or None, [node, relationship,
node, ...]). Clauses are ('match', optional, parts, where), ('unwind', expression, name), ('with', Projection) and
('return', Projection). Clauses that change the graph are ('create', parts), ('merge', part, updates on create, updates on
match), ('set', updates), ('remove', updates), ('delete', detach, names) and ('foreach', name, expression, clauses); an update
is ('property', name, property, expression), ('all', name, expression) for =, ('add', name, expression) for +=, ('labels', name,
labels), ('no property', name, property) or ('no labels', name, labels)."""
import json


def literal(value):
    if value is None or isinstance(value, bool):
        return {None: 'null', True: 'true', False: 'false'}[value]
    if isinstance(value, str):
        return "'%s'" % value.replace('\\', '\\\\').replace("'", "\\'")
    if isinstance(value, list):
        return '[%s]' % ', '.join(map(literal, value))
    if isinstance(value, dict):
        return '{%s}' % ', '.join('%s: %s' % (n, literal(v)) for n, v in value.items())
    return '(%s)' % json.dumps(value) if value < 0 else json.dumps(value)


def condition(where):
    return ' WHERE ' + expression(where) if where else ''


def optional(e):
    return expression(e) if e else ''


def case(e):
    arms = ''.join(' WHEN %s THEN %s' % (expression(a), expression(b)) for a, b in e[2])
    return 'CASE%s%s%s END' % (' ' + expression(e[1]) if e[1] else '', arms, ' ELSE ' + expression(e[3]) if e[3] else '')


def comprehension(e):
    return '[%s IN %s%s%s]' % (e[1], expression(e[2]), condition(e[3]), ' | ' + expression(e[4]) if e[4] else '')


def projected_map(e):
    parts = []
    for part in e[2]:
        parts.append({'all': '.*', 'property': '.%s' % part[1]}.get(part[0]) or '%s: %s' % (part[1], expression(part[2])))
    return '%s {%s}' % (e[1], ', '.join(parts))


def aggregate(e):
    return '%s(%s%s)' % (e[1], 'DISTINCT ' * e[2], ', '.join(map(expression, e[3])) if e[3] else '*')


WRITERS = {
    'literal': lambda e: literal(e[1]),
    'variable': lambda e: e[1],
    'property': lambda e: '%s.%s' % (expression(e[1]), e[2]),
    'index': lambda e: '%s[%s]' % (expression(e[1]), expression(e[2])),
    'slice': lambda e: '%s[%s..%s]' % (expression(e[1]), optional(e[2]), optional(e[3])),
    'list': lambda e: '[%s]' % ', '.join(map(expression, e[1])),
    'map': lambda e: '{%s}' % ', '.join('%s: %s' % (n, expression(v)) for n, v in e[1]),
    'binary': lambda e: '(%s %s %s)' % (expression(e[2]), e[1], expression(e[3])),
    'between': lambda e: '(%s %s %s %s %s)' % (expression(e[1]), e[2], expression(e[3]), e[4], expression(e[5])),
    'not': lambda e: '(NOT %s)' % expression(e[1]),
    'negate': lambda e: '(-%s)' % expression(e[1]),
    'is null': lambda e: '(%s IS NULL)' % expression(e[1]),
    'is not null': lambda e: '(%s IS NOT NULL)' % expression(e[1]),
    'call': lambda e: '%s(%s)' % (e[1], ', '.join(map(expression, e[2]))),
    'case': case,
    'comprehension': comprehension,
    'quantifier': lambda e: '%s(%s IN %s WHERE %s)' % (e[1], e[2], expression(e[3]), expression(e[4])),
    'reduce': lambda e: 'reduce(%s = %s, %s IN %s | %s)' % (e[1], expression(e[2]), e[3], expression(e[4]), expression(e[5])),
    'labels': lambda e: '(%s%s)' % (expression(e[1]), ''.join(':' + n for n in e[2])),
    'map projection': projected_map,
    'inner': lambda e: '%s { MATCH %s%s }' % (e[1], ', '.join(map(part, e[2])), condition(e[3])),
    'pattern': lambda e: part(e[1]),
    'pattern comprehension': lambda e: '[%s%s | %s]' % (part(e[1]), condition(e[2]), expression(e[3])),
    'aggregate': aggregate,
}


def expression(e):
    return WRITERS[e[0]](e)


def properties(entries):
    return ' {%s}' % ', '.join('%s: %s' % (n, expression(v)) for n, v in entries) if entries else ''


def node(n):
    name, labels, entries = n
    return '(%s%s%s)' % (name or '', ''.join(':' + label for label in labels), properties(entries))


def hops(bounds):
    if bounds is None:
        return ''
    least, most = bounds
    if least is not None and least == most:
        return '*%d' % least
    return '*' + ('' if least is None and most is None else '%s..%s' % ('' if least is None else least, '' if most is None else most))


def relationship(r):
    name, types, way, entries, bounds = r
    inside = '%s%s%s%s' % (name or '', ':' + '|'.join(types) if types else '', hops(bounds), properties(entries))
    inside = '[%s]' % inside if inside else ''
    return {'->': '-%s->', '<-': '<-%s-', '--': '-%s-'}[way] % inside


def part(p):
    name, elements = p
    text = ''.join(relationship(x) if i % 2 else node(x) for i, x in enumerate(elements))
    return '%s = %s' % (name, text) if name else text


class Projection:
    """items: [(expression, name)]; order: [(expression, descending)]; where: of WITH."""

    def __init__(self, items, distinct=False, star=False, order=(), skip=None, limit=None, where=None):
        self.items, self.distinct, self.star, self.order = items, distinct, star, list(order)
        self.skip, self.limit, self.where = skip, limit, where

    def text(self):
        items = ['*'] * self.star + [expression(e) if e == ('variable', n) else '%s AS %s' % (expression(e), n) for e, n in self.items]
        text = 'DISTINCT ' * self.distinct + ', '.join(items)
        if self.order:
            text += ' ORDER BY ' + ', '.join(expression(e) + ' DESC' * descending for e, descending in self.order)
        text += ' SKIP %d' % self.skip if self.skip is not None else ''
        text += ' LIMIT %d' % self.limit if self.limit is not None else ''
        return text + condition(self.where)


def update(u):
    """An update of SET, REMOVE, ON CREATE and ON MATCH: of a variable, with what belongs to its kind."""
    if u[0] in ('labels', 'no labels'):
        return u[1] + ''.join(':' + n for n in u[2])
    if u[0] in ('property', 'no property'):
        return '%s.%s' % u[1:3] + (' = ' + expression(u[3]) if u[0] == 'property' else '')
    return '%s %s %s' % (u[1], {'all': '=', 'add': '+='}[u[0]], expression(u[2]))


def updating(c):
    if c[0] == 'create':
        return 'CREATE ' + ', '.join(map(part, c[1]))
    if c[0] == 'merge':
        on = [(' ON CREATE SET ', c[2]), (' ON MATCH SET ', c[3])]
        return 'MERGE ' + part(c[1]) + ''.join(word + ', '.join(map(update, updates)) for word, updates in on if updates)
    if c[0] == 'delete':
        return 'DETACH ' * c[1] + 'DELETE ' + ', '.join(c[2])
    if c[0] == 'foreach':
        return 'FOREACH (%s IN %s | %s)' % (c[1], expression(c[2]), ' '.join(map(clause, c[3])))
    return c[0].upper() + ' ' + ', '.join(map(update, c[1]))


def clause(c):
    if c[0] in ('create', 'merge', 'set', 'remove', 'delete', 'foreach'):
        return updating(c)
    if c[0] == 'match':
        return 'OPTIONAL ' * c[1] + 'MATCH ' + ', '.join(map(part, c[2])) + condition(c[3])
    if c[0] == 'unwind':
        return 'UNWIND %s AS %s' % (expression(c[1]), c[2])
    return c[0].upper() + ' ' + c[1].text()


def query(branches, keeps_all):
    """branches: lists of clauses; keeps_all: UNION ALL."""
    return (' UNION ALL ' if keeps_all else ' UNION ').join(' '.join(map(clause, b)) for b in branches)
