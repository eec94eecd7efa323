/* bitset: sets of small numbers as bits. The words have 32 bits, so that kernels can read them, or 64 bits, for the
 * host only.
 *
 * A set is words[ceil(bits / 32)] or words[ceil(bits / 64)]. Bit i lies in word i / 32 or i / 64, and lower bits come
 * first. Functions with `atomic` in their name may run concurrently. Their memory order is relaxed, since the end of
 * the parallel loop orders them. They read the word before they change it: most bits are already set, and a read leaves
 * the cache line shared with other cores. */

#ifndef GEMP_CORE_BITSET_H
#define GEMP_CORE_BITSET_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t gemp_bits32_words(uint64_t bits)
{
	return (size_t)((bits + 31) / 32);
}

static inline bool gemp_bits32_test(const uint32_t *words, uint64_t i)
{
	return words[i / 32] >> i % 32 & 1;
}

static inline void gemp_bits32_set(uint32_t *words, uint64_t i)
{
	words[i / 32] |= UINT32_C(1) << i % 32;
}

static inline void gemp_bits32_clear(uint32_t *words, uint64_t i)
{
	words[i / 32] &= ~(UINT32_C(1) << i % 32);
}

/* Returns whether the bit was set before. */
static inline bool gemp_bits32_set_atomic(uint32_t *words, uint64_t i)
{
	uint32_t bit = UINT32_C(1) << i % 32;
	return __atomic_load_n(&words[i / 32], __ATOMIC_RELAXED) & bit ||
	       __atomic_fetch_or(&words[i / 32], bit, __ATOMIC_RELAXED) & bit;
}

/* Returns the number of set bits in word i / 32 before bit i. */
static inline uint32_t gemp_bits32_count_before(uint32_t word, uint64_t i)
{
	return (uint32_t)__builtin_popcount(word & ((UINT32_C(1) << i % 32) - 1));
}

static inline uint64_t gemp_bits32_count(const uint32_t *words, size_t count)
{
	uint64_t bits = 0;
	for (size_t w = 0; w < count; w++)
		bits += (uint64_t)__builtin_popcount(words[w]);
	return bits;
}

/* Sets bits [low, high). */
static inline void gemp_bits32_set_range(uint32_t *words, uint64_t low, uint64_t high)
{
	for (uint64_t i = low; i < high; i++)
		if (i % 32 == 0 && high - i >= 32) {
			words[i / 32] = UINT32_MAX;
			i += 31;
		} else {
			gemp_bits32_set(words, i);
		}
}

/* Clears the bits of the last word behind the set's `bits` bits. */
static inline void gemp_bits32_trim(uint32_t *words, uint64_t bits)
{
	if (bits % 32)
		words[bits / 32] &= (UINT32_C(1) << bits % 32) - 1;
}

static inline bool gemp_bits64_test(const uint64_t *words, uint64_t i)
{
	return words[i / 64] >> i % 64 & 1;
}

static inline void gemp_bits64_set(uint64_t *words, uint64_t i)
{
	words[i / 64] |= UINT64_C(1) << i % 64;
}

static inline bool gemp_bits64_set_atomic(uint64_t *words, uint64_t i)
{
	uint64_t bit = UINT64_C(1) << i % 64;
	return __atomic_load_n(&words[i / 64], __ATOMIC_RELAXED) & bit ||
	       __atomic_fetch_or(&words[i / 64], bit, __ATOMIC_RELAXED) & bit;
}

static inline uint32_t gemp_bits64_count_before(uint64_t word, uint64_t i)
{
	return (uint32_t)__builtin_popcountll(word & ((UINT64_C(1) << i % 64) - 1));
}

static inline uint64_t gemp_bits64_count(const uint64_t *words, size_t count)
{
	uint64_t bits = 0;
	for (size_t w = 0; w < count; w++)
		bits += (uint64_t)__builtin_popcountll(words[w]);
	return bits;
}

/* A bitmap of 64-bit words that stores the number of set bits before every 8 words, so the rank of any bit is found
 * fast. */

enum { GEMP_RANK_WORDS = 8 }; /* words of a block */

typedef struct gemp_rank_bitmap {
	uint64_t count;   /* number of bits */
	uint64_t *words;  /* [count / 64 + 1] */
	uint64_t *before; /* [count / 512 + 1] number of set bits before each block */
} gemp_rank_bitmap;

/* Makes a bitmap whose bits are all zero; before[] is not valid yet. */
gemp_code gemp_rank_bitmap_new(gemp_rank_bitmap *bits, uint64_t count);
/* Makes before[] after all bits have been set. Returns the number of set bits. */
uint64_t gemp_rank_bitmap_count(gemp_rank_bitmap *bits);
void gemp_rank_bitmap_free(gemp_rank_bitmap *bits);

/* Returns the number of set bits before bit `at`; at <= count. */
static inline uint64_t gemp_rank_bitmap_rank(const gemp_rank_bitmap *bits, uint64_t at)
{
	uint64_t word = at / 64, block = word / GEMP_RANK_WORDS, first = block * GEMP_RANK_WORDS;
	return bits->before[block] + gemp_bits64_count(bits->words + first, word - first) +
	       gemp_bits64_count_before(bits->words[word], at);
}

#endif
