/* local_search: the matches of a rule at some anchors, and the anchors whose matches a change can have made or broken.
 *
 * Sets of vertices are bitmaps by id, [gemp_bits32_words(vertices)] words, the same on every rank. They grow along role
 * edges (locality.h), one breadth-first step at a time; after each step the ranks merge their bits.
 *
 * The working set is the anchors and all vertices that their matches can refer to. Where it is a small part of the
 * graph, that part becomes a graph of its own, is searched, and the rows are renumbered to the whole graph. Otherwise
 * the whole graph is searched with the anchor vertex restricted to the anchors.
 */

#ifndef GEMP_TRANSFORM_INCREMENTAL_LOCAL_SEARCH_H
#define GEMP_TRANSFORM_INCREMENTAL_LOCAL_SEARCH_H

#include "match/planner/match_options.h"
#include "partition/exchange/value_exchange.h"
#include "partition/runtime.h"
#include "query/rows/frame.h"
#include "transform/incremental/locality.h"

/* Collective. *anchors becomes the set of anchors to which paths of role edges lead from marked vertices:
 * mark[graph->rows]. *count: their number. Relations that the search needs are loaded. */
gemp_code gemp_neighbourhood_anchors(uint32_t **anchors, uint64_t *count, const gemp_comm *comm, gemp_shard *graph,
                                     const gemp_locality *locality, const bool *mark);

typedef struct gemp_local_search {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_rule *rule; /* bound to the graph */
	const gemp_locality *locality;
	const uint32_t *anchors; /* a set */
	const gemp_match_options *options;
	uint64_t combinations;
} gemp_local_search;

/* Collective. As gemp_rule_matches_rows. */
gemp_code gemp_local_search_rows(const gemp_local_search *local, gemp_frame *out);

/* Collective. elements[row], the number of an edge, becomes the number that the handler answers on the rank of its
 * owner; GEMP_NO_ELEMENT stays. lost[row] (NULL: not wanted) is set where the answer is GEMP_NO_ELEMENT. */
gemp_code gemp_renumber_edges(const gemp_comm *comm, const gemp_edge_owners *owners, uint64_t *elements, size_t rows,
                              gemp_request_handler handler, void *self, bool *lost);

#endif
