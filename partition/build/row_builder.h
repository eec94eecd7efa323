/* row_builder: rows from records in any order, by counting, then placing, then sorting each row; all threads take
 * part.
 *
 * A record is a few numbers of 32 bits: the row's vertex, what goes into the row, and, where rows have edges, 64 bits
 * of those.
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
 * gemp_prefix_inclusive over begin makes places of the lengths; gemp_row_builder_fill for the same records, now with what goes
 * into the rows, moves begin[v] to the end of row v; gemp_prefix_shift over begin restores the offsets. width: 32-bit numbers
 * of a record. */
void gemp_row_builder_count(gemp_row_builder *rows, const uint32_t *records, size_t width, size_t count);
void gemp_row_builder_fill(gemp_row_builder *rows, const uint32_t *records, size_t width, size_t count);

/* Rows ascend by slot, then edge. Slots are below `vertices`. */
gemp_code gemp_row_builder_sort(gemp_row_builder *rows, uint64_t vertices);
/* Local. All of the above for pairs whose sources are rows. rows->rows and rows->first are set; its arrays are allocated here and
 * the caller's to free, also after a failure. numbered: edges[] become indices of the pairs, else there are none. */
gemp_code gemp_row_builder_make(gemp_row_builder *rows, const gemp_edge_pair *pairs, size_t count, uint64_t vertices,
                                bool numbered);
/* Local. Parallel edges get into the order of their attributes, which are permuted; numbers[edges]: NULL, or permuted alike. */
gemp_code gemp_rows_sort_parallel(const uint64_t *begin, const gemp_vertex *slots, size_t rows, gemp_table *props,
                                  uint64_t *numbers);
/* Local. Does some sorted row have a slot twice? `drop`: keeps the first of equal slots. */
bool gemp_row_builder_parallel(gemp_row_builder *rows, bool drop);

/* Sorts the slots of one row, with the edges that lead there or without. Rows are short and many, and each is sorted by one thread:
 * by insertion up to 40 slots, else by radix sort (least significant digit first) in memory that the thread has anyway. Long arrays
 * are sorted by all threads in primitive/sort.h. */

/* Equal slots keep their order. edges may be NULL. Slots are below 2^bits. The spare arrays have room for as many of both;
 * their content is lost. */
void gemp_row_sort(gemp_vertex *slots, gemp_edge *edges, size_t count, unsigned bits, gemp_vertex *spare_slots,
                   gemp_edge *spare_edges);

#endif
