/* neighbourhood: queries from few vertices, such as the neighbours of a vertex with a certain name, read only the rows
 * that they need of a graph file.
 *
 * Conditions that an index of values or the order of keys answers give the candidates of some pattern vertices. From
 * these, along the edges of the pattern and of its inner patterns, rows are read one by one; what is read contains
 * every match, and every edge that EXISTS, COUNT and degrees ask for. It becomes a small graph in memory
 * (partition/derived/neighbourhood_graph.h), and the query runs there as on any graph. */

#ifndef GEMP_QUERY_NEIGHBOURHOOD_H
#define GEMP_QUERY_NEIGHBOURHOOD_H

#include "graph/graph.h"
#include "match/planner/match_options.h"
#include "partition/runtime.h"
#include "pattern/model/pattern.h"

/* Collective. *out becomes the graph on which the bound pattern has the matches that it has on `graph`, and *how, which
 * is added to, says how it was found; `how` is NULL on all ranks if nobody reads it. *out is NULL if the query does not
 * begin with few vertices, or if options ask for a device. `graph` is borrowed. */
gemp_code gemp_neighbourhood_new(gemp_shard **out, gemp_runtime *context, gemp_shard *graph,
                                 const gemp_pattern *pattern, const gemp_match_options *options, gemp_text *how);

/* Collective. The same for a query that wants few of many matches: *out becomes the part of the graph near some images
 * of the first pattern vertex, `vertices` random vertices of the graph. Each match in it is a match in the graph, but
 * it need not have all of them. *out is NULL if the part would be large beside the graph, or if the query also asks for
 * edges that are absent. */
gemp_code gemp_neighbourhood_sample(gemp_shard **out, gemp_runtime *context, gemp_shard *graph,
                                    const gemp_pattern *pattern, const gemp_match_options *options, uint64_t vertices,
                                    gemp_text *how);

#endif
