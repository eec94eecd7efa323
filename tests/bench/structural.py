"""Implements structural.sh."""
import argparse
import json
import os
import platform
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'reference'))
import reference
from reference import Run, need_program, need_shared, work_folder


def measure(program, arguments, ranks, limit):
    """Returns (the report or None, seconds of the whole process). The program and the baseline differ only in their
    path."""
    before, reference.PROGRAM = reference.PROGRAM, program
    run = Run(ranks, arguments, limit)
    reference.PROGRAM = before
    if run.code != 0 and not run.hangs:
        print('    code %s: %s' % (run.code, run.err.strip()[-300:]))
    return (None if run.hangs else run.json()), run.seconds


def kernel_ms(reports):
    times = [r['seconds']['kernel']['max'] * 1e3 for r in reports if r and 'kernel' in r.get('seconds', {})]
    return min(times) if times else None


def shown(value):
    return '-' if value is None else '%.4g' % value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--ranks', type=int, default=1)
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('--limit', type=float, default=120)
    parser.add_argument('--only', default='')
    parser.add_argument('--save', action='store_true')
    arguments, options = parser.parse_known_args()
    need_program()
    need_shared('oracles/structural.tsv')
    from questions import structural
    programs = [reference.PROGRAM] + ([os.environ['GEMP_BASELINE']] if os.environ.get('GEMP_BASELINE') else [])
    folder, failures, raw = work_folder(), 0, []
    print('%-62s %14s %-5s %10s %9s %8s %10s %7s' % ('pattern', 'count', 'ok', 'kernel ms', 'launches', 'whole s',
                                                    'baseline', 'ratio'))
    for question in structural():
        if question.graph not in ('graphs/wiki-vote', 'graphs/email-enron') or arguments.only not in question.name:
            continue
        path = os.path.join(folder, question.graph.replace('/', '-') + '.h5')
        if not os.path.exists(path) and Run(1, question.import_arguments() + ['-o', path], 300).code != 0:
            sys.exit('cannot import ' + question.graph)
        reports = [[] for _ in programs]
        whole = []
        for _ in range(arguments.repeat):
            for i, program in enumerate(programs):  # the programs run alternately, so they run under the same conditions
                report, seconds = measure(program, ['match', path] + question.arguments + options + ['--json', '-'],
                                          arguments.ranks, arguments.limit)
                reports[i].append(report)
                whole += [seconds] * (i == 0)
                raw.append({'question': question.name, 'program': ['program', 'baseline'][i], 'whole': seconds,
                            'report': report})
            if reports[0][-1] is None:
                break
        report = next((r for r in reports[0] if r), None)
        right = all(question.right(r) for r in reports[0])
        failures += report is not None and not right
        times = [kernel_ms(r) for r in reports] + [None]
        ratio = times[1] / times[0] if len(programs) > 1 and times[0] and times[1] else None
        print('%-62s %14s %-5s %10s %9s %8.2f %10s %7s' % (
            question.name[:62], report['matches'] if report else '-',
            'ok' if right else 'late' if report is None else 'WRONG', shown(times[0]),
            report.get('launches', '-') if report else '-', min(whole), shown(times[1]), shown(ratio)), flush=True)
    if arguments.save:
        os.makedirs(os.path.join(HERE, 'results'), exist_ok=True)
        name = os.path.join(HERE, 'results', 'structural-%s.jsonl' % time.strftime('%Y-%m-%d-%H%M'))
        with open(name, 'w') as file:
            file.write(json.dumps({'host': platform.node(), 'ranks': arguments.ranks, 'options': options}) + '\n')
            file.writelines(json.dumps(entry) + '\n' for entry in raw)
        print('raw reports: ' + name)
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
