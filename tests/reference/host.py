"""A host graph in dictionaries, and a search for every embedding of a Pattern by trial."""
from expression import truth


class TooMany(Exception):
    """Raised if the search needs too many steps."""


def key_value(text):
    """Returns an integer if the key is written as a canonical integer, otherwise the text."""
    digits = text[1:] if text.startswith('-') else text
    whole = digits.isascii() and digits.isdigit() and (digits == '0' or digits[0] != '0') and text != '-0'
    return int(text) if whole else text


def inside(semantics):
    """Returns the semantics of sub-patterns and optional patterns: iso instead of induced, which applies to MATCH only."""
    return 'iso' if semantics == 'induced' else semantics


def cell_value(text, column_type):
    if text == '':
        return None
    return {'string': str, 'int': int, 'float': float, 'bool': lambda t: t == 'true'}[column_type](text)


class Host:
    def __init__(self, graph, most_steps=200000):
        self.undirected = graph.undirected
        self.steps, self.most_steps = 0, most_steps
        vertex_types = dict(c.split(':') for c in graph.vertex_columns)
        edge_types = dict(c.split(':') for c in graph.edge_columns)
        self.attributes = {('vertex', key): {a: cell_value(row.get(a, ''), t) for a, t in vertex_types.items()}
                           for key, (_, row) in graph.vertices.items()}
        self.label_sets = {('vertex', key): sorted(labels) for key, (labels, _) in graph.vertices.items()}
        self.vertices = list(self.label_sets)
        self.edges = []
        self.at = {v: [] for v in self.vertices}
        for number, (source, target, edge_type, row) in enumerate(graph.edges):
            self.edges.append((('vertex', source), ('vertex', target), edge_type))
            self.attributes[('edge', number)] = {a: cell_value(row.get(a, ''), t) for a, t in edge_types.items()}
            self.at[('vertex', source)].append(number)
            if source != target:
                self.at[('vertex', target)].append(number)

    def attribute(self, element, name):
        return self.attributes[element][name]

    def labels(self, vertex):
        return None if vertex is None else self.label_sets[vertex]

    def type(self, edge):
        return None if edge is None else self.edges[edge[1]][2]

    @staticmethod
    def identity(vertex):
        return None if vertex is None else key_value(vertex[1])

    def steps_from(self, vertex, edge):
        """Yields (edge, other end) of every host edge at `vertex` that the pattern edge may use from its first end."""
        for number in self.at[vertex]:
            source, target, edge_type = self.edges[number]
            if edge[4] and edge_type not in edge[4]:
                continue
            if source == vertex:
                yield number, target
            elif edge[3] == 'either':
                yield number, source

    def ways(self, vertex, edge, semantics):
        """Yields (edges, last vertex) for one edge or a path of variable length."""
        if not edge[5]:
            for number, target in self.steps_from(vertex, edge):
                yield (number,), target
            return
        least, most = edge[5]
        waiting = [((), vertex)]
        while waiting:
            path, end = waiting.pop()
            self.count_step()
            if len(path) >= least:
                yield path, end
            if len(path) < most:
                waiting += [(path + (number,), target) for number, target in self.steps_from(end, edge)
                            if semantics == 'hom' or number not in path]

    def count_step(self):
        self.steps += 1
        if self.steps > self.most_steps:
            raise TooMany()

    def embeddings(self, pattern, env, semantics):
        """Yields every extension of env (variable -> element) by the variables of the pattern. A NULL variable has no
        extension."""
        if any(v in env and env[v] is None for v, _ in pattern.vertices):
            return
        known = {v: env[v] for v, _ in pattern.vertices if v in env}
        if not all(self.may_be(pattern, v, known[v]) for v in known) or not self.apart(known, semantics):
            return
        for bound, taken in self.extended(pattern, list(pattern.edges), known, [], semantics):
            if semantics == 'induced' and not self.nothing_else(pattern, bound):
                continue
            found = dict(env)
            found.update(bound)
            found.update({e[0]: ('edge', path[0]) if not e[5] else ('path', path) for e, path in taken})
            if all(truth(e, found, self, inside(semantics)) is True for e in pattern.where):
                yield found

    def extended(self, pattern, left, bound, taken, semantics):
        self.count_step()
        if not left:
            free = [v for v, _ in pattern.vertices if v not in bound]
            if not free:
                yield bound, taken
                return
            for vertex in self.vertices:
                for more in self.placed(pattern, bound, free[0], vertex, semantics):
                    yield from self.extended(pattern, left, more, taken, semantics)
            return
        edge = next((e for e in left if e[1] in bound), None) or next((e for e in left if e[2] in bound), left[0])
        rest = [e for e in left if e is not edge]
        if edge[1] in bound:
            begun = [bound]
        else:
            begun = [more for v in self.vertices for more in self.placed(pattern, bound, edge[1], v, semantics)]
        for start in begun:
            for path, end in self.ways(start[edge[1]], edge, semantics):
                if semantics != 'hom' and any(number in other for number in path for _, other in taken):
                    continue
                for more in self.placed(pattern, start, edge[2], end, semantics):
                    yield from self.extended(pattern, rest, more, taken + [(edge, path)], semantics)

    def placed(self, pattern, bound, name, vertex, semantics):
        """Returns [bound extended by one variable], or [] if the vertex does not fit."""
        if name in bound:
            return [bound] if bound[name] == vertex else []
        more = dict(bound, **{name: vertex})
        return [more] if self.may_be(pattern, name, vertex) and self.apart(more, semantics) else []

    def may_be(self, pattern, name, vertex):
        labels = dict(pattern.vertices)[name]
        return not labels or any(label in self.label_sets[vertex] for label in labels)

    @staticmethod
    def apart(bound, semantics):
        return semantics in ('hom', 'edge-iso') or len(set(bound.values())) == len(bound)

    def nothing_else(self, pattern, bound):
        """Checks induced: some pattern edge allows each host edge between images whose type the pattern names. An edge
        without types names all types."""
        if not pattern.edges:
            return True
        named = set() if any(not e[4] for e in pattern.edges) else {t for e in pattern.edges for t in e[4]}
        variable = {vertex: v for v, vertex in bound.items()}
        for source, target, edge_type in self.edges:
            if source not in variable or target not in variable or (named and edge_type not in named):
                continue
            a, b = variable[source], variable[target]
            allowed = [e for e in pattern.edges if not e[4] or edge_type in e[4]]
            if not any((e[1], e[2]) == (a, b) or (e[3] == 'either' and (e[2], e[1]) == (a, b)) for e in allowed):
                return False
        return True
