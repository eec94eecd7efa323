"""Executes queries of openCypher that change a graph, clause by clause (cypher_text.py has their form).

Each clause works through its rows one by one. The order of rows is not defined, so `order`, a random generator, shuffles
them; a query whose result depends on the order has no expected result. `sequential` tells whether a row of SET, REMOVE,
CREATE and DELETE reads what earlier rows of the same clause have written."""
import hashlib

from cypher_clauses import Execution
from cypher_evaluate import property_of
from cypher_value import Failure, Node, Path, Relationship, TooMany, shown

MOST_ELEMENTS = 150


class Connected(Failure):
    """A node was deleted, but not its relationships."""


class Updating(Execution):
    def __init__(self, graph, order=None, sequential=True):
        super().__init__(graph)
        self.order, self.sequential = order, sequential
        self.created = self.deleted = (0, 0)  # nodes, relationships
        self.old = set(self.nodes)
        for node in self.nodes.values():
            node.labels = list(node.labels)

    # changes of the graph

    def add_node(self, labels, properties):
        if len(self.nodes) >= MOST_ELEMENTS:
            raise TooMany()
        self.created = (self.created[0] + 1, self.created[1])
        node = Node(('new', self.created[0]), list(dict.fromkeys(labels)), properties)
        self.nodes[node.key] = node
        self.at[node] = []
        return node

    def add_relationship(self, type_name, source, target, properties):
        if not isinstance(source, Node) or not isinstance(target, Node) or source.deleted or target.deleted:
            raise Failure('a relationship without an end')
        if len(self.relationships) >= MOST_ELEMENTS:
            raise TooMany()
        self.created = (self.created[0], self.created[1] + 1)
        found = Relationship(-self.created[1], type_name, source, target, properties)
        self.relationships.append(found)
        for end in {source, target}:
            self.at[end].append(found)
        return found

    def remove_relationship(self, found):
        if found.deleted:
            return
        found.deleted = True
        self.deleted = (self.deleted[0], self.deleted[1] + 1)
        self.relationships.remove(found)
        for end in {found.source, found.target}:
            self.at[end].remove(found)

    def remove_node(self, node, detach):
        for found in list(self.at[node]) if detach else ():
            self.remove_relationship(found)
        if not node.deleted:
            node.deleted = True
            self.deleted = (self.deleted[0] + 1, self.deleted[1])
            del self.nodes[node.key]

    def dangles(self):
        return any(r.source.deleted or r.target.deleted for r in self.relationships)

    def matches(self, parts, where, env):
        if self.dangles():
            raise TooMany()  # what a search finds at a deleted node is not defined
        return super().matches(parts, where, env)

    # clauses

    def entries(self, entries, env):
        values = {n: self.value(v, env) for n, v in entries}
        return {n: v for n, v in values.items() if v is not None}

    def create_path(self, part, env, values):
        """Returns env with the elements of a path. values: the properties of its elements."""
        name, elements = part
        env, nodes, path = dict(env), [], []
        for (variable, labels, _), properties in zip(elements[::2], values[::2]):
            if variable and variable in env:
                nodes.append(env[variable])
                continue
            nodes.append(self.add_node(labels, dict(properties)))
            if variable:
                env[variable] = nodes[-1]
        for i, (variable, types, way, _, _) in enumerate(elements[1::2]):
            ends = (nodes[i + 1], nodes[i]) if way == '<-' else (nodes[i], nodes[i + 1])
            found = self.add_relationship(types[0], *ends, dict(values[2 * i + 1]))
            path += [nodes[i], found]
            if variable:
                env[variable] = found
        return dict(env, **{name: Path(path + nodes[-1:])}) if name else env

    def values_of(self, part, env):
        return [self.entries(e[3] if i % 2 else e[2], env) for i, e in enumerate(part[1])]

    def create(self, clause, rows):
        """The properties of a path may read the variables of the row only."""
        work = [(row, [self.values_of(part, row) for part in clause[1]]) for row in rows] if not self.sequential else None
        result = []
        for i, row in enumerate(rows):
            env = row
            values = work[i][1] if work else [self.values_of(part, row) for part in clause[1]]
            for part, found in zip(clause[1], values):
                env = self.create_path(part, env, found)
            result.append(env)
        return result

    def merge(self, clause, rows):
        _, part, on_create, on_match = clause
        result = []
        for row in rows:
            if any(row.get(e[0], 0) is None for e in part[1]):
                raise Failure('MERGE of NULL')
            if any(self.value(v, row) is None for i, e in enumerate(part[1]) for _, v in (e[3] if i % 2 else e[2])):
                raise Failure('a property of MERGE that is NULL')
            found = self.matches([part], None, row)
            for env in found:
                self.update(on_match, env)
            if not found:
                found = [self.create_path(part, row, self.values_of(part, row))]
                self.update(on_create, found[0])
            result += found
        return result

    def update(self, updates, env):
        for planned in self.planned(updates, env):
            planned()

    def planned(self, updates, env):
        """Yields functions that make the updates. An update is evaluated when the one before it is made."""
        for update in updates:
            element = env[update[1]]
            if element is None:
                continue
            if element.deleted:
                raise Failure('an update of a deleted element')
            if update[0] == 'labels':
                yield lambda e=element, u=update: e.labels.extend(n for n in u[2] if n not in e.labels)
            elif update[0] == 'no labels':
                yield lambda e=element, u=update: setattr(e, 'labels', [n for n in e.labels if n not in u[2]])
            elif update[0] in ('property', 'no property'):
                value = self.value(update[3], env) if update[0] == 'property' else None
                yield lambda e=element, u=update, v=value: put(e, {u[2]: v})
            else:
                value = self.value(update[2], env)
                if isinstance(value, (Node, Relationship)):
                    value = dict(alive(value).properties)
                if not isinstance(value, dict):
                    raise Failure('SET of properties')
                yield lambda e=element, u=update, v=value: (e.properties.clear() if u[0] == 'all' else None, put(e, v))

    def set(self, clause, rows):
        if self.sequential:
            for row in rows:
                self.update(clause[1], row)
        else:
            for planned in [p for row in rows for p in list(self.planned(clause[1], row))]:
                planned()
        return rows

    remove = set

    def delete(self, clause, rows):
        for row in rows:
            for name in clause[2]:
                value = row[name]
                for element in value.elements if isinstance(value, Path) else [value]:
                    if isinstance(element, Relationship):
                        self.remove_relationship(element)
                for element in value.elements if isinstance(value, Path) else [value]:
                    if isinstance(element, Node):
                        self.remove_node(element, clause[1])
        return rows

    def foreach(self, clause, rows):
        _, name, items, body = clause
        for row in rows:
            values = self.value(items, row)
            inner = [dict(row, **{name: value}) for value in values or []]
            for one in inner:
                now = [one]
                for update in body:
                    now = getattr(self, update[0])(update, now)
        return rows

    def branch(self, clauses):
        """Returns the rows of RETURN, or none."""
        rows = [{}]
        for clause in clauses:
            if clause[0] in ('with', 'return'):
                rows = self.project(clause[1], rows)
            else:
                rows = getattr(self, clause[0])(clause, rows)
            if self.order and not (clause[0] in ('with', 'return') and clause[1].order):
                self.order.shuffle(rows)
        if self.dangles():
            raise Connected()
        return rows if clauses[-1][0] == 'return' else []


def put(element, values):
    for name, value in values.items():
        if value is None:
            element.properties.pop(name, None)
        elif storable(value):
            element.properties[name] = value
        else:
            raise Failure('a value that a graph cannot store')


def storable(value):
    if isinstance(value, dict):
        return False
    return not isinstance(value, list) or all(v is not None and not isinstance(v, (list, dict)) and storable(v) for v in value)


def alive(element):
    property_of(element, '')  # fails if it is deleted
    return element


# THE NEW GRAPH. New nodes have keys that openCypher does not define, so a new node is described by its labels, its
# properties and its surroundings.


def digest(value):
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]


def names_of(nodes, relationships, old):
    """{key: name}: the text of an old key, and a digest of the surroundings of a new node.

    nodes: {key: (labels, properties)}, relationships: [(type, source, target, properties)]."""
    names = {k: 'old %s' % (k,) if k in old else digest((sorted(n[0]), sorted(n[1].items(), key=repr))) for k, n in nodes.items()}
    for _ in range(4):
        around = {k: [] for k in nodes}
        for kind, source, target, properties in relationships:
            values = sorted(properties.items(), key=repr)
            around[source].append(('>', kind, values, names[target]))
            around[target].append(('<', kind, values, names[source]))
        names = {k: name if k in old else digest((name, sorted(around[k], key=repr))) for k, name in names.items()}
    return names


def described(nodes, relationships, old):
    """Returns (names_of, sorted lines that describe the graph)."""
    names = names_of(nodes, relationships, old)
    lines = ['%s %s %s' % (names[k], sorted(labels), sorted(p.items(), key=repr)) for k, (labels, p) in nodes.items()]
    lines += ['%s-%s-%s %s' % (names[s], kind, names[t], sorted(p.items(), key=repr)) for kind, s, t, p in relationships]
    return names, sorted(lines)


def of_execution(run):
    """The graph of an Updating in the form of `described`."""
    nodes = {n.key: (n.labels, {p: shown(v, False) for p, v in n.properties.items()}) for n in run.nodes.values()}
    relationships = [(r.type, r.source.key, r.target.key, {p: shown(v, False) for p, v in r.properties.items()})
                     for r in run.relationships]
    return nodes, relationships
