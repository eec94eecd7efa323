"""Repeats the published experiment on self-organising maps.

A series of articles trained a map of 200 x 200 units on 12,000 vectors of 12 values for 500 epochs, first on one core and then on a
GPU. Their data are not public, so this script makes vectors in clusters of 12 dimensions, the same in every run. It trains the
map, measures the errors, the time of an epoch and the time to find the best unit of one vector, and draws the map."""
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


def distinct_epochs(report, count):
    """Returns some epochs of the training, evenly spread, with the first and the last."""
    epochs = report['epochs']
    return [epochs[i * (len(epochs) - 1) // (count - 1)] for i in range(count)]


def write_time(page, report, all_vectors, one):
    epochs = SOM['epochs']
    here = report['seconds_per_epoch']
    page.text('''## Time

Published are an epoch of about %g s, and %g hours for %d epochs on one core (both in the articles; %g hours would be %.3g s an epoch).
The best unit of one vector took %g ms in C++ and %g ms in F#. Here a search for one vector includes the copy of the vector to the
device and of the result back; in the search for all vectors the device works on many vectors at a time.'''
              % (SOM['epoch'], SOM['hours'], epochs, SOM['hours'], 3600 * SOM['hours'] / epochs,
                 1e3 * SOM['best_unit_cpp'], 1e3 * SOM['best_unit_fsharp']))
    page.compare([('one epoch', SOM['epoch'], here),
                  ('%d epochs' % epochs, 3600 * SOM['hours'], report['train_seconds'] if len(report['epochs']) == epochs else epochs * here),
                  ('best unit of one vector, published in C++', SOM['best_unit_cpp'], one['search_seconds']),
                  ('best unit of one vector, published in F#', SOM['best_unit_fsharp'], one['search_seconds']),
                  ('best unit of a vector, all vectors at a time', SOM['best_unit_cpp'],
                   all_vectors['search_seconds'] / all_vectors['vectors'])])


def write_quality(page, report, online):
    page.text('''## Quality

The quantisation error is the mean distance of a vector to its best unit. The topographic error is the share of vectors whose second-best
unit is not beside the best one. During the training both are measured with the map before the epoch. The radius shrinks from half
of the map to one unit, so at the end each vector moves few units, and a map with more units than vectors folds.''')
    page.table(['epoch', 'radius', 'quantisation error', 'topographic error'],
               [[epoch['epoch'] + 1, epoch['radius'], epoch['quantisation_error'], epoch['topographic_error']]
                for epoch in distinct_epochs(report, 9)])
    page.table(['training', 'epochs', 'quantisation error', 'topographic error', 'seconds an epoch', 'whole process (s)'],
               [[name, len(run['epochs']), run['quantisation_error'], run['topographic_error'], run['seconds_per_epoch'],
                 run['process_seconds']] for name, run in (('batch', report), ('online (one vector after the other)', online))])
    page.lines('errors', 'epoch', 'error', [epoch['epoch'] + 1 for epoch in report['epochs']],
               {'quantisation error': [epoch['quantisation_error'] for epoch in report['epochs']],
                'topographic error': [epoch['topographic_error'] for epoch in report['epochs']]})


def write_pictures(page, trained, units):
    """Draws the map. PNGs stay small however many units the map has."""
    page.text('## Pictures')
    pictures = [('u-matrix', ['--show', 'umatrix', '--labels', units],
                 'The U-matrix: the distance of each unit to its neighbours, with the cluster of its vectors'),
                ('hits', ['--show', 'hits'], 'The number of vectors of each unit'),
                ('planes', ['--show', 'planes'], 'A plane for each value of the vectors')]
    for name, options, caption in pictures:
        picture = page.path(name + '.png')
        page.gemp('som', 'draw', trained, *options, '-o', picture)
        page.image(picture, caption)


def main():
    page = Page('som', 'Self-organising maps', __doc__)
    small = page.options.small
    count, rows, columns, epochs = (600, 20, 20, 20) if small else (SOM['vectors'], SOM['rows'], SOM['columns'], SOM['epochs'])
    vectors, one = write_vectors(page, count, SOM['dimensions'])
    size, trained = '%dx%d' % (rows, columns), page.path('map.h5')
    report = page.gemp('som', 'train', vectors, '--size', size, '--epochs', epochs, '-o', trained)
    online = page.gemp('som', 'train', vectors, '--size', size, '--epochs', 20, '--training', 'online', '-o', page.path('online.h5'))
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
