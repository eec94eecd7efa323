/* record_batch: reads the records (row, slot) of which row_partition makes rows, some at a time, from lists of pairs or
 * from rows that are reversed. */

#ifndef GEMP_PARTITION_BUILD_RECORD_BATCH_H
#define GEMP_PARTITION_BUILD_RECORD_BATCH_H

#include "core/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pairs (row, slot). */
typedef struct gemp_pair_list {
	gemp_edge_pair *pairs; /* [count] */
	size_t count;
} gemp_pair_list;

/* Rows whose edges are numbered from first_edge on. */
typedef struct gemp_rows_to_reverse {
	const uint64_t *begin;    /* [rows + 1] */
	const gemp_vertex *slots; /* [begin[rows]] */
	size_t rows;
	uint64_t first, first_edge;
} gemp_rows_to_reverse;

/* The records come from the lists or, if `from` is not NULL, from rows. */
typedef struct gemp_record_source {
	size_t rows;    /* the rows that are made */
	uint64_t first; /* the vertex of the first of them */
	const gemp_pair_list *lists;
	uint64_t *list_begin; /* [list_count + 1] */
	size_t list_count;
	bool both; /* a pair is a record for each of its ends whose row is made here */
	const gemp_rows_to_reverse *from;
} gemp_record_source;

enum { GEMP_BATCH_RECORDS = 256 };

/* Some records, with their rows counted from the first row. */
typedef struct gemp_record_batch {
	uint64_t at, end; /* the next pair or slot, and the end */
	size_t source;    /* the list, or the row, of the next record */
	size_t count;
	uint32_t row[GEMP_BATCH_RECORDS], slot[GEMP_BATCH_RECORDS];
} gemp_record_batch;

/* Begins to read the pairs or slots from number `begin` to number end - 1. */
void gemp_record_batch_open(gemp_record_batch *batch, const gemp_record_source *source, uint64_t begin, uint64_t end);
/* Reads the next records. Returns false at the end. */
bool gemp_record_batch_read(gemp_record_batch *batch, const gemp_record_source *source);

#endif
