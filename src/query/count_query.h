/* count_query: a query whose answer is only a number, computed by sums over the graph instead of by enumerating
 * matches.
 *
 * The planner (count/planner.h) knows such sums for connected patterns without conditions, and gives a reason where
 * it knows none. Results are exact: sums that could leave 64 bits are refused, and the caller falls back to
 * enumeration. All calls but gemp_count_query_explain and _free are collective.
 */

#ifndef GEMP_QUERY_COUNT_QUERY_H
#define GEMP_QUERY_COUNT_QUERY_H

#include "graph/graph.h"
#include "match/match_run.h"
#include "partition/runtime.h"

typedef struct gemp_count_query gemp_count_query;

/* Collective. The pattern is bound. *out stays NULL where matches must be enumerated; *reason then says why ("it has
 * conditions"), or is NULL where more than a count is wanted. */
gemp_code gemp_count_query_new(gemp_count_query **out, gemp_runtime *context, gemp_shard *graph,
                               const gemp_pattern *pattern, const gemp_match_options *options, const char **reason);
/* Collective. May be called repeatedly. *fits becomes false, after a warning, where sums do not fit into memory or 64 bits;
 * matches must be enumerated then. */
gemp_code gemp_count_query_run(gemp_count_query *counting, gemp_match_result *result, bool *fits);
void gemp_count_query_free(gemp_count_query *counting);

/* The plan as text, for --explain. */
struct gemp_text;
void gemp_count_query_explain(const gemp_count_query *counting, struct gemp_text *out);

#endif
