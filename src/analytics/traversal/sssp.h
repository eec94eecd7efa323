/* sssp: shortest paths along the edges of a layout whose weights are lengths (GEMP_LAYOUT_LENGTHS), from one source
 * after another, by a near-far form of delta-stepping (Meyer and Sanders 2003; Davidson et al. 2014).
 *
 * A vertex is near if its distance is below a bound, and far otherwise. Near vertices are relaxed in rounds until no
 * distance changes. Then the bound moves by delta, and the far vertices that are near now are relaxed next. Distances
 * are exact sums of weights: integers of 32 bits while all distances fit, otherwise of 64 bits. If weights are floats,
 * distances are doubles, and sums are rounded. A distance that does not fit 64 bits, or is not finite, is an error.
 *
 * Predecessors are found during the search, or by a later stage (parents.h). An edge is tight if the distance of its
 * source plus its weight is the distance of its target. If tight edges lead to a vertex from vertices of smaller
 * distance, its predecessor has the smallest key among these vertices. Otherwise all tight edges to the vertex have
 * weight 0, or a weight that is lost in rounding. Its predecessor then lies on a path of as few such edges as possible,
 * which begins at the source or at a vertex whose predecessor has a smaller distance. Among several such predecessors
 * it has the smallest key. */

#ifndef GEMP_ANALYTICS_TRAVERSAL_SSSP_H
#define GEMP_ANALYTICS_TRAVERSAL_SSSP_H

#include "analytics/traversal/frontier.h"

/* When predecessors are found. DURING: during a search with distances of 32 bits, in the other half of words of 64
 * bits. AFTER: by a later stage. AUTO: DURING on a GPU, where atomic operations on 64 bits cost no more than on 32
 * bits. */
typedef enum gemp_sssp_naming {
	GEMP_SSSP_NAMING_AUTO,
	GEMP_SSSP_NAMING_DURING,
	GEMP_SSSP_NAMING_AFTER
} gemp_sssp_naming;

typedef struct gemp_sssp_options {
	bool any;     /* true: no predecessors are wanted */
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
	const double *real;             /* [own] distances if weights are floats, otherwise NULL; infinite: not reached */
	const gemp_vertex *predecessor; /* [own] ids; GEMP_NO_VERTEX: no predecessor; NULL: not wanted */
	uint64_t reached;               /* number of reached vertices on all ranks, with the source */
	uint64_t reached_edges;         /* number of edges that leave reached vertices */
	double delta;                   /* the delta that was used */
	gemp_traversal_cost cost;
} gemp_sssp_result;

/* Collective. The layout has the part GEMP_LAYOUT_OUT and, for predecessors, GEMP_LAYOUT_IN. layout and device are
 * borrowed. options: NULL for {0}. */
gemp_code gemp_sssp_new(gemp_sssp **out, const gemp_layout *layout, gemp_device *device,
                        const gemp_sssp_options *options);
/* Collective. source: the id of a vertex of the graph, the same on all ranks. GEMP_EDATA: a distance does not fit. */
gemp_code gemp_sssp_run(gemp_sssp *sssp, gemp_vertex source, gemp_sssp_result *result);
/* Returns the seconds of gemp_sssp_new without building kernels. *build: the seconds of building kernels. */
double gemp_sssp_prepare_seconds(const gemp_sssp *sssp, double *build);
void gemp_sssp_free(gemp_sssp *sssp); /* sssp may be NULL */

#endif
