/* graph: the members of a gemp_graph (gemp/graph.h) and of gemp_columns (gemp/columns.h), and the relations that a
 * selection of edges names. */

#ifndef GEMP_API_GRAPH_H
#define GEMP_API_GRAPH_H

#include "api/context.h"
#include "core/log.h"
#include "gemp/analytics.h"
#include "graph/graph.h"
#include "io/file/source_hashes.h"
#include "io/import/import.h"

struct gemp_graph {
	gemp_context *context; /* borrowed */
	gemp_shard *shard;     /* owned */
	char *name;            /* owned: the path of the file, or the name in messages */
	gemp_timers timers;    /* seconds of opening, making or changing the graph that no report has yet */
	gemp_step_times steps; /* the steps of importing or generating the graph; the count is 0 for any other graph */
	gemp_paths inputs;     /* the files that the graph was imported from */
	gemp_source_hashes *input_hashes; /* of these files; NULL if the graph was not imported */
};

/* Local. Returns the seconds of the graph and sets them to zero, so that only one report contains them. */
gemp_timers gemp_graph_take_timers(gemp_graph *graph);

/* Collective. From now on queries keep results with the graph (graph/kept.h). Repeated calls do nothing until the graph
 * has another shard. */
gemp_code gemp_graph_keep_results(const gemp_graph *graph);

struct gemp_columns {
	gemp_table table;
};

/* Collective. Makes a graph of a shard and takes over the shard, also after a failure. */
gemp_code gemp_graph_of_shard(gemp_graph **out, gemp_context *context, gemp_shard *shard, const char *name);

/* Collective. Makes a table without columns. */
gemp_code gemp_columns_new(gemp_columns **out, const gemp_context *context);

/* Collective. (*out)[relation_count] becomes true for the edge types that the selection names, or for all types if it
 * names none. The caller frees *out, also after a failure. */
gemp_code gemp_graph_select(bool **out, const gemp_graph *graph, const gemp_edge_selection *selection);

#endif
