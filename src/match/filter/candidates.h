/* candidates: which host vertices a pattern vertex can be, as bitmaps over all ids, the same on every rank. Making and
 * narrowing them is collective: each rank evaluates conditions over its own vertices, and the bits of all ranks are
 * united.
 */

#ifndef GEMP_MATCH_FILTER_CANDIDATES_H
#define GEMP_MATCH_FILTER_CANDIDATES_H

#include "core/bitset.h"
#include "graph/graph.h"
#include "match/filter/filter.h"
#include "partition/views/view.h"

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
/* Does each vertex without a bitmap count all vertices of the graph, and none more? For asserts. */
bool gemp_candidates_is_valid(const gemp_candidates *candidates, uint64_t vertices);
/* Can the pattern vertex v be this vertex? */
static inline bool gemp_candidates_has(const gemp_candidates *candidates, int v, uint64_t id)
{
	return !candidates->bits[v] || gemp_bits32_test(candidates->bits[v], id);
}
/* A bitmap by id as one by slot: out[words], all zero before. */
void gemp_candidates_by_slot(const gemp_slot_order *order, const uint32_t *by_id, uint32_t *out, size_t words);
void gemp_candidates_free(gemp_candidates *candidates);

#endif
