#include "io/hdf5/chunk_split.h"

#include "core/types.h"

/* Bisection for the last rank that begins at the element or before. Ranks without elements begin where the next rank
 * does, so the last one has the element. */
int gemp_chunk_owner(const gemp_chunk_split *s, uint64_t element)
{
	int low = 0, high = s->ranks;
	while (high - low > 1) {
		const int middle = low + (high - low) / 2;
		if (s->begin[middle] <= element)
			low = middle;
		else
			high = middle;
	}
	return low;
}

gemp_chunk_piece gemp_chunk_head(const gemp_chunk_split *s, int r)
{
	const uint64_t begin = s->begin[r], start = begin / s->chunk * s->chunk;
	if (start == begin)
		return (gemp_chunk_piece){ .first = begin, .rank = r };
	return (gemp_chunk_piece){ .first = begin,
		                       .count = gemp_min(s->begin[r + 1], start + s->chunk) - begin,
		                       .rank = start < gemp_chunk_whole(s) ? gemp_chunk_owner(s, start) : 0 };
}

gemp_chunk_piece gemp_chunk_tail(const gemp_chunk_split *s, int r)
{
	const gemp_chunk_piece head = gemp_chunk_head(s, r);
	const uint64_t first = gemp_max(head.first + head.count, gemp_chunk_whole(s)), end = s->begin[r + 1];
	return (gemp_chunk_piece){ .first = first, .count = first < end ? end - first : 0 };
}
