/* Tests the smoothing of sums by the neighbourhood: every form of the kernels must agree with sums over all pairs of
 * units in double precision. */
#include "harness/harness.h"
#include "harness/som_reference.h"

#include "core/random.h"
#include "device/device.h"
#include "device/open.h"
#include "som/map/smooth.h"
#include "som/map/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static gemp_device *device;

enum { PLANES = 3 };

/* The number of rows is even, because a hexagonal toroid closes only then. */
static const uint32_t sizes[][2] = { { 6, 19 }, { 14, 5 } };

static bool is_near(const float *found, const double *expected, const double *most, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!(fabs(found[i] - expected[i]) <= 1e-5 * most[i] + 1e-30)) {
			fprintf(stderr, "value %zu: %.9g, not %.9g\n", i, found[i], expected[i]);
			return false;
		}
	return true;
}

static void check(const gemp_som_grid *grid, gemp_som_neighbourhood near, bool gpu, double radius, uint64_t *random)
{
	const uint32_t units = gemp_som_units(grid);
	const som_reference_map map = { grid->rows, grid->columns, grid->lattice == GEMP_SOM_HEXAGONAL, grid->toroid };
	const size_t count = (size_t)units * PLANES;
	float *from = calloc(count + GEMP_SOM_PADDING, sizeof *from), *to = calloc(count, sizeof *to);
	double *expected = calloc(count, sizeof *expected), *most = calloc(count, sizeof *most);
	gemp_som_smooth smooth;
	gemp_buffer before, after;
	for (size_t i = 0; i < count; i++)
		from[i] = gemp_random_below(random, 3) ? 0 : (float)(gemp_random_unit(random) * 2 - .5);
	for (uint32_t a = 0; a < units; a++)
		for (uint32_t b = 0; b < units; b++) {
			const double h = som_reference_weight(&map, (som_reference_near)near, a, b, radius);
			for (size_t k = 0; k < PLANES; k++) {
				expected[k * units + a] += h * from[k * units + b];
				most[k * units + a] += h * fabsf(from[k * units + b]);
			}
		}
	assert_ok(gemp_som_planes_new(&before, device, units, PLANES));
	assert_ok(gemp_som_planes_new(&after, device, units, PLANES));
	assert_ok(gemp_buffer_write(device, &before, 0, (count + GEMP_SOM_PADDING) * sizeof *from, from));
	assert_ok(gemp_som_smooth_new(&smooth, device, grid, near, PLANES, gpu));
	assert_ok(gemp_som_smooth_radius(&smooth, 1)); /* the tables of this earlier radius must leave no trace */
	assert_ok(gemp_som_smooth_run(&smooth, &before, &after));
	assert_ok(gemp_som_smooth_radius(&smooth, radius));
	assert_ok(gemp_som_smooth_run(&smooth, &before, &after));
	assert_ok(gemp_buffer_read(device, &after, 0, count * sizeof *to, to));
	if (!is_near(to, expected, most, count))
		fail_msg("%u x %u, lattice %d, toroid %d, neighbourhood %d, gpu %d, radius %g", grid->rows, grid->columns,
		         (int)grid->lattice, grid->toroid, (int)near, gpu, radius);
	const size_t spoilt = gemp_random_below(random, count);
	to[spoilt] += (float)(1e-3 * most[spoilt] + 1e-6);
	assert_false(is_near(to, expected, most, count));
	gemp_som_smooth_free(&smooth);
	gemp_buffer_free(&before, device);
	gemp_buffer_free(&after, device);
	free(from);
	free(to);
	free(expected);
	free(most);
}

static void check_grid(const gemp_som_grid *grid, uint64_t *random)
{
	/* On rectangular grids the radius is whole, so some units lie exactly at the radius. On hexagonal grids places are
	 * rounded, so no unit may lie near the radius. */
	const double radius = grid->lattice == GEMP_SOM_HEXAGONAL ? 2.3 + gemp_random_unit(random) * .3 : 5;
	for (int near = GEMP_SOM_GAUSSIAN; near <= GEMP_SOM_SQUARE; near++) {
		if (near == GEMP_SOM_SQUARE && grid->lattice == GEMP_SOM_HEXAGONAL)
			continue;
		for (int gpu = device->gpu; gpu < 2; gpu++)
			check(grid, (gemp_som_neighbourhood)near, gpu, radius, random);
	}
}

static void all_grids(void **state)
{
	uint64_t random = test_seed();
	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		const uint32_t *size = sizes[kind / 2 ^ kind % 2];
		check_grid(&(gemp_som_grid){ size[0], size[1], kind / 2 ? GEMP_SOM_HEXAGONAL : GEMP_SOM_RECTANGULAR, kind % 2 },
		           &random);
	}
}

/* Radii range from less than one step to more than the whole map; on toroids the neighbourhood crosses the edge. */
static void all_radii(void **state)
{
	static const double radii[] = { .3, 1, 1.5, 7, 1000 };
	uint64_t random = test_seed();
	(void)state;
	for (size_t k = 0; k < sizeof radii / sizeof *radii; k++) {
		check(&(gemp_som_grid){ 6, 5, GEMP_SOM_RECTANGULAR, true }, GEMP_SOM_BUBBLE, false, radii[k], &random);
		check(&(gemp_som_grid){ 1, 17, GEMP_SOM_RECTANGULAR, false }, GEMP_SOM_BUBBLE, false, radii[k], &random);
		check(&(gemp_som_grid){ 4, 3, GEMP_SOM_HEXAGONAL, true }, GEMP_SOM_BUBBLE, true, radii[k], &random);
	}
	check(&(gemp_som_grid){ 1, 1, GEMP_SOM_RECTANGULAR, true }, GEMP_SOM_GAUSSIAN, false, 2, &random);
}

static void open_device(void **state)
{
	(void)state;
	assert_ok(gemp_device_open(&device, NULL, 0, 1, 0));
}

static void close_device(void **state)
{
	(void)state;
	assert_int_equal(device->buffer_bytes, 0);
	gemp_device_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_device),
		cmocka_unit_test(all_grids),
		cmocka_unit_test(all_radii),
		cmocka_unit_test(close_device),
	};
	setenv("GEMP_CACHE_DIR", "", 1); /* without a cache, PoCL compiles only the launched kernels */
	return test_main(tests);
}
