/* rule_matches: finds the matches of a rule by the query engine. Each match stays on the rank that has found it. */

#ifndef GEMP_TRANSFORM_INCREMENTAL_RULE_MATCHES_H
#define GEMP_TRANSFORM_INCREMENTAL_RULE_MATCHES_H

#include "graph/graph.h"
#include "match/planner/match_options.h"
#include "partition/runtime.h"
#include "pattern/model/rule.h"
#include "query/rows/frame.h"

/* The order in which searches of a rule bind the pattern's vertices. The order is reused, and searched again before the
 * 1st, 2nd, 5th, 17th search and so on. */
typedef struct gemp_cached_order {
	uint64_t searches;
	int count, order[GEMP_MAX_PATTERN_VERTICES];
} gemp_cached_order; /* {0} before the first search */

/* Collective. The rule must be bound to the graph. `options` are the options of the user; the function sets the options
 * that follow from the rule. `order` is the cached order for searches of the whole graph; if it is NULL, each call
 * searches for an order. *out gets the columns of the pattern's RETURN, with a row for each match that this rank has
 * found. The caller frees *out, which is empty after an error. */
gemp_code gemp_rule_matches_rows(gemp_frame *out, gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                                 const gemp_match_options *options, uint64_t combinations, gemp_cached_order *order);

#endif
