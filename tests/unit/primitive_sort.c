/* Tests sorts and splits on the host: sorts are stable and right for every kind of key, and splits keep every element
 * with its value. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "primitive/distinct.h"
#include "primitive/key.h"
#include "primitive/sort.h"
#include "primitive/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -2 for NaN with a sign, 0 for a number, 2 for NaN without a sign. */
static int float_rank(double x)
{
	return isnan(x) ? (signbit(x) ? -2 : 2) : 0;
}

static int compare_reals(double a, double b)
{
	int ra = float_rank(a), rb = float_rank(b);
	if (ra || rb)
		return ra - rb;
	if (a == b)
		return (int)(signbit(b) != 0) - (int)(signbit(a) != 0);
	return a < b ? -1 : 1;
}

static int compare(gemp_key_kind kind, const void *a, const void *b)
{
#define BY(type)                  \
	do {                          \
		type x, y;                \
		memcpy(&x, a, sizeof x);  \
		memcpy(&y, b, sizeof y);  \
		return (x > y) - (x < y); \
	} while (0)
	float fx, fy;
	double dx, dy;
	switch (kind) {
	case GEMP_KEY_U32: BY(uint32_t);
	case GEMP_KEY_U64: BY(uint64_t);
	case GEMP_KEY_I32: BY(int32_t);
	case GEMP_KEY_I64: BY(int64_t);
	case GEMP_KEY_F32:
		memcpy(&fx, a, 4);
		memcpy(&fy, b, 4);
		return compare_reals((double)fx, (double)fy);
	default:
		memcpy(&dx, a, 8);
		memcpy(&dy, b, 8);
		return compare_reals(dx, dy);
	}
}

/* Draws the bits of a key: from few or many values, with all or few bits set, with some special floats. */
static uint64_t draw(gemp_key_kind kind, unsigned how, uint64_t *random)
{
	uint64_t bits = gemp_random(random);
	static const double special[] = { 0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 1e-310 };
	double real = special[bits % 8];
	float narrow = (float)real;
	uint32_t narrow_bits;
	switch (how) {
	case 0: return bits;
	case 1: return bits % 7;
	case 2: return bits & 0x00ff0000ff0000ff;
	case 3: return 42;
	default:
		if (kind == GEMP_KEY_F32) {
			memcpy(&narrow_bits, &narrow, 4);
			return narrow_bits;
		}
		if (kind == GEMP_KEY_F64)
			memcpy(&bits, &real, 8);
		return bits;
	}
}

static void check_sort(gemp_sort sort, size_t count, unsigned how, uint64_t *random)
{
	unsigned size = gemp_key_size(sort.key);
	char *keys = malloc(count * size + 1), *before = malloc(count * size + 1);
	void *values = malloc(count * 8 + 1);
	bool *seen = calloc(count + 1, sizeof *seen);
	for (size_t i = 0; i < count; i++) {
		gemp_key_put(keys, i, size, draw(sort.key, how, random));
		gemp_key_put(values, i, sort.value_size == 8 ? 8 : 4, i);
	}
	memcpy(before, keys, count * size);
	assert_ok(gemp_sort_host(&sort, keys, sort.value_size ? values : NULL, count));
	for (size_t i = 0; i < count; i++) {
		int order = i ? compare(sort.key, keys + (i - 1) * size, keys + i * size) : 0;
		assert_true(sort.descending ? order >= 0 : order <= 0);
		if (!sort.value_size)
			continue;
		size_t from = gemp_key_get(values, i, sort.value_size);
		assert_true(from < count && !seen[from]);
		seen[from] = true;
		assert_memory_equal(keys + i * size, before + from * size, size);
		if (i && memcmp(keys + (i - 1) * size, keys + i * size, size) == 0)
			assert_true(gemp_key_get(values, i - 1, sort.value_size) < from); /* equal keys keep their order */
	}
	free(keys);
	free(before);
	free(values);
	free(seen);
}

static void sorts(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 3, 100, 1000, 70000 };
	uint64_t random = test_seed();
	(void)state;
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
		for (int kind = 0; kind < GEMP_KEY_KINDS; kind++)
			for (unsigned how = 0; how < 5; how++)
				check_sort(
					(gemp_sort){ kind, gemp_random_below(&random, 2), 4 * (unsigned)gemp_random_below(&random, 3) },
					counts[c], how, &random);
}

static void codes_are_undone(void **state)
{
	uint64_t random = test_seed();
	(void)state;
	for (int i = 0; i < 10000; i++) {
		gemp_key_kind kind = (gemp_key_kind)(i % GEMP_KEY_KINDS);
		gemp_key_map map = gemp_key_map_of(kind, i / GEMP_KEY_KINDS % 2);
		uint64_t key = gemp_random(&random) & (map.size == 4 ? UINT32_MAX : UINT64_MAX);
		assert_int_equal(gemp_key_of_code(gemp_key_code(key, map), map), key);
	}
}

static void check_split(size_t count, gemp_multisplit split, uint64_t *random)
{
	uint32_t *keys = malloc(count * 4 + 1), *out = malloc(count * 4 + 1), *values = malloc(count * 4 + 1);
	uint32_t *out_values = malloc(count * 4 + 1);
	uint64_t *begin = malloc((((size_t)1 << split.bits) + 1) * 8);
	for (size_t i = 0; i < count; i++) {
		keys[i] = (uint32_t)(split.min_code + gemp_random_below(random, (uint64_t)1 << (split.shift + split.bits)));
		values[i] = (uint32_t)i;
	}
	assert_ok(gemp_split_host(&split, keys, values, count, out, out_values, begin));
	assert_int_equal(begin[0], 0);
	assert_int_equal(begin[(size_t)1 << split.bits], count);
	for (size_t b = 0; b >> split.bits == 0; b++)
		for (size_t i = begin[b]; i < begin[b + 1]; i++) {
			assert_int_equal((out[i] - split.min_code) >> split.shift, b);
			assert_int_equal(keys[out_values[i]], out[i]);
			assert_true(i == begin[b] || out_values[i - 1] < out_values[i]);
		}
	free(keys);
	free(out);
	free(values);
	free(out_values);
	free(begin);
}

static void splits(void **state)
{
	uint64_t random = test_seed();
	(void)state;
	for (int i = 0; i < 60; i++) {
		gemp_multisplit split = { .key = GEMP_KEY_U32,
			                      .value_size = 4,
			                      .bits = 1 + (unsigned)gemp_random_below(&random, 11) };
		split.shift = (unsigned)gemp_random_below(&random, 20);
		split.min_code = gemp_random_below(&random, 1000);
		check_split(gemp_random_below(&random, i % 6 ? 3000 : 200000), split, &random);
	}
}

static void check_distinct(gemp_key_kind kind, size_t count, unsigned bits, unsigned how, uint64_t *random)
{
	unsigned size = gemp_key_size(kind);
	char *keys = malloc(count * size + 1), *sorted = malloc(count * size + 1);
	void *got;
	size_t distinct, counted, expected = 0;
	uint64_t mask = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX, least = gemp_random(random) & UINT32_MAX >> 4;
	for (size_t i = 0; i < count; i++) {
		uint64_t x = gemp_random(random);
		gemp_key_put(keys, i, size, how == 0 ? least + (x & mask) : how == 1 ? i / 3 : draw(kind, how, random));
	}
	memcpy(sorted, keys, count * size);
	assert_ok(gemp_sort_host(&(gemp_sort){ .key = kind }, sorted, NULL, count));
	for (size_t i = 0; i < count; i++)
		if (i == 0 || memcmp(sorted + (i - 1) * size, sorted + i * size, size) != 0)
			memmove(sorted + expected++ * size, sorted + i * size, size);
	assert_ok(gemp_distinct_host(kind, keys, count, &got, &distinct));
	assert_ok(gemp_distinct_host(kind, keys, count, NULL, &counted));
	assert_true(distinct == expected && counted == expected);
	assert_memory_equal(got, sorted, expected * size);
	gemp_free(got);
	free(keys);
	free(sorted);
}

static void distinct_keys(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 100, 30000, 300000 };
	static const unsigned bits[] = { 1, 10, 20, 22, 25, 40, 64 };
	uint64_t random = test_seed();
	(void)state;
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
		for (size_t b = 0; b < sizeof bits / sizeof *bits; b++)
			check_distinct((gemp_key_kind)(c + b) % GEMP_KEY_KINDS, counts[c], bits[b], (unsigned)(b % 5), &random);
	for (size_t b = 0; b < sizeof bits / sizeof *bits; b++)
		check_distinct(GEMP_KEY_U32, 300000, bits[b], 0, &random);
}

static gemp_code distinct_in_buckets(void *unused)
{
	(void)unused;
	enum { COUNT = 20000 };
	uint32_t *keys = gemp_calloc(COUNT, sizeof *keys);
	void *out = NULL;
	size_t distinct;
	if (!keys)
		return GEMP_ENOMEM;
	for (uint32_t i = 0; i < COUNT; i++)
		keys[i] = i * 2654435761u >> 9;
	gemp_code code = gemp_distinct_host(GEMP_KEY_U32, keys, COUNT, &out, &distinct);
	gemp_free(out);
	gemp_free(keys);
	return code;
}

static gemp_code sort_some(void *unused)
{
	(void)unused;
	uint32_t keys[] = { 3, 1, 2 };
	uint64_t values[] = { 3, 1, 2 };
	return gemp_sort_host(&(gemp_sort){ GEMP_KEY_U32, false, 8 }, keys, values, 3);
}

static void memory_runs_out(void **state)
{
	(void)state;
	assert_survives_no_memory(sort_some, NULL);
	assert_survives_no_memory(distinct_in_buckets, NULL);
}

static void on_one_thread(void **state)
{
	gemp_threads_limit(1);
	sorts(state);
	splits(state);
	gemp_threads_limit(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_are_undone), cmocka_unit_test(sorts),           cmocka_unit_test(splits),
		cmocka_unit_test(distinct_keys),    cmocka_unit_test(memory_runs_out), cmocka_unit_test(on_one_thread),
	};
	return test_main(tests);
}
