/* random: seeded streams and hashes, the same on every little-endian machine.
 *
 * A stream is SplitMix64 (Steele, Lea and Flood 2014): its k-th number is gemp_mix(seed + k * golden), so any number
 * can be computed without the numbers before it. Hashes are XXH3 with 64 bits (Collet). Files contain results of both
 * (graph hashes, relabellings), so neither function may change. */

#ifndef GEMP_CORE_RANDOM_H
#define GEMP_CORE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* 2^64 divided by the golden ratio, SplitMix64's increment. */
#define GEMP_RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The finaliser of SplitMix64, a bijection of 64-bit numbers. It is inline, so that compilers vectorise loops of it. */
static inline uint64_t gemp_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* The next number of a stream. The initial state is the seed. */
uint64_t gemp_random(uint64_t *state);
double gemp_random_unit(uint64_t *state);                    /* [0, 1) */
uint64_t gemp_random_below(uint64_t *state, uint64_t bound); /* [0, bound), bound > 0, unbiased */

/* The 64-bit XXH3 hash. */
uint64_t gemp_hash(const void *bytes, size_t size, uint64_t seed);
/* out[i] becomes gemp_hash of nine bytes: `first`, then the bytes of keys[i], the highest byte first. */
void gemp_hash_keys(const uint64_t *keys, size_t count, unsigned char first, uint64_t seed, uint64_t *out);
/* The sum modulo 2^64 of the hashes of all elements; element i has `size` bytes and the seed first + i. */
uint64_t gemp_hash_sum(const void *bytes, size_t size, size_t count, uint64_t first);

#endif
