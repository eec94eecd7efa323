"""Compares the queries of the Train Benchmark with SQL, on the sizes that are there or on generated data.

    train_benchmark.py [--seed N] [--ranks N] [--sizes 1,16] [--only TEXT]

A missing size is left out. If all sizes are missing, or --sizes is empty, the data are generated from the seed."""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from railway import HEADER, LABELS, SQL, TYPES, Railway, plain_counts
from reference import SHARED, need_program, work_folder
from relational import Comparison, Relational, example, imported, read_table, write_table


def relational(vertices, edges):
    base = Relational(vertices, edges, ['length'])
    base.lacks(*LABELS, *('edge_' + t for t in TYPES))
    return base


def made(comparison, seed, ranks, only):
    railway = Railway(seed)
    files = [os.path.join(comparison.folder, name) for name in ('vertices.tsv', 'edges.tsv')]
    write_table(files[0], HEADER, railway.vertices)
    write_table(files[1], ['src', 'dst', 'type'], railway.edges)
    graph = imported(*files, os.path.join(comparison.folder, 'made.h5'))
    tables = list(map(read_table, files))
    tables[0][0] = [c.split(':')[0] for c in HEADER]
    base, plain = relational(*tables), plain_counts(*tables)
    for name, sql in SQL.items():
        if only in name:
            expected = base.rows(sql)
            if (not expected and seed == 7) or len(expected) != plain[name]:
                raise SystemExit('FAILED: seed %d: %s: %d by SQL, %d by dictionaries' %
                                 (seed, name, len(expected), plain[name]))
            query = example('train-benchmark/' + name)
            comparison.compare('made, seed %d: %s' % (seed, name), graph, query, expected, ranks)


def known_counts():
    """Returns {(size, query): count} on which several systems agree."""
    path = os.path.join(SHARED, 'oracles', 'railway.tsv')
    if not os.path.exists(path):
        return {}
    header, *rows = read_table(path)
    return {(row[0], name): int(count) for row in rows for name, count in zip(header[1:], row[1:])}


def real(comparison, size, ranks, only):
    folder = os.path.join(SHARED, 'data', 'railway', 'size' + size)
    files = [os.path.join(folder, name) for name in ('vertices.tsv.zst', 'edges.tsv.zst')]
    if not all(map(os.path.exists, files)):
        print('size %s is not there' % size)
        return False
    graph = imported(*files, os.path.join(comparison.folder, 'size%s.h5' % size))
    tables = list(map(read_table, files))
    base, plain, known = relational(*tables), plain_counts(*tables), known_counts()
    for name, sql in SQL.items():
        if only not in name:
            continue
        expected = base.rows(sql)
        if not len(expected) == plain[name] == known.get((size, name), plain[name]):
            comparison.failures += 1
            print('FAILED: size %s, %s: %d by SQL, %d by dictionaries, known are %s' %
                  (size, name, len(expected), plain[name], known.get((size, name))))
        comparison.compare('size %s: %s' % (size, name), graph, example('train-benchmark/' + name), expected, ranks)
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=7)
    parser.add_argument('--ranks', type=int, default=2)
    parser.add_argument('--sizes', default='1,16')
    parser.add_argument('--only', default='')
    arguments = parser.parse_args()
    need_program()
    comparison = Comparison(work_folder())
    sizes = arguments.sizes.split(',') if arguments.sizes else []
    if not any([real(comparison, size, arguments.ranks, arguments.only) for size in sizes]):
        made(comparison, arguments.seed, arguments.ranks, arguments.only)
    return comparison.end()


if __name__ == '__main__':
    sys.exit(main())
