/* sorting: a stage of ORDER BY, with its SKIP and LIMIT.
 *
 * Rows are in the order of the sort items, and where these are equal of all other columns, so that what comes out is the
 * same for every number of ranks. NULL is last ascending and first descending. Vertices are ordered by key, edges by type,
 * keys of their ends and parallel number. With a limit a rank keeps no more rows than that (and room to sort in).
 */
#ifndef GEMP_QUERY_SORTING_H
#define GEMP_QUERY_SORTING_H

#include "graph/graph.h"
#include "partition/context.h"
#include "pattern/pattern.h"
#include "query/stage.h"

typedef struct gemp_sorting_options {
	const gemp_frame *input;  /* its columns; may go after gemp_sorting_new */
	size_t order_count;
	const gemp_sort *orders;  /* [order_count] borrowed; by column */
	uint64_t skip, limit;     /* UINT64_MAX: no limit */
	gemp_stage *next;         /* borrowed */
} gemp_sorting_options;

/* Collective. Hands on after the last row, in order: rank 0's rows are pushed first, then rank 1's, and so on. What does
 * not fit into the context's host_memory is GEMP_ENOMEM, in push. */
gemp_code gemp_sorting_new(gemp_stage *out, gemp_context *context, gemp_graph *graph,
                           const gemp_sorting_options *options);

#endif
