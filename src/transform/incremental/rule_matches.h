/* rule_matches: the matches of a rule, found by the query engine and kept on the ranks that found them. */

#ifndef GEMP_TRANSFORM_INCREMENTAL_RULE_MATCHES_H
#define GEMP_TRANSFORM_INCREMENTAL_RULE_MATCHES_H

#include "graph/graph.h"
#include "match/planner/match_options.h"
#include "partition/runtime.h"
#include "pattern/model/rule.h"
#include "query/rows/frame.h"

/* The order in which searches of a rule bind the pattern's vertices. It is kept for some searches and then
 * searched anew: before the 1st, 2nd, 5th, 17th search and so on. */
typedef struct gemp_cached_order {
	uint64_t searches;
	int count, order[GEMP_MAX_PATTERN_VERTICES];
} gemp_cached_order; /* {0} before the first search */

/* Collective. The rule is bound to the graph. options: the user's; options that follow from the rule are set here.
 * order: of the rule's searches of the whole graph; NULL: it is searched each time. *out gets the columns of the
 * pattern's RETURN, with a row for each match that this rank found; the caller frees it. It is empty after an error. */
gemp_code gemp_rule_matches_rows(gemp_frame *out, gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                                 const gemp_match_options *options, uint64_t combinations, gemp_cached_order *order);

#endif
