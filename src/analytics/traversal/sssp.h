/* sssp: shortest paths along the edges of a layout whose weights are lengths (GEMP_LAYOUT_LENGTHS), from one source
 * after another, by a near-far form of delta-stepping (Meyer and Sanders 2003; Davidson et al. 2014).
 *
 * Near vertices, with a distance below a bound, are relaxed in rounds until no distance changes; then the bound moves
 * by delta, and the far vertices that are near now are relaxed next. Distances are exact sums of weights, in integers
 * of 32 bits while all fit, otherwise of 64 bits, or in doubles; a distance that does not fit 64 bits, or is not
 * finite, is an error.
 *
 * Predecessors are named during the search, or by a stage of its own (parents.h): of the edges that end a shortest path
 * from a vertex nearer to the source, the one with the smallest source key. A vertex that only edges of weight 0 lead
 * to takes the smallest key among the vertices of the same distance that are the fewest such edges behind one with a
 * nearer predecessor, or behind the source.
 */

#ifndef GEMP_ANALYTICS_TRAVERSAL_SSSP_H
#define GEMP_ANALYTICS_TRAVERSAL_SSSP_H

#include "analytics/traversal/frontier.h"

/* When predecessors are named. DURING: while distances in 32 bits are searched for, in the other half of words of 64
 * bits. AFTER: by a stage of its own. AUTO: DURING on a GPU, where atomic operations on 64 bits cost no more than on
 * 32. */
typedef enum gemp_sssp_naming {
	GEMP_SSSP_NAMING_AUTO,
	GEMP_SSSP_NAMING_DURING,
	GEMP_SSSP_NAMING_AFTER
} gemp_sssp_naming;

typedef struct gemp_sssp_options {
	bool any;     /* no predecessors are wanted */
	double delta; /* 0: a multiple of the mean weight over the mean degree */
	gemp_sssp_naming naming;
	gemp_frontier_pass pass;
	gemp_frontier_shape shape;
} gemp_sssp_options;

typedef struct gemp_sssp gemp_sssp;

#define GEMP_NO_DISTANCE UINT64_MAX

typedef struct gemp_sssp_result {
	/* The arrays belong to the search and are valid until its next run. */
	const uint64_t *distance;       /* [own] by local vertex; GEMP_NO_DISTANCE: not reached; NULL: weights are floats */
	const double *real;             /* [own] distances if weights are floats, else NULL; infinite: not reached */
	const gemp_vertex *predecessor; /* [own] ids; GEMP_NO_VERTEX: none; NULL: not wanted */
	uint64_t reached;               /* vertices of all ranks, with the source */
	uint64_t reached_edges;         /* edges that leave them */
	double delta;                   /* that was used */
	gemp_traversal_cost cost;
} gemp_sssp_result;

/* Collective. The layout has part GEMP_LAYOUT_OUT and, for predecessors, GEMP_LAYOUT_IN; layout and device are
 * borrowed. options: NULL for {0}. */
gemp_code gemp_sssp_new(gemp_sssp **out, const gemp_layout *layout, gemp_device *device,
                        const gemp_sssp_options *options);
/* Collective. source: id of a vertex of the graph, the same on all ranks. GEMP_EDATA: a distance does not fit. */
gemp_code gemp_sssp_run(gemp_sssp *sssp, gemp_vertex source, gemp_sssp_result *result);
/* Returns the seconds of gemp_sssp_new without builds of kernels; *build: the seconds of these. */
double gemp_sssp_prepare_seconds(const gemp_sssp *sssp, double *build);
void gemp_sssp_free(gemp_sssp *sssp); /* takes NULL */

#endif
