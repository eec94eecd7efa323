/* sort_runs: sorted rows on disk, for rows that do not fit into memory (external sort with a distribution by
 * splitters).
 *
 * A run is a frame of sorted rows, written in blocks of about 64 KiB. The first row of each block stays in memory:
 * these rows are the samples from which splitters are chosen, and tell which blocks may have rows of a range. The first
 * rows of all runs are in one frame, firsts, whose row b belongs to block b. Local. */

#ifndef GEMP_QUERY_ROWS_SORT_RUNS_H
#define GEMP_QUERY_ROWS_SORT_RUNS_H

#include "core/scratch_file.h"
#include "query/rows/row_order.h"

enum { GEMP_SORT_BLOCK = 1 << 16 }; /* bytes of a block, about */

typedef struct gemp_sort_block {
	uint64_t begin, end; /* bytes of the file */
	bool last;           /* the last block of its run */
} gemp_sort_block;

typedef struct gemp_sort_runs {
	gemp_scratch_file file;
	size_t count, capacity;
	gemp_sort_block *blocks; /* [count] */
	gemp_frame firsts;       /* [count] rows */
} gemp_sort_runs;            /* {0} has no runs */

void gemp_sort_runs_free(gemp_sort_runs *runs);
/* Writes the frame's rows, which are sorted, as a run. */
gemp_code gemp_sort_runs_add(gemp_sort_runs *runs, const gemp_frame *frame);
/* Appends the rows of all runs that are not less than row `from` and less than row `to` of `splitters`. SIZE_MAX is no
 * limit. */
gemp_code gemp_sort_runs_read(const gemp_sort_runs *runs, const gemp_row_order *order, const gemp_frame *splitters,
                              size_t from, size_t to, gemp_frame *out);

#endif
