"""Compares nine queries over a social network under homomorphism with SQL, on a generated network and, with --data, on
networks of LSQB.

    social_network.py [--seed N] [--ranks N] [--people N] [--data example,sf0.003] [--only TEXT]"""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from reference import SHARED, need_program, work_folder
from relational import Comparison, Relational, example, imported, read_table, write_table
from social import LABELS, SQL, TYPES, VIEWS, Network


def compare(comparison, what, graph, vertices, edges, arguments):
    base = Relational(vertices, edges)
    base.lacks(*LABELS, *('edge_' + t for t in TYPES))
    for view in VIEWS:
        base.base.execute(view)
    for name, sql in SQL.items():
        if arguments.only in name:
            expected = base.rows(sql)
            if what.startswith('made') and expected[0][0] == '0':
                raise SystemExit('FAILED: %s: the data have no "%s"' % (what, name))
            query = example('social-network/' + name)
            comparison.compare('%s: %s' % (what, name), graph, query, expected, arguments.ranks, ('--semantics', 'hom'))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=7)
    parser.add_argument('--ranks', type=int, default=2)
    parser.add_argument('--people', type=int, default=70)
    parser.add_argument('--data', default='')
    parser.add_argument('--only', default='')
    arguments = parser.parse_args()
    need_program()
    comparison = Comparison(work_folder())
    network = Network(arguments.seed, arguments.people)
    tables = [[['id', 'type']] + network.vertices, [['src', 'dst', 'type']] + network.edges]
    files = [os.path.join(comparison.folder, name) for name in ('vertices.tsv', 'edges.tsv')]
    for file, table in zip(files, tables):
        write_table(file, table[0], table[1:])
    graph = imported(*files, os.path.join(comparison.folder, 'made.h5'))
    compare(comparison, 'made, seed %d' % arguments.seed, graph, *map(read_table, files), arguments)
    for name in arguments.data.split(',') if arguments.data else []:
        files = [os.path.join(SHARED, 'data', 'lsqb', name, f) for f in ('vertices.tsv.zst', 'edges.tsv.zst')]
        if not all(map(os.path.exists, files)):
            print('%s is not there' % name)
            continue
        graph = imported(*files, os.path.join(comparison.folder, name + '.h5'))
        compare(comparison, name, graph, *map(read_table, files), arguments)
    return comparison.end()


if __name__ == '__main__':
    sys.exit(main())
