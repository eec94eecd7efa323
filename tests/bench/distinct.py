#!/usr/bin/env python3
"""Measures how fast duplicates of embeddings are removed by hash (`match --symmetry hash --count`).

    tests/bench/distinct.py [--only TEXT] [--repeat N] [--limit SECONDS] [--host] [--save FOLDER]

GEMP_MPI is the program; GEMP_SHARED a folder with data/graphs/wiki-vote and data/translations. Each search runs by hash and
by order restrictions (`--symmetry break --count-by enumerate`), which find each match once, and the counts must be equal.
The least of N runs counts. --host lists all rows on the host, also those that a GPU would leave out as duplicates.

The memory bound is the time in which the threads of this process copy as many bytes as the host reads and writes at least
if every embedding reaches it: its packed form of 8 or 16 bytes is written to a block and read, written in the order of its
hash and read, and its slot is read. The copies are measured in the same call. A search that leaves out duplicates on a
device can be faster than this bound. --save keeps the table under the folder."""
import argparse
import ctypes
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import threading
import time

# graph, pattern, bytes of a packed form, seconds to reach on two cores and on one H200
SEARCHES = (('translations', 'cycle:4', 16, 2, 0.2), ('translations', 'cycle:5', 16, 20, 2),
            ('wiki-vote', 'cycle:4', 8, None, None))
TOUCHED = 5  # times that a form is read or written in memory


def copy_rate(threads, size=256 << 20, rounds=4):
    """Bytes read and written a second by memcpy on all threads. ctypes releases Python's lock during a call."""
    copy = ctypes.CDLL(None).memcpy
    copy.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    copy.restype = ctypes.c_void_p
    buffers = [(ctypes.create_string_buffer(size), ctypes.create_string_buffer(size)) for _ in range(threads)]

    def work(pair):
        copy(ctypes.addressof(pair[0]), ctypes.addressof(pair[1]), size)

    best = 0.0
    for _ in range(rounds):
        running = [threading.Thread(target=work, args=(pair,)) for pair in buffers]
        began = time.monotonic()
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        best = max(best, 2 * size * threads / (time.monotonic() - began))
    return best


def make_graph(program, shared, name, folder):
    path = f'{folder}/{name}.h5'
    source = f'{shared}/data/translations' if name == 'translations' else f'{shared}/data/graphs/{name}'
    files = ['--vertices', f'{source}/vertices.tsv.zst', '--edges', f'{source}/edges.tsv.zst', '--undirected']
    subprocess.run([program, 'import', *files, '-o', path, '-q'], check=True)
    return path


def run(program, graph, pattern, options, environment, limit):
    command = [program, 'match', graph, '--pattern', pattern, '--count', '-q', '--json', '-', *options]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, capture_output=True, timeout=limit, env=environment)
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    if done.returncode:
        sys.exit(f'{" ".join(command)}: {done.stderr.decode()}')
    report = json.loads(done.stdout)
    report['whole'] = seconds
    report['processor'] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return report


def best(program, graph, pattern, options, environment, given):
    runs = [run(program, graph, pattern, options, environment, given.limit) for _ in range(given.repeat)]
    return min(runs, key=lambda report: report['whole'])


def cells(given, program, shared, folder):
    environment = dict(os.environ, **({'GEMP_DEVICE_SET': 'off'} if given.host else {}))
    threads = len(os.sched_getaffinity(0))
    graphs = {}
    for name, pattern, form, cores_goal, gpu_goal in SEARCHES:
        if given.only not in f'{name} {pattern}':
            continue
        if name not in graphs:
            graphs[name] = make_graph(program, shared, name, folder)
        hashed = best(program, graphs[name], pattern, ['--symmetry', 'hash'], environment, given)
        broken = best(program, graphs[name], pattern, ['--count-by', 'enumerate'], environment, given)
        if (hashed['matches'], hashed['embeddings']) != (broken['matches'], broken['embeddings']):
            sys.exit(f'{name} {pattern}: {hashed["matches"]} matches by hash, {broken["matches"]} by order restrictions')
        gpu = any(device['gpu'] for device in hashed['devices'])
        bound = hashed['embeddings'] * form * TOUCHED / copy_rate(threads)
        phases = {phase: hashed['seconds'][phase]['max'] for phase in ('kernel', 'distinct')}
        yield (name, pattern, hashed['embeddings'], hashed['matches'], hashed.get('duplicates_left_out_by_devices', 0),
               hashed['whole'], hashed['processor'], phases['kernel'], phases['distinct'],
               hashed['embeddings'] / hashed['whole'] / 1e6, gpu_goal if gpu else cores_goal, broken['whole'],
               hashed['whole'] / broken['whole'], bound, hashed['whole'] / bound, hashed['memory']['host'] / 2**20)


HEAD = ('graph', 'pattern', 'embeddings', 'matches', 'left out by devices', 'hash s', 'processor s', 'kernel s',
        'distinct s', 'million embeddings/s', 'to reach s', 'break s', 'hash / break', 'memory bound s', 'hash / bound',
        'host MiB')


def show(value):
    if value is None:
        return '-'
    return f'{value:,}' if isinstance(value, int) else f'{value:.3g}' if isinstance(value, float) else value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--only', default='')
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('--limit', type=float, default=600)
    parser.add_argument('--host', action='store_true')
    parser.add_argument('--save')
    given = parser.parse_args()
    program, shared = os.environ['GEMP_MPI'], os.environ['GEMP_SHARED']
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')
    lines = ['| ' + ' | '.join(HEAD) + ' |', '|' + '---|' * len(HEAD)]
    print('\n'.join(lines), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for cell in cells(given, program, shared, folder):
            lines.append('| ' + ' | '.join(show(value) for value in cell) + ' |')
            print(lines[-1], flush=True)
    lines.append(f'\n{platform.node()}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}, least of '
                 f'{given.repeat} runs{", all rows on the host" if given.host else ""}')
    print(lines[-1])
    if given.save:
        with open(f'{given.save}/distinct-{time.strftime("%Y-%m-%d-%H%M")}.md', 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines) + '\n')


main()
