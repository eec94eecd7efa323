"""Random queries of openCypher that change a graph (cypher_text.py has their form)."""
from cypher_expressions import is_list, variable
from cypher_queries import Queries
from cypher_text import Projection

LABELS, TYPES = ['A', 'B', 'New'], ['R', 'S', 'MADE']
COLUMNS = {'node': [('x', 'int'), ('name', 'str'), ('f', 'float'), ('b', 'bool'), ('y', 'int'), ('z', 'any')],
           'rel': [('w', 'int'), ('t', 'str'), ('u', 'int')]}


def has_pattern(part):
    """Whether a part of an expression is a pattern or a subquery."""
    if isinstance(part, (list, tuple)):
        return bool(part) and part[0] in ('inner', 'pattern', 'pattern comprehension') or any(map(has_pattern, part))
    return False


class UpdateQueries(Queries):
    def __init__(self, rng, graph):
        super().__init__(rng, graph)
        self.expressions.whole_keys = False  # openCypher does not define the id of a new node

    # patterns of CREATE and MERGE

    def values(self, element, scope, chance=0.5):
        """Properties of a new element; NULL is as good as absent in CREATE."""
        rng = self.rng
        columns = rng.sample(COLUMNS[element], rng.choice([1, 1, 2])) if rng.random() < chance else []
        return [(name, self.value(kind, scope)) for name, kind in columns]

    def value(self, kind, scope):
        """A value that a graph can store."""
        kind = self.rng.choice(['int', 'str', 'bool', ('list', 'int')]) if kind == 'any' else kind
        return self.expressions.make(kind, scope, 1)

    def new_node(self, scope, found, reuse):
        """A node of CREATE: a bound one, or a new one, whose properties read the scope before the clause."""
        rng = self.rng
        bound = [n for n, kind in dict(scope, **found).items() if kind == 'node']
        if bound and rng.random() < reuse:
            return (rng.choice(bound), [], [])
        name = self.expressions.fresh('c') if rng.random() < 0.7 else None
        node = (name, rng.sample(LABELS, rng.choice([0, 1, 1, 2])), self.values('node', scope))
        if name:
            found[name] = 'node'
        return node

    def new_path(self, scope, found, sizes, ways, reuse):
        rng = self.rng
        hops = rng.choice(sizes)
        elements = [self.new_node(scope, found, reuse if hops else 0)]
        for _ in range(hops):
            name = self.expressions.fresh('d') if rng.random() < 0.4 else None
            elements.append((name, [rng.choice(TYPES)], rng.choice(ways), self.values('rel', scope, 0.3), None))
            if name:
                found[name] = 'rel'
            elements.append(self.new_node(scope, found, reuse))
        name = self.expressions.fresh('p') if rng.random() < 0.1 else None
        if name:
            found[name] = 'path'
        return (name, elements)

    # clauses

    def match(self, scope):
        """Short paths with few conditions, since a query that finds nothing changes nothing."""
        rng = self.rng
        parts, found = self.patterns.parts(scope, (0, 0, 0, 1, 1, 2))
        scope.update(found)
        return ('match', rng.random() < 0.2, parts, self.expressions.make_bool(scope, 1, pattern=True) if rng.random() < 0.15 else None)

    def create(self, scope):
        found = {}
        parts = [self.new_path(scope, found, (0, 0, 1, 1, 2), ('->', '<-'), 0.6) for _ in range(self.rng.choice([1, 1, 2]))]
        scope.update(found)
        return ('create', parts)

    def merge(self, scope):
        """A path whose new nodes have properties or labels, so that a MERGE finds only some nodes."""
        rng, found = self.rng, {}
        part = self.new_path(scope, found, (0, 1, 1), ('->', '<-', '--'), 0.6)
        inner = dict(scope, **found)
        on = [self.updates(inner) if rng.random() < 0.4 else [] for _ in range(2)]
        on = [[u for u in updates if not has_pattern(u)] for updates in on]  # refused
        scope.update(found)
        return ('merge', part, on[0], on[1])

    def updates(self, scope):
        return [u for u in (self.one_update(scope) for _ in range(self.rng.choice([1, 1, 2]))) if u]

    def one_update(self, scope):
        rng = self.rng
        elements = [(n, kind) for n, kind in scope.items() if kind in ('node', 'rel')]
        if not elements:
            return None
        name, kind = rng.choice(elements)
        way = rng.random()
        if kind == 'node' and way < 0.25:
            return ('labels', name, rng.sample(LABELS, rng.choice([1, 1, 2])))
        column, value = rng.choice(COLUMNS[kind])
        if way < 0.7:
            return ('property', name, column, self.value(value, scope))
        how = 'all' if way < 0.8 else 'add'
        same = [variable(n) for n, k in elements if k == kind]
        if rng.random() < 0.4:
            return (how, name, rng.choice(same))
        return (how, name, ('map', self.values(kind, scope, 1)))

    def set(self, scope):
        updates = self.updates(scope)
        return ('set', updates) if updates else None

    def remove(self, scope):
        rng = self.rng
        elements = [(n, kind) for n, kind in scope.items() if kind in ('node', 'rel')]
        if not elements:
            return None
        name, kind = rng.choice(elements)
        if kind == 'node' and rng.random() < 0.5:
            return ('remove', [('no labels', name, rng.sample(LABELS, rng.choice([1, 1, 2])))])
        return ('remove', [('no property', name, rng.choice(COLUMNS[kind])[0])])

    def delete(self, scope):
        """Deletes elements. Afterwards no variable is left that might stand for one of them."""
        rng = self.rng
        names = [n for n, kind in scope.items() if kind in ('node', 'rel', 'path')]
        if not names:
            return None
        chosen = rng.sample(names, 1)
        kinds = {scope[n] for n in chosen}
        kept = {n: kind for n, kind in scope.items() if not is_list(kind) and kind in ('int', 'float', 'str', 'bool')}
        if kinds == {'rel'}:
            kept.update({n: kind for n, kind in scope.items() if kind == 'node'})
        scope.clear()
        scope.update(kept)
        return ('delete', rng.random() < 0.5, chosen)

    def foreach(self, scope):
        rng, name = self.rng, self.expressions.fresh('i')
        inner = dict(scope, **{name: 'int'})
        items = self.expressions.make(('list', 'int'), scope, 1)
        body = [rng.choice([self.create, self.merge, self.set])(inner) for _ in range(rng.choice([1, 1, 2]))]
        body = [clause for clause in body if clause]
        return ('foreach', name, items, body) if body else None

    def query(self):
        """Returns ([clauses], False, types of the columns of RETURN)."""
        rng, scope, clauses, passed = self.rng, {}, [], None
        writers = [self.create, self.create, self.merge, self.merge, self.set, self.set, self.set, self.remove, self.delete,
                   self.foreach]
        wanted = rng.choice([1, 1, 2, 3])
        while wanted:
            way = rng.random()
            if way < 0.45:
                reader = rng.choice([self.match, self.match, self.match, self.unwind, self.with_])
                made = reader(scope) if len(clauses) < 7 and (clauses or reader != self.with_) else None
            else:
                made = rng.choice(writers)(scope)
                wanted -= made is not None
            if made and clauses and made[0] in ('match', 'unwind') and clauses[-1][0] not in ('match', 'unwind', 'with'):
                clauses.append(passed)
            clauses += [made] if made else []
            passed = self.pass_on(scope)
        if rng.random() < 0.3 or not scope:
            return [clauses], False, {}
        items, kinds, aggregates = self.items(scope, True)
        return [clauses + [('return', self.projection(scope, True, items, kinds, aggregates))]], False, kinds

    def pass_on(self, scope):
        """WITH, which openCypher needs between a clause that changes the graph and MATCH or UNWIND."""
        items = [(variable(n), n) for n in scope] or [(('literal', 1), self.expressions.fresh('v'))]
        return ('with', Projection(items))
