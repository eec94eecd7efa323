"""Property test: random openCypher queries that change a graph, compared with an interpreter in plain Python.

    random_updates.py [--seed N] [--seconds S | --cases N] [--queries N] [--stop N] [--shrink S] [--dry-run]

A query is a chain of CREATE, MERGE, SET, REMOVE, DELETE and FOREACH among clauses that read
(reference/cypher_update_queries.py). The program gives rows, a graph and counts. The interpreter
(reference/cypher_updates.py) runs each query with rows in several orders; openCypher does not define the result of a query
for which these runs differ, so such queries are left out. Graphs are compared without the keys of new nodes, which
openCypher does not define either. Each query runs on one to three ranks with random options."""
import collections
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
import cypher_text
import random_cypher
from cypher_update_queries import UpdateQueries
from cypher_updates import Connected, Updating, described, of_execution
from cypher_value import Failure, Node, Path, Relationship, TooMany, shown
from random_cypher import CypherCase
from reference import Run

ORDERS = 4
NAMED = '$named'


def number(value):
    """Numbers of a graph as `shown` writes them, since an export writes 2.0."""
    if isinstance(value, list):
        return [number(v) for v in value]
    return shown(value, False) if isinstance(value, float) else value


class UpdateCase(CypherCase):
    """query: ([clauses], False, {column: type})."""

    def text(self):
        return cypher_text.query(*self.query[:2])

    def run_reference(self, order, sequential):
        """Returns (rows, description of the graph, (created, deleted)), or the word 'connected'."""
        run = Updating(self.graph, order, sequential)
        try:
            rows = run.query(self.query[0], False)
        except Connected:
            return 'connected'
        names, lines = described(*of_execution(run), run.old)
        texts = collections.Counter(self.row_text({n: told(v, names) for n, v in row.items()}) for row in rows)
        return texts, lines, (run.created, run.deleted)

    def expected(self, *_):
        """Returns what all orders of rows give, or None if they differ, or if the query has an error or too much work."""
        try:
            answers = [self.run_reference(None, True), self.run_reference(None, False)]
            answers += [self.run_reference(random.Random(seed), True) for seed in range(ORDERS)]
        except (Failure, TooMany, RecursionError):
            return None
        return answers[0] if all(answer == answers[0] for answer in answers) else None

    def changed(self, folder, answer):
        """Runs the program. Returns None, or its difference from the reference."""
        made, lines, rows = (os.path.join(folder, name) for name in ('made.h5', 'made.jsonl', 'rows.jsonl'))
        for path in (made, lines, rows):
            if os.path.exists(path):
                os.remove(path)
        arguments = [os.path.join(folder, 'G.h5'), '--query', self.text(), '--lenient', '-o', made, '--json', '-']
        arguments += ['--rows', rows] if self.query[2] else []
        for option, value in sorted(self.options.items()):
            arguments += [option, value] if value is not None and option in ('--exchange', '--replicate') else []
        run = Run(self.ranks, ['transform'] + arguments)
        wrong = self.judge(run, answer, made, lines, rows)
        return wrong and '%s\n%s%s' % (wrong, run.shown(), '\n' + run.err if run.code else '')

    matched = changed

    def told(self, answer):
        return answer if answer == 'connected' else 'rows %s, graph %s, created and deleted %s' % (
            list(answer[0].items())[:10], answer[1][:20], answer[2])

    def judge(self, run, answer, made, lines, rows):
        if run.hangs:
            return 'hangs'
        if answer == 'connected':
            left = [path for path in (made, rows) if os.path.exists(path)]
            return None if run.code == 2 and not left else 'code %d, files %s; expected an error' % (run.code, left)
        if run.code != 0:
            return 'code %d' % run.code
        report = run.json()
        export = Run(1, ['convert', made, '-o', lines, '-q'])
        if report is None or export.code != 0:
            return 'no report, or no export: %s' % export.err
        nodes, relationships = read_export(lines)
        names, got = described(nodes, relationships, {k for k in nodes if k in self.graph.vertices})
        expected = answer[1]
        if got != expected:
            extra, missing = (list((collections.Counter(a) - collections.Counter(b)).items())[:3] for a, b in ((got, expected), (expected, got)))
            return 'another graph; not expected %s; missing %s' % (extra, missing)
        counts = tuple((report[way]['vertices'], report[way]['edges']) for way in ('created', 'deleted'))
        if counts != answer[2]:
            return 'created and deleted %s; expected %s' % (counts, answer[2])
        return self.rows_differ(rows, names, answer[0]) if self.query[2] else None

    def rows_differ(self, path, names, expected):
        with open(path, encoding='utf-8') as file:
            rows = [json.loads(line) for line in file]
        kinds = self.query[2]
        found = collections.Counter(self.row_text({n: renamed(v, kinds[n], names) for n, v in row.items()}) for row in rows)
        if found != expected:
            return 'rows: not expected %s; missing %s' % (list((found - expected).items())[:3], list((expected - found).items())[:3])
        return None


def told(value, names):
    """A value of the interpreter as `shown` writes it, with names for nodes."""
    if isinstance(value, list):
        return [told(v, names) for v in value]
    if isinstance(value, dict):
        return {n: told(v, names) for n, v in value.items()}
    if isinstance(value, Path):
        return told(value.elements, names)
    if isinstance(value, Node):
        return {NAMED: names.get(value.key, 'deleted')}
    if isinstance(value, Relationship):
        return {'type': value.type, 'source': told(value.source, names), 'target': told(value.target, names)}
    return shown(value, False)


def renamed(value, kind, names):
    """A value of the program, of a column of this type, with names in place of the keys of nodes."""
    if value is None:
        return None
    if isinstance(kind, tuple):
        return [renamed(v, kind[1], names) for v in value]
    if kind == 'node':
        return {NAMED: names.get(str(value), 'deleted')}
    if kind == 'rel':
        return {n: v if n == 'type' else renamed(v, 'node', names) for n, v in value.items()}
    if kind == 'path':
        return [renamed(v, 'rel' if i % 2 else 'node', names) for i, v in enumerate(value)]
    return value


def read_export(path):
    """The graph of an export in the form of cypher_updates.described. Keys are text, as in the graph of a case."""
    nodes, relationships = {}, []
    with open(path, encoding='utf-8') as file:
        for thing in map(json.loads, filter(str.strip, file)):
            properties = {n: number(v) for n, v in thing['properties'].items()}
            if thing['type'] == 'node':
                nodes[str(thing['id'])] = (thing['labels'], properties)
            else:
                relationships.append((thing['label'], str(thing['start']['id']), str(thing['end']['id']), properties))
    return nodes, relationships


class Test(random_cypher.Test):
    def test_query(self, rng, graph, seed):
        graph.undirected = False
        case = UpdateCase(graph, UpdateQueries(rng, graph).query(), '', '', rng.choice([1, 1, 2, 3]),
                          random_cypher.random_options(rng, graph), seed)
        answer = case.expected()
        if answer is None:
            self.left_out += 1
            return
        self.queries += 1
        self.found += answer != 'connected' and answer[2] != ((0, 0), (0, 0))
        self.runs += 1
        if self.arguments.dry_run:
            return
        wrong = (None if os.path.exists(os.path.join(self.folder, 'G.h5')) else case.imported(self.folder)) or case.changed(self.folder, answer)
        if wrong:
            self.failures += 1
            random_cypher.report(case, wrong, self.arguments.shrink)


if __name__ == '__main__':
    sys.exit(random_cypher.main(Test))
