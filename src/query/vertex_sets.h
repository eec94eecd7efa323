/* vertex_sets: counts the vertex sets of a pattern's matches (--distinct vertices) without comparing matches.
 *
 * The matches of a pattern of k vertices in the simple graph have a vertex set in common with as many other matches as
 * the induced subgraph of this set has copies of the pattern. So the number of vertex sets is the number of induced
 * subgraphs that contain the pattern. It follows from the edge-induced counts of the connected graphs of k vertices
 * that contain the pattern (pattern/shapes/named_pattern.h), which are counts of orbits, mostly by sums. These take a
 * second or so each, whatever the number of matches is, so they pay if billions of matches would have to be
 * compared. */

#ifndef GEMP_QUERY_VERTEX_SETS_H
#define GEMP_QUERY_VERTEX_SETS_H

#include "graph/graph.h"
#include "match/match_run.h"
#include "partition/runtime.h"

/* Collective, and equal on all ranks. True if the pattern and the options allow this way, and the search is expected to
 * find so many matches that it pays. */
bool gemp_vertex_sets_apply(const gemp_pattern *pattern, const gemp_match_options *options, const gemp_match *match);

/* Collective. Counts the vertex sets, and the embeddings of the pattern. */
gemp_code gemp_vertex_sets_count(gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                                 const gemp_match_options *options, gemp_match_result *result);

#endif
