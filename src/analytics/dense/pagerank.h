/* pagerank: the probability that a random surfer is at each vertex. The surfer follows an edge with probability
 * `damping`, and otherwise jumps.
 *
 *     rank(v) = (1 - damping + damping * D) * jump(v) + damping * sum over edges u -> v of rank(u) * weight / degree(u)
 *
 * The iteration begins with rank = jump. Without weights each edge weighs 1. degree(u) is the sum of the weights of all
 * edges that leave u. D is the sum of the ranks of the vertices of degree 0. jump is uniform, or given by the caller.
 * Parallel edges and loops count. */

#ifndef GEMP_ANALYTICS_DENSE_PAGERANK_H
#define GEMP_ANALYTICS_DENSE_PAGERANK_H

#include "analytics/dense/dense.h"

typedef struct gemp_pagerank gemp_pagerank;

typedef struct gemp_pagerank_params {
	double damping; /* in [0, 1) */
	/* the run ends when the sum of |rank - previous rank| is below the tolerance; 0: it ends after all rounds */
	double tolerance;
	uint32_t rounds; /* maximum number of rounds */
	/* [own] by local vertex, not negative. It is divided by its sum over all ranks, which must be finite and
	 * positive. NULL (on all ranks): uniform */
	const double *jump;
} gemp_pagerank_params;

typedef struct gemp_pagerank_result {
	double *rank;    /* [own] by local vertex; freed by gemp_pagerank_result_free */
	double *change;  /* [report.rounds] sum of |rank - previous rank| over all ranks */
	bool converged;  /* the last change is below the tolerance */
	double dangling; /* D of the resulting ranks */
	gemp_dense_report report;
} gemp_pagerank_result;

/* Collective. layout: the edges that the surfer follows, with GEMP_LAYOUT_IN and, if the edges have weights,
 * GEMP_LAYOUT_OUT_WEIGHT. Weights must not be negative. The layout is borrowed. */
gemp_code gemp_pagerank_new(gemp_pagerank **out, const gemp_layout *layout, gemp_device *device,
                            const gemp_dense_options *options);
void gemp_pagerank_free(gemp_pagerank *pagerank); /* pagerank may be NULL */

/* Collective. May be called any number of times. */
gemp_code gemp_pagerank_run(gemp_pagerank *pagerank, const gemp_pagerank_params *params, gemp_pagerank_result *out);
void gemp_pagerank_result_free(gemp_pagerank_result *result);

#endif
