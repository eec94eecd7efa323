/* Tests coordinates, distances and neighbours of units, on grids down to one unit. The reference tries all ways around
 * a toroid. */
#include "harness/harness.h"
#include "harness/som_reference.h"

#include "core/status.h"
#include "som/map/units.h"

#include <math.h>

static const uint32_t shapes[][2] = { { 1, 1 }, { 1, 5 }, { 5, 1 }, { 2, 2 }, { 2, 3 }, { 4, 1 },
	                                  { 4, 2 }, { 4, 3 }, { 3, 4 }, { 6, 7 }, { 7, 6 }, { 10, 4 } };

typedef void check(const gemp_som_grid *grid, const som_reference_map *map);

static void on_all_grids(check *see)
{
	for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
		for (int kind = 0; kind < 4; kind++) {
			bool hexagonal = kind & 1, toroid = kind >> 1;
			gemp_som_grid grid = { shapes[k][0], shapes[k][1], hexagonal ? GEMP_SOM_HEXAGONAL : GEMP_SOM_RECTANGULAR,
				                   toroid };
			som_reference_map map = { grid.rows, grid.columns, hexagonal, toroid };
			if (hexagonal && toroid && grid.rows % 2) {
				assert_code(gemp_som_grid_check(&grid), GEMP_EUSAGE);
				continue;
			}
			assert_ok(gemp_som_grid_check(&grid));
			see(&grid, &map);
		}
}

static void see_distances(const gemp_som_grid *grid, const som_reference_map *map)
{
	for (uint32_t a = 0; a < gemp_som_units(grid); a++)
		for (uint32_t b = 0; b < gemp_som_units(grid); b++) {
			double distance = gemp_som_distance(grid, a, b), expected = som_reference_apart(map, a, b);
			if (!(fabs(distance - expected) <= 1e-12 * (1 + expected)))
				fail_msg("%u x %u, %d %d: units %u and %u are %.17g apart, not %.17g", grid->rows, grid->columns,
				         (int)grid->lattice, (int)grid->toroid, a, b, distance, expected);
		}
}

/* Units are neighbours at distance 1 and, on rectangular grids, at a common corner. */
static void see_neighbours(const gemp_som_grid *grid, const som_reference_map *map)
{
	for (uint32_t a = 0; a < gemp_som_units(grid); a++) {
		uint32_t found[8];
		int count = gemp_som_neighbours(grid, a, found), at = 0;
		for (uint32_t b = 0; b < gemp_som_units(grid); b++) {
			double apart = som_reference_apart(map, a, b);
			bool beside = a != b && apart < 1.01, corner = a != b && !map->hexagonal && apart < 1.42;
			if (beside && (at == count || found[at++] != b))
				fail_msg("%u x %u, %d %d: unit %u is no neighbour of %u", grid->rows, grid->columns, (int)grid->lattice,
				         (int)grid->toroid, b, a);
			assert_true(gemp_som_adjacent(grid, a, b) == (beside || corner));
		}
		assert_int_equal(at, count);
	}
}

static void distances(void **state)
{
	(void)state;
	on_all_grids(see_distances);
}

static void neighbours(void **state)
{
	(void)state;
	on_all_grids(see_neighbours);
}

static void places(void **state)
{
	const gemp_som_grid rectangular = { 3, 4, GEMP_SOM_RECTANGULAR, false },
						hexagonal = { 3, 4, GEMP_SOM_HEXAGONAL, false };
	double x, y;
	(void)state;
	gemp_som_place(&rectangular, 7, &x, &y);
	assert_true(x == 3 && y == 1);
	gemp_som_place(&hexagonal, 7, &x, &y);
	assert_true(x == 3.5 && fabs(y - sqrt(3) / 2) < 1e-15);
	gemp_som_place(&hexagonal, 11, &x, &y);
	assert_true(x == 3 && fabs(y - sqrt(3)) < 1e-15);
}

static void refused(void **state)
{
	static const gemp_som_grid bad[] = { { 0, 5, GEMP_SOM_RECTANGULAR, false },
		                                 { 5, 0, GEMP_SOM_HEXAGONAL, true },
		                                 { 65536, 65536, GEMP_SOM_RECTANGULAR, false },
		                                 { 1, 16777217, GEMP_SOM_RECTANGULAR, false },
		                                 { 3, 4, GEMP_SOM_HEXAGONAL, true } };
	const gemp_som_grid large = { 65536, 32767, GEMP_SOM_RECTANGULAR, true };
	(void)state;
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
		assert_code(gemp_som_grid_check(&bad[k]), GEMP_EUSAGE);
	assert_ok(gemp_som_grid_check(&large));
	assert_true(gemp_som_distance(&large, 0, 32766) == 1);
}

/* The comparison detects a wrong grid: a toroid is not planar, and a hexagonal grid is not rectangular. */
static void spoilt(void **state)
{
	const gemp_som_grid grid = { 6, 6, GEMP_SOM_RECTANGULAR, false };
	const som_reference_map toroid = { 6, 6, false, true }, hexagonal = { 6, 6, true, false };
	(void)state;
	assert_false(fabs(gemp_som_distance(&grid, 0, 5) - som_reference_apart(&toroid, 0, 5)) < 1);
	assert_false(fabs(gemp_som_distance(&grid, 0, 6) - som_reference_apart(&hexagonal, 0, 12)) < 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances), cmocka_unit_test(neighbours), cmocka_unit_test(places),
		cmocka_unit_test(refused),   cmocka_unit_test(spoilt),
	};
	return test_main(tests);
}
