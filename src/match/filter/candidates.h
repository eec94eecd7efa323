/* candidates: which host vertices a pattern vertex can be, and how many host edges lie between candidates.
 *
 * Candidates are bitmaps over all ids, bits[vertex][words], the same on every rank; a pattern vertex without a bitmap
 * can be any vertex. Making and narrowing them is collective: each rank evaluates conditions over its own vertices,
 * and the bits of all ranks are united. The planner's statistics are counted exactly from them.
 */

#ifndef GEMP_MATCH_FILTER_CANDIDATES_H
#define GEMP_MATCH_FILTER_CANDIDATES_H

#include "core/bitset.h"
#include "match/filter/filter.h"
#include "partition/views/view.h"
#include "pattern/plan/plan.h"

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

/* Can the pattern vertex v be this vertex? */
static inline bool gemp_candidates_has(const gemp_candidates *candidates, int v, uint64_t id)
{
	return !candidates->bits[v] || gemp_bits32_test(candidates->bits[v], id);
}
/* A bitmap by id as one by slot: out[words], all zero before. */
void gemp_candidates_by_slot(const gemp_slot_order *order, const uint32_t *by_id, uint32_t *out, size_t words);
void gemp_candidates_free(gemp_candidates *candidates);

/* What the planner knows of the graph, counted exactly: host edges between candidates, for each pattern
 * edge, and the paths of two such edges.
 */

/* Collective. The parts of the pattern's relations are loaded; where there are no rows by target, edges are taken to be spread
 * evenly over their targets. */
gemp_code gemp_statistics_new(gemp_statistics *out, gemp_runtime *context, gemp_shard *graph,
                              const gemp_pattern *pattern, const gemp_candidates *candidates);

/* Which edges of an own vertex are counted: those of these relations, out of it or into it, to candidates of `other`. */
typedef struct gemp_edge_question {
	const gemp_shard *graph;
	const gemp_candidates *candidates;
	const bool *relations;
	int other; /* pattern vertex */
	bool out, in;
} gemp_edge_question;

/* Local. Their number in own row v. */
uint64_t gemp_statistics_row(const gemp_edge_question *question, size_t v);

#endif
