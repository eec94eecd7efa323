/* local_search: finds the anchors whose matches a change can have made or broken, and the matches of a rule at given
 * anchors.
 *
 * A set of vertices is a bitmap by id, [gemp_bits32_words(vertices)] words, and is the same on every rank. The sets
 * grow along role edges (locality.h), one breadth-first step at a time. After each step the ranks merge their bits.
 *
 * The working set consists of the anchors and of all vertices that their matches can refer to. If it is a small part of
 * the graph, this part becomes a separate graph, which is searched, and the rows are renumbered to the whole graph.
 * Otherwise the whole graph is searched, and the anchor vertex is restricted to the anchors. */

#ifndef GEMP_TRANSFORM_INCREMENTAL_LOCAL_SEARCH_H
#define GEMP_TRANSFORM_INCREMENTAL_LOCAL_SEARCH_H

#include "match/planner/match_options.h"
#include "partition/exchange/value_exchange.h"
#include "partition/runtime.h"
#include "query/rows/frame.h"
#include "transform/incremental/locality.h"

/* Collective. *anchors becomes the set of anchors that paths of role edges connect with marked vertices; the caller
 * frees it. mark[graph->rows] has the marks of this rank. *count becomes the number of anchors. Loads the relations
 * that the search needs. */
gemp_code gemp_neighbourhood_anchors(uint32_t **anchors, uint64_t *count, const gemp_comm *comm, gemp_shard *graph,
                                     const gemp_locality *locality, const bool *mark);

typedef struct gemp_local_search {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_rule *rule; /* bound to the graph */
	const gemp_locality *locality;
	const uint32_t *anchors; /* a set of vertices */
	const gemp_match_options *options;
	uint64_t combinations;
} gemp_local_search;

/* Collective. Finds the same rows as gemp_rule_matches_rows, but only for the anchors. */
gemp_code gemp_local_search_rows(const gemp_local_search *local, gemp_frame *out);

/* Collective. elements[row] is the number of an edge. It becomes the number that the handler answers on the rank of the
 * edge's owner. GEMP_NO_ELEMENT stays. If the answer is GEMP_NO_ELEMENT, lost[row] is set, unless `lost` is NULL. */
gemp_code gemp_renumber_edges(const gemp_comm *comm, const gemp_edge_owners *owners, uint64_t *elements, size_t rows,
                              gemp_request_handler handler, void *self, bool *lost);

#endif
