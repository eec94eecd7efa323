"""Nine queries over a social network as SQL, and a generated network. configs/social-network has the program's queries.

The network has people who know one another, forums with posts, replies and likes, tags and places. Its shape is that
of the Labelled Subgraph Query Benchmark (LSQB)."""
import random

LABELS = ['Person', 'Forum', 'Post', 'Comment', 'Tag', 'TagClass', 'City', 'Country']
TYPES = ['isPartOf', 'isLocatedIn', 'hasMember', 'containerOf', 'replyOf', 'hasTag', 'hasType', 'knows', 'hasCreator',
         'likes', 'hasInterest']
VIEWS = ['CREATE TEMP VIEW Message AS SELECT id FROM Post UNION ALL SELECT id FROM Comment',
         'CREATE TEMP VIEW knows AS SELECT src, dst FROM edge_knows UNION ALL '
         'SELECT dst, src FROM edge_knows WHERE src <> dst']

SQL = {
    '1-chain': (
        'SELECT count(*) FROM Country co JOIN edge_isPartOf a ON a.dst = co.id JOIN City ci ON ci.id = a.src '
        'JOIN edge_isLocatedIn b ON b.dst = ci.id JOIN Person p ON p.id = b.src JOIN edge_hasMember c ON c.dst = p.id '
        'JOIN Forum f ON f.id = c.src JOIN edge_containerOf d ON d.src = f.id JOIN Post m ON m.id = d.dst '
        'JOIN edge_replyOf e ON e.dst = m.id JOIN Comment r ON r.id = e.src JOIN edge_hasTag g ON g.src = r.id '
        'JOIN Tag t ON t.id = g.dst JOIN edge_hasType h ON h.src = t.id JOIN TagClass tc ON tc.id = h.dst'),
    '2-reply-of-a-friend': (
        'SELECT count(*) FROM edge_hasCreator a JOIN Comment c ON c.id = a.src JOIN Person p1 ON p1.id = a.dst '
        'JOIN edge_replyOf r ON r.src = c.id JOIN Post m ON m.id = r.dst JOIN edge_hasCreator b ON b.src = m.id '
        'JOIN Person p2 ON p2.id = b.dst JOIN knows k ON k.src = p1.id AND k.dst = p2.id'),
    '3-triangle-in-a-country': (
        'SELECT count(*) FROM Country c ' + ' '.join(
            'JOIN edge_isPartOf a%d ON a%d.dst = c.id JOIN City i%d ON i%d.id = a%d.src JOIN edge_isLocatedIn b%d '
            'ON b%d.dst = i%d.id JOIN Person p%d ON p%d.id = b%d.src' % ((n,) * 11) for n in (1, 2, 3)) +
        ' JOIN knows k ON k.src = p1.id AND k.dst = p2.id JOIN knows l ON l.src = p2.id AND l.dst = p3.id '
        'JOIN knows m ON m.src = p3.id AND m.dst = p1.id'),
    '4-star': (
        'SELECT count(*) FROM Message m JOIN edge_hasTag a ON a.src = m.id JOIN Tag t ON t.id = a.dst '
        'JOIN edge_hasCreator b ON b.src = m.id JOIN Person p ON p.id = b.dst JOIN edge_likes l ON l.dst = m.id '
        'JOIN Person q ON q.id = l.src JOIN edge_replyOf r ON r.dst = m.id JOIN Comment c ON c.id = r.src'),
    '5-other-tag': (
        'SELECT count(*) FROM edge_hasTag a JOIN Tag t1 ON t1.id = a.dst JOIN Message m ON m.id = a.src '
        'JOIN edge_replyOf r ON r.dst = m.id JOIN Comment c ON c.id = r.src JOIN edge_hasTag b ON b.src = c.id '
        'JOIN Tag t2 ON t2.id = b.dst WHERE t1.id <> t2.id'),
    '6-interests-two-steps-away': (
        'SELECT count(*) FROM knows a JOIN knows b ON b.src = a.dst JOIN edge_hasInterest i ON i.src = b.dst '
        'JOIN Tag t ON t.id = i.dst WHERE a.src <> b.dst'),
    '7-optional-likes-and-replies': (
        'SELECT count(*), count(q.id), count(c.id) FROM Message m JOIN edge_hasTag a ON a.src = m.id '
        'JOIN Tag t ON t.id = a.dst JOIN edge_hasCreator b ON b.src = m.id JOIN Person p ON p.id = b.dst '
        'LEFT JOIN (edge_likes l JOIN Person q ON q.id = l.src) ON l.dst = m.id '
        'LEFT JOIN (edge_replyOf r JOIN Comment c ON c.id = r.src) ON r.dst = m.id'),
    '8-tag-that-the-reply-has-not': (
        'SELECT count(*) FROM edge_hasTag a JOIN Tag t1 ON t1.id = a.dst JOIN Message m ON m.id = a.src '
        'JOIN edge_replyOf r ON r.dst = m.id JOIN Comment c ON c.id = r.src JOIN edge_hasTag b ON b.src = c.id '
        'JOIN Tag t2 ON t2.id = b.dst WHERE t1.id <> t2.id '
        'AND NOT EXISTS (SELECT 1 FROM edge_hasTag x WHERE x.src = c.id AND x.dst = t1.id)'),
    '9-interests-of-those-not-known': (
        'SELECT count(*) FROM knows a JOIN knows b ON b.src = a.dst JOIN edge_hasInterest i ON i.src = b.dst '
        'JOIN Tag t ON t.id = i.dst WHERE a.src <> b.dst '
        'AND NOT EXISTS (SELECT 1 FROM knows x WHERE x.src = a.src AND x.dst = b.dst)'),
}


class Network:
    def __init__(self, seed, people=70):
        rng = random.Random(seed)
        self.vertices, self.edges = [], []
        countries = self.some('Country', 3)
        cities = self.some('City', 8)
        classes = self.some('TagClass', 4)
        tags = self.some('Tag', 20)
        persons = self.some('Person', people)
        forums = self.some('Forum', people // 5)
        self.link('isPartOf', cities, countries, rng)
        self.link('hasType', tags, classes, rng)
        self.link('isLocatedIn', persons, cities, rng)
        circle = people // 5  # people know people of nearby numbers, so friends of friends are often friends
        near = {(i, min(people - 1, i + rng.randint(1, circle))) for i in range(people) for _ in range(4)}
        self.pairs('knows', near, persons)
        for person in persons:
            self.several('hasInterest', person, tags, rng, 4)
        messages = []
        for forum in forums:
            self.several('hasMember', forum, persons, rng, 12)
            for post in self.some('Post', rng.randint(0, 6)):
                self.edges.append([forum, post, 'containerOf'])
                messages.append((post, 'Post'))
        for comment in self.some('Comment', 2 * len(messages)):
            self.edges.append([comment, rng.choice(messages)[0], 'replyOf'])
            messages.append((comment, 'Comment'))
        for message, _ in messages:
            self.edges.append([message, rng.choice(persons), 'hasCreator'])
            self.several('hasTag', message, tags, rng, 3)
            for person in rng.sample(persons, rng.choice([0, 0, 1, 3])):
                self.edges.append([person, message, 'likes'])

    def some(self, label, count):
        begin = len(self.vertices)
        self.vertices += [[begin + i, label] for i in range(count)]
        return list(range(begin, begin + count))

    def link(self, kind, sources, targets, rng):
        self.edges += [[s, rng.choice(targets), kind] for s in sources]

    def several(self, kind, source, targets, rng, most):
        self.edges += [[source, t, kind] for t in rng.sample(targets, rng.randint(0, most))]

    def pairs(self, kind, pairs, people):
        self.edges += [[people[a], people[b], kind] for a, b in sorted(pairs) if a != b]
