/* Tests best matching units on a device in all forms of the kernel, against all distances in double precision. PoCL
 * takes about a second to compile a program, and several seconds for a program with tiles. So only some of the
 * combinations are tried, and fewer unless `thorough`. */
#ifndef GEMP_TESTS_SOM_SEARCH_CASE_H
#define GEMP_TESTS_SOM_SEARCH_CASE_H

#include "harness/harness.h"
#include "harness/som_reference.h"

#include "core/random.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "som/map/samples.h"
#include "som/map/search.h"
#include "som/map/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gemp_device *device;
static bool thorough;

/* The settings of one search. */
typedef struct search_case {
	gemp_som_search_shape shape;
	uint32_t dims;
	gemp_som_metric metric;
	bool missing, two;
} search_case;

/* Tiles and chunks are small, so that even few units fill several of them. */
#define ITEMS                             \
	{                                     \
		GEMP_SOM_FORM_ITEMS, 0, 0, 32, 20 \
	}
#define REGISTERS                              \
	{                                          \
		GEMP_SOM_FORM_REGISTERS, 32, 3, 32, 40 \
	}
#define TILES                             \
	{                                     \
		GEMP_SOM_FORM_TILES, 0, 0, 0, 130 \
	}

static const search_case search_cases[] = {
	{ ITEMS, 12, GEMP_SOM_EUCLIDEAN, false, false },    { ITEMS, 3, GEMP_SOM_MANHATTAN, true, true },
	{ REGISTERS, 4, GEMP_SOM_COSINE, true, true },      { TILES, 17, GEMP_SOM_EUCLIDEAN, false, false },
	{ ITEMS, 19, GEMP_SOM_EUCLIDEAN, true, true },      { ITEMS, 5, GEMP_SOM_COSINE, false, true },
	{ ITEMS, 4, GEMP_SOM_COSINE, true, false },         { ITEMS, 70, GEMP_SOM_MANHATTAN, false, false },
	{ REGISTERS, 12, GEMP_SOM_EUCLIDEAN, false, true }, { REGISTERS, 1, GEMP_SOM_MANHATTAN, false, false },
	{ REGISTERS, 7, GEMP_SOM_EUCLIDEAN, true, true },   { TILES, 16, GEMP_SOM_EUCLIDEAN, true, true },
	{ TILES, 33, GEMP_SOM_MANHATTAN, true, true },      { TILES, 18, GEMP_SOM_COSINE, false, true },
};
enum { ASKS = sizeof search_cases / sizeof *search_cases, FEW = 4 };

static const uint32_t sizes[][2] = {
	/* samples, units */
	{ 0, 3 },    { 1, 1 },     { 1, 2 },     { 7, 4 },     { 8, 5 },     { 15, 31 },
	{ 16, 32 },  { 17, 33 },   { 31, 39 },   { 32, 41 },   { 95, 127 },  { 96, 128 },
	{ 97, 129 }, { 127, 130 }, { 128, 131 }, { 129, 257 }, { 300, 300 },
};

enum { SPREAD, WHOLE, FAR, KINDS }; /* kinds of values: any; whole numbers, with equal units; values far from 0 */

/* Samples and units of a search, and its results. */
typedef struct sample {
	search_case how;
	uint32_t count, units;
	int kind;
	float *x, *w;
	double *book; /* the values of w in double precision */
	uint64_t *best, *second;
	float *distance;
} sample;

static float draw(int kind, uint64_t *random)
{
	double value = gemp_random_unit(random) * 2 - 1;
	return (float)(kind == WHOLE ? (double)gemp_random_below(random, 3) - 1 : kind == FAR ? value + 100 : value);
}

static void *zeros(size_t count, size_t size)
{
	void *block = calloc(count + 1, size);
	assert_non_null(block);
	return block;
}

/* One sample is all 0. If values may be missing, one sample in ten has no value. */
static void sample_new(sample *s, const search_case *how, uint32_t count, uint32_t units, int kind, uint64_t *random)
{
	uint32_t dims = how->dims;
	*s = (sample){ .how = *how, .count = count, .units = units, .kind = kind };
	s->x = zeros((size_t)count * dims, sizeof *s->x);
	s->w = zeros((size_t)units * dims, sizeof *s->w);
	s->book = zeros((size_t)units * dims, sizeof *s->book);
	s->best = zeros(count, sizeof *s->best);
	s->second = zeros(count, sizeof *s->second);
	s->distance = zeros(count, sizeof *s->distance);
	for (size_t i = 0; i < count; i++) {
		uint64_t luck = gemp_random_below(random, 10);
		for (uint32_t d = 0; d < dims; d++) {
			bool gone = how->missing && (luck == 0 || gemp_random_below(random, 4) == 0 || (i == count - 1 && d == 0));
			s->x[i * dims + d] = gone ? NAN : luck == 1 ? 0 : draw(kind, random);
		}
	}
	for (size_t u = 0; u < units; u++) {
		size_t same = kind == WHOLE && u > 0 && gemp_random_below(random, 2) ? gemp_random_below(random, u) : u;
		for (uint32_t d = 0; d < dims; d++)
			s->w[u * dims + d] = same < u ? s->w[same * dims + d] : draw(kind, random);
	}
	for (size_t k = 0; k < (size_t)units * dims; k++)
		s->book[k] = s->w[k];
}

static void sample_free(sample *s)
{
	void *blocks[] = { s->x, s->w, s->book, s->best, s->second, s->distance };
	for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
		free(blocks[k]);
}

static void search(sample *s, gemp_som_search *with)
{
	gemp_som_samples samples;
	gemp_som_codebook book;
	gemp_buffer best, second, distance;
	size_t room = s->count + 1u;
	float *back = zeros((size_t)s->units * s->how.dims, sizeof *back);
	assert_ok(gemp_som_samples_new(&samples, device, s->x, s->count, s->how.dims));
	assert_true(samples.missing == (s->how.missing && s->count > 0));
	/* the maximum number of units on the device */
	const uint32_t max_units = s->kind == FAR ? (s->units + 2) / 3 : s->units;
	assert_ok(gemp_som_codebook_new(&book, device, s->w, s->units, s->how.dims, max_units));
	assert_ok(gemp_som_codebook_read(&book, back));
	assert_memory_equal(back, s->w, (size_t)s->units * s->how.dims * sizeof *back);
	assert_ok(gemp_buffer_new(&best, device, room * sizeof *s->best, NULL));
	assert_ok(gemp_buffer_new(&second, device, room * sizeof *s->second, NULL));
	assert_ok(gemp_buffer_new(&distance, device, room * sizeof *s->distance, NULL));
	assert_ok(gemp_som_search_run(with, &samples, &book, &best, s->how.two ? &second : NULL));
	assert_ok(gemp_som_search_distances(with, &samples, &book, &best, &distance));
	assert_ok(gemp_buffer_read(device, &best, 0, s->count * sizeof *s->best, s->best));
	assert_ok(gemp_buffer_read(device, &second, 0, s->count * sizeof *s->second, s->second));
	assert_ok(gemp_buffer_read(device, &distance, 0, s->count * sizeof *s->distance, s->distance));
	gemp_buffer_free(&distance, device);
	gemp_buffer_free(&second, device);
	gemp_buffer_free(&best, device);
	gemp_som_codebook_free(&book);
	gemp_som_samples_free(&samples);
	free(back);
}

static double distance_of(const sample *s, size_t i, uint32_t unit)
{
	return som_reference_distance((som_reference_metric)s->how.metric, s->x + i * s->how.dims,
	                              s->book + (size_t)unit * s->how.dims, s->how.dims);
}

/* Is the unit as near as `expected`, up to the precision of floats? The tolerance is 1e-5 (|x|^2 + |w|^2) for squared
 * distances, and similar for the other metrics. */
static bool as_near(const sample *s, size_t i, uint32_t unit, uint32_t expected)
{
	double size = 0, here, least;
	if (unit == expected)
		return true;
	if (unit >= s->units || expected >= s->units)
		return false;
	here = distance_of(s, i, unit);
	least = distance_of(s, i, expected);
	for (uint32_t d = 0; d < s->how.dims; d++) {
		double x = s->x[i * s->how.dims + d], w = s->book[(size_t)unit * s->how.dims + d];
		if (!isnan(x))
			size += s->how.metric == GEMP_SOM_EUCLIDEAN ? x * x + w * w : fabs(x) + fabs(w);
	}
	if (s->how.metric == GEMP_SOM_EUCLIDEAN)
		return fabs(here * here - least * least) <= 1e-5 * size;
	return fabs(here - least) <= 1e-5 * (s->how.metric == GEMP_SOM_COSINE ? 1 : size);
}

/* Does every unit with a smaller number, except unit `except`, have another vector? */
static bool first_of_equals(const sample *s, uint32_t unit, uint32_t except)
{
	size_t size = s->how.dims * sizeof *s->w;
	for (uint32_t u = 0; u < unit && unit < s->units; u++)
		if (u != except && memcmp(s->w + (size_t)u * s->how.dims, s->w + (size_t)unit * s->how.dims, size) == 0)
			return false;
	return true;
}

static bool right_distance(const sample *s, size_t i, uint32_t unit)
{
	double expected = unit < s->units ? distance_of(s, i, unit) : NAN;
	return isnan(expected) ? isnan(s->distance[i]) : fabs(s->distance[i] - expected) <= 1e-5 * (1 + expected);
}

/* Sums of whole values are exact except for the cosine metric, so whole values must give exactly the expected units. */
static bool right(const sample *s)
{
	uint32_t *unit = zeros(s->count, sizeof *unit), *second = zeros(s->count, sizeof *second);
	bool exact = s->kind == WHOLE && s->how.metric != GEMP_SOM_COSINE, good = true;
	som_reference_search((som_reference_metric)s->how.metric, s->x, s->count, s->book, s->units, s->how.dims, unit,
	                     NULL, second);
	for (size_t i = 0; i < s->count && good; i++) {
		uint32_t best = gemp_som_key_unit(s->best[i]), next = gemp_som_key_unit(s->second[i]);
		good = (exact ? best == unit[i] : as_near(s, i, best, unit[i])) && first_of_equals(s, best, best) &&
		       right_distance(s, i, best);
		if (good && s->how.two)
			good = (exact ? next == second[i] : as_near(s, i, next, second[i])) && first_of_equals(s, next, best) &&
			       (next != best || best == GEMP_SOM_NO_UNIT);
	}
	free(second);
	free(unit);
	return good;
}

/* Shows that right() detects errors. The first sample that has a unit gets in turn the farthest unit, a wrong distance,
 * and its best unit as the second best. */
static void spoil(sample *s)
{
	size_t i = 0;
	while (i < s->count && s->best[i] == GEMP_SOM_NO_KEY)
		i++;
	if (i == s->count || s->units < 30 || s->kind != SPREAD)
		return;
	uint64_t best = s->best[i], second = s->second[i];
	uint32_t far = 0;
	for (uint32_t u = 0; u < s->units; u++)
		far = distance_of(s, i, u) > distance_of(s, i, far) ? u : far;
	s->best[i] = best >> 32 << 32 | far;
	if (s->how.metric != GEMP_SOM_COSINE) /* a vector of zeros is at distance 1 from all units */
		assert_false(right(s));
	s->best[i] = best;
	s->distance[i] += 0.01f;
	assert_false(right(s));
	s->distance[i] -= 0.01f;
	if (s->how.two) {
		s->second[i] = best;
		assert_false(right(s));
	}
	s->second[i] = second;
}

static void check(const search_case *how, uint64_t *random)
{
	gemp_som_search *with;
	assert_ok(gemp_som_search_new(&with, device, how->dims, how->metric, how->missing, &how->shape));
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
		for (int kind = 0; kind < KINDS; kind++) {
			sample s;
			sample_new(&s, how, sizes[k][0], sizes[k][1], kind, random);
			search(&s, with);
			if (!right(&s))
				fail_msg("form %d, %u dimensions, metric %d%s, %u samples, %u units, values %d", (int)how->shape.form,
				         how->dims, (int)how->metric, how->missing ? ", some missing" : "", s.count, s.units, kind);
			if (k > 8)
				spoil(&s);
			sample_free(&s);
		}
	gemp_som_search_free(with);
}

static void searches(void **state)
{
	uint64_t random = test_seed();
	(void)state;
	for (size_t k = 0; k < (thorough || device->gpu ? ASKS : FEW); k++)
		if (!(device->gpu && search_cases[k].shape.form == GEMP_SOM_FORM_ITEMS))
			check(&search_cases[k], &random);
}

/* Uses the default shape of the device, with several blocks of samples and chunks of units. */
static void tuned_shape(void **state)
{
	const search_case how = { { 0 }, 9, GEMP_SOM_EUCLIDEAN, false, false };
	uint64_t random = test_seed();
	gemp_som_search *with;
	sample s;
	(void)state;
	assert_ok(gemp_som_search_new(&with, device, how.dims, how.metric, how.missing, NULL));
	sample_new(&s, &how, 999, 2311, SPREAD, &random);
	search(&s, with);
	assert_true(right(&s));
	sample_free(&s);
	gemp_som_search_free(with);
}

static void wrong_dimensions_are_rejected(void **state)
{
	gemp_som_search *with;
	(void)state;
	assert_code(gemp_som_search_new(&with, device, 0, GEMP_SOM_EUCLIDEAN, false, NULL), GEMP_EUSAGE);
	assert_code(gemp_som_search_new(&with, device, GEMP_SOM_MAX_DIMS + 1, GEMP_SOM_COSINE, false, NULL), GEMP_EUSAGE);
	assert_null(with);
}

/* Calls every function that allocates memory of the host. */
static gemp_code make_all(void *argument)
{
	static const float values[] = { 1, NAN, 3, 4 };
	gemp_code code = GEMP_OK;
	gemp_som_samples samples = { 0 };
	gemp_som_codebook book = { 0 };
	gemp_som_search *with = NULL;
	(void)argument;
	GEMP_TRY_DONE(gemp_som_samples_new(&samples, device, values, 2, 2));
	GEMP_TRY_DONE(gemp_som_codebook_new(&book, device, values + 2, 1, 2, 1));
	GEMP_TRY_DONE(gemp_som_codebook_write(&book, values + 2));
	GEMP_TRY_DONE(gemp_som_search_new(&with, device, 2, GEMP_SOM_EUCLIDEAN, true, NULL));
done:
	gemp_som_search_free(with);
	gemp_som_codebook_free(&book);
	gemp_som_samples_free(&samples);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	assert_survives_no_memory(make_all, NULL);
}

static int som_search_main(int argc, char **argv, bool all)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(searches),
		cmocka_unit_test(tuned_shape),
		cmocka_unit_test(wrong_dimensions_are_rejected),
		cmocka_unit_test(memory_may_run_out),
	};
	thorough = all;
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	setenv("GEMP_CACHE_DIR", "", 1); /* without a cache, PoCL compiles only the launched kernels */
	if (gemp_device_open(&device, NULL, 0, 1, 0) != GEMP_OK)
		return TEST_SKIPPED;
	int failed = test_main(tests);
	failed |= device->buffer_bytes != 0;
	gemp_device_close(device);
	return failed;
}

#endif
