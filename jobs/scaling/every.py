"""Runs the study of each engine with its defaults, and writes one table of all: README.md and summary.csv."""
import argparse
import csv
import json
import os
import shlex
import subprocess
import sys

import engines

STUDY = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'study.py')
MATCH = ['--pattern', 'cycle:4', '--count', '--count-by', 'enumerate']  # match alone has no default


def command(options, engine, given):
    """Returns the command of one study. `given` are the options of the user without --engine and --output."""
    own = MATCH if engine == 'match' else []
    folder = os.path.join(options.output, engine)
    return [sys.executable, STUDY, options.study, '--engine', engine, '-o', folder] + given + ['--'] + own


def rows(options, results):
    """Yields (engine, ranks, seconds, speed-up, efficiency, unit of the work)."""
    for engine, result in results.items():
        for point in result['points']:
            yield engine, point['ranks'], point['seconds'], point['speedup'], point['efficiency'], result['work_unit']


def page(options, results, failed):
    first = next(iter(results.values()))
    facts, places = first['machine'], first['places']
    devices = ', '.join(device['name'] for device in facts['devices']) or 'none'
    lines = ['# %s scaling of every engine' % options.study.capitalize(), '',
             '%s, %d cores; devices: %s; commit %s; %s; load before %.1f.' % (
                 facts['cpu'], facts['cores'], devices, facts['commit'] or 'unknown', facts['date'], facts['load_before'])]
    if places and any(point['ranks'] > places for result in results.values() for point in result['points']):
        lines.append('Only %d ranks can run at once here; more ranks show what partitioning costs.' % places)
    lines += ['', '| engine | ranks | seconds | speed-up | efficiency | unit of the work |', '|---|---:|---:|---:|---:|---|']
    lines += ['| %s | %d | %.3f | %.2f | %.2f | %s |' % row for row in rows(options, results)]
    lines += ['', 'Commands:', '', '```'] + [result['command'] for result in results.values()] + ['```']
    if failed:
        lines += ['', 'Failed: %s.' % ', '.join(failed)]
    return '\n'.join(lines) + '\n'


def run(options, arguments):
    """Runs all studies. `arguments` is the command line behind the kind of the study."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument('-o', '--output')
    parser.add_argument('--engine')
    given = parser.parse_known_args([a for a in arguments if a != options.study])[1]
    results, failed = {}, []
    for engine in engines.KINDS:
        line = command(options, engine, given)
        print(shlex.join(line), file=sys.stderr, flush=True)
        done = subprocess.run(line, stdout=None if options.dry_run else subprocess.DEVNULL)
        if done.returncode:
            failed.append(engine)
        elif not options.dry_run:
            with open(os.path.join(options.output, engine, options.study + '.json')) as file:
                results[engine] = json.load(file)
    if results:
        with open(os.path.join(options.output, 'summary.csv'), 'w', newline='') as file:
            lines = csv.writer(file, lineterminator='\n')
            lines.writerow(['engine', 'ranks', 'seconds', 'speedup', 'efficiency', 'work_unit'])
            lines.writerows(rows(options, results))
        text = page(options, results, failed)
        with open(os.path.join(options.output, 'README.md'), 'w') as file:
            file.write(text)
        print(text)
    if failed:
        print('scaling-study: failed: %s; their messages are above' % ', '.join(failed), file=sys.stderr)
    return 1 if failed else 0
