"""Property test: random queries of the whole language, compared with an evaluator in plain Python.

    random_language.py [--seed N] [--seconds S] [--features where,parameters,edges,exists,optional,paths,...]
                       [--queries N] [--variants N] [--stop N] [--shrink S] [--semantics S,...] [--distinct D,...]
                       [--dry-run] [--refusals] [--clauses]

random_match.py tests plain patterns. This test has all other parts of the language: expressions, sub-patterns,
optional patterns, paths, unconnected parts, grouping. A case that differs is kept in a folder whose name is printed.
--shrink spends S seconds on simplifying this case. A query that the program refuses (code 2) is counted and is no
failure. --clauses runs each query clause by clause, in the sense of openCypher: an UNWIND of one element before it
makes the front end of one search refuse it."""
import argparse
import collections
import copy
import json
import os
import random
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
import case as cases
from answer import classes, result, rows_of, shown
from expression import Failure, expr_variables
from host import Host, TooMany
from random_clauses import FEATURES, random_clauses
from random_graph import random_graph
from random_match import random_options
from reference import Run, need_program, test_seed, work_folder

RANKS = [1, 1, 2, 2, 3, 4]
MOST_ROWS = 4000


class LanguageCase(cases.Case):
    """A case with a query of the whole language. semantics and distinct are empty if the option is not given."""
    prefix = ''

    def arguments(self, file):
        arguments = [file, self.prefix + self.query.text]
        for name, value in (('--semantics', self.semantics), ('--distinct', self.distinct)):
            arguments += [name, value] if value else []
        for name, value in sorted(self.query.parameters().items()):
            kind = {bool: 'bool', int: 'int', float: 'float'}.get(type(value), 'string')
            text = '%s:%s=%s' % (name, kind, str(value).lower() if kind == 'bool' else value)
            arguments += ['--param', name + '=null' if value is None else text]
        for option, value in sorted(self.options.items()):
            arguments += [option, value] if value is not None else []
        return arguments

    def expected(self, *_):
        """Returns (matches, embeddings, groups of rows), or None if the work is too much or the query has an error."""
        host, query, semantics = Host(self.graph), self.query, self.semantics or 'edge-iso'
        try:
            every = rows_of(host, query, semantics)
            if len(every) > MOST_ROWS:
                return None
            distinct = self.distinct or 'none'
            if distinct != 'none' and self.shows_edges():
                return None  # if parallel edges are equivalent, the documentation does not say which edge represents the class
            kept = classes(host, query, every, distinct)
            return len(kept), len(every), result(query, kept, host, semantics)
        except (TooMany, Failure):
            return None

    def shows_edges(self):
        edges = set(self.query.points()[1])
        projections = [p for p in (self.query.with_clause, self.query.result) if p]
        return any(expr_variables(e) & edges for p in projections for e in p.expressions())

    def matched(self, folder, answer):
        output = os.path.join(folder, 'rows.jsonl')
        if os.path.exists(output):
            os.remove(output)
        arguments = self.arguments(os.path.join(folder, 'G.h5'))
        run = Run(self.ranks, ['match'] + arguments + ['--output', output, '--json', '-'], limit=300)
        wrong = self.differs(run, answer, output)
        return wrong and wrong + '\n' + run.shown() + ('\n' + run.err if run.code else '')

    def differs(self, run, answer, output):
        matches, embeddings, groups = answer
        if run.hangs or run.code != 0:
            return 'hangs' if run.hangs else 'code %d' % run.code
        report = run.json()
        if report is None:
            return 'stdout is not one JSON object: %r' % run.out[:200]
        sliced = self.query.result.limit is not None
        if not sliced and report.get('embeddings') not in (embeddings, None):
            return '%s embeddings; the reference has %d' % (report['embeddings'], embeddings)
        # A query that runs clause by clause reports its rows as matches.
        searched = report.get('executed') != 'clause by clause'
        if searched and not sliced and self.distinct and report.get('matches') != matches:
            return '%s matches; the reference has %d' % (report.get('matches'), matches)
        with open(output, encoding='utf-8') as file:
            rows = [json.loads(line) for line in file]
        names = [i.alias for i in self.query.result.items]
        for row in rows:
            if list(row) != names:
                return 'columns %r' % list(row)
        wrong = self.wrong_rows([[comparable(row[n]) for n in names] for row in rows], groups)
        return wrong or (None if report.get('rows') == len(rows) else 'rows: %s in the report' % report.get('rows'))

    def wrong_rows(self, rows, groups):
        """Returns None, or the difference. Rows of a group may have any order, and SKIP and LIMIT may cut a group
        anywhere."""
        query = self.query.result
        at, begin = 0, query.skip or 0
        end = begin + query.limit if query.limit is not None else sum(map(len, groups))
        # if a graph has a string key, its integer keys are shown as strings
        keys = {i for group in groups for row in group for i, v in enumerate(row) if isinstance(v, tuple)}

        def texts(row):
            if self.prefix:  # clause by clause, collect() has the order of the rows
                row = [sorted(v, key=repr) if isinstance(v, list) else v for v in row]
            return tuple(repr(str(v) if i in keys and v is not None else v) for i, v in enumerate(row))
        rows = list(map(texts, rows))
        expected = 0
        for group in groups:
            wanted = [texts([comparable(shown(v)) for v in row]) for row in group]
            count = max(0, min(end, at + len(group)) - max(begin, at))
            got = collections.Counter(rows[expected:expected + count])
            extra, missing = got - collections.Counter(wanted), collections.Counter(wanted) - got
            if extra or sum(got.values()) != count:
                return 'rows from %d on: not expected %s, missing %s' % (expected, list(extra)[:3], list(missing)[:3])
            at += len(group)
            expected += count
        return None if expected == len(rows) else '%d rows, %d expected' % (len(rows), expected)


def comparable(value):
    if isinstance(value, list):
        return [comparable(v) for v in value]
    if isinstance(value, float):
        value = float('%.11g' % value)
        return int(value) if value == int(value) else value
    return value


def smaller_queries(query):
    """Yields the queries that are simpler by one step."""
    def with_(change):
        other = copy.deepcopy(query)
        try:
            change(other)
            other.arrange(random.Random(1))
        except Exception:  # the simpler query may be invalid
            return []
        return [other]

    def drop(of, i):
        return lambda q: of(q).pop(i)
    for i in range(len(query.optionals)):
        yield from with_(drop(lambda q: q.optionals, i))
    for i, pattern in enumerate(query.patterns()):
        for j in range(len(pattern.where)):
            yield from with_(drop(lambda q, i=i: q.patterns()[i].where, j))
            for part in simpler(pattern.where[j]):
                yield from with_(lambda q, i=i, j=j, part=part: q.patterns()[i].where.__setitem__(j, part))
        for j in range(len(pattern.edges)):
            yield from with_(drop(lambda q, i=i: q.patterns()[i].edges, j))
        for j, vertex in enumerate(pattern.vertices):
            if vertex[1]:
                yield from with_(lambda q, i=i, j=j, v=vertex: q.patterns()[i].vertices.__setitem__(j, (v[0], [])))
            yield from with_(drop(lambda q, i=i: q.patterns()[i].vertices, j))
    for name, empty in (('order', []), ('skip', None), ('limit', None), ('distinct', False)):
        if getattr(query.result, name) != empty:
            yield from with_(lambda q, name=name, empty=empty: setattr(q.result, name, empty))
    for i in range(len(query.result.items)):
        yield from with_(drop(lambda q: q.result.items, i))
    if query.with_clause:
        yield from with_(lambda q: setattr(q, 'with_clause', None))
        yield from with_(lambda q: setattr(q.with_clause, 'where', []))
        for i in range(len(query.with_clause.items)):
            yield from with_(drop(lambda q: q.with_clause.items, i))


def simpler(e):
    """Yields the parts of a condition, and simpler conditions."""
    if isinstance(e, tuple) and e[0] in ('and', 'or', 'xor', 'not'):
        yield from e[1:]
        for i, child in enumerate(e[1:], 1):
            for part in simpler(child):
                yield e[:i] + (part,) + e[i + 1:]
    if isinstance(e, tuple) and e[0] == 'exists':
        for i in range(len(e[1].where)):
            yield (e[0], e[1].copied(where=e[1].where[:i] + e[1].where[i + 1:]))


def smaller(case):
    if len(case.graph.edges) > 1 or len(case.graph.vertices) > 1:
        plain = copy.copy(case)
        plain.query = type('Simple', (), {'simple': True})()
        for other in cases.smaller_cases(plain):
            other.query = case.query
            yield other
    for query in smaller_queries(case.query):
        yield cases.changed(case, query=query)


def shrink(case, seconds):
    folder, end, wrong, again = work_folder(), time.time() + seconds, None, True
    while again and time.time() < end:
        again = False
        for other in smaller(case):
            if time.time() >= end:
                break
            try:
                answer = other.expected()
                found = answer and (other.imported(folder, pieces=False) or other.matched(folder, answer))
            except Exception:
                continue
            if found and not found.startswith('code 2'):
                case, wrong, again = other, found, True
                break
    return case, wrong


def report(case, wrong, seconds):
    if seconds:
        case, found = shrink(case, seconds)
        wrong = found or wrong
    kept = tempfile.mkdtemp(prefix='gemp-differs-')
    files = case.graph.write(kept)
    print('FAILED: seed %d: %s' % (case.seed, wrong))
    print('    kept: %s %s; %d vertices, %d edges%s' % (files[0], files[1], len(case.graph.vertices),
                                                       len(case.graph.edges), ', undirected' * case.graph.undirected))
    sys.stdout.flush()


def choices():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=test_seed())
    parser.add_argument('--seconds', type=float, default=12)
    parser.add_argument('--queries', type=int, default=3, help='number of queries for each graph')
    parser.add_argument('--variants', type=int, default=1, help='number of further ranks and options for each query')
    parser.add_argument('--stop', type=int, default=5, help='number of failures after which the test stops')
    parser.add_argument('--shrink', type=float, default=0)
    parser.add_argument('--features', default=','.join(FEATURES))
    parser.add_argument('--most', type=int, default=4, help='maximum number of vertices of a MATCH')
    parser.add_argument('--semantics', default='iso,iso,edge-iso,hom,')
    parser.add_argument('--distinct', default='none,none,subgraph,vertices,orbit,,')
    parser.add_argument('--dry-run', action='store_true', help='run only the reference')
    parser.add_argument('--clauses', action='store_true', help='run queries clause by clause')
    parser.add_argument('--refusals', action='store_true', help='print the messages of refused queries')
    return parser.parse_args()


def small_graph(rng):
    graph = random_graph(rng)
    while len(graph.vertices) > 24 or (len(graph.vertices) > 3 and not graph.edges):
        graph = random_graph(rng)
    return graph


def main():
    arguments = choices()
    if not arguments.dry_run:
        need_program()
    folder, end = work_folder(), time.time() + arguments.seconds
    file = os.path.join(folder, 'G.h5')
    features = [f for f in arguments.features.split(',') if f]
    runs = failures = found = big = 0
    refused = collections.Counter()
    seed = arguments.seed
    print('seed %d' % seed)
    while time.time() < end and failures < arguments.stop:
        rng = random.Random(seed)
        graph, ranks = small_graph(rng), rng.choice(RANKS)
        if os.path.exists(file):
            os.remove(file)
        for _ in range(arguments.queries):
            query = random_clauses(rng, graph, features, arguments.most)
            distinct = rng.choice(arguments.distinct.split(','))
            if query.optionals:  # with OPTIONAL MATCH each embedding is a row
                distinct = rng.choice(['', 'none'])
            if arguments.clauses:
                LanguageCase.prefix, arguments.semantics, distinct = 'UNWIND [0] AS one_row ', '', ''
            case = LanguageCase(graph, query, rng.choice(arguments.semantics.split(',')), distinct, ranks,
                                random_options(rng, graph), seed)
            answer = case.expected()
            if answer is None:
                big += 1
                continue
            found += answer[0] > 0
            wrong = None
            for i in range(1 + arguments.variants):
                runs += 1
                if arguments.dry_run or time.time() >= end:
                    break
                wrong = (None if os.path.exists(file) else case.imported(folder)) or case.matched(folder, answer)
                if wrong:
                    break
                case = cases.changed(case, ranks=rng.choice(RANKS), options=random_options(rng, graph))
            if wrong and wrong.startswith('code 2'):
                refused[next((line for line in wrong.splitlines() if 'gemp-mpi: ' in line), wrong)] += 1
                if arguments.refusals:
                    print(wrong)
            elif wrong:
                failures += 1
                report(case, wrong, arguments.shrink)
            if time.time() >= end or failures >= arguments.stop:
                break
        seed += 1
    print('%d cases on %d graphs, %d queries with matches, %d left out as too large, %d refused, %d failed' %
          (runs, seed - arguments.seed, found, big, sum(refused.values()), failures))
    for text, count in refused.most_common(12):
        print('%6d refused: %s' % (count, text))
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
