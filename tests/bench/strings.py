"""Implements strings.sh."""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def grep(part, path, repeat):
    """Returns (lines found, smallest seconds)."""
    times = []
    for _ in range(repeat):
        began = time.monotonic()
        run = subprocess.run(['grep', '-c', '-F', part, path], env=dict(os.environ, LC_ALL='C'), stdout=subprocess.PIPE)
        times.append(time.monotonic() - began)
    return int(run.stdout), min(times)


def measure(arguments, part, path):
    environment = dict(os.environ, GEMP_DEVICES=arguments.devices)
    run = subprocess.run([arguments.program, str(arguments.rows), str(arguments.size), part, path, str(arguments.repeat)],
                         env=environment, stdout=subprocess.PIPE)
    if run.returncode != 0:
        sys.exit(run.returncode)
    result = json.loads(run.stdout)
    result['grep_found'], result['grep'] = grep(part, path, arguments.repeat)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--rows', type=int, default=10_000_000)
    parser.add_argument('--size', type=int, default=32)
    parser.add_argument('--part', action='append')
    parser.add_argument('--repeat', type=int, default=10)
    parser.add_argument('--devices', default='auto')
    parser.add_argument('--save', action='store_true')
    arguments = parser.parse_args()
    results = []
    print('%-10s %10s %5s %9s %12s %14s %8s %9s %8s' % ('part', 'found', 'ok', 'kernel ms', 'kernel GB/s',
                                                        'copy GB/s r+w', 'grep s', 'grep GB/s', 'speedup'))
    with tempfile.TemporaryDirectory() as folder:
        for part in arguments.part or ['jack', 'xy', 'e', 'abcdefgh']:
            r = measure(arguments, part, os.path.join(folder, 'strings'))
            right = r['found'] == r['grep_found']
            results.append(dict(r, ok=right))
            print('%-10s %10d %5s %9.3f %12.1f %14.1f %8.3f %9.2f %8.1f' % (
                part, r['found'], 'ok' if right else 'WRONG', r['kernel'] * 1e3, r['bytes'] / r['kernel'] / 1e9,
                2 * r['bytes'] / r['copy'] / 1e9, r['grep'], r['bytes'] / r['grep'] / 1e9, r['grep'] / r['whole']),
                flush=True)
    print('%s; %d strings of %d bytes; upload %.3f s' % (results[0]['device'], arguments.rows, arguments.size,
                                                         results[0]['upload']))
    if arguments.save:
        os.makedirs(os.path.join(HERE, 'results'), exist_ok=True)
        name = os.path.join(HERE, 'results', 'strings-%s.jsonl' % time.strftime('%Y-%m-%d-%H%M'))
        with open(name, 'w') as file:
            file.writelines(json.dumps(dict(r, host=platform.node())) + '\n' for r in results)
        print('figures: ' + name)
    return not all(r['ok'] for r in results)


if __name__ == '__main__':
    sys.exit(main())
