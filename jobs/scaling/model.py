"""A model of time against ranks, work, message size and partition count, fitted on measured runs.

    T(R) = serial + step * log2(R) + wait * max(0, R / places - 1)
         + (work + crowd * crowded) * max(1 / places, imbalance(R) / R) * W
         + round * rounds(R) * log2(R) + message * messages(R) / R + byte * bytes(R) / min(R, places)

The imbalance, rounds, messages and bytes of a run are measured. For other numbers of ranks these models predict them:

    imbalance(R) = 1 + spread * sqrt(2 ln R * R / vertices), at most R        the largest of R sums of random pivots
    bytes(R, P)  = (crossing * work + copies * edges * (R - 1)) * (1 - 1 / P)  partial matches; rows held twice
    rounds(R)    = rounds + filling * bytes / (R * (R - 1) * room)          one outbox for each destination, with `room` entries
    messages(R)  = (few + many * (R - 1)) * R * rounds(R)                   messages to ranks for which there are entries

W is the work of the graph. P, the partition count, is the number of parts of the graph, which is R times the number of parts
that a rank processes one after another. `places` is the number of ranks that can run at the same time: the cores divided by
the cores of a rank, or the GPUs. If there are more ranks, the term `wait` separates the cost of waiting for a core from the
cost of messages. `crowded` says how full the host is, from 0 (one rank) to 1 (all places taken), since neighbouring ranks
share memory and the hardware threads of a core.

All coefficients are at least 0 and come from least squares on relative errors. Standard library only.
"""
import itertools
import math

COEFFICIENTS = ['serial', 'step', 'wait', 'work', 'crowd', 'round', 'message', 'byte']
UNITS = {'serial': 's', 'step': 's for each doubling of the ranks',
         'wait': 's for each further rank on a place', 'work': 's for a unit of work',
         'crowd': 's more for a unit of work on a full host',
         'round': 's for a round and doubling', 'message': 's for a message', 'byte': 's for a byte'}
ASSUMPTIONS = [
    'parts are random: pivots cost what they cost, independent of the part, and a partial match stays where it is with '
    'probability 1/P',
    'the work of a graph is the same for every number of ranks (entries of rows that the search reads, where the '
    'profile tells)',
    'bytes leave all ranks at the same rate: no contention within the network, none between nodes',
    'a round costs one reduction, which grows with log2(R), and messages to partners one after the other',
    'every rank that is predicted has a place of its own on full hosts like this one, and the latency and bandwidth '
    'seen here, which for ranks on one host are those of shared memory; --latency and --bandwidth state others',
    'pivots stay with the rank that owns them; what hands them out anew makes the imbalance smaller than this',
]


def solve(matrix, right):
    """Solves a linear system by Gaussian elimination with pivots. Returns None if the matrix is singular."""
    n = len(right)
    rows = [list(matrix[i]) + [right[i]] for i in range(n)]
    scale = max((abs(v) for row in matrix for v in row), default=0) or 1
    for i in range(n):
        best = max(range(i, n), key=lambda r: abs(rows[r][i]))
        if abs(rows[best][i]) < 1e-12 * scale:
            return None
        rows[i], rows[best] = rows[best], rows[i]
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    found = [0.0] * n
    for i in reversed(range(n)):
        found[i] = (rows[i][n] - sum(rows[i][j] * found[j] for j in range(i + 1, n))) / rows[i][i]
    return found


def worth(wrong, points, terms):
    """Returns Akaike's criterion for few points; smaller is better. It rejects terms that explain no more than noise. It is
    infinite if there are too few points for the number of terms."""
    spare = points - terms - 1
    if spare <= 0:
        return math.inf
    return points * math.log(max(wrong / points, 1e-24)) + 2 * terms + 2 * terms * (terms + 1) / spare


def least_squares(rows, values, always=()):
    """Returns coefficients >= 0 that minimise the squares of relative errors, with as few terms as the values justify.

    There are few terms, so all subsets are tried. Columns are scaled, since bytes and seconds differ by orders of
    magnitude. The terms `always`, if they occur, need no justification; they are removed only if they would be
    negative. If there are too few values to compare, the result has as few terms as possible, the best ones."""
    weighted = [[x / abs(y) for x in row] for row, y in zip(rows, values) if y]
    terms = len(rows[0]) if rows else 0
    size = [math.sqrt(sum(row[t] ** 2 for row in weighted)) for t in range(terms)]
    usable = [t for t in range(terms) if size[t] > 0]
    best, least = [0.0] * terms, (math.inf,) * 4
    for count in range(1, len(usable) + 1):
        for chosen in itertools.combinations(usable, count):
            columns = [[row[t] / size[t] for t in chosen] for row in weighted]
            normal = [[sum(c[i] * c[j] for c in columns) for j in range(count)] for i in range(count)]
            found = solve(normal, [sum(c[i] for c in columns) for i in range(count)])
            if not found or min(found) < 0:
                continue
            wrong = sum((1 - sum(f * v for f, v in zip(found, c))) ** 2 for c in columns)
            rank = (len(set(always) & set(usable) - set(chosen)), worth(wrong, len(weighted), count), count, wrong)
            if rank < least:
                least, best = rank, [0.0] * terms
                for t, f in zip(chosen, found):
                    best[t] = f / size[t]
    return best


class Run:
    """One measured run: its parameters and its results."""

    def __init__(self, ranks, seconds=None, work=1.0, edges=1.0, vertices=1.0, parts=None, room=1.0, places=None,
                 imbalance=1.0, rounds=1.0, messages=0.0, bytes=0.0, crowded=0.0):
        self.ranks, self.seconds, self.work, self.edges, self.vertices = ranks, seconds, work, edges, vertices
        self.parts, self.room, self.places = parts or ranks, room, places or ranks
        self.imbalance, self.rounds, self.messages, self.bytes = imbalance, rounds, messages, bytes
        self.crowded = crowded


def ratio_of(top, bottom):
    return top / bottom if bottom else 0.0


class Model:
    def __init__(self):
        self.spread, self.crossing, self.copies = 0.0, 0.0, 0.0
        self.rounds, self.filling, self.few, self.many = 1.0, 0.0, 0.0, 0.0
        self.coefficients = dict.fromkeys(COEFFICIENTS, 0.0)

    # Models of imbalance, rounds, messages and bytes
    @staticmethod
    def luck(run):
        """Returns the expected excess of the largest of R random sums over their mean, for a spread of 1."""
        return math.sqrt(2 * math.log(run.ranks) * run.ranks / run.vertices) if run.ranks > 1 else 0.0

    @staticmethod
    def away(run):
        """Returns the probability that a row is in another part."""
        return 1 - 1 / run.parts

    def expect(self, run):
        """Returns a run with this number of ranks on this graph, with its expected imbalance, rounds, messages and bytes."""
        ranks, away = run.ranks, self.away(run)
        sent = (self.crossing * run.work + self.copies * run.edges * (ranks - 1)) * away if ranks > 1 else 0.0
        rounds = self.rounds + self.filling * ratio_of(sent, ranks * (ranks - 1) * run.room)
        messages = (self.few + self.many * (ranks - 1)) * ranks * rounds if ranks > 1 else 0.0
        return Run(ranks, None, run.work, run.edges, run.vertices, run.parts, run.room, run.places,
                   min(ranks, 1 + self.spread * self.luck(run)), rounds, messages, sent, run.crowded)

    def fit_doings(self, runs):
        """Fits the models of imbalance, rounds, messages and bytes to the measured values of runs."""
        together = [r for r in runs if r.ranks > 1]
        self.spread = max(0.0, ratio_of(sum(self.luck(r) * (r.imbalance - 1) for r in together),
                                        sum(self.luck(r) ** 2 for r in together)))
        self.crossing, self.copies = least_squares(
            [[r.work * self.away(r), r.edges * (r.ranks - 1) * self.away(r)] for r in together],
            [r.bytes for r in together]) if together else (0.0, 0.0)
        self.rounds, self.filling = least_squares(
            [[1.0, ratio_of(r.bytes, r.ranks * (r.ranks - 1) * r.room)] for r in runs], [r.rounds for r in runs])
        self.few, self.many = least_squares(
            [[r.ranks * r.rounds, r.ranks * (r.ranks - 1) * r.rounds] for r in together],
            [r.messages for r in together]) if together else (0.0, 0.0)

    # The model of the time
    @staticmethod
    def terms(run):
        doubling, share = math.log2(run.ranks), run.work * max(1 / run.places, run.imbalance / run.ranks)
        return [1.0, doubling, max(0.0, run.ranks / run.places - 1), share, share * run.crowded, run.rounds * doubling,
                run.messages / run.ranks, run.bytes / min(run.ranks, run.places)]

    def fit(self, runs):
        """Fits the costs to the measured results of runs. Predictions use the expected results."""
        self.fit_doings(runs)
        found = least_squares([self.terms(r) for r in runs], [r.seconds for r in runs],
                              [COEFFICIENTS.index(name) for name in ('serial', 'wait', 'work')])
        self.coefficients = dict(zip(COEFFICIENTS, found))
        return self

    def state(self, latency=None, bandwidth=None):
        """Replaces the network by another network with this latency in seconds and this bandwidth in bytes per second and rank."""
        if latency is not None:
            self.coefficients['round'] = self.coefficients['message'] = latency
        if bandwidth is not None:
            self.coefficients['byte'] = 1 / bandwidth

    def parts_of(self, run):
        """Returns the expected seconds of each term."""
        return {name: self.coefficients[name] * term
                for name, term in zip(COEFFICIENTS, self.terms(self.expect(run)))}

    def seconds(self, run):
        return sum(self.parts_of(run).values())

    def error(self, run):
        """Returns the error of the prediction relative to the measured seconds."""
        return self.seconds(run) / run.seconds - 1

    def as_dict(self):
        names = ['spread', 'crossing', 'copies', 'rounds', 'filling', 'few', 'many']
        return {'coefficients': self.coefficients, 'doings': {name: getattr(self, name) for name in names}}
