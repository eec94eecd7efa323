#define XXH_INLINE_ALL /* lets the compiler specialise XXH3 for constant sizes */

#include "core/random.h"

#include "core/vector.h"

#include <string.h>
#include <xxhash.h>

uint64_t gemp_random(uint64_t *state)
{
	return gemp_mix(*state += GEMP_RANDOM_STEP);
}

/* The 53 high bits fill the significand of a double exactly. */
double gemp_random_unit(uint64_t *state)
{
	return (double)(gemp_random(state) >> 11) * 0x1p-53;
}

/* Rejects the lowest 2^64 mod bound numbers, so that all remainders have the same probability. */
uint64_t gemp_random_below(uint64_t *state, uint64_t bound)
{
	uint64_t threshold = -bound % bound, x;
	do
		x = gemp_random(state);
	while (x < threshold);
	return x % bound;
}

uint64_t gemp_hash(const void *bytes, size_t size, uint64_t seed)
{
	return XXH3_64bits_withSeed(bytes, size, seed);
}

/* Swaps the bytes of a key, so that its highest byte comes first on a little-endian machine. */
void gemp_hash_keys(const uint64_t *keys, size_t count, unsigned char first, uint64_t seed, uint64_t *out)
{
	for (size_t i = 0; i < count; i++) {
		unsigned char bytes[1 + sizeof *keys] = { first };
		uint64_t big = __builtin_bswap64(keys[i]);
		memcpy(bytes + 1, &big, sizeof big);
		out[i] = XXH3_64bits_withSeed(bytes, sizeof bytes, seed);
	}
}

/* For a constant size, the compiler drops the code of XXH3 for all other sizes and vectorises what is left. Unlike a
 * hash of all bytes, the sum does not depend on how the elements are divided among threads and ranks. */
#define SUM_OF(name, type)                                                                               \
	GEMP_VECTOR_BODY void name##_loop(const type *elements, size_t count, uint64_t first, uint64_t *out) \
	{                                                                                                    \
		uint64_t sum = 0;                                                                                \
		for (size_t i = 0; i < count; i++)                                                               \
			sum += XXH3_64bits_withSeed(&elements[i], sizeof(type), first + i);                          \
		*out = sum;                                                                                      \
	}                                                                                                    \
	GEMP_VECTOR_LOOP(name, (const type *elements, size_t count, uint64_t first, uint64_t *out),          \
	                 (elements, count, first, out))
SUM_OF(sum_of_bytes, uint8_t)
SUM_OF(sum_of_words, uint32_t)
SUM_OF(sum_of_long_words, uint64_t)

/* The three common element sizes have specialised loops. */
uint64_t gemp_hash_sum(const void *bytes, size_t size, size_t count, uint64_t first)
{
	uint64_t sum = 0;
	if (size == sizeof(uint8_t))
		sum_of_bytes(bytes, count, first, &sum);
	else if (size == sizeof(uint32_t))
		sum_of_words(bytes, count, first, &sum);
	else if (size == sizeof(uint64_t))
		sum_of_long_words(bytes, count, first, &sum);
	else
		for (size_t i = 0; i < count; i++)
			sum += XXH3_64bits_withSeed((const char *)bytes + i * size, size, first + i);
	return sum;
}
