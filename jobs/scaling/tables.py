"""Makes records of runs and points of a curve, and writes the files of a study: JSON, CSV and plots."""
import csv
import functools
import json
import os
import shutil
import statistics
import subprocess
import sys

import machine

GNUPLOT = os.environ.get('GEMP_GNUPLOT', 'gnuplot')
PHASES = ['read', 'convert', 'build', 'upload', 'prepare', 'kernel', 'exchange', 'resolve', 'attributes', 'distinct',
          'download', 'write', 'verify', 'deliver', 'close']
FIGURES = ['seconds', 'median', 'slowest', 'speedup', 'efficiency', 'time_ratio']


def phase(seconds, name, kind):
    """Returns the seconds of a phase. All work on attributes is one phase of a study, and so are kernels with launches."""
    more = {'attributes': ('filter', 'values', 'residual', 'select'), 'kernel': ('launch',)}.get(name, ())
    return seconds[name][kind] + sum(seconds[part][kind] for part in more if part in seconds)


def record(report, engine, ranks, room, repeat, path, wall, command):
    """Returns the fields of a report that a study keeps."""
    seconds, sent = report['seconds'], report.get('exchange')
    sent = sent if isinstance(sent, dict) else {}  # som names its way of exchange
    vertices, edges = engine.extent(report)
    kernel = seconds.get('kernel', {'avg': 0, 'max': 0})
    start = seconds.get('start', {'max': 0})['max']  # of the process, which is no part of the work
    return {
        'ranks': ranks, 'room': room, 'repeat': repeat, 'graph': path,
        'vertices': vertices, 'edges': edges, 'answer': engine.answer(report), 'work': engine.work(report),
        'seconds': seconds['elapsed']['max'] - start, 'wall': wall,
        'phases': {p: phase(seconds, p, 'avg') for p in PHASES if p in seconds},
        'phases_max': {p: phase(seconds, p, 'max') for p in PHASES if p in seconds},
        'imbalance': kernel['max'] / kernel['avg'] if kernel['avg'] else 1.0,
        'bytes': sent.get('bytes', 0), 'messages': sent.get('messages', 0), 'rounds': sent.get('rounds', 0),
        'local_share': sent.get('local_share'), 'parts': report.get('parts', ranks),
        'host_bytes': report['memory']['host'], 'device_bytes': report['memory']['device'], 'command': command,
    }


def points(records, study):
    """Returns one point for each number of ranks and message size, with its best run and the median of all runs."""
    groups = {}
    for r in records:
        groups.setdefault((r['room'], r['ranks']), []).append(r)
    found = []
    for (room, ranks), runs in sorted(groups.items(), key=lambda item: (item[0][0] or 0, item[0][1])):
        best = min(runs, key=lambda r: r['seconds'])
        phases = dict(best['phases'])
        phases['other'] = max(0.0, best['seconds'] - sum(phases.values()))
        whole = sum(phases.values()) or 1
        point = {key: best[key] for key in ('ranks', 'room', 'graph', 'vertices', 'edges', 'answer', 'work', 'seconds',
                                            'wall', 'imbalance', 'bytes', 'messages', 'rounds', 'parts', 'local_share',
                                            'host_bytes', 'device_bytes')}
        point.update(runs=len(runs), median=statistics.median(r['seconds'] for r in runs),
                     slowest=max(r['seconds'] for r in runs), shares={p: s / whole for p, s in phases.items()})
        found.append(point)
    for point in found:
        base = next(p for p in found if p['room'] == point['room'])  # the smallest number of ranks
        rate = (point['work'] / point['seconds']) / (base['work'] / base['seconds'])
        point['speedup'] = rate * base['ranks']
        point['efficiency'] = rate * base['ranks'] / point['ranks']
        point['time_ratio'] = base['seconds'] / point['seconds']
    return found


def write_json(value, path):
    with open(path + '.part', 'w') as file:
        json.dump(value, file, indent=1)
        file.write('\n')
    os.replace(path + '.part', path)


def write(result, base):
    """Writes BASE.json with all results, BASE.csv with a line for each run, and BASE-points.csv with the data of the plots."""
    write_json(result, base + '.json')
    plain = [k for k in result['runs'][0] if k not in ('phases', 'phases_max', 'command')]
    with open(base + '.csv', 'w', newline='') as file:
        lines = csv.writer(file, lineterminator='\n')
        lines.writerow(['study'] + plain + [p + '_avg' for p in PHASES] + [p + '_max' for p in PHASES] +
                       ['host', 'cpu', 'cores', 'commit', 'date', 'command'])
        about = [result['machine'][key] for key in ('host', 'cpu', 'cores', 'commit', 'date')]
        for r in result['runs']:
            lines.writerow([result['study']] + [r[k] for k in plain] + [r['phases'].get(p, '') for p in PHASES] +
                           [r['phases_max'].get(p, '') for p in PHASES] + about + [r['command']])
    write_points(result, base)


def write_points(result, base):
    shares = PHASES + ['other']
    with open(base + '-points.csv', 'w', newline='') as file:
        lines = csv.writer(file, lineterminator='\n')
        lines.writerow(['ranks', 'outbox'] + FIGURES + ['places', 'model'] + shares)
        fitted = {(p['ranks'], p['room']): p['model'] for p in result['model']['fitted']}
        for p in result['points']:
            lines.writerow([p['ranks'], p['room'] or 'default'] + [p[k] for k in FIGURES] +
                           [result['places'] or p['ranks'], fitted.get((p['ranks'], p['room']), '')] +
                           [p['shares'].get(s, 0) for s in shares])


def text(result):
    """Returns the table as text."""
    m = result['machine']
    devices = ', '.join('%s (%s)' % (d['name'], d['platform']) for d in m['devices'])
    lines = ['%s scaling of %s %s' % (result['study'], result['engine'], ' '.join(result['arguments'])),
             '%s, %d cores, %s; %s; %s; commit %s; %s' % (
                 m['cpu'], m['cores'], devices or 'no device', m['mpi'], m['program'], m['commit'], m['date'])]
    places = result['places']
    if places and max(p['ranks'] for p in result['points']) > places:
        lines.append('Oversubscribed: %d can run at once here; more ranks show what partitioning costs, not what it '
                     'gains.' % places)
    lines += ['', '%6s %8s %10s %10s %9s %11s %10s %12s %8s %9s' % (
        'ranks', 'outbox', 'best s', 'median s', 'speed-up', 'efficiency', 'imbalance', 'bytes', 'rounds', 'edges')]
    for p in result['points']:
        lines.append('%6d %8s %10.3f %10.3f %9.2f %11.3f %10.3f %12d %8d %9d' % (
            p['ranks'], p['room'] or '-', p['seconds'], p['median'], p['speedup'], p['efficiency'], p['imbalance'],
            p['bytes'], p['rounds'], p['edges']))
    return '\n'.join(lines) + '\n\n'


@functools.cache
def can_draw():
    """Returns whether gnuplot is installed. Prints a message once if it is not."""
    if not shutil.which(GNUPLOT):
        print('scaling-study: no %s here (Debian: gnuplot-nox), so nothing is drawn; `jobs/scaling-study.sh plot '
              'STUDY.json` draws elsewhere' % GNUPLOT, file=sys.stderr)
    return bool(shutil.which(GNUPLOT))


def gnuplot(script, settings):
    if not can_draw():
        return
    assigned = ';'.join("%s='%s'" % (k, v.replace("'", "''")) for k, v in settings.items())
    done = subprocess.run([GNUPLOT, '-e', assigned, os.path.join(machine.HERE, script)],
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        print('scaling-study: gnuplot: ' + done.stderr.strip(), file=sys.stderr)


def draw(base, study):
    for terminal in ('svg', 'png'):
        gnuplot('plots.gp', {'base': base, 'kind': terminal, 'study': study})


def draw_model(model, base):
    with open(base + '-curve.csv', 'w', newline='') as file:
        lines = csv.writer(file, lineterminator='\n')
        lines.writerow(['kind', 'study', 'ranks', 'seconds', 'model', 'low', 'high'])
        for p in model['fitted']:
            state = 'held out' if p['held_out'] else 'measured'
            lines.writerow([state, p['study'], p['ranks'], p['seconds'], p['model'], p['model'], p['model']])
        for p in model['predicted']:
            lines.writerow(['predicted', p['study'], p['ranks'], '', p['seconds'], p['low'], p['high']])
    for terminal in ('svg', 'png'):
        gnuplot('model.gp', {'base': base, 'kind': terminal})
