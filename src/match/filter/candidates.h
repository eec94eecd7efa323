/* candidates: which host vertices a pattern vertex can be, as bitmaps over all ids, the same on every rank. */

#ifndef GEMP_MATCH_FILTER_CANDIDATES_H
#define GEMP_MATCH_FILTER_CANDIDATES_H

#include "graph/graph.h"
#include "match/filter/filter.h"

typedef struct gemp_candidates {
	size_t words;                              /* of a bitmap: ceil(vertices / 32) */
	uint32_t *bits[GEMP_MAX_PATTERN_VERTICES]; /* [words] by id; NULL: any vertex */
	uint64_t count[GEMP_MAX_PATTERN_VERTICES]; /* set bits; all vertices where NULL */
} gemp_candidates;

/* Collective. Evaluates on the device, over this rank's vertices, those conditions of before[0..count) that speak of each
 * pattern vertex (each of them of one), and gathers the bits of all ranks. */
gemp_code gemp_candidates_new(gemp_candidates *out, gemp_runtime *context, gemp_filter *filter, gemp_shard *graph,
                              const gemp_pattern *pattern, const gemp_condition *const *before, size_t count);
/* Collective. The same for further conditions: of the candidates of before, those for which they are true. A pattern vertex
 * for which that fails keeps the candidates it had. */
gemp_code gemp_candidates_narrow(gemp_candidates *candidates, gemp_runtime *context, gemp_filter *filter,
                                 gemp_shard *graph, const gemp_pattern *pattern,
                                 const gemp_condition *const *conditions, size_t count);
/* Local. A vertex without conditions so far: it can be what bits[words] say. */
gemp_code gemp_candidates_limit(gemp_candidates *candidates, int vertex, const uint32_t *bits);
void gemp_candidates_free(gemp_candidates *candidates);

#endif
