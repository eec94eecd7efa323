/* changed_graph: the last steps of a run that has changed a graph in memory, which rules, replays and queries share. */

#ifndef GEMP_API_TRANSFORM_CHANGED_GRAPH_H
#define GEMP_API_TRANSFORM_CHANGED_GRAPH_H

#include "api/graph.h"
#include "api/report.h"

/* Collective. Gives the vertices the ids of a graph file (partition/derived/canonical.h). string_keys: as in
 * gemp_builder_options. */
gemp_code gemp_changed_graph_canonical(gemp_shard **graph, const gemp_comm *comm, bool string_keys);
/* Collective. Writes the graph if `output` is not NULL, and reports it with the seconds of graph and runtime. */
gemp_code gemp_changed_graph_write(gemp_graph *graph, const gemp_runtime *runtime, const char *output,
                                   const gemp_write_settings *write, gemp_report *report);

#endif
