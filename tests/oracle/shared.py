"""Compares counts of real graphs with those of GEMP_SHARED/oracles. Skipped (77) if these are missing.

    shared.py [--full] [--ranks N] [--only TEXT] [--limit SECONDS] [--graphs FOLDER] [OPTION OF match...]

By default only the quick queries run, and a query that exceeds the limit is a failure. --only runs all queries whose
names contain TEXT. --full runs all queries, and a query that exceeds the limit is only counted."""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from reference import Run, need_program, need_shared, work_folder


def imported(question, folder, ranks):
    path = os.path.join(folder, question.graph.replace('/', '-') + '.h5')
    if not os.path.exists(path):
        run = Run(ranks, question.import_arguments() + ['-o', path], limit=600)
        print('%-70s %8.1f s' % ('import ' + question.graph, run.seconds), flush=True)
        if run.code != 0 or run.hangs:
            print('FAILED: code %s: %s\n%s' % (run.code, run.shown(), run.err))
            return None
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--full', action='store_true')
    parser.add_argument('--ranks', type=int, default=2)
    parser.add_argument('--only', default='', help='run only queries whose names contain this')
    parser.add_argument('--limit', type=float, default=400, help='seconds for each query')
    parser.add_argument('--graphs', help='folder in which imported graphs are kept')
    arguments, options = parser.parse_known_args()
    need_program()
    need_shared('oracles')
    need_shared('data')
    from questions import all_questions
    folder = arguments.graphs or work_folder()
    failures = late = asked = 0
    for question in all_questions():
        if arguments.only not in question.name or not (arguments.full or arguments.only or question.weight == 'quick'):
            continue
        path = imported(question, folder, arguments.ranks)
        if path is None:
            failures += 1
            continue
        run = Run(arguments.ranks, ['match', path] + question.arguments + options + ['--json', '-'], arguments.limit)
        report = run.json()
        asked += 1
        late += run.hangs
        verdict = 'right' if question.right(report) else 'out of time' if run.hangs else 'WRONG'
        print('%-70s %8.1f s %16s %s' % (question.name[:70], run.seconds,
                                         report.get(question.field) if report else '-', verdict), flush=True)
        if verdict == 'WRONG':
            failures += 1
            print('FAILED: code %s, expected %s %d: %s\n%s' % (run.code, question.field, question.expected, run.shown(),
                                                              run.err[-2000:]))
    print('%d questions, %d failed, %d out of time' % (asked, failures, late))
    return failures > 0 or (late > 0 and not arguments.full)


if __name__ == '__main__':
    sys.exit(main())
