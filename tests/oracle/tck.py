"""Runs scenarios of openCypher's technology compatibility kit (TCK). Skipped (77) if GEMP_SHARED/tck is missing.

    tck.py [--all] [--only TEXT] [--writes] [--share S] [--seed N] [--jobs N] [--ranks N] [--table FILE]

GEMP_SHARED/tck has the scenarios and the package opencypher_tck, which makes the graph of a scenario, asks its query and
judges the answer. This test adds parameters that are lists and maps, paths, and attributes of JSON
(tests/reference/tck_graph.py), and asks queries that change a graph by `transform`, whose new graph shows the side effects
(tests/reference/tck_update.py). tests/oracle/tck_open.json lists the scenarios that do not pass, with the reason;
docs/opencypher.md shows them. A scenario fails the test if it ends otherwise than the list says. By default a sample of every folder runs. --table writes the share of every folder."""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from reference import SOURCE, need_program, need_shared, test_seed, work_folder

SHARED = need_shared('tck')
sys.path.insert(0, SHARED)
sys.dont_write_bytecode = True  # the package lies in a folder that is only read
import tck_graph
import tck_update
from opencypher_tck import runner as tck_runner
from opencypher_tck.cypher import Unsupported
from opencypher_tck.gherkin import read_features
from opencypher_tck.language import Query
from opencypher_tck.values import NULL, Expected, actual, unordered

OPEN = os.path.join(SOURCE, 'tests', 'oracle', 'tck_open.json')
MPIRUN = ['mpirun', '-q', '--oversubscribe', '--bind-to', 'none', '-n']


def short(scenario):
    """The id without the scenario's title: clauses/match/Match4 [3], or with the example of an outline: ... [3] #2."""
    found = re.match(r'(\S+ \[\d+\]).*?( #\d+)?$', scenario.id, re.S)
    return found[1] + (found[2] or '') if found else scenario.id


def json_of(value):
    """The JSON of a value that a table states."""
    kind = value[0]
    if kind == 'list':
        return [json_of(v) for v in value[1]]
    if kind == 'map':
        return {name: json_of(v) for name, v in value[1]}
    return None if kind == 'null' else float(value[1]) if kind == 'float' else value[1]


def is_edge(value, graph):
    return isinstance(value, dict) and set(value) == {'type', 'source', 'target'} and value['source'] in graph.keys


def as_path(value, graph):
    """A list of alternating nodes and relationships, each of which joins its neighbours, as the path that it may be."""
    nodes, edges = value[::2], value[1::2]
    if len(nodes) != len(edges) + 1 or not all(isinstance(n, str) and n in graph.keys for n in nodes):
        return None
    if not all(is_edge(e, graph) for e in edges):
        return None
    parts = [actual(nodes[0], graph)]
    for edge, left, right in zip(edges, nodes, nodes[1:]):
        if (edge['source'], edge['target']) not in ((left, right), (right, left)):
            return None
        parts += ['>' if edge['source'] == left else '<', actual(edge, graph), actual(right, graph)]
    return ('path', tuple(parts))


def read_value(value, graph, paths):
    """A value of the program's JSON. Paths are lists there; `paths` tells whether lists that may be paths are paths."""
    if isinstance(value, list):
        path = as_path(value, graph) if paths else None
        return path or ('list', tuple(read_value(v, graph, paths) for v in value))
    if isinstance(value, dict) and not is_edge(value, graph):
        return ('map', frozenset((name, read_value(v, graph, paths)) for name, v in value.items()))
    return actual(value, graph)


def without_nan(value):
    """JSON has no NaN, so the program writes null for it."""
    if value == ('float', 'NaN'):
        return NULL
    if value[0] == 'list':
        return ('list', tuple(map(without_nan, value[1])))
    return ('map', frozenset((name, without_nan(v)) for name, v in value[1])) if value[0] == 'map' else value


def compare(rows, expected, graph):
    """Takes the place of opencypher_tck.runner.compare, which has its comparison of rows without paths."""
    header, *table = expected.table or [[]]
    table = [tuple(without_nan(Expected(cell).parse()) for cell in row) for row in table]
    if rows and sorted(rows[0]) != sorted(header) and expected.table:
        return 'wrong', 'columns %s, expected %s' % (list(rows[0]), header)
    for paths in (True, False):
        got = [tuple(read_value(row[name], graph, paths) for name in header) for row in rows] if expected.table else rows
        wanted = table
        if 'ignoring element order' in expected.text:
            wanted, got = ([tuple(map(unordered, row)) for row in t] for t in (wanted, got))
        ordered = 'in order' in expected.text
        if (wanted == got if ordered else collections.Counter(wanted) == collections.Counter(got)) if expected.table else not rows:
            return 'pass', ''
    return 'wrong', 'got %s, expected %s' % (json.dumps(rows[:8], ensure_ascii=False), expected.table)


class Runner(tck_runner.Runner):
    def __init__(self, *arguments, ranks=1):
        super().__init__(*arguments)
        self.launched = ()
        if ranks > 1:
            self.program, *launched = [*MPIRUN, str(ranks), self.program]
            self.launched = tuple(launched)

    def call(self, *arguments):
        return super().call(*self.launched, *arguments)

    def run(self, scenario):
        record = super().run(scenario)
        if record['verdict'] == 'write':
            try:
                record['verdict'], record['detail'] = self.run_update(scenario)
            except Unsupported as refusal:
                record['verdict'], record['detail'] = 'setup', str(refusal)
        return record

    def set_up(self, graph, scenario):
        """What opencypher_tck cannot make, the program makes by the statements of the scenario."""
        try:
            super().set_up(graph, scenario)
        except Unsupported:
            made = tck_graph.Graph()
            for step in scenario.steps:
                if step.text.startswith(('having executed', 'after having executed')):
                    code, said, _, made, _ = self.change(self.import_graph(made), step.doc, [])
                    if code != 0:
                        raise Unsupported('setup: %s' % said) from None
            graph.__dict__.update(made.__dict__)

    def change(self, graph, query, arguments):
        """Exit code, what was said, the rows, the new graph, and the report."""
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            new, lines, rows, report = (os.path.join(place, name) for name in ('new.h5', 'new.jsonl', 'rows.jsonl', 'report.json'))
            returns = ['--rows', rows] if re.search(r'\bRETURN\b', query, re.I) else []
            code, said = self.call('transform', str(graph), '--query', query, '--lenient', '--quiet', '--devices', self.devices,
                                   *arguments, '--output', new, '--json', report, *returns)
            if code != 0:
                if any(map(os.path.exists, (new, rows, report))):
                    return 70, 'a file in spite of the error: ' + said, [], None, None
                return code, said, [], None, None
            exported, why = self.call('convert', new, '-o', lines, '--quiet')
            if exported != 0:
                return 70, 'convert: ' + why, [], None, None
            with open(lines, encoding='utf-8') as file:
                made = tck_update.read_graph(file)
            with open(report, encoding='utf-8') as file:
                told = json.load(file)
            found = []
            if returns:
                with open(rows, encoding='utf-8') as file:
                    found = [json.loads(line) for line in file]
            return code, said, found, made, told

    def run_update(self, scenario):
        """The verdict on a scenario whose query changes the graph, and why."""
        arguments, unsupported = self.parameters(scenario)
        text, expected = scenario.tested
        error = tck_runner.ERROR.fullmatch(expected.text)
        graph = tck_graph.Graph()
        self.set_up(graph, scenario)
        if unsupported or graph.missing():
            raise Unsupported('; '.join(sorted(unsupported | graph.missing())))
        code, said, rows, made, report = self.change(self.import_graph(graph), text, arguments)
        verdict, why = self.judge(code, said, tck_update.with_keys(rows, expected.table), expected, error, made)
        if verdict != 'pass':
            return verdict, why
        effects, wanted = tck_update.side_effects(graph, made), tck_update.expected_effects(scenario)
        if wanted is not None and wanted not in (effects, tck_update.with_replaced(effects, report)):
            return 'wrong', 'side effects %s, expected %s' % (effects, wanted)
        wrong = tck_update.report_differs(report, graph, made)
        if wrong:
            return 'wrong', wrong
        for query, after in tck_update.controls(scenario):
            code, said, rows = self.ask(self.import_graph(made), query, [])
            verdict, why = self.judge(code, said, tck_update.with_keys(rows, after.table), after, None, made)
            if verdict != 'pass':
                return verdict, 'control query: ' + why
        return 'pass', ''

    def compute(self, query):
        """The text that the query returns on an empty graph."""
        code, said, rows = self.ask(self.import_graph(tck_graph.Graph()), query, [])
        if code != 0:
            raise Unsupported('setup: %s: %s' % (query, said))
        return rows[0]['text']

    @staticmethod
    def parameters(scenario):
        plain, unsupported = tck_runner.Runner.parameters(scenario)
        for step in scenario.steps:
            if step.text.startswith('parameters are'):
                for name, text in step.table:
                    value = Expected(text).parse()
                    if value[0] in ('list', 'map'):
                        plain += ['--param', '%s=%s' % (name, json.dumps(json_of(value)))]
        return plain, {reason for reason in unsupported if not reason.startswith('data: parameters')}


def chosen(scenarios, arguments):
    """All scenarios, those of --only or --writes, or a share of each folder."""
    if arguments.writes:
        return [s for s in scenarios if Query(s.tested[0]).writes and arguments.only in s.id]
    if arguments.all or arguments.only:
        return [s for s in scenarios if arguments.only in s.id]
    kept = set()
    for folder in sorted({s.folder for s in scenarios}):
        ids = [s.id for s in scenarios if s.folder == folder]
        kept |= set(random.Random('%d %s' % (arguments.seed, folder)).sample(ids, max(1, round(arguments.share * len(ids)))))
    return [s for s in scenarios if s.id in kept]


def open_scenarios():
    """The scenarios that do not pass, and those that pass on some machines only (`either`)."""
    with open(OPEN, encoding='utf-8') as file:
        groups = json.load(file)
    return tuple({name for group in groups if group.get('either', False) == either for name in group['scenarios']}
                 for either in (False, True))


def share_table(records):
    """Lines of a table in Markdown: scenarios, and those that pass, of each folder and of all."""
    lines = ['| folder | scenarios | pass | share |', '|---|---:|---:|---:|']
    folders = sorted({r['folder'] for r in records})
    for name in [*folders, 'all']:
        those = [r for r in records if name in (r['folder'], 'all')]
        passed = sum(r['verdict'] in tck_runner.PASSED for r in those)
        lines.append('| %s | %d | %d | %.1f %% |' % (name, len(those), passed, 100 * passed / max(1, len(those))))
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--only', default='', help='run all scenarios whose id contains this')
    parser.add_argument('--writes', action='store_true', help='run all scenarios that change a graph')
    parser.add_argument('--share', type=float, default=0.05)
    parser.add_argument('--seed', type=int, default=test_seed())
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--ranks', type=int, default=1)
    parser.add_argument('--table', help='write the share of each folder, and the scenarios that do not pass')
    arguments = parser.parse_args()
    need_program()
    print('seed %d' % arguments.seed)
    tck_runner.compare = compare
    features = os.path.join(SHARED, 'openCypher')
    scenarios = chosen(read_features(Path(features, 'features')), arguments)
    runner = Runner(os.environ['GEMP_MPI'], features, os.path.join(work_folder(), 'graphs'), 'cpu', 120, ranks=arguments.ranks)
    tck_graph.install(tck_runner, runner.compute)
    (known, either), failures, records = open_scenarios(), 0, []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for scenario, record in zip(scenarios, pool.map(runner.run, scenarios)):
            records.append(dict(record, short=short(scenario)))
            passed, name = record['verdict'] in tck_runner.PASSED, short(scenario)
            if (passed == (name in known) and name not in either) or record['verdict'] in ('crash', 'timeout'):
                failures += 1
                print('FAILED: %s: %s%s\n    %s\n    %s' % (scenario.id, record['verdict'], ', but %s lists it' % OPEN if passed else '',
                                                          record['query'].replace('\n', ' '), record['detail'][:600]), flush=True)
    lines = share_table(records)
    print('\n'.join(lines))
    if arguments.table:
        with open(arguments.table, 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines) + '\n\n' + ''.join('%s\t%s\t%s\n' % (r['short'], r['verdict'], r['detail'][:200]) for r in records
                                                           if r['verdict'] not in tck_runner.PASSED))
    print('%d scenarios, %d failed' % (len(records), failures))
    return failures > 0 or not records


if __name__ == '__main__':
    sys.exit(main())
