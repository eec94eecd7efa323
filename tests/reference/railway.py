"""The six queries of the Train Benchmark (Transformation Tool Contest 2015) as SQL, and generated data of the same
shape.

configs/train-benchmark has the program's queries. A route follows switch positions, is defined by sensors, and has
an entry and an exit semaphore. Tracks (segments, switches) connect to tracks and are watched by sensors."""
import random

LABELS = ['Route', 'Semaphore', 'SwitchPosition', 'Switch', 'Segment', 'Sensor']
TYPES = ['entry', 'exit', 'follows', 'switch', 'definedBy', 'sensor', 'connectsTo']
HEADER = ['id', 'type', 'length:int', 'position:string', 'signal:string']

SQL = {
    'PosLength': (
        'SELECT id, length FROM Segment WHERE length <= 0'),
    'SwitchSensor': (
        'SELECT id FROM Switch WHERE NOT EXISTS (SELECT 1 FROM edge_sensor s JOIN Sensor ON Sensor.id = s.dst '
        'WHERE s.src = Switch.id)'),
    'RouteSensor': (
        'SELECT r.id, se.id, p.id, w.id FROM Route r JOIN edge_follows f ON f.src = r.id '
        'JOIN SwitchPosition p ON p.id = f.dst '
        'JOIN edge_switch x ON x.src = p.id JOIN Switch w ON w.id = x.dst JOIN edge_sensor s ON s.src = w.id '
        'JOIN Sensor se ON se.id = s.dst '
        'WHERE NOT EXISTS (SELECT 1 FROM edge_definedBy d WHERE d.src = r.id AND d.dst = se.id)'),
    'SemaphoreNeighbor': (
        'SELECT x.dst, x.src, d2.src, d1.dst, d2.dst, c.src, c.dst FROM edge_exit x '
        'JOIN edge_definedBy d1 ON d1.src = x.src '
        'JOIN edge_sensor s1 ON s1.dst = d1.dst JOIN edge_connectsTo c ON c.src = s1.src '
        'JOIN edge_sensor s2 ON s2.src = c.dst JOIN edge_definedBy d2 ON d2.dst = s2.dst '
        'WHERE x.src <> d2.src AND NOT EXISTS (SELECT 1 FROM edge_entry e WHERE e.src = d2.src AND e.dst = x.dst)'),
    'SwitchSet': (
        'SELECT h.id, r.src, p.id, w.id, w.position, p.position FROM Semaphore h JOIN edge_entry r ON r.dst = h.id '
        'JOIN edge_follows f ON f.src = r.src JOIN SwitchPosition p ON p.id = f.dst JOIN edge_switch x ON x.src = p.id '
        "JOIN Switch w ON w.id = x.dst WHERE h.signal = 'GO' AND w.position <> p.position"),
    'ConnectedSegments': (
        'SELECT a.dst, s1.id, s2.id, s3.id, s4.id, s5.id, s6.id FROM edge_sensor a JOIN Segment s1 ON s1.id = a.src ' +
        ' '.join('JOIN edge_connectsTo c%d ON c%d.src = s%d.id JOIN Segment s%d ON s%d.id = c%d.dst '
                 'JOIN edge_sensor m%d ON m%d.src = s%d.id AND m%d.dst = a.dst' %
                 (i, i, i, i + 1, i + 1, i, i, i, i + 1, i)
                 for i in range(1, 6))),
}


class Railway:
    """Generates routes in a ring. Each kind of error has the given probability: a missing edge, a wrong position, a
    length of at most 0."""

    def __init__(self, seed, routes=8, chance=0.1):
        self.rng, self.chance = random.Random(seed), chance
        self.vertices, self.edges = [], []
        lights = ['GO', 'GO', 'STOP', 'FAILURE']
        signals = [self.vertex('Semaphore', signal=self.rng.choice(lights)) for _ in range(routes)]
        first = last = None
        for i in range(routes):
            begin, last = self.route(signals[i], signals[(i + 1) % routes], last)
            first = first or begin
        self.edge(last, first, 'connectsTo')

    def vertex(self, kind, length=None, position=None, signal=None):
        self.vertices.append([len(self.vertices) + 1, kind, length, position, signal])
        return len(self.vertices)

    def edge(self, source, target, kind, chance=None):
        if self.rng.random() >= (self.chance if chance is None else chance):
            self.edges.append([source, target, kind])

    def route(self, entry, leaves, before):
        rng, route, first = self.rng, self.vertex('Route'), None
        self.edge(route, entry, 'entry', self.chance / 3)
        self.edge(route, leaves, 'exit', self.chance / 3)
        for _ in range(rng.randint(2, 4)):
            sensor = self.vertex('Sensor')
            self.edge(route, sensor, 'definedBy')
            track = []
            position = rng.choice(['STRAIGHT', 'LEFT', 'RIGHT'])
            switch = self.vertex('Switch', position=position)
            wrong = rng.random() < self.chance
            at = self.vertex('SwitchPosition', position=rng.choice(['STRAIGHT', 'DIVERGING']) if wrong else position)
            self.edge(route, at, 'follows')
            self.edge(at, switch, 'switch', self.chance / 3)
            track.append(switch)
            for _ in range(rng.randint(3, 8)):
                length = rng.randint(-100, 0) if rng.random() < self.chance else rng.randint(1, 1000)
                track.append(self.vertex('Segment', length=length))
            for piece in track:
                self.edge(piece, sensor, 'sensor', self.chance / 2)
                if rng.random() < self.chance / 2:
                    self.edge(piece, rng.choice([s[0] for s in self.vertices if s[1] == 'Sensor']), 'sensor', 0)
                if before:
                    self.edge(before, piece, 'connectsTo', self.chance / 4)
                first, before = first or piece, piece
        return first, before


def plain_counts(vertices, edges):
    """Computes the same counts from dictionaries, to check the SQL."""
    header = vertices[0]
    row = {line[0]: dict(zip(header, line)) for line in vertices[1:]}
    out, into = {t: {} for t in TYPES}, {t: {} for t in TYPES}
    for source, target, kind in edges[1:]:
        out[kind].setdefault(source, []).append(target)
        into[kind].setdefault(target, []).append(source)

    def of(label):
        return [v for v in row if row[v]['type'] == label]

    def is_a(v, label):
        return row[v]['type'] == label

    def switches(route):
        return [(at, sw) for at in out['follows'].get(route, []) if is_a(at, 'SwitchPosition')
                for sw in out['switch'].get(at, []) if is_a(sw, 'Switch')]

    def segments(first, sensor, length):
        """Returns the number of walks over this many segments of one sensor."""
        if not is_a(first, 'Segment'):
            return 0
        seen = out['sensor'].get(first, []).count(sensor)
        if length == 1 or not seen:
            return seen
        return seen * sum(segments(after, sensor, length - 1) for after in out['connectsTo'].get(first, []))
    neighbours = 0
    for one in of('Route'):
        for exit_semaphore in out['exit'].get(one, []):
            tracks = [t for s in out['definedBy'].get(one, []) for t in into['sensor'].get(s, [])]
            others = [r for t in tracks for after in out['connectsTo'].get(t, []) for s in out['sensor'].get(after, [])
                      for r in into['definedBy'].get(s, [])]
            neighbours += sum(r != one and exit_semaphore not in out['entry'].get(r, []) for r in others)
    return {
        'PosLength': sum(row[v]['length'] != '' and int(row[v]['length']) <= 0 for v in of('Segment')),
        'SwitchSensor': sum(not any(is_a(s, 'Sensor') for s in out['sensor'].get(v, [])) for v in of('Switch')),
        'RouteSensor': sum(s not in out['definedBy'].get(r, []) for r in of('Route') for _, sw in switches(r)
                           for s in out['sensor'].get(sw, []) if is_a(s, 'Sensor')),
        'SemaphoreNeighbor': neighbours,
        'SwitchSet': sum(row[at]['position'] != row[sw]['position'] for r in of('Route')
                         for s in out['entry'].get(r, []) if row[s]['signal'] == 'GO'
                         for at, sw in switches(r) if row[at]['position'] and row[sw]['position']),
        'ConnectedSegments': sum(segments(v, s, 6) for v in of('Segment') for s in set(out['sensor'].get(v, []))),
    }
