"""Repeats the published experiments on Euler circuits.

The articles found Euler circuits of graphs made by two generators on a GPU, listed the edges of a large graph, and
described the primitives that both need. Work on cycles in Wiktionary cites another result, for a dense random graph.
This script makes graphs with the published numbers of vertices and edges, times each step of the search, spells all
PINs and all words of DNA, assembles a genome, and draws circuits with their spanning tree."""
import os
import random
import shlex
import subprocess
import sys

import published
from page import HERE, Page

# The published steps, by their names in the report of `gemp-mpi euler`.
STEPS = {'predecessors': 'predecessors', 'circuits': 'partition into circuits', 'circuit_graph': 'circuit graph',
         'spanning_tree': 'its spanning tree', 'swaps': 'swaps', 'order': 'order of the edges'}
SIZES = {  # vertices and edges; with --small about a thousandth of them
    'deep': (published.EULER_DEEP['vertices'], published.EULER_DEEP['edges']),
    'shallow': (published.EULER_SHALLOW['vertices'], published.EULER_SHALLOW['edges']),
    'random': (published.EULER_DEEP['vertices'], published.EULER_DEEP['edges']),
    'dense': (published.EULER_DENSE['vertices'], published.EULER_DENSE['edges'])}
SMALL = {'deep': (10_240, 40_960), 'shallow': (1_023, 3_069), 'random': (10_240, 40_960), 'dense': (64, 1_700)}


def seconds(report, phase):
    return report['seconds'][phase]['max']


def make_graphs(page):
    """Generates the four graphs. Returns for each its path, vertices, edges and the seconds of the generation."""
    graphs = {}
    for name, (vertices, edges) in (SMALL if page.options.small else SIZES).items():
        path = page.path('euler-%s.h5' % name)
        shape = 'random' if name == 'dense' else name
        report = page.gemp('generate', 'eulerian', '--shape', shape, '--vertices', vertices, '--edges', edges, '-o', path)
        graphs[name] = (path, vertices, edges, report['process_seconds'])
    return graphs


def device_name(page):
    return 'GPU' if page.on_gpu() else 'OpenCL'


def engines(page):
    """Returns the ways to run: a name, options and ranks."""
    ranks = max(2, min(8, page.machine['cores']))
    device = device_name(page)
    return [('one rank, ' + device, ['--on', 'device'], 1), ('one rank, threads', ['--on', 'host'], 1),
            ('%d ranks' % ranks, [], ranks)]


def circuits(page, graphs):
    """Finds a circuit of each graph in each way. Returns the reports by way and graph."""
    found = {}
    for way, options, ranks in engines(page):
        found[way] = {name: page.gemp('euler', path, '--verify', *options, ranks=ranks, repeat=2)
                      for name, (path, _, _, _) in graphs.items()}
        for report in found[way].values():
            assert report['found'] and report['verified'] and report['circuits'] == report['forest_edges'] + 1
    return found


def write_circuits(page, graphs, found):
    way_of = {name: min(found, key=lambda way: found[way][name]['stages']['total']) for name in graphs}
    best = {name: found[way][name] for name, way in way_of.items()}
    sizes = 'With `--small` the graphs have a thousandth' if page.options.small else 'The graphs have the published numbers'
    page.text('''## Circuits

%s of vertices and edges. *deep* is a band of edges to near vertices, which leaves few circuits to join;
*shallow* leaves very many; *random* and *dense* are random closed walks. Parallel edges and loops are edges of their own,
and a dense graph has many. Every result was checked: each edge occurs once, and each edge begins where the edge before it
ends. "Circuits" are those before they are joined. Their number depends on which edges were paired; on a GPU and with
threads it differs from run to run. "Seconds" are those from the edges in memory to the order in memory, in the fastest way;
the whole process also starts, reads the file and checks the result.''' % sizes)
    page.table(['graph', 'vertices', 'edges', 'circuits', 'fastest way', 'seconds', 'whole process (s)', 'edges a second'],
               [[name, vertices, edges, best[name]['circuits'], way_of[name], best[name]['stages']['total'],
                 best[name]['process_seconds'], round(edges / best[name]['stages']['total'])]
                for name, (_, vertices, edges, _) in graphs.items()])
    deep, dense = published.EULER_DEEP, published.EULER_DENSE
    page.compare([('generation of the deep graph', deep['generation'], graphs['deep'][3]),
                  ('circuit of the dense graph', dense['seconds'], best['dense']['stages']['total']),
                  ('circuit of the deep graph', None, best['deep']['stages']['total']),
                  ('circuit of the shallow graph', None, best['shallow']['stages']['total'])])
    page.text('''The articles give no time for whole circuits of their own graphs. They state how many circuits pairing leaves:
fewer than %d on the deep graph and %s on the shallow graph. Here:'''
              % (deep['most_partitions'], format(published.EULER_SHALLOW['partitions'], ',')))
    page.table(['graph'] + list(found), [[name] + [found[way][name]['circuits'] for way in found] for name in graphs])


def write_steps(page, graphs, found):
    page.text('''## Steps

The steps are those of the articles, which publish no times of them; "order of the edges" numbers the edges along the
circuit, which the articles' swaps leave as a list of successors. Seconds are those of the slowest rank; copies to and from
the device have rows of their own. *Predecessors* pairs the in-edges and out-edges of each vertex. *Partition* follows the
pairs. *Circuit graph* names the circuit of each edge; the threads of the host do this while they follow the pairs, so the
step takes no time of its own. *Swaps* joins the circuits and follows again the parts that changed.''')
    for way, reports in found.items():
        rows = [['read the file'] + [seconds(reports[name], 'read') for name in graphs],
                ['copy to the device'] + [reports[name]['stages']['upload'] for name in graphs]]
        rows += [[title] + [reports[name]['steps'][step] for name in graphs] for step, title in STEPS.items()]
        rows += [['copy from the device'] + [reports[name]['stages']['download'] for name in graphs],
                 ['check the circuit'] + [reports[name]['verify_seconds'] for name in graphs]]
        page.text('### ' + way[0].upper() + way[1:])
        page.table(['step (s)'] + list(graphs), rows)
    page.text('The same steps in nanoseconds an edge:')
    runs = [(name, way) for name in graphs for way in found]
    page.bars('steps', 'nanoseconds an edge', ['%s, %s' % (name, way.split(', ')[-1]) for name, way in runs],
              {title: [1e9 * found[way][name]['steps'][step] / graphs[name][2] for name, way in runs]
               for step, title in STEPS.items()}, stacked=True)


def sequential_seconds(page, path, vertices, edges):
    """Compiles hierholzer.c and returns the seconds of its search for the graph."""
    program, listing = page.path('hierholzer'), path.replace('.h5', '.adj')
    compiler = os.environ.get('CC', 'cc')
    try:
        subprocess.run([*shlex.split(compiler), '-std=c17', '-O2', '-o', program, os.path.join(HERE, 'hierholzer.c')], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit('reproduce-euler: cannot compile hierholzer.c (%s); set CC to a C compiler' % error)
    page.gemp('convert', path, '-o', listing)
    done = subprocess.run([program, str(vertices), str(edges), listing], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit('reproduce-euler: %s' % done.stderr.strip())
    return float(done.stdout)


def write_sequential(page, graphs, found):
    page.text('''## Beside sequential code

The circuit of the dense graph is cited as 50 times faster than the best sequential code. Here the same graphs were also given
to a sequential search by Hierholzer's method on one core (`jobs/reproduce/hierholzer.c`), which reads them as adjacency text. A
dense graph of 4,096 vertices suits it, because the state of all vertices fits into the core's cache.''')
    rows = []
    for name, claim in (('dense', published.EULER_DENSE['over_sequential']), ('shallow', 'not published')):
        path, vertices, edges, _ = graphs[name]
        alone = sequential_seconds(page, path, vertices, edges)
        ours = min(reports[name]['stages']['total'] for reports in found.values())
        rows.append([name, alone, ours, claim, alone / ours])
    page.table(['graph', 'sequential (s)', 'fastest way (s)', 'published: times faster', 'here: times faster'], rows)


def write_edges(page):
    small, edges = page.options.small, published.EDGES
    count = (10_240, 30_720) if small else (edges['vertices'], edges['edges'])
    graph = page.make('edges.h5', 'generate', 'eulerian', '--shape', 'random', '--vertices', count[0], '--edges', count[1])
    host = page.gemp('edges', graph, '--on', 'host', repeat=3)
    device = page.gemp('edges', graph, '--on', 'device', repeat=3)
    name = device_name(page)
    page.text('''## List of edges

`gemp-mpi edges` turns the rows of a graph (%s vertices, %s edges) into pairs of source and target. Published are the seconds
on a GPU and on a CPU. The seconds here are those of the listing; the second row includes the copies to and from the device.'''
              % (format(count[0], ','), format(count[1], ',')))
    rows = [('list of edges, ' + name, edges['gpu'], device['rate']['seconds']),
            ('list of edges, %s, with copies' % name, edges['gpu'],
             device['rate']['seconds'] + device['rate']['transfer_seconds']),
            ('list of edges, threads of the host', edges['cpu'], host['rate']['seconds'])]
    page.compare(rows)
    assert host['listed'] == device['listed'] == count[1]
    return graph


def write_primitives(page, graph, count):
    """Times the primitives that the articles build circuits from. They give no figures for these."""
    numbers = page.path('numbers.txt')
    chance = random.Random(1)
    size = 20_000 if page.options.small else 2_000_000
    drawn = [chance.randrange(size) for _ in range(size)]
    with open(numbers, 'w') as file:
        file.write('\n'.join(map(str, drawn)) + '\n')
    forest = page.path('forest.h5')
    jobs = [('distinct numbers', size, ['distinct', numbers]), ('sort', size, ['sort', numbers]),
            ('reverse all edges', count, ['reverse', graph]), ('spanning forest', count, ['components', graph, '--tree', forest])]
    rows = []
    for title, items, command in jobs:
        repeat = 1 if '--tree' in command else 2  # the file of the forest takes longer than the search
        host = page.gemp(*command, '--on', 'host', repeat=repeat)
        device = page.gemp(*command, '--on', 'device', repeat=repeat)
        if command[-1] == forest:
            assert host['tree_edges'] == device['tree_edges'] == host['graph']['vertices'] - host['components']
            os.remove(forest)  # it is larger than the graph
        if command[0] == 'distinct':
            assert host['distinct'] == device['distinct'] == len(set(drawn))
        rows.append([title, items, host['rate']['seconds'], device['rate']['seconds'],
                     round(items / min(host['rate']['seconds'], device['rate']['seconds']))])
    page.text('''## Primitives

The articles describe the distinct values of sorted numbers (radix sort, mark, scan, scatter), the reversal of a graph, and
its spanning tree. Times of these are not published. Seconds of the work itself, without files and copies:''')
    page.table(['primitive', 'items', 'threads of the host', device_name(page), 'items a second'], rows)


def spelled(page, alphabet, length):
    """Returns the text that contains each word once, and the report. Checks the text word by word."""
    path = page.path('words-%s-%d.txt' % (alphabet, length))
    report = page.gemp('euler', '--sequence', '--alphabet', alphabet, '--length', length, '-o', path)
    with open(path) as file:
        text = file.read().strip()
    words = {text[i:i + length] for i in range(len(text) - length + 1)}
    expected = len(alphabet) ** length
    assert len(text) == expected + length - 1 and len(words) == expected and set(text) == set(alphabet), (alphabet, length)
    return text, report


def write_words(page):
    pins, report = spelled(page, '0123456789', 4)
    page.text('''## PINs

A circuit of the de Bruijn graph of the ten digits spells the shortest sequence of keys that tries every PIN of four digits.
It begins with `%s`.''' % pins[:60])
    rows = [['PINs of 4 digits', 10 ** 4, len(pins), 4 * 10 ** 4, report['stages']['total'], 'yes']]
    for digits in (5,) if page.options.small else (5, 6):
        text, report = spelled(page, '0123456789', digits)
        rows.append(['PINs of %d digits' % digits, 10 ** digits, len(text), digits * 10 ** digits,
                     report['stages']['total'], 'yes'])
    for length in (5,) if page.options.small else (8, 10):
        text, report = spelled(page, 'ACGT', length)
        rows.append(['words of %d letters of ACGT' % length, 4 ** length, len(text), length * 4 ** length,
                     report['stages']['total'], 'yes'])
    page.table(['words', 'number', 'letters of the text', 'letters one by one', 'seconds', 'each word once'], rows)


def reverse_complement(text):
    return text[::-1].translate(str.maketrans('ACGT', 'TGCA'))


def write_genome(page):
    """Cuts a random genome into reads from both strands and assembles them again."""
    chance = random.Random(7)
    size, length, cover = (3_000, 80, 20) if page.options.small else (500_000, 150, 30)
    genome = ''.join(chance.choices('ACGT', k=size))
    begins = [0, size - length] + [chance.randrange(size - length + 1) for _ in range(cover * size // length)]
    reads, contigs = page.path('reads.fa'), page.path('contigs.fa')
    with open(reads, 'w') as file:
        for number, begin in enumerate(begins):
            read = genome[begin:begin + length]
            file.write('>read%d\n%s\n' % (number, reverse_complement(read) if chance.random() < 0.5 else read))
    report = page.gemp('assemble', reads, '-k', 31, '-o', contigs)
    with open(contigs) as file:
        made = ''.join(line.strip() for line in file if not line.startswith('>'))
    same = made in (genome, reverse_complement(genome))
    page.text('''## DNA

A random genome of %s bases was cut into %s reads of %d bases from both strands, at random places (%d-fold coverage, no
errors). `gemp-mpi assemble` builds the graph of the reads' words of 31 letters; an Euler path of it spells the genome.'''
              % (format(size, ','), format(len(begins), ','), length, cover))
    page.table(['bases', 'reads', 'bases of the result', 'equals the genome', 'whole process (s)'],
               [[size, len(begins), len(made), 'yes' if same else 'no', report['process_seconds']]])
    assert same, 'the assembled genome differs'


def draw(page, name, layout, *command):
    """Runs a command with --dot and lays the drawing out by Graphviz. Returns the path of the picture and the report."""
    drawing, picture = page.path(name + '.dot'), page.path(name + '.svg')
    report = page.gemp(*command, '--dot', drawing)
    try:
        done = subprocess.run(['dot', '-K' + layout, '-Tsvg', drawing, '-o', picture], capture_output=True, text=True)
    except FileNotFoundError:
        sys.exit('reproduce-euler: dot is missing; install graphviz, or run jobs/setup.sh --reproduce')
    if done.returncode != 0:
        sys.exit('reproduce-euler: dot could not draw %s:\n%s' % (drawing, done.stderr))
    return picture, report


def write_pictures(page):
    page.text('''## Pictures

The left half of a vertex shows its in-degree in blue, the right half its out-degree in orange; deeper colours are more edges.
A spanning tree is laid over the graph in red: of a random graph (`components --dot`), and of the circuit graph in the
drawings of circuits (`euler --dot`). Each circuit before joining has a colour of its own; vertices with a double border are
those at which circuits are joined.''')
    graph = page.make('drawn-tree.h5', 'generate', 'uniform', '--vertices', 40, '--edges', 70, '--directed', 1)
    picture, report = draw(page, 'spanning-tree', 'neato', 'components', graph)
    page.image(picture, 'A spanning forest of a random graph of 40 vertices and 70 edges')
    for shape, vertices, edges in (('shallow', 12, 26), ('random', 8, 20)):
        graph = page.make('drawn-%s.h5' % shape, 'generate', 'eulerian', '--shape', shape, '--vertices', vertices, '--edges', edges)
        picture, report = draw(page, 'circuits-' + shape, 'dot', 'euler', graph)
        page.image(picture, 'Circuits of a graph (%s, %d vertices, %d edges): before joining, the circuit graph, the order'
                   % (shape, vertices, edges))
        assert report['found']


def main():
    page = Page('euler', 'Euler circuits and primitives on graphs', __doc__)
    page.text(__doc__.split('\n\n', 1)[1])
    graphs = make_graphs(page)
    found = circuits(page, graphs)
    write_circuits(page, graphs, found)
    write_steps(page, graphs, found)
    write_sequential(page, graphs, found)
    graph = write_edges(page)
    write_primitives(page, graph, 30_720 if page.options.small else published.EDGES['edges'])
    write_words(page)
    write_genome(page)
    write_pictures(page)
    page.write()


main()
