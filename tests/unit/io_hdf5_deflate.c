/* Tests packed chunks: zlib unpacks them to the byte planes of the elements, and equal planes and noise are packed as
 * well as they can be. */
#include "harness/harness.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/types.h"
#include "io/hdf5/hdf5_deflate.h"

#include <string.h>
#include <zlib.h>

enum { MAX_COUNT = 70000, MAX_BYTES = 8 * MAX_COUNT };

static unsigned char elements[MAX_BYTES], planes[MAX_BYTES];

/* Every byte of an element has a rule of its own, so the planes of a chunk differ. */
static unsigned char byte_by_rule(uint64_t rule, uint64_t seed, size_t i)
{
	const uint64_t noise = gemp_mix(seed + i);
	switch (rule % 9) {
	case 0: return 0;
	case 1: return 0xFF;
	case 2: return 143; /* the last literal with a short code */
	case 3: return (unsigned char)noise;
	case 4: return (unsigned char)(i / 5);
	case 5: return (unsigned char)i;
	case 6: return noise % 3 == 0;
	case 7: return (unsigned char)(gemp_mix(seed + i % 1000));
	default: return (unsigned char)(i % 40000 == 39999); /* equal but for few */
	}
}

static size_t pack(gemp_deflater *deflater, size_t size, size_t count)
{
	size_t bytes = 0;
	uLongf unpacked = sizeof planes;
	const char *packed = gemp_deflater_pack(deflater, elements, size, count, &bytes);
	assert_non_null(packed);
	assert_int_equal(uncompress(planes, &unpacked, (const Bytef *)packed, bytes), Z_OK);
	assert_int_equal(unpacked, size * count);
	for (size_t byte = 0; byte < size; byte++)
		for (size_t i = 0; i < count; i++)
			if (planes[byte * count + i] != elements[i * size + byte])
				fail_msg("byte %zu of element %zu of %zu differs", byte, i, count);
	return bytes;
}

static void planes_of_every_kind(void **state)
{
	(void)state;
	static const size_t sizes[] = { 1, 2, 4, 8 },
						counts[] = { 1, 2, 258, 259, 260, 4096, 4097, 65535, 65536, MAX_COUNT };
	const uint64_t seed = test_seed();
	gemp_deflater *deflater;
	assert_ok(gemp_deflater_new(&deflater, MAX_BYTES));
	for (uint64_t round = 0; round < 120; round++) {
		const size_t size = sizes[gemp_mix(seed + 7 * round) % 4], count = counts[round % 10];
		for (size_t byte = 0; byte < size; byte++) {
			const uint64_t rule = gemp_mix(seed + 100 * round + byte);
			for (size_t i = 0; i < count; i++)
				elements[i * size + byte] = byte_by_rule(rule, rule, i);
		}
		const size_t once = pack(deflater, size, count);
		assert_true(once <= size * count + size * (64 + 5 * (count / 65535)));
		assert_int_equal(pack(deflater, size, count), once);
	}
	gemp_deflater_free(deflater);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* 65,536 integers below 2^19: two planes of noise are stored, one has three bits a byte, and five are equal. */
static void random_integers(void **state)
{
	(void)state;
	const uint64_t seed = test_seed();
	const size_t count = 65536;
	gemp_deflater *deflater;
	assert_ok(gemp_deflater_new(&deflater, 8 * count));
	for (size_t i = 0; i < count; i++) {
		const uint64_t element = gemp_mix(seed + i) >> 45;
		memcpy(elements + 8 * i, &element, sizeof element);
	}
	const size_t noise = pack(deflater, 8, count);
	assert_true(noise < 2.4 * (double)count + 4000);
	for (size_t i = 0; i < count; i++)
		memcpy(elements + 8 * i, &(uint64_t){ i / 3 }, 8);
	assert_true(pack(deflater, 8, count) < count / 5);
	memset(elements, 'x', 8 * count);
	assert_true(pack(deflater, 8, count) < 4000);
	gemp_deflater_free(deflater);
}

static gemp_code make_and_free(void *argument)
{
	gemp_deflater *deflater = NULL;
	const gemp_code code = gemp_deflater_new(&deflater, *(size_t *)argument);
	gemp_deflater_free(deflater);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	assert_survives_no_memory(make_and_free, &(size_t){ 1000 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planes_of_every_kind),
		cmocka_unit_test(random_integers),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main(tests);
}
