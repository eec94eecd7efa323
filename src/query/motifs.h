/* motifs: the number of subgraphs of each kind of a census (pattern/shapes/motif_census.h) in a graph.
 *
 * Each kind is counted by a query of its own, edge-induced and by orbit, mostly by sums; vertex-induced counts follow
 * from these by a triangular system. Rows stay resident between the queries.
 */

#ifndef GEMP_QUERY_MOTIFS_H
#define GEMP_QUERY_MOTIFS_H

#include "graph/graph.h"
#include "match/planner/match_options.h"
#include "partition/runtime.h"
#include "pattern/shapes/motif_census.h"

typedef struct gemp_motifs {
	gemp_count counts[GEMP_MAX_MOTIFS];
	double seconds[GEMP_MAX_MOTIFS]; /* each, edge-induced, all of it */
} gemp_motifs;

/* Collective. Of the simple undirected graph; edge-induced, or vertex-induced under GEMP_INDUCED. Of the options what
 * is said of counting and of replicas counts. */
gemp_code gemp_motifs_count(gemp_motifs *out, gemp_runtime *context, gemp_shard *graph, const gemp_census *census,
                            const gemp_match_options *options);

#endif
