/* Tests blocks of deflate: zlib inflates streams of them to the same bytes. Matches of every length and of distances up
 * to the length of the window and beyond occur. */
#include "harness/harness.h"

#include "core/random.h"
#include "core/types.h"
#include "io/hdf5/deflate_blocks.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MAX_BYTES = 200000, ROOM = 3 * MAX_BYTES };

static unsigned char bytes[MAX_BYTES], inflated[MAX_BYTES + 1], packed[ROOM];
static gemp_deflate_codes codes;

static void start(gemp_deflate_stream *s)
{
	*s = (gemp_deflate_stream){ .out = packed };
	gemp_deflate_codes_init(&codes);
}

/* Ends the stream, inflates it and compares. Returns the size of the stream. */
static size_t finish(gemp_deflate_stream *s, size_t size)
{
	z_stream z = { 0 };
	gemp_deflate_bits(s, 3, 10);
	gemp_deflate_bits(s, 0, -s->count & 7);
	assert_true(s->size < ROOM);
	assert_int_equal(inflateInit2(&z, -MAX_WBITS), Z_OK);
	z.next_in = packed;
	z.avail_in = (uInt)s->size;
	z.next_out = inflated;
	z.avail_out = sizeof inflated;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.total_out, size);
	assert_int_equal(z.avail_in, 0);
	assert_memory_equal(inflated, bytes, size);
	inflateEnd(&z);
	return s->size;
}

static size_t pack_matches(size_t size)
{
	gemp_deflate_stream s;
	start(&s);
	gemp_deflate_matches(&s, &codes, bytes, size);
	return finish(&s, size);
}

/* Noise, then the first `length` bytes again at every distance around those at which the symbol changes. */
static void every_length_and_distance(void **state)
{
	(void)state;
	const uint64_t seed = test_seed();
	for (size_t i = 0; i < 400; i++)
		bytes[i] = (unsigned char)gemp_mix(seed + i);
	for (size_t length = 1; length < 300; length++) {
		memcpy(bytes + 400, bytes + 50, length);
		pack_matches(400 + length);
	}
	for (size_t power = 1; power <= 1 << 16; power *= 2)
		for (size_t distance = power > 2 ? power - 1 : 1; distance <= power + power / 2 + 1;
		     distance += gemp_max(power / 4, 1)) {
			for (size_t i = 0; i < distance + 300; i++)
				bytes[i] = i < distance ? (unsigned char)gemp_mix(seed + 7 * i) : bytes[i - distance];
			const size_t size = pack_matches(distance + 300);
			assert_true(distance < 8 || distance > 32768 || size < distance + distance / 8 + 64);
		}
}

/* Alphabets of one byte to 256, of low bytes and of high ones, whose literals have 8 and 9 bits. */
static void any_bytes(void **state)
{
	(void)state;
	const uint64_t seed = test_seed();
	for (uint64_t round = 0; round < 300; round++) {
		const uint64_t random = gemp_mix(seed + round), letters = 1 + random % (round % 2 ? 5 : 256);
		const size_t size = random / 512 % (round % 10 ? 3000 : MAX_BYTES);
		for (size_t i = 0; i < size; i++)
			bytes[i] = (unsigned char)(random + gemp_mix(random + i) % letters);
		assert_true(pack_matches(size) <= size + size / 8 + 16);
	}
}

static void blocks_in_any_order(void **state)
{
	(void)state;
	const uint64_t seed = test_seed();
	for (uint64_t round = 0; round < 300; round++) {
		gemp_deflate_stream s;
		size_t at = 0;
		start(&s);
		for (uint64_t block = 0; block < 6; block++) {
			const uint64_t random = gemp_mix(seed + 10 * round + block);
			const size_t size = random / 64 % (random % 9 ? 600 : 30000) + 1;
			for (size_t i = 0; i < size; i++)
				bytes[at + i] = random % 3 ? (unsigned char)(gemp_mix(random + i) % 7 * 40) : (unsigned char)random;
			if (random % 3 == 0)
				gemp_deflate_equal(&s, &codes, (unsigned char)random, size);
			else if (random % 3 == 1)
				gemp_deflate_matches(&s, &codes, bytes + at, size);
			else
				gemp_deflate_stored(&s, bytes + at, size);
			at += size;
		}
		finish(&s, at);
	}
	for (size_t i = 0; i < MAX_BYTES; i++)
		bytes[i] = (unsigned char)gemp_mix(i);
	gemp_deflate_stream s;
	start(&s);
	gemp_deflate_stored(&s, NULL, 0);
	gemp_deflate_stored(&s, bytes, MAX_BYTES);
	assert_int_equal(finish(&s, MAX_BYTES), 5 + MAX_BYTES + 5 * (MAX_BYTES / GEMP_DEFLATE_STORED + 1) + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_length_and_distance),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(blocks_in_any_order),
	};
	return test_main(tests);
}
