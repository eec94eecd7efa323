"""Random expressions of openCypher (cypher_text.py has their form) for each type of value.

Types are 'int', 'float', 'str', 'bool', 'node', 'rel', 'path', 'map' (keys k, s and l), 'record' (properties of a node or
relationship), 'any', ('list', type) and ('bag', type): a list whose order is not defined. A scope is a dictionary from
variables to types. Every expression may be NULL."""
WORDS = ['Ann', 'Anna', 'Bob', 'x y', '7', '', 'Zoë', "o'k"]
CONSTANTS = [None, True, False, 0, 1, -3, 2.5, 'a', 'Ann', [], [1, None], [1, 2], ['a', 1], {}, {'k': 1}, {'k': None}, [[1]], [None]]
SCALARS = ['int', 'float', 'str', 'bool']
LISTS = [('list', t) for t in ('int', 'str', 'int', 'bool', 'float')]


def variable(name):
    return ('variable', name)


def value(v):
    return ('literal', v)


def comparable(kind):
    """True if ORDER BY and DISTINCT on values of this type give the same rows in every correct implementation."""
    return kind in SCALARS + ['map', 'record', 'any'] or (isinstance(kind, tuple) and kind[0] == 'list' and comparable(kind[1]))


def is_list(kind):
    return isinstance(kind, tuple)


class Expressions:
    """Makes expressions. `patterns` (cypher_queries.py) makes patterns for inner queries."""

    def __init__(self, rng, graph, patterns):
        self.rng, self.graph, self.patterns = rng, graph, patterns
        self.whole_keys = all(k.lstrip('-').isdigit() for k in graph.vertices)
        self.names = 0

    def fresh(self, prefix):
        self.names += 1
        return prefix + str(self.names)

    def of_type(self, scope, *kinds):
        return [variable(n) for n, kind in scope.items() if kind in kinds]

    def make(self, kind, scope, depth=2):
        rng = self.rng
        if rng.random() < 0.03:
            return value(None)
        known = self.of_type(scope, kind)
        if known and rng.random() < (0.45 if depth else 0.8):
            return rng.choice(known)
        if is_list(kind):
            return getattr(self, 'make_' + kind[0])(kind[1], scope, depth)
        return getattr(self, 'make_' + kind)(scope, depth)

    def common(self, kind, scope, depth):
        """Returns an expression that can have any type, or None."""
        rng = self.rng
        if not depth or rng.random() > 0.2:
            return None
        way = rng.randrange(4)
        if way == 0:
            arms = [(self.make('bool', scope, depth - 1), self.make(kind, scope, depth - 1)) for _ in range(rng.choice([1, 1, 2]))]
            return ('case', None, arms, self.make(kind, scope, depth - 1) if rng.random() < 0.6 else None)
        if way == 1:
            tested = rng.choice(['int', 'str'])
            arms = [(self.make(tested, scope, 0), self.make(kind, scope, depth - 1)) for _ in range(rng.choice([1, 1, 2]))]
            return ('case', self.make(tested, scope, depth - 1), arms, self.make(kind, scope, 0) if rng.random() < 0.6 else None)
        if way == 2:
            return ('call', 'coalesce', [self.make(kind, scope, depth - 1), self.make(kind, scope, 0)])
        items = self.make(('list', kind), scope, depth - 1)
        if rng.random() < 0.5:
            return ('call', rng.choice(['head', 'last']), [items])
        return ('index', items, rng.choice([value(0), value(1), value(-1), self.make('int', scope, 0)]))

    def element_property(self, scope, node_property, relationship_property):
        """Returns a property of an element, or None."""
        rng = self.rng
        elements = [(v, node_property) for v in self.of_type(scope, 'node')]
        elements += [(v, node_property) for v in self.of_type(scope, 'record')]
        elements += [(v, relationship_property) for v in self.of_type(scope, 'rel') if relationship_property]
        if not elements or rng.random() > 0.6:
            return None
        return ('property',) + rng.choice(elements)

    # scalars

    def make_int(self, scope, depth):
        rng = self.rng
        found = self.element_property(scope, 'x', 'w') or self.common('int', scope, depth)
        if found or not depth:
            return found or value(rng.choice([-2, -1, 0, 1, 2, 3, 7]))
        way = rng.randrange(10)
        if way < 3:
            return ('binary', rng.choice('+-*'), self.make('int', scope, depth - 1), self.make('int', scope, depth - 1))
        if way == 3:
            return ('binary', rng.choice('/%'), self.make('int', scope, depth - 1), value(rng.choice([2, 3, -2, 5])))
        if way == 4:
            kind = rng.choice(['str'] + LISTS + [('bag', 'int')])
            return ('call', 'size', [self.make(kind, scope, depth - 1)])
        if way == 5:
            a, i = self.fresh('a'), self.fresh('i')
            inner = dict(scope, **{a: 'int', i: 'int'})
            return ('reduce', a, self.make('int', scope, 0), i, self.make(('list', 'int'), scope, depth - 1),
                    ('binary', '+', variable(a), self.make('int', inner, 0)))
        if way == 6 and self.of_type(scope, 'path'):
            return ('call', 'length', [rng.choice(self.of_type(scope, 'path'))])
        if way == 7 and self.patterns.may_search():
            return ('inner', 'COUNT') + self.patterns.inner(scope)
        if way == 8 and self.whole_keys and self.of_type(scope, 'node'):
            return ('call', 'id', [rng.choice(self.of_type(scope, 'node'))])
        if way == 9 and self.of_type(scope, 'map'):
            return ('property', rng.choice(self.of_type(scope, 'map')), 'k')
        return rng.choice([('negate', self.make('int', scope, depth - 1)),
                           ('call', rng.choice(['abs', 'sign']), [self.make('int', scope, depth - 1)])])

    def make_float(self, scope, depth):
        rng = self.rng
        found = self.element_property(scope, 'f', None) or self.common('float', scope, depth)
        if found or not depth:
            return found or value(rng.choice([0.5, -1.5, 2.25, 3.5]))
        if rng.random() < 0.3:
            return ('call', 'toFloat', [self.make('int', scope, depth - 1)])
        return ('binary', rng.choice('+-*'), self.make('float', scope, depth - 1),
                self.make(rng.choice(['int', 'float']), scope, depth - 1))

    def make_str(self, scope, depth):
        rng = self.rng
        found = self.element_property(scope, 'name', 't') or self.common('str', scope, depth)
        if found or not depth:
            return found or value(rng.choice(WORDS))
        way = rng.randrange(7)
        text = self.make('str', scope, depth - 1)
        if way == 0:
            return ('binary', '+', text, self.make('str', scope, depth - 1))
        if way == 1:
            return ('call', rng.choice(['toUpper', 'toLower', 'reverse']), [text])
        if way == 2:
            return ('call', 'substring', [text, value(rng.choice([0, 1, 2])), value(rng.choice([0, 1, 3]))])
        if way == 3:
            return ('call', 'toString', [self.make(rng.choice(['int', 'bool', 'str']), scope, depth - 1)])
        if way == 4 and self.of_type(scope, 'rel'):
            return ('call', 'type', [rng.choice(self.of_type(scope, 'rel'))])
        if way == 5 and self.of_type(scope, 'map'):
            return ('property', rng.choice(self.of_type(scope, 'map')), 's')
        return rng.choice([('call', 'replace', [text, value('n'), value(rng.choice(['', 'nn', 'b']))]),
                           ('call', 'left', [text, value(rng.choice([0, 1, 2]))])])

    def make_bool(self, scope, depth, pattern=False):
        """pattern: a pattern may be the condition, or a part of it."""
        rng = self.rng
        if not depth:
            return self.element_property(scope, 'b', None) or self.comparison(scope, 0)
        found = self.common('bool', scope, depth)
        if found:
            return found
        way = rng.randrange(13)
        if way < 3:
            sides = [self.make_bool(scope, depth - 1, pattern) for _ in range(2)]
            return ('binary', rng.choice(['AND', 'OR', 'XOR'])) + tuple(sides)
        if way == 3:
            return ('not', self.make_bool(scope, depth - 1, pattern))
        if way == 4:
            kind = rng.choice(SCALARS + LISTS + ['any', 'map'] + [k for k in scope.values() if not is_list(k)])
            return (rng.choice(['is null', 'is not null']), self.make(kind, scope, depth - 1))
        if way == 5:
            kind = rng.choice(['int', 'str', 'any'])
            return ('binary', 'IN', self.make(kind, scope, depth - 1), self.make((rng.choice(['list', 'bag']), kind), scope, depth - 1))
        if way == 6:
            sign = rng.choice(['STARTS WITH', 'ENDS WITH', 'CONTAINS'])
            return ('binary', sign, self.make('str', scope, depth - 1), self.make('str', scope, depth - 1))
        if way == 7:
            kind, name = rng.choice(['int', 'str', 'any']), self.fresh('q')
            items = self.make((rng.choice(['list', 'list', 'bag']), kind), scope, depth - 1)
            inner = dict(scope, **{name: kind})
            return ('quantifier', rng.choice(['all', 'any', 'none', 'single']), name, items, self.make_bool(inner, depth - 1))
        if way == 8 and self.of_type(scope, 'node'):
            return self.node_condition(scope)
        if way in (9, 10) and self.patterns.may_search():
            if pattern and rng.random() < 0.5 and self.of_type(scope, 'node'):
                return ('pattern', self.patterns.predicate(scope))
            return ('inner', 'EXISTS') + self.patterns.inner(scope)
        return self.comparison(scope, depth - 1)

    def node_condition(self, scope):
        rng = self.rng
        nodes = self.of_type(scope, 'node')
        if self.graph.labels() and rng.random() < 0.6:
            names = self.graph.labels()
            return ('labels', rng.choice(nodes), rng.sample(names, min(len(names), rng.choice([1, 1, 2]))))
        return ('binary', rng.choice(['=', '<>']), rng.choice(nodes), rng.choice(nodes))

    def comparison(self, scope, depth):
        rng = self.rng
        kind = rng.choice(['int', 'int', 'float', 'str', 'str', 'bool', 'any', 'map', ('list', 'int'), ('list', 'any')])
        sides = [self.make(kind, scope, depth) for _ in range(3)]
        if rng.random() < 0.1:
            signs = [rng.choice(['<', '<=', '=']) for _ in range(2)]
            return ('between', sides[0], signs[0], sides[1], signs[1], sides[2])
        return ('binary', rng.choice(['=', '<>', '<', '<=', '>', '>=']), sides[0], sides[1])

    # elements

    def make_node(self, scope, depth):
        known = self.of_type(scope, 'node')
        return self.rng.choice(known) if known else value(None)

    def make_rel(self, scope, depth):
        known = self.of_type(scope, 'rel')
        return self.rng.choice(known) if known else value(None)

    def make_path(self, scope, depth):
        known = self.of_type(scope, 'path')
        return self.rng.choice(known) if known else value(None)

    # maps, lists and others

    def make_any(self, scope, depth):
        rng = self.rng
        if depth and rng.random() < 0.5:
            return self.make(rng.choice(['int', 'str', 'bool', 'map', ('list', 'int'), ('list', 'str')]), scope, depth - 1)
        return value(rng.choice(CONSTANTS))

    def make_map(self, scope, depth):
        depth = max(0, depth - 1)
        return ('map', [('k', self.make('int', scope, depth)), ('s', self.make('str', scope, depth)),
                        ('l', self.make(('list', 'int'), scope, depth))])

    def make_record(self, scope, depth):
        rng, nodes = self.rng, self.of_type(scope, 'node')
        if not nodes:
            return value(None)
        subject = rng.choice(nodes)
        if rng.random() < 0.3:
            return ('call', 'properties', [subject])
        parts = [part for part in (('all',) + (None,), ('property', 'x'), ('property', 'name'),
                                   ('entry', 'z', self.make('int', scope, max(0, depth - 1)))) if rng.random() < 0.5]
        parts = [p for i, p in enumerate(parts) if p[0] != 'property' or parts[0][0] != 'all']
        return ('map projection', subject[1], parts or [('all', None)])

    def make_list(self, kind, scope, depth):
        rng = self.rng
        if not depth:
            return ('list', [self.make(kind, scope, 0) for _ in range(rng.choice([0, 1, 2, 3]))])
        found = self.common(('list', kind), scope, depth) if not is_list(kind) else None
        if found:
            return found
        way = rng.randrange(8)
        if way == 0 and kind == 'int':
            ends = [self.make('int', scope, 0), value(rng.choice([2, 4])), value(rng.choice([1, 2, -1]))]
            return ('call', 'range', [value(rng.choice([-1, 0, 1, 3]))] + ends[1:2 + rng.randrange(2)])
        if way == 0 and kind == 'str':
            return ('call', 'split', [self.make('str', scope, depth - 1), value('n')])
        if way == 1:
            return self.comprehension(kind, ('list', rng.choice([kind, kind, 'int', 'str'])), scope, depth)
        items = self.make(('list', kind), scope, depth - 1)
        if way == 2:
            return ('binary', '+', items, self.make(('list', kind), scope, depth - 1))
        if way == 3:
            bounds = [value(rng.choice([0, 1, 2, -1, -2])) if rng.random() < 0.7 else None for _ in range(2)]
            return ('slice', items) + tuple(bounds)
        if way == 4:
            return ('call', rng.choice(['tail', 'reverse']), [items])
        if way == 5 and kind in ('node', 'rel') and self.of_type(scope, 'path'):
            return ('call', {'node': 'nodes', 'rel': 'relationships'}[kind], [rng.choice(self.of_type(scope, 'path'))])
        return ('list', [self.make(kind, scope, depth - 1) for _ in range(rng.choice([0, 1, 2, 3]))])

    def comprehension(self, kind, items, scope, depth):
        name = self.fresh('i')
        inner = dict(scope, **{name: items[1]})
        where = self.make_bool(inner, depth - 1) if self.rng.random() < 0.6 else None
        same = items[1] == kind and self.rng.random() < 0.5
        return ('comprehension', name, self.make(items, scope, depth - 1), where, None if same else self.make(kind, inner, depth - 1))

    def make_bag(self, kind, scope, depth):
        rng = self.rng
        if depth and rng.random() < 0.3:
            return self.comprehension(kind, ('bag', rng.choice(['int', 'str'])), scope, depth)
        if kind == 'str' and self.of_type(scope, 'node') and rng.random() < 0.5:
            return ('call', rng.choice(['labels', 'keys']), [rng.choice(self.of_type(scope, 'node'))])
        if depth and self.patterns.may_search():
            part, where, inner = self.patterns.comprehension(scope)
            return ('pattern comprehension', part, where, self.make(kind, inner, depth - 1))
        return ('list', [self.make(kind, scope, 0) for _ in range(rng.choice([0, 1, 2]))])
