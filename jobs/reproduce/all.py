"""Runs every experiment of jobs/reproduce and writes README.md, one table of all comparisons with published figures."""
import argparse
import json
import os
import subprocess
import sys

import page

NAMES = ['gemp', 'wiktionary', 'euler', 'shuffle', 'som']


def parse():
    parser = argparse.ArgumentParser(prog='reproduce-all.sh', description=__doc__, allow_abbrev=False)
    add = parser.add_argument
    add('-o', '--output', metavar='FOLDER', default='reproduced', help='folder of the pages (default: reproduced)')
    add('--folder', metavar='FOLDER', help='working folder, for graphs (default: OUTPUT/data)')
    add('-d', '--devices', metavar='SPEC', help='devices, as for gemp-mpi (default: GPUs if there are any, else CPUs)')
    add('--small', action='store_true', help='tiny inputs, to try the scripts in a minute or two')
    add('--table', action='store_true', help='only the table, from the pages that are in OUTPUT')
    return parser.parse_args()


def passed_on(options):
    """Returns the options as arguments of one experiment."""
    arguments = ['--output', options.output] + (['--small'] if options.small else [])
    for name in ('folder', 'devices'):
        if getattr(options, name):
            arguments += ['--' + name, getattr(options, name)]
    return arguments


def run_all(options):
    """Runs the experiments and returns the names of those that failed."""
    return [name for name in NAMES
            if subprocess.run([sys.executable, os.path.join(page.HERE, name + '.py')] + passed_on(options)).returncode]


def write_table(folder, names):
    """Writes README.md with the comparisons of the pages. Returns False if there are none."""
    rows, facts = [], None
    for name in names:
        with open(os.path.join(folder, name + '.json')) as file:
            result = json.load(file)
        facts = result['machine']
        for entry in result['comparisons']:
            rows.append(['[%s](%s.md)' % (result['title'], name), entry['experiment'],
                         page.with_unit(entry['published'], entry['unit']), page.with_unit(entry['here'], entry['unit']),
                         page.ratio(entry['published'], entry['here'])])
    if not rows:
        return False
    table = page.markdown_table(['page', 'experiment', 'published', 'here', 'published / here'], rows)
    devices = ', '.join(device['name'] for device in facts['devices'])
    head = '# Published experiments, repeated\n\nOn %s, %d cores; devices: %s; commit %s; %s.' % (
        facts['cpu'], facts['cores'], devices or 'none', facts['commit'] or 'unknown', facts['date'])
    page.write_whole(os.path.join(folder, 'README.md'), '%s\n\n%s\n' % (head, table))
    print('Wrote %s' % os.path.join(folder, 'README.md'), file=sys.stderr)
    return True


def main():
    options = parse()
    failed = [] if options.table else run_all(options)
    there = [name for name in NAMES if name not in failed
             and (not options.table or os.path.exists(os.path.join(options.output, name + '.json')))]
    if not write_table(options.output, there) and options.table:
        sys.exit('reproduce-all: --table: %s has none of %s; run the scripts first'
                 % (options.output, ', '.join(name + '.json' for name in NAMES)))
    if failed:
        sys.exit('reproduce-all: failed: %s; their messages are above' % ', '.join(failed))


main()
