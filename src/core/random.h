/* random: seeded streams and hashes, the same on every machine.
 *
 * The stream is SplitMix64 (Steele, Lea and Flood 2014): its k-th number is gemp_mix(seed + k * golden), so any number
 * can be computed without those before it. Hashes are XXH3 with 64 bits (Collet). Files keep values of both (graph
 * hashes, relabellings), so neither may change.
 */

#ifndef GEMP_CORE_RANDOM_H
#define GEMP_CORE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* SplitMix64's finaliser (Steele, Lea, Flood 2014): a bijection of 64 bits. */
uint64_t gemp_mix(uint64_t x);

/* A stream: state is any seed; the k-th number of a stream is gemp_mix(seed + k * golden). */
uint64_t gemp_random(uint64_t *state);
double gemp_random_unit(uint64_t *state);                    /* [0, 1) */
uint64_t gemp_random_below(uint64_t *state, uint64_t bound); /* [0, bound), bound > 0, unbiased */

/* XXH3 of 64 bits. */
uint64_t gemp_hash(const void *bytes, size_t size, uint64_t seed);
/* out[i] = gemp_hash of the nine bytes: `first`, then keys[i], the highest byte first. */
void gemp_hash_keys(const uint64_t *keys, size_t count, unsigned char first, uint64_t seed, uint64_t *out);
/* The sum modulo 2^64 of gemp_hash(element i of `size` bytes, first + i). */
uint64_t gemp_hash_sum(const void *bytes, size_t size, size_t count, uint64_t first);

#endif
