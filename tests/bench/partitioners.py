"""Compares partitions of real graphs by several methods: cut edges, balance, seconds, and the bytes that a search
sends.

    GEMP_MPI=PROGRAM python3 tests/bench/partitioners.py G.h5... [--parts 2,4,8] [--pattern triangle]
                                                         [--save FILE.jsonl] [-- OPTION of match...]

Prints a table in Markdown. Each method partitions each graph, with one rank for each partition. Then the pattern is
counted by enumeration without replicas, so every step between partitions sends a partial match (push) or fetches a
row (pull). All counts must agree."""
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time

os.environ.update(OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', OMPI_MCA_mpi_yield_when_idle='1')
PROGRAM = os.environ.get('GEMP_MPI', 'gemp-mpi')
LAUNCHER = shlex.split(os.environ.get('GEMP_MPIRUN', 'mpirun -q --oversubscribe --bind-to none'))
HEAD = ['graph', 'parts', 'method', 'edges cut', 'vertices max/avg', 'bytes max/avg', 'cut s', 'push MB', 'crossed',
        'push s', 'pull MB', 'pull s']


def call(ranks, arguments):
    command = LAUNCHER + ['-n', str(ranks), PROGRAM] + arguments + ['--json', '-', '--quiet']
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=900)
    if done.returncode:
        sys.exit('partitioners: code %d: %s' % (done.returncode, shlex.join(command)))
    return json.loads(done.stdout)


def option(name, standard):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else standard


def measure(path, parts, method, folder, pattern, extra):
    cut_path = os.path.join(folder, 'cut.h5')
    cut = call(parts, ['partition', path, '-k', str(parts), '--method', method, '-o', cut_path])
    how = ['--pattern', pattern, '--count', '--count-by', 'enumerate', '--replicate', 'none'] + extra
    push, pull = (call(parts, ['match', cut_path, '--exchange', way] + how) for way in ('push', 'pull'))
    if push['matches'] != pull['matches']:
        sys.exit('partitioners: %s: %d matches by push, %d by pull' % (path, push['matches'], pull['matches']))
    return {'graph': os.path.basename(path)[:-3], 'parts': parts, 'method': method, 'edges': cut['graph']['edges'],
            'edge_cut': cut['edge_cut'], 'vertices': cut['vertices']['imbalance'],
            'bytes': cut['part_bytes']['imbalance'], 'cut_seconds': cut['partition_seconds'],
            'pattern': pattern, 'matches': push['matches'], 'crossed': 1 - push['exchange']['local_share'],
            'push_bytes': push['exchange']['bytes'], 'push_seconds': push['seconds']['elapsed']['max'],
            'pull_bytes': pull['exchange']['bytes'], 'pull_seconds': pull['seconds']['elapsed']['max'],
            'options': extra,
            'date': time.strftime('%Y-%m-%d %H:%M', time.gmtime())}


def main():
    extra = sys.argv[sys.argv.index('--') + 1:] if '--' in sys.argv else []
    paths = [a for a in sys.argv[1:] if a.endswith('.h5')]
    save, counts = option('--save', ''), {}
    print('| ' + ' | '.join(HEAD) + ' |\n|' + '---|' * len(HEAD))
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            for parts in map(int, option('--parts', '2,4,8').split(',')):
                for method in ('random', 'block', 'ptscotch'):
                    r = measure(path, parts, method, folder, option('--pattern', 'triangle'), extra)
                    print('| %s | %d | %s | %.1f %% | %.2f | %.2f | %.2f | %.1f | %.1f %% | %.2f | %.1f | %.2f |' % (
                        r['graph'], parts, method, 100 * r['edge_cut'] / max(1, r['edges']), r['vertices'], r['bytes'],
                        r['cut_seconds'], r['push_bytes'] / 1e6, 100 * r['crossed'], r['push_seconds'],
                        r['pull_bytes'] / 1e6, r['pull_seconds']), flush=True)
                    if counts.setdefault(path, r['matches']) != r['matches']:
                        sys.exit('partitioners: matches differ: %s' % r)
                    if save:
                        with open(save, 'a') as file:
                            file.write(json.dumps(r) + '\n')


if __name__ == '__main__':
    main()
