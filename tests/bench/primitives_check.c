/* primitives_check [ROUNDS]: compares sort, split, distinct and scan of random arrays of many sizes on a device with
 * the same on the host. Sort and distinct have all kinds of keys, split has u32 keys, scan has u64 numbers. It needs no
 * cmocka, so it runs on machines without the test libraries. GEMP_TEST_SEED repeats a run. The exit code is 1 if any
 * answer was wrong. */
#include "core/memory.h"
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

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static gemp_device *device;
static gemp_toolbox *box, *passes; /* `passes` sorts by the algorithm that a GPU does not use by default */
static uint64_t seed;
static unsigned wrong, done;

static void need(gemp_code code)
{
	if (code == GEMP_OK)
		return;
	fprintf(stderr, "%s\n", gemp_message());
	exit(1);
}

static void verdict(bool right, const char *what, gemp_key_kind kind, unsigned value_size, unsigned bits, size_t count)
{
	done++;
	if (right)
		return;
	wrong++;
	printf("WRONG: %s of %zu %s, values of %u bytes, %u bits\n", what, count, gemp_key_name[kind], value_size, bits);
}

/* Draws the size of an array. One size in three is near a multiple of a tile size. */
static size_t draw_count(void)
{
	static const size_t most[] = { 3, 100, 6000, 20000, 300000, 3000000 };
	if (gemp_random_below(&seed, 3) == 0)
		return (1 + gemp_random_below(&seed, 300)) * 256 * (gemp_random(&seed) & 1 ? 20 : 16) - 1 +
		       gemp_random_below(&seed, 3);
	return 1 + gemp_random_below(&seed, most[gemp_random_below(&seed, 6)]);
}

/* Draws keys whose codes are `least` plus a number below 2^bits (of 4-byte keys the low 32 bits); some codes are
 * frequent. In one array of four all keys but the first two are equal. */
static void *draw_keys(gemp_key_kind kind, size_t count, uint64_t least, unsigned bits)
{
	gemp_key_map map = gemp_key_map_of(kind, false);
	uint64_t far = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX, often = gemp_random(&seed);
	bool alike = gemp_random_below(&seed, 4) == 0;
	void *keys = gemp_calloc(count, map.size);
	for (size_t i = 0; i < count; i++) {
		uint64_t x = gemp_random(&seed);
		uint64_t code = least + (i == 0 ? 0 : i == 1 ? far : (alike ? often : x >> 60 ? x : often & x >> 56) & far);
		gemp_key_put(keys, i, map.size, gemp_key_of_code(map.size == 4 ? code & UINT32_MAX : code, map));
	}
	return keys;
}

static void check_sort(void)
{
	gemp_sort sort = { (gemp_key_kind)gemp_random_below(&seed, GEMP_KEY_KINDS), gemp_random(&seed) & 1,
		               4 * (unsigned)gemp_random_below(&seed, 3) };
	unsigned size = gemp_key_size(sort.key), bits = 1 + (unsigned)gemp_random_below(&seed, 8 * size);
	size_t count = draw_count();
	void *keys = draw_keys(sort.key, count, 0, bits), *values = gemp_calloc(count, 8), *got = gemp_calloc(count, 8);
	gemp_sort_buffers b = { 0 };
	for (size_t i = 0; i < count; i++)
		gemp_key_put(values, i, sort.value_size ? sort.value_size : 4, i);
	for (int k = 0; k < 2; k++) {
		need(gemp_buffer_new(&b.keys[k], device, count * size, keys));
		if (sort.value_size)
			need(gemp_buffer_new(&b.values[k], device, count * sort.value_size, values));
	}
	need(gemp_sort_device(gemp_random_below(&seed, 4) ? box : passes, &sort, &b, count, 0));
	need(gemp_sort_host(&sort, keys, values, count));
	need(gemp_buffer_read(device, &b.keys[0], 0, count * size, got));
	verdict(memcmp(got, keys, count * size) == 0, "sort, keys", sort.key, sort.value_size, bits, count);
	if (sort.value_size) {
		need(gemp_buffer_read(device, &b.values[0], 0, count * sort.value_size, got));
		verdict(memcmp(got, values, count * sort.value_size) == 0, "sort, values", sort.key, sort.value_size, bits,
		        count);
	}
	for (int k = 0; k < 2; k++) {
		gemp_buffer_free(&b.keys[k], device);
		gemp_buffer_free(&b.values[k], device);
	}
	gemp_free(keys);
	gemp_free(values);
	gemp_free(got);
}

/* A split may order the elements of a bucket in any way, so buckets are compared by sums over their elements. */
static void sum_buckets(const uint32_t *keys, const uint32_t *values, const uint32_t *begin, size_t buckets,
                        uint64_t *sums)
{
	for (size_t b = 0; b < buckets; b++) {
		sums[b] = 0;
		for (size_t i = begin[b]; i < begin[b + 1]; i++)
			sums[b] += gemp_mix((uint64_t)keys[i] << 32 | values[i]);
	}
}

static void check_split(void)
{
	gemp_multisplit split = { .key = GEMP_KEY_U32,
		                      .value_size = gemp_random(&seed) & 4,
		                      .bits = 1 + (unsigned)gemp_random_below(&seed, 11),
		                      .min_code = gemp_random_below(&seed, 1000000) };
	size_t count = draw_count(), buckets = (size_t)1 << split.bits;
	split.shift = (unsigned)gemp_random_below(&seed, 20);
	uint32_t *keys = draw_keys(split.key, count, split.min_code, split.shift + split.bits),
			 *values = gemp_calloc(count, 4);
	uint32_t *out[2], *out_values[2], *begin[2];
	uint64_t *wide = gemp_calloc(buckets + 1, 8), *sums[2];
	gemp_buffer b[4], b_begin;
	for (int k = 0; k < 2; k++) {
		out[k] = gemp_calloc(count, 4);
		out_values[k] = gemp_calloc(count, 4);
		begin[k] = gemp_calloc(buckets + 1, 4);
		sums[k] = gemp_calloc(buckets, 8);
	}
	for (size_t i = 0; i < count; i++)
		values[i] = split.value_size ? (uint32_t)i : 0;
	for (int k = 0; k < 4; k++)
		need(gemp_buffer_new(&b[k], device, count * 4, k == 0 ? keys : k == 1 ? values : NULL));
	need(gemp_buffer_new(&b_begin, device, (buckets + 1) * 4, NULL));
	need(gemp_split_device(box, &split, &b[0], &b[1], count, &b[2], &b[3], &b_begin));
	need(gemp_split_host(&split, keys, values, count, out[0], out_values[0], wide));
	for (size_t k = 0; k <= buckets; k++)
		begin[0][k] = (uint32_t)wide[k];
	need(gemp_buffer_read(device, &b[2], 0, count * 4, out[1]));
	need(gemp_buffer_read(device, &b_begin, 0, (buckets + 1) * 4, begin[1]));
	if (split.value_size)
		need(gemp_buffer_read(device, &b[3], 0, count * 4, out_values[1]));
	bool right = memcmp(begin[0], begin[1], (buckets + 1) * 4) == 0;
	for (int k = 0; k < 2 && right; k++)
		sum_buckets(out[k], out_values[k], begin[k], buckets, sums[k]);
	verdict(right && memcmp(sums[0], sums[1], buckets * 8) == 0, "split", split.key, split.value_size, split.bits,
	        count);
	for (int k = 0; k < 4; k++)
		gemp_buffer_free(&b[k], device);
	gemp_buffer_free(&b_begin, device);
	for (int k = 0; k < 2; k++) {
		gemp_free(out[k]);
		gemp_free(out_values[k]);
		gemp_free(begin[k]);
		gemp_free(sums[k]);
	}
	gemp_free(keys);
	gemp_free(values);
	gemp_free(wide);
}

static void check_distinct(void)
{
	static const unsigned some[] = { 1, 10, 16, 18, 20, 24, 26, 27, 28, 30, 31, 32 };
	gemp_key_kind kind = (gemp_key_kind)gemp_random_below(&seed, GEMP_KEY_KINDS);
	unsigned size = gemp_key_size(kind), bits = some[gemp_random_below(&seed, 12)];
	size_t count = bits > 27 ? 1000000 + gemp_random_below(&seed, 40000000) : draw_count(), expected, found;
	uint64_t least = bits == 32 && size == 4 ? 0 : gemp_random_below(&seed, (uint64_t)1 << 31);
	void *keys = draw_keys(kind, count, least, bits), *out, *got;
	gemp_buffer from, to;
	need(gemp_buffer_new(&from, device, count * size, keys));
	need(gemp_distinct_device(box, kind, &from, count, &to, &found));
	need(gemp_distinct_host(kind, keys, count, &out, &expected));
	got = gemp_calloc(expected, size);
	if (found == expected)
		need(gemp_buffer_read(device, &to, 0, expected * size, got));
	verdict(found == expected && memcmp(got, out, expected * size) == 0, "distinct", kind, 0, bits, count);
	gemp_buffer_free(&from, device);
	gemp_buffer_free(&to, device);
	gemp_free(keys);
	gemp_free(out);
	gemp_free(got);
}

static void check_scan(void)
{
	size_t count = draw_count();
	uint64_t *numbers = gemp_calloc(count, 8), *sums = gemp_calloc(count + 1, 8), *got = gemp_calloc(count + 1, 8);
	gemp_buffer b;
	for (size_t i = 0; i < count; i++)
		numbers[i] = gemp_random(&seed);
	need(gemp_buffer_new(&b, device, (count + 1) * 8, NULL));
	need(gemp_buffer_write(device, &b, 0, count * 8, numbers));
	need(gemp_scan_device(box, &b, 8, &b, 8, count));
	for (size_t i = 0; i < count; i++)
		sums[i + 1] = sums[i] + numbers[i];
	need(gemp_buffer_read(device, &b, 0, (count + 1) * 8, got));
	verdict(memcmp(sums, got, (count + 1) * 8) == 0, "scan", GEMP_KEY_U64, 0, 64, count);
	gemp_buffer_free(&b, device);
	gemp_free(numbers);
	gemp_free(sums);
	gemp_free(got);
}

int main(int argc, char **argv)
{
	static void (*const checks[])(
		void) = { check_sort, check_split, check_sort, check_distinct, check_sort, check_scan };
	long rounds = argc > 1 ? atol(argv[1]) : 100;
	const char *given = getenv("GEMP_TEST_SEED");
	seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
	printf("seed %" PRIu64 "\n", seed);
	need(gemp_device_open(&device, NULL, 0, 1, 0));
	need(gemp_toolbox_new(&box, device, GEMP_FORM_AUTO));
	need(gemp_toolbox_new(&passes, device, device->gpu ? GEMP_FORM_GROUPS : GEMP_FORM_AUTO));
	for (long i = 0; i < rounds; i++)
		checks[i % 6]();
	printf("%s: %u comparisons, %u wrong\n", device->name, done, wrong);
	gemp_toolbox_free(passes);
	gemp_toolbox_free(box);
	gemp_device_close(device);
	return wrong > 0;
}
