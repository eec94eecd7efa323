"""Property test: random openCypher queries that only read, compared with an interpreter in plain Python.

    random_cypher.py [--seed N] [--seconds S | --cases N] [--queries N] [--variants N] [--stop N] [--shrink S]
                     [--chains PART] [--dry-run]

A query is a chain of MATCH, OPTIONAL MATCH, WITH, UNWIND, RETURN and UNION (reference/cypher_queries.py). A part of the
queries are chains that mean one search (reference/cypher_chains.py); enough of them must run as one. The graphs are
small, with attributes that are missing in some vertices. Each query runs on several numbers of ranks with random options:
tiny buffers, replicas, both exchanges, host and device. Rows are compared as bags; under an ORDER BY the keys must be in
order, too. Queries that fail in the interpreter are left out; a query that the program refuses is a failure."""
import argparse
import collections
import json
import os
import random
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
import case as cases
import cypher_text
from cypher_chains import Chains
from cypher_clauses import Execution
from cypher_queries import Queries
from cypher_smaller import smaller_queries
from cypher_value import Failure, TooMany, order_key, shown
from random_language import small_graph
from random_match import random_options
from reference import Run, need_program, test_seed, work_folder

RANKS = [1, 1, 1, 2, 3, 4]


def canonical(value, kind, undirected):
    """Returns the text of a value that was read from JSON or made by `shown`. A bag is sorted, and so are the ends of an
    undirected edge."""
    if isinstance(value, float):
        value = shown(value, False)
    if isinstance(value, list):
        items = [canonical(v, None, undirected) for v in value]
        return '[%s]' % ', '.join(sorted(items) if isinstance(kind, tuple) and kind[0] == 'bag' else items)
    if isinstance(value, dict):
        if undirected and set(value) == {'type', 'source', 'target'}:
            value = dict(value, ends=sorted(json.dumps(value.get(n)) for n in ('source', 'target')), source=None, target=None)
        return '{%s}' % ', '.join('%s: %s' % (n, canonical(value[n], None, undirected)) for n in sorted(value))
    return json.dumps(value, ensure_ascii=False)


def has_pattern(e):
    """True if a pattern stands in the expression. Names of a pattern that are no columns would be new variables in it."""
    if not isinstance(e, (tuple, list)):
        return False
    return bool(e) and e[0] in ('inner', 'pattern', 'pattern comprehension') or any(map(has_pattern, e))


class CypherCase(cases.Case):
    """query: (branches, UNION ALL, {column: type})."""

    def text(self):
        return cypher_text.query(*self.query[:2])

    def arguments(self, file):
        arguments = [file, self.text(), '--lenient']  # an attribute without any value is not in the graph
        for option, value in sorted(self.options.items()):
            arguments += [option, value] if value is not None else []
        return arguments

    def told(self, answer):
        return 'rows %s' % answer[0][:10]

    def row_text(self, row):
        cells = [(n, canonical(row[n], kind, self.graph.undirected)) for n, kind in self.query[2].items()]
        return ' | '.join('%s: %s' % cell for cell in cells)

    def expected(self, *_):
        """Returns (texts of the rows, keys of their order or None), or None if the query has an error or too much work."""
        branches, keeps_all, kinds = self.query
        try:
            execution = Execution(self.graph)
            rows = execution.query(branches, keeps_all)
            keys = self.order_keys(execution, rows)
        except (Failure, TooMany, RecursionError):
            return None
        whole = all(k.lstrip('-').isdigit() for k in self.graph.vertices)
        return [self.row_text({n: shown(v, whole) for n, v in row.items()}) for row in rows], keys

    def order_keys(self, execution, rows):
        """Returns the keys of ORDER BY of the rows if the rows alone determine the keys."""
        last = self.query[0][0][-1][1]
        if len(self.query[0]) > 1 or not last.order or any(has_pattern(e) for e, _ in last.order):
            return None
        try:
            return [[order_key(execution.value(e, row)) for e, _ in last.order] for row in rows]
        except KeyError:  # a key reads a variable that is no column
            return None

    def matched(self, folder, answer):
        output = os.path.join(folder, 'rows.jsonl')
        if os.path.exists(output):
            os.remove(output)
        run = Run(self.ranks, ['match'] + self.arguments(os.path.join(folder, 'G.h5')) + ['--output', output, '--json', '-'])
        wrong = self.differs(run, answer, output)
        return wrong and '%s\n%s%s' % (wrong, run.shown(), '\n' + run.err if run.code else '')

    def differs(self, run, answer, output):
        expected, keys = answer
        if run.hangs or run.code != 0:
            return 'hangs' if run.hangs else 'code %d' % run.code
        report = run.json()
        if report is None:
            return 'stdout is not one JSON object: %r' % run.out[:200]
        self.one_search = 'executed' not in report
        with open(output, encoding='utf-8') as file:
            rows = [json.loads(line) for line in file]
        if any(list(row) != list(self.query[2]) for row in rows):
            return 'columns %r' % list(rows[0])
        found = [self.row_text(row) for row in rows]
        extra = collections.Counter(found) - collections.Counter(expected)
        missing = collections.Counter(expected) - collections.Counter(found)
        if extra or missing:
            return '%d rows, %d expected; not expected %s; missing %s' % (len(found), len(expected), list(extra.items())[:3],
                                                                          list(missing.items())[:3])
        if keys:
            of = dict(zip(expected, keys))
            same = all(of[text] == key for text, key in zip(expected, keys))  # parallel edges have one text but several keys
            if same and [of[text] for text in found] != keys:
                return 'the order of the rows: %s; expected %s' % (found[:5], expected[:5])
        return None if report.get('rows') == len(rows) else 'rows: %s in the report' % report.get('rows')


def smaller(case):
    """Yields the cases that are simpler by one step."""
    plain = cases.changed(case, query=type('Simple', (), {'simple': True})())
    for other in cases.smaller_cases(plain):
        other.query = case.query
        yield other
    for query in smaller_queries(case.query):
        yield cases.changed(case, query=query)


def shrink(case, wrong, seconds):
    """Returns a simpler case that fails in the same way, and its difference."""
    folder, end, again = work_folder(), time.time() + seconds, True
    while again and time.time() < end:
        again = False
        for other in smaller(case):
            if time.time() >= end:
                break
            try:
                answer = other.expected()
            except Exception:  # the simpler query may be invalid
                continue
            found = answer and (other.imported(folder, pieces=False) or other.matched(folder, answer))
            if found and found.split(' ', 2)[:1] == wrong.split(' ', 2)[:1] and found.startswith('code') == wrong.startswith('code'):
                if found.startswith('code') and message(found) != message(wrong):
                    continue
                case, wrong, again = other, found, True
                break
    return case, wrong


def message(wrong):
    """Returns the message of the program without places and names."""
    line = next((line for line in wrong.splitlines() if 'error: ' in line), wrong)
    return ''.join(c for c in line.split('error: ')[-1] if not c.isdigit())


def report(case, wrong, seconds):
    if seconds:
        case, wrong = shrink(case, wrong, seconds)
    kept = tempfile.mkdtemp(prefix='gemp-differs-')
    files = case.graph.write(kept)
    print('FAILED: seed %d: %s' % (case.seed, wrong))
    print('    query: %s' % case.text())
    answer = case.expected()
    print('    expected: %s' % (answer and case.told(answer)))
    for file in files if len(case.graph.vertices) <= 8 else ():
        with open(file, encoding='utf-8') as lines:
            print('    ' + '    '.join(lines))
    print('    kept: %s %s%s' % (files[0], files[1], ', undirected' * case.graph.undirected))
    sys.stdout.flush()


def choices():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=test_seed())
    parser.add_argument('--seconds', type=float, default=12)
    parser.add_argument('--cases', type=int, help='number of runs of the program, instead of --seconds')
    parser.add_argument('--queries', type=int, default=12, help='number of queries for each graph')
    parser.add_argument('--variants', type=int, default=1, help='number of further ranks and options for each query')
    parser.add_argument('--stop', type=int, default=5, help='number of failures after which the test stops')
    parser.add_argument('--shrink', type=float, default=20, help='seconds for simplifying a case that fails')
    parser.add_argument('--chains', type=float, default=0.4, help='part of the queries that are chains of one search')
    parser.add_argument('--dry-run', action='store_true', help='run only the reference')
    return parser.parse_args()


class Test:
    def __init__(self, arguments):
        self.arguments, self.end = arguments, time.time() + arguments.seconds
        self.folder = work_folder()
        self.runs = self.failures = self.found = self.left_out = self.queries = self.chains = self.one_search = 0

    def over(self):
        if self.failures >= self.arguments.stop:
            return True
        return self.runs >= self.arguments.cases if self.arguments.cases else time.time() >= self.end

    def test_query(self, rng, graph, seed):
        chain = rng.random() < self.arguments.chains
        query = (Chains if chain else Queries)(rng, graph).query()
        case = CypherCase(graph, query, '', '', rng.choice(RANKS), random_options(rng, graph), seed)
        answer = case.expected()
        if answer is None:
            self.left_out += 1
            return
        if not answer[0] and rng.random() < 0.8:  # a query without rows shows little
            return
        self.queries += 1
        self.found += len(answer[0]) > 0
        for _ in range(1 + self.arguments.variants):
            self.runs += 1
            if self.arguments.dry_run:
                continue
            file = os.path.join(self.folder, 'G.h5')
            wrong = (None if os.path.exists(file) else case.imported(self.folder)) or case.matched(self.folder, answer)
            if wrong:
                self.failures += 1
                report(case, wrong, self.arguments.shrink)
                return
            self.chains += chain
            self.one_search += chain and case.one_search
            if self.over():
                return
            case = cases.changed(case, ranks=rng.choice(RANKS), options=random_options(rng, graph))

    def test_graph(self, seed):
        rng = random.Random(seed)
        graph = small_graph(rng)
        while not all(any(e[3].get(n, '') != '' for e in graph.edges) for n in ('w', 't')):
            graph = small_graph(rng)  # an attribute without any value is unknown, and queries refuse unknown names
        shutil.rmtree(self.folder, True)
        os.makedirs(self.folder)
        for _ in range(self.arguments.queries):
            if not self.over():
                self.test_query(rng, graph, seed)


def main(kind=Test):
    arguments = choices()
    if not arguments.dry_run:
        need_program()
    test, seed = kind(arguments), arguments.seed
    print('seed %d' % seed)
    while not test.over():
        test.test_graph(seed)
        seed += 1
    print('%d cases of %d queries on %d graphs, %d queries with rows, %d left out, %d failed; %d of %d chains as one search' %
          (test.runs, test.queries, seed - arguments.seed, test.found, test.left_out, test.failures, test.one_search,
           test.chains))
    too_few = test.chains >= 20 and test.one_search < test.chains / 4
    if too_few:
        print('FAILED: too few chains run as one search')
    return test.failures > 0 or too_few


if __name__ == '__main__':
    sys.exit(main())
