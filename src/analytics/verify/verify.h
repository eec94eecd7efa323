/* verify: checks of answers against the graph's edges alone, whatever engine has found them: no layout, no device.
 *
 * Answers are arrays by row of the graph (id - first). All values are gathered on every rank, which takes 12 bytes for each vertex
 * of the whole graph for bfs, 16 for sssp, 32 for PageRank and 56 for products; where a node has less memory left than its ranks need
 * that is GEMP_ENOMEM, before anything is done. A wrong answer is GEMP_EINTERNAL, and the message names vertices by their keys.
 * All checks are collective.
 */

#ifndef GEMP_ANALYTICS_VERIFY_VERIFY_H
#define GEMP_ANALYTICS_VERIFY_VERIFY_H

#include "analytics/verify/verify_edges.h"

/* Collective. The source is at level 0, each edge from level l leads to l + 1 at most, and parents are one level
 * before, joined by an edge; `least`: no smaller key could be parent. UINT32_MAX: not reached. GEMP_NO_VERTEX: no
 * parent. */
gemp_code gemp_verify_bfs(const gemp_verify_edges *edges, gemp_vertex source, const uint32_t *level,
                          const gemp_vertex *parent, bool least);

/* Collective. No edge can be relaxed, each predecessor has an edge that ends the path, and they are a tree also where
 * weights are 0. One of distance (integers; UINT64_MAX: not reached) and real (floats; infinite) is NULL; so may
 * predecessor be. */
gemp_code gemp_verify_sssp(const gemp_verify_edges *edges, gemp_vertex source, const uint64_t *distance,
                           const double *real, const gemp_vertex *predecessor);

/* Collective. Ranks sum to 1, and one more iteration in double changes them by `allowed` at most (sum of magnitudes).
 * jump: as in analytics/dense/pagerank.h; NULL: alike. residual: what it was, or NULL. */
gemp_code gemp_verify_pagerank(const gemp_verify_edges *edges, double damping, const double *jump, const double *rank,
                               double allowed, double *residual);

/* A product that was computed: as in analytics/dense/spmv.h. */
typedef struct gemp_verify_product {
	const double *x; /* NULL: all 1 */
	uint32_t rounds;
	bool normal;
	const double *y;
	double epsilon;   /* of one operation, as computed: 2^-53, or 2^-24 in single precision */
	double underflow; /* what a number is off by that is too small: of the greatest of its round if normal, else of 1 */
} gemp_verify_product;
/* Collective. y within what rounding of sums of |A| |x| explains; worst: the greatest part of it that was used, or
 * NULL. */
gemp_code gemp_verify_spmv(const gemp_verify_edges *edges, const gemp_verify_product *product, double *worst);

#endif
