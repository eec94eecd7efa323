/* openmp: what a good plain program for cores takes for the same, from the published algorithms. */
#ifndef BENCH_GAS_OPENMP_H
#define BENCH_GAS_OPENMP_H

#include "core/status.h"
#include "gas_parts/graph.h"

/* What the algorithms read and write; made once. */
typedef struct openmp_space {
	uint64_t *isolated;               /* bits: no neighbours */
	uint64_t *visited, *front, *next; /* bits */
	uint32_t *queue, *queue_next;
	uint32_t *parent, *distance;
	float *share, *rank, *x, *y, *value; /* value: weights of edges */
	struct openmp_edge {
		uint32_t end, weight;
	} * edge; /* [edges] */
} openmp_space;

gemp_code openmp_space_new(openmp_space *out, const graph *g, const uint8_t *weight);
void openmp_space_free(openmp_space *s);

/* Beamer, Asanovic, Patterson 2012. parent is UINT32_MAX where a vertex is not reached. */
void openmp_bfs(const graph *g, openmp_space *s, uint32_t source);
/* Meyer and Sanders 2003; small buckets are finished by their thread (Zhang et al. 2020). */
void openmp_sssp(const graph *g, openmp_space *s, uint32_t source, uint32_t delta);
/* rank. Ends when the sum of changes is below tolerance; how many iterations there were. */
unsigned openmp_pagerank(const graph *g, openmp_space *s, unsigned iterations, double tolerance);
/* y = A x */
void openmp_spmv(const graph *g, openmp_space *s);

#endif
