/* chunk_split: which rank packs which chunk of an array that grows by parts of all ranks. Local; all ranks come to the
 * same results.
 *
 * Each rank adds elements, in rank order. The elements before them are in the file, but for those after the last full
 * chunk, which count as the first elements of rank 0. A chunk is packed by the rank that has its first element, its
 * owner. The other ranks with elements of the chunk send them to the owner. The elements after the last full chunk go
 * to rank 0. */

#ifndef GEMP_IO_HDF5_CHUNK_SPLIT_H
#define GEMP_IO_HDF5_CHUNK_SPLIT_H

#include <stddef.h>
#include <stdint.h>

typedef struct gemp_chunk_split {
	uint64_t chunk; /* elements of a chunk, at least 1 */
	int ranks;
	/* [ranks + 1] The elements of rank r are begin[r] up to, but not including, begin[r + 1]. begin[0] is a multiple of
	 * `chunk`. */
	const uint64_t *begin;
} gemp_chunk_split;

/* Elements of one rank that it sends to `rank`, or keeps if it is `rank` itself. */
typedef struct gemp_chunk_piece {
	uint64_t first, count;
	int rank;
} gemp_chunk_piece;

/* The end of the last full chunk. */
static inline uint64_t gemp_chunk_whole(const gemp_chunk_split *s)
{
	return s->begin[s->ranks] / s->chunk * s->chunk;
}

/* The rank that has the element. */
int gemp_chunk_owner(const gemp_chunk_split *split, uint64_t element);
/* The first elements of rank r, if they belong to a chunk that an earlier rank begins. */
gemp_chunk_piece gemp_chunk_head(const gemp_chunk_split *split, int r);
/* The elements of rank r after its head that are in no full chunk; they go to rank 0. */
gemp_chunk_piece gemp_chunk_tail(const gemp_chunk_split *split, int r);

#endif
