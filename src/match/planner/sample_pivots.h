/* sample_pivots: the degrees that samples need: to draw pivots in proportion to their degrees, since hubs dominate the
 * work, and to compare vertices as slots do, before slots exist.
 *
 * Degrees count over all relations of the pattern in both directions. They are differences of row offsets, so nothing
 * is computed for vertices that no sample asks for. To draw pivots, the own vertices are cut into blocks of 64 to 512,
 * whose sums (of candidates and of their degrees) are computed once for each set of candidates; a draw walks only the
 * blocks that it falls into. With several ranks the degree class of every vertex is gathered, one byte each. */

#ifndef GEMP_MATCH_PLANNER_SAMPLE_PIVOTS_H
#define GEMP_MATCH_PLANNER_SAMPLE_PIVOTS_H

#include "core/memory.h"
#include "match/filter/candidates.h"

/* Sums over one block of own vertices, of those that are candidates. */
typedef struct gemp_pivot_block {
	uint64_t candidates;
	uint64_t size; /* sum of 1 + degree */
} gemp_pivot_block;

typedef struct gemp_sample_pivots {
	const gemp_shard *graph;
	const gemp_candidates *candidates;
	gemp_view_lists lists; /* the rows of all relations of the pattern, in both directions */
	size_t block_rows, block_count;
	/* [block_count] by pattern vertex, NULL before its first draw; the last array is that of vertices without bitmap */
	gemp_pivot_block *blocks[GEMP_MAX_PATTERN_VERTICES + 1];
	/* [graph->vertex_count] by id: 255 minus the degree class, so that the order is the order of slots. With a single
	 * rank, 0 is a class that has not been computed. */
	uint8_t *class;
} gemp_sample_pivots;

/* Collective. graph, whose rows in both directions are loaded, and candidates are borrowed. */
gemp_code gemp_sample_pivots_new(gemp_sample_pivots *out, gemp_runtime *context, const gemp_shard *graph,
                                 const gemp_pattern *pattern, const gemp_candidates *candidates);
void gemp_sample_pivots_free(gemp_sample_pivots *pivots);

/* Receives a pivot and its weight, the reciprocal of its expected number of draws. */
typedef gemp_code gemp_pivot_taker(void *self, gemp_vertex id, double weight);
/* Local. Draws about `wanted` own candidates of a pattern vertex (systematic sampling), in the order of ids, or takes
 * all if there are at most `wanted`. unit: a random number in [0, 1). *count becomes the number of own candidates. */
gemp_code gemp_sample_pivots_draw(gemp_sample_pivots *pivots, int vertex, size_t wanted, double unit,
                                  gemp_pivot_taker *take, void *self, uint64_t *count);
/* Local. True if the slot of a will come before the slot of b: by descending degree class, then by id. */
bool gemp_sample_pivots_before(gemp_sample_pivots *pivots, gemp_vertex a, gemp_vertex b);

#endif
