/* Tests packed arrays: every size of elements, every count around multiples of 8 and 64, and damage. */
#include "core/random.h"
#include "harness/harness.h"
#include "io/hdf5/bit_planes.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SIZE = 17, MAX_COUNT = 700 };

static unsigned char in[MAX_SIZE * MAX_COUNT], out[MAX_SIZE * MAX_COUNT];
static char planes[MAX_SIZE * MAX_COUNT];

static void test_round_trip(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	char *packed = malloc(gemp_planes_bound(sizeof in));
	for (int i = 0; i < 3000; i++) {
		size_t size = 1 + gemp_random_below(&random, MAX_SIZE),
			   count = gemp_random_below(&random, i % 2 ? 80 : MAX_COUNT);
		uint64_t range = 1 + gemp_random_below(&random, 256);
		for (size_t b = 0; b < size * count; b++)
			in[b] = (unsigned char)gemp_random_below(&random, range);
		size_t bytes = gemp_planes_pack(packed, in, size, count, planes);
		assert_true(bytes > 0 && bytes <= gemp_planes_bound(size * count));
		memset(out, 0xA5, sizeof out);
		assert_true(gemp_planes_unpack(out, packed, bytes, size, count, planes));
		assert_memory_equal(in, out, size * count);
		assert_true(size * count == sizeof out || out[size * count] == 0xA5);
		assert_false(gemp_planes_unpack(out, packed, bytes - 1, size, count, planes));
		assert_false(gemp_planes_unpack(out, packed, bytes, size, count + 1, planes));
	}
	free(packed);
}

/* The place of one bit, as the format says. */
static void test_order_of_planes(void **state)
{
	(void)state;
	for (size_t e = 0; e < 128; e += 9)
		for (unsigned bit = 0; bit < 32; bit++) {
			char packed[2048];
			memset(in, 0, 512);
			in[4 * e + bit / 8] = (unsigned char)(1u << bit % 8);
			assert_true(gemp_planes_pack(packed, in, 4, 128, planes) > 0);
			for (size_t at = 0; at < 512; at++)
				assert_int_equal((unsigned char)planes[at], at == bit * 16 + e / 8 ? 1u << e % 8 : 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_order_of_planes),
	};
	return test_main(tests);
}
