/* sssp: shortest paths along the edges of a layout whose weights are lengths (GEMP_LAYOUT_LENGTHS), from one source after another,
 * by a near-far form of delta-stepping (Meyer and Sanders 2003; Davidson et al. 2014).
 *
 * Near vertices, with a distance below a bound, are relaxed in rounds until no distance changes; then the bound moves by delta and
 * those of the far vertices that are near now come next. Distances are exact sums of weights, in integers of 32 bits while all
 * fit, else 64, or in doubles; a distance that does not fit 64 bits, or is not finite, is an error.
 *
 * Predecessors are named during the search, or by a stage of its own (parents.h): of the edges that end a shortest path from a
 * vertex nearer to the source, the one with the smallest source key. A vertex that only edges of weight 0 lead to takes the
 * smallest key among the vertices of the same distance that are the fewest such edges behind one with a nearer predecessor, or
 * behind the source.
 */

#ifndef GEMP_ANALYTICS_TRAVERSAL_SSSP_H
#define GEMP_ANALYTICS_TRAVERSAL_SSSP_H

#include "analytics/traversal/frontier.h"

/* When predecessors are named: while distances in 32 bits are searched for, as a part of them, or afterwards. AUTO:
 * with a GPU, to which 64 bits are no more than 32, at once. */
typedef enum gemp_sssp_naming {
	GEMP_SSSP_NAMING_AUTO,
	GEMP_SSSP_NAMING_DURING,
	GEMP_SSSP_NAMING_AFTER
} gemp_sssp_naming;

typedef struct gemp_sssp_options {
	bool any;     /* no predecessors */
	double delta; /* 0: by the mean weight and degree */
	gemp_sssp_naming naming;
	gemp_frontier_pass pass;
	gemp_frontier_shape shape;
} gemp_sssp_options;

typedef struct gemp_sssp gemp_sssp;

#define GEMP_NO_DISTANCE UINT64_MAX

typedef struct gemp_sssp_result {
	const uint64_t *distance; /* [own] by local vertex; GEMP_NO_DISTANCE: not reached; NULL: weights are floats */
	const double *real;       /* [own] if they are; infinite: not reached */
	const gemp_vertex
		*predecessor;       /* [own] ids; GEMP_NO_VERTEX: none; NULL: not wanted. Arrays are the search's, until its
	                                   next run */
	uint64_t reached;       /* vertices of all ranks, the source too */
	uint64_t reached_edges; /* that leave them */
	double delta;           /* as taken */
	gemp_traversal_cost cost;
} gemp_sssp_result;

/* Collective. The layout has part GEMP_LAYOUT_OUT and, for predecessors, GEMP_LAYOUT_IN; both are borrowed. options: NULL
 * for none. */
gemp_code gemp_sssp_new(gemp_sssp **out, const gemp_layout *layout, gemp_device *device,
                        const gemp_sssp_options *options);
/* Collective. source: id of a vertex of the graph, the same on all ranks. GEMP_EDATA: a distance does not fit. */
gemp_code gemp_sssp_run(gemp_sssp *sssp, gemp_vertex source, gemp_sssp_result *result);
/* Seconds that it took to be made, without builds of kernels; and these. */
double gemp_sssp_prepare_seconds(const gemp_sssp *sssp, double *build);
void gemp_sssp_free(gemp_sssp *sssp); /* takes NULL */

#endif
