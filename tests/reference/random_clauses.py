"""Random queries of the whole language over a random graph. A feature is a group of constructs that can be excluded."""
from clause import Clauses, Item, Pattern, Projection
from expression import Text
from random_query import random_leaf

FEATURES = ['where', 'parameters', 'edges', 'exists', 'optional', 'paths', 'disconnected', 'group']
REGULAR = ['A.*', '.*o.*', '[A-J].*', 'Ann|Bob', '(?i)ann', 'B', '.', '[^x]+', 'Jack(son)?', '', '.*n+a?', '\\w+ \\w+']
HOPS = [(0, 1), (0, 2), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3)]
LETTERS = ['a', 'b', 'c', 'd', 'x1', 'u', 'v', 'y2', 'p', 'q', 's', 'z']


class Maker:
    """Makes one query. Each name is used once."""

    def __init__(self, rng, graph, features, most):
        self.rng, self.graph, self.features, self.most = rng, graph, features, most
        self.names, self.edge_count, self.parameter_count = list(LETTERS), 0, 0
        self.lists, self.behind_with = set(), False
        self.whole_keys = all(k.lstrip('-').isdigit() for k in graph.vertices)
        self.texts = graph.known('name') or ['Ann']

    def on(self, feature, chance):
        return feature in self.features and self.rng.random() < chance

    # patterns

    def labels(self):
        known = self.graph.labels()
        return sorted(self.rng.sample(known, 1)) if known and self.rng.random() < 0.3 else []

    def edge(self, a, b, paths=True):
        rng, types = self.rng, self.graph.types()
        way = 'either' if self.graph.undirected or rng.random() < 0.35 else 'out'
        kinds = []
        if types and rng.random() < 0.7:
            kinds = sorted(rng.sample(types, rng.choice([1, min(2, len(types))])))
        hops = rng.choice(HOPS) if paths and self.on('paths', 0.35) else None
        self.edge_count += 1
        a, b = (a, b) if rng.random() < 0.6 else (b, a)
        return ('e%d' % self.edge_count, a, b, way, kinds, hops)

    def pattern(self, given, fresh, outer_edges=(), more=(0, 0, 1), parts=1):
        """Returns a connected pattern with the given vertices and up to `fresh` vertices of its own."""
        rng = self.rng
        own = [self.names.pop(0) for _ in range(min(fresh, len(self.names)))]
        names = list(given) + own
        groups = [names[i::parts] for i in range(parts)]
        edges = []
        for group in groups:
            for i in range(1, len(group)):
                edges.append(self.edge(rng.choice(group[:i]), group[i]))
        for _ in range(rng.choice(more)):
            a, b = rng.choice(names), rng.choice(names)
            if a != b or rng.random() < 0.2:
                edges.append(self.edge(a, b))
        if len(names) == 1 and given:
            edges.append(self.edge(names[0], names[0]))
        vertices = [(n, [] if n in given else self.labels()) for n in names]
        pattern = Pattern('p', vertices, edges, bound=given)
        return pattern

    # expressions

    def constant(self, value):
        if self.on('parameters', 0.25):
            self.parameter_count += 1
            return ('param', 'p%d' % self.parameter_count, value)
        return value

    def number(self, scope, depth=1):
        rng = self.rng
        vertices, edges = scope
        way = rng.random()
        if depth and self.on('where', 0.35):
            op = rng.choice(['add', 'sub', 'mul', 'div', 'mod'])
            left = self.number(scope, depth - 1)
            if op in ('div', 'mod'):
                return (op, left, self.constant(rng.choice([-3, -2, 1, 2, 3, 0.5])))
            return (op, left, self.number(scope, depth - 1))
        if self.on('where', 0.06):
            return ('neg', self.number(scope, 0))
        if edges and self.on('edges', 0.3):
            return rng.choice(edges) + '.w'
        if vertices and self.whole_keys and way < 0.1:
            return ('id', rng.choice(vertices))
        if vertices and way < 0.75:
            return rng.choice(vertices) + rng.choice(['.x', '.x', '.f'])
        if vertices and self.on('where', 0.3):
            return ('size', self.string(scope, 0))
        return self.constant(rng.choice([-1, 0, 1, 2, 3, 0.5, 2.0]))

    def string(self, scope, depth=1):
        rng = self.rng
        vertices, edges = scope
        if depth and self.on('where', 0.3):
            return ('add', self.string(scope, 0), self.string(scope, 0))
        if self.on('where', 0.25):
            return (rng.choice(['lower', 'upper']), self.string(scope, 0))
        if edges and self.on('edges', 0.3):
            edge = rng.choice(edges)
            return rng.choice([edge + '.t', ('type', edge)])
        if vertices and rng.random() < 0.8:
            return rng.choice(vertices) + '.name'
        return self.constant(Text(rng.choice(self.texts)))

    def condition(self, scope, depth=2, inner=True):
        rng = self.rng
        vertices, edges = scope
        way = rng.random()
        if depth and way < 0.35:
            op = rng.choice(['and', 'or', 'not'] + ['xor'] * ('where' in self.features))
            children = [self.condition(scope, depth - 1, inner) for _ in range(1 if op == 'not' else 2)]
            return (op,) + tuple(children)
        if inner and vertices and self.on('exists', 0.4):
            return self.sub_condition(scope, depth)
        if vertices and not self.on('where', 0.7):
            leaf = random_leaf(rng, self.graph, rng.choice(vertices), None)
            return leaf or ('notnull', rng.choice(vertices) + '.x')
        return self.new_leaf(scope)

    def new_leaf(self, scope):
        rng = self.rng
        vertices, edges = scope
        way = rng.random()
        if way < 0.35:
            return (rng.choice(['eq', 'ne', 'lt', 'le', 'gt', 'ge']), self.number(scope), self.number(scope))
        if way < 0.5:
            return (rng.choice(['eq', 'ne', 'lt', 'ge']), self.string(scope), self.string(scope))
        if way < 0.62:
            text = rng.choice(self.texts)
            return (rng.choice(['contains', 'starts', 'ends']), self.string(scope, 0), self.constant(Text(text[:1])))
        if way < 0.74:
            return ('matches', self.string(scope, 0), self.constant(Text(rng.choice(REGULAR))))
        if way < 0.8 and vertices and self.graph.labels():
            return ('inlabels', Text(rng.choice(self.graph.labels())), rng.choice(vertices))
        if way < 0.85 and edges and self.graph.types():
            return (rng.choice(['eq', 'ne']), ('type', rng.choice(edges)), Text(rng.choice(self.graph.types())))
        if way < 0.9:
            return (rng.choice(['isnull', 'notnull']), rng.choice([self.number, self.string])(scope))
        if way < 0.94 and vertices:
            return rng.choice(vertices) + '.b'
        choices = [self.constant(rng.choice([-1, 0, 1, 2, None])) for _ in range(rng.randint(0, 3))]
        return ('in', self.number(scope)) + tuple(choices)

    def sub_condition(self, scope, depth):
        rng = self.rng
        vertices, edges = scope
        given = rng.sample(vertices, min(len(vertices), rng.choice([1, 1, 2])))
        way = rng.random()
        fresh = rng.choice([0, 1]) if len(given) > 1 else 1
        if len(self.names) < 2:
            fresh = 0
        if way < 0.4:
            sub = self.pattern(given, fresh, more=(0,))
            if len(sub.edges) == 1:
                sub.vertices = [(v, []) if v in given else (v, labels) for v, labels in sub.vertices]
                return ('not', ('pattern', sub)) if rng.random() < 0.5 else ('pattern', sub)
            return ('exists', sub)
        sub = self.pattern(given, rng.choice([fresh, min(2, len(self.names))]))
        inner_scope = ([v[0] for v in sub.vertices] + rng.sample(vertices, rng.choice([0, 0, min(1, len(vertices))])),
                       [e[0] for e in sub.edges if not e[5]])  # a sub-pattern cannot use edges of the enclosing pattern
        if way < 0.75:
            if rng.random() < 0.6:
                sub.where = [self.condition(inner_scope, 1, inner=depth > 0 and rng.random() < 0.5)]
            return ('not', ('exists', sub)) if rng.random() < 0.5 else ('exists', sub)
        if rng.random() < 0.3:
            sub.where = [self.condition(inner_scope, 0, inner=False)]
        return (rng.choice(['eq', 'lt', 'gt', 'ge']), ('count', sub), self.constant(rng.choice([0, 1, 2])))

    # clauses

    def clauses(self):
        rng = self.rng
        has_edges = bool(self.graph.edges)
        count = min(self.most, rng.choice([1, 2, 2, 3, 3, 4])) if has_edges else 1
        parts = 2 if count < 4 and self.on('disconnected', 0.4) else 1
        match = self.pattern([], max(count, parts), parts=parts, more=(0, 0, 1, 1) if has_edges else (0,))
        scope = self.scope([match])
        match.where = [self.condition(scope) for _ in range(rng.choice([0, 0, 1, 1, 2]))]
        optionals = []
        for _ in range(rng.choice([1, 1, 2]) if self.on('optional', 0.7) else 0):
            vertices = self.scope([match] + optionals)[0]
            given = rng.sample(vertices, min(len(vertices), rng.choice([1, 1, 2])))
            if not self.names:
                break
            fresh = rng.choice([0, 1, 1, 2] if len(given) > 1 else [1, 1, 2])
            optional = self.pattern(given, fresh, more=(0, 0, 1))
            scope = self.scope([match] + optionals + [optional])[0], self.scope([optional])[1]
            if rng.random() < 0.5:
                optional.where = [self.condition(scope, 1)]
            optionals.append(optional)
        scope = self.scope([match] + optionals)
        query = Clauses(match, optionals)
        if self.on('group', 0.8):
            self.projections(query, scope)
        else:
            query.result = Projection(self.items(scope[0], scope))
        query.arrange(rng)
        return query

    @staticmethod
    def scope(patterns):
        vertices = [v[0] for p in patterns for v in p.vertices if v[0] not in p.bound]
        return vertices, [e[0] for p in patterns for e in p.edges if not e[5]]

    def value(self, scope):
        rng = self.rng
        vertices, edges = scope
        way = rng.random()
        if vertices and way < 0.3:
            return rng.choice(vertices)
        if 'where' in self.features and way < 0.65:
            return rng.choice([self.number, self.string])(scope)
        if 'where' in self.features and vertices and way < 0.7:
            return ('labels', rng.choice(vertices))
        if vertices and not self.behind_with and self.names and way > 0.85 and self.on('exists', 0.6):
            given = rng.sample(vertices, 1)
            return (rng.choice(['count', 'exists']), self.pattern(given, 1, more=(0,)))
        if edges and 'edges' in self.features and way < 0.8:
            return rng.choice([rng.choice(edges) + '.w', ('type', rng.choice(edges))])
        return rng.choice(vertices) + rng.choice(['.x', '.name', '.f', '.b']) if vertices else self.constant(1)

    def items(self, vertices, scope, prefix='i'):
        """Returns items without aggregates."""
        rng = self.rng
        items = [Item(v, v) for v in vertices if rng.random() < 0.8] or [Item(vertices[0], vertices[0])]
        for i in range(rng.choice([0, 0, 1, 2])):
            items.append(Item(self.value(scope), prefix + str(i)))
        rng.shuffle(items)
        return items

    def aggregate(self, scope, alias):
        rng = self.rng
        way = rng.choice(['count', 'count', 'sum', 'min', 'max', 'avg', 'collect'])
        if way == 'count':
            distinct = rng.random() < 0.4
            return Item(None if not distinct and rng.random() < 0.4 else self.value(scope), alias, 'count', distinct)
        if way in ('sum', 'avg'):
            return Item(self.number(scope, 0), alias, way)
        vertices, edges = scope
        plain = rng.choice(vertices) + rng.choice(['.x', '.name', '.f', '.b']) if vertices else 1
        return Item(rng.choice([plain, self.number(scope, 0)]), alias, way, way == 'collect' and rng.random() < 0.3)

    def grouped_items(self, scope, prefix='g', keys=('k1', 'k2')):
        rng = self.rng
        vertices = scope[0]
        items = [Item(v, v) for v in rng.sample(vertices, min(len(vertices), rng.choice([0, 1, 1, 2])))]
        items += [Item(self.value(scope), keys[0])] * (rng.random() < 0.3)
        items += [Item(self.value(scope), keys[1])] * (rng.random() < 0.2)
        items += [self.aggregate(scope, prefix + str(i)) for i in range(rng.choice([1, 1, 2]))]
        rng.shuffle(items)
        return items

    def projections(self, query, scope):
        rng = self.rng
        if rng.random() < 0.35:
            grouped = rng.random() < 0.75
            items = self.grouped_items(scope) if grouped else self.items(scope[0], scope)
            self.note_lists(items)
            query.with_clause = Projection(items, distinct=not grouped and rng.random() < 0.5)
            counts = [i.alias for i in items if i.aggregate == 'count']
            if rng.random() < 0.7 and counts:
                bound = self.constant(rng.randint(0, 3))
                query.with_clause.where = [(rng.choice(['ge', 'gt', 'eq', 'lt', 'ne']), rng.choice(counts), bound)]
            self.behind_with = True
            scope = ([i.alias for i in items if not i.aggregate and i.alias in scope[0]], [])
            aliases = [i.alias for i in items if i.alias not in scope[0]]
            self.final(query, scope, aliases)
        else:
            self.final(query, scope, [])

    def sortable(self, item, scope):
        """False for vertices and lists, which have no order."""
        return item.alias not in self.lists and (item.aggregate or item.expr not in scope[0])

    def note_lists(self, items):
        self.lists |= {i.alias for i in items if i.aggregate == 'collect' or i.expr in self.lists or
                       isinstance(i.expr, tuple) and i.expr[0] == 'labels'}

    def final(self, query, scope, aliases):
        rng = self.rng
        grouped = rng.random() < 0.5
        if grouped and scope[0]:
            items = self.grouped_items(scope, 'h', ('l1', 'l2'))
        elif scope[0]:
            items = self.items(scope[0], scope, 'j')
        else:
            items = []
        items += [Item(a, a) for a in aliases if rng.random() < 0.7]
        items = items or [Item(None, 'n', 'count')]
        rng.shuffle(items)
        self.note_lists(items)
        grouped = any(i.aggregate for i in items)
        result = Projection(items, distinct=rng.random() < 0.3)
        if rng.random() < 0.5:
            sortable = [i for i in items if self.sortable(i, scope)]
            by = rng.sample(sortable, min(len(sortable), rng.choice([1, 1, 2])))
            result.order = [(i.alias, rng.random() < 0.4) for i in by]
            if not grouped and not result.distinct and rng.random() < 0.3:
                result.order.append((self.number(scope), rng.random() < 0.5))
        if rng.random() < 0.2:
            result.skip = rng.randint(0, 4)
        if rng.random() < 0.3:
            result.limit = rng.randint(0, 6)
        query.result = result


def random_clauses(rng, graph, features=FEATURES, most=4):
    """Returns a random query. most: maximum number of vertices of its MATCH."""
    return Maker(rng, graph, features, most).clauses()
