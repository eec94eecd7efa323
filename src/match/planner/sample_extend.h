/* sample_extend: the sampler's state, and how it extends partial matches by a step as the kernel would: the same row is
 * walked, and the same tests are made.
 */

#ifndef GEMP_MATCH_PLANNER_SAMPLE_EXTEND_H
#define GEMP_MATCH_PLANNER_SAMPLE_EXTEND_H

#include "match/filter/candidates.h"
#include "match/planner/sample_rows.h"

/* One way to extend a partial match. */
typedef struct gemp_sample_child {
	uint32_t parent;
	gemp_vertex vertex;
	gemp_edge edge;
	double weight;
} gemp_sample_child;

typedef struct gemp_sampler gemp_sampler;

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

/* Of all ranks. */
typedef struct gemp_sample_work {
	double passed;  /* partial matches after the step */
	double entries; /* of rows, walked within order restrictions */
	double lookups; /* vertices looked for in rows */
} gemp_sample_work;

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

/* One more way to extend the partial match at hand. */
gemp_code gemp_sample_add_child(gemp_sample_extension *x, gemp_vertex vertex, gemp_edge edge, double weight);
/* Is a check made by a row of the step's own vertex? Such checks wait until few are left. */
bool gemp_sample_own_row(const gemp_step *step, size_t check);
bool gemp_sample_row_has(const gemp_sample_row *row, gemp_vertex id);

typedef struct gemp_sample {
	size_t count, vertex_capacity, edge_capacity, weight_capacity;
	gemp_vertex *images; /* [count * plan->vertex_count] ids by pattern vertex */
	gemp_edge *edges;    /* [count * plan->edge_count] by pattern edge, if edges live */
	double *weights;     /* [count] */
} gemp_sample;

/* All ways to extend all of `in`; the rows are there. */
gemp_code gemp_sample_extend_all(gemp_sample_extension *x, const gemp_sample *in);

#endif
