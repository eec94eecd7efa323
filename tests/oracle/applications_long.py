"""Compares applications on real films and translations, each written as one query, with plain Python. Skipped (77) if
the data are missing.

    applications_long.py [--ranks N] [--only TEXT] [--languages DE,EN,...]

The applications are pairs with three common films, the ten most frequent pairs with their titles, and synonyms by
way of other languages."""
import argparse
import collections
import itertools
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from reference import Run, need_program, need_shared, work_folder
from relational import example, imported, read_table


class Application:
    def __init__(self, ranks, only):
        self.ranks, self.only, self.folder, self.failures = ranks, only, work_folder(), 0

    def rows(self, name, graph, query, options=()):
        output = os.path.join(self.folder, 'rows.jsonl')
        run = Run(self.ranks, ['match', graph] + query + ['--output', output, '--json', '-'] + list(options), 1200)
        if run.hangs or run.code != 0:
            print('FAILED: %s: code %s: %s\n%s' % (name, run.code, run.shown(), run.err[-2000:]))
            self.failures += 1
            return None
        with open(output, encoding='utf-8') as file:
            rows = [list(json.loads(line).values()) for line in file]
        print('%-40s %7.1f s %9d rows' % (name, run.seconds, len(rows)), flush=True)
        return rows

    def check(self, name, rows, expected):
        if rows is not None and rows != expected:
            self.failures += 1
            differs = (i for i, pair in enumerate(zip(rows, expected)) if pair[0] != pair[1])
            at = next(differs, min(len(rows), len(expected)))
            print('FAILED: %s: %d rows, %d expected; row %d: %s, expected %s' %
                  (name, len(rows), len(expected), at, rows[at:at + 1], expected[at:at + 1]))

    def graph(self, name, options=()):
        files = [need_shared('data/%s/%s.tsv.zst' % (name, part)) for part in ('vertices', 'edges')]
        file = imported(*files, os.path.join(self.folder, name + '.h5'), self.ranks, options)
        return file, read_table(files[0]), read_table(files[1])


def films(app):
    graph, vertices, edges = app.graph('movies')
    header = vertices[0]
    names = {row[0]: row[header.index('name')] for row in vertices[1:]}
    cast = collections.defaultdict(set)
    for source, target, kind, *_ in edges[1:]:
        if kind == 'ACTS_IN':
            cast[target].add(int(source))
    together = collections.defaultdict(list)
    for film, people in cast.items():
        for pair in itertools.combinations(sorted(people), 2):
            together[pair].append(names[film])
    often = {pair: titles for pair, titles in together.items() if len(titles) >= 3}
    if len(often) != 5044:
        app.failures += 1
        print('FAILED: plain Python finds %d pairs' % len(often))
    rows = app.rows('three common films', graph, example('applications/three-films'))
    app.check('three common films', rows and sorted(rows), sorted([a, b, len(t)] for (a, b), t in often.items()))
    wanted = [[names[str(a)], names[str(b)], len(t), sorted(t, key=str.encode)] for (a, b), t in often.items()]
    wanted.sort(key=lambda row: (-row[2], row[0].encode(), row[1].encode()))
    rows = app.rows('the ten most frequent pairs', graph, example('applications/ten-pairs'))
    app.check('the ten most frequent pairs', rows, wanted[:10])
    for row in (rows or [])[:3]:
        print('    %s and %s: %d films, %s, ...' % (row[0], row[1], row[2], ', '.join(row[3][:3])))


def synonyms(app, languages):
    graph, vertices, edges = app.graph('translations', ['--undirected'])
    header = vertices[0]
    language = {row[0]: row[header.index('lang')] for row in vertices[1:]}
    word = {row[0]: row[header.index('word')] for row in vertices[1:]}
    beside = collections.defaultdict(set)
    for source, target, *_ in edges[1:]:
        beside[source].add(target)
        beside[target].add(source)
    for lang in languages:
        paths = collections.Counter()
        for middle, ends in beside.items():
            alike = sorted(int(v) for v in ends if language[v] == lang and v != middle)
            paths.update(itertools.combinations(alike, 2))
        wanted = [[word[str(a)], word[str(b)], n] for (a, b), n in paths.items() if n >= 2]
        wanted.sort(key=lambda row: (-row[2], row[0].encode(), row[1].encode()))
        rows = app.rows('synonyms, ' + lang, graph, example('applications/synonyms'), ['--param', 'lang=' + lang])
        app.check('synonyms, ' + lang, rows, wanted)
        for row in (rows or [])[:5]:
            print('    %s, %s: %d ways' % tuple(row))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--ranks', type=int, default=2)
    parser.add_argument('--only', default='')
    parser.add_argument('--languages', default='DE,EN,LT')
    arguments = parser.parse_args()
    need_program()
    app = Application(arguments.ranks, arguments.only)
    if arguments.only in ('', 'films'):
        films(app)
    if arguments.only in ('', 'synonyms'):
        synonyms(app, arguments.languages.split(','))
    print('%d failed' % app.failures)
    return app.failures > 0


if __name__ == '__main__':
    sys.exit(main())
