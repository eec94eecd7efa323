"""Repeats the published experiment on self-organising maps.

A series of articles trained a map of 200 x 200 units on 12,000 vectors of 12 values for 500 epochs. The data of the articles
are not public, so this script makes vectors in clusters of 12 dimensions, the same in every run. It trains the map, measures the
errors, the time of an epoch and the time to find the best unit of one vector, and draws the map."""
import random

import published
from page import Page

SOM = published.SOM
CLUSTERS = 12


def write_vectors(page, count, dimensions):
    """Writes the vectors and, in a file of its own, one vector. Returns both paths. The names of rows are the clusters."""
    chance = random.Random(1)
    centres = [[chance.random() for _ in range(dimensions)] for _ in range(CLUSTERS)]
    header = 'name\t' + '\t'.join('x%d' % (d + 1) for d in range(dimensions)) + '\n'
    rows = []
    for number in range(count):
        cluster = number % CLUSTERS
        # clusters differ in spread, so the map gives them regions of different texture
        rows.append('%s\t' % 'ABCDEFGHIJKL'[cluster] + '\t'.join(
            '%.5f' % chance.gauss(centre, 0.02 + 0.01 * cluster) for centre in centres[cluster]) + '\n')
    for name, part in (('vectors.tsv', rows), ('one.tsv', rows[:1])):
        with open(page.path(name), 'w') as file:
            file.write(header + ''.join(part))
    return page.path('vectors.tsv'), page.path('one.tsv')


def some_epochs(report, count):
    """Returns some epochs of the training, evenly spread, with the first and the last."""
    epochs = report['epochs']
    return [epochs[i * (len(epochs) - 1) // (count - 1)] for i in range(min(count, len(epochs)))]


def middle_rows(page, units):
    """Writes a file with one row of `units` for each cluster, the row whose unit is nearest to the middle of the cluster's
    units. So the picture has one name for each cluster."""
    with open(units) as file:
        header, *lines = file.read().splitlines()
    clusters = {}
    for line in lines:
        key, _, x, y = line.split('\t')[:4]
        clusters.setdefault(key, []).append((float(x), float(y), line))
    chosen = []
    for rows in clusters.values():
        middle = [sum(row[axis] for row in rows) / len(rows) for axis in (0, 1)]
        chosen.append(min(rows, key=lambda row: (row[0] - middle[0]) ** 2 + (row[1] - middle[1]) ** 2)[2])
    with open(page.path('names.tsv'), 'w') as file:
        file.write('\n'.join([header] + chosen) + '\n')
    return page.path('names.tsv')


def write_time(page, report, all_vectors, one):
    epochs = SOM['epochs']
    here = report['seconds_per_epoch']
    training = report['train_seconds'] if len(report['epochs']) == epochs else epochs * here
    page.text('''## Time

Published are an epoch of about %g s, and %g hours for %d epochs on one core (both in the articles; %g hours would be %.3g s an
epoch). The best unit of one vector took %g ms in C++ and %g ms in F#. Here a search for one vector includes the copy of the
vector to the device and of the result back; in the search for all vectors the device works on many vectors at a time.'''
              % (SOM['epoch'], SOM['hours'], epochs, SOM['hours'], 3600 * SOM['hours'] / epochs,
                 1e3 * SOM['best_unit_cpp'], 1e3 * SOM['best_unit_fsharp']))
    page.compare([('one epoch', SOM['epoch'], here),
                  ('%d epochs' % epochs, 3600 * SOM['hours'], training),
                  ('best unit of one vector, published in C++', SOM['best_unit_cpp'], one['search_seconds']),
                  ('best unit of one vector, published in F#', SOM['best_unit_fsharp'], one['search_seconds']),
                  ('best unit of a vector, all vectors at a time', SOM['best_unit_cpp'],
                   all_vectors['search_seconds'] / all_vectors['vectors'])])


def write_quality(page, report, online):
    page.text('''## Quality

The quantisation error is the mean distance of a vector to its best unit. The topographic error is the share of vectors whose
second-best unit is not beside the best one. During the training both are measured with the map before the epoch. The radius
shrinks from half of the map to one unit: first the map learns where the clusters lie, and at the end each vector moves only
the units around its own. The articles do not state errors.''')
    page.table(['epoch', 'radius', 'quantisation error', 'topographic error'],
               [[epoch['epoch'] + 1, epoch['radius'], epoch['quantisation_error'], epoch['topographic_error']]
                for epoch in some_epochs(report, 9)])
    runs = (('batch', report), ('online (one vector after the other)', online))
    page.table(['training', 'epochs', 'quantisation error', 'topographic error', 'seconds an epoch', 'whole process (s)'],
               [[name, len(run['epochs']), run['quantisation_error'], run['topographic_error'], run['seconds_per_epoch'],
                 run['process_seconds']] for name, run in runs])
    shown = some_epochs(report, 40)
    page.lines('errors', 'epoch', 'error', [epoch['epoch'] + 1 for epoch in shown],
               {'quantisation error': [epoch['quantisation_error'] for epoch in shown],
                'topographic error': [epoch['topographic_error'] for epoch in shown]})


def write_pictures(page, trained, units):
    """Draws the map. PNGs stay small however many units the map has."""
    page.text('## Pictures')
    planes = [option for number in range(1, 5) for option in ('--show', 'x%d' % number)]
    pictures = [('u-matrix', ['--show', 'umatrix', '--labels', middle_rows(page, units)],
                 'The U-matrix: the distance of each unit to its neighbours, with the names of the clusters'),
                ('hits', ['--show', 'hits'], 'The number of vectors of each unit'),
                ('planes', planes, 'The planes of four of the twelve values of the vectors')]
    for name, options, caption in pictures:
        picture = page.path(name + '.png')
        page.gemp('som', 'draw', trained, *options, '-o', picture)
        page.image(picture, caption)


def main():
    page = Page('som', 'Self-organising maps', __doc__)
    small = page.options.small
    published_sizes = SOM['vectors'], SOM['rows'], SOM['columns'], SOM['epochs']
    count, rows, columns, epochs = (600, 20, 20, 20) if small else published_sizes
    vectors, one = write_vectors(page, count, SOM['dimensions'])
    size, trained = '%dx%d' % (rows, columns), page.path('map.h5')
    report = page.gemp('som', 'train', vectors, '--size', size, '--epochs', epochs, '-o', trained)
    online = page.gemp('som', 'train', vectors, '--size', size, '--epochs', 20, '--training', 'online',
                       '-o', page.path('online.h5'))
    units = page.path('units.tsv')
    everything = page.gemp('som', 'apply', trained, vectors, '-o', units, repeat=2)
    single = page.gemp('som', 'apply', trained, one, '-o', page.path('unit.tsv'), repeat=3)
    assert report['vectors'] == everything['vectors'] == count and single['vectors'] == 1 and len(report['epochs']) == epochs
    page.text(__doc__.split('\n\n', 1)[1])
    page.text('This page has %s vectors of %d values in %d clusters, %d x %d units and %d epochs.'
              % (format(count, ','), SOM['dimensions'], CLUSTERS, rows, columns, epochs))
    write_time(page, report, everything, single)
    write_quality(page, report, online)
    write_pictures(page, trained, units)
    page.write()


main()
