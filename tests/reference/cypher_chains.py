"""Random chains of MATCH and WITH that mean one search: each WITH renames and hides variables, and passes values on."""
from cypher_expressions import variable
from cypher_queries import Patterns, Queries
from cypher_text import Projection

BOUNDED = [(0, 1), (1, 2), (2, 2), (1, 3)]
PROPERTIES = {'node': [('x', 'int'), ('name', 'str'), ('f', 'float')], 'rel': [('w', 'int'), ('t', 'str')]}


class ChainPatterns(Patterns):
    """hidden: names of nodes that a WITH has hidden; a later pattern may bind them again. first: the next node begins a
    path, which mostly begins at a known node."""

    def __init__(self, rng, graph):
        super().__init__(rng, graph)
        self.hidden, self.first = [], False

    def node(self, scope, found, fresh):
        first, self.first = self.first, False
        known = [n for n, kind in dict(scope, **found).items() if kind == 'node']
        if first and known and self.rng.random() < 0.85:
            return (self.rng.choice(known), self.labels(0.1), [])
        before = set(found)
        node = super().node(scope, found, fresh)
        again = [n for n in self.hidden if n not in scope and n not in found]
        if node[0] in found and node[0] not in before and again and self.rng.random() < 0.5:
            del found[node[0]]
            node = (self.rng.choice(again),) + node[1:]
            found[node[0]] = 'node'
        return node

    def relationship(self, scope, found, fresh):
        name, kinds, way, entries, bounds = super().relationship(scope, found, fresh)
        if bounds is None or self.rng.random() < 0.1:
            return name, kinds, way, entries, bounds
        found.pop(name, None)
        return None, kinds, way, [], self.rng.choice(BOUNDED)

    def path(self, scope, found, fresh, sizes, named=True):
        self.first = fresh
        return super().path(scope, found, fresh, sizes, named and self.rng.random() < 0.1)


class Chains(Queries):
    def __init__(self, rng, graph):
        super().__init__(rng, graph)
        self.patterns = ChainPatterns(rng, graph)
        self.expressions = self.patterns.expressions

    def condition(self, scope):
        return self.expressions.make_bool(scope, self.rng.choice([0, 0, 0, 1])) if self.rng.random() < 0.35 else None

    def match(self, scope):
        parts, found = self.patterns.parts(scope, (0, 1, 1, 1, 2))
        scope.update(found)
        return ('match', False, parts, self.condition(scope))

    def passing(self, scope):
        rng, items, kinds = self.rng, [], {}
        for name, kind in scope.items():
            if rng.random() < 0.25 and len(scope) > 1:
                self.patterns.hidden += [name] if kind == 'node' else []
                continue
            new = self.expressions.fresh('m') if rng.random() < 0.25 else name
            items.append((variable(name), new))
            kinds[new] = kind
        elements = [n for n, kind in scope.items() if kind in PROPERTIES]
        if elements and (not items or rng.random() < 0.4):
            element, new = rng.choice(elements), self.expressions.fresh('v')
            key, kinds[new] = rng.choice(PROPERTIES[scope[element]])
            items.append((('property', variable(element), key), new))
        if not items:
            return None
        rng.shuffle(items)
        scope.clear()
        scope.update(kinds)
        return ('with', Projection(items, where=self.condition(scope)))

    def result(self, scope):
        """Returns RETURN and the types of its columns."""
        rng = self.rng
        if rng.random() < 0.3:
            items, kinds, aggregates = self.items(scope, True)
            return self.projection(scope, True, items, kinds, aggregates), kinds
        kept = [n for n in scope if rng.random() < 0.6][:4]
        items, kinds = [(variable(n), n) for n in kept], {n: scope[n] for n in kept}
        if not kept or rng.random() < 0.3:
            name = self.expressions.fresh('g')
            items.append((('aggregate', 'count', False, None), name))
            kinds[name] = 'int'
        return Projection(items), kinds

    def branch(self, columns=None):
        rng, scope = self.rng, {}
        clauses = [self.match(scope)]
        for _ in range(rng.choice([1, 1, 2, 3])):
            for _ in range(rng.choice([0, 1, 1, 2])):
                clauses += [c for c in [self.passing(scope) if scope else None] if c]
            clauses.append(self.match(scope))
        if rng.random() < 0.15 and scope:
            clauses += [c for c in [self.passing(scope)] if c]
        projection, kinds = self.result(scope)
        return clauses + [('return', projection)], kinds

    def query(self):
        clauses, kinds = self.branch()
        return [clauses], True, kinds
