/* group: a stage that makes one row of all rows with equal keys: the keys, and aggregates of these rows. DISTINCT is a
 * group without aggregates.
 *
 * Each rank groups its own rows first. At the end a group goes to the rank that the hash of its key names, is merged
 * there and pushed to the next stage: keys first, then results. Keys are compared exactly: NULL is a group, NaN equals
 * NaN, 0.0 equals -0.0.
 */

#ifndef GEMP_QUERY_CLAUSE_GROUP_H
#define GEMP_QUERY_CLAUSE_GROUP_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/expr.h"
#include "query/rows/frame.h"

enum { GEMP_NO_ARGUMENT = -1 };

typedef struct gemp_group_options {
	const gemp_frame *input; /* only its columns are read; may be freed after gemp_group_new */
	size_t key_count;        /* the input's first columns; 0: all rows are one group, which exists even without rows */
	size_t aggregate_count;
	const gemp_expr *const *aggregates; /* [aggregate_count] only kind and distinct are read */
	const int *arguments;               /* [aggregate_count] columns of the input; GEMP_NO_ARGUMENT for count(*) */
	gemp_row_stage *next;               /* borrowed */
} gemp_group_options;

/* Collective. Groups that do not fit into the context's host_memory are GEMP_ENOMEM, in push. */
gemp_code gemp_group_new(gemp_row_stage *out, gemp_runtime *context, gemp_shard *graph,
                         const gemp_group_options *options);
/* The columns of the stage's output. */
gemp_code gemp_group_columns(gemp_frame *out, const gemp_group_options *options);

#endif
