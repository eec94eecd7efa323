"""Lists likely synonyms in a graph of translations: pairs of words of one language that cycles of four, five and six words join,
those with most disjoint paths of translations first. The share is the number of disjoint paths divided by the number of neighbours
of the word that has fewer; it is close to 1 if the words mean the same, while words of many meanings have many paths. The graph is
one of `gemp-mpi import` from dictionaries, lists of pairs or dumps of Wiktionaries (formats dict, pairs, wiktionary)."""
import argparse
import bisect
import collections
import csv
import json
import os
import subprocess
import sys
import tempfile

from disjoint_paths import disjoint_paths

PROGRAM = os.environ.get('GEMP_MPI', 'gemp-mpi')
APPLICATIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'configs', 'applications')
# The cycles that join two words, by the lengths of the two paths between the words
QUERIES = {'4 words': 'synonyms', '5 words': 'synonyms-5', '6 words, 3 + 3': 'synonyms-6', '6 words, 2 + 4': 'synonyms-6-near'}
COLUMNS = ['word', 'synonym', 'paths_up_to_4', 'paths_up_to_3', 'paths_of_2', 'share', 'neighbours', 'synonym_neighbours', 'cycles_of_4',
           'cycles_of_5', 'cycles_of_6_apart_3', 'cycles_of_6_apart_2']


def read_table(path):
    with open(path, encoding='utf-8', newline='') as file:
        rows = csv.reader(file, delimiter='\t', quoting=csv.QUOTE_NONE)
        names = [name.split(':')[0] for name in next(rows)]
        for row in rows:
            yield dict(zip(names, row))


def read_graph(run, graph, folder):
    """Returns language and word of each vertex, and the ends of each edge. `run` runs gemp-mpi with a list of arguments."""
    base = os.path.join(folder, 'words')
    run(['convert', graph, '-o', base + '.tsv'])
    words = {row['id']: (row.get('lang'), row.get('word')) for row in read_table(base + '.vertices.tsv')}
    return words, [(row['src'], row['dst']) for row in read_table(base + '.edges.tsv')]


def cycles_of_pairs(run, graph, language, folder, longest=6):
    """Returns, for each of QUERIES up to this length of cycles, the number of cycles of each pair of words."""
    found, output = {}, os.path.join(folder, 'synonyms.jsonl')
    for name, query in QUERIES.items():
        if int(name[0]) > longest:
            continue
        run(['match', graph, '--query-file', os.path.relpath(os.path.join(APPLICATIONS, query + '.cypher')), '--param',
             'lang=' + language, '--semantics', 'iso', '-o', output])
        with open(output, encoding='utf-8') as file:
            rows = [json.loads(line) for line in file]
        counts = {(row['word'], row['synonym']): row.get('cycles', row.get('ways', 0)) for row in rows}
        if query == 'synonyms':  # two of the words in common make a cycle
            counts = {pair: ways * (ways - 1) // 2 for pair, ways in counts.items()}
        found[name] = {tuple(sorted(pair)): count for pair, count in counts.items()}
    return found


def ranking(counts):
    """Returns the keys of `counts`, the one with the largest number first."""
    return sorted(counts, key=lambda pair: (-counts[pair], pair))


def rank_by_paths(found, key_of, edges, top):
    """Returns the first rows in the order of disjoint paths, and the number of all pairs. A row is the pair, the numbers of disjoint
    paths of at most 2, 3 and 4 edges, these paths, and the numbers of neighbours of the two words. Two words have no more disjoint
    paths than neighbours, so most pairs need no flow."""
    neighbours = collections.defaultdict(set)
    for a, b in edges:
        neighbours[a].add(b)
        neighbours[b].add(a)
    total = collections.Counter()
    for counts in found.values():
        total.update(counts)
    degrees = {pair: [len(neighbours[key_of[word]]) for word in pair] for pair in total}
    max_paths = {pair: min(both) for pair, both in degrees.items()}
    rows = []  # sorted by their first members, the keys of the order
    for pair in ranking(max_paths):
        wanted = rows[top - 1][3][2] if len(rows) >= top else 0
        if max_paths[pair] < wanted:
            break
        paths = disjoint_paths(neighbours, key_of[pair[0]], key_of[pair[1]], 4)
        if len(paths) < wanted:
            continue
        numbers = [len(disjoint_paths(neighbours, key_of[pair[0]], key_of[pair[1]], length)) for length in (2, 3)] + [len(paths)]
        order = (*(-number for number in reversed(numbers)), -total[pair], pair)
        bisect.insort(rows, (order, len(rows), pair, numbers, paths, degrees[pair]))
    return [row[2:] for row in rows[:top]], len(total)


def share(numbers, degrees):
    """Returns which part of the neighbours of the word that has fewer are on disjoint paths."""
    return numbers[2] / min(degrees)


def by_share(rows):
    return sorted(rows, key=lambda row: -share(row[1], row[3]))


def run_program(arguments):
    done = subprocess.run([PROGRAM, *arguments, '--quiet'], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.stderr.write(done.stderr)
        sys.exit(done.returncode)


def warn_of_parallel_edges(graph, edges):
    """The queries count a cycle once for each of the parallel edges on it. Paths do not depend on parallel edges."""
    parallel = len(edges) - len({(min(ends), max(ends)) for ends in edges})
    if parallel:
        sys.stderr.write('synonyms: warning: %s has parallel edges (%d), each of which makes the numbers of cycles larger; import with '
                         '--undirected --parallel merge\n' % (graph, parallel))


def main():
    parser = argparse.ArgumentParser(prog='synonyms.sh', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('graph', metavar='G.h5')
    parser.add_argument('-l', '--language', metavar='LANG', required=True, help='language of the words, as in the attribute lang')
    parser.add_argument('-o', '--output', metavar='FILE', help='write the list, as TSV, to FILE (default: to stdout)')
    parser.add_argument('-n', '--top', metavar='N', type=int, default=1000, help='number of pairs (default: 1000)')
    parser.add_argument('-c', '--cycles', metavar='N', type=int, choices=(4, 5, 6), default=6,
                        help='words of the longest cycles that join two words: 4, 5 or 6 (default: 6; fewer take less time)')
    parser.add_argument('-s', '--sort', choices=('paths', 'share'), default='paths',
                        help='order of the list; share: the N pairs with most disjoint paths in the order of their share (default: paths)')
    options = parser.parse_args()
    if options.top < 1:
        parser.error('--top %d: the list needs a pair' % options.top)
    with tempfile.TemporaryDirectory() as folder:
        words, edges = read_graph(run_program, options.graph, folder)
        key_of = {word: key for key, (language, word) in words.items() if language == options.language}
        if not key_of:
            known = sorted({language for language, _ in words.values() if language})
            sys.exit("synonyms: %s has no words of language '%s'; it has %s"
                     % (options.graph, options.language, ', '.join(known) or 'no words with a language'))
        warn_of_parallel_edges(options.graph, edges)
        found = cycles_of_pairs(run_program, options.graph, options.language, folder, options.cycles)
    rows, _ = rank_by_paths(found, key_of, edges, options.top)
    lines = ['\t'.join(COLUMNS[:len(COLUMNS) - len(QUERIES) + len(found)])]
    for pair, numbers, _, degrees in by_share(rows) if options.sort == 'share' else rows:
        part = '%.3f' % share(numbers, degrees)
        lines.append('\t'.join(map(str, [*pair, *reversed(numbers), part, *degrees, *(found[name].get(pair, 0) for name in found)])))
    with open(options.output, 'w', encoding='utf-8') if options.output else os.fdopen(os.dup(1), 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
