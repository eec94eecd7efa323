/* Scan, compact and count against the host: sizes round the edges of words, groups and chunks, and groups of many sizes. */
#include "device/primitives.h"
#include "harness/harness.h"

#include "core/memory.h"
#include "core/random.h"

static gemp_device *device;
static gemp_primitives *primitives;
static uint64_t seed;

static int setup(void **state)
{
	(void)state;
	seed = test_seed();
	assert_ok(gemp_device_open(&device, NULL, 0, 1, 0));
	assert_ok(gemp_primitives_new(&primitives, device));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	gemp_primitives_free(primitives);
	assert_int_equal(device->held, 0);
	gemp_device_close(device);
	assert_int_equal(gemp_memory_blocks(), 0);
	return 0;
}

static uint32_t *random_words(size_t count, uint64_t bound)
{
	uint32_t *words = gemp_calloc(count + 1, sizeof *words);
	assert_non_null(words);
	for (size_t i = 0; i < count; i++)
		words[i] = (uint32_t)gemp_random_below(&seed, bound);
	return words;
}

static void check_scan(size_t count, uint64_t bound)
{
	uint32_t *values = random_words(count, bound), *got = random_words(count, 1), total = 77, sum = 0;
	gemp_buffer buffer;
	values[count] = got[count] = 0xabcdef;
	assert_ok(gemp_buffer_new(&buffer, device, (count + 1) * sizeof *values, values));
	assert_ok(gemp_scan_u32(primitives, &buffer, count, &total));
	assert_ok(gemp_buffer_read(device, &buffer, 0, buffer.size, got));
	for (size_t i = 0; i < count; sum += values[i], i++)
		if (got[i] != sum)
			fail_msg("scan of %zu: [%zu] is %u, not %u", count, i, got[i], sum);
	assert_int_equal(total, sum);
	assert_int_equal(got[count], 0xabcdef);
	gemp_buffer_free(&buffer, device);
	gemp_free(got);
	gemp_free(values);
}

/* density: of 256 bits so many are set; bits past `count` are set too, and must not be found. */
static void check_compact(size_t count, unsigned density, uint32_t base)
{
	size_t words = (count + 31) / 32, expected = 0, found = 99, counted = 99;
	uint32_t *bitmap = random_words(words, 1), *indices = random_words(count, 1), *got = random_words(count, 1);
	gemp_buffer bits, out;
	for (size_t i = 0; i < words * 32; i++)
		if (gemp_random_below(&seed, 256) < density) {
			bitmap[i / 32] |= 1u << i % 32;
			if (i < count)
				indices[expected++] = base + (uint32_t)i;
		}
	if (words && count % 32)
		bitmap[words - 1] |= ~0u << count % 32;
	assert_ok(gemp_buffer_new(&bits, device, words * sizeof *bitmap, bitmap));
	assert_ok(gemp_buffer_new(&out, device, expected * sizeof *got, NULL));
	assert_ok(gemp_count_bits(primitives, &bits, count, &counted));
	assert_ok(gemp_compact_bits(primitives, &bits, count, base, &out, &found));
	assert_int_equal(counted, expected);
	assert_int_equal(found, expected);
	assert_ok(gemp_buffer_read(device, &out, 0, out.size, got));
	for (size_t i = 0; i < expected; i++)
		if (got[i] != indices[i])
			fail_msg("compact of %zu: [%zu] is %u, not %u", count, i, got[i], indices[i]);
	gemp_buffer_free(&out, device);
	gemp_buffer_free(&bits, device);
	gemp_free(got);
	gemp_free(indices);
	gemp_free(bitmap);
}

static const size_t sizes[] = { 0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 1000, 1023, 1024, 1025,
	4095, 4096, 4097, 40000 };

static void check_sizes(void)
{
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		check_scan(sizes[i], 100);
		check_scan(sizes[i], (uint64_t)1 << 32);
		check_compact(sizes[i], 0, 0);
		check_compact(sizes[i], 3, 1000000);
		check_compact(sizes[i], 128, 7);
		check_compact(sizes[i], 256, 0);
	}
}

static void own_shape(void **state)
{
	(void)state;
	check_sizes();
}

/* Few different groups: PoCL compiles a kernel anew for each. */
static const size_t shapes[][2] = { { 1, 1 }, { 1, 7 }, { 3, 5 }, { 8, 4096 }, { 64, 2 }, { 256, 100000 } };
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void all_shapes(void **state)
{
	(void)state;
	for (size_t i = 0; i < SHAPES; i++) {
		gemp_primitives_shape(primitives, shapes[i][0], shapes[i][1]);
		check_sizes();
	}
}

static void random_sizes(void **state)
{
	(void)state;
	for (int i = 0; i < 60; i++) {
		size_t group = shapes[gemp_random_below(&seed, SHAPES)][0];
		gemp_primitives_shape(primitives, group, 1 + gemp_random_below(&seed, 40));
		check_scan(gemp_random_below(&seed, 3000), 1000);
		check_compact(gemp_random_below(&seed, 30000), (unsigned)gemp_random_below(&seed, 257), 0);
	}
}

static void large(void **state)
{
	(void)state;
	gemp_primitives_shape(primitives, device->gpu ? 256 : 1, 100);
	check_scan(((size_t)1 << 24) + 12345, 1000);
	check_compact(((size_t)1 << 24) + 12345, 20, 0);
	check_compact((size_t)1 << 20, 200, 4293918720u); /* indices up to 2^32 - 1 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_shape),
		cmocka_unit_test(all_shapes),
		cmocka_unit_test(random_sizes),
		cmocka_unit_test(large),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
