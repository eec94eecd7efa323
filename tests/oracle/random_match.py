"""Property test: random small graphs with random queries, options and numbers of ranks, compared with the brute-force
reference.

    random_match.py [--seed N] [--seconds S] [--queries N] [--variants N] [--large] [--stop N] [--shrink S]
                    [--without OPTION|CHOICE] [--counts] [--dry-run]

A case that differs is kept with its command in a folder whose name is printed. --shrink spends S seconds on
simplifying this case."""
import argparse
import os
import random
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
import case as cases
from random_graph import random_graph
from random_query import random_query
from reference import Reference, need_program, test_seed, work_folder

SEMANTICS = ['iso', 'iso', 'iso', 'induced', 'edge-iso', 'hom']
DISTINCT = ['orbit', 'orbit', 'subgraph', 'vertices', 'none']
RANKS = [1, 1, 2, 2, 2, 3, 3, 4, 8]


def random_options(rng, graph):
    options = {option: rng.choice(values) for option, values in cases.OPTIONS.items()}
    if len(graph.vertices) > 40:  # on a large graph, rounds of only a few entries would take minutes
        for name in ('--result-buffer', '--outbox'):
            options[name] = options[name] and 1000 * int(options[name])
        options['--row-cache'] = options['--row-cache'] and options['--row-cache'].replace('K', '00K')
    return options


def random_case(rng, graph, ranks, seed):
    semantics, distinct = rng.choice(SEMANTICS), rng.choice(DISTINCT)
    query = random_query(rng, graph, 'q%d' % seed, distinct)
    options = random_options(rng, graph)
    case = cases.Case(graph, query, semantics, distinct, ranks, options, seed)
    case.says_distinct = distinct != ('orbit' if query.simple else 'none') or rng.random() < 0.5
    return case


def variant(rng, case):
    """Returns the same query with other ranks and options. Most of its kernels are built already."""
    return cases.changed(case, ranks=rng.choice(RANKS), options=random_options(rng, case.graph))


def shrink(case, reference, seconds):
    """Returns the simplest case found that still differs, and its difference."""
    folder, end, wrong = work_folder(), time.time() + seconds, None

    def differs(one):
        answer = one.expected(reference, folder)
        return answer and (one.imported(folder, pieces=False) or one.matched(folder, answer))
    again = True
    while again and time.time() < end:
        again = False
        for smaller in cases.smaller_cases(case):
            if time.time() >= end:
                break
            try:
                found = differs(smaller)
            except Exception:  # the simpler query may be invalid
                continue
            if found and 'code 2' not in found:
                case, wrong, again = smaller, found, True
                break
    return case, wrong


def report(case, wrong, reference, arguments):
    if arguments.shrink:
        case, found = shrink(case, reference, arguments.shrink)
        wrong = found or wrong
    kept = tempfile.mkdtemp(prefix='gemp-differs-')
    files = case.graph.write(kept)
    with open(os.path.join(kept, 'query.txt'), 'w') as file:
        file.write(case.query.neutral())
    print('FAILED: seed %d: %s' % (case.seed, wrong))
    print('    kept: %s %s, query.txt; %d vertices, %d edges%s' %
          (files[0], files[1], len(case.graph.vertices), len(case.graph.edges), ', undirected' * case.graph.undirected))
    print('    gemp-mpi match under %d ranks: %s' % (case.ranks, case.arguments('G.h5')))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=test_seed())
    parser.add_argument('--seconds', type=float, default=25)
    parser.add_argument('--queries', type=int, default=3, help='number of queries for each graph')
    parser.add_argument('--variants', type=int, default=2, help='number of further ranks and options for each query')
    parser.add_argument('--large', action='store_true', help='use graphs of hundreds and thousands of vertices')
    parser.add_argument('--stop', type=int, default=5, help='number of failures after which the test stops')
    parser.add_argument('--shrink', type=float, default=0)
    parser.add_argument('--without', action='append', default=[],
                        help='an option of match, or a value of an option, that is not used')
    parser.add_argument('--counts', action='store_true', help='compare only counts, not rows')
    parser.add_argument('--dry-run', action='store_true', help='run only the reference')
    arguments = parser.parse_args()
    DISTINCT[:] = [d for d in DISTINCT if d not in arguments.without]
    SEMANTICS[:] = [s for s in SEMANTICS if s not in arguments.without]
    for option in arguments.without:
        cases.OPTIONS[option] = [None]
    if not arguments.dry_run:
        need_program()
    reference, folder, end = Reference(), work_folder(), time.time() + arguments.seconds
    runs = failures = found = big = refused = 0
    seed = arguments.seed
    print('seed %d' % seed)
    while time.time() < end and failures < arguments.stop:
        rng = random.Random(seed)
        graph, ranks = random_graph(rng, arguments.large), rng.choice(RANKS)
        for i in range(arguments.queries):
            case = random_case(rng, graph, ranks, seed)
            answer = case.expected(reference, folder)
            if answer is None:
                big += 1
                continue
            case.listed = case.listed and not arguments.counts
            if case.listed:
                case.expected_rows(answer)
            found += answer.matches > 0
            for one in [case] + [variant(rng, case) for _ in range(arguments.variants)]:
                runs += 1
                if arguments.dry_run:
                    continue
                wrong = None if os.path.exists(os.path.join(folder, 'G.h5')) else one.imported(folder)
                wrong = wrong or one.matched(folder, answer)
                if wrong and wrong.startswith('code 2') and ' yet\n' in wrong:
                    refused += 1
                    break
                if wrong:
                    failures += 1
                    report(one, wrong, reference, arguments)
                    break
                if time.time() >= end:
                    break
            if time.time() >= end:
                break
        if os.path.exists(os.path.join(folder, 'G.h5')):
            os.remove(os.path.join(folder, 'G.h5'))
        seed += 1
    print('%d cases on %d graphs, %d of them with matches, %d left out as too large, %d refused, %d failed' %
          (runs, seed - arguments.seed, found, big, refused, failures))
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
