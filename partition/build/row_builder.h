/* row_builder: makes rows from records in any order, on all threads: counts the records of each row, places them, and
 * sorts each row.
 *
 * A record is a few numbers of 32 bits: the vertex of the row, the slot that goes into the row, and, where rows have
 * edges, the 64 bits of the edge.
 */

#ifndef GEMP_PARTITION_BUILD_ROW_BUILDER_H
#define GEMP_PARTITION_BUILD_ROW_BUILDER_H

#include "core/status.h"
#include "core/types.h"
#include "graph/column.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct gemp_row_builder {
	size_t rows;
	uint64_t first;     /* vertex of the first row */
	uint64_t *begin;    /* [rows + 1], zero at first */
	gemp_vertex *slots; /* [begin[rows]] */
	gemp_edge *edges;   /* [begin[rows]], or NULL */
} gemp_row_builder;

/* Rows are made in four steps: gemp_row_builder_count for all records adds the length of row v to begin[v + 1];
 * gemp_prefix_inclusive over begin makes places of the lengths; gemp_row_builder_fill, for the same records with slots
 * and edges, moves begin[v] to the end of row v; gemp_prefix_shift over begin restores the offsets. width: the number
 * of 32-bit numbers of a record. */
void gemp_row_builder_count(gemp_row_builder *rows, const uint32_t *records, size_t width, size_t count);
void gemp_row_builder_fill(gemp_row_builder *rows, const uint32_t *records, size_t width, size_t count);

/* Sorts each row by slot, then edge. Slots are below `vertices`. */
gemp_code gemp_row_builder_sort(gemp_row_builder *rows, uint64_t vertices);
/* Local. All of these steps for pairs whose sources are rows. The caller sets rows->rows and rows->first, and frees the
 * arrays, which are allocated here, also after a failure. numbered: edges[] becomes the indices of the pairs; else it
 * is NULL. */
gemp_code gemp_row_builder_make(gemp_row_builder *rows, const gemp_edge_pair *pairs, size_t count, uint64_t vertices,
                                bool numbered);
/* Local. Sorts parallel edges by their attributes. numbers[edges] is permuted like the attributes; it may be NULL. */
gemp_code gemp_rows_sort_parallel(const uint64_t *begin, const gemp_vertex *slots, size_t rows, gemp_table *props,
                                  uint64_t *numbers);
/* Local. Does a sorted row have a slot twice? With `drop` the first of equal slots is kept and the answer is false. */
bool gemp_row_builder_parallel(gemp_row_builder *rows, bool drop);

/* The sort of one row by one thread. Rows are short and many: up to 40 slots are sorted by insertion, longer rows by a
 * radix sort (least significant digit first) in memory of the thread. Long arrays are sorted by all threads in
 * primitive/sort.h. */

/* Equal slots keep their order. edges may be NULL. Slots are below 2^bits. spare_slots[count] and spare_edges[count]
 * are overwritten. */
void gemp_row_sort(gemp_vertex *slots, gemp_edge *edges, size_t count, unsigned bits, gemp_vertex *spare_slots,
                   gemp_edge *spare_edges);

#endif
