/* verify: checks of answers against the graph's edges, without the layouts and devices of the engines.
 *
 * Answers are arrays by row of the graph (id - first). Every rank gathers all values, which takes 12 bytes for each
 * vertex of the whole graph for bfs, 16 for sssp, 32 for PageRank and 56 for products. If a node has less memory left
 * than its ranks need, a check returns GEMP_ENOMEM before it does anything. A wrong answer is GEMP_EINTERNAL, and the
 * message names vertices by their keys. All checks are collective. */

#ifndef GEMP_ANALYTICS_VERIFY_VERIFY_H
#define GEMP_ANALYTICS_VERIFY_VERIFY_H

#include "analytics/verify/verify_edges.h"

/* Collective. Checks that the source is at level 0, that each edge from level l leads to a level of at most l + 1, and
 * that each parent is one level before its child and has an edge to it. If `least` is true, it also checks that no
 * vertex with a smaller key could be the parent. An unreached vertex has level UINT32_MAX and parent GEMP_NO_VERTEX. */
gemp_code gemp_verify_bfs(const gemp_verify_edges *edges, gemp_vertex source, const uint32_t *level,
                          const gemp_vertex *parent, bool least);

/* Collective. Checks that no edge can be relaxed, that each predecessor has an edge that ends a shortest path to its
 * vertex, and that predecessors form a tree, even with weights of 0. Either `distance` (integers; UINT64_MAX: not
 * reached) or `real` (floats; infinite: not reached) is NULL. predecessor may be NULL. */
gemp_code gemp_verify_sssp(const gemp_verify_edges *edges, gemp_vertex source, const uint64_t *distance,
                           const double *real, const gemp_vertex *predecessor);

/* Collective. Checks that ranks sum to 1 within `allowed`, and that the magnitudes of the changes by one more iteration
 * in double sum to at most `allowed`. jump: as in analytics/dense/pagerank.h; NULL: uniform. *residual: the sum of the
 * changes; residual may be NULL. */
gemp_code gemp_verify_pagerank(const gemp_verify_edges *edges, double damping, const double *jump, const double *rank,
                               double allowed, double *residual);

/* A product to check, with the parameters of analytics/dense/spmv.h. */
typedef struct gemp_verify_product {
	const double *x; /* NULL: all 1 */
	uint32_t rounds;
	bool normal;
	const double *y;
	double epsilon; /* relative rounding error of one operation: 2^-53, or 2^-24 in single precision */
	/* error of a number that is too small for the precision: relative to the largest of the round if normal, else
	 * absolute */
	double underflow;
} gemp_verify_product;
/* Collective. Checks that y is within the error bound of rounded sums of |A| |x|. *worst: the largest fraction of the
 * bound that a value uses; worst may be NULL. */
gemp_code gemp_verify_spmv(const gemp_verify_edges *edges, const gemp_verify_product *product, double *worst);

#endif
