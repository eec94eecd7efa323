/* group: a stage that makes one row of all rows with equal keys. The new row has the keys and the aggregates of these
 * rows. DISTINCT is a group without aggregates.
 *
 * All threads of a rank group its own rows first (group_set.h). At the end each group goes to its owner, the rank that
 * the hash of its key determines. The owner merges the group and pushes it to the next stage: keys first, then results.
 * Keys are compared exactly. NULL is a group of its own, NaN equals NaN, and 0.0 equals -0.0. The order of the groups
 * follows from their hashes (group_order.h), and sums are exact, so the rows are the same, in the same order, for any
 * number of ranks and threads.
 *
 * Groups that exceed host_memory go to runs on disk (group_runs.h), which are merged a range of slices at a time. */

#ifndef GEMP_QUERY_CLAUSE_GROUP_H
#define GEMP_QUERY_CLAUSE_GROUP_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/expr.h"
#include "query/rows/frame.h"

enum { GEMP_NO_ARGUMENT = -1 };

typedef struct gemp_group_options {
	const gemp_frame *input; /* only the columns of the frame are read; it may be freed after gemp_group_new */
	/* the first key_count columns of the input are the keys; 0: all rows are one group, which exists even without
	 * rows */
	size_t key_count;
	size_t aggregate_count;
	const gemp_expr *const *aggregates; /* [aggregate_count] only the fields `kind` and `distinct` are read */
	const int *arguments;               /* [aggregate_count] columns of the input; GEMP_NO_ARGUMENT for count(*) */
	gemp_row_stage *next;               /* borrowed */
} gemp_group_options;

/* Collective. If the groups of one slice (group_runs.h) do not fit into the context's host_memory (less than 256 KiB
 * counts as 256 KiB), a push returns GEMP_ENOMEM. */
gemp_code gemp_group_new(gemp_row_stage *out, gemp_runtime *context, gemp_shard *graph,
                         const gemp_group_options *options);
/* *out becomes the columns of the stage's output, without rows. */
gemp_code gemp_group_columns(gemp_frame *out, const gemp_group_options *options);

#endif
