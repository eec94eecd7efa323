"""Scenarios of the TCK that change a graph: graphs that the program wrote, and their side effects.

The TCK counts as side effects the nodes, relationships, properties and names of labels that only the graph before or only
the graph after has. A graph file gives relationships no identity, so relationships of one type between the same nodes
are counted together; if one replaces another, the report counts both."""
import collections
import json

import tck_graph
from opencypher_tck import cypher
from opencypher_tck.values import NULL, Expected

EFFECTS = ('nodes', 'relationships', 'labels', 'properties')


def untagged(value):
    """The JSON of an export with temporal values in place of {"$date": text}."""
    if isinstance(value, list):
        return [untagged(v) for v in value]
    if isinstance(value, dict):
        kind = next((name for name, tag in tck_graph.KINDS.items() if list(value) == [tag]), None)
        if kind:
            temporal = tck_graph.Temporal(kind, [])
            temporal.text = value[tck_graph.KINDS[kind]]
            return temporal
        return {name: untagged(v) for name, v in value.items()}
    return value


def key_of(key):
    """Integer keys become strings, which no value and no other key of a scenario equals."""
    return '@key%d' % key if isinstance(key, int) else key


def read_graph(lines):
    """The graph of an export as JSON lines."""
    graph = tck_graph.Graph()
    for line in filter(str.strip, lines):
        thing = json.loads(line)
        properties = untagged(thing.get('properties', {}))
        if thing['type'] == 'node':
            node = cypher.Node(key_of(thing['id']), thing.get('labels', []), properties)
            graph.nodes.append(node)
            graph.keys[node.key] = node
        else:
            ends = [graph.keys[key_of(thing[end]['id'])] for end in ('start', 'end')]
            graph.relationships.append(cypher.Relationship(thing['label'], *ends, properties))
    return graph


def named(value):
    """A value of the program's JSON in whose place only elements are expected, with the keys of read_graph."""
    if isinstance(value, list):
        return [named(v) for v in value]
    if isinstance(value, dict):
        return {name: named(v) for name, v in value.items()}
    return key_of(value) if not isinstance(value, bool) else value


def with_keys(rows, table):
    """The rows with the keys of read_graph in the columns where a scenario expects nodes, relationships or paths."""
    header, *cells = table or [[]]
    columns = {name for i, name in enumerate(header) if any(part in row[i] for row in cells for part in ('(', '[:'))}
    return [{name: named(value) if name in columns else value for name, value in row.items()} for row in rows]


def parts(graph):
    """What a graph has, as a bag for each kind of side effect."""
    found = {name: collections.Counter() for name in EFFECTS}
    found['nodes'].update(list(graph.keys))
    found['labels'].update({label for node in graph.nodes for label in node.labels})
    for relationship in graph.relationships:
        found['relationships'][relationship.type, relationship.start.key, relationship.end.key] += 1
    things = [(node.key, node) for node in graph.nodes]
    things += [((r.type, r.start.key, r.end.key), r) for r in graph.relationships]
    for thing, element in things:
        for name, value in element.properties.items():
            if value is not None:
                found['properties'][thing, name, tck_graph.plain(value)] += 1
    return found


def side_effects(before, after):
    """{'+nodes': 1, ...} without zeros."""
    old, new = parts(before), parts(after)
    counts = {}
    for name in EFFECTS:
        for sign, difference in (('+', new[name] - old[name]), ('-', old[name] - new[name])):
            if difference:
                counts[sign + name] = sum(difference.values())
    return counts


def with_replaced(effects, report):
    """The effects with relationships that others of the same type and ends have replaced, which only the report tells."""
    found = dict(effects)
    for sign, way in (('+', 'created'), ('-', 'deleted')):
        found[sign + 'relationships'] = report[way]['edges']
    return {name: count for name, count in found.items() if count}


def expected_effects(scenario):
    """The side effects that a scenario states, or None if it states none."""
    for step in scenario.steps:
        if step.text.startswith('no side effects'):
            return {}
        if step.text.startswith('the side effects should be'):
            return {name: Expected(count).parse()[1] for name, count in step.table}
    return None


def report_differs(report, before, after):
    """Returns None, or what the counts of the report and the graphs say differently."""
    for name, size in (('vertices', lambda g: len(g.nodes)), ('edges', lambda g: len(g.relationships))):
        said = report['created'][name] - report['deleted'][name]
        if said != size(after) - size(before):
            return 'the report says %+d %s, but the graph has %+d' % (said, name, size(after) - size(before))
    changed = side_effects(before, after)
    for count, effect in (('attributes_set', 'properties'), ('labels_added', '+labels'), ('labels_removed', '-labels')):
        made = report['created']['vertices'] + report['created']['edges'] + report['deleted']['vertices'] + report['deleted']['edges']
        if not report[count] and not made and any(effect in name for name in changed):
            return 'the report says no %s, but the graph has %s' % (count, changed)
    return None


def controls(scenario):
    """(query, the step that says what comes of it) of each control query."""
    steps = scenario.steps
    return [(step.doc, steps[i + 1]) for i, step in enumerate(steps) if step.text.startswith('executing control query')]
