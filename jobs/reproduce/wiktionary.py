"""Repeats the search for cycles in a graph of translations: cycles of five and six words, each once, by hashing all
embeddings as published and by symmetry breaking, and the words of one language that these cycles and disjoint paths make
likely synonyms. Without real data, `gemp-mpi generate translations` makes a list of the published length."""
import collections
import csv
import glob
import json
import os
import subprocess
import sys

import published
from disjoint_paths import disjoint_paths
from page import Page

APPLICATIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'configs', 'applications')
QUERIES = {'4 words': 'synonyms', '5 words': 'synonyms-5', '6 words, 3 + 3': 'synonyms-6', '6 words, 2 + 4': 'synonyms-6-near'}
METHODS = (('sets of words, by hash', 'hash', 'vertices'), ('sets of words, by symmetry breaking and hash', 'break', 'vertices'),
           ('cycles, by hash', 'hash', 'subgraph'), ('cycles, by symmetry breaking', 'break', 'subgraph'))
SHOWN = 12


def options(parser):
    data = parser.add_mutually_exclusive_group()
    data.add_argument('--pairs', metavar='FILE', nargs='+', help='lists of translations: HU alma, a tab, EN apple')
    data.add_argument('--dump', metavar='FILE', nargs='+', help='dumps of Wiktionaries: enwiktionary-...-pages-articles.xml.bz2')
    data.add_argument('--freedict', action='store_true', help="the dictionaries of Debian's packages dict-freedict-*, if installed")
    parser.add_argument('--language', metavar='LANG', help='language of the synonyms (default: the one with most words)')


def seconds(report, *phases):
    return sum(report['seconds'][phase]['max'] for phase in phases)


def preparation(report):
    """Seconds until the graph is in memory and in the form that the search reads."""
    return seconds(report, 'read', 'convert', 'upload')


def search(report):
    """All other seconds of a run, except for the start of the process and its end."""
    return seconds(report, 'elapsed') - preparation(report) - seconds(report, 'start', 'close')


# DATA


def tables(page, graph):
    """Writes the graph as tables. Returns language and word of each vertex, and the ends of each edge."""
    page.gemp('convert', graph, '-o', page.path('wiktionary.tsv'))
    with open(page.path('wiktionary.vertices.tsv'), encoding='utf-8', newline='') as file:
        rows = csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE)
        names = {key.split(':')[0]: key for key in rows.fieldnames}
        words = {row[names['id']]: (row[names['lang']], row[names['word']]) for row in rows}
    with open(page.path('wiktionary.edges.tsv'), encoding='utf-8', newline='') as file:
        rows = csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE)
        edges = [(row['src'], row['dst']) for row in rows]
    return words, edges


def stand_in(page):
    """Generates translations and writes them as a list of pairs, which is what the published program read."""
    size = ['--pairs', 3000, '--concepts', 500] if page.options.small else ['--pairs', published.WIKTIONARY_PAIRS]
    words, edges = tables(page, page.make('generated.h5', 'generate', 'translations', *size))
    path = page.path('translations.pairs')
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines('%s %s\t%s %s\n' % (*words[a], *words[b]) for a, b in edges)
    page.text('The data are a stand-in, since the published list is not available: `gemp-mpi generate translations` makes concepts '
              'with words of 20 languages, synonyms and words of several meanings, and as many different pairs as the list had. '
              'How many cycles the published list had is not known. The pairs are written as a list, `HU alma`, a tab, '
              '`EN apple`, and read from there.')
    return ['--format', 'pairs', path]


def source(page):
    """Describes the data and returns the arguments of import."""
    given = page.options
    if given.pairs:
        page.text('The data are lists of pairs: %s.' % ', '.join(os.path.basename(path) for path in given.pairs))
        return ['--format', 'pairs', *given.pairs]
    if given.dump:
        page.text('The data are dumps of Wiktionaries: %s.' % ', '.join(os.path.basename(path) for path in given.dump))
        return ['--format', 'wiktionary', *given.dump]
    if not given.freedict:
        return stand_in(page)
    files = sorted(glob.glob('/usr/share/dictd/*.index'))
    if not files:
        sys.exit('reproduce-wiktionary: no dictionaries in /usr/share/dictd; install some of the packages dict-freedict-*')
    page.text('The data are %d dictionaries of FreeDict, which Debian packages as dict-freedict-*.' % len(files))
    return ['--undirected', '--parallel', 'merge', *files]


def prepare(page):
    """Imports the data. Returns the graph, its words and its edges."""
    page.text('## Data')
    files, graph = source(page), page.path('wiktionary.h5')
    report = page.gemp('import', *files, '-o', graph)
    words, edges = tables(page, graph)
    languages = collections.Counter(language for language, _ in words.values())
    page.table(['data', 'here'], [
        ['words', len(words)], ['pairs', len(edges)], ['pairs published', published.WIKTIONARY_PAIRS],
        ['languages', len(languages)], ['seconds of import, file to file', report['process_seconds']],
        ['memory of import (MiB)', report['memory']['host'] / 2**20]])
    return graph, words, edges, languages


# CYCLES


def measure(page, graph, length, symmetry, distinct):
    """Counts the cycles. A kernel that is compiled for the first time spoils short runs, so these are run again."""
    arguments = ['match', graph, '--pattern', 'cycle:%d' % length, '--symmetry', symmetry, '--distinct', distinct, '--count',
                 '--count-by', 'enumerate']
    report = page.gemp(*arguments)
    again = page.gemp(*arguments) if search(report) < 30 and not page.options.small else report
    return min(report, again, key=search)


def cycles(page, graph):
    page.text('''## Cycles of five and six words

The published program finds every embedding of a cycle, sorts its vertices, and puts this canonical form into a hash table, so that
each set of vertices is found once: `--symmetry hash --distinct vertices`. Symmetry breaking finds each cycle once without a table;
several cycles on the same words are still one set of words. With `--distinct subgraph` they are several cycles.

Preparation is reading the graph, converting it and copying it to the device. Search is everything else, except for the start and end
of the process. All cycles are enumerated, though they could be counted by sums in less time. Of two runs the faster is shown, unless the first took longer than 30 s.''')
    rows, found = [], {}
    for length in (5, 6):
        for name, symmetry, distinct in METHODS:
            report = measure(page, graph, length, symmetry, distinct)
            found[length, symmetry, distinct] = report
            rows.append(['%d words: %s' % (length, name), report['matches'], report['embeddings'], preparation(report),
                         search(report), report['memory']['host'] / 2**20, report['memory']['device'] / 2**20])
        for distinct in ('vertices', 'subgraph'):
            counts = {found[length, symmetry, distinct]['matches'] for symmetry in ('hash', 'break')}
            if len(counts) != 1:
                sys.exit('reproduce-wiktionary: hashing and symmetry breaking find different numbers of cycles: %s' % counts)
    page.table(['cycles of', 'found', 'embeddings', 'preparation (s)', 'search (s)', 'host memory (MiB)', 'device memory (MiB)'], rows)
    page.text('Both ways find the same numbers. Published are only the seconds of the search%s:'
              % (', of a list that was longer than this tiny one' if page.options.small else ''))
    kinds = (('CPU', published.WIKTIONARY_CPU), ('GPU', published.WIKTIONARY_GPU))
    page.compare([('%d words, published on a %s, here %s' % (length, kind, METHODS[m][0]), figures[length],
                   search(found[(length, *METHODS[m][1:])]))
                  for length in (5, 6) for kind, figures in kinds for m in (0, 3)])
    series = {'published ' + kind: [figures[5], figures[6]] for kind, figures in kinds}
    series.update((METHODS[m][0], [search(found[(length, *METHODS[m][1:])]) for length in (5, 6)]) for m in (0, 3))
    page.bars('cycles', 'seconds of the search', ['5 words', '6 words'], series, log='y')


# SYNONYMS


def cycles_of_pairs(page, graph, language):
    """Returns, for each query, the number of cycles of each pair of words."""
    found = {}
    for name, query in QUERIES.items():
        output = page.path('synonyms.jsonl')
        page.gemp('match', graph, '--query-file', os.path.relpath(os.path.join(APPLICATIONS, query + '.cypher')), '--param',
                  'lang=' + language, '-o', output)
        with open(output, encoding='utf-8') as file:
            rows = [json.loads(line) for line in file]
        counts = {(row['word'], row['synonym']): row.get('cycles', row.get('ways', 0)) for row in rows}
        if query == 'synonyms':  # two of the words in common make a cycle
            counts = {pair: ways * (ways - 1) // 2 for pair, ways in counts.items()}
        found[name] = {tuple(sorted(pair)): count for pair, count in counts.items()}
    return found


def ranking(counts):
    return sorted(counts, key=lambda pair: (-counts[pair], pair))


def rank_by_paths(found, key_of, edges):
    """Returns the first rows (pair, disjoint paths of at most 2, 3 and 4 edges, paths, neighbours of the two words) in the order of
    disjoint paths, and the number of all pairs. Two words have no more disjoint paths than neighbours, so most pairs need no flow."""
    neighbours = collections.defaultdict(set)
    for a, b in edges:
        neighbours[a].add(b)
        neighbours[b].add(a)
    total = collections.Counter()
    for counts in found.values():
        total.update(counts)
    degree = {pair: [len(neighbours[key_of[word]]) for word in pair] for pair in total}
    most = {pair: min(degree[pair]) for pair in total}
    rows = []
    for pair in ranking(most):
        if len(rows) >= SHOWN and most[pair] < rows[SHOWN - 1][3]:
            break
        paths = disjoint_paths(neighbours, key_of[pair[0]], key_of[pair[1]], 4)
        if len(rows) >= SHOWN and len(paths) < rows[SHOWN - 1][3]:
            continue
        fewer = [len(disjoint_paths(neighbours, key_of[pair[0]], key_of[pair[1]], length)) for length in (2, 3)]
        rows.append((pair, *fewer, len(paths), paths, degree[pair]))
        rows.sort(key=lambda row: (-row[3], -row[2], -row[1], -total[row[0]], row[0]))
    return rows[:SHOWN], len(total)


def draw(page, row, words):
    """Draws the disjoint paths of the pair by Graphviz."""
    ends = [row[4][0][0], row[4][0][-1]]
    text = ['graph { rankdir=LR; bgcolor=white; node [shape=box style="rounded,filled" fillcolor="#eeeeee" fontname=sans fontsize=10];']
    for vertex in dict.fromkeys(vertex for path in row[4] for vertex in path):
        colour = ' fillcolor="#fdae6b"' if vertex in ends else ''
        label = ('%s\\n%s' % (words[vertex][1].replace('\\', '\\\\'), words[vertex][0])).replace('"', '\\"')
        text.append('"%s" [label="%s"%s];' % (vertex.replace('"', '\\"'), label, colour))
    for path in row[4]:
        text.append(' -- '.join('"%s"' % vertex.replace('"', '\\"') for vertex in path) + ';')
    picture = page.path('synonyms.svg')
    done = subprocess.run(['dot', '-Tsvg', '-o', picture], input='\n'.join(text + ['}']), text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit('reproduce-wiktionary: Graphviz could not draw the paths: ' + done.stderr)
    page.image(picture, 'disjoint paths between the two words that most of them join')


def synonyms(page, graph, words, edges, languages):
    language = page.options.language or min(languages, key=lambda name: (-languages[name], name))
    key_of = {word: key for key, (own, word) in words.items() if own == language}
    found = cycles_of_pairs(page, graph, language)
    page.text('''## Synonyms of %s

Two words of one language on a common cycle have two disjoint paths of translations between them, as `configs/applications/synonyms*.cypher`
ask: of two and two edges on a cycle of four words, of two and three on one of five, of three and three or of two and four on one of six.
The pairs with most cycles:''' % language)
    tops = {name: ranking(counts)[:SHOWN] for name, counts in found.items()}
    shown = list(QUERIES)
    page.table(['rank'] + shown, [[i + 1] + ['%s, %s: %s' % (*tops[name][i], format(found[name][tops[name][i]], ','))
                                            if i < len(tops[name]) else 'no other' for name in found] for i in range(SHOWN)])
    rows, pairs = rank_by_paths(found, key_of, edges)
    page.text('''A word of many meanings makes many cycles, but only one path of a set of disjoint paths. So the number of disjoint paths says more: it is the
largest number of paths between two words that have no other word in common. For paths of at most four edges it is a flow
(`jobs/reproduce/disjoint_paths.py`); for five and more the problem is NP-hard. %s pairs of words have cycles of four to six words. The first
in the order of disjoint paths:''' % format(pairs, ','))
    page.table(['pair', 'neighbours', 'paths of at most 4 edges', 'of at most 3', 'of 2'] + ['cycles of ' + name for name in shown],
               [[', '.join(row[0]), '%d, %d' % tuple(row[5]), row[3], row[2], row[1]] + [found[name].get(row[0], 0) for name in found] for row in rows])
    if rows:
        draw(page, rows[0], words)


def main():
    page = Page('wiktionary', 'Cycles in a graph of translations', __doc__, options)
    page.text('The published experiment searched the translations of a dictionary, %s pairs of words, for cycles of five and six words: words '
              'of one language that disjoint paths join are likely to be synonyms.' % format(published.WIKTIONARY_PAIRS, ','))
    graph, words, edges, languages = prepare(page)
    cycles(page, graph)
    synonyms(page, graph, words, edges, languages)
    page.write()


main()
