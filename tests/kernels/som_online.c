/* Tests online training, computed in strips and in tiles of several shapes. The units after the samples, taken in
 * order, must agree with the definition in double precision. */
#include "harness/harness.h"
#include "harness/som_reference.h"

#include "core/random.h"
#include "device/device.h"
#include "device/open.h"
#include "som/map/samples.h"
#include "som/map/search.h"
#include "som/map/smooth.h"
#include "som/map/units.h"
#include "som/train/unit_update.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static gemp_device *device;

enum { SAMPLES = 150 };

/* The settings of one training. */
typedef struct run {
	gemp_som_grid grid;
	gemp_som_neighbourhood near;
	uint32_t dims;
	bool missing;
	double radius;
	uint32_t slice; /* the maximum number of rows in a launch */
	gemp_som_online_shape shape;
} run;

/* Composes the affine maps of samples begin .. end - 1 with the maps that planes holds. If begin is 0, planes holds no
 * maps yet. */
static void run_part(const run *how, const float *x, const uint64_t *keys, size_t begin, size_t end,
                     gemp_som_smooth *smooth, const gemp_buffer *planes)
{
	gemp_som_samples samples;
	gemp_som_online online;
	gemp_buffer best;
	assert_ok(gemp_som_samples_reserve(&samples, device, end - begin, how->dims, how->missing));
	assert_ok(gemp_som_samples_fill(&samples, x + begin * how->dims, end - begin, NULL));
	assert_ok(gemp_buffer_new(&best, device, (end - begin) * sizeof *keys, keys + begin));
	assert_ok(gemp_som_online_new(&online, device, &samples, smooth, how->dims, &how->shape));
	for (uint32_t row = 0, end; row < how->grid.rows; row = end) { /* one launch for each slice */
		end = row + how->slice < how->grid.rows ? row + how->slice : how->grid.rows;
		assert_ok(gemp_som_online_run(&online, &samples, &best, smooth, .2, (gemp_som_values){ 0, how->dims },
		                              begin > 0, (gemp_som_rows){ row, end }, planes));
	}
	assert_ok(GEMP_CL(clFinish(device->queue)));
	gemp_som_online_free(&online);
	gemp_buffer_free(&best, device);
	gemp_som_samples_free(&samples);
}

static bool is_near(const float *planes, const double *before, const double *expected, const run *how)
{
	const uint32_t units = gemp_som_units(&how->grid);
	for (uint32_t u = 0; u < units; u++)
		for (uint32_t k = 0; k < how->dims; k++) {
			const double factor = planes[(size_t)(how->dims + (how->missing ? k : 0)) * units + u];
			const double found = factor * before[u * how->dims + k] + planes[(size_t)k * units + u];
			if (!(fabs(found - expected[u * how->dims + k]) <= 1e-5)) {
				fprintf(stderr, "unit %u, value %u: %.9g, not %.9g\n", u, k, found, expected[u * how->dims + k]);
				return false;
			}
		}
	return true;
}

static void check(const run *how, uint64_t *random)
{
	const uint32_t units = gemp_som_units(&how->grid), dims = how->dims;
	const som_reference_map map = { how->grid.rows, how->grid.columns, how->grid.lattice == GEMP_SOM_HEXAGONAL,
		                            how->grid.toroid };
	const size_t planes = gemp_som_planes(dims, how->missing) * (size_t)units;
	float *x = calloc(SAMPLES * dims, sizeof *x), *found = calloc(planes, sizeof *found);
	double *before = calloc((size_t)units * dims, sizeof *before), *after = calloc((size_t)units * dims, sizeof *after);
	uint64_t keys[SAMPLES];
	uint32_t unit[SAMPLES];
	gemp_som_smooth smooth;
	gemp_buffer buffer;
	for (size_t i = 0; i < SAMPLES; i++) {
		const bool none = how->missing && i % 41 == 7;
		unit[i] = none ? SOM_REFERENCE_NONE : (uint32_t)gemp_random_below(random, units);
		keys[i] = none ? GEMP_SOM_NO_KEY : (uint64_t)1 << 40 | unit[i];
		for (uint32_t k = 0; k < dims; k++)
			x[i * dims + k] = (float)gemp_random_unit(random);
		for (uint32_t k = 0; k < dims; k++) /* a sample that has a unit has at least one value */
			if (none || (how->missing && k && gemp_random_below(random, 4) == 0))
				x[i * dims + k] = NAN;
	}
	for (size_t k = 0; k < (size_t)units * dims; k++)
		before[k] = after[k] = gemp_random_unit(random);
	som_reference_online(&map, (som_reference_near)how->near, how->radius, .2, x, SAMPLES, dims, unit, after);
	assert_ok(gemp_som_planes_new(&buffer, device, units, gemp_som_planes(dims, how->missing)));
	assert_ok(gemp_som_smooth_new(&smooth, device, &how->grid, how->near, 0, false));
	assert_ok(gemp_som_smooth_radius(&smooth, how->radius));
	const size_t middle = 1 + gemp_random_below(random, SAMPLES - 1);
	run_part(how, x, keys, 0, middle, &smooth, &buffer);
	run_part(how, x, keys, middle, SAMPLES, &smooth, &buffer);
	assert_ok(gemp_buffer_read(device, &buffer, 0, planes * sizeof *found, found));
	if (!is_near(found, before, after, how))
		fail_msg(
			"%u x %u, lattice %d, toroid %d, neighbourhood %d, %u values, missing %d, tile %u x %u, step %u, block %u, slices of %u",
			how->grid.rows, how->grid.columns, (int)how->grid.lattice, how->grid.toroid, (int)how->near, dims,
			how->missing, how->shape.tile_rows, how->shape.tile_columns, how->shape.step, how->shape.block, how->slice);
	found[gemp_random_below(random, (size_t)units * dims)] += 1e-4f;
	assert_false(is_near(found, before, after, how));
	gemp_som_smooth_free(&smooth);
	gemp_buffer_free(&buffer, device);
	free(x);
	free(found);
	free(before);
	free(after);
}

/* Radii range from a few units, where most samples are too far away, to the whole map. */
static void strips_and_tiles(void **state)
{
	static const run runs[] = {
		{ { 11, 21, GEMP_SOM_RECTANGULAR, true },
		  GEMP_SOM_BUBBLE,
		  2,
		  true,
		  4,
		  5,
		  { .tile_rows = 8, .tile_columns = 8, .step = 8 } },
		{ { 10, 9, GEMP_SOM_HEXAGONAL, true },
		  GEMP_SOM_GAUSSIAN,
		  5,
		  false,
		  .7,
		  10,
		  { .tile_rows = 2, .tile_columns = 16, .step = 1, .block = 3 } },
		{ { 40, 33, GEMP_SOM_RECTANGULAR, false }, GEMP_SOM_GAUSSIAN, 2, true, .9, 13, { .block = 1 } },
		{ { 7, 40, GEMP_SOM_HEXAGONAL, false }, GEMP_SOM_BUBBLE, 2, false, 3.3, 3, { .block = 2 } },
	};
	uint64_t random = test_seed();
	(void)state;
	for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
		check(&runs[k], &random);
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
		cmocka_unit_test(strips_and_tiles),
		cmocka_unit_test(close_device),
	};
	setenv("GEMP_CACHE_DIR", "", 1); /* without a cache, PoCL compiles only the launched kernels */
	return test_main(tests);
}
