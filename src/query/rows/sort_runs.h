/* sort_runs: sorted rows on disk, for rows that do not fit into memory (external merge sort, with a distribution by
 * splitters at the end).
 *
 * A run is a frame of sorted rows, written in blocks of about 64 KiB. The first row of each block stays in memory:
 * these rows are the samples from which splitters are chosen, and tell which blocks may have rows of a range. The first
 * rows of all runs are in one frame, firsts, whose row b belongs to block b.
 *
 * Each range of rows is read from all runs, and mostly from parts of blocks, so there must not be many runs. Hence
 * `fan` runs of one level are merged into a run of the next level, as digits of a number are carried: the levels of the
 * runs never ascend, and only the last runs are merged. Local. */

#ifndef GEMP_QUERY_ROWS_SORT_RUNS_H
#define GEMP_QUERY_ROWS_SORT_RUNS_H

#include "core/scratch_file.h"
#include "query/rows/row_order.h"

enum { GEMP_SORT_BLOCK = 1 << 16 }; /* bytes of a block, about */

typedef struct gemp_sort_block {
	uint64_t begin, end; /* bytes of the file */
} gemp_sort_block;

typedef struct gemp_sort_run {
	size_t first; /* block; the run ends at the first block of the next run, or behind the last block */
	size_t next;  /* the first block that may have rows of later ranges */
	unsigned level;
} gemp_sort_run;

typedef struct gemp_sort_runs {
	gemp_scratch_file file;
	size_t fan;        /* max number of runs that are merged, at least 2: a block of each of them is in memory */
	uint64_t max_rows; /* later rows of a run are not needed */
	size_t count, capacity;
	gemp_sort_block *blocks; /* [count] */
	gemp_frame firsts;       /* [count] rows */
	size_t run_count, run_capacity;
	gemp_sort_run *runs; /* [run_count] */
} gemp_sort_runs;

/* *out has no runs, and gemp_sort_runs_free(out) does nothing. */
void gemp_sort_runs_init(gemp_sort_runs *out, size_t fan, uint64_t max_rows);
void gemp_sort_runs_free(gemp_sort_runs *runs);
/* Writes the frame's rows, which are sorted, as a run, and merges runs of one level. All calls have the same order. */
gemp_code gemp_sort_runs_add(gemp_sort_runs *runs, const gemp_row_order *order, const gemp_frame *frame);
/* To be called before the first range is read. Merges runs until there are at most `fan`. */
gemp_code gemp_sort_runs_finish(gemp_sort_runs *runs, const gemp_row_order *order);
/* Appends the rows of all runs that are not less than row `from` and less than row `to` of `splitters`. SIZE_MAX is no
 * limit. Later calls have later ranges. */
gemp_code gemp_sort_runs_read(gemp_sort_runs *runs, const gemp_row_order *order, const gemp_frame *splitters,
                              size_t from, size_t to, gemp_frame *out);

#endif
