"""Runs queries over the movies so that every pair of option values occurs at least once: ranks, replicas, phase of
attributes, symmetry, buffers.

    movies_grid_long.py [--list] [--from N] [--graphs FOLDER]

The query for four people runs only once with --symmetry hash; the other three queries run with it as with --symmetry
break. Skipped (77) if the data are missing."""
import argparse
import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from reference import Run, need_program, need_shared, work_folder

JACK = "four people in one movie, one of them (marked) with name CONTAINS 'Jack'"
SOME_JACK = "four people in one movie, at least one with name CONTAINS 'Jack'"
PARAMETERS = {
    'question': ['two people in one movie', 'four people in one movie', JACK, SOME_JACK],
    '--ranks': [1, 2, 3, 4, 8],
    '--replicate': ['none', 'all', '1M'],
    '--attributes': ['before', 'after'],
    '--symmetry': ['break', 'hash'],
    '--result-buffer': [None, '5000'],
}


def allowed(run):
    return not (run.get('question') == 'four people in one movie' and run.get('--symmetry') == 'hash')


def pairs_of(run):
    return {frozenset(pair) for pair in itertools.combinations(sorted(run.items(), key=str), 2)}


def pairwise():
    """Returns a greedy cover: the next run is always the run with most of the pairs that are not covered yet."""
    names = list(PARAMETERS)
    every = [dict(zip(names, values)) for values in itertools.product(*PARAMETERS.values())]
    every = [run for run in every if allowed(run)]
    missing = set().union(*map(pairs_of, every))
    chosen = []
    while missing:
        best = max(every, key=lambda run: len(pairs_of(run) & missing))
        chosen.append(best)
        missing -= pairs_of(best)
    chosen.append({'question': 'four people in one movie', '--ranks': 2, '--replicate': 'all', '--attributes': 'before',
                   '--symmetry': 'hash', '--result-buffer': None})
    return chosen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--from', type=int, default=0, dest='first')
    parser.add_argument('--limit', type=float, default=600)
    parser.add_argument('--graphs')
    arguments = parser.parse_args()
    need_shared('data/movies')
    from questions import all_questions
    questions = {q.name[8:]: q for q in all_questions() if q.name.startswith('movies: ')}
    folder, failures = arguments.graphs or work_folder(), 0
    path = os.path.join(folder, 'movies.h5')
    if not arguments.list:
        need_program()
        if not os.path.exists(path):
            Run(2, questions[JACK].import_arguments() + ['-o', path])
    for i, run in enumerate(pairwise()[arguments.first:], arguments.first):
        options = [str(part) for name, value in run.items() if name.startswith('--') and name != '--ranks' and value
                   for part in (name, value)]
        what = '%2d %d ranks, %s: %s' % (i, run['--ranks'], ' '.join(options), run['question'])
        if arguments.list:
            print(what)
            continue
        question = questions[run['question']]
        done = Run(run['--ranks'], ['match', path] + question.arguments + options + ['--json', '-'], arguments.limit)
        report = done.json()
        right = question.right(report)
        print('%s %7.1f s %s %s' % (what, done.seconds, report and report.get('matches'), 'right' if right else 'WRONG'),
              flush=True)
        if not right:
            failures += 1
            print('FAILED: code %s, expected %d: %s\n%s' % (done.code, question.expected, done.shown(), done.err[-2000:]))
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
