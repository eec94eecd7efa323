/* group_set: the groups of a rank's rows, made by all threads.
 *
 * Rows come in blocks, whose keys all threads code first. At the beginning each thread adds chunks of the block to a
 * table of its own. When such a table is too large for the cache, the groups of all threads are merged into
 * GEMP_GROUP_PARTS partitions by the upper bits of the hash of their keys, each by one thread, and the threads begin
 * anew. If that pre-aggregation saves little, since most rows have groups of their own, rows go directly to the
 * partitions: the rows of a block are sorted by partition (counting sort), and each partition is one thread's. (Leis et
 * al., morsel-driven parallelism, 2014.) Local; states of aggregates can be merged in any order, so the threads do not
 * change results. */

#ifndef GEMP_QUERY_CLAUSE_GROUP_SET_H
#define GEMP_QUERY_CLAUSE_GROUP_SET_H

#include "query/clause/group_states.h"

enum { GEMP_GROUP_PART_BITS = 8, GEMP_GROUP_PARTS = 1 << GEMP_GROUP_PART_BITS };

static inline size_t gemp_group_part(uint64_t hash)
{
	return hash >> (64 - GEMP_GROUP_PART_BITS);
}

typedef struct gemp_group_set {
	const gemp_group_form *form; /* borrowed */
	unsigned threads;
	gemp_group_states *local; /* [threads] */
	gemp_group_states *parts; /* [GEMP_GROUP_PARTS]; gemp_group_part of the hash of its key */
	bool partitioned;         /* rows go directly to the partitions */
	size_t local_rows;        /* number of rows since the threads began anew */
	size_t block_rows;        /* number of rows of the next block */
	size_t budget;            /* in bytes, of the arrays of a block; 0: no limit */
	uint32_t **memo;          /* [columns] codes of the dictionary's values of each column, while a frame is added */
	size_t columns;
} gemp_group_set;

/* The frames have `columns` columns. */
gemp_code gemp_group_set_init(gemp_group_set *set, const gemp_group_form *form, size_t columns, size_t budget);
void gemp_group_set_free(gemp_group_set *set);
size_t gemp_group_set_memory(const gemp_group_set *set); /* in bytes, with the codes */

/* Adds the rows of a frame from row *first on, and moves *first behind the rows that were added: all, or one block, so
 * that the caller can compare memory with its budget. gemp_group_set_begin precedes the blocks of a frame. */
gemp_code gemp_group_set_begin(gemp_group_set *set, const gemp_frame *frame);
gemp_code gemp_group_set_add(gemp_group_set *set, const gemp_frame *frame, size_t *first);
/* Merges the threads' groups into the partitions. */
gemp_code gemp_group_set_flush(gemp_group_set *set);
/* Removes all groups. */
void gemp_group_set_clear(gemp_group_set *set);

#endif
