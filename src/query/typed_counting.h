/* typed_counting: counts a pattern with types, directions, labels and conditions by variable elimination
 * (count/elimination.h). It supports
 *
 * - conditions on one vertex, which become candidates. A label that the edges of a vertex imply needs none.
 * - a <> b, a = b, id(a) <> id(b), id(a) = id(b)
 * - id(a) < id(b), if the matches with id(a) > id(b) are equally many, because an automorphism exchanges a and b; the
 *   same for longer chains
 * - [NOT] EXISTS of an edge between two vertices, as in NOT (a)-[:KNOWS]-(b)
 *
 * under edge-iso and hom. */

#ifndef GEMP_QUERY_TYPED_COUNTING_H
#define GEMP_QUERY_TYPED_COUNTING_H

#include "graph/graph.h"
#include "match/planner/match_options.h"
#include "partition/runtime.h"
#include "pattern/model/pattern.h"

typedef struct gemp_typed_counting gemp_typed_counting;

/* Collective. *out is NULL if the pattern cannot be counted so, or if a search is expected to be faster; then *reason
 * says why. The pattern is bound, and options ask for a count only. All arguments are borrowed. */
gemp_code gemp_typed_counting_new(gemp_typed_counting **out, gemp_runtime *context, gemp_shard *graph,
                                  const gemp_pattern *pattern, const gemp_match_options *options, const char **reason);
void gemp_typed_counting_free(gemp_typed_counting *counting); /* collective over the ranks of a node; takes NULL */
GEMP_RELEASE(gemp_typed_counting_free, gemp_typed_counting *)

/* Collective. GEMP_EDATA if a number exceeds 64 bits. */
gemp_code gemp_typed_counting_run(gemp_typed_counting *counting, uint64_t *count);
void gemp_typed_counting_explain(const gemp_typed_counting *counting, gemp_text *out);

#endif
