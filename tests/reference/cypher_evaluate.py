"""Evaluates expressions of openCypher (cypher_text.py has their form) in an environment: variable -> value."""
from cypher_value import (Failure, Node, Path, Relationship, all_of, arithmetic, equal, identity, is_in, is_number, less, not_,
                          order_key)


def truth(value):
    if value is not None and not isinstance(value, bool):
        raise Failure('a condition')
    return value


def compare(sign, a, b):
    if sign in ('=', '<>'):
        return equal(a, b) if sign == '=' else not_(equal(a, b))
    if sign in ('>', '>='):
        a, b = b, a
    return less(a, b, '=' in sign)


def binary(run, e, env):
    sign = e[1]
    a, b = run.value(e[2], env), run.value(e[3], env)
    if sign == 'AND':
        return all_of([truth(a), truth(b)])
    if sign == 'OR':
        return not_(all_of([not_(truth(a)), not_(truth(b))]))
    if sign == 'XOR':
        return None if truth(a) is None or truth(b) is None else a != b
    if sign in ('=', '<>', '<', '<=', '>', '>='):
        return compare(sign, a, b)
    if sign == 'IN':
        return is_in(a, b)
    if sign in ('STARTS WITH', 'ENDS WITH', 'CONTAINS'):
        if not isinstance(a, str) or not isinstance(b, str):
            return None
        return {'STARTS WITH': a.startswith, 'ENDS WITH': a.endswith, 'CONTAINS': a.__contains__}[sign](b)
    return arithmetic(sign, a, b)


def between(run, e, env):
    a, b, c = (run.value(e[i], env) for i in (1, 3, 5))
    return all_of([compare(e[2], a, b), compare(e[4], b, c)])


def property_of(value, name):
    if value is None:
        return None
    if isinstance(value, dict):
        return value.get(name)
    if not isinstance(value, (Node, Relationship)):
        raise Failure('a property')
    if value.deleted:
        raise Failure('a deleted element')
    return value.properties.get(name)


def index(run, e, env):
    items, at = run.value(e[1], env), run.value(e[2], env)
    if items is None or at is None:
        return None
    if isinstance(at, str):
        return property_of(items, at)
    return items[at] if -len(items) <= at < len(items) else None


def slice_(run, e, env):
    items = run.value(e[1], env)
    bounds = [b and run.value(b, env) for b in e[2:4]]
    if items is None or any(b and v is None for b, v in zip(e[2:4], bounds)):
        return None
    return items[bounds[0]:bounds[1]]


def negate(run, e, env):
    value = run.value(e[1], env)
    return None if value is None else -value


def case(run, e, env):
    subject = run.value(e[1], env) if e[1] else None
    for when, then in e[2]:
        tested = run.value(when, env)
        if (equal(subject, tested) if e[1] else truth(tested)) is True:
            return run.value(then, env)
    return run.value(e[3], env) if e[3] else None


def comprehension(run, e, env):
    items = run.value(e[2], env)
    if items is None:
        return None
    inner = [dict(env, **{e[1]: item}) for item in items]
    kept = [i for i in inner if not e[3] or truth(run.value(e[3], i)) is True]
    return [run.value(e[4], i) if e[4] else i[e[1]] for i in kept]


def quantifier(run, e, env):
    items = run.value(e[3], env)
    if items is None:
        return None
    truths = [truth(run.value(e[4], dict(env, **{e[2]: item}))) for item in items]
    if e[1] == 'all':
        return all_of(truths)
    if e[1] in ('any', 'none'):
        none = all_of(map(not_, truths))
        return none if e[1] == 'none' else not_(none)
    if truths.count(True) > 1:
        return False
    return None if None in truths else truths.count(True) == 1


def reduce(run, e, env):
    value, items = run.value(e[2], env), run.value(e[4], env)
    for item in items or []:
        value = run.value(e[5], dict(env, **{e[1]: value, e[3]: item}))
    return None if items is None else value


def labels(run, e, env):
    subject = run.value(e[1], env)
    if subject is not None and subject.deleted:
        raise Failure('a deleted element')
    return None if subject is None else all(n in subject.labels for n in e[2])


def map_projection(run, e, env):
    subject, result = env[e[1]], {}
    if subject is None:
        return None
    for part in e[2]:
        if part[0] == 'all':
            result.update(subject if isinstance(subject, dict) else subject.properties)
        else:
            result[part[1]] = property_of(subject, part[1]) if part[0] == 'property' else run.value(part[2], env)
    return result


def inner(run, e, env):
    count = len(run.matches(e[2], e[3], env))
    return count if e[1] == 'COUNT' else count > 0


def aggregate(run, e, env):
    """Aggregates over the rows of the group, which the environment has as '#'."""
    name, distinct, arguments = e[1:]
    rows = env['#']
    if arguments is None:
        return len(rows)
    values = [v for v in (run.value(arguments[0], row) for row in rows) if v is not None]
    if distinct:
        values = list({identity(v): v for v in reversed(values)}.values())
    if name == 'count':
        return len(values)
    if name == 'collect':
        return values
    if name in ('min', 'max'):
        return {'min': min, 'max': max}[name](values, key=order_key) if values else None
    if not all(map(is_number, values)):
        raise Failure('an aggregate of numbers')
    if name == 'sum':
        return sum(values)
    return sum(values) / len(values) if values else None


def coalesce(*values):
    return next((v for v in values if v is not None), None)


def span(first, last, step=1):
    if step == 0:
        raise Failure('a step of 0')
    return list(range(first, last + (1 if step > 0 else -1), step))


def text_of(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


FUNCTIONS = {  # of values that are not NULL
    'size': len, 'head': lambda v: v[0] if v else None, 'last': lambda v: v[-1] if v else None, 'tail': lambda v: v[1:],
    'reverse': lambda v: v[::-1], 'range': span, 'abs': abs, 'sign': lambda v: (v > 0) - (v < 0),
    'toUpper': str.upper, 'toLower': str.lower, 'toString': text_of, 'toFloat': float,
    'substring': lambda text, begin, count: text[begin:begin + count], 'left': lambda text, count: text[:count],
    'replace': lambda text, old, new: text.replace(old, new), 'split': lambda text, by: text.split(by),
    'type': lambda r: r.type, 'labels': lambda n: list(n.labels), 'keys': lambda v: list(v if isinstance(v, dict) else v.properties),
    'properties': lambda v: dict(v if isinstance(v, dict) else v.properties), 'startNode': lambda r: r.source,
    'endNode': lambda r: r.target, 'nodes': lambda p: p.elements[0::2], 'relationships': lambda p: p.elements[1::2],
    'length': lambda p: len(p.elements) // 2, 'id': lambda n: int(n.key), 'isEmpty': lambda v: not v,
}


def call(run, e, env):
    arguments = [run.value(a, env) for a in e[2]]
    if e[1] == 'coalesce':
        return coalesce(*arguments)
    if any(isinstance(a, (Node, Relationship)) and a.deleted for a in arguments):
        raise Failure('a deleted element')
    return None if None in [a if a is None else 0 for a in arguments] else FUNCTIONS[e[1]](*arguments)


EVALUATORS = {
    'literal': lambda run, e, env: e[1],
    'variable': lambda run, e, env: env[e[1]],
    'property': lambda run, e, env: property_of(run.value(e[1], env), e[2]),
    'index': index,
    'slice': slice_,
    'list': lambda run, e, env: [run.value(i, env) for i in e[1]],
    'map': lambda run, e, env: {n: run.value(v, env) for n, v in e[1]},
    'binary': binary,
    'between': between,
    'not': lambda run, e, env: not_(truth(run.value(e[1], env))),
    'negate': negate,
    'is null': lambda run, e, env: run.value(e[1], env) is None,
    'is not null': lambda run, e, env: run.value(e[1], env) is not None,
    'call': call,
    'case': case,
    'comprehension': comprehension,
    'quantifier': quantifier,
    'reduce': reduce,
    'labels': labels,
    'map projection': map_projection,
    'inner': inner,
    'pattern': lambda run, e, env: bool(run.matches([e[1]], None, env)),
    'pattern comprehension': lambda run, e, env: [run.value(e[3], found) for found in run.matches([e[1]], e[2], env)],
    'aggregate': aggregate,
}
