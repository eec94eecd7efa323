"""Applies rules to graphs, one match after another. It is simple and slow.

An update is a tuple. Variables name elements, and values are expressions:
  ('vertex', variable, labels, {attribute: value})         CREATE (variable:labels {...})
  ('edge', variable, from, to, type, {attribute: value})   CREATE (from)-[variable:type {...}]->(to)
  ('set', variable, attribute, value), ('remove', variable, attribute)
  ('label', variable, labels), ('unlabel', variable, labels), ('type', edge, type)
  ('delete', variable), ('detach', variable), ('merge', vertex, into)"""
import copy

from answer import identity, projected
from expression import ARITHMETIC, Text, expr_cypher, expr_variables, truth
from host import Host, inside, key_value

GONE = ('delete', 'detach', 'merge')


class World(Host):
    """A Host that can be changed. An attribute that an element lacks is missing from its dictionary, or None."""

    def __init__(self, graph):
        super().__init__(graph, most_steps=10 ** 7)
        self.edges = dict(enumerate(self.edges))
        self.vertices = dict.fromkeys(self.vertices)
        self.floats = {(kind, column.split(':')[0]) for kind, columns in
                       (('vertex', graph.vertex_columns), ('edge', graph.edge_columns))
                       for column in columns if column.endswith(':float')}  # attributes that have type FLOAT

    def copied(self):
        other = copy.copy(self)
        other.attributes = {k: dict(v) for k, v in self.attributes.items()}
        other.label_sets = {k: list(v) for k, v in self.label_sets.items()}
        other.vertices, other.edges = dict(self.vertices), dict(self.edges)
        other.at = {k: list(v) for k, v in self.at.items()}
        other.steps = 0
        return other

    def attribute(self, element, name):
        return self.attributes[element].get(name)

    def nothing_else(self, pattern, bound):
        near = sorted({number for vertex in bound.values() for number in self.at[vertex]})
        every, self.edges = self.edges, {number: self.edges[number] for number in near}
        try:
            return self._only(pattern, bound)
        finally:
            self.edges = every

    def _only(self, pattern, bound):
        numbered, self.edges = self.edges, list(self.edges.values())
        try:
            return super().nothing_else(pattern, bound)
        finally:
            self.edges = numbered

    # changes

    def widen(self, floats):
        """Makes these (kind, attribute) FLOAT for all later steps."""
        self.floats = self.floats | floats
        for element, values in self.attributes.items():
            for name, value in values.items():
                if isinstance(value, int) and not isinstance(value, bool) and (element[0], name) in self.floats:
                    values[name] = float(value)

    def add_vertex(self, key, labels, values):
        vertex = ('vertex', key)
        assert vertex not in self.vertices, key
        self.vertices[vertex], self.at[vertex] = None, []
        self.label_sets[vertex], self.attributes[vertex] = sorted(set(labels)), values
        return vertex

    def add_edge(self, source, target, edge_type, values):
        number = max(self.edges, default=-1) + 1
        self.edges[number], self.attributes[('edge', number)] = (source, target, edge_type), values
        for vertex in {source, target}:
            self.at[vertex].append(number)

    def drop_edge(self, number):
        if number not in self.edges:
            return
        for vertex in set(self.edges[number][:2]):
            self.at[vertex].remove(number)
        del self.edges[number], self.attributes[('edge', number)]

    def drop_vertex(self, vertex):
        if vertex not in self.vertices:
            return
        for number in list(self.at[vertex]):
            self.drop_edge(number)
        del self.vertices[vertex], self.at[vertex], self.label_sets[vertex], self.attributes[vertex]

    def merge(self, vertex, into):
        for number in list(self.at[vertex]):
            source, target, edge_type = self.edges[number]
            values = self.attributes[('edge', number)]
            for end in {source, target}:
                self.at[end].remove(number)
            source, target = (into if end == vertex else end for end in (source, target))
            self.edges[number], self.attributes[('edge', number)] = (source, target, edge_type), values
            for end in {source, target}:
                self.at[end].append(number)
        self.drop_vertex(vertex)

    def canonical(self):
        """Returns a value that is equal for equal graphs."""
        def values(element):
            return sorted((k, repr(plain(v))) for k, v in self.attributes[element].items() if v is not None)

        def ends(source, target):
            return sorted((source, target)) if self.undirected else [source, target]
        return (sorted((repr(key_value(v[1])), self.label_sets[v], values(v)) for v in self.vertices),
                sorted((ends(s[1], t[1]), k, values(('edge', n))) for n, (s, t, k) in self.edges.items()))


def plain(value):
    """Returns a value that is equal for 1.0 and 1, since an attribute of integers may have become FLOAT, whose 0 has a
    sign."""
    return value + 0.0 if isinstance(value, (int, float)) and not isinstance(value, bool) else value


class Rule:
    """A rule. recorded: the variables, or names of WITH, that identify a row."""

    def __init__(self, name, match, optionals, with_clause, updates, recorded):
        self.name, self.match, self.optionals, self.with_clause = name, match, list(optionals), with_clause
        self.updates, self.recorded = list(updates), list(recorded)

    def grouped(self):
        return self.with_clause is not None and (self.with_clause.grouped() or self.with_clause.distinct)

    def patterns(self):
        return [self.match] + self.optionals

    def text(self, rng):
        used = set(self.recorded).union(*(update_variables(u) for u in self.updates))
        used = used.union(*(expr_variables(e) for p in self.patterns() for e in p.where))
        for pattern in self.optionals:
            used |= {v[0] for v in pattern.vertices}
        if self.with_clause:
            used = used.union(*(expr_variables(e) for e in self.with_clause.expressions()))
        lines = ['RULE ' + self.name, 'MATCH ' + self.match.text_of_match(rng, used)]
        lines += ['OPTIONAL MATCH ' + p.text_of_match(rng, used) for p in self.optionals]
        lines += [self.with_clause.text('WITH', rng)] if self.with_clause else []
        return '\n'.join(lines + list(map(update_text, self.updates))) + '\n'

    # matches

    def rows(self, world, semantics):
        """Returns an environment for each match."""
        rows = list(world.embeddings(self.match, {}, semantics))
        for optional in self.optionals:
            rows = [longer for row in rows for longer in with_optional(world, optional, row, semantics)]
        return self.passed(world, rows, semantics)

    def passed(self, world, rows, semantics):
        if not self.with_clause:
            return rows
        names = [item.alias for item in self.with_clause.items]
        if self.grouped():
            rows = [dict(zip(names, values)) for values, _ in projected(self.with_clause, rows, world, semantics)]
        else:
            rows = [row for _, row in projected(self.with_clause, rows, world, semantics)]
        return [row for row in rows if all(truth(e, row, world, inside(semantics)) is True for e in self.with_clause.where)]

    def name_of(self, row):
        return tuple(identity(row[name]) for name in self.recorded)

    def still_there(self, world, row, semantics):
        if any(isinstance(v, tuple) and v[0] in ('vertex', 'edge') and v not in world.attributes for v in row.values()):
            return False
        if self.grouped():
            return self.name_of(row) in map(self.name_of, self.rows(world, semantics))
        env = {v: row[v] for v, _ in self.match.vertices}
        found = list(world.embeddings(self.match, env, semantics))
        for optional in self.optionals:
            found = [longer for one in found for longer in with_optional(world, optional, one, semantics)
                     if all(longer[n] == row[n] for n in optional.own())]
        return self.name_of(row) in map(self.name_of, self.passed(world, found, semantics))

    # application

    def elements(self, row):
        """Returns {name: element} of the row, and the names of the deleted elements."""
        have = {n: v for n, v in row.items() if isinstance(v, tuple) and v[0] in ('vertex', 'edge')}
        return have, {u[1] for u in self.updates if u[0] in GONE and u[1] in have}

    def blocked(self, world, row):
        have, gone = self.elements(row)
        going = {have[n] for n in gone}
        ways = {u[1]: u[2] if u[0] == 'merge' else 'deleted' for u in self.updates if u[0] in GONE}
        if len({(have[n], ways.get(n)) for n in have}) > len(set(have.values())):
            return True
        whole = {have[u[1]] for u in self.updates if u[0] == 'detach' and u[1] in have}
        bare = {have[u[1]] for u in self.updates if u[0] == 'delete' and u[1] in have} - whole
        return any(('edge', n) not in going and not whole & set(world.edges[n][:2])
                   for v in bare if v[0] == 'vertex' for n in world.at[v])

    def apply(self, world, row, semantics, keys):
        """Applies the rule to one row. keys: the keys of the created elements, in order."""
        values = {i: evaluated(u, row, world, semantics) for i, u in enumerate(self.updates)}
        row, keys = dict(row), list(keys)
        for i, update in enumerate(self.updates):
            self.update(world, row, update, values[i], keys)
        assert not keys

    def update(self, world, row, update, values, keys):
        kind, name = update[:2]
        if kind == 'vertex':
            row[name] = world.add_vertex(keys.pop(0), update[2], values)
        elif kind == 'edge':
            world.add_edge(row[update[2]], row[update[3]], update[4], values)
        elif row[name] is None or row[name] not in world.attributes:
            return
        elif kind == 'set':
            world.attributes[row[name]].update(values)
        elif kind == 'remove':
            world.attributes[row[name]].pop(update[2], None)
        elif kind == 'label':
            world.label_sets[row[name]] = sorted(set(world.label_sets[row[name]]) | set(update[2]))
        elif kind == 'unlabel':
            world.label_sets[row[name]] = sorted(set(world.label_sets[row[name]]) - set(update[2]))
        elif kind == 'type':
            world.edges[row[name][1]] = world.edges[row[name][1]][:2] + (update[2],)
        elif kind == 'merge':
            world.merge(row[name], row[update[2]])
        elif row[name][0] == 'edge':
            world.drop_edge(row[name][1])
        else:
            world.drop_vertex(row[name])

    def floats(self, world):
        """Returns the (kind, attribute) that the rule sets to values of type FLOAT."""
        kinds = {e[0]: 'edge' for p in self.patterns() for e in p.edges}
        names = {} if not self.with_clause else {
            i.alias: i.aggregate == 'avg' or i.aggregate != 'count' and is_float(i.expr, kinds, {}, world.floats)
            for i in self.with_clause.items}
        given = [(u[0], u[3]) if u[0] == 'vertex' else (u[0], u[5]) if u[0] == 'edge' else
                 (kinds.get(u[1], 'vertex'), {u[2]: u[3]}) for u in self.updates if u[0] in ('vertex', 'edge', 'set')]
        return {(kind, name) for kind, values in given for name, e in values.items()
                if is_float(e, kinds, names, world.floats)}

    def created(self):
        return sum(u[0] == 'vertex' for u in self.updates)


def is_float(e, kinds, names, floats):
    """True if the expression has type FLOAT, whatever its value is. names: {name of WITH: whether it is FLOAT}."""
    if isinstance(e, str):
        variable, _, attribute = e.partition('.')
        return not isinstance(e, Text) and ((kinds.get(variable, 'vertex'), attribute) in floats if attribute
                                            else names.get(e, False))
    if not isinstance(e, tuple):
        return isinstance(e, float)
    if e[0] == 'param':
        return isinstance(e[2], float)
    return e[0] in (*ARITHMETIC, 'neg') and any(is_float(part, kinds, names, floats) for part in e[1:])


def with_optional(world, optional, row, semantics):
    found = list(world.embeddings(optional, row, inside(semantics)))
    return found or [dict(row, **{n: None for n in optional.own()})]


def evaluated(update, row, world, semantics):
    values = {'vertex': lambda: update[3], 'edge': lambda: update[5], 'set': lambda: {update[2]: update[3]}}
    given = values.get(update[0], dict)()
    return {name: truth(e, row, world, inside(semantics)) for name, e in given.items()}


def update_variables(update):
    kind = update[0]
    names = {update[1]} if kind not in ('vertex', 'edge') else set()
    names |= {update[2], update[3]} if kind == 'edge' else {update[2]} if kind == 'merge' else set()
    values = {'vertex': lambda: update[3], 'edge': lambda: update[5], 'set': lambda: {update[2]: update[3]}}.get(kind, dict)()
    return names.union(*(expr_variables(e) for e in values.values()))


def update_text(update):
    kind, name = update[:2]

    def properties(values):
        return ' {%s}' % ', '.join('%s: %s' % (k, expr_cypher(e)) for k, e in values.items()) if values else ''
    if kind == 'vertex':
        return 'CREATE (%s%s%s)' % (name, ''.join(':' + label for label in update[2]), properties(update[3]))
    if kind == 'edge':
        return 'CREATE (%s)-[%s:%s%s]->(%s)' % (update[2], name, update[4], properties(update[5]), update[3])
    return {'set': lambda: 'SET %s.%s = %s' % (name, update[2], expr_cypher(update[3])),
            'remove': lambda: 'REMOVE %s.%s' % (name, update[2]),
            'label': lambda: 'SET %s:%s' % (name, ':'.join(update[2])),
            'unlabel': lambda: 'REMOVE %s:%s' % (name, ':'.join(update[2])),
            'type': lambda: 'SET %s:%s' % (name, update[2]),
            'delete': lambda: 'DELETE ' + name,
            'detach': lambda: 'DETACH DELETE ' + name,
            'merge': lambda: 'MERGE %s INTO %s' % (name, update[2])}[kind]()
