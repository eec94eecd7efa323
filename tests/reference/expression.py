"""Expressions as nested tuples, their text, and their values in three-valued logic. The evaluation is simple and slow.

A str is a variable ('a') or an attribute ('a.x'), a Text is a string literal; None, bool, int and float are
literals.
  ('param', name, value)                     $name, given on the command line
  ('label', variable, A, B...)               true if the variable has one of these labels
  ('exists' | 'count' | 'pattern', Pattern)  sub-patterns: EXISTS { MATCH ... }, COUNT { ... }, (a)-[:T]->(b) alone
  (operator, operand...)                     any other expression, see expr_cypher"""
import math
import re

COMPARISONS = {'eq': '=', 'ne': '<>', 'lt': '<', 'le': '<=', 'gt': '>', 'ge': '>=',
               'contains': 'CONTAINS', 'starts': 'STARTS WITH', 'ends': 'ENDS WITH', 'matches': '=~', 'in': 'IN'}
ARITHMETIC = {'add': '+', 'sub': '-', 'mul': '*', 'div': '/', 'mod': '%'}
FUNCTIONS = {'lower': 'toLower', 'upper': 'toUpper', 'size': 'size', 'id': 'id', 'labels': 'labels', 'type': 'type'}
BINDS = {'or': 1, 'xor': 2, 'and': 3, 'not': 4, 'add': 6, 'sub': 6, 'mul': 7, 'div': 7, 'mod': 7, 'neg': 8}


class Text(str):
    """A string literal."""


class Failure(Exception):
    """The expression cannot be computed, so the program must end with an error."""


def literal(value):
    if value is None:
        return 'null'
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, Text):
        return "'%s'" % value.replace('\\', '\\\\').replace("'", "\\'")
    return '[%s]' % ', '.join(map(literal, value)) if isinstance(value, (list, tuple)) else str(value)


def binds(e):
    """Returns the precedence of the operator of an expression."""
    if not isinstance(e, tuple):
        return 8.5 if isinstance(e, (int, float)) and not isinstance(e, bool) and e < 0 else 10
    if e[0] in COMPARISONS or e[0] in ('isnull', 'notnull', 'label'):
        return 5
    return BINDS.get(e[0], 4 if e[0] in ('exists', 'pattern') else 10)


def expr_cypher(e, rng=None):
    """Returns the text of an expression. With rng, most parentheses that are not needed are left out."""
    def inner(operand, least):
        text = expr_cypher(operand, rng)
        return '(%s)' % text if binds(operand) < least or rng is None and binds(operand) < 9 else text
    if not isinstance(e, tuple):
        return e if isinstance(e, str) and not isinstance(e, Text) else literal(e)
    op, rest = e[0], e[1:]
    if op == 'param':
        return '$' + rest[0]
    if op in ('and', 'or', 'xor'):
        text = (' %s ' % op.upper()).join(inner(c, BINDS[op] + 1) for c in rest)
    elif op == 'not':
        text = 'NOT ' + inner(rest[0], 4)
    elif op == 'neg':
        text = '-' + inner(rest[0], 9)
    elif op in ARITHMETIC:
        text = '%s %s %s' % (inner(rest[0], BINDS[op]), ARITHMETIC[op], inner(rest[1], BINDS[op] + 0.1))
    elif op in ('isnull', 'notnull'):
        text = inner(rest[0], 9) + (' IS NULL' if op == 'isnull' else ' IS NOT NULL')
    elif op == 'label':
        text = '%s:%s' % (rest[0], '|'.join(rest[1:]))
    elif op == 'in':
        text = '%s IN %s' % (inner(rest[0], 9), '[%s]' % ', '.join(expr_cypher(c, rng) for c in rest[1:]))
    elif op == 'inlabels':
        text = '%s IN labels(%s)' % (inner(rest[0], 9), rest[1])
    elif op in COMPARISONS:
        least = 6 if op in ('eq', 'ne', 'lt', 'le', 'gt', 'ge') else 9
        text = '%s %s %s' % (inner(rest[0], least), COMPARISONS[op], inner(rest[1], least))
    elif op in FUNCTIONS:
        return '%s(%s)' % (FUNCTIONS[op], expr_cypher(rest[0], rng))
    elif op in ('exists', 'count', 'pattern'):
        return rest[0].sub_text(op, rng)
    else:
        raise ValueError(op)
    wrapped = rng.random() < 0.15 if rng else op in ('and', 'or', 'xor')
    return '(%s)' % text if wrapped else text


def sub_patterns(e):
    """Returns the sub-patterns of an expression, without sub-patterns of sub-patterns."""
    if not isinstance(e, tuple):
        return []
    if e[0] in ('exists', 'count', 'pattern'):
        return [e[1]]
    return [p for c in e[1:] for p in sub_patterns(c)]


def expr_variables(e):
    """Returns the variables of the enclosing pattern that the expression uses."""
    if isinstance(e, tuple):
        if e[0] in ('exists', 'count', 'pattern'):
            return e[1].outer_variables()
        return set().union(*(expr_variables(c) for c in e[1:2 if e[0] == 'label' else None] if e[0] != 'param'))
    if isinstance(e, str) and not isinstance(e, Text):
        return {e.split('.')[0]}
    return set()


def parameters(e):
    """Returns {name: value} of the $parameters."""
    found = {}
    if isinstance(e, tuple):
        if e[0] == 'param':
            return {e[1]: e[2]}
        for child in e[1:]:
            found.update(child.parameters() if hasattr(child, 'parameters') else parameters(child))
    return found


def kind(value):
    """Returns the kind of a value. Only values of the same kind can be compared."""
    if isinstance(value, bool):
        return 'boolean'
    if isinstance(value, (int, float)):
        return 'number'
    return {str: 'string', Text: 'string', tuple: 'element', list: 'list'}[type(value)]


def compared(op, x, y):
    if x is None or y is None:
        return None
    if kind(x) != kind(y):
        return {'eq': False, 'ne': True}.get(op)
    if isinstance(x, str):
        x, y = x.encode(), y.encode()
    return {'eq': x == y, 'ne': x != y, 'lt': x < y, 'le': x <= y, 'gt': x > y, 'ge': x >= y}[op]


def strings(op, x, y):
    if not isinstance(x, str) or not isinstance(y, str):
        return None
    if op == 'matches':
        return re.fullmatch(y, x, re.ASCII) is not None
    return {'contains': y in x, 'starts': x.startswith(y), 'ends': x.endswith(y)}[op]


def calculated(op, x, y):
    if x is None or y is None:
        return None
    if isinstance(x, str) or isinstance(y, str):
        if op == 'add' and isinstance(x, str) and isinstance(y, str):
            return x + y
        raise Failure('%s of a string' % op)
    whole = isinstance(x, int) and isinstance(y, int)
    if op in ('div', 'mod'):
        if whole and y == 0:
            raise Failure('division by zero')
        if whole:
            quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
            value = quotient if op == 'div' else x - quotient * y
        elif y == 0:
            undefined = op == 'mod' or x == 0 or math.isnan(x)
            value = math.nan if undefined else math.copysign(math.inf, x) * math.copysign(1, y)
        else:
            value = x / y if op == 'div' else math.fmod(x, y)
    else:
        value = {'add': lambda: x + y, 'sub': lambda: x - y, 'mul': lambda: x * y}[op]()
    if whole and not -2 ** 63 <= value < 2 ** 63:
        raise Failure('overflow')
    return value


def conjunction(values, deciding):
    """Combines values by AND (deciding: False) or OR (deciding: True) in three-valued logic."""
    values = list(values)
    return deciding if deciding in values else None if None in values else not deciding


def truth(e, env, host, semantics):
    """Returns the value of an expression with the variables of env; None is NULL or unknown. A vertex is ('vertex',
    key) and an edge ('edge', number). An element is unequal to every value of another type."""
    def value(x):
        return truth(x, env, host, semantics)
    if isinstance(e, str) and not isinstance(e, Text):
        variable, _, attribute = e.partition('.')
        element = env[variable]
        return element if element is None or not attribute else host.attribute(element, attribute)
    if not isinstance(e, tuple):
        return str(e) if isinstance(e, Text) else e
    op, rest = e[0], e[1:]
    if op == 'param':
        return value(rest[1])
    if op in ('and', 'or'):
        return conjunction((value(c) for c in rest), op == 'or')
    if op == 'exists' or op == 'pattern':
        return any(True for _ in host.embeddings(rest[0], env, semantics))
    if op == 'count':
        return sum(1 for _ in host.embeddings(rest[0], env, semantics))
    if op == 'label':
        labels = host.labels(env[rest[0]])
        return None if labels is None else any(name in labels for name in rest[1:])
    if op in ('in', 'inlabels'):
        x = value(rest[0])
        choices = host.labels(env[rest[1]]) if op == 'inlabels' else [value(c) for c in rest[1:]]
        return None if choices is None else conjunction((compared('eq', x, c) for c in choices), True)
    x = value(rest[0])
    if op in ('isnull', 'notnull'):
        return (x is None) == (op == 'isnull')
    if op in ('eq', 'ne', 'lt', 'le', 'gt', 'ge'):
        return compared(op, x, value(rest[1]))
    if op in COMPARISONS:
        return strings(op, x, value(rest[1]))
    if op in ARITHMETIC:
        return calculated(op, x, value(rest[1]))
    if op == 'xor':
        y = value(rest[1])
        return None if x is None or y is None else x != y
    if x is None:
        return None
    return {'not': lambda: not x, 'neg': lambda: -x if isinstance(x, float) else calculated('sub', 0, x),
            'lower': lambda: x.lower(), 'upper': lambda: x.upper(), 'size': lambda: len(x), 'id': lambda: host.identity(x),
            'labels': lambda: host.labels(x), 'type': lambda: host.type(x)}[op]()
