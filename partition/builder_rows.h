/* builder_rows: rows from records in any order, by counting, then placing, then sorting each row; all threads take
 * part.
 *
 * A record is a few numbers of 32 bits: the row's vertex, what goes into the row, and, where rows have edges, 64 bits
 * of those.
 */
#ifndef GEMP_PARTITION_BUILDER_ROWS_H
#define GEMP_PARTITION_BUILDER_ROWS_H

#include "core/status.h"
#include "core/types.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct gemp_made_rows {
	size_t rows;
	uint64_t first;      /* vertex of the first row */
	uint64_t *begin;     /* [rows + 1], zero at first */
	gemp_vertex *slots;  /* [begin[rows]] */
	gemp_edge *edges;    /* [begin[rows]], or NULL */
} gemp_made_rows;

/* How long rows are; `width` is the record's in numbers. After the last record gemp_made_rows_begin turns lengths into
 * places. */
void gemp_made_rows_count(gemp_made_rows *rows, const uint32_t *records, size_t width, size_t count);
void gemp_made_rows_begin(gemp_made_rows *rows);
/* Then the same records again, now with what goes into the rows; after the last gemp_made_rows_end. */
void gemp_made_rows_place(gemp_made_rows *rows, const uint32_t *records, size_t width, size_t count);
void gemp_made_rows_end(gemp_made_rows *rows);

/* Rows ascend by slot, then edge. Slots are below `vertices`. */
gemp_code gemp_made_rows_sort(gemp_made_rows *rows, uint64_t vertices);
/* Local. Has some sorted row a slot twice? `drop`: keeps one of each. */
bool gemp_made_rows_parallel(gemp_made_rows *rows, bool drop);

#endif
