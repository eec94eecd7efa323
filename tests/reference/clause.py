"""Queries of the whole language as structures, and their text.

A Pattern is the text after one MATCH: vertices [(name, [labels])], edges [(name, from, to, 'out' | 'either',
[types], hops)] with hops None or (min, max), and conditions. A Clauses is a whole query: a match, optional matches,
projections."""
from expression import expr_cypher, expr_variables, parameters, sub_patterns
from reference import Query


class Pattern(Query):
    """A pattern of one MATCH. bound: the names that an enclosing or earlier pattern has defined."""

    def __init__(self, name, vertices, edges, where=(), bound=()):
        super().__init__(name, vertices, [tuple(e) + (None,) * (6 - len(e)) for e in edges], where)
        self.bound = set(bound)

    def copied(self, **fields):
        other = Pattern(self.name, self.vertices, self.edges, self.where, self.bound)
        other.__dict__.update(fields)
        return other

    def own(self):
        """Returns the names that this pattern defines, without the names of its sub-patterns."""
        return [n for n in [v[0] for v in self.vertices] + [e[0] for e in self.edges] if n not in self.bound]

    def outer_variables(self):
        names = {v[0] for v in self.vertices}.union(*(expr_variables(e) for e in self.where), set())
        return names - set(self.own())

    def parameters(self):
        return {k: v for e in self.where for k, v in parameters(e).items()}

    def path_edges(self):
        return [e for e in self.edges if e[5]]

    def named(self):
        """Returns the names that must appear in the text."""
        return set().union(*(expr_variables(e) for e in self.where), set())

    def text_of_match(self, rng, used):
        """Returns `paths WHERE condition`, written in one of many ways."""
        parts, where = self.parts(rng, used | self.named() | self.bound)
        text = ', '.join(parts)
        if where:
            text += ' WHERE ' + ' AND '.join(self.conjunct(e, rng) for e in where)
        return text

    @staticmethod
    def conjunct(e, rng):
        text = expr_cypher(e, rng)
        return '(%s)' % text if isinstance(e, tuple) and e[0] in ('or', 'xor', 'and') else text

    def sub_text(self, op, rng):
        if op == 'pattern':
            parts, _ = self.parts(rng, self.bound, names=False)
            return parts[0]
        text = self.text_of_match(rng, set())
        word = 'MATCH ' if op == 'exists' or self.where else ''
        return '%s { %s%s }' % (op.upper(), word, text)

    def split_where(self, rng):
        """Splits the conditions. Only equalities about the pattern's own elements can be written {x: literal}."""
        here = {v[0] for v in self.vertices} | {e[0] for e in self.edges if not e[5]}
        plain = [e for e in self.where if expr_variables(e) <= here and not parameters(e)]
        every, self.where = self.where, plain
        inline, where = super().split_where(rng)
        self.where = every
        return inline, where + [e for e in every if e not in plain]

    def edge_text(self, edge, before, named, properties, rng):
        if not edge[5]:
            return super().edge_text(edge[:5], before, named, properties, rng)
        text = super().edge_text(('',) + edge[1:5], before, False, [], rng)
        m, n = edge[5]
        hops = '*%d..%d' % (m, n)
        if m == n and rng.random() < 0.5:
            hops = '*%d' % n
        elif m == 1 and rng.random() < 0.5:
            hops = '*..%d' % n
        return text.replace(']', hops + ']')

    def signature(self, names):
        """Returns a text that identifies the pattern with variables renamed by `names`. The text does not depend on the
        pattern's own names."""
        own = [v[0] for v in self.vertices if v[0] not in names]
        return min(self.renamed_text(dict(names, **renaming)) for renaming in renamings(own))

    def renamed_text(self, names):
        def end(v):
            return names[v]
        vertices = sorted(end(v) for v, labels in self.vertices)
        edges = []
        for e, a, b, way, types, hops in self.edges:
            ends = (end(a), end(b)) if way == 'out' else tuple(sorted((end(a), end(b))))
            edges.append((ends, way, tuple(types), str(hops), names.get(e, '')))
        # a label is a condition, wherever it is written
        conditions = [expr_signature(e, names) for condition in self.where for e in conjuncts(condition)]
        conditions += [expr_signature(('label', v, *labels), names) for v, labels in self.vertices if labels]
        return repr((vertices, sorted(edges), sorted(set(conditions))))


def renamings(own):
    """Yields every renaming of the pattern's own vertices."""
    import itertools
    for order in itertools.permutations(range(len(own))):
        yield {v: '~%d' % i for v, i in zip(own, order)}


NEGATED = {'eq': 'ne', 'ne': 'eq', 'lt': 'ge', 'ge': 'lt', 'gt': 'le', 'le': 'gt', 'isnull': 'notnull', 'notnull': 'isnull',
           'and': 'or', 'or': 'and'}


def conjuncts(e, negative=False):
    """Returns the conditions that all hold if and only if `e` holds (or, if negative, does not hold), with as few NOT
    as possible."""
    operator = e[0] if isinstance(e, tuple) else None
    if operator == 'not':
        return conjuncts(e[1], not negative)
    if negative and operator in ('and', 'or'):
        e = (NEGATED[operator],) + tuple(('not', child) for child in e[1:])
    elif negative and operator in NEGATED:
        e = (NEGATED[operator],) + tuple(e[1:])
    elif negative:
        return [('not', e)]
    if isinstance(e, tuple) and e[0] == 'and':
        return [c for child in e[1:] for c in conjuncts(child)]
    if isinstance(e, tuple) and e[0] == 'or':
        alternatives = [conjuncts(child) for child in e[1:]]
        return [('or',) + tuple(a[0] if len(a) == 1 else ('and', *a) for a in alternatives)]
    return [e]


def expr_signature(e, names):
    if isinstance(e, tuple) and e[0] in ('exists', 'count', 'pattern'):
        return '%s %s' % (e[0].replace('pattern', 'exists'), e[1].signature(names))
    if isinstance(e, tuple) and e[0] == 'label':
        return 'label %s %s' % (names[e[1]], sorted(e[2:]))
    if isinstance(e, tuple):
        if e[0] in ('gt', 'ge'):
            e = ({'gt': 'lt', 'ge': 'le'}[e[0]], e[2], e[1])
        parts = [expr_signature(c, names) for c in e[1:]]
        return '%s(%s)' % (e[0], ', '.join(sorted(parts) if e[0] in ('and', 'or', 'eq', 'ne') else parts))
    if isinstance(e, str) and type(e) is str:
        variable, dot, attribute = e.partition('.')
        return names.get(variable, variable) + dot + attribute
    return repr(e)


class Item:
    """expr, or an aggregate (count, sum, min, max, avg, collect) of expr. count of None is count(*)."""

    def __init__(self, expr, alias, aggregate=None, distinct=False):
        self.expr, self.alias, self.aggregate, self.distinct = expr, alias, aggregate, distinct

    def text(self, rng):
        text = '*' if self.expr is None else expr_cypher(self.expr, rng)
        if self.aggregate:
            text = '%s(%s%s)' % (self.aggregate, 'DISTINCT ' * self.distinct, text)
        return text if text == self.alias else '%s AS %s' % (text, self.alias)


class Projection:
    """RETURN or WITH: items and DISTINCT. RETURN may have order [(expression, descending)], SKIP and LIMIT; WITH may
    have conditions."""

    def __init__(self, items, distinct=False, order=(), skip=None, limit=None, where=()):
        self.items, self.distinct, self.order, self.skip, self.limit = list(items), distinct, list(order), skip, limit
        self.where = list(where)

    def grouped(self):
        return any(item.aggregate for item in self.items)

    def text(self, word, rng):
        text = word + ' DISTINCT' * self.distinct + ' ' + ', '.join(item.text(rng) for item in self.items)
        if self.order:
            text += ' ORDER BY ' + ', '.join(expr_cypher(e, rng) + (' DESC' if down else rng.choice(['', ' ASC']))
                                             for e, down in self.order)
        text += ' SKIP %d' % self.skip if self.skip is not None else ''
        text += ' LIMIT %d' % self.limit if self.limit is not None else ''
        if self.where:
            text += ' WHERE ' + ' AND '.join(Pattern.conjunct(e, rng) for e in self.where)
        return text

    def expressions(self):
        return [i.expr for i in self.items if i.expr is not None] + [e for e, _ in self.order] + self.where


class Clauses:
    def __init__(self, match, optionals=(), with_clause=None, result=None):
        self.match, self.optionals, self.with_clause, self.result = match, list(optionals), with_clause, result
        self.text = None

    def patterns(self):
        return [self.match] + self.optionals

    def expressions(self):
        projections = [p for p in (self.with_clause, self.result) if p]
        return [e for p in self.patterns() for e in p.where] + [e for p in projections for e in p.expressions()]

    def parameters(self):
        return {k: v for e in self.expressions() for k, v in parameters(e).items()}

    def arrange(self, rng):
        """Writes the query in one of many ways. Afterwards its variables are in their order of appearance in the text."""
        used = set().union(*(expr_variables(e) for e in self.expressions()), set())
        for later in self.optionals:
            used |= {v[0] for v in later.vertices}
        texts = ['MATCH ' + self.match.text_of_match(rng, used)]
        texts += ['OPTIONAL MATCH ' + p.text_of_match(rng, used) for p in self.optionals]
        if self.with_clause:
            texts.append(self.with_clause.text('WITH', rng))
        if self.result:
            texts.append(self.result.text('RETURN', rng))
        self.text = ' '.join(texts)

    def points(self):
        """Returns the query's vertices and its edges, each in order of appearance."""
        patterns = self.patterns()
        vertices = [v[0] for p in patterns for v in p.vertices if v[0] not in p.bound]
        return vertices, [e[0] for p in patterns for e in p.edges]


def has_sub_patterns(query):
    return any(sub_patterns(e) for e in query.expressions())
