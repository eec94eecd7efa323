/* verify: checks of answers against the graph's edges alone, without the layouts and devices of the engines.
 *
 * Answers are arrays by row of the graph (id - first). All values are gathered on every rank, which takes 12 bytes for
 * each vertex of the whole graph for bfs, 16 for sssp, 32 for PageRank and 56 for products. If a node has less memory
 * left than its ranks need, a check returns GEMP_ENOMEM before it does anything. A wrong answer is GEMP_EINTERNAL, and
 * the message names vertices by their keys. All checks are collective.
 */

#ifndef GEMP_ANALYTICS_VERIFY_VERIFY_H
#define GEMP_ANALYTICS_VERIFY_VERIFY_H

#include "analytics/verify/verify_edges.h"

/* Collective. Checks that the source is at level 0, that each edge from level l leads to a level of at most l + 1, and
 * that parents are one level before, with an edge to their child; `least`: and that no vertex with a smaller key could
 * be the parent. UINT32_MAX is the level of an unreached vertex, and GEMP_NO_VERTEX its parent. */
gemp_code gemp_verify_bfs(const gemp_verify_edges *edges, gemp_vertex source, const uint32_t *level,
                          const gemp_vertex *parent, bool least);

/* Collective. Checks that no edge can be relaxed, that each predecessor has an edge that ends the path, and that
 * predecessors form a tree, also where weights are 0. One of distance (integers; UINT64_MAX: not reached) and real
 * (floats; infinite: not reached) is NULL; predecessor may be NULL. */
gemp_code gemp_verify_sssp(const gemp_verify_edges *edges, gemp_vertex source, const uint64_t *distance,
                           const double *real, const gemp_vertex *predecessor);

/* Collective. Checks that ranks sum to 1, and that one more iteration in double changes them by at most `allowed` (the
 * sum of magnitudes). jump: as in analytics/dense/pagerank.h; NULL: uniform. *residual, which may be NULL: that
 * change. */
gemp_code gemp_verify_pagerank(const gemp_verify_edges *edges, double damping, const double *jump, const double *rank,
                               double allowed, double *residual);

/* A product as analytics/dense/spmv.h computes it. */
typedef struct gemp_verify_product {
	const double *x; /* NULL: all 1 */
	uint32_t rounds;
	bool normal;
	const double *y;
	double epsilon;   /* relative rounding error of one operation: 2^-53, or 2^-24 in single precision */
	double underflow; /* error of too small numbers: relative to the largest of the round if normal, else absolute */
} gemp_verify_product;
/* Collective. Checks that y is within the error bound of rounded sums of |A| |x|. *worst, which may be NULL: the
 * largest fraction of the bound that a value uses. */
gemp_code gemp_verify_spmv(const gemp_verify_edges *edges, const gemp_verify_product *product, double *worst);

#endif
