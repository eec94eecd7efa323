/* Tests shuffles on a device in both forms of the kernels. Decoding must put tuples into the order of their ranges, and
 * every accumulation method must give the sums that a plain loop gives. On a GPU only the grouped form is tested,
 * because the form by items needs too much memory for 2,048 ranges.
 *
 * PoCL takes a second to compile each program. So unless `thorough`, only few layouts are tried, and most of them
 * either with an extent (the device knows the number of tuples) or without one; the seed decides which. */
#ifndef GEMP_TESTS_SHUFFLE_CASE_H
#define GEMP_TESTS_SHUFFLE_CASE_H

#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "primitive/split.h"
#include "primitive/toolbox.h"
#include "shuffle/shuffle.h"

#include <stdlib.h>
#include <string.h>

static gemp_device *device;
static gemp_toolbox *boxes[2]; /* [0] in groups, [1] by items */
static bool thorough;

/* Tuples on the host: an array of whole tuples, and the columns that a layout makes of the tuples. */
typedef struct sample {
	gemp_shuffle how;
	size_t count, capacity; /* the buffers hold `capacity` tuples; the first `count` are used */
	unsigned element;       /* size of one element of tuple[], in bytes */
	unsigned char *tuple, *shuffled;
	uint32_t *column, *shuffled_column; /* destinations; NULL if the layout has no such column, or does not move it */
	gemp_buffer buffers[7];             /* see TUPLE .. EXTENT */
} sample;

enum { TUPLE, COLUMN, OUT, OUT_COLUMN, BEGIN, SUMS, EXTENT, BUFFERS };

static uint32_t word(const unsigned char *at, unsigned k)
{
	uint32_t w;
	memcpy(&w, at + 4 * k, 4);
	return w;
}

static uint32_t destination_of(const sample *s, const unsigned char *tuples, const uint32_t *column, size_t i)
{
	if (column)
		return column[i];
	uint32_t first = word(tuples + i * s->element, 0);
	return s->how.size == 4 ? first >> 16 : first;
}

static uint32_t value_of(const sample *s, const unsigned char *tuples, size_t i)
{
	uint32_t sum = 0;
	if (s->how.size == 4)
		return word(tuples + 4 * i, 0) & 0xffff;
	for (unsigned k = s->how.layout == GEMP_SHUFFLE_SOA ? 0 : 1; k < s->element / 4; k++)
		sum += word(tuples + i * s->element, k);
	return sum;
}

static size_t range_of(const sample *s, uint32_t destination)
{
	return destination >> s->how.shift & (((size_t)1 << s->how.bits) - 1);
}

/* skew 0: random destinations; 1: most tuples go to few ranges; 2: all tuples have the same destination. The other
 * words of a tuple are random. */
static void sample_new(sample *s, gemp_shuffle how, size_t count, bool extent, unsigned skew, uint64_t *random)
{
	uint64_t destinations = (uint64_t)1 << (how.bits + how.shift), spare = extent ? 1000 : 0;
	bool apart = how.layout == GEMP_SHUFFLE_SOA, moves = apart;
	*s = (sample){ .how = how, .count = count, .capacity = count + spare, .element = apart ? how.size - 4 : how.size };
	s->tuple = calloc(s->capacity + 1, s->element);
	s->shuffled = calloc(s->capacity + 1, s->element);
	s->column = how.layout == GEMP_SHUFFLE_AOS ? NULL : calloc(s->capacity + 1, 4);
	s->shuffled_column = moves ? calloc(s->capacity + 1, 4) : NULL;
	for (size_t i = 0; i < s->capacity; i++) {
		uint64_t bits = gemp_random(random);
		uint32_t to = (uint32_t)(skew == 0                    ? bits % destinations
		                         : skew == 1 && bits % 8 == 0 ? (bits >> 8) % destinations
		                         : skew == 1                  ? (bits >> 8) % 3 * (destinations / 3)
		                                                      : destinations - 1);
		for (unsigned k = 0; k < s->element / 4; k++)
			((uint32_t *)(void *)s->tuple)[i * (s->element / 4) + k] = (uint32_t)gemp_random(random);
		if (how.reduction == GEMP_SHUFFLE_ADD_FLOATS) { /* small integers, which floats add up without rounding */
			const float value = (float)(bits >> 58);
			memcpy(s->tuple + i * s->element + s->element - sizeof value, &value, sizeof value);
		}
		if (how.size == 4)
			((uint32_t *)(void *)s->tuple)[i] = to << 16 | (uint32_t)(bits >> 48);
		else if (!apart)
			((uint32_t *)(void *)s->tuple)[i * (s->element / 4)] = to;
		if (s->column)
			s->column[i] = to;
	}
	const size_t sizes[BUFFERS] = { s->capacity * s->element,
		                            s->capacity * 4,
		                            s->capacity * s->element,
		                            s->capacity * 4,
		                            (((size_t)1 << how.bits) + 1) * 4,
		                            ((size_t)1 << (how.bits + how.shift)) * 4,
		                            8 };
	const uint32_t known[2] = { 0, (uint32_t)count };
	const void *from[BUFFERS] = { [TUPLE] = s->tuple, [COLUMN] = s->column, [EXTENT] = known };
	for (int b = 0; b < BUFFERS; b++)
		assert_ok(gemp_buffer_new(&s->buffers[b], device, sizes[b] ? sizes[b] : 4, sizes[b] ? from[b] : NULL));
}

static void sample_free(sample *s)
{
	for (int b = 0; b < BUFFERS; b++)
		gemp_buffer_free(&s->buffers[b], device);
	free(s->tuple);
	free(s->shuffled);
	free(s->column);
	free(s->shuffled_column);
}

/* Hashes a tuple with its destination; equal tuples have equal hashes. */
static uint64_t hash_of(const sample *s, const unsigned char *tuples, const uint32_t *column, size_t i)
{
	return gemp_hash(tuples + i * s->element, s->element, destination_of(s, tuples, column, i));
}

static int compare(const void *a, const void *b)
{
	uint64_t x, y;
	memcpy(&x, a, 8);
	memcpy(&y, b, 8);
	return (x > y) - (x < y);
}

/* Is `shuffled` the sample in the order of ranges? With `stable`, tuples of a range must keep the order that they have
 * in the sample. */
static bool in_order(const sample *s, const uint32_t *begin, bool stable)
{
	size_t ranges = (size_t)1 << s->how.bits, *next = calloc(ranges + 1, sizeof *next);
	uint64_t *expected = calloc(s->count + 1, 8), *got = calloc(s->count + 1, 8);
	bool good = true;
	for (size_t i = 0; i < s->count; i++)
		next[range_of(s, destination_of(s, s->tuple, s->column, i)) + 1]++;
	for (size_t r = 0; r < ranges; r++) {
		good &= begin[r] == next[r];
		next[r + 1] += next[r];
	}
	good &= begin[ranges] == s->count;
	for (size_t i = 0; i < s->count; i++) {
		expected[next[range_of(s, destination_of(s, s->tuple, s->column, i))]++] = hash_of(s, s->tuple, s->column, i);
		got[i] = hash_of(s, s->shuffled, s->shuffled_column, i);
	}
	for (size_t r = 0; good && !stable && r < ranges; r++) {
		qsort(expected + begin[r], begin[r + 1] - begin[r], 8, compare);
		qsort(got + begin[r], begin[r + 1] - begin[r], 8, compare);
	}
	good &= memcmp(expected, got, s->count * 8) == 0;
	free(next);
	free(expected);
	free(got);
	return good;
}

static void reduce(gemp_shuffle_reduction reduction, uint32_t *sum, uint32_t value)
{
	float a, b;
	memcpy(&a, sum, 4);
	memcpy(&b, &value, 4);
	a += b;
	if (reduction == GEMP_SHUFFLE_ADD_FLOATS)
		memcpy(sum, &a, 4);
	else
		*sum = reduction == GEMP_SHUFFLE_ADD ? *sum + value : value < *sum ? value : *sum;
}

/* Sets the sums on the host, or on the device if sums is NULL, to the identity of the reduction. */
static void clear_sums(const sample *s, uint32_t *sums)
{
	const size_t size = s->buffers[SUMS].size;
	const int byte = s->how.reduction == GEMP_SHUFFLE_MIN ? 0xff : 0;
	uint32_t *own = sums ? sums : malloc(size);
	memset(own, byte, size);
	if (!sums) {
		assert_ok(gemp_buffer_write(device, &s->buffers[SUMS], 0, size, own));
		free(own);
	}
}

static bool right_sums(const sample *s)
{
	size_t destinations = (size_t)1 << (s->how.bits + s->how.shift);
	uint32_t *expected = calloc(destinations, 4), *got = calloc(destinations, 4);
	clear_sums(s, expected);
	for (size_t i = 0; i < s->count; i++)
		reduce(s->how.reduction, &expected[destination_of(s, s->tuple, s->column, i)], value_of(s, s->tuple, i));
	assert_ok(gemp_buffer_read(device, &s->buffers[SUMS], 0, destinations * 4, got));
	bool good = memcmp(expected, got, destinations * 4) == 0;
	free(expected);
	free(got);
	return good;
}

static void check_decode(gemp_toolbox *box, sample *s, bool extent)
{
	size_t ranges = (size_t)1 << s->how.bits;
	bool apart = s->how.layout == GEMP_SHUFFLE_SOA;
	uint32_t *begin = calloc(ranges + 1, 4);
	const gemp_tuples in = { s->column ? &s->buffers[COLUMN] : NULL, &s->buffers[TUPLE], s->capacity,
		                     extent ? &s->buffers[EXTENT] : NULL };
	const gemp_tuples out = { apart ? &s->buffers[OUT_COLUMN] : NULL, &s->buffers[OUT], s->capacity, NULL };
	assert_ok(gemp_shuffle_decode(box, &s->how, &in, &out, &s->buffers[BEGIN]));
	assert_ok(gemp_buffer_read(device, &s->buffers[BEGIN], 0, (ranges + 1) * 4, begin));
	assert_ok(gemp_buffer_read(device, &s->buffers[OUT], 0, s->count * s->element, s->shuffled));
	if (apart)
		assert_ok(gemp_buffer_read(device, &s->buffers[OUT_COLUMN], 0, s->count * 4, s->shuffled_column));
	assert_true(in_order(s, begin, s->how.stable));
	clear_sums(s, NULL);
	assert_ok(gemp_shuffle_gather(box, &s->how, &out, &s->buffers[BEGIN], &s->buffers[SUMS]));
	assert_true(right_sums(s));
	if (s->count > 10) { /* the checks must detect damage */
		s->shuffled[s->element * (s->count / 2)] ^= 1;
		assert_false(in_order(s, begin, s->how.stable));
		/* flips a bit in the last word of a tuple, of a float in its exponent; a minimum may not change */
		const bool real = s->how.reduction == GEMP_SHUFFLE_ADD_FLOATS;
		unsigned char *byte = &s->tuple[s->element * (s->count / 3 + 1) - (real ? 1 : 4)];
		*byte ^= real ? 0x40 : 1;
		assert_true(s->how.reduction == GEMP_SHUFFLE_MIN || !right_sums(s));
		*byte ^= real ? 0x40 : 1;
	}
	free(begin);
}

static void check_methods(gemp_toolbox *box, bool groups, sample *s)
{
	const gemp_tuples in = { s->column ? &s->buffers[COLUMN] : NULL, &s->buffers[TUPLE], s->count, NULL };
	for (gemp_shuffle_method m = GEMP_SHUFFLE_POLLING; m < GEMP_SHUFFLE_METHODS; m++) {
		if (m == GEMP_SHUFFLE_TABLES && groups) {
			assert_code(gemp_shuffle_accumulate(box, m, &s->how, &in, &s->buffers[SUMS]), GEMP_EUSAGE);
			continue;
		}
		clear_sums(s, NULL);
		assert_ok(gemp_shuffle_accumulate(box, m, &s->how, &in, &s->buffers[SUMS]));
		assert_true(right_sums(s));
	}
}

static const size_t counts[] = { 0, 1, 2, 7, 9, 127, 128, 129, 1000, 5003 };

/* Either the host gives the number of tuples (NO_EXTENT), or only the device knows it (EXTENT_GIVEN), or every second
 * size has an extent (BY_TURNS). */
typedef enum extents { NO_EXTENT, EXTENT_GIVEN, BY_TURNS } extents;

/* Alternates from call to call between running without and with an extent. */
static extents either(unsigned *turn)
{
	return thorough ? BY_TURNS : (*turn)++ % 2 ? EXTENT_GIVEN : NO_EXTENT;
}

static void check(int form, gemp_shuffle how, extents given, bool methods, uint64_t *random)
{
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
		bool extent = given == BY_TURNS ? c % 2 == 1 : given == EXTENT_GIVEN;
		sample s;
		sample_new(&s, how, counts[c], extent, (unsigned)gemp_random_below(random, 3), random);
		check_decode(boxes[form], &s, extent);
		if (methods)
			check_methods(boxes[form], form == 0, &s);
		sample_free(&s);
	}
}

static const gemp_shuffle layouts[] = {
	{ GEMP_SHUFFLE_AOS, 4, 5, 6, false, GEMP_SHUFFLE_ADD, 0 },
	{ GEMP_SHUFFLE_SOA, 8, 8, 4, false, GEMP_SHUFFLE_ADD, 0 },
	{ GEMP_SHUFFLE_AOS_KEYS, 16, 5, 6, false, GEMP_SHUFFLE_ADD, 0 },
	{ GEMP_SHUFFLE_AOS, 64, 11, 2, false, GEMP_SHUFFLE_ADD, 0 },
	{ GEMP_SHUFFLE_AOS, 8, 8, 13, false, GEMP_SHUFFLE_ADD, 0 },
	{ GEMP_SHUFFLE_AOS, 32, 1, 3, false, GEMP_SHUFFLE_ADD, 0 },
	{ GEMP_SHUFFLE_AOS_KEYS, 64, 8, 3, false, GEMP_SHUFFLE_ADD, 0 },
	{ GEMP_SHUFFLE_SOA, 12, 11, 2, false, GEMP_SHUFFLE_ADD, 0 },
	{ GEMP_SHUFFLE_AOS_KEYS, 32, 11, 0, false, GEMP_SHUFFLE_ADD, 0 },
	{ GEMP_SHUFFLE_AOS, 16, 8, 8, false, GEMP_SHUFFLE_ADD, 0 },
	{ GEMP_SHUFFLE_AOS, 4, 11, 5, false, GEMP_SHUFFLE_ADD, 0 },
	{ GEMP_SHUFFLE_AOS_KEYS, 8, 8, 2, false, GEMP_SHUFFLE_ADD, 0 },
};

static void shuffles(void **state)
{
	uint64_t random = test_seed();
	unsigned turn = (unsigned)gemp_random_below(&random, 2);
	(void)state;
	for (int form = 0; form < (device->gpu ? 1 : 2); form++)
		for (size_t k = 0; k < (thorough ? sizeof layouts / sizeof *layouts : 4); k++) {
			bool methods = thorough || (size_t)form + k == 2;
			if (thorough || (form == 0 ? k != 0 : k != 1))
				check(form, layouts[k], form == 0 && !methods ? either(&turn) : BY_TURNS, methods, &random);
		}
}

/* Sums of floats and minima, by decode and by all other methods. */
static void reductions(void **state)
{
	uint64_t random = test_seed();
	(void)state;
	for (int form = 0; form < (device->gpu ? 1 : 2); form++)
		for (gemp_shuffle_reduction r = GEMP_SHUFFLE_ADD_FLOATS; r <= GEMP_SHUFFLE_MIN; r++) {
			const gemp_shuffle how = { .layout = GEMP_SHUFFLE_SOA, .size = 8, .bits = 8, .shift = 4, .reduction = r };
			check(form, how, NO_EXTENT, true, &random);
		}
}

/* Tuples of a range keep their order when the split runs in one pass or in two. Layouts of 8 bits share their passes
 * with kernels/primitive_sort. */
static void stable_order(void **state)
{
	uint64_t random = test_seed();
	(void)state;
	static const gemp_shuffle few[] = { { GEMP_SHUFFLE_SOA, 8, 6, 6, true, GEMP_SHUFFLE_ADD, 0 },
		                                { GEMP_SHUFFLE_AOS, 64, 11, 2, true, GEMP_SHUFFLE_ADD, 0 } };
	for (size_t k = 0; k < (thorough ? sizeof layouts / sizeof *layouts : sizeof few / sizeof *few); k++) {
		gemp_shuffle how = thorough ? layouts[k] : few[k];
		how.stable = true;
		check(0, how, BY_TURNS, false, &random);
	}
}

/* Shapes in which tuples are moved by index, in which whole tuples go through local memory, and in which a register
 * holds two places. */
static void split_shapes(void **state)
{
	uint64_t random = test_seed();
	unsigned turn = (unsigned)gemp_random_below(&random, 2);
	(void)state;
	static const gemp_split_shape some[] = { { 32, 4, 0, 0, false },
		                                     { 32, 4, 128, 0, false },
		                                     { 32, 22, 64, 0, true } };
	for (size_t f = 0; f < sizeof some / sizeof *some; f++)
		for (size_t k = 2; k < (thorough ? 4 : 3); k++) {
			gemp_split_force_shape(some[f]);
			check(0, layouts[k], either(&turn), false, &random);
		}
	gemp_split_force_shape((gemp_split_shape){ 0 });
}

/* There are so many tuples that a CPU device writes them by whole cache lines. */
static void many_tuples(void **state)
{
	static const gemp_shuffle some[] = { { GEMP_SHUFFLE_SOA, 8, 8, 4, true, GEMP_SHUFFLE_ADD, 0 },
		                                 { GEMP_SHUFFLE_AOS_KEYS, 16, 5, 6, true, GEMP_SHUFFLE_ADD, 0 },
		                                 { GEMP_SHUFFLE_AOS, 4, 11, 5, true, GEMP_SHUFFLE_ADD, 0 },
		                                 { GEMP_SHUFFLE_SOA, 12, 11, 2, true, GEMP_SHUFFLE_ADD, 0 },
		                                 { GEMP_SHUFFLE_AOS, 64, 8, 2, true, GEMP_SHUFFLE_ADD, 0 } };
	uint64_t random = test_seed();
	(void)state;
	for (size_t k = 0; k < (device->gpu ? 0 : thorough ? sizeof some / sizeof *some : 2); k++)
		for (unsigned skew = 0; skew < 3; skew++) {
			sample s;
			sample_new(&s, some[k], ((size_t)5 << 20) / some[k].size + skew, false, skew, &random);
			check_decode(boxes[1], &s, false);
			sample_free(&s);
		}
}

static int shuffle_main(int argc, char **argv, bool all)
{
	static const gemp_form forms[] = { GEMP_FORM_GROUPS, GEMP_FORM_ITEMS };
	const struct CMUnitTest tests[] = { cmocka_unit_test(shuffles), cmocka_unit_test(reductions),
		                                cmocka_unit_test(stable_order), cmocka_unit_test(split_shapes),
		                                cmocka_unit_test(many_tuples) };
	thorough = all;
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	setenv("GEMP_CACHE_DIR", "", 1); /* without a cache, PoCL compiles only the launched kernels */
	if (gemp_device_open(&device, NULL, 0, 1, 0) != GEMP_OK)
		return TEST_SKIPPED;
	for (int form = 0; form < 2; form++)
		if (gemp_toolbox_new(&boxes[form], device, forms[form]) != GEMP_OK)
			return 1;
	int failed = test_main(tests);
	for (int form = 0; form < 2; form++)
		gemp_toolbox_free(boxes[form]);
	failed |= device->buffer_bytes != 0;
	gemp_device_close(device);
	return failed;
}

#endif
