/* counting: a query of which only the count is wanted, answered by sums instead of matches, where the planner knows sums for
 * its pattern (count/count_plan.h).
 */
#ifndef GEMP_QUERY_COUNTING_H
#define GEMP_QUERY_COUNTING_H

#include "match/match.h"

typedef struct gemp_counting gemp_counting;

/* Collective. The pattern is bound. *out stays NULL where it is to be matched, and *reason says why ("it has conditions"), or
 * is NULL where more than a count is wanted. */
gemp_code gemp_counting_new(gemp_counting **out, gemp_context *context, gemp_graph *graph, const gemp_pattern *pattern,
                            const gemp_match_options *options, const char **reason);
/* Collective. As often as wanted. *fits: else sums cannot hold what they would have to, a warning says what, and matches are to
 * be enumerated. */
gemp_code gemp_counting_run(gemp_counting *counting, gemp_match_result *result, bool *fits);
void gemp_counting_free(gemp_counting *counting);

/* The plan, for people. */
struct gemp_text;
void gemp_counting_explain(const gemp_counting *counting, struct gemp_text *out);

#endif
