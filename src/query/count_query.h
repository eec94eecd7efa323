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

/* Collective. The pattern is bound. *out stays NULL where it is to be matched, and *reason says why ("it has conditions"), or
 * is NULL where more than a count is wanted. */
gemp_code gemp_count_query_new(gemp_count_query **out, gemp_runtime *context, gemp_shard *graph,
                               const gemp_pattern *pattern, const gemp_match_options *options, const char **reason);
/* Collective. As often as wanted. *fits: else sums cannot hold what they would have to, a warning says what, and matches are to
 * be enumerated. */
gemp_code gemp_count_query_run(gemp_count_query *counting, gemp_match_result *result, bool *fits);
void gemp_count_query_free(gemp_count_query *counting);

/* The plan, for people. */
struct gemp_text;
void gemp_count_query_explain(const gemp_count_query *counting, struct gemp_text *out);

#endif
