"""When replicas, pull and push win: bytes and seconds over density, selectivity and ranks.

Every cell runs one question three times, with a copy of all rows on every rank (--replicate all), with rows fetched in rounds
(--exchange pull) and with partial matches sent to the owners of rows (--exchange push), and once with --exchange auto, which
chooses between pull and push. The ways alternate, and the best of --repeat runs of each way counts."""
import resource
import sys

from page import Page

WAYS = {'replicas': ['--replicate', 'all'], 'pull': ['--replicate', 'none', '--exchange', 'pull'],
        'push': ['--replicate', 'none', '--exchange', 'push'], 'auto': ['--replicate', 'none']}
OPTIONS = ['--semantics', 'iso', '--distinct', 'orbit', '--count', '--count-by', 'enumerate', '--on', 'device']
DRAWN = ('replicas', 'pull', 'push')
# Planning and copies of rows are in `convert`. Phases that are equal for all ways, or that are paid once, are left out.
SEARCH = ('convert', 'upload', 'prepare', 'kernel', 'launch', 'exchange', 'resolve', 'download')
STEPS = 'three steps'
TRIANGLES = 'triangles'


def question(kind, every):
    """Three steps, or triangles, from one of `every` vertices."""
    shape = '(a)-[]-(b)-[]-(c)-[]-(d)' if kind == STEPS else '(a)-[]-(b)-[]-(c)-[]-(a)'
    return 'MATCH %s WHERE id(a) %% %d = 0 RETURN a' % (shape, every) if every > 1 else 'MATCH %s RETURN a' % shape


def search_seconds(report):
    return sum(report['seconds'].get(phase, {'avg': 0})['avg'] for phase in SEARCH)


class Study:
    """Runs cells and keeps their figures. A cell is a graph, a question and a number of ranks."""

    def __init__(self, page, vertices, repeat):
        self.page, self.vertices, self.repeat = page, vertices, repeat
        self.known, self.graphs = {}, {}

    def graph(self, degree):
        if degree not in self.graphs:
            self.graphs[degree] = self.page.make('uniform-%d.h5' % degree, 'generate', 'uniform', '--vertices', self.vertices,
                                                 '--edges', self.vertices * degree // 2)
        return self.graphs[degree]

    def run(self, way, degree, kind, every, ranks):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        report = self.page.gemp('match', self.graph(degree), question(kind, every), *OPTIONS, *WAYS[way], ranks=ranks)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        exchange = report['exchange']
        entries = self.vertices * degree  # of the rows of all vertices, in both directions
        sent = {'replicas': (ranks - 1) * 4 * entries, 'pull': exchange.get('row_bytes', 0),
                'push': exchange.get('match_bytes', 0), 'auto': 0}
        return {'matches': report['matches'], 'bytes': sent[way], 'seconds': search_seconds(report),
                'processor': after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, 'how': exchange['how']}

    def cell(self, degree, kind, every, ranks):
        """Returns the figures of each way: the bytes, the least seconds and processor seconds, and what auto took."""
        key = degree, kind, every, ranks
        if key in self.known:
            return self.known[key]
        best = {}
        for _ in range(self.repeat):
            for way in WAYS:
                one = self.run(way, *key)
                least = best.setdefault(way, one)
                least['seconds'] = min(least['seconds'], one['seconds'])
                least['processor'] = min(least['processor'], one['processor'])
        if len({one['matches'] for one in best.values()}) > 1:
            sys.exit('reproduce-exchange: the ways count %s' % {way: one['matches'] for way, one in best.items()})
        self.known[key] = best
        return best


def first_win(xs, cells, figure):
    """Says from which to which x push is below pull."""
    wins = [x for x, cell in zip(xs, cells) if cell['push'][figure] < cell['pull'][figure]]
    if not wins:
        return 'never'
    if len(wins) == len(xs):
        return 'always'
    return ', '.join('%s' % format(x, ',') for x in wins)


def sweep(study, title, name, axis, xs, keys):
    """Adds a table and two pictures over one variable. keys: the cells, one for each x."""
    page = study.page
    cells = [study.cell(*key) for key in keys]
    page.text('### ' + title)
    heads = ['%s, %s' % (way, unit) for unit in ('MB', 's', 'processor s') for way in DRAWN]
    page.table([axis, 'matches'] + heads + ['auto took', 'its seconds / best'],
               [[x, cell['pull']['matches']] + [cell[way]['bytes'] / 1e6 for way in DRAWN] +
                [cell[way]['seconds'] for way in DRAWN] + [cell[way]['processor'] for way in DRAWN] +
                [cell['auto']['how'], cell['auto']['seconds'] / min(cell['pull']['seconds'], cell['push']['seconds'])]
                for x, cell in zip(xs, cells)])
    page.text('Push sends fewer bytes than pull at %s: %s. It takes less time than pull: %s.'
              % (axis, first_win(xs, cells, 'bytes'), first_win(xs, cells, 'seconds')))
    for figure, label, scale in (('bytes', 'MB sent', 1e-6), ('seconds', 'seconds of the search', 1)):
        page.lines('%s-%s' % (name, figure), axis, label, xs,
                   {way: [max(cell[way][figure] * scale, 1e-6) if cell[way][figure] else None for cell in cells]
                    for way in DRAWN}, log='xy')
    return cells


def head(page, study):
    page.text('''This page compares three ways in which a search obtains rows of other ranks ([ranks.md](../../ranks.md) explains them)
on random graphs of %s vertices in which all vertices have about the same degree. Each rank has %s.

- *Replicas*: each rank has a copy of all rows. The bytes are computed: the rows that the ranks lack, with 4 bytes an entry, as if
  each rank were on a node of its own. Ranks of one node share one copy, so here hardly anything is sent.
- *Pull*: the owners send the rows that a rank lacks, coded as differences.
- *Push*: partial matches are sent to the owners of the rows that they need next, coded in groups.

*Three steps* are paths (a)-(b)-(c)-(d) from a fraction of the vertices; *triangles* close the path after two steps. All ways count
all matches one by one (`--count-by enumerate`). *Seconds* are those of planning, copying rows, kernels and exchange, the mean of the
ranks, without start, reading and compilation; *processor seconds* are those of all processes, with start and reading.'''
              % (format(study.vertices, ','), 'one device of this machine, which all ranks share'))


def tail(page):
    page.text('''## What follows

- Replicas cost the most bytes if ranks are on nodes of their own, and their kernels are the fastest. They pay if the rows fit into
  memory and the ranks of a node share a copy, or if the work is large beside the rows.
- Pull sends each row to each rank at most once, however many partial matches need it. So it wins if there are many pivots, and if a
  pattern closes cycles, since then push sends every candidate of a closing vertex.
- Push sends a partial match to a row and never the row. So it wins if rows are long and few partial matches need each of them: few
  pivots, several steps, no closing edges. With pivots everywhere the bytes of pull grow with the number of ranks, since each rank
  fetches nearly every row, and those of push approach a limit; but they begin higher.''')


def options(add):
    add.add_argument('--repeat', type=int, metavar='N', help='runs of each way in each cell (default: 2)')


def main():
    page = Page('exchange', 'When replicas, pull and push win', __doc__, options)
    small = page.options.small
    study = Study(page, 2000 if small else 50000, page.options.repeat or (1 if small else 2))
    few, degree, ranks = (100, 16, 2) if small else (1000, 32, 4)
    degrees = [4, 16] if small else [4, 8, 16, 32, 64, 128]
    fractions = [10, 1000] if small else [10, 100, 1000, 10000, 50000]
    counts = [1, 2, 3] if small else [1, 2, 4, 8, 16]
    head(page, study)
    page.text('## Density')
    sweep(study, 'Three steps from 1 of %s vertices, %d ranks' % (format(few, ','), ranks), 'density-steps', 'mean degree',
          degrees, [(d, STEPS, few, ranks) for d in degrees])
    if not small:  # push takes minutes for the triangles of the densest graph
        sweep(study, 'Triangles from all vertices, %d ranks' % ranks, 'density-triangles', 'mean degree', degrees[:-1],
              [(d, TRIANGLES, 1, ranks) for d in degrees[:-1]])
    page.text('## Selectivity')
    for kind, name in ((STEPS, 'selectivity-steps'), (TRIANGLES, 'selectivity-triangles')):
        sweep(study, '%s, mean degree %d, %d ranks' % (kind.capitalize(), degree, ranks), name, 'vertices for each pivot',
              fractions[-1:] if small else fractions,
              [(degree, kind, k, ranks) for k in (fractions[-1:] if small else fractions)])
    page.text('## Ranks')
    sweep(study, 'Three steps from 1 of %s vertices, mean degree %d' % (format(few, ','), degree), 'ranks-steps', 'ranks', counts,
          [(degree, STEPS, few, r) for r in counts])
    if not small:
        sweep(study, 'Triangles from all vertices, mean degree %d' % degree, 'ranks-triangles', 'ranks', counts,
              [(degree, TRIANGLES, 1, r) for r in counts])
    tail(page)
    page.write()


if __name__ == '__main__':
    main()
