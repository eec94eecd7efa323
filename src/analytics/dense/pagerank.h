/* pagerank: the probability that a random surfer is at each vertex. The surfer follows an edge with probability
 * `damping`, and otherwise jumps.
 *
 *     rank(v) = (1 - damping + damping * D) * jump(v) + damping * sum over edges u -> v of rank(u) / degree(u)
 *
 * The iteration begins with rank = jump. D is the sum of the ranks of vertices that no edge leaves; jump is uniform, or
 * given by the caller. Parallel edges and loops count. With weights an edge carries the part of its source's rank that
 * its weight has in the sum of the weights of its source's edges.
 */

#ifndef GEMP_ANALYTICS_DENSE_PAGERANK_H
#define GEMP_ANALYTICS_DENSE_PAGERANK_H

#include "analytics/dense/dense.h"

typedef struct gemp_pagerank gemp_pagerank;

typedef struct gemp_pagerank_params {
	double damping;   /* in [0, 1) */
	double tolerance; /* the run ends when the sum of |rank - rank before| is below it; 0: it ends after all rounds */
	uint32_t rounds;  /* the maximum */
	const double
		*jump; /* [own] by local vertex, not negative; it is divided by its sum over all ranks, which must be finite and
	                     * not 0; NULL (on all ranks): uniform */
} gemp_pagerank_params;

typedef struct gemp_pagerank_result {
	double *rank;    /* [own] by local vertex; gemp_pagerank_result_free */
	double *change;  /* [report.rounds] sum of |rank - rank before| over all ranks */
	bool converged;  /* the last change is below the tolerance */
	double dangling; /* D of the resulting ranks */
	gemp_dense_report report;
} gemp_pagerank_result;

/* Collective. layout: edges as the surfer follows them, with GEMP_LAYOUT_IN, and GEMP_LAYOUT_OUT_WEIGHT if it has
 * weights, none of which may be negative. It is borrowed. */
gemp_code gemp_pagerank_new(gemp_pagerank **out, const gemp_layout *layout, gemp_device *device,
                            const gemp_dense_options *options);
void gemp_pagerank_free(gemp_pagerank *pagerank); /* takes NULL */

/* Collective. May be called any number of times. */
gemp_code gemp_pagerank_run(gemp_pagerank *pagerank, const gemp_pagerank_params *params, gemp_pagerank_result *out);
void gemp_pagerank_result_free(gemp_pagerank_result *result);

#endif
