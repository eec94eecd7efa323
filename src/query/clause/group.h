/* group: a stage that makes one row of all rows with equal keys, and aggregates of these. DISTINCT is a group without
 * aggregates.
 *
 * Each rank groups its own rows first. At the end a group goes to the rank that the hash of its key names, is merged there
 * and handed on: keys first, then results. Keys are compared exactly: NULL is a group, NaN equals NaN, 0.0 equals -0.0.
 */

#ifndef GEMP_QUERY_CLAUSE_GROUP_H
#define GEMP_QUERY_CLAUSE_GROUP_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/expr.h"
#include "query/rows/frame.h"

enum { GEMP_NO_ARGUMENT = -1 };

typedef struct gemp_group_options {
	const gemp_frame *input; /* its columns; may go after gemp_group_new */
	size_t key_count;        /* the input's first columns; 0: all rows are one group, which is there without rows too */
	size_t aggregate_count;
	const gemp_expr *const *aggregates; /* [aggregate_count] kind and distinct are looked at */
	const int *arguments;               /* [aggregate_count] columns of the input; GEMP_NO_ARGUMENT of count(*) */
	gemp_row_stage *next;               /* borrowed */
} gemp_group_options;

/* Collective. What does not fit into the context's host_memory is GEMP_ENOMEM, in push. */
gemp_code gemp_group_new(gemp_row_stage *out, gemp_runtime *context, gemp_shard *graph,
                         const gemp_group_options *options);
/* The columns that come out. */
gemp_code gemp_group_columns(gemp_frame *out, const gemp_group_options *options);

#endif
