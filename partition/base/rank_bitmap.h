/* rank_bitmap: a bitmap that tells how many bits are set before any place. */

#ifndef GEMP_PARTITION_BASE_RANK_BITMAP_H
#define GEMP_PARTITION_BASE_RANK_BITMAP_H

#include "comm/comm.h"
#include "core/bitset.h"

enum { GEMP_RANK_WORDS = 8 }; /* words for each number of bits before them */

typedef struct gemp_rank_bitmap {
	uint64_t count;   /* bits */
	uint64_t *words;  /* [count / 64 + 1] */
	uint64_t *before; /* [count / 512 + 1] bits that are set before each 8 words */
} gemp_rank_bitmap;

/* All bits are zero; before[] is not made yet. */
gemp_code gemp_rank_bitmap_new(gemp_rank_bitmap *bits, uint64_t count);
/* Local. Makes before[], once all bits are set. Returns how many. */
uint64_t gemp_rank_bitmap_count(gemp_rank_bitmap *bits);
/* Collective. Bits that ranks have set, each by one of them, are set on all; then before[] is made. Returns how many.
 */
uint64_t gemp_rank_bitmap_merge(gemp_rank_bitmap *bits, const gemp_comm *comm);
void gemp_rank_bitmap_free(gemp_rank_bitmap *bits);

/* How many bits are set before place `at`, which is at most the count. */
static inline uint64_t gemp_rank_bitmap_rank(const gemp_rank_bitmap *bits, uint64_t at)
{
	uint64_t word = at / 64, block = word / GEMP_RANK_WORDS, first = block * GEMP_RANK_WORDS;
	return bits->before[block] + gemp_bits64_count(bits->words + first, word - first) +
	       gemp_bits64_count_before(bits->words[word], at);
}

#endif
