/* sample: executes a plan's steps on the host for a random sample of its partial matches.
 *
 * Each partial match of a sample has a weight. The weighted sums over a step (rows that pass, entries read, lookups)
 * are unbiased estimates of the work of the search. A step extends each partial match as the kernel would, along the
 * same row and with the same tests. It then draws a few of all extensions in proportion to their weights (sequential
 * Monte Carlo with systematic resampling). Pivots are drawn in proportion to their degrees, since hubs dominate the
 * work. Every rank draws from its own pivots and fetches the rows that it reads. */

#ifndef GEMP_MATCH_PLANNER_SAMPLE_H
#define GEMP_MATCH_PLANNER_SAMPLE_H

#include "core/memory.h"
#include "match/filter/candidates.h"
#include "match/planner/sample_rows.h"

typedef struct gemp_sampler gemp_sampler;

typedef struct gemp_sampler_options {
	uint64_t seed;
	/* About how many entries and lookups a step may read on each rank. A step may exceed the limit, since it reads at
	 * least one entry for each partial match. Of long rows, the sampler walks every k-th entry from a random entry on.
	 * 0: k exceeds 1 only for rows of more than 4,096 entries. */
	uint64_t limit;
	/* If several rows contain all candidates: true to walk the row of the latest vertex unless another row is far
	 * shorter, as kernels with marks do; false to walk the row of the greatest slot. */
	bool walk_latest;
	bool counts_rows; /* gemp_sampler_fetched counts own rows, too, so they are copied when they are first read */
} gemp_sampler_options;

/* Collective. Loads the relations of the pattern. The sampler serves all its plans without given vertices. key_rank
 * may be NULL if no plan compares keys. All arguments except the options are borrowed. */
gemp_code gemp_sampler_new(gemp_sampler **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                           const gemp_candidates *candidates, const uint32_t *key_rank,
                           const gemp_sampler_options *options);
void gemp_sampler_free(gemp_sampler *sampler);
GEMP_RELEASE(gemp_sampler_free, gemp_sampler *)

/* The estimated work of a step, summed over all ranks. */
typedef struct gemp_sample_work {
	double passed;  /* partial matches after the step */
	double entries; /* row entries walked that satisfy the order restrictions */
	double lookups; /* searches for one vertex in a row */
} gemp_sample_work;

typedef struct gemp_sample {
	size_t count, vertex_capacity, edge_capacity, weight_capacity;
	gemp_vertex *images; /* [count][plan->vertex_count] ids by pattern vertex */
	gemp_edge *edges;    /* [count][plan->edge_count] by pattern edge, if the plan has live edges */
	double *weights;     /* [count] */
} gemp_sample;

/* Collective. Executes one step of the plan. `in` is a sample after the step before, or NULL for the pivot's step.
 * `out` becomes a sample of about `size` partial matches, counted over all ranks. */
gemp_code gemp_sampler_step(gemp_sampler *sampler, const gemp_plan *plan, size_t step, const gemp_sample *in,
                            gemp_sample *out, size_t size, gemp_sample_work *work);
/* Collective. True if the samples since the last step of the pivot contain every partial match, that is, if no choice
 * was random. */
bool gemp_sampler_exact(const gemp_sampler *sampler);
/* Collective. gemp_sampler_reads returns the number of entries and lookups since the sampler was made, and
 * gemp_sampler_fetched the number of entries of fetched rows. Both are maxima over the ranks. */
uint64_t gemp_sampler_reads(const gemp_sampler *sampler);
uint64_t gemp_sampler_fetched(const gemp_sampler *sampler);

void gemp_sample_free(gemp_sample *sample);

#endif
