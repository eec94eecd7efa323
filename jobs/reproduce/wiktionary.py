"""Repeats the search for cycles in a graph of translations: cycles of five and six words, each once, by hashing all
embeddings as published and by symmetry breaking, and the words of one language that these cycles and disjoint paths make
likely synonyms. Without real data, `gemp-mpi generate translations` makes a list of the published length."""
import collections
import glob
import os
import subprocess
import sys

import published
from page import Page

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'synonyms'))
from synonyms import QUERIES, by_share, cycles_of_pairs, rank_by_paths, ranking, read_graph, share  # noqa: E402 (the path above is needed)

METHODS = (('sets of words, by hash', 'hash', 'vertices'), ('sets of words, by symmetry breaking and hash', 'break', 'vertices'),
           ('cycles, by hash', 'hash', 'subgraph'), ('cycles, by symmetry breaking', 'break', 'subgraph'))
SHOWN, RANKED = 12, 300  # rows of tables; pairs with most disjoint paths, which are ordered by their share


def options(parser):
    data = parser.add_mutually_exclusive_group()
    data.add_argument('--pairs', metavar='FILE', nargs='+', help='lists of translations: HU alma, a tab, EN apple')
    data.add_argument('--dump', metavar='FILE', nargs='+', help='dumps of Wiktionaries: enwiktionary-...-pages-articles.xml.bz2')
    data.add_argument('--freedict', metavar='FOLDER', nargs='?', const='/usr/share/dictd',
                      help="the dictionaries of Debian's packages dict-freedict-* (default: /usr/share/dictd); those of two "
                           'languages alone have so many cycles of six that hashing takes long')
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


def stand_in(page):
    """Generates translations and writes them as a list of pairs, which is what the published program read."""
    size = ['--pairs', 3000, '--concepts', 500] if page.options.small else ['--pairs', published.WIKTIONARY_PAIRS]
    words, edges = read_graph(lambda line: page.gemp(*line), page.make('generated.h5', 'generate', 'translations', *size), page.folder)
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
    files = sorted(glob.glob(os.path.join(given.freedict, '*.index')))
    if not files:
        sys.exit('reproduce-wiktionary: no dictionaries in %s; install some of the packages dict-freedict-*' % given.freedict)
    page.text('The data are %d dictionaries of FreeDict, which Debian packages as dict-freedict-*.' % len(files))
    return ['--undirected', '--parallel', 'merge', *files]


def prepare(page):
    """Imports the data. Returns the graph, its words and its edges."""
    page.text('## Data')
    files, graph = source(page), page.path('wiktionary.h5')
    report = page.gemp('import', *files, '-o', graph)
    words, edges = read_graph(lambda line: page.gemp(*line), graph, page.folder)
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


def draw(page, paths, words):
    """Draws disjoint paths between two words by Graphviz."""
    ends = [paths[0][0], paths[0][-1]]
    text = ['graph { rankdir=LR; bgcolor=white; node [shape=box style="rounded,filled" fillcolor="#eeeeee" fontname=sans fontsize=10];']
    for vertex in dict.fromkeys(vertex for path in paths for vertex in path):
        colour = ' fillcolor="#fdae6b"' if vertex in ends else ''
        label = ('%s\\n%s' % (words[vertex][1].replace('\\', '\\\\'), words[vertex][0])).replace('"', '\\"')
        text.append('"%s" [label="%s"%s];' % (vertex.replace('"', '\\"'), label, colour))
    for path in paths:
        text.append(' -- '.join('"%s"' % vertex.replace('"', '\\"') for vertex in path) + ';')
    picture = page.path('synonyms.svg')
    done = subprocess.run(['dot', '-Tsvg', '-o', picture], input='\n'.join(text + ['}']), text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit('reproduce-wiktionary: Graphviz could not draw the paths: ' + done.stderr)
    page.image(picture, 'disjoint paths between the two words that most of them join')


def synonyms(page, graph, words, edges, languages):
    language = page.options.language or min(languages, key=lambda name: (-languages[name], name))
    key_of = {word: key for key, (own, word) in words.items() if own == language}
    found = cycles_of_pairs(lambda line: page.gemp(*line), graph, language, page.folder)
    page.text('''## Synonyms of %s

Two words of one language on a common cycle have two disjoint paths of translations between them, as `configs/applications/synonyms*.cypher`
ask: of two and two edges on a cycle of four words, of two and three on one of five, of three and three or of two and four on one of six.
The pairs with most cycles:''' % language)
    tops = {name: ranking(counts)[:SHOWN] for name, counts in found.items()}
    shown = list(QUERIES)
    page.table(['rank'] + shown, [[i + 1] + ['%s, %s: %s' % (*tops[name][i], format(found[name][tops[name][i]], ','))
                                            if i < len(tops[name]) else 'no other' for name in found] for i in range(SHOWN)])
    rows, pairs = rank_by_paths(found, key_of, edges, RANKED)
    page.text('''A word of many meanings makes many cycles, but only one path of a set of disjoint paths. So the number of disjoint paths says more: it is the
largest number of paths between two words that have no other word in common. For paths of at most four edges it is a flow
(`jobs/synonyms/disjoint_paths.py`); for five and more the problem is NP-hard. %s pairs of words have cycles of four to six words. The first
in the order of disjoint paths:''' % format(pairs, ','))
    columns = ['pair', 'neighbours', 'paths of at most 4 edges', 'of at most 3', 'of 2', 'share'] + ['cycles of ' + name for name in shown]

    def cells(pair, numbers, _, degrees):
        return [', '.join(pair), '%d, %d' % tuple(degrees), *reversed(numbers), share(numbers, degrees),
                *(found[name].get(pair, 0) for name in found)]

    page.table(columns, [cells(*row) for row in rows[:SHOWN]])
    page.text('''The share is the number of disjoint paths divided by the number of neighbours of the word that has fewer. If two words mean the same, nearly all
translations of one lead to the other. Of the %d pairs with most disjoint paths, those with the largest share:''' % len(rows))
    page.table(columns, [cells(*row) for row in by_share(rows)[:SHOWN]])
    page.text('`jobs/synonyms.sh` writes such a list of the words of any language, for any graph of translations.')
    if rows:
        draw(page, rows[0][2], words)


def main():
    page = Page('wiktionary', 'Cycles in a graph of translations', __doc__, options)
    page.text('The published experiment searched the translations of a dictionary, %s pairs of words, for cycles of five and six words: words '
              'of one language that disjoint paths join are likely to be synonyms.' % format(published.WIKTIONARY_PAIRS, ','))
    graph, words, edges, languages = prepare(page)
    cycles(page, graph)
    synonyms(page, graph, words, edges, languages)
    page.write()


main()
