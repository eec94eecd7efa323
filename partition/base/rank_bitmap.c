#include "partition/base/rank_bitmap.h"

#include "core/memory.h"

gemp_code gemp_rank_bitmap_new(gemp_rank_bitmap *bits, uint64_t count)
{
	*bits = (gemp_rank_bitmap){ .count = count };
	return gemp_new_all(GEMP_ARRAY(bits->words, count / 64 + 1),
	                    GEMP_ARRAY(bits->before, count / (64 * GEMP_RANK_WORDS) + 1));
}

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

uint64_t gemp_rank_bitmap_merge(gemp_rank_bitmap *bits, const gemp_comm *comm)
{
	if (comm->size > 1)
		gemp_comm_sum(comm, bits->words, (int)(bits->count / 64 + 1)); /* no bit is set twice: no sum carries */
	return gemp_rank_bitmap_count(bits);
}

void gemp_rank_bitmap_free(gemp_rank_bitmap *bits)
{
	gemp_free_all(bits->words, bits->before);
	*bits = (gemp_rank_bitmap){ 0 };
}
