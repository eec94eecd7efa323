/* pagerank: how likely a random surfer is at each vertex, who follows an edge with probability `damping` and else jumps.
 *
 *     rank(v) = (1 - damping + damping * D) * jump(v) + damping * sum over edges u -> v of rank(u) / degree(u)
 *
 * from rank = jump on. D: the rank of vertices that no edge leaves; jump: alike for all, or as given. Parallel edges and
 * loops count. A layout with weights: an edge has its weight's part of its source's rank.
 */

#ifndef GEMP_ANALYTICS_DENSE_PAGERANK_H
#define GEMP_ANALYTICS_DENSE_PAGERANK_H

#include "analytics/dense/dense.h"

typedef struct gemp_pagerank gemp_pagerank;

typedef struct gemp_pagerank_params {
	double damping;   /* at least 0, below 1 */
	double tolerance; /* end when the sum of |rank - rank before| is below; 0: after all rounds */
	uint32_t rounds;  /* at most */
	const double
		*jump; /* [own] by local vertex, not negative, with a sum over all ranks that is finite and not 0, to which it
	                       is scaled; NULL: all alike (on all ranks) */
} gemp_pagerank_params;

typedef struct gemp_pagerank_result {
	double *rank;    /* [own] by local vertex; gemp_pagerank_result_free */
	double *change;  /* [report.rounds] sum of |rank - rank before| over all ranks */
	bool converged;  /* the last of them is below the tolerance */
	double dangling; /* D of the ranks found */
	gemp_dense_report report;
} gemp_pagerank_result;

/* Collective. layout: edges as the surfer follows them, with GEMP_LAYOUT_IN, and GEMP_LAYOUT_OUT_WEIGHT if it has weights, none of
 * which may be negative. It is borrowed. */
gemp_code gemp_pagerank_new(gemp_pagerank **out, const gemp_layout *layout, gemp_device *device,
                            const gemp_dense_options *options);
void gemp_pagerank_free(gemp_pagerank *pagerank); /* takes NULL */

/* Collective. As often as wanted. */
gemp_code gemp_pagerank_run(gemp_pagerank *pagerank, const gemp_pagerank_params *params, gemp_pagerank_result *out);
void gemp_pagerank_result_free(gemp_pagerank_result *result);

#endif
