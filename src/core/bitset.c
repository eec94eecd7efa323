/* A rank bitmap stores the number of set bits before each block of 512 bits. The rank of a bit is one stored number
 * plus at most eight population counts (Jacobson 1989). */

#include "core/bitset.h"

#include "core/memory.h"

/* One word more than the bits need, because callers also ask for the rank at the end. */
gemp_code gemp_rank_bitmap_new(gemp_rank_bitmap *bits, uint64_t count)
{
	*bits = (gemp_rank_bitmap){ .count = count };
	return gemp_new_all(GEMP_ARRAY(bits->words, count / 64 + 1),
	                    GEMP_ARRAY(bits->before, count / (64 * GEMP_RANK_WORDS) + 1));
}

/* Later changes of bits make before[] wrong. */
uint64_t gemp_rank_bitmap_count(gemp_rank_bitmap *bits)
{
	uint64_t all = 0;
	for (uint64_t w = 0; w <= bits->count / 64; w++) {
		if (w % GEMP_RANK_WORDS == 0)
			bits->before[w / GEMP_RANK_WORDS] = all;
		all += (uint64_t)__builtin_popcountll(bits->words[w]);
	}
	return all;
}

void gemp_rank_bitmap_free(gemp_rank_bitmap *bits)
{
	gemp_free_all(bits->words, bits->before);
	*bits = (gemp_rank_bitmap){ 0 };
}
