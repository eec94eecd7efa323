/* Tests scans, sorts, splits and distinct keys on a device in all forms of the kernels: the results must equal those of
 * the host. PoCL takes a second to compile each program, so only a few combinations are tried unless `thorough`. */
#ifndef GEMP_TESTS_PRIMITIVE_CASE_H
#define GEMP_TESTS_PRIMITIVE_CASE_H

#include "core/memory.h"
#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "primitive/distinct.h"
#include "primitive/key.h"
#include "primitive/radix_pass.h"
#include "primitive/sort.h"
#include "primitive/split.h"
#include "primitive/toolbox.h"

#include <stdlib.h>
#include <string.h>

static gemp_device *device;
static gemp_toolbox *boxes[3]; /* [0] in groups, [1] by items, [2] one-sweep */
static const gemp_form forms[] = { GEMP_FORM_GROUPS, GEMP_FORM_ITEMS, GEMP_FORM_ONESWEEP };
static bool thorough;

static const size_t counts[] = { 1, 2, 31, 33, 96, 97, 1000, 4096, 4097, 20011 };
enum { COUNTS = sizeof counts / sizeof *counts };

static uint64_t draw(unsigned how, uint64_t *random)
{
	uint64_t bits = gemp_random(random);
	return how == 0 ? bits : how == 1 ? bits % 3 : how == 2 ? (bits & 0xff00ff00ff00ff00) : 7;
}

static void check_sort(gemp_toolbox *box, gemp_sort sort, size_t count, unsigned how, uint64_t *random)
{
	unsigned size = gemp_key_size(sort.key), value_size = sort.value_size;
	void *keys = calloc(count, 8), *values = calloc(count, 8), *got = calloc(count, 8);
	gemp_sort_buffers b = { 0 };
	for (size_t i = 0; i < count; i++) {
		gemp_key_put(keys, i, size, draw(how, random));
		gemp_key_put(values, i, value_size ? value_size : 4, i + 1);
	}
	for (int k = 0; k < 2; k++) {
		assert_ok(gemp_buffer_new(&b.keys[k], device, count * size, keys));
		if (value_size)
			assert_ok(gemp_buffer_new(&b.values[k], device, count * value_size, values));
	}
	assert_ok(
		gemp_sort_device(box, &sort, &b, count, how == 1 && sort.key == GEMP_KEY_U64 && !sort.descending ? 2 : 0));
	assert_ok(gemp_sort_host(&sort, keys, values, count));
	assert_ok(gemp_buffer_read(device, &b.keys[0], 0, count * size, got));
	assert_memory_equal(got, keys, count * size);
	if (value_size) {
		assert_ok(gemp_buffer_read(device, &b.values[0], 0, count * value_size, got));
		assert_memory_equal(got, values, count * value_size);
	}
	for (int k = 0; k < 2; k++) {
		gemp_buffer_free(&b.keys[k], device);
		gemp_buffer_free(&b.values[k], device);
	}
	free(keys);
	free(values);
	free(got);
}

/* Each pair of a key type and a value size is a program of its own. */
static void sorts(void **state)
{
	static const gemp_sort some[] = { { GEMP_KEY_I32, true, 4 },  { GEMP_KEY_U32, false, 0 },
		                              { GEMP_KEY_F32, false, 0 }, { GEMP_KEY_F32, true, 4 },
		                              { GEMP_KEY_U64, false, 4 }, { GEMP_KEY_F64, true, 4 },
		                              { GEMP_KEY_I64, false, 8 }, { GEMP_KEY_U32, false, 8 },
		                              { GEMP_KEY_I64, true, 0 } };
	uint64_t random = test_seed();
	(void)state;
	for (int form = 0; form < 3; form++)
		for (size_t s = 0; s < (thorough ? sizeof some / sizeof *some : form ? 1 : 4); s++)
			for (size_t c = 0; c < COUNTS; c++)
				check_sort(boxes[form], some[s], counts[c] / (form == 1 ? 1 : 4) + 1,
				           (unsigned)gemp_random_below(&random, 4), &random);
}

static void check_scan(gemp_toolbox *box, size_t count, unsigned number_size, unsigned sum_size, uint64_t *random)
{
	void *numbers = calloc(count, number_size), *got = calloc(count + 1, sum_size);
	gemp_buffer from, to;
	uint64_t sum = 0, mask = sum_size == 4 ? UINT32_MAX : UINT64_MAX;
	for (size_t i = 0; i < count; i++)
		gemp_key_put(numbers, i, number_size, gemp_random(random));
	assert_ok(gemp_buffer_new(&from, device, (count + 1) * number_size, NULL));
	assert_ok(gemp_buffer_write(device, &from, 0, count * number_size, numbers));
	assert_ok(gemp_buffer_new(&to, device, (count + 1) * sum_size, NULL));
	/* every second scan of equal sizes is in place */
	const gemp_buffer *out = number_size == sum_size && count % 2 ? &from : &to;
	assert_ok(gemp_scan_device(box, &from, number_size, out, sum_size, count));
	assert_ok(gemp_buffer_read(device, out, 0, (count + 1) * sum_size, got));
	for (size_t i = 0; i <= count; i++) {
		assert_int_equal(gemp_key_get(got, i, sum_size), sum & mask);
		sum += i < count ? gemp_key_get(numbers, i, number_size) : 0;
	}
	gemp_buffer_free(&from, device);
	gemp_buffer_free(&to, device);
	free(numbers);
	free(got);
}

static void scans(void **state)
{
	static const unsigned sizes[][2] = { { 4, 8 }, { 4, 4 }, { 8, 8 } };
	uint64_t random = test_seed();
	(void)state;
	for (int form = 0; form < 2; form++)
		for (int s = 0; s < (thorough ? 3 : 1); s++) {
			check_scan(boxes[form], 0, sizes[s][0], sizes[s][1], &random);
			for (size_t c = 0; c < COUNTS; c++)
				check_scan(boxes[form], counts[c], sizes[s][0], sizes[s][1], &random);
		}
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x, y;
	memcpy(&x, a, 8);
	memcpy(&y, b, 8);
	return (x > y) - (x < y);
}

/* Each bucket must have the same pairs of key and value as on the host, in any order. Both are sorted before the
 * comparison. */
static void check_split(gemp_toolbox *box, gemp_multisplit split, size_t count, uint64_t *random)
{
	size_t buckets = (size_t)1 << split.bits;
	uint32_t *keys = calloc(count + 1, 4), *values = calloc(count + 1, 4), *out[2], *out_values[2], *got_begin;
	uint64_t *begin = calloc(buckets + 1, 8), *pairs[2];
	gemp_buffer b[4], b_begin;
	got_begin = calloc(buckets + 1, 4);
	for (size_t i = 0; i < count; i++) {
		keys[i] = (uint32_t)(split.min_code + gemp_random_below(random, (uint64_t)1 << (split.shift + split.bits)));
		values[i] = (uint32_t)i;
	}
	for (int k = 0; k < 2; k++) {
		out[k] = calloc(count + 1, 4);
		out_values[k] = calloc(count + 1, 4);
		pairs[k] = calloc(count + 1, 8);
	}
	for (int k = 0; k < 4; k++)
		assert_ok(gemp_buffer_new(&b[k], device, count * 4 + 4, k == 0 ? keys : k == 1 ? values : NULL));
	assert_ok(gemp_buffer_new(&b_begin, device, (buckets + 1) * 4, NULL));
	assert_ok(gemp_split_device(box, &split, &b[0], split.value_size ? &b[1] : NULL, count, &b[2],
	                            split.value_size ? &b[3] : NULL, &b_begin));
	assert_ok(gemp_split_host(&split, keys, values, count, out[0], out_values[0], begin));
	assert_ok(gemp_buffer_read(device, &b_begin, 0, (buckets + 1) * 4, got_begin));
	assert_ok(gemp_buffer_read(device, &b[2], 0, count * 4, out[1]));
	if (split.value_size)
		assert_ok(gemp_buffer_read(device, &b[3], 0, count * 4, out_values[1]));
	for (size_t k = 0; k <= buckets; k++)
		assert_int_equal(got_begin[k], begin[k]);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < count; i++)
			pairs[k][i] = (uint64_t)out[k][i] << 32 | (split.value_size ? out_values[k][i] : 0);
	for (size_t k = 0; k < buckets; k++)
		for (int side = 0; side < 2; side++)
			qsort(pairs[side] + begin[k], begin[k + 1] - begin[k], 8, compare_u64);
	assert_memory_equal(pairs[0], pairs[1], count * 8);
	for (int k = 0; k < 4; k++)
		gemp_buffer_free(&b[k], device);
	gemp_buffer_free(&b_begin, device);
	for (int k = 0; k < 2; k++) {
		free(out[k]);
		free(out_values[k]);
		free(pairs[k]);
	}
	free(keys);
	free(values);
	free(begin);
	free(got_begin);
}

static void splits(void **state)
{
	static const unsigned bits[] = { 3, 9 };
	uint64_t random = test_seed();
	(void)state;
	for (int form = 0; form < 2; form++)
		for (int k = 0; k < 2; k++) {
			if (!thorough && k == form) /* otherwise only one entry for each form */
				continue;
			gemp_multisplit split = {
				.key = GEMP_KEY_U32, .bits = bits[k], .shift = 5, .value_size = k ? 4 : 0, .min_code = 77
			};
			check_split(boxes[form], split, 0, &random);
			for (size_t c = 0; c < COUNTS; c++)
				check_split(boxes[form], split, counts[c], &random);
		}
}

static void check_distinct(gemp_toolbox *box, gemp_key_kind kind, size_t count, uint64_t least, unsigned bits,
                           uint64_t *random)
{
	unsigned size = gemp_key_size(kind);
	gemp_key_map map = gemp_key_map_of(kind, false);
	void *keys = calloc(count + 1, size), *expected, *got;
	size_t distinct, found;
	gemp_buffer from, to;
	for (size_t i = 0; i < count; i++) {
		uint64_t far = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
		uint64_t code = least + (i == 0   ? 0
		                         : i == 1 ? far
		                         : i % 3  ? gemp_random(random) & far
		                                  : gemp_random(random) & far & 0xf0);
		gemp_key_put(keys, i, size, gemp_key_of_code(code & (size == 4 ? UINT32_MAX : UINT64_MAX), map));
	}
	assert_ok(gemp_buffer_new(&from, device, (count + 1) * size, keys));
	assert_ok(gemp_distinct_host(kind, keys, count, &expected, &distinct));
	assert_ok(gemp_distinct_device(box, kind, &from, count, &to, &found));
	assert_int_equal(found, distinct);
	got = calloc(distinct + 1, size);
	assert_ok(gemp_buffer_read(device, &to, 0, distinct * size, got));
	assert_memory_equal(got, expected, distinct * size);
	assert_ok(gemp_distinct_device(box, kind, &from, count, NULL, &found));
	assert_int_equal(found, distinct);
	gemp_buffer_free(&from, device);
	gemp_buffer_free(&to, device);
	gemp_free(expected);
	free(got);
	free(keys);
}

/* The cases cover short ranges in local memory, longer ranges in the cache, segments after one split and after two
 * splits, and sorting. */
static void distinct_keys(void **state)
{
	static const struct {
		unsigned bits, cached;
		size_t sparse;
	} ways[] = { { 10, 27, 1000000 }, { 17, 27, 1000000 }, { 20, 27, 1000000 },
		         { 19, 16, 1000000 }, { 26, 16, 1000000 }, { 31, 16, 0 } };
	uint64_t random = test_seed();
	(void)state;
	for (int form = 0; form < (device->gpu ? 1 : 2);
	     form++) /* the form by items needs more memory for the lines of 2,048 buckets than a GPU has */
		for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
			if (!thorough && (form ? w != 2 : w % 4 != 0 && w != 5))
				continue;
			boxes[form]->cached_bits = ways[w].cached;
			boxes[form]->sparse = ways[w].sparse;
			gemp_key_kind kind = w % 2 ? GEMP_KEY_F32 : GEMP_KEY_I32;
			check_distinct(boxes[form], kind, 0, 0, 1, &random);
			check_distinct(boxes[form], kind, 1, 5, 1, &random);
			check_distinct(boxes[form], kind, 1000 + gemp_random_below(&random, 5000), 1234567 + (w << 29),
			               ways[w].bits, &random);
		}
}

static int primitive_main(int argc, char **argv, bool all)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(scans), cmocka_unit_test(sorts), cmocka_unit_test(splits),
		                                cmocka_unit_test(distinct_keys) };
	thorough = all;
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	setenv("GEMP_CACHE_DIR", "", 1); /* without a cache, PoCL compiles only the launched kernels */
	if (gemp_device_open(&device, NULL, 0, 1, 0) != GEMP_OK)
		return TEST_SKIPPED;
	for (int form = 0; form < 3; form++)
		if (gemp_toolbox_new(&boxes[form], device, forms[form]) != GEMP_OK)
			return 1;
	int failed = test_main(tests);
	double seconds;
	for (int form = 0; form < 3; form++) {
		failed |= gemp_toolbox_seconds(boxes[form], &seconds) != GEMP_OK;
		gemp_toolbox_free(boxes[form]);
	}
	failed |= device->buffer_bytes != 0;
	gemp_device_close(device);
	return failed;
}

#endif
