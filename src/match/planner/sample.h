/* sample: a plan's steps carried out for a random few of its partial matches, on the host.
 *
 * A sample of partial matches has weights: what it says of a step (rows that pass, entries read, lookups), times the
 * weights, is an unbiased estimate of what the search would do. A step extends each partial match in all ways, and of
 * all these a few are drawn again, in proportion to their weights (sequential Monte Carlo with systematic resampling);
 * pivots are drawn in proportion to their degrees, since hubs dominate. Every rank draws from its own pivots and
 * fetches the rows it needs.
 */

#ifndef GEMP_MATCH_PLANNER_SAMPLE_H
#define GEMP_MATCH_PLANNER_SAMPLE_H

#include "core/memory.h"
#include "match/filter/candidates.h"
#include "match/planner/sample_rows.h"

/* The sampler's state, and how it extends partial matches by a step as the kernel would: the same row is
 * walked, and the same tests are made.
 */

typedef struct gemp_sampler gemp_sampler;

/* Collective. For plans of the pattern without given vertices; key_rank may be NULL where no plan compares keys. All is
 * borrowed. */
gemp_code gemp_sampler_new(gemp_sampler **out, gemp_runtime *context, const gemp_shard *graph,
                           const gemp_pattern *pattern, const gemp_candidates *candidates, const uint32_t *key_rank,
                           uint64_t seed);
/* Of several rows that can give the candidates the one of the latest vertex is walked, unless another is far shorter,
 * and not the shortest: as kernels do that mark rows. */
void gemp_sampler_walk_latest(gemp_sampler *sampler);
/* About so many entries and lookups a step and rank at most (but one a partial match): of long rows every k-th entry is
 * walked, from a random one on. Without a limit only rows of thousands of entries are walked so. */
void gemp_sampler_limit(gemp_sampler *sampler, uint64_t reads);
void gemp_sampler_free(gemp_sampler *sampler);
GEMP_RELEASE(gemp_sampler_free, gemp_sampler *)

/* Of all ranks. */
typedef struct gemp_sample_work {
	double passed;  /* partial matches after the step */
	double entries; /* of rows, walked within order restrictions */
	double lookups; /* vertices looked for in rows */
} gemp_sample_work;

typedef struct gemp_sample {
	size_t count, vertex_capacity, edge_capacity, weight_capacity;
	gemp_vertex *images; /* [count * plan->vertex_count] ids by pattern vertex */
	gemp_edge *edges;    /* [count * plan->edge_count] by pattern edge, if edges live */
	double *weights;     /* [count] */
} gemp_sample;

/* Collective. Carries out one step of the plan: from `in`, a sample after the step before (NULL for the pivot's), to
 * `out`, of about `size` partial matches on all ranks together. */
gemp_code gemp_sampler_step(gemp_sampler *sampler, const gemp_plan *plan, size_t step, const gemp_sample *in,
                            gemp_sample *out, size_t size, gemp_sample_work *work);
/* Collective. Have all samples since the last pivots been the whole: nothing left to chance? Entries and lookups, of
 * the rank that read most, since the sampler was made; entries of the rows that were brought here for it, likewise. */
bool gemp_sampler_exact(const gemp_sampler *sampler);
uint64_t gemp_sampler_reads(const gemp_sampler *sampler);
uint64_t gemp_sampler_fetched(const gemp_sampler *sampler);

void gemp_sample_free(gemp_sample *sample);

/* One way to extend a partial match. */
typedef struct gemp_sample_child {
	uint32_t parent;
	gemp_vertex vertex;
	gemp_edge edge;
	double weight;
} gemp_sample_child;

struct gemp_sampler {
	gemp_runtime *context;
	const gemp_shard *graph;
	const gemp_candidates *candidates;
	const uint32_t *key_rank;
	gemp_sample_rows *rows;
	uint64_t random, reads, limit; /* limit: of reads, for a step */
	bool latest;                   /* see gemp_sampler_walk_latest */
	bool chosen;                   /* since the last pivots: something was left to chance */
	double *size;                  /* [graph->rows] what own pivots are drawn by */
	uint8_t *class;                /* [vertices] of degree, by id: as slots go, the greatest first */
	size_t child_count, child_capacity, request_count, request_capacity;
	gemp_sample_child *children;
	gemp_row_request *requests;
};

/* What a step does to one partial match. */
typedef struct gemp_sample_extension {
	gemp_sampler *s;
	const gemp_plan *plan;
	const gemp_step *step;
	int views[GEMP_MAX_CHECKS]; /* numbers in rows */
	const gemp_vertex *image;
	const gemp_edge *edges;
	gemp_sample_row row[GEMP_MAX_CHECKS]; /* of each check's first vertex */
	double weight;
	uint32_t parent;
	size_t longest;        /* walk: of longer rows every k-th entry is walked, from a random one on */
	gemp_sample_work work; /* of this rank */
} gemp_sample_extension;

#endif
