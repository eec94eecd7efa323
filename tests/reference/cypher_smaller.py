"""Yields simpler forms of a random openCypher query (cypher_text.py has its form)."""
import copy

from cypher_text import WRITERS


def simpler_expressions(e):
    """Yields the parts of an expression, and the expression with one part replaced by a simpler one."""
    if not isinstance(e, tuple) or not e or not isinstance(e[0], str):
        return
    if e[0] == 'map':
        for j, (name, value) in enumerate(e[1]):
            yield value
            for other in simpler_expressions(value):
                yield ('map', e[1][:j] + [(name, other)] + e[1][j + 1:])
        return
    for i, part in enumerate(e[1:], 1):
        parts = part if isinstance(part, list) else [part]
        for j, child in enumerate(parts):
            if not (isinstance(child, tuple) and child and isinstance(child[0], str) and child[0] in WRITERS):
                continue  # a vertex or an edge of a pattern, for example
            yield child
            for other in simpler_expressions(child):
                new = part[:j] + [other] + part[j + 1:] if isinstance(part, list) else other
                yield e[:i] + (new,) + e[i + 1:]
    if e[0] in ('inner', 'pattern comprehension') and e[-1 if e[0] == 'inner' else 2]:
        yield e[:3] + (None,) if e[0] == 'inner' else (e[0], e[1], None, e[3])


def without(items, i):
    return items[:i] + items[i + 1:]


def smaller_parts(parts):
    for i, (name, elements) in enumerate(parts):
        if len(parts) > 1:
            yield without(parts, i)
        if name:
            yield parts[:i] + [(None, elements)] + parts[i + 1:]
        if len(elements) > 2:
            yield parts[:i] + [(name, elements[:-2])] + parts[i + 1:]
            yield parts[:i] + [(name, elements[2:])] + parts[i + 1:]
        for j, element in enumerate(elements):
            plain = (element[0], [], []) if j % 2 == 0 else (element[0], [], element[2], [], element[4])
            if plain != element:
                yield parts[:i] + [(name, elements[:j] + [plain] + elements[j + 1:])] + parts[i + 1:]


def smaller_projections(p):
    def changed(**fields):
        other = copy.copy(p)
        other.__dict__.update(fields)
        return other
    for i in range(len(p.items)):
        if len(p.items) > 1:
            yield changed(items=without(p.items, i))
    for name, empty in (('distinct', False), ('skip', None), ('limit', None), ('where', None)):
        if getattr(p, name) != empty:
            yield changed(**{name: empty})
    for i in range(len(p.order)):
        yield changed(order=without(p.order, i), skip=None, limit=None)
    for where in simpler_expressions(p.where):
        yield changed(where=where)
    for i, (e, name) in enumerate(p.items):
        for other in simpler_expressions(e):
            yield changed(items=p.items[:i] + [(other, name)] + p.items[i + 1:])


def smaller_changes(clause):
    """Simpler forms of a clause that changes the graph."""
    if clause[0] == 'create':
        for parts in smaller_parts(clause[1]):
            yield ('create', parts)
    elif clause[0] == 'merge':
        for parts in smaller_parts([clause[1]]):
            yield ('merge', parts[0]) + clause[2:]
        for i in (2, 3):
            for j in range(len(clause[i])):
                yield clause[:i] + (without(clause[i], j),) + clause[i + 1:]
    elif clause[0] == 'foreach':
        for j in range(len(clause[3])):
            if len(clause[3]) > 1:
                yield clause[:3] + (without(clause[3], j),)
            for other in smaller_clauses(clause[3][j]):
                yield clause[:3] + (clause[3][:j] + [other] + clause[3][j + 1:],)
    elif clause[0] in ('set', 'remove'):
        for j, update in enumerate(clause[1]):
            if len(clause[1]) > 1:
                yield (clause[0], without(clause[1], j))
            for e in simpler_expressions(update[-1]):
                yield (clause[0], clause[1][:j] + [update[:-1] + (e,)] + clause[1][j + 1:])


def smaller_clauses(clause):
    if clause[0] == 'match':
        if clause[1]:
            yield ('match', False) + clause[2:]
        if clause[3]:
            yield clause[:3] + (None,)
        for parts in smaller_parts(clause[2]):
            yield clause[:2] + (parts, clause[3])
        for where in simpler_expressions(clause[3]):
            yield clause[:3] + (where,)
    elif clause[0] in ('create', 'merge', 'set', 'remove', 'delete', 'foreach'):
        yield from smaller_changes(clause)
    elif clause[0] == 'unwind':
        for e in simpler_expressions(clause[1]):
            yield ('unwind', e, clause[2])
    else:
        for p in smaller_projections(clause[1]):
            yield (clause[0], p)


def smaller_queries(query):
    """query: (branches, UNION ALL, types of columns)."""
    branches, keeps_all, kinds = query
    for i in range(len(branches)):
        if len(branches) > 1:
            yield without(branches, i), keeps_all, kinds
    for i, clauses in enumerate(branches):
        returns = clauses[-1][0] == 'return'
        shorter = [without(clauses, j) for j in range(len(clauses) - returns)]
        shorter += [clauses[:j] + [c] + clauses[j + 1:] for j in range(len(clauses)) for c in smaller_clauses(clauses[j])]
        for changed in shorter:
            if not changed:
                continue
            names = [n for _, n in changed[-1][1].items] if returns else []
            if len(branches) == 1 or names == list(kinds):
                yield branches[:i] + [changed] + branches[i + 1:], keeps_all, {n: kinds[n] for n in names}
