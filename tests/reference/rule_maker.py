"""Random rules over a random graph, and random controls. For each of its matches, each rule creates a vertex Rec that
identifies the match."""
from clause import Item, Projection
from expression import Text, expr_variables, sub_patterns
from random_clauses import Maker
from random_graph import WORDS, Graph, some
from rewriting import Rule

EVERYWHERE = ['where', 'edges']
CONDITIONS = EVERYWHERE + ['exists', 'paths']
NEW_TYPES, NEW_LABELS = ['R', 'S', 'T', 'U'], ['A', 'B', 'C', 'D']


class RuleGraph(Graph):
    """A random graph whose edges have numbers, by which a match can be recognised."""
    edge_columns = ['w:int', 't:string', 'n:int']


def rule_graph(rng):
    n = rng.choice([1, 2, 3, 5, 8, 12, 20, 30, 40, 60, 90, 120])
    m = int(n * rng.choice([0.5, 1, 1, 1.5, 2])) if n > 6 else rng.randint(0, 3 * n)
    loops, parallels, full = rng.choice([0, 0, 0.3]), rng.choice([0, 0, 0.3]), rng.choice([1, 0.8, 0.5])
    labels, types = rng.choice([1, 2, 3]), rng.choice([1, 2, 3])
    way = rng.choice(['count', 'integers', 'strings', 'hashes'])
    keys = {'count': [str(i) for i in range(1, n + 1)], 'integers': [str(i) for i in rng.sample(range(-60, 900), n)],
            'strings': ['%s%d' % (rng.choice('abXYé#'), i) for i in rng.sample(range(1000), n)],
            'hashes': ['#%d' % i for i in rng.sample(range(1, 200), n)]}[way]
    vertices = {key: (rng.sample('ABC'[:labels], rng.randint(0, min(2, labels))),
                      {'name': some(rng, full, lambda: rng.choice(WORDS)), 'x': some(rng, full, lambda: str(rng.randint(-2, 3))),
                       'f': some(rng, full, lambda: str(rng.randint(-3, 5) / 2)),
                       'b': some(rng, full, lambda: rng.choice(['true', 'false']))}) for key in keys}
    edges = []
    for _ in range(m):
        source, target = rng.choice(keys), rng.choice(keys)
        if edges and rng.random() < parallels:
            source, target = rng.choice(edges)[:2]
        if source == target and rng.random() >= loops:
            continue
        edges.append((source, target, 'RST'[rng.randrange(types)],
                      {'w': some(rng, full, lambda: str(rng.randint(0, 3))), 't': some(rng, full, lambda: rng.choice(WORDS)),
                       'n': str(len(edges) + 1)}))
    if not parallels:
        pairs = {tuple(sorted(e[:2])) + (e[2],): e for e in reversed(edges)}
        edges = [e for e in edges if pairs[tuple(sorted(e[:2])) + (e[2],)] is e]
    return RuleGraph(vertices, edges, rng.random() < 0.25)


class RuleMaker(Maker):
    def __init__(self, rng, graph, number):
        super().__init__(rng, graph, EVERYWHERE, 3)
        self.prefix = 'r%d_' % number
        self.number_of_rule, self.new = number, 0

    def conditions(self, scope, most, depth):
        self.features = CONDITIONS
        conditions = [self.condition(scope, depth) for _ in range(min(most, self.rng.choice([0, 0, 0, 1, 1, 2])))]
        self.features = EVERYWHERE
        return conditions

    def rule(self):
        rng = self.rng
        count = rng.choice([1, 2, 2, 2, 3]) if self.graph.edges else 1
        match = self.pattern([], count, more=(0, 0, 0, 1) if count > 1 else (0,))
        if count == 1 and not match.vertices[0][1]:
            # a label excludes the vertices Rec that earlier applications created
            match.vertices = [(match.vertices[0][0], [rng.choice('ABC')])]
        match.where = self.conditions(self.scope([match]), 2, 1)
        optionals = []
        if self.graph.edges and rng.random() < 0.2:
            optional = self.pattern([rng.choice(match.vertices)[0]], 1, more=(0,))
            optional.where = self.conditions((self.scope([match, optional])[0], self.scope([optional])[1]), 1, 0)
            optionals.append(optional)
        vertices, edges = self.scope([match] + optionals)
        sure = [v[0] for v in match.vertices]
        with_clause, values = self.with_clause(vertices, edges, sure) if rng.random() < 0.25 else (None, [])
        if with_clause:
            vertices = [i.alias for i in with_clause.items if i.expr == i.alias and i.alias in vertices]
            sure = [v for v in sure if v in vertices]
            edges = [e for e in edges if e in [i.alias for i in with_clause.items]]
        updates = self.updates(vertices, edges, sure, values)
        recorded = vertices + edges + (values if with_clause and (with_clause.grouped() or with_clause.distinct) else [])
        rule = Rule('rule%d' % self.number_of_rule, match, optionals, with_clause, updates, recorded)
        rule.updates.insert(0, self.record(rule, vertices, edges, values))
        return rule

    def record(self, rule, vertices, edges, values):
        told = {self.prefix + v: ('id', v) for v in vertices}
        told.update({self.prefix + e + of: e + of.replace('_', '.') for e in edges for of in ('_n', '_w', '_t')})
        told.update({self.prefix + e + '_k': ('type', e) for e in edges})
        if rule.grouped():
            told.update({self.prefix + v: v for v in values})
        return ('vertex', 'rec', ['Rec'], dict({'rule': self.number_of_rule}, **told))

    def with_clause(self, vertices, edges, sure):
        """Returns (projection, names of its values). Aggregates may use vertices that the projection does not pass on."""
        rng = self.rng
        way = rng.choice(['plain', 'distinct', 'group', 'group'])
        if way == 'plain':
            item = Item(self.number((vertices, edges), 1), 'v1')
            projection = Projection([Item(n, n) for n in vertices + edges] + [item])
            projection.where = []
            return projection, ['v1']
        kept = [Item(v, v) for v in rng.sample(sure, rng.randint(0 if way == 'group' else 1, len(sure)))]
        if way == 'distinct':
            return Projection(kept, distinct=True), []
        items = []
        for alias in ['v1', 'v2'][:rng.choice([1, 1, 2])]:
            what = rng.choice(['count', 'count', 'sum', 'min', 'max', 'avg'])
            expr = rng.choice(vertices) if what == 'count' else rng.choice(vertices) + rng.choice(['.x', '.f'])
            items.append(Item(expr, alias, what, what == 'count' and rng.random() < 0.4))
        projection = Projection(kept + items)
        if rng.random() < 0.5:
            projection.where = [(rng.choice(['ge', 'gt', 'le', 'ne']), 'v1', rng.choice([0, 1, 2]))]
        return projection, [i.alias for i in items]

    # updates

    def updates(self, vertices, edges, sure, values):
        """Returns updates. Deletions come last; deleted elements are not used after their deletion, not even as ends of
        edges."""
        rng = self.rng
        gone = self.removals(vertices, edges, sure) if rng.random() < 0.45 else []
        lost = {u[1] for u in gone}
        targets = {u[2] for u in gone if u[0] == 'merge'}
        scope = (vertices, edges)
        updates, taken = [], set()
        for _ in range(rng.choice([0, 1, 1, 2, 3]) if gone else rng.choice([1, 1, 2, 3])):
            update = self.change(scope, [v for v in sure if v not in lost], lost, taken, values, updates)
            updates += update or []
        del targets
        return updates + gone

    def removals(self, vertices, edges, sure):
        rng, found, lost, targets = self.rng, [], set(), set()
        for _ in range(rng.choice([1, 1, 2, 3])):
            kind = rng.choice(['delete', 'delete', 'delete', 'detach', 'merge'])
            if kind == 'merge' and len(sure) > 1 and not targets:
                one, into = rng.sample(sure, 2)
                if not {one, into} & lost:
                    found.append(('merge', one, into))
                    lost.add(one)
                    targets.add(into)
                continue
            choices = vertices if kind == 'detach' else vertices + edges + edges
            choices = [n for n in choices if n not in lost | targets]
            if choices:
                name = rng.choice(choices)
                found.append(('detach' if kind == 'detach' else 'delete', name))
                lost.add(name)
        return found

    def worth(self, scope, values, attribute):
        rng = self.rng
        numbers = values if values and rng.random() < 0.6 else None
        if attribute in ('x', 'y', 'w', 'f'):
            if numbers:
                return rng.choice(numbers)
            return None if rng.random() < 0.05 else self.number(scope, 1)
        if attribute in ('name', 't'):
            return self.string(scope, 0)
        return rng.choice([True, False])

    def change(self, scope, ends, lost, taken, values, before):
        rng = self.rng
        vertices, edges = ([n for n in names if n not in lost] for names in scope)
        made = [u[1] for u in before if u[0] == 'vertex']
        kind = rng.choice(['set', 'set', 'set', 'remove', 'label', 'unlabel', 'type', 'vertex', 'edge', 'edge'])
        if kind in ('set', 'remove') and vertices + edges:
            name = rng.choice(vertices + edges)
            attribute = rng.choice(['w', 't'] if name in edges else ['x', 'x', 'y', 'name', 'f', 'b'])
            if (name, attribute) in taken:
                return None
            taken.add((name, attribute))
            return [('set', name, attribute, self.worth(scope, values, attribute)) if kind == 'set' else (kind, name, attribute)]
        if kind in ('label', 'unlabel') and vertices:
            return [(kind, rng.choice(vertices), sorted(rng.sample(NEW_LABELS, rng.choice([1, 1, 2]))))]
        if kind == 'type' and edges:
            name = rng.choice(edges)
            if (name, 'type') in taken:
                return None
            taken.add((name, 'type'))
            return [('type', name, rng.choice(NEW_TYPES))]
        self.new += 1
        if kind == 'vertex':
            given = {a: self.worth(scope, values, a) for a in rng.sample(['x', 'name', 'y'], rng.choice([0, 1, 2]))}
            return [('vertex', 'n%d' % self.new, sorted(rng.sample(NEW_LABELS, rng.choice([0, 1, 2]))), given)]
        if kind == 'edge' and ends + made:
            given = {'w': self.worth(scope, values, 'w')} if rng.random() < 0.3 else {}
            return [('edge', 'm%d' % self.new, rng.choice(ends + made), rng.choice(ends + made), rng.choice(NEW_TYPES), given)]
        return None


def random_rule(rng, graph, number):
    while True:
        rule = RuleMaker(rng, graph, number).rule()
        if len(rule.updates) > 1:
            return rule


def shrinks(rule):
    """True if each application removes something and adds nothing, so the rule terminates."""
    sure = {v[0] for v in rule.match.vertices} | {e[0] for e in rule.match.edges}
    return rule.created() == 1 and any(u[0] in ('delete', 'detach', 'merge') and u[1] in sure for u in rule.updates) and \
        not any(u[0] == 'edge' for u in rule.updates)


# control: ('rule', number, one), ('seq' | 'or', part...), ('try', part), ('times', part, n), ('star', part)

def random_control(rng, rules, depth=2):
    way = rng.random()
    if depth == 2 and (way < 0.5 or len(rules) > 4):
        each = ('seq',) + tuple(('try', ('rule', i, way < 0.03)) for i in rng.sample(range(len(rules)), len(rules)))
        return ('times', each, rng.randint(2, 3)) if rng.random() < 0.6 else each
    way = rng.random()
    if depth == 0 or way < 0.25:
        number = rng.randrange(len(rules))
        rule = ('rule', number, rng.random() < 0.2)
        return ('star', rule) if shrinks(rules[number]) and rng.random() < 0.4 else rule
    if way < 0.6:
        return ('seq',) + tuple(random_control(rng, rules, depth - 1) for _ in range(rng.randint(2, 3)))
    if way < 0.75:
        return ('or',) + tuple(random_control(rng, rules, depth - 1) for _ in range(2))
    if way < 0.9:
        return ('try', random_control(rng, rules, depth - 1))
    return ('times', random_control(rng, rules, depth - 1), rng.randint(1, 3))


def control_text(node, rules):
    kind = node[0]
    if kind == 'rule':
        return 'ONE ' * node[2] + rules[node[1]].name
    parts = [control_text(part, rules) for part in node[1:] if isinstance(part, tuple)]
    one = parts[0] if node[1][0] == 'rule' and not node[1][2] else '(%s)' % parts[0]
    return {'seq': lambda: '; '.join(wrapped(p, n, ('seq',)) for p, n in zip(parts, node[1:])),
            'or': lambda: ' | '.join(wrapped(p, n, ('seq', 'or')) for p, n in zip(parts, node[1:])),
            'try': lambda: 'TRY (%s)' % parts[0], 'times': lambda: one + '{%d}' % node[-1], 'star': lambda: one + '*'}[kind]()


def wrapped(text, node, kinds):
    return '(%s)' % text if node[0] in kinds else text


def controlled(node, step):
    """Runs the control and returns whether it applied. step(rule, one) applies a rule and returns whether the rule
    applied."""
    kind = node[0]
    if kind == 'rule':
        return step(node[1], node[2])
    if kind in ('seq', 'or'):
        return until(node[1:], step, kind == 'or')
    if kind == 'try':
        controlled(node[1], step)
        return True
    if kind == 'times':
        return until((node[1],) * node[2], step, False)
    while controlled(node[1], step):
        pass
    return True


def until(parts, step, wanted):
    for part in parts:
        if controlled(part, step) == wanted:
            return wanted
    return not wanted
