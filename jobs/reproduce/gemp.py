"""Repeats the experiments of GEMP: four people in one film, one of them with "Jack" in the name, in a graph of films.

The page has the seven times and three sizes that GEMP measured, the gains of the pivot and of copying attributes once,
a graph divided into 1 to 64 parts, result buffers of 1,000 to 1,000,000 rows, and launch sizes by GEMP's formulas."""
import os

import published
from page import NOT_PUBLISHED, Page, write_whole

TWO_PAIRS = ("(%s:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(%s:Person),\n"
             "      (%s:Person)-[:ACTS_IN]->(m)<-[:ACTS_IN]-(%s:Person)")
FIRST, LAST = TWO_PAIRS % tuple('abcd'), TWO_PAIRS % tuple('dcba')
QUESTION = "MATCH %s\nWHERE a.name CONTAINS 'Jack'\nRETURN %s\n"
NAMES, KEYS = 'm.name AS film, a.name AS jack, b.name, c.name, d.name', 'm, a, b, c, d'
SEVEN = [('read', '1 read the graph'), ('convert', '2 convert it'), ('search', '3 build, copy, run, read back'),
         ('build', '3 a. build the kernel'), ('copy', '3 b. copy'), ('run', '3 c. run'),
         ('read_back', '3 d. read back'),
         ('results', '4 process the results'), ('values', '5 make the buffers of phase two'),
         ('test', '6 run phase two'), ('select', '7 give its result'), ('filter', 'names tested before the search'),
         ('check', 'a sample counted by the host')]
INSIDE_SEARCH = ('build', 'copy', 'run', 'read_back')
MOMENTS = ('before', 'after')


def mib(size):
    return size / 2**20


def elapsed(report):
    """Returns the seconds of the slowest rank, without the start and the end of the process."""
    seconds = report['seconds']
    return max(seconds['elapsed']['max'] - seconds['start']['max'] - seconds['close']['max'], 1e-6)


def searched(report):
    """Returns the seconds of kernels and of names: what the pivot can change."""
    names = sum(report['times'][part]['max'] for part in ('filter', 'values', 'test', 'select'))
    return report['seconds']['kernel']['max'] + names


def add_options(parser):
    parser.add_argument('--imdb', metavar='FOLDER',
                        help="IMDb's dumps (title.basics.tsv.gz, ...), in place of a generated graph")


class Experiment:
    def __init__(self):
        self.page = Page('gemp', 'GEMP: four people in one film, one of them named Jack', __doc__, add_options)
        self.small = self.page.options.small
        self.rows = self.page.path('gemp-rows.tsv')
        self.graphs = self.make_graphs()
        self.graph = self.graphs[0][1]  # all series use this one
        self.moments = MOMENTS[:1] if self.small else MOMENTS
        self.rank_counts = (1, 2) if self.small else (1, 2, 4, 8)
        self.names = self.question('casts.cypher', FIRST, NAMES)
        self.keys = self.question('casts-keys.cypher', FIRST, KEYS)
        self.turned = self.question('casts-jack-last.cypher', LAST, KEYS)

    def make_graphs(self):
        """Returns (name, path) of the graphs, the one of the series first."""
        folder = self.page.options.imdb
        if folder:
            return [('IMDb', self.page.make('imdb.h5', 'import', '--format', 'imdb', os.path.abspath(folder)))]
        if self.small:
            sizes = [('small', 300, 450)]
        elif self.page.on_gpu():
            sizes = [('2.3 M elements', 240_000, 360_000),
                     ("IMDb's titles and people", published.GEMP_TITLES, published.GEMP_PEOPLE)]
        else:
            sizes = [('2.3 M elements', 240_000, 360_000), ('9.2 M elements', 960_000, 1_440_000)]
        return [(name, self.page.make('films-%d.h5' % films, 'generate', 'movies', '--films', films,
                                      '--people', people)) for name, films, people in sizes]

    def question(self, name, pattern, rows):
        """Writes a query into the working folder and returns its path."""
        write_whole(self.page.path(name), QUESTION % (pattern, rows))
        return self.page.path(name)

    def search(self, *options, graph=None, query=None, ranks=1, repeat=2):
        """Searches on the device and writes the rows. Of two runs the faster counts, so kernels come from the cache."""
        return self.page.gemp('match', graph or self.graph, '--query-file', query or self.keys, '--semantics',
                              'iso', '--distinct', 'orbit', '--on', 'device', *options, '-o', self.rows, ranks=ranks, repeat=1 if self.small else repeat)

    # Sections

    def introduction(self):
        self.page.text('''
GEMP (T. Fekete and G. Mezei, 2015, and their later paper on the pivot) searched films of IMDb with a GPU: four people
who played in the same film, one of whom has "Jack" in the name. The device finds the people by the edges; the names
are tested in a second phase. The papers state gains, and no seconds or bytes are known to us. Where only the figure
of this machine is known, a table says "not published".

    %s

Unless a table says otherwise, a match is one person named Jack with a set of three others, the search runs on the
device with one rank (`--on device`), and of two runs the faster one counts, so kernels come from a cache. *Before*
means that names are tested for all people before the search (`--attributes before`); *after* means that they are
tested for finished matches in a second phase, as in GEMP.'''
                       % (QUESTION % (FIRST, NAMES)).strip().replace('\n', '\n    '))

    def times_and_sizes(self):
        data, reports, columns = [], [], []
        for i, (name, path) in enumerate(self.graphs):
            for moment in MOMENTS:
                found = self.search('--attributes', moment, graph=path, query=self.names, repeat=1 if i else 2)
                reports.append(found)
                columns.append('%s, %s' % (name, moment) if len(self.graphs) > 1 else moment)
            graph = found['graph']
            data.append([name, graph['vertices'], graph['edges'], graph['vertices'] + graph['edges'], found['matches'],
                         found['residual']['tested']])
        self.page.text('## Data')
        self.page.table(['graph', 'vertices', 'edges', 'elements', 'matches', 'matches with any name'], data)
        self.times(columns, reports)
        self.sizes(columns, reports)
        return reports[:2]

    def times(self, columns, reports):
        self.page.text('''## Seven times

Seconds of one rank. The first seven are GEMP's, and of the third its four parts are shown, too. No second is in two
of them: while a kernel runs, the host processes the results of the launch before, and these seconds are in 4 and not
in 3 c. Each result is written to a file with the names of film and people.''')
        rows = [[name, NOT_PUBLISHED] + [report['times'][part]['max'] for report in reports] for part, name in SEVEN]
        parts = [part for part, _ in SEVEN if part not in INSIDE_SEARCH]
        known = [sum(report['times'][part]['max'] for part in parts) for report in reports]
        whole = [report['seconds']['elapsed']['max'] for report in reports]
        rows.append(['start and end of the process, and the rest', NOT_PUBLISHED] +
                    [max(0.0, every - part) for every, part in zip(whole, known)])
        rows.append(['whole run', NOT_PUBLISHED] + whole)
        self.page.table(['seconds', 'GEMP'] + columns, rows)
        self.page.bars('times', 'seconds', columns[:2], {
            name: [report['times'][part]['max'] for report in reports[:2]] for part, name in SEVEN
            if part not in ('search', 'check')}, stacked=True)

    def sizes(self, columns, reports):
        self.page.text('''## Three sizes

MiB on the device, the most at any time. `--result-buffer` limits the result buffer (there are two of them: one is
read while a launch fills the other one), and `--device-memory` limits all buffers together.''')
        kinds = [('input model', lambda report: report['device_memory']['graph']),
                 ('result buffer', lambda report: report['device_memory']['result_buffer']),
                 ('string buffer of phase two', lambda report: report['residual']['device_bytes']),
                 ('labels and names tested before the search', lambda report: report['device_memory']['attributes'])]
        self.page.table(['MiB', 'GEMP'] + columns,
                        [[name, NOT_PUBLISHED] + [mib(of(report)) for report in reports] for name, of in kinds])

    def pivot(self):
        self.page.text('''## The pivot

With the pivot, the search starts at the pattern's vertex from which the least work is expected, and only from its
candidates. Without it (`--pivot off`) the search starts at the first vertex of the text, from all vertices of the
graph. So the order of the text matters: Jack is first in GEMP's question, and last in the same question turned round.
*Search* is the time of kernels and names together.''')
        rows, gains = [], []
        for moment in self.moments:
            for name, query in (('first', self.keys), ('last', self.turned))[:1 if self.small else 2]:
                on, off = (self.search('--attributes', moment, '--pivot', way, query=query) for way in ('on', 'off'))
                assert on['matches'] == off['matches']
                gains.append(('search without the pivot / with it; Jack %s, names tested %s' % (name, moment),
                              1 + published.GEMP_PIVOT_GAIN, searched(off) / searched(on)))
                rows += [[moment, name, way, report['pivots'], report['seconds']['kernel']['max'], searched(report),
                          elapsed(report)] for way, report in (('on', on), ('off', off))]
        self.page.table(['names tested', 'Jack in the text', 'pivot', 'start vertices', 'kernel s', 'search s',
                         'run s'], rows)
        self.page.compare(gains, unit='×')

    def attributes(self, before, after):
        self.page.text('''## Names before, after, once and each time

GEMP's first version copied the name of a person for each result that has the person, a later one copied it once. Here
a round, which has up to 256 MiB of matches, copies a name once, unless `--attribute-copies each` asks for a copy for
each match.''')
        each = self.search('--attributes', 'after', '--attribute-copies', 'each', query=self.names)
        assert each['matches'] == after['matches'] == before['matches']
        rows = []
        for name, report in (('before', before), ('after, once', after), ('after, each time', each)):
            residual, times = report['residual'], report['times']
            rows.append([name, residual['values_copied'] or report['attribute_values']['copied'],
                         mib(residual['bytes_copied'] or report['device_memory']['attributes']),
                         mib(residual['device_bytes'])] +
                        [times[part]['max'] for part in ('filter', 'values', 'test', 'select')] + [elapsed(report)])
        self.page.table(['names', 'values copied', 'MiB copied', 'string buffer, MiB', 'filter s', 'values s', 'test s',
                         'select s', 'run s'], rows)
        self.page.compare([
            ('run with names copied each time / once', 1 + published.GEMP_COPY_GAIN, elapsed(each) / elapsed(after)),
            ('run with names tested after / before the search', None, elapsed(after) / elapsed(before))], unit='×')
        self.page.bars('attributes', 'seconds', [row[0] for row in rows], {
            part: [row[i] for row in rows] for i, part in enumerate(('filter', 'values', 'test', 'select'), 4)},
                       stacked=True)

    def parts(self):
        report = self.search('--attributes', 'before', '--profile', repeat=1)
        shares = {int(parts): share for parts, share in report['part_share'].items()}
        self.page.text('''## The graph divided at random

GEMP divided the graph at random into many parts. The device finds the matches within the part that it has, and the
host finds the others meanwhile. A match has five vertices, so about 1 / P⁴ of the matches lie within one of P random
parts. `--profile` measures the share for 1 to 64 parts: the ids of a graph file are in random order, so each range of
ids is a random part. Matches that share people are not independent, so small numbers scatter.''')
        self.page.table(['parts', 'matches', 'within one part', 'share', '1 / P⁴'],
                        [[parts, report['matches'], round(share * report['matches']), share, parts**-4.0]
                         for parts, share in shares.items()])
        self.page.lines('parts', 'parts', 'share of matches within one part', list(shares), {
            'measured': [share or None for share in shares.values()],
            '1 / P⁴': [parts**-4.0 for parts in shares]}, log='xy')
        self.page.text('''
Below, each rank has only the rows of its own part (`--replicate none`) and finds the other matches by the exchange.
With push, a partial match travels to the rank that has the next row. The search reads only the rows of Jack and of
the film (every rank has a bit for each vertex that says whether it is a person), so more matches stay at home than
lie within one part. With pull, rows travel, in rounds.''')
        rows = []
        for ranks in self.rank_counts:
            push, pull = (self.search('--attributes', 'before', '--replicate', 'none', '--exchange', way, ranks=ranks)
                          for way in ('push', 'pull'))
            assert push['matches'] == pull['matches'] == report['matches']
            rows.append([ranks, shares[ranks]] + [figure for way in (push, pull) for figure in (
                way['exchange']['local_share'], mib(way['exchange']['bytes']), elapsed(way))])
        self.page.table(['parts = ranks', 'within one part', 'push: matches that stayed', 'push: MiB', 'push: s',
                         'pull: rows at hand', 'pull: MiB', 'pull: s'], rows)

    def buffers(self):
        self.page.text('''## Result buffers of 1,000 to 1,000,000 matches

A worker whose match does not fit into the buffer keeps it and goes on in the next launch, so a small buffer costs
launches, and every match is found once. *Launch* is the time of the host in launches, in addition to the kernels.''')
        sizes = (100, 1000) if self.small else (1000, 10_000, 100_000, 1_000_000)
        rows, lines = [], {}
        for moment in self.moments:
            for size in sizes:
                report = self.search('--attributes', moment, '--result-buffer', size, repeat=1)
                seconds = report['seconds']
                rows.append([moment, size, mib(report['device_memory']['result_buffer']), report['launches'],
                             100 * report['result_fill'], seconds['kernel']['max'], seconds['launch']['max'],
                             elapsed(report)])
                lines.setdefault('names tested ' + moment, []).append(elapsed(report))
        self.page.table(['names tested', 'result buffer (matches)', 'MiB', 'launches', '% full', 'kernel s', 'launch s',
                         'run s'], rows)
        self.page.lines('buffers', 'matches that fit into the result buffer', 'seconds of the run', list(sizes), lines,
                        log='xy')

    def launches(self):
        self.page.text('''## Launch sizes by formulas 1 to 3

After a launch of n₀ tasks that used b of the B rows of the result buffer, the next launch has n = n₀ · (B / b) · C
tasks (1) if B / b > C (3), and n = n₀ · C tasks (2) otherwise. `docs/launch-sizes.md` derives this and says where the
program differs: a launch should last at most about 0.2 s, every worker gets a task, and on CPUs, where it costs
nearly nothing to stop a worker, the formulas hold only with `--launch-factor C`. An *overflow* is a launch whose
workers wanted more rows; of each run, the first 1,000 launches are looked at. Films have similar numbers of matches,
and people named Jack very different ones, so the search from films (names tested after) uses about C of the buffer.''')
        sizes = {'before': 1000} if self.small else {'before': 100_000, 'after': 10**7 if self.page.on_gpu() else 10**6}
        factors = (0.5, 0.8) if self.small else (0.2, 0.4, 0.6, 0.8, 1.0, 1.2)
        rows, lines = [], {}
        for moment, size in sizes.items():
            for factor in factors:
                report = self.search('--attributes', moment, '--result-buffer', size, '--launch-factor', factor,
                                     '--profile', repeat=1)
                log = report['launch_sizes']
                over = sum(launch['results'] > launch['capacity'] for launch in log)
                rows.append([moment, size, factor, report['launches'], 100 * report['result_fill'],
                             '%d of %d' % (over, len(log)), report['seconds']['kernel']['max'], elapsed(report)])
                lines.setdefault('names tested ' + moment, []).append(rows[-1][4])
        self.page.table(['names tested', 'B', 'C', 'launches', '% full', 'overflows', 'kernel s', 'run s'], rows)
        self.page.lines('launches', 'C', '% of the result buffer that a launch uses', factors,
                        {**lines, '100 C': [100 * factor for factor in factors]})

    def ranks(self):
        self.page.text('''## Ranks

Every rank has all rows (`--replicate all`), and the ranks share the start vertices. All ranks are on this machine,
which has {:d} cores.'''
                       .format(self.page.machine['cores']))
        rows, one = [], {}
        for moment in self.moments:
            for ranks in self.rank_counts:
                report = self.search('--attributes', moment, '--replicate', 'all', ranks=ranks)
                one.setdefault(moment, elapsed(report))
                rows.append([moment, ranks, report['seconds']['kernel']['max'], report['times']['results']['max'],
                             elapsed(report), one[moment] / elapsed(report), report['imbalance']['matches']])
        self.page.table(['names tested', 'ranks', 'kernel s', 'results s', 'run s', 'time of one rank / run',
                         'matches: largest rank / mean'], rows)

    def run(self):
        self.introduction()
        before, after = self.times_and_sizes()
        self.pivot()
        self.attributes(before, after)
        self.parts()
        self.buffers()
        self.launches()
        self.ranks()
        os.remove(self.rows)
        self.page.write()


Experiment().run()
