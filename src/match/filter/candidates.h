/* candidates: the vertices of the graph that can be the image of each pattern vertex.
 *
 * Candidates are bitmaps over all ids, bits[vertex][words], equal on all ranks. A pattern vertex without a bitmap can
 * be any vertex. Making and narrowing candidates is collective: each rank evaluates conditions over its own vertices,
 * and a reduction unites the bits of all ranks. */

#ifndef GEMP_MATCH_FILTER_CANDIDATES_H
#define GEMP_MATCH_FILTER_CANDIDATES_H

#include "core/bitset.h"
#include "core/text.h"
#include "match/filter/filter.h"
#include "partition/views/view.h"
#include "pattern/plan/plan.h"

typedef struct gemp_candidates {
	size_t words;                              /* words of a bitmap: ceil(vertices / 32) */
	uint32_t *bits[GEMP_MAX_PATTERN_VERTICES]; /* [words] by id; NULL: any vertex */
	uint64_t count[GEMP_MAX_PATTERN_VERTICES]; /* number of candidates; without a bitmap, the number of all vertices */
	/* Keys of the bitmaps (match/filter/kept_results.h): what made them, equal on all ranks. Bitmaps with equal keys
	 * are equal. Empty without a bitmap. */
	gemp_text key[GEMP_MAX_PATTERN_VERTICES];
	bool keyless; /* some key is incomplete, so nothing that depends on the bitmaps is kept */
} gemp_candidates;

/* Collective. Makes the candidates for which conditions[0..count) are true; each condition is on one pattern vertex. */
gemp_code gemp_candidates_new(gemp_candidates *out, gemp_runtime *context, gemp_filter *filter, gemp_shard *graph,
                              const gemp_pattern *pattern, const gemp_condition *const *conditions, size_t count);
/* Collective. Removes the candidates for which one of the given conditions is not true. If the evaluation for a pattern
 * vertex fails, the vertex keeps its candidates. */
gemp_code gemp_candidates_narrow(gemp_candidates *candidates, gemp_runtime *context, gemp_filter *filter,
                                 gemp_shard *graph, const gemp_pattern *pattern,
                                 const gemp_condition *const *conditions, size_t count);
/* Local. Removes the candidates of a pattern vertex that are not in bits[words]. */
gemp_code gemp_candidates_limit(gemp_candidates *candidates, int vertex, const uint32_t *bits);

/* Collective. *share becomes the share of a condition's candidates that pass it, estimated from at most `sampled` of
 * each rank's candidates. It is 1 if the condition cannot be computed for one of them. */
gemp_code gemp_candidates_share(const gemp_candidates *candidates, gemp_runtime *context, gemp_shard *graph,
                                const gemp_condition *condition, bool count_loops, size_t sampled, double *share);

/* True if the vertex is a candidate of pattern vertex v. */
static inline bool gemp_candidates_has(const gemp_candidates *candidates, int v, uint64_t id)
{
	return !candidates->bits[v] || gemp_bits32_test(candidates->bits[v], id);
}
/* Local. Appends the keys of all bitmaps to another key, which fails if the candidates are keyless. */
void gemp_candidates_add_keys(const gemp_candidates *candidates, size_t vertex_count, gemp_text *key);
/* True if two pattern vertices have the same candidates. */
bool gemp_candidates_same(const gemp_candidates *candidates, int a, int b);
/* Converts a bitmap by id to a bitmap by slot: out[words], which the caller has set to zero. */
void gemp_candidates_by_slot(const gemp_slot_order *order, const uint32_t *by_id, uint32_t *out, size_t words);
void gemp_candidates_free(gemp_candidates *candidates);

#endif
