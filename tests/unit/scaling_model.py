"""Tests jobs/scaling/model.py: least squares recovers the coefficients from which times were made, with and without
noise."""
import math
import os
import random
import sys
import unittest

TOP = os.environ.get('GEMP_SOURCE_DIR') or os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
sys.path.insert(0, os.path.join(TOP, 'jobs/scaling'))
sys.dont_write_bytecode = True
import model  # noqa: E402

COSTS = {'serial': 0.3, 'step': 0.02, 'wait': 0.05, 'work': 2e-8, 'crowd': 1e-8, 'round': 1e-4, 'message': 3e-5, 'byte': 5e-9}


def truth():
    made = model.Model()
    made.spread, made.crossing, made.copies = 3.0, 0.2, 8.0
    made.rounds, made.filling, made.few, made.many = 4.0, 2.0, 0.5, 0.5
    made.coefficients = dict(COSTS)
    return made


def runs(made, noise=0.0, places=None, seed=1):
    """Returns runs on graphs of four sizes with two message sizes and 1 to 16 ranks."""
    draw, found = random.Random(seed), []
    for size in (1, 2, 4, 8):
        for room in (256e3, 4096e3):
            for ranks in (1, 2, 4, 8, 16):
                asked = model.Run(ranks, None, 1e8 * size, 1e6 * size, 1e5 * size, room=room, places=places,
                                  crowded=(min(ranks, places or 16) - 1) / ((places or 16) - 1))
                run = made.expect(asked)
                run.seconds = made.seconds(asked) * (1 + noise * draw.uniform(-1, 1))
                found.append(run)
    return found


class LeastSquares(unittest.TestCase):
    def test_solve(self):
        self.assertIsNone(model.solve([[1, 2], [2, 4]], [1, 2]))
        for got, wanted in zip(model.solve([[0, 2], [3, 1]], [4, 5]), [1, 2]):
            self.assertAlmostEqual(got, wanted)

    def test_never_negative(self):
        """The best line falls. A coefficient may not be negative, so the fit is a constant."""
        rows, values = [[1, x] for x in range(5)], [3 - 0.1 * x for x in range(5)]
        found = model.least_squares(rows, values)
        self.assertEqual(found[1], 0)
        self.assertAlmostEqual(found[0], 2.8, delta=0.1)

    def test_needless_terms(self):
        """The fit does not use a term only to explain noise."""
        draw = random.Random(5)
        rows = [[1, x, draw.random()] for x in range(1, 13)]
        found = model.least_squares(rows, [2 + 3 * x * (1 + draw.uniform(-1e-3, 1e-3)) for x in range(1, 13)])
        self.assertEqual(found[2], 0)
        self.assertAlmostEqual(found[1], 3, delta=0.02)

    def test_always(self):
        """From three values, the fit uses the two terms that are always present, and not another term that fits as
        well."""
        rows, values = [[1, 1 / r, math.log2(r)] for r in (1, 2, 4)], [5, 3.1, 1.9]
        found = model.least_squares(rows, values, [0, 1])
        self.assertGreater(min(found[:2]), 0)
        self.assertEqual(found[2], 0)

    def test_few_or_no_values(self):
        self.assertEqual(model.least_squares([], []), [])
        self.assertEqual(model.least_squares([[1, 2]], [0]), [0, 0])
        self.assertAlmostEqual(sum(f * x for f, x in zip(model.least_squares([[1, 2]], [4]), [1, 2])), 4)


class Scaling(unittest.TestCase):
    def test_recovers(self):
        made = truth()
        found = model.Model().fit(runs(made))
        for name, value in COSTS.items():
            if name == 'wait':  # no rank waits for a core in these runs
                continue
            self.assertAlmostEqual(found.coefficients[name] / value, 1, 6, name)
        for name, value in made.as_dict()['doings'].items():
            self.assertAlmostEqual(found.as_dict()['doings'][name] / value, 1, 6, name)

    def test_recovers_oversubscribed(self):
        found = model.Model().fit(runs(truth(), places=2))
        for name, value in COSTS.items():
            self.assertAlmostEqual(found.coefficients[name] / value, 1, 6, name)

    def test_noise(self):
        """With 3 % noise, predictions for twice the ranks are within 20 %. Predictions far beyond are less certain,
        because terms become alike."""
        for seed in range(5):
            found = model.Model().fit(runs(truth(), 0.03, seed=seed))
            for ranks, most in (32, 0.2), (1024, 0.6):
                far = model.Run(ranks, None, 8e8, 8e6, 8e5, room=256e3, crowded=1)
                self.assertAlmostEqual(found.seconds(far) / truth().seconds(far), 1, delta=most, msg='seed %d' % seed)

    def test_held_out(self):
        """Predicts a run that is not in the data and whose size, number of ranks and message size are not in it."""
        made, far = truth(), model.Run(48, None, 3e8, 3e6, 3e5, room=1e6)
        far.seconds = made.seconds(far)
        self.assertAlmostEqual(model.Model().fit(runs(made)).error(far), 0, 6)

    def test_shape(self):
        """One rank sends no bytes, more partitions send more bytes, and ranks beyond the cores bring no gain."""
        made = truth()
        self.assertEqual(made.parts_of(model.Run(1, work=1e8))['byte'], 0)
        wider = [made.expect(model.Run(4, work=1e8, edges=1e6, vertices=1e5, parts=p)).bytes for p in (4, 8, 64)]
        self.assertEqual(wider, sorted(set(wider)))
        self.assertEqual(made.terms(model.Run(8, work=8.0, places=2))[2:4], [3, 4])
        self.assertLessEqual(made.expect(model.Run(4096, vertices=10)).imbalance, 4096)

    def test_network(self):
        made = truth()
        made.state(latency=1e-6, bandwidth=1e10)
        self.assertEqual((made.coefficients['round'], made.coefficients['byte']), (1e-6, 1e-10))


if __name__ == '__main__':
    unittest.main()
