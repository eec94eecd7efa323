/* sorting: the stage of ORDER BY, with its SKIP and LIMIT.
 *
 * Rows are kept until the last row has come, sorted by sample sort over the ranks (Frazer and McKellar 1970), and
 * pushed in order. With a limit, a rank keeps only the rows that may be among the first ones (rows/row_order.h), and
 * drops the rows beyond the limit from time to time, so that it never holds many more rows than the limit. Rows that
 * exceed host_memory go to sorted runs on disk (rows/sort_runs.h); at the end all ranks read, sort and push them a
 * range of rows at a time.
 *
 * Rows are ordered by the sort items. Rows with equal sort items are ordered by all other columns, so that the result
 * is the same for every number of ranks. NULL is last in ascending order and first in descending order. Vertices are
 * ordered by key; edges by type, keys of their ends and parallel number. */

#ifndef GEMP_QUERY_CLAUSE_SORTING_H
#define GEMP_QUERY_CLAUSE_SORTING_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/pattern.h"
#include "query/rows/frame.h"

typedef struct gemp_sorting_options {
	const gemp_frame *input; /* only the columns of the frame are read; it may be freed after gemp_sorting_new */
	size_t order_count;
	const gemp_sort_item *orders; /* [order_count] sort items by column; borrowed */
	uint64_t skip, limit;         /* limit UINT64_MAX: no limit */
	gemp_row_stage *next;         /* borrowed */
} gemp_sorting_options;

/* Collective. Makes the stage. After the last row the stage pushes all rows in order: rank 0's rows first, then rank
 * 1's, and so on. */
gemp_code gemp_sorting_new(gemp_row_stage *out, gemp_runtime *context, gemp_shard *graph,
                           const gemp_sorting_options *options);

#endif
