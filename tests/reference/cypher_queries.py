"""Random queries of openCypher that only read: patterns, and chains of clauses (cypher_text.py has their form)."""
from cypher_expressions import SCALARS, Expressions, comparable, is_list, variable
from cypher_text import Projection

KINDS = SCALARS + ['int', 'str', 'map', 'any', 'record', ('list', 'int'), ('list', 'str')]
BOUNDS = [(None, None), (0, 1), (0, None), (1, 2), (1, 3), (2, 2), (2, 3), (None, 2), (2, None)]


class Patterns:
    """Makes patterns. The inner queries of a query are few, since each searches for every row."""

    def __init__(self, rng, graph):
        self.rng, self.graph, self.searches = rng, graph, 0
        self.expressions = Expressions(rng, graph, self)

    def may_search(self):
        self.searches += 1
        return self.searches <= 4

    def node(self, scope, found, fresh):
        """Returns a node. found: the variables of the pattern so far; fresh: it may have a new variable."""
        rng = self.rng
        bound = [n for n, kind in scope.items() if kind == 'node']
        earlier = [n for n, kind in found.items() if kind == 'node']
        way = rng.random()
        if bound and way < 0.35:
            return (rng.choice(bound), self.labels(0.1), [])
        if earlier and way < 0.45:
            return (rng.choice(earlier), [], [])
        name = None
        if fresh and rng.random() < 0.8:
            name = self.expressions.fresh('n')
            found[name] = 'node'
        return (name, self.labels(0.3), self.properties(scope, [('x', 'int'), ('name', 'str'), ('b', 'bool')]))

    def labels(self, chance):
        rng, known = self.rng, self.graph.labels()
        return rng.sample(known, min(len(known), rng.choice([1, 1, 1, 2]))) if known and rng.random() < chance else []

    def properties(self, scope, columns):
        if self.rng.random() > 0.08:
            return []
        name, kind = self.rng.choice(columns)
        return [(name, self.expressions.make(kind, scope, 0))]

    def relationship(self, scope, found, fresh):
        rng, types = self.rng, self.graph.types()
        way = '--' if self.graph.undirected else rng.choice(['->', '->', '<-', '--'])
        kinds = sorted(rng.sample(types, rng.choice([1, min(2, len(types))]))) if types and rng.random() < 0.5 else []
        bounds = rng.choice(BOUNDS) if rng.random() < 0.2 else None
        bound = [n for n, kind in scope.items() if kind == 'rel' and n not in found]
        if fresh and bound and bounds is None and rng.random() < 0.12:
            name = rng.choice(bound)
            found[name] = 'rel'
            return (name, kinds, way, [], None)
        name = None
        if fresh and rng.random() < 0.5:
            name = self.expressions.fresh('r')
            found[name] = ('list', 'rel') if bounds else 'rel'
        return (name, kinds, way, self.properties(scope, [('w', 'int'), ('t', 'str')]), bounds)

    def path(self, scope, found, fresh, sizes, named=True):
        rng = self.rng
        elements = [self.node(scope, found, fresh)]
        for _ in range(rng.choice(sizes)):
            elements += [self.relationship(scope, found, fresh), self.node(scope, found, fresh)]
        name = None
        if fresh and named and rng.random() < 0.15:
            name = self.expressions.fresh('p')
            found[name] = 'path'
        return (name, elements)

    def parts(self, scope, sizes=(0, 1, 1, 1, 2, 2)):
        """Returns the parts of a MATCH and its new variables."""
        found = {}
        parts = [self.path(scope, found, True, sizes) for _ in range(self.rng.choice([1, 1, 1, 2]))]
        return parts, {n: kind for n, kind in found.items() if n not in scope}

    def inner(self, scope):
        """Returns (parts, where) of EXISTS or COUNT."""
        parts, found = self.parts(scope, (0, 1, 1, 2))
        where = self.expressions.make_bool(dict(scope, **found), 1) if self.rng.random() < 0.4 else None
        return parts, where

    def predicate(self, scope):
        """Returns a path without new variables, of at least one relationship, that begins at a bound node."""
        bound = self.rng.choice([n for n, kind in scope.items() if kind == 'node'])
        _, elements = self.path(scope, {}, False, (1, 1, 2))
        return (None, [(bound, [], [])] + elements[1:])

    def comprehension(self, scope):
        found = {}
        part = self.path(scope, found, True, (1, 1, 2), named=False)
        inner = dict(scope, **found)
        return part, self.expressions.make_bool(inner, 1) if self.rng.random() < 0.4 else None, inner


class Queries:
    def __init__(self, rng, graph):
        self.rng, self.graph, self.patterns = rng, graph, Patterns(rng, graph)
        self.expressions = self.patterns.expressions

    def match(self, scope):
        rng = self.rng
        parts, found = self.patterns.parts(scope)
        scope.update(found)
        where = self.expressions.make_bool(scope, 2, pattern=True) if rng.random() < 0.45 else None
        return ('match', rng.random() < 0.3, parts, where)

    def unwind(self, scope):
        rng = self.rng
        known = [kind for kind in scope.values() if is_list(kind)]
        kind = rng.choice(known) if known and rng.random() < 0.6 else (rng.choice(['list', 'list', 'bag']), rng.choice(KINDS[:9]))
        name = self.expressions.fresh('u')
        clause = ('unwind', self.expressions.make(kind, scope, 1), name)
        scope[name] = kind[1]
        return clause

    def aggregate(self, scope):
        """Returns an aggregate, alone or in an expression, and its type."""
        rng = self.rng
        way, distinct = rng.randrange(8), rng.random() < 0.3
        make = self.expressions.make
        if way == 0:
            return ('aggregate', 'count', False, None), 'int'
        if way == 1:
            kind = rng.choice(KINDS + [k for k in scope.values() if not (is_list(k) and k[0] == 'bag')])
            return ('aggregate', 'count', distinct, [make(kind, scope, 1)]), 'int'
        if way < 4:
            kind = rng.choice(['int', 'str', 'float', 'bool'])
            return ('aggregate', rng.choice(['min', 'max']), distinct, [make(kind, scope, 1)]), kind
        if way == 4:
            kind = rng.choice(['int', 'float'])
            total = ('aggregate', 'sum', distinct, [make(kind, scope, 1)])
            return (total, kind) if kind == 'float' else (('binary', '+', total, ('literal', 1)), kind)
        if way == 5:
            return ('aggregate', 'avg', distinct, [make(rng.choice(['int', 'float']), scope, 1)]), 'float'
        kind = rng.choice(['int', 'str', 'bool'] + [k for k in scope.values() if k in ('node', 'rel')])
        collected = ('aggregate', 'collect', distinct, [make(kind, scope, 1)])
        return (('call', 'size', [collected]), 'int') if rng.random() < 0.3 else (collected, ('bag', kind))

    def items(self, scope, last):
        """Returns ([(expression, name)], {name: type}, whether it aggregates)."""
        rng, items, kinds = self.rng, [], {}
        aggregates = rng.random() < 0.3
        kept = [n for n in scope if rng.random() < (0.5 if last else 0.75)]
        for name in kept[:5]:
            if aggregates and is_list(scope[name]) and scope[name][0] == 'bag':
                continue
            items.append((variable(name), name))
            kinds[name] = scope[name]
        for _ in range(rng.choice([0, 1, 1, 2])):
            kind, name = rng.choice(KINDS), self.expressions.fresh('v')
            items.append((self.expressions.make(kind, scope, 2), name))
            kinds[name] = kind
        for _ in range(rng.choice([1, 1, 2]) if aggregates or not items else 0):
            aggregates, name = True, self.expressions.fresh('g')
            e, kinds[name] = self.aggregate(scope)
            items.append((e, name))
        return items, kinds, aggregates

    def projection(self, scope, last, items, kinds, aggregates):
        """Returns the projection; kinds are the types of its items."""
        rng = self.rng
        bags = any(is_list(k) and k[0] == 'bag' for k in kinds.values())
        p = Projection(items, distinct=not bags and rng.random() < 0.15)
        seen = kinds if aggregates or p.distinct else dict(scope, **kinds)
        if rng.random() < 0.35:
            self.order(p, kinds, seen)
        if not last and rng.random() < 0.35:
            p.where = self.expressions.make_bool(kinds if aggregates or p.distinct else seen, 2)
        return p

    def order(self, p, kinds, seen):
        """Adds ORDER BY. SKIP and LIMIT are added only if rows with equal keys are equal."""
        rng = self.rng
        total = [(self.key(n, kind), rng.random() < 0.4) for n, kind in kinds.items()]
        if all(key for key, _ in total) and rng.random() < 0.7:
            rng.shuffle(total)
            p.order = total
            p.skip = rng.choice([None, 0, 1, 2])
            p.limit = rng.choice([None, 0, 1, 2, 5])
        else:
            kind = rng.choice(['int', 'str', 'any', 'bool'])
            p.order = [(self.expressions.make(kind, seen, 1), rng.random() < 0.5)]

    def key(self, name, kind):
        if kind == 'node' and self.expressions.whole_keys:
            return ('call', 'id', [variable(name)])
        return variable(name) if comparable(kind) else None

    def with_(self, scope):
        items, kinds, aggregates = self.items(scope, False)
        p = self.projection(scope, False, items, kinds, aggregates)
        scope.clear()
        scope.update(kinds)
        return ('with', p)

    def branch(self, columns=None):
        """Returns (clauses, types of columns). columns: the types of the columns of the first branch of a UNION."""
        rng, scope, clauses = self.rng, {}, []
        for i in range(rng.choice([1, 1, 2, 2, 3, 4])):
            way = rng.random()
            if way < (0.8 if i == 0 else 0.4):
                clauses.append(self.match(scope))
            elif way < (0.9 if i == 0 else 0.6):
                clauses.append(self.unwind(scope))
            else:
                clauses.append(self.with_(scope))
        if columns:
            items = [(self.expressions.make(kind, scope, 1), n) for n, kind in columns.items()]
            return clauses + [('return', Projection(items))], columns
        items, kinds, aggregates = self.items(scope, True)
        return clauses + [('return', self.projection(scope, True, items, kinds, aggregates))], kinds

    def query(self):
        """Returns (branches, UNION ALL, types of columns)."""
        rng = self.rng
        clauses, kinds = self.branch()
        branches, keeps_all = [clauses], rng.random() < 0.5
        bags = any(is_list(k) for k in kinds.values())
        while len(branches) < 3 and rng.random() < 0.12 and (keeps_all or not bags):
            branches.append(self.branch(kinds)[0])
        return branches, keeps_all, kinds
