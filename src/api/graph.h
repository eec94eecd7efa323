/* graph_state: the members of a gemp_graph and of gemp_columns (gemp/graph.h, gemp/columns.h), and the relations that a
 * selection names. */

#ifndef GEMP_API_GRAPH_H
#define GEMP_API_GRAPH_H

#include "api/context.h"
#include "core/log.h"
#include "gemp/analytics.h"
#include "graph/graph.h"
#include "io/import/import.h"

struct gemp_graph {
	gemp_context *context; /* borrowed */
	gemp_shard *shard;     /* owned */
	char *name;            /* owned: the file's path, or what messages call it */
	gemp_timers timers;    /* seconds of opening, making or changing it that are in no report yet */
	gemp_step_times steps; /* of making it; count 0: it was opened */
	gemp_paths inputs;     /* the files that it was imported from */
};

/* Local. Returns the seconds that the graph took so far, and sets them to zero: the report of the caller has them, and
 * no other one. */
gemp_timers gemp_graph_take_timers(gemp_graph *graph);

struct gemp_columns {
	gemp_table table;
};

/* Collective. Takes the shard over, also on failure. */
gemp_code gemp_graph_of_shard(gemp_graph **out, gemp_context *context, gemp_shard *shard, const char *name);

/* Collective. Empty columns. */
gemp_code gemp_columns_new(gemp_columns **out, const gemp_context *context);

/* Collective. (*out)[relation_count] becomes true for the edge types that the selection names, or for all if it names
 * none. The caller frees, also after a failure. */
gemp_code gemp_graph_select(bool **out, const gemp_graph *graph, const gemp_edge_selection *selection);

#endif
