"""Disjoint paths between two vertices of an undirected graph, of at most four edges: paths that have no vertex in common but
their two ends. If many of them join two words of one language, the words are likely to be synonyms.

For up to four edges the largest set is a largest flow (Menger 1927); for five and more the problem is NP-hard (Itai, Perl and
Shiloach 1982). Let C be the neighbours of both ends, A those of the first end alone, and B those of the last end alone.

- A path through a vertex of C can be replaced by the path of two edges through it, so every vertex of C makes a path.
- A path that visits A twice can begin at its second vertex of A, and a path that visits B twice can end at its first vertex of
  B. So the other paths lead from A to B by an edge, or through one vertex that is adjacent to neither end.

Hence the other paths are vertex-disjoint paths from A to B in a graph of three layers, and a largest set of them is a flow in
which every vertex has the capacity 1 (Ford and Fulkerson 1956)."""

SOURCE, SINK = 'source', 'sink'


def disjoint_paths(neighbours, first, last, edges=4):
    """Returns a largest set of disjoint paths of at most `edges` (2 to 4) edges, each as a list of vertices with both ends.
    `neighbours` maps a vertex to the set of its neighbours."""
    if not 2 <= edges <= 4:
        raise ValueError('the paths may have at most 2, 3 or 4 edges, not %d' % edges)
    of_first, of_last = neighbours[first] - {first, last}, neighbours[last] - {first, last}
    common = of_first & of_last
    inner = [[]] if last in neighbours[first] else []
    inner += [[vertex] for vertex in sorted(common)]
    if edges > 2:
        inner += flow(network(neighbours, of_first - common, of_last - common, common | {first, last}, edges > 3))
    return [[first, *path, last] for path in inner]


def network(neighbours, starts, ends, forbidden, through):
    """Returns the successors of each node. Every vertex is two nodes, so that only one path can use the step between them."""
    successors = {SOURCE: [], SINK: []}

    def add(vertex, targets):
        successors[vertex, 'in'] = [(vertex, 'out')]
        successors[vertex, 'out'] = targets

    for vertex in ends:
        add(vertex, [SINK])
    for start in sorted(starts):
        middle = neighbours[start] - forbidden - starts - ends if through else ()
        middle = sorted(vertex for vertex in middle if not ends.isdisjoint(neighbours[vertex]))
        for vertex in middle:
            if (vertex, 'in') not in successors:
                add(vertex, [(end, 'in') for end in sorted(neighbours[vertex] & ends)])
        add(start, [(vertex, 'in') for vertex in sorted(neighbours[start] & ends) + middle])
        successors[SOURCE].append((start, 'in'))
    return successors


def flow(successors):
    """Returns a largest set of disjoint paths from the source to the sink, without both. A step that a path uses is kept as a
    step backwards, by which a later path can undo it. The steps are keys of dictionaries, which keep their order."""
    residual = {node: dict.fromkeys(targets) for node, targets in successors.items()}
    while True:
        came, stack = {SOURCE: None}, [SOURCE]
        while stack and SINK not in came:
            node = stack.pop()
            for target in residual[node]:
                if target not in came:
                    came[target] = node
                    stack.append(target)
        if SINK not in came:
            break
        node = SINK
        while node != SOURCE:
            del residual[came[node]][node]
            residual[node][came[node]] = None
            node = came[node]
    used = {node: [target for target in targets if target not in residual[node]] for node, targets in successors.items()}
    return [walk(used, node) for node in sorted(used[SOURCE])]


def walk(used, node):
    path = []
    while node != SINK:
        if node[1] == 'in':
            path.append(node[0])
        node, = used[node]
    return path
