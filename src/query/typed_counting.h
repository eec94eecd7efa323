/* typed_counting: counts a pattern with types, directions, labels and conditions (query/typed_part.h) by variable
 * elimination (count/elimination.h).
 *
 * An OPTIONAL MATCH at one vertex extends each row by its n matches at the vertex's image, or by none if n is 0, so a
 * row becomes max(1, n) rows. These numbers are a weight of the vertex. They are computed for all vertices at once, by
 * an elimination whose root is the vertex. The rows in which the OPTIONAL MATCH has a match are counted with n
 * instead. */

#ifndef GEMP_QUERY_TYPED_COUNTING_H
#define GEMP_QUERY_TYPED_COUNTING_H

#include "graph/batch.h"
#include "graph/graph.h"
#include "match/planner/match_options.h"
#include "partition/runtime.h"
#include "pattern/model/pattern.h"

typedef struct gemp_typed_counting gemp_typed_counting;

/* Collective. *out is NULL if the pattern cannot be counted so, or if a search is expected to be faster; then *reason
 * says why. The pattern is bound, and options ask for a count only, or their sink only counts elements. All arguments
 * are borrowed. */
gemp_code gemp_typed_counting_new(gemp_typed_counting **out, gemp_runtime *context, gemp_shard *graph,
                                  const gemp_pattern *pattern, const gemp_match_options *options, const char **reason);
void gemp_typed_counting_free(gemp_typed_counting *counting); /* collective over the ranks of a node; takes NULL */
GEMP_RELEASE(gemp_typed_counting_free, gemp_typed_counting *)

/* Collective. *count becomes the number of rows. GEMP_EDATA if a number exceeds 64 bits; then it must not run again. */
gemp_code gemp_typed_counting_run(gemp_typed_counting *counting, uint64_t *count);
/* Collective, after the run. The sink, which only counts elements, gets few rows with multiplicities: as many rows, and
 * for each OPTIONAL MATCH of which it counts an element as many rows with a match, as there are. GEMP_EDATA if there
 * are 2^63 rows or more. */
gemp_code gemp_typed_counting_deliver(const gemp_typed_counting *counting, gemp_sink *sink);
void gemp_typed_counting_explain(const gemp_typed_counting *counting, gemp_text *out);

#endif
