/* row_builder: makes rows from records in any order, on all threads. It counts the records of each row, places them,
 * and sorts each row.
 *
 * A record consists of 32-bit numbers: the vertex of the row, the slot that is stored in the row, and, if rows have
 * edges, the edge as two of these numbers. */

#ifndef GEMP_PARTITION_BUILD_ROW_BUILDER_H
#define GEMP_PARTITION_BUILD_ROW_BUILDER_H

#include "core/status.h"
#include "core/types.h"
#include "graph/column.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct gemp_row_builder {
	size_t rows;
	uint64_t first;     /* the vertex of the first row */
	uint64_t *begin;    /* [rows + 1], initially zero */
	gemp_vertex *slots; /* [begin[rows]] */
	gemp_edge *edges;   /* [begin[rows]]; may be NULL */
} gemp_row_builder;

/* Rows are made in four steps:
 *   1. gemp_row_builder_count, for all records, adds the length of row v to begin[v + 1].
 *   2. gemp_prefix_inclusive over begin turns the lengths into places.
 *   3. gemp_row_builder_fill, for the same records with slots and edges, moves begin[v] to the end of row v.
 *   4. gemp_prefix_shift over begin restores the offsets.
 * width: the number of 32-bit numbers of a record. */
void gemp_row_builder_count(gemp_row_builder *rows, const uint32_t *records, size_t width, size_t count);
void gemp_row_builder_fill(gemp_row_builder *rows, const uint32_t *records, size_t width, size_t count);

/* Sorts each row by slot, then by edge. Slots are below `vertices`. */
gemp_code gemp_row_builder_sort(gemp_row_builder *rows, uint64_t vertices);
/* Local. Sorts parallel edges by their attributes. numbers[edges] is permuted like the attributes; it may be NULL. */
gemp_code gemp_rows_sort_parallel(const uint64_t *begin, const gemp_vertex *slots, size_t rows, gemp_table *props,
                                  uint64_t *numbers);
/* Local. The rows are sorted. Only the first of equal slots of a row is kept, and the gaps are closed. */
void gemp_row_builder_drop_parallel(gemp_row_builder *rows);

/* Sorting of one row by one thread. Most rows are short. Up to 40 slots are sorted by insertion, and longer rows by a
 * radix sort, least significant digit first, in spare memory of the thread. primitive/sort.h sorts one long array on
 * all threads. */

/* Equal slots keep their order. `edges` may be NULL. Slots are below 2^bits. spare_slots[count] and spare_edges[count]
 * are overwritten. */
void gemp_row_sort(gemp_vertex *slots, gemp_edge *edges, size_t count, unsigned bits, gemp_vertex *spare_slots,
                   gemp_edge *spare_edges);

#endif
