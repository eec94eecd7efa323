/* openmp: a good plain program for CPU cores, written from the published algorithms. Our program is compared with
 * it. */
#ifndef BENCH_GAS_OPENMP_H
#define BENCH_GAS_OPENMP_H

#include "core/status.h"
#include "gas_parts/graph.h"

/* Working arrays of the algorithms, made once for a graph. */
typedef struct openmp_space {
	uint64_t *isolated;               /* bitmap of the vertices without neighbours */
	uint64_t *visited, *front, *next; /* bitmaps of vertices */
	uint32_t *queue, *queue_next;
	uint32_t *parent, *distance;
	float *share, *rank, *x, *y, *value; /* value: weights of edges */
	struct openmp_edge {
		uint32_t end, weight;
	} * edge; /* [edges] */
} openmp_space;

gemp_code openmp_space_new(openmp_space *out, const graph *g, const uint8_t *weight);
void openmp_space_free(openmp_space *s);

/* Direction-optimizing BFS (Beamer, Asanovic and Patterson 2012). parent is UINT32_MAX for an unreached vertex. */
void openmp_bfs(const graph *g, openmp_space *s, uint32_t source);
/* Delta-stepping (Meyer and Sanders 2003). A thread finishes a small bucket by itself (Zhang et al. 2020). */
void openmp_sssp(const graph *g, openmp_space *s, uint32_t source, uint32_t delta);
/* Writes s->rank. Ends after `iterations` iterations, or earlier if the sum of changes is below `tolerance`. Returns
 * the number of iterations. */
unsigned openmp_pagerank(const graph *g, openmp_space *s, unsigned iterations, double tolerance);
/* y = A x */
void openmp_spmv(const graph *g, openmp_space *s);

#endif
