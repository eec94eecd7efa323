/* graph_state: what a gemp_graph and gemp_columns (gemp/graph.h, gemp/columns.h) are inside, and the relations that a selection names. */

#ifndef GEMP_API_GRAPH_STATE_H
#define GEMP_API_GRAPH_STATE_H

#include "api/context_state.h"
#include "gemp/analytics.h"
#include "graph/graph.h"

struct gemp_graph {
	gemp_context *context; /* borrowed */
	gemp_shard *shard;     /* owned */
	char *name;            /* owned: the file's path, or what messages call it */
};

struct gemp_columns {
	gemp_table table;
};

/* Collective. Takes the shard over, also on failure. */
gemp_code gemp_graph_of_shard(gemp_graph **out, gemp_context *context, gemp_shard *shard, const char *name);

/* Collective. Empty columns. */
gemp_code gemp_columns_new(gemp_columns **out, const gemp_context *context);

/* Collective. (*out)[relation_count]: the edge types that are named; all if none is. The caller frees, also after a failure. */
gemp_code gemp_graph_select(bool **out, const gemp_graph *graph, const gemp_edge_selection *selection);

#endif
