"""Measures whole questions, from a graph in a file to rows in a file, beside SQLite, DuckDB and Kuzu. See rows.sh."""
import argparse
import json
import math
import os
import platform
import sys
import tempfile
import time

import rows_cells
import rows_graphs
import rows_peers

KINDS = ('whole processes', 'open processes', 'open processes, by processor seconds')
HEADER = ['question', 'rows', 'ours', 'open']


def turns(data, question, systems, repeat):
    """Runs a question in each system in turns. Returns {system: {wall, cpu, rows, error}} with the least seconds."""
    best = {}
    for turn in range(repeat + 1):
        for system in systems:
            known = best.get(system.name)
            # The first turn fills caches of kernels and files. Slow or failing peers are not asked again.
            if turn and (known['error'] or known['wall'] > 10 and system is not systems[0]):
                continue
            sample, rows = system.run(data, question)
            if not known or sample.error:
                best[system.name] = {'wall': sample.wall, 'cpu': sample.cpu, 'rows': rows, 'error': sample.error}
            elif turn == 1 and known['wall'] <= 10 or sample.wall < known['wall']:
                known.update(wall=sample.wall, cpu=sample.cpu)
    return best


def measured(question, data, systems, repeat):
    """Returns the raw result of a question."""
    best = turns(data, question, systems, repeat)
    ours, result = best[systems[0].name], {'question': question.title(), 'systems': {}}
    answers = {name: entry.pop('rows') for name, entry in best.items()}
    result['rows'] = None if ours['error'] else len(answers['ours'])
    for name, entry in best.items():
        result['systems'][name] = entry
        if not entry['error'] and answers[name] != answers['ours']:
            entry['error'] = 'other answer'
    peers = {name: entry['error'] for name, entry in best.items() if name != 'ours'}
    result['right'] = '' in peers.values()
    # A peer alone may be wrong: Kuzu 0.11.3 returns NULL for min() beside count(DISTINCT ...).
    result['wrong'] = bool(ours['error']) or peers.get('sqlite') == 'other answer' or (
        not result['right'] and 'other answer' in peers.values())
    return result


def add_warm(results, data, questions, systems):
    """Measures systems in an open process, without the questions that they did not answer or answered after 10 s."""
    for system in systems:
        asked = [(result['systems'][system.name], question) for result, question in zip(results, questions)]
        asked = [(entry, question) for entry, question in asked if not entry['error'] and entry['wall'] <= 10]
        for (entry, question), warm in zip(asked, system.warm(data, [question for _, question in asked])):
            if system is systems[0] and 'error' in warm:
                raise SystemExit('%s, in an open process: %s' % (question.title(), warm['error']))
            entry['warm'], entry['warm_cpu'], entry['warm_first'] = (warm.get(key) for key in ('seconds', 'cpu', 'first'))


def ratios(result):
    """Returns our figures over the least of the peers: seconds of whole processes, seconds in open processes, and the
    same in processor seconds, which other programs on the machine disturb less."""
    ours = result['systems']['ours']
    peers = [entry for name, entry in result['systems'].items() if name != 'ours' and not entry['error']]
    found = []
    for key in ('wall', 'warm', 'warm_cpu'):
        best = min((peer[key] for peer in peers if peer.get(key)), default=None)
        found.append(None if not best or not ours.get(key) or ours['error'] else ours[key] / best)
    return found


def shown(seconds, error=''):
    if error == 'other answer':
        return 'WRONG'
    if error or seconds is None:
        return 'late' if error.startswith('over') else '-'
    return '%.4f' % seconds if seconds < .1 else '%.3f' % seconds if seconds < 10 else '%.1f' % seconds


def line(result, systems):
    cells = [result['question'], '-' if result['rows'] is None else '{:,}'.format(result['rows'])]
    for system in systems:
        entry = result['systems'][system.name]
        cells += [shown(entry['wall'], entry['error']), shown(entry.get('warm'), entry['error'])]
    cells += ['-' if ratio is None else '%.2f' % ratio for ratio in ratios(result)]
    cells.append('WRONG' if result['wrong'] else 'right' if result['right'] else '-')
    return '| ' + ' | '.join(cells) + ' |'


def table(head, results, systems):
    header = HEADER + [cell for system in systems[1:] for cell in (system.name, 'open')]
    header += ['ours / best', 'open', 'by processor s', 'answer']
    text = ['%s, %s cores, %s films' % (head['date'], head['cores'], '{:,}'.format(head['films'])), '',
            '| ' + ' | '.join(header) + ' |', '|---' + '|---:' * (len(header) - 2) + '|---|']
    text += [line(result, systems) for result in results] + ['']
    for kind, values in zip(KINDS, zip(*map(ratios, results))):
        values = [value for value in values if value]
        if values:
            mean = math.exp(sum(map(math.log, values)) / len(values))
            text.append('%s: %d of %d questions are not slower than the best peer, %d at least three times faster; '
                        'geometric mean of the ratios %.2f' % (kind, sum(v <= 1 for v in values), len(values),
                                                               sum(v <= 1 / 3 for v in values), mean))
    return text


def save(folder, head, results, text):
    os.makedirs(folder, exist_ok=True)
    name = os.path.join(folder, 'rows-%dcores-%s' % (head['cores'], time.strftime('%Y-%m-%d-%H%M')))
    with open(name + '.md', 'w', encoding='utf-8') as file:
        file.writelines(row + '\n' for row in text)
    with open(name + '.jsonl', 'w', encoding='utf-8') as file:
        file.writelines(json.dumps(entry) + '\n' for entry in [head, *results])


def measure(arguments, folder, options):
    questions = rows_cells.all_questions(arguments.only)
    systems = rows_peers.systems(folder, arguments.limit, arguments.peers.split(','), options)
    data = rows_graphs.inputs(arguments.size, folder, {question.data for question in questions}, len(systems) > 1)
    head = {'date': time.strftime('%Y-%m-%d %H:%M'), 'cores': os.cpu_count(), 'host': platform.node(),
            'size': arguments.size, 'films': rows_graphs.SIZES[arguments.size][0], 'options': options}
    results = []
    for name, part in data.items():
        for system in systems:
            began = time.monotonic()
            system.load(part)
            head['load %s %s' % (system.name, name)] = time.monotonic() - began
        asked = [question for question in questions if question.data == name]
        some = []
        for question in asked:
            some.append(measured(question, part, systems, arguments.repeat))
            print(line(some[-1], systems), file=sys.stderr, flush=True)
        add_warm(some, part, asked, systems)
        results += some
    text = table(head, results, systems)
    print('\n'.join(text))
    if arguments.save:
        save(arguments.save, head, results, text)
    return any(result['wrong'] for result in results)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--size', choices=rows_graphs.SIZES, default='small')
    parser.add_argument('--only', default='')
    parser.add_argument('--peers', default='sqlite,duckdb,kuzu')
    parser.add_argument('--repeat', type=int, default=2)
    parser.add_argument('--limit', type=float, default=30)
    parser.add_argument('--folder')
    parser.add_argument('--save')
    arguments, options = parser.parse_known_args()
    if arguments.folder:
        os.makedirs(arguments.folder, exist_ok=True)
        return measure(arguments, arguments.folder, options)
    with tempfile.TemporaryDirectory() as folder:
        return measure(arguments, folder, options)


if __name__ == '__main__':
    sys.exit(main())
