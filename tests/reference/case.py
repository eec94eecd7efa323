"""One case of the property test: graph, query, options and ranks. Computes the expected output, compares the program's
output with it, and yields simpler cases."""
import copy
import os
import random
import shutil

from reference import Run

OPTIONS = {
    '--symmetry': [None, 'break', 'hash'], '--replicate': [None, 'none', 'none', 'all', '64', '300', '1K', '4K'],
    '--attributes': [None, 'before', 'after'], '--result-buffer': [None, None, 1, 2, 3, 7, 64],
    '--outbox': [None, None, 1, 2, 5, 64],
    '--lanes': [None, None] + [int(n) for n in os.environ.get('GEMP_TEST_LANES', '1').split()],  # a CPU device has one lane
    '--pivot': [None, None, None, 'off'],
    '--exchange': [None, None, 'push', 'pull'], '--row-cache': [None, None, '4K', '8K', '32K'],
    '--on': [None, None, 'host', 'host', 'device'],
}


class Case:
    def __init__(self, graph, query, semantics, distinct, ranks, options, seed):
        self.graph, self.query, self.semantics, self.distinct = graph, query, semantics, distinct
        self.ranks, self.options, self.seed = ranks, options, seed
        self.says_distinct = self.listed = True

    def arguments(self, file):
        q = self.query
        arguments = [file] + (['--pattern', q.name] if q.simple else [q.text])
        arguments += ['--semantics', self.semantics]
        if self.says_distinct:
            arguments += ['--distinct', self.distinct]
        for option, value in sorted(self.options.items()):
            arguments += [option, value] if value is not None else []
        return arguments

    def expected(self, reference, folder):
        """Returns the answer of the reference, with rows for at most 20,000 embeddings. If there are more, the answer
        has only counts for a large graph, and is None for a small graph or for more than 3,000,000 embeddings."""
        files = self.graph.write(folder)

        def ask(**options):
            return reference.ask([self.query], *files, undirected=self.graph.undirected, semantics=self.semantics,
                                 distinct=self.distinct, **options)[0]
        answer = ask(rows=True, most=20000)
        self.listed = answer is not None and not self.query.simple and bool(self.query.returns)
        if answer is None and len(self.graph.vertices) > 40:
            answer = ask(most=3000000)
        return answer

    def expected_rows(self, answer):
        """Returns the texts that RETURN shows for each match."""
        q = self.query
        if q.returns == ['count(*)']:
            return [(str(answer.matches if self.says_distinct else answer.embeddings),)]
        vertices = [v for v, _ in q.vertices]
        edges = [e[0] for e in q.edges]
        rows = []
        for elements in answer.rows:
            shown = []
            for item in q.returns:
                name, _, attribute = item.partition('.')
                if name in vertices:
                    key = elements[vertices.index(name)]
                    shown.append(self.graph.vertices[key][1].get(attribute, '') if attribute else key)
                else:
                    edge = int(elements[len(vertices) + edges.index(name)])
                    shown.append(self.graph.edges[edge][3].get(attribute, ''))
            rows.append(tuple(shown))
        return sorted(rows)

    def imported(self, folder, pieces=True):
        """Imports the graph. Returns None, or the error."""
        rng = random.Random(self.seed)
        inputs = os.path.join(folder, 'inputs')
        shutil.rmtree(inputs, True)
        os.makedirs(inputs)
        arguments = self.graph.write_pieces(inputs, rng) if pieces else self.plain(folder)
        run = Run(self.ranks, ['import'] + arguments + ['--seed', self.seed % 1000, '-o', os.path.join(folder, 'G.h5')])
        if run.hangs or run.code != 0:
            return 'import: %s\n%s' % ('hangs' if run.hangs else 'code %d' % run.code, run.shown() + '\n' + run.err)
        return None

    def plain(self, folder):
        files = self.graph.write(folder)
        return ['--vertices', files[0], '--edges', files[1]] + ['--undirected'] * self.graph.undirected

    def matched(self, folder, answer):
        """Runs the program. Returns None, or its difference from the reference."""
        listed = self.listed
        output = os.path.join(folder, 'rows.tsv')
        if os.path.exists(output):
            os.remove(output)
        arguments = self.arguments(os.path.join(folder, 'G.h5'))
        run = Run(self.ranks, ['match'] + arguments + (['--output', output] if listed else ['--count']) + ['--json', '-'])
        wrong = self.evaluate(run, answer, output if listed else None)
        return wrong and wrong + '\n' + run.shown() + '\n' + run.err

    def evaluate(self, run, answer, output):
        if run.hangs:
            return 'hangs'
        if run.code != 0:
            return 'code %d' % run.code
        report = run.json()
        if report is None:
            return 'stdout is not one JSON object: %r' % run.out[:200]
        if report.get('matches') != answer.matches:
            return '%s matches; the reference has %d' % (report.get('matches'), answer.matches)
        if report.get('embeddings') not in (answer.embeddings, None):
            return '%s embeddings; the reference has %d' % (report['embeddings'], answer.embeddings)
        if output is None:
            return None
        with open(output, encoding='utf-8', newline='') as file:
            lines = [tuple(line.split('\t')) for line in file.read().split('\n')]
        if lines.pop() != ('',) or not lines:
            return 'the output does not end with a line feed'
        expected = self.expected_rows(answer)
        if list(lines[0]) != self.query.returns:
            return 'columns %r' % (lines[0],)
        rows = sorted(tuple(number(c) for c in row) for row in lines[1:])
        expected = sorted(tuple(number(c) for c in row) for row in expected)
        if rows != expected:
            extra, missing = difference(rows, expected), difference(expected, rows)
            return '%d rows, %d expected; not expected %s; missing %s' % (len(rows), len(expected), extra[:3], missing[:3])
        if report.get('rows') != len(rows):
            return 'rows: %s in the report, %d in the file' % (report.get('rows'), len(rows))
        return None


def number(cell):
    """Returns a float in a fixed form, since the program and the reference may write it differently."""
    try:
        return '%.12g' % float(cell) if '.' in cell else cell
    except ValueError:
        return cell


def difference(a, b):
    rest = list(b)
    left = []
    for row in a:
        if row in rest:
            rest.remove(row)
        else:
            left.append(row)
    return left


def smaller_cases(case):
    """Yields the cases that are simpler by one step."""
    for option, value in sorted(case.options.items()):
        if value is not None:
            yield changed(case, options=dict(case.options, **{option: None}))
    for ranks in (1, 2, 3):
        if ranks < case.ranks:
            yield changed(case, ranks=ranks)
    graph = case.graph
    for part in (2, 4, 8, len(graph.edges)):
        size = -(-len(graph.edges) // part) if part else 0
        for begin in range(0, len(graph.edges) if size else 0, max(1, size)):
            yield with_graph(case, graph.vertices, graph.edges[:begin] + graph.edges[begin + size:])
    used = {v for e in graph.edges for v in e[:2]}
    unused = [k for k in graph.vertices if k not in used]
    if len(unused) > 1:
        yield with_graph(case, {k: v for k, v in graph.vertices.items() if k in used}, graph.edges)
    for key in unused:
        yield with_graph(case, {k: v for k, v in graph.vertices.items() if k != key}, graph.edges)
    query = case.query
    if query.simple:
        return
    for i in range(len(query.where)):
        yield with_query(case, where=query.where[:i] + query.where[i + 1:])
    for i in range(len(query.edges)):
        yield with_query(case, edges=query.edges[:i] + query.edges[i + 1:])
    for i, (name, labels) in enumerate(query.vertices):
        if labels:
            yield with_query(case, vertices=query.vertices[:i] + [(name, [])] + query.vertices[i + 1:])


def changed(case, **fields):
    other = copy.copy(case)
    other.__dict__.update(fields)
    return other


def with_graph(case, vertices, edges):
    graph = copy.copy(case.graph)
    graph.vertices, graph.edges = dict(vertices), list(edges)
    return changed(case, graph=graph)


def with_query(case, **fields):
    query = copy.copy(case.query)
    query.__dict__.update(fields)
    names = {v for e in query.edges for v in e[1:3]} | {e[0] for e in query.edges}
    keep = [v for v in query.vertices if v[0] in names] or query.vertices[:1]
    left = {v[0] for v in keep} | names
    query.vertices = keep
    if any(not expr_left(e, left) for e in query.where):
        query.where = [e for e in query.where if expr_left(e, left)]
    query.returns = [r for r in query.returns if r.split('.')[0] in left or r == 'count(*)'] or [keep[0][0]]
    query.arrange(random.Random(1))
    return changed(case, query=query)


def expr_left(e, names):
    from reference import expr_variables
    return expr_variables(e) <= names
