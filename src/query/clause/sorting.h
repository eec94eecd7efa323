/* sorting: the stage of ORDER BY, with its SKIP and LIMIT.
 *
 * Rows are kept until the last row has come, sorted by sample sort over the ranks (Frazer and McKellar 1970), and
 * pushed in order. With a limit a rank drops the rows beyond the limit from time to time, so that it never holds many
 * more rows.
 *
 * Rows are in the order of the sort items, and rows with equal sort items are in the order of all other columns, so
 * that the result is the same for every number of ranks. NULL is last ascending and first descending. Vertices are
 * ordered by key, edges by type, keys of their ends and parallel number.
 */

#ifndef GEMP_QUERY_CLAUSE_SORTING_H
#define GEMP_QUERY_CLAUSE_SORTING_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/pattern.h"
#include "query/rows/frame.h"

typedef struct gemp_sorting_options {
	const gemp_frame *input; /* only its columns are read; may be freed after gemp_sorting_new */
	size_t order_count;
	const gemp_sort_item *orders; /* [order_count] borrowed; by column */
	uint64_t skip, limit;         /* UINT64_MAX: no limit */
	gemp_row_stage *next;         /* borrowed */
} gemp_sorting_options;

/* Collective. Pushes after the last row, in order: rank 0's rows first, then rank 1's, and so on. Rows beyond the
 * context's host_memory are GEMP_ENOMEM, in push. */
gemp_code gemp_sorting_new(gemp_row_stage *out, gemp_runtime *context, gemp_shard *graph,
                           const gemp_sorting_options *options);

#endif
