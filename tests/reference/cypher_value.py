"""Values of openCypher in plain Python: equality, comparison, order and equivalence, and the form of results.

NULL is None; booleans, integers, floats, strings, lists and maps are those of Python. NaN does not occur."""
import math

MOST_INTEGER = 2 ** 62


class Failure(Exception):
    """The query has an error at run time."""


class TooMany(Exception):
    """The query needs too many steps or rows."""


class Node:
    deleted = False

    def __init__(self, key, labels, properties):
        self.key, self.labels, self.properties = key, labels, properties


class Relationship:
    deleted = False

    def __init__(self, number, type_name, source, target, properties):
        self.number, self.type, self.source, self.target = number, type_name, source, target
        self.properties = properties


class Path:
    """elements: node, relationship, node, ..."""

    def __init__(self, elements):
        self.elements = elements


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def kind(value):
    if isinstance(value, bool):
        return 'boolean'
    return 'number' if is_number(value) else type(value).__name__


def not_(truth):
    return None if truth is None else not truth


def all_of(truths):
    """Returns the truth of AND over the truths."""
    unknown = False
    for truth in truths:
        if truth is False:
            return False
        unknown = unknown or truth is None
    return None if unknown else True


def equal(a, b):
    if a is None or b is None:
        return None
    if kind(a) != kind(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all_of(equal(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return set(a) == set(b) and all_of(equal(a[k], b[k]) for k in a)
    if isinstance(a, Path):
        return a.elements == b.elements
    return a == b


def less(a, b, or_equal):
    if a is None or b is None or kind(a) != kind(b):
        return None
    if isinstance(a, list):
        for x, y in zip(a, b):
            same = equal(x, y)
            if same is not True:
                return None if same is None else less(x, y, False)
        return len(a) < len(b) or (or_equal and len(a) == len(b))
    if isinstance(a, (bool, int, float, str)):
        return a < b or (or_equal and a == b)
    return None


def is_in(value, items):
    if items is None:
        return None
    if not isinstance(items, list):
        raise Failure('IN')
    return not_(all_of(not_(equal(value, item)) for item in items))


ORDER = ['dict', 'Node', 'Relationship', 'list', 'Path', 'str', 'boolean', 'number', 'NoneType']


def order_key(value):
    """Returns a key for ORDER BY, min and max. Two nodes or two relationships have no order that a query can see."""
    place = ORDER.index(kind(value))
    if value is None:
        return (place,)
    if isinstance(value, list):
        return (place, [order_key(v) for v in value])
    if isinstance(value, dict):
        names = sorted(value)
        return (place, len(names), names, [order_key(value[n]) for n in names])
    if isinstance(value, (Node, Relationship, Path)):
        raise Failure('the order of elements')
    return (place, value)



def identity(value):
    """Returns a key that is equal for equivalent values, for DISTINCT and groups."""
    if isinstance(value, list):
        return ('list',) + tuple(identity(v) for v in value)
    if isinstance(value, dict):
        return ('map',) + tuple((n, identity(value[n])) for n in sorted(value))
    if isinstance(value, Path):
        return ('path',) + tuple(map(id, value.elements))
    if isinstance(value, (Node, Relationship)):
        return (kind(value), id(value))
    return (kind(value), value)


def arithmetic(sign, a, b):
    if a is None or b is None:
        return None
    if sign == '+' and (isinstance(a, list) or isinstance(b, list)):
        return (a if isinstance(a, list) else [a]) + (b if isinstance(b, list) else [b])
    if sign == '+' and isinstance(a, str) and isinstance(b, str):
        return a + b
    if not is_number(a) or not is_number(b):
        raise Failure('operands')
    if sign in '/%' and b == 0:
        raise Failure('division by 0')
    whole = isinstance(a, int) and isinstance(b, int)
    if sign == '/':
        result = (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) if whole else a / b
    elif sign == '%':
        result = a - b * arithmetic('/', a, b) if whole else math.fmod(a, b)
    else:
        result = {'+': lambda: a + b, '-': lambda: a - b, '*': lambda: a * b}[sign]()
    if abs(result) > MOST_INTEGER:
        raise Failure('overflow')
    return result


def shown(value, keys_are_integers):
    """Returns the value as the program writes it in JSON. Floats are rounded, and 2.0 is 2."""
    if isinstance(value, list):
        return [shown(v, keys_are_integers) for v in value]
    if isinstance(value, dict):
        return {n: shown(v, keys_are_integers) for n, v in value.items()}
    if isinstance(value, Path):
        return shown(value.elements, keys_are_integers)
    if isinstance(value, Node):
        return int(value.key) if keys_are_integers else value.key
    if isinstance(value, Relationship):
        ends = {'source': value.source, 'target': value.target}
        return dict({'type': value.type}, **{n: shown(v, keys_are_integers) for n, v in ends.items()})
    if isinstance(value, float):
        value = float('%.11g' % value)
        return int(value) if value == int(value) else value
    return value
