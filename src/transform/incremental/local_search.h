/* nearby: a rule's matches at some anchors. Where these and all that their matches can speak of are a small part of the
 * graph, that part is made a graph of its own and searched.
 */

#ifndef GEMP_TRANSFORM_INCREMENTAL_LOCAL_SEARCH_H
#define GEMP_TRANSFORM_INCREMENTAL_LOCAL_SEARCH_H

#include "graph/graph.h"
#include "match/planner/match_options.h"
#include "partition/runtime.h"
#include "query/rows/frame.h"
#include "transform/incremental/locality.h"

typedef struct gemp_local_search {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_rule *rule; /* bound to it */
	const gemp_locality *locality;
	const uint32_t *anchors; /* bits by id, the same on every rank */
	const gemp_match_options *options;
	uint64_t combinations;
} gemp_local_search;

/* Collective. As gemp_rule_matches_rows. */
gemp_code gemp_local_search_rows(const gemp_local_search *local, gemp_frame *out);

#endif
