"""Repeats the published experiments on gather-apply-scatter with an on-the-fly shuffle.

An FPGA streamed all edges of a graph in each iteration, made a tuple of each edge, and shuffled the tuples to ranges of
destinations. Its decoder was compared with polling and with convergence kernels. The graphs are large, so this script makes R-MAT
graphs with the same numbers of vertices and edges and about the same largest degrees. On a CPU device they are smaller by
default, because polling reads all edges once for each range of destinations."""
import glob
import math
import os

import published
from page import Page

APPLICATIONS = {'pagerank': 'PageRank', 'bfs': 'BFS', 'sssp': 'SSSP', 'spmv': 'SpMV'}
OTHERS = {'polling': 'polling', 'converge': 'convergence', 'atomic': 'atomics'}
RANGE = 8192  # destinations of a range
CPU_WORK = 4e8  # about the tuples that polling reads in an iteration on a CPU device, by default: a second on two cores
SMALL = ('R19', 'MG', 'WT')


def options(parser):
    add = parser.add_argument
    add('--scale', metavar='F', type=float, help='vertices and edges of the graphs, relative to the published ones (default: 1 on '
        'a GPU; on a CPU device as large as a second for an iteration of polling allows)')
    add('--graphs', metavar='FOLDER', help='folder with lists of edges as SNAP has them, such as soc-pokec-relationships.txt.gz; '
        'a graph that is not there gets a stand-in')
    add('--only', metavar='NAMES', help='graphs, joined by commas, such as R19,PK (default: all eight)')
    add('--seconds', metavar='S', type=float, help='seconds for each method, application and graph (default: 1)')


def scale_of(page, name):
    """Returns the scale of a stand-in. Ranges and edges both grow with the scale, so the work of polling grows with its square; an
    exponent below 1/2 keeps larger graphs larger."""
    vertices, edges, _ = published.SHUFFLE_GRAPHS[name]
    if page.options.scale:
        return page.options.scale
    if page.options.small:
        return 2000 / vertices
    tuples = edges * (1 if published.SHUFFLE_DIRECTED[name] else 2)
    return 1 if page.on_gpu() else min(1, (CPU_WORK / tuples / math.ceil(vertices / RANGE)) ** 0.45)


def chances(name):
    """Returns the chances a, b and c of the quadrants of R-MAT.

    In a matrix of 2^k rows the first row has about (a + b)^k of all edges, and the first column (a + c)^k. The largest degrees
    therefore give a + b and a + c. Rows and columns are chosen independently: a is the product of both."""
    if name not in published.SHUFFLE_DEGREES:
        return 0.57, 0.19, 0.19  # R-MAT itself, with the chances of Graph500
    vertices, edges, _ = published.SHUFFLE_GRAPHS[name]
    ends = edges * (1 if published.SHUFFLE_DIRECTED[name] else 2)
    out, into = ((degree / ends) ** (1 / math.ceil(math.log2(vertices))) for degree in published.SHUFFLE_DEGREES[name])
    return out * into, out - out * into, into - out * into


def real_file(page, name):
    """Returns the path of the list of edges of a graph, or None."""
    stem = published.SHUFFLE_FILES.get(name)
    found = sorted(glob.glob(os.path.join(glob.escape(page.options.graphs), stem + '*'))) if page.options.graphs and stem else []
    return found[0] if found else None


def make_graph(page, name):
    """Makes or imports a graph. Returns its path, its scale (None for a real one) and whether it has weights."""
    path = real_file(page, name)
    directed = published.SHUFFLE_DIRECTED[name]
    if path:
        undirected = [] if directed else ['--undirected']
        return page.make('shuffle-%s-real.h5' % name, 'import', path, *undirected), None, False
    vertices, edges, _ = published.SHUFFLE_GRAPHS[name]
    scale = scale_of(page, name)
    drawn = 6000 if page.options.small else round(edges * scale)
    corners = [part for letter, chance in zip('abc', chances(name)) for part in ('--' + letter, '%.4f' % chance)]
    return page.make('shuffle-%s.h5' % name, 'generate', 'rmat', '--vertices', max(2, round(vertices * scale)), '--edges', drawn,
                     '--directed', int(directed), *corners, '--weights', 255), scale, True


def measure(page, path, weights):
    """Runs all applications by all methods. Returns the rows by application and method, and the kernels."""
    seconds = page.options.seconds or (0.01 if page.options.small else 1)
    report = page.gemp('bench', 'analytics', path, *(['--weight', 'weight'] if weights else []), '--repeat',
                       1 if page.options.small else 3, '--seconds', seconds)
    return {(row['application'], row['method']): row for row in report['analytics']}, report['kernels']


def degrees(page, path):
    report = page.gemp('info', path)
    degree = report['degrees']
    both = degree.get('directed') or {'max_out': degree['max'], 'max_in': degree['max']}
    return report['graph']['vertices'], report['graph']['edges'], both['max_out'], both['max_in']


def write_graphs(page, made):
    page.text('''## Graphs

The papers name the graphs and their sizes. The largest degrees of the real graphs are from the collections that have them
(SNAP, KONECT, Network Repository), not from the papers. A stand-in is an R-MAT graph with the published numbers of vertices
and of drawn edges times the *scale*, without loops and parallel edges. In a matrix of 2^k rows, R-MAT gives about (a + b)^k
of the edges to the first row and (a + c)^k to the first column, so the largest degrees give a + b and a + c; a is the
product of both. R21 and R19 have the chances of Graph500. Edges have random weights from 1 to 255.''')
    rows = []
    for name, graph in made.items():
        vertices, edges, what = published.SHUFFLE_GRAPHS[name]
        out, into = published.SHUFFLE_DEGREES.get(name, ('as R-MAT', 'as R-MAT'))
        scale = 'real graph' if graph['scale'] is None else graph['scale']
        rows.append(['%s, %s' % (name, what), vertices, edges, out, into, scale, *graph['size'],
                     'real graph' if graph['scale'] is None else ', '.join('%.3g' % chance for chance in chances(name))])
    page.table(['graph', 'vertices', 'edges', 'largest out-degree', 'largest in-degree', 'scale', 'vertices here', 'edges here',
                'largest out-degree here', 'largest in-degree here', 'a, b, c'], rows)


def iteration(graph, application, method):
    return graph['rows'][application, method]['seconds_per_iteration']


def write_speedups(page, made):
    page.text('''## Decode against polling, convergence and atomics

Each application streams all edges in every iteration: it makes a tuple of each edge, shuffles the tuples, and updates the
vertices (`gemp-mpi bench analytics`; docs/shuffle.md explains it). BFS and SSSP end when no vertex changes. The answers of
all methods are compared with those of our engines. A speed-up is the time of an iteration by the other method divided by
that of decode, so a number below 1 means that decode is slower. A method that was cut off after its seconds has the mean of
the iterations until then, with their number in brackets.

Ranges have up to 8,192 destinations. The time of polling and of convergence grows with the number of ranges, since each
range reads all tuples. A stand-in with a scale below 1 has fewer ranges than the real graph, so these speed-ups are smaller
than those of the real graph.

The published speed-ups are the largest of PageRank on the eight graphs: up to 100 times the convergence kernel and 6 times
polling. Speed-ups of single graphs, of the other applications and of atomics are not in our sources.''')
    best = {method: max(iteration(graph, 'pagerank', method) / iteration(graph, 'pagerank', 'decode') for graph in made.values())
            for method in OTHERS}
    page.compare([('PageRank, decode over convergence, largest', published.SHUFFLE_OVER_CONVERGENCE, best['converge']),
                  ('PageRank, decode over polling, largest', published.SHUFFLE_OVER_POLLING, best['polling']),
                  ('PageRank, decode over atomics, largest', None, best['atomic'])], unit='times')
    for application, title in APPLICATIONS.items():
        page.text('### ' + title)
        page.table(['graph', 'ranges', 'iterations', 'decode, ms an iteration', '10^6 edges/s', 'over polling', 'over convergence',
                    'over atomics'], [speedup_row(name, graph, application) for name, graph in made.items()])
        page.bars(application, 'speed-up of decode, ' + title, list(made),
                  {'over ' + title: [iteration(graph, application, method) / iteration(graph, application, 'decode')
                                     for graph in made.values()] for method, title in OTHERS.items()}, log='y')


def speedup_row(name, graph, application):
    decode = graph['rows'][application, 'decode']
    cells = [name, decode['ranges'], decode['iterations'] if decode['complete'] else '%d, cut off' % decode['iterations'],
             1e3 * decode['seconds_per_iteration'], decode['edges_per_second'] / 1e6]
    for method in OTHERS:
        row = graph['rows'][application, method]
        ratio = '%.3g ×' % (row['seconds_per_iteration'] / decode['seconds_per_iteration'])
        cells.append(ratio if row['complete'] else '%s (%d)' % (ratio, row['iterations']))
    return cells


def write_engines(page, made):
    page.text('''## Edge streaming against our engines

Edge streaming does the same work in every iteration. The engines of `gemp-mpi pagerank`, `bfs`, `sssp` and `spmv` read only
what an iteration needs, from rows that are prepared before. The table has the seconds of a whole run: 10 iterations of
PageRank, BFS and SSSP to their ends, and one product. A run by decode that was cut off is marked with +.''')
    rows = []
    for name, graph in made.items():
        cells = [name]
        for application in APPLICATIONS:
            decode, engine = graph['rows'][application, 'decode'], graph['rows'][application, 'engine']
            whole = decode['seconds_per_iteration'] if application == 'spmv' else decode['seconds']
            cells += ['%.3g%s' % (whole, '' if decode['complete'] else '+'), '%.3g' % engine['seconds']]
        rows.append(cells)
    page.table(['graph'] + [title + ', ' + how for title in APPLICATIONS.values() for how in ('decode, s', 'engine, s')], rows)


def write_tuples(page):
    small = page.options.small
    sizes = published.SHUFFLE_TUPLES[:2] if small else published.SHUFFLE_TUPLES
    report = page.gemp('bench', 'shuffle', '--tuple-size', ','.join(map(str, sizes)), '--ranges', 256, '--destinations', 'uniform',
                       '--method', 'decode', *(['--tuples', 20000] if small else []))
    copy = report['copy_bytes_per_second']
    best = {}
    for row in report['shuffles']:  # with destinations in the tuples, and with a column of destinations
        size, rate = row['tuple_size'], row['shuffle_tuples_per_second']
        best[size] = max(best.get(size, 0), rate)
    page.text('''## Tuples of 4 to 64 bytes

The published decoder comes close to the memory's bandwidth divided by the size of a tuple, since it reads each tuple once
and sends it to the memory of its range. Here decode writes the tuples back, in the order of 256 ranges, after it has counted
them, so at most bandwidth / (2 w + 4) tuples of w bytes a second are possible. Bandwidth is that of a copy on the device,
read and written: %.3g GB/s. Published rates are not in our sources, only that they are close to the bandwidth.''' % (copy / 1e9))
    page.table(['bytes of a tuple', '10^6 tuples/s', 'bandwidth / w, 10^6/s', 'share of it', 'bandwidth / (2 w + 4), 10^6/s', 'share'],
               [[size, rate / 1e6, copy / size / 1e6, rate * size / copy, copy / (2 * size + 4) / 1e6, rate * (2 * size + 4) / copy]
                for size, rate in best.items()])
    page.lines('tuples', 'bytes of a tuple', '10^6 tuples/s', list(best), {
        'decode': [rate / 1e6 for rate in best.values()], 'bandwidth / w': [copy / size / 1e6 for size in best],
        'bandwidth / (2 w + 4)': [copy / (2 * size + 4) / 1e6 for size in best]}, log='xy')


def users(kernel, kernel_options):
    """Returns the applications that use a kernel, or None for one that sets up or checks."""
    of = {'stream_values': 'PageRank', 'stream_pagerank': 'PageRank', 'stream_steps': 'BFS', 'stream_lengths': 'SSSP',
          'stream_min': 'BFS, SSSP', 'stream_products': 'SpMV', 'stream_spmv': 'SpMV', 'stream_fill': None}
    if kernel in of:
        return of[kernel]
    if kernel.startswith('shuffle_'):
        return 'PageRank, SpMV' if '-DSHUFFLE_REDUCE=1' in kernel_options else 'BFS, SSSP'
    return 'all, in decode'


def write_resources(page, kernels):
    page.text('''## Resources

For each kernel that the applications launch: local memory of a work-group, private memory of a work-item outside registers,
and registers of a work-item, as the driver tells. PoCL, for CPU devices, reports the same private memory for every kernel.
On the FPGA the table had logic and memory blocks, which have no counterpart here.''')
    rows = {}
    for entry in kernels:
        application = users(entry['kernel'], entry['options'])
        if application:
            registers = entry['registers'] if entry['registers'] is not None else 'not told by the driver'
            rows[entry['kernel'], application] = [entry['kernel'], application, entry['local_memory'], entry['private_memory'],
                                                  registers, entry['group_multiple']]
    page.table(['kernel', 'applications', 'local memory, bytes', 'private memory, bytes', 'registers', 'work-group multiple'],
               [rows[key] for key in sorted(rows)])


def chosen_graphs(page):
    if page.options.graphs and not os.path.isdir(page.options.graphs):
        raise SystemExit('reproduce-shuffle: --graphs %s: there is no such folder' % page.options.graphs)
    names = page.options.only.split(',') if page.options.only else SMALL if page.options.small else list(published.SHUFFLE_GRAPHS)
    for name in names:
        if name not in published.SHUFFLE_GRAPHS:
            raise SystemExit('reproduce-shuffle: --only %s: there are %s' % (name, ', '.join(published.SHUFFLE_GRAPHS)))
    return names


def main():
    page = Page('shuffle', 'Gather-apply-scatter with an on-the-fly shuffle', __doc__, options)
    page.text('''An FPGA program streams the edges of a graph, makes a tuple (destination, value) of each edge, and shuffles
the tuples to ranges of destinations whose values lie in local memory. Its *decoder* finds the tuples of a range without
wasted cycles. It was compared with *polling*, where each range looks at every tuple, and with *convergence kernels* (Wang et
al. 2017), where each range looks at every tuple and first collects its own. Here the shuffles run on an OpenCL device, and a
fourth method adds tuples by *atomics*.''')
    made, kernels = {}, []
    for name in chosen_graphs(page):
        path, scale, weights = make_graph(page, name)
        rows, kernels = measure(page, path, weights)
        made[name] = {'scale': scale, 'size': degrees(page, path), 'rows': rows}
    write_graphs(page, made)
    write_speedups(page, made)
    write_engines(page, made)
    write_tuples(page)
    write_resources(page, kernels)
    page.write()


if __name__ == '__main__':
    main()
