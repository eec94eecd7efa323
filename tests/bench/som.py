#!/usr/bin/env python3
"""Measures the search for best-matching units over the number of vectors, for each metric, beside a plain OpenMP loop
on the cores.

    SOM=FOLDER tests/bench/som.py OUT [OPTION...]   FOLDER has bench_som_search and bench_som_openmp (ninja makes them)
    tests/bench/som.py OUT --of FILE.jsonl...       tables and figure of earlier measurements

Our program and the loop run alternately on random vectors and units. OUT/som-search-DATE.jsonl keeps the lines. If
gnuplot is installed (Debian: gnuplot-nox), OUT/som-search.svg is drawn with a plot for each kind of device. Each
command is prefixed by SOM_UNDER.

  --vectors 1000,3000,...   --dims 12   --units 40000 (200 x 200)   --limit 300 (seconds for each process)
  --loop-most 1000000: the loop runs only with at most this many vectors"""
import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

METRICS = ['euclidean', 'manhattan', 'cosine']
COLOURS = ['#1f77b4', '#d62728', '#2ca02c']
LINE = re.compile(r'(.*): \d+ vectors of \d+, \d+ units: ([\d.]+) s, median ([\d.]+) s, ([\d.]+) GFLOP/s, '
                  r'mean unit ([\d.]+)')


def measure(options, keep):
    under = shlex.split(os.environ.get('SOM_UNDER', ''))
    for count in options.vectors.split(','):
        for number, metric in enumerate(METRICS):
            found = []
            for program in ['search', 'openmp'][:2 if int(count) <= options.loop_most else 1]:
                command = under + [os.path.join(os.environ['SOM'], 'bench_som_' + program), count, str(options.dims),
                                   str(options.units), str(number)]
                done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit)
                line = LINE.match(done.stdout)
                if done.returncode or not line:
                    sys.exit('%s: %s' % (' '.join(command), done.stderr.strip()[-500:]))
                on, best, median, rate, mean = line.groups()
                found.append(float(mean))
                keep({'program': program, 'on': on, 'metric': metric, 'vectors': int(count), 'dims': options.dims,
                      'units': options.units, 'best_s': float(best), 'median_s': float(median), 'gflops': float(rate),
                      'mean_unit': found[-1], 'cores': os.cpu_count()})
            if max(found) - min(found) > 1e-3 * options.units:
                sys.exit('%s vectors, %s: the programs found other units: %s' % (count, metric, found))


def pairs(lines):
    """Yields each line of our program with the line of the loop that follows it, or None if there is no such line."""
    for i, line in enumerate(lines):
        if line['program'] == 'search':
            after = lines[i + 1] if i + 1 < len(lines) else None
            yield line, after if after and after['program'] == 'openmp' else None


def tables(lines):
    for device in dict.fromkeys(line['on'] for line, _ in pairs(lines)):
        first = next(line for line, _ in pairs(lines) if line['on'] == device)
        print('\nMilliseconds, median (best): %s; vectors of %d, %d units; %d cores\n' %
              (device, first['dims'], first['units'], first['cores']))
        print('| vectors | metric | ours | GFLOP/s | OpenMP | ours / OpenMP |\n|---|---|---|---|---|---|')
        for line, plain in pairs(lines):
            if line['on'] == device:
                ms = ['%.4g (%.4g)' % (1e3 * of['median_s'], 1e3 * of['best_s']) if of else '' for of in (line, plain)]
                print('| {:,} | {} | {} | {:.0f} | {} | {} |'.format(
                    line['vectors'], line['metric'], ms[0], line['gflops'], ms[1],
                    '%.2g' % (line['median_s'] / plain['median_s']) if plain else ''))


def curve(path, points, title, style):
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines('%d\t%g\n' % (line['vectors'], 1e3 * line['median_s']) for line in points)
    return "'%s' title '%s' %s" % (path, title, style)


def part(lines, device, data):
    """Returns the gnuplot commands for one device."""
    curves, gpu = [], 'NVIDIA' in device
    cores = '%d cores' % next(line['cores'] for line in lines if line['on'] == device)
    for colour, metric in zip(COLOURS, METRICS):
        both = [two for two in pairs(lines) if two[0]['on'] == device and two[0]['metric'] == metric]
        path = os.path.join(data, re.sub(r'\W', '', device) + metric)
        curves.append(curve(path, [ours for ours, _ in both], metric, "pt 7 ps 0.6 lw 2 lc rgb '%s'" % colour))
        plain = [plain for _, plain in both if plain]
        if plain:
            curves.append(curve(path + 'plain', plain, metric + ', plain loop' + (', ' + cores if gpu else ''),
                                "pt 6 ps 0.5 dt 2 lc rgb '%s'" % colour))
    where = device if gpu else cores + ', ' + re.sub('^pthread-[^-]*-', '', device)
    return "set title '%s'; plot %s; " % (where, ', '.join(curves))


def draw(lines, folder):
    if not shutil.which('gnuplot'):
        return print('not drawn: there is no gnuplot', file=sys.stderr)
    here = os.path.dirname(os.path.abspath(__file__))
    devices = list(dict.fromkeys(line['on'] for line, _ in pairs(lines)))
    what = '%s units of %d numbers' % (format(lines[0]['units'], ','), lines[0]['dims'])
    with tempfile.TemporaryDirectory() as data:
        plots = ''.join(part(lines, device, data) for device in devices)
        subprocess.run(['gnuplot', '-e', "out='%s'; parts=%d; what='%s'" %
                        (os.path.join(folder, 'som-search.svg'), len(devices), what), os.path.join(here, 'som.gp'),
                        '-e', plots], check=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('out')
    parser.add_argument('--of', nargs='*')
    parser.add_argument('--vectors', default='1000,3000,10000,30000,100000,300000,1000000')
    parser.add_argument('--dims', type=int, default=12)
    parser.add_argument('--units', type=int, default=40000)
    parser.add_argument('--limit', type=float, default=300)
    parser.add_argument('--loop-most', type=int, default=1000000)
    options = parser.parse_args()
    lines = []
    os.makedirs(options.out, exist_ok=True)
    if options.of:
        for path in options.of:
            with open(path, encoding='utf-8') as file:
                lines += [json.loads(line) for line in file]
    else:
        path = os.path.join(options.out, time.strftime('som-search-%Y-%m-%d-%H%M.jsonl', time.gmtime()))
        with open(path, 'w', encoding='utf-8') as file:
            def keep(line):
                lines.append(line)
                file.write(json.dumps(line) + '\n')
                file.flush()
            measure(options, keep)
    tables(lines)
    draw(lines, options.out)


if __name__ == '__main__':
    main()
