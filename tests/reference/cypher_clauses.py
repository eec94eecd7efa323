"""Executes queries of openCypher clause by clause (cypher_text.py has their form), and finds patterns by trial."""
from cypher_evaluate import EVALUATORS, truth
from cypher_value import Node, Path, Relationship, TooMany, equal, identity, order_key
from host import cell_value

MOST_STEPS, MOST_ROWS = 150000, 3000


def has_aggregate(e):
    if isinstance(e, tuple) and e and e[0] == 'aggregate':
        return True
    return isinstance(e, (tuple, list)) and any(map(has_aggregate, e))


def properties_of(row, types):
    return {n: cell_value(row[n], t) for n, t in types.items() if row.get(n, '') != ''}


class Execution:
    def __init__(self, graph):
        self.undirected, self.steps = graph.undirected, 0
        types = [dict(c.split(':') for c in columns) for columns in (graph.vertex_columns, graph.edge_columns)]
        self.nodes = {key: Node(key, labels, properties_of(row, types[0])) for key, (labels, row) in graph.vertices.items()}
        self.relationships = [Relationship(i, e[2], self.nodes[e[0]], self.nodes[e[1]], properties_of(e[3], types[1]))
                              for i, e in enumerate(graph.edges)]
        self.at = {node: [] for node in self.nodes.values()}
        for r in self.relationships:
            for end in {r.source, r.target}:
                self.at[end].append(r)

    def value(self, e, env):
        return EVALUATORS[e[0]](self, e, env)

    # patterns

    def matches(self, parts, where, env):
        """Returns the environments that extend env by a match of all parts for which the condition is true."""
        found = list(self.matched_parts(list(parts), env, frozenset(), env))
        return [f for f in found if not where or truth(self.value(where, f)) is True]

    def matched_parts(self, parts, env, used, outer):
        if not parts:
            yield env
            return
        name, elements = parts[0]
        for found, taken, path in self.matched_path(elements, 0, env, used, None, [], outer):
            if name:
                found = dict(found, **{name: Path(path)})
            yield from self.matched_parts(parts[1:], found, taken, outer)

    def matched_path(self, elements, at, env, used, node, path, outer):
        """Yields (environment, used relationships, path). node: the node for elements[at], or None at the start."""
        name, labels, entries = elements[at]
        if node is None:
            candidates = [env[name]] if name in env else self.nodes.values()
        else:
            candidates = [node] if name not in env or env[name] is node else []
        for candidate in candidates:
            self.count()
            if candidate is None or not all(n in candidate.labels for n in labels) or not self.fits(candidate, entries, outer):
                continue
            more = dict(env, **{name: candidate}) if name else env
            if at + 1 == len(elements):
                yield more, used, path + [candidate]
                continue
            for walk, end in self.walks(candidate, elements[at + 1], more, used, outer):
                bound = self.with_walk(elements[at + 1], walk, more)
                if bound is None:
                    continue
                taken = used | {r for r in walk if isinstance(r, Relationship)}
                passed = path + [candidate] + walk if walk else path
                yield from self.matched_path(elements, at + 2, bound, taken, end, passed, outer)

    def with_walk(self, step, walk, env):
        name, bounds = step[0], step[4]
        if not name:
            return env
        value = [r for r in walk if isinstance(r, Relationship)] if bounds else walk[0]
        if name in env:
            return env if env[name] is value else None
        return dict(env, **{name: value})

    def walks(self, node, step, env, used, outer):
        """Yields ([relationship, node, relationship, ...] without the last node, last node)."""
        least, most = (1, 1) if step[4] is None else (1 if step[4][0] is None else step[4][0], step[4][1])
        waiting = [((), (), node)]
        while waiting:
            walk, taken, end = waiting.pop()
            self.count()
            if len(taken) >= least:
                yield list(walk), end
            if most is not None and len(taken) >= most:
                continue
            for r, other in self.steps_from(end, step):
                if r not in used and r not in taken and self.fits(r, step[3], outer):
                    waiting.append((walk + ((end,) if walk else ()) + (r,), taken + (r,), other))

    def steps_from(self, node, step):
        types, way = step[1], '--' if self.undirected else step[2]
        for r in self.at[node]:
            if types and r.type not in types:
                continue
            if way != '<-' and r.source is node:
                yield r, r.target
            elif way != '->' and r.target is node:
                yield r, r.source

    def fits(self, element, entries, env):
        return all(equal(element.properties.get(n), self.value(v, env)) is True for n, v in entries)

    def count(self):
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooMany()

    # clauses

    def match(self, clause, rows):
        _, optional, parts, where = clause
        names = {n for name, elements in parts for n in [name] + [e[0] for e in elements] if n}
        result = []
        for row in rows:
            found = self.matches(parts, where, row)
            if optional and not found:
                found = [dict({n: None for n in names}, **row)]
            result += found
            if len(result) > MOST_ROWS:
                raise TooMany()
        return result

    def unwind(self, clause, rows):
        result = []
        for row in rows:
            items = self.value(clause[1], row)
            for item in items if isinstance(items, list) else [] if items is None else [items]:
                result.append(dict(row, **{clause[2]: item}))
        if len(result) > MOST_ROWS:
            raise TooMany()
        return result

    def groups(self, items, rows):
        keys = [e for e, _ in items if not has_aggregate(e)]
        groups = {} if keys else {(): []}
        for row in rows:
            groups.setdefault(tuple(identity(self.value(e, row)) for e in keys), []).append(row)
        return [dict(group[0] if group else {}, **{'#': group}) for group in groups.values()]

    def project(self, p, rows):
        """Returns the rows of the projection; their order is that of ORDER BY."""
        grouped = any(has_aggregate(e) for e, _ in p.items)
        sources = self.groups(p.items, rows) if grouped else rows
        pairs = []
        for source in sources:
            row = {n: v for n, v in source.items() if n != '#'} if p.star else {}
            row.update({n: self.value(e, source) for e, n in p.items})
            pairs.append(({} if grouped else source, row))
        if p.distinct:
            pairs = [({}, row) for row in distinct_rows([row for _, row in pairs])]
        for e, descending in reversed(p.order):
            pairs.sort(key=lambda pair: order_key(self.value(e, dict(pair[0], **pair[1]))), reverse=descending)
        begin = p.skip or 0
        pairs = pairs[begin:] if p.limit is None else pairs[begin:begin + p.limit]
        return [row for source, row in pairs if not p.where or truth(self.value(p.where, dict(source, **row))) is True]

    def branch(self, clauses):
        rows = [{}]
        for clause in clauses:
            if clause[0] in ('with', 'return'):
                rows = self.project(clause[1], rows)
            else:
                rows = getattr(self, clause[0])(clause, rows)
        return rows

    def query(self, branches, keeps_all):
        rows = [row for clauses in branches for row in self.branch(clauses)]
        return distinct_rows(rows) if len(branches) > 1 and not keeps_all else rows


def distinct_rows(rows):
    return list({identity(row): row for row in reversed(rows)}.values())
