"""Graphs of the TCK's scenarios with attributes of JSON: lists, maps, temporal values, and values of several types.

opencypher_tck reports such values as missing, and forgets what a temporal value is. `install` replaces these parts of
opencypher_tck.cypher and opencypher_tck.values: a temporal constructor keeps its arguments, and the program itself
computes the text that a graph stores (RETURN date({...})), once for each constructor."""
import json

from opencypher_tck import cypher, values

KINDS = {'date': '$date', 'time': '$time', 'localtime': '$localtime', 'datetime': '$datetime', 'localdatetime': '$localdatetime',
         'duration': '$duration'}


class Temporal(cypher.Temporal):
    """A constructor with its arguments, such as date({year: 1984})."""

    def __init__(self, name, arguments):
        self.name, self.arguments, self.text = name.lower(), arguments, None

    def query(self):
        return 'RETURN toString(%s(%s)) AS text' % (self.name, ', '.join(map(literal, self.arguments)))


def literal(value):
    """A value as Cypher writes it."""
    if isinstance(value, dict):
        return '{%s}' % ', '.join('%s: %s' % (name, literal(v)) for name, v in value.items())
    if isinstance(value, list):
        return '[%s]' % ', '.join(map(literal, value))
    if isinstance(value, Temporal):
        return '%s(%s)' % (value.name, ', '.join(map(literal, value.arguments)))
    return json.dumps(value, ensure_ascii=False)


def temporals(value):
    """All temporal values within a value."""
    if isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from temporals(inner)
    elif isinstance(value, Temporal):
        yield value


def tagged(value):
    """The value as the JSON that an import reads. The texts of temporal values are known."""
    if isinstance(value, list):
        return [tagged(v) for v in value]
    if isinstance(value, dict):
        return {name: tagged(v) for name, v in value.items()}
    return {KINDS[value.name]: value.text} if isinstance(value, Temporal) else value


class Graph(cypher.Graph):
    """compute(query) -> text asks the program."""
    compute = None

    def missing(self):
        """Only integers beside floats, which an import makes floats."""
        types = {}
        for what in [*self.nodes, *self.relationships]:
            for name, value in what.properties.items():
                types.setdefault((type(what), name), set()).add(type(value))
        return {'data: an attribute of integers and floats'} if {int, float} in types.values() else set()

    def json_lines(self):
        things = [*self.nodes, *self.relationships]
        for value in temporals([t.properties for t in things]):
            value.text = value.text or Graph.compute(value.query())
        kept = [t.properties for t in things]
        try:
            for thing in things:
                thing.properties = tagged(thing.properties)
            return super().json_lines()
        finally:
            for thing, properties in zip(things, kept):
                thing.properties = properties


def operand(self):
    """Takes the place of Setup.operand, which loses the arguments of a temporal constructor."""
    name = self.tokens[self.at].text if self.at < len(self.tokens) else ''
    if name.lower() in KINDS and self.peek(1) == '(':
        self.at += 2
        return self.arguments(')', lambda found: Temporal(name, found))
    return plain_operand(self)


def plain(value):
    """Takes the place of values.plain, which has no lists, maps and temporal values."""
    if isinstance(value, Temporal):
        return ('string', value.text)
    if isinstance(value, list):
        return ('list', tuple(map(plain, value)))
    if isinstance(value, dict):
        return ('map', values.entries({name: plain(v) for name, v in value.items()}))
    return ('null',) if value is None else plain_value(value)


plain_operand, plain_value = cypher.Setup.operand, values.plain


def install(runner_module, compute):
    """compute(query) -> the text that the program gives for it."""
    Graph.compute = staticmethod(compute)
    cypher.Setup.operand, values.plain, runner_module.Graph = operand, plain, Graph
