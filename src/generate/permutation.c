/* The network permutes the numbers with the smallest even number of bits that includes n. A result that is not less
 * than n is permuted again, at most three times on average. gemp_permute_all permutes a block of numbers, then packs
 * the numbers that must be permuted again into the front of the block, so that all lanes of the vectors stay busy. */

#include "generate/permutation.h"

#include "core/random.h"
#include "core/types.h"
#include "core/vector.h"

enum {
	ROUNDS = 8, /* with 4 rounds the permutation is visibly uneven for small n */
	BLOCK = 512,
};

/* Bits of one half of a number. */
static unsigned half_bits(uint64_t n)
{
	unsigned half = 1;
	while (2 * half < 64 && (n - 1) >> (2 * half) != 0)
		half++;
	return half;
}

/* One application of the network, without the walk. */
static inline uint64_t network(uint64_t seed, unsigned half, uint64_t x)
{
	uint64_t mask = (UINT64_C(1) << half) - 1, left = x >> half, right = x & mask;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		uint64_t next = left ^ (gemp_mix(seed + round * GEMP_RANDOM_STEP + right) & mask);
		left = right;
		right = next;
	}
	return left << half | right;
}

uint64_t gemp_permute(uint64_t seed, uint64_t n, uint64_t x)
{
	unsigned half = half_bits(n);
	do
		x = network(seed, half, x);
	while (x >= n);
	return x;
}

/* The loop over rounds is the outer one, since compilers vectorise inner loops. The block stays in the L1 cache. */
GEMP_VECTOR_BODY void apply_loop(uint64_t seed, unsigned half, uint64_t *numbers, size_t count)
{
	uint64_t left[BLOCK], right[BLOCK], mask = (UINT64_C(1) << half) - 1;
	for (size_t i = 0; i < count; i++) {
		left[i] = numbers[i] >> half;
		right[i] = numbers[i] & mask;
	}
	for (uint64_t round = 0; round < ROUNDS; round += 2) {
		uint64_t first = seed + round * GEMP_RANDOM_STEP, second = first + GEMP_RANDOM_STEP;
		for (size_t i = 0; i < count; i++) {
			left[i] ^= gemp_mix(first + right[i]) & mask;
			right[i] ^= gemp_mix(second + left[i]) & mask;
		}
	}
	for (size_t i = 0; i < count; i++)
		numbers[i] = left[i] << half | right[i];
}
GEMP_VECTOR_LOOP(apply, (uint64_t seed, unsigned half, uint64_t *numbers, size_t count), (seed, half, numbers, count))

/* walking[] are the numbers that are not below n yet, and place[] their places in the block. */
static void permute_block(uint64_t seed, uint64_t n, unsigned half, uint64_t *numbers, size_t count)
{
	uint64_t walking[BLOCK];
	uint16_t place[BLOCK];
	size_t left = 0;
	apply(seed, half, numbers, count);
	for (size_t i = 0; i < count; i++) {
		walking[left] = numbers[i];
		place[left] = (uint16_t)i;
		left += numbers[i] >= n;
	}
	while (left > 0) {
		size_t before = left;
		apply(seed, half, walking, before);
		left = 0;
		for (size_t i = 0; i < before; i++) {
			uint64_t image = walking[i];
			uint16_t at = place[i];
			numbers[at] = image;
			walking[left] = image;
			place[left] = at;
			left += image >= n;
		}
	}
}

void gemp_permute_all(uint64_t seed, uint64_t n, uint64_t *numbers, size_t count)
{
	unsigned half = half_bits(n);
	for (size_t at = 0; at < count; at += BLOCK)
		permute_block(seed, n, half, numbers + at, gemp_min(count - at, BLOCK));
}
