"""Runs the prototypes of GEMP_SHARED/experiments and returns their best milliseconds by pattern, so that they are
measured in the same call as our kernels."""
import os
import re
import shutil
import subprocess

from cells import SHARED

Q4, Q5 = 'edges:0-1,0-2,0-3,1-2,1-3,2-4,3-4', 'edges:0-1,0-2,0-3,0-4,1-2,2-3,3-4,4-1'
PARTS = {'wiki-vote': 'tri,clp,c4,aggx1,q4a,dfsx', 'email-enron': 'tri,clp,hyb,aggx1,q4a,dfsx',
         'rmat18s': 'tri,clp,win3,aggx1', 'rmat20': 'tri,clp,win3,aggx1,dfsx+q4,q5'}
LINE = re.compile(r'\S+\s+(.*?)\s+ev\s+([\d.]+) ms\s+wall\s+[\d.]+\s+out \d+ \d+ ?(\w*)')
KINDS = {'triangle': 'tri warp', 'clique:4': 'clique4', 'clique:5': 'clique5', 'cycle:4': 'c4 ',
         'support': 'tri supports', 'expand': 'expand', 'c5': 'c5 main', 'house sum': 'house main',
         'q4 counters': 'q4 by', 'q4 search': 'dfs q4', Q5: 'dfs q5', 'cycle:5 enumerate': 'dfs c5'}
TASKS = {'triangle': ('tsup', 3), 'cycle:4': ('c4_agg', 4), 'clique:4': ('clq_bm', 4), 'clique:5': ('clq_bm', 5),
         'house': ('house_agg', 5), Q4: ('q4_agg', 5), 'cycle:5': ('c5_agg', 5), 'cycle:6': ('c6_agg', 6)}


def best_lines(text):
    best = {}
    for line in text.splitlines():
        found = LINE.match(line)
        if not found or found[3] == 'WRONG':
            continue
        for kind, start in KINDS.items():
            if found[1].startswith(start):
                best[kind] = min(float(found[2]), best.get(kind, 1e9))
    return best


def together(best):
    """Returns times by pattern. The time of a pattern with several kernels is the sum of the best time of each kernel."""
    found = {k: v for k, v in best.items() if ':' in k or k == 'triangle'}
    if 'support' in best and 'c5' in best:
        found['cycle:5'] = best['c5'] + best['support']
    if 'support' in best and 'house sum' in best and 'expand' in best:
        found['house'] = best['house sum'] + best['support'] + best['expand']
    q4 = [best[k] for k in ('q4 counters', 'q4 search') if k in best]
    if q4:
        found[Q4] = min(q4)
    return found


def copy_of(which, folder):
    out = os.path.join(folder, 'experiments-' + which)
    if not os.path.exists(out):
        shutil.copytree(os.path.join(SHARED, 'experiments', which), out)
        source, libraries = ('bench', []) if which == 'gpu' else ('p', ['-lpthread'])
        command = ['cc', '-O3', '-march=native', '-w', '-o', source, source + '.c', '-lOpenCL'] + libraries
        subprocess.run(command, cwd=out, check=True)
    return out


def run_gpu(graph, edges, folder, limit):
    """Returns {pattern, or 'cycle:5 enumerate': ms} on a GPU."""
    if graph not in PARTS or not os.path.isdir(os.path.join(SHARED, 'experiments/gpu')):
        return {}
    where = copy_of('gpu', folder)
    output = os.path.join(folder, 'experiments-%s.txt' % graph)
    with open(output, 'w') as file:
        try:
            subprocess.run(['./bench', graph if graph.startswith('rmat') else edges, PARTS[graph], '0'], cwd=where,
                           stdout=file, stderr=subprocess.DEVNULL, timeout=limit)
        except subprocess.TimeoutExpired:
            pass
    with open(output) as file:
        return together(best_lines(file.read()))


def run_cpu(graph, edges, folder, patterns, limit):
    """Returns {pattern: ms} on two cores. A time includes the passes that the pattern shares with other patterns."""
    if not os.path.isdir(os.path.join(SHARED, 'experiments/cpu')):
        return {}
    where, found = copy_of('cpu', folder), {}
    for pattern in patterns:
        if pattern not in TASKS:
            continue
        task, k = TASKS[pattern]
        with open(edges) as file:
            try:
                binary = os.path.join(folder, graph + '.bin')
                command = ['./p', '-g', binary, '-t', task, '-k', str(k), '-p', '2', '-r', '10']
                done = subprocess.run(command, cwd=where, stdin=file, capture_output=True, text=True, timeout=limit)
            except subprocess.TimeoutExpired:
                continue
        times = dict(re.findall(r'(min|cpu|pre) ([\d.]+)', done.stdout))
        if 'min' in times:  # on idle cores a run would take its processor time divided by the number of cores
            found[pattern] = 1e3 * min(float(times['min']), float(times['cpu']) / 2)
            # the time in which the host makes lists of triangles, which only Q4 needs
            found[pattern] += 1e3 * float(times['pre']) * (pattern == Q4)
    support = found.get('triangle', 0)
    return {p: ms + support * (p in ('house', 'cycle:5', 'cycle:6')) for p, ms in found.items()}
