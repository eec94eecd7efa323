/* bfs: breadth-first searches along the edges of a layout, from one source after another, by direction-optimizing
 * search (Beamer, Asanovic and Patterson 2012): small frontiers are pushed along their edges; while frontiers are
 * large, each vertex that has no level yet looks for a source in the frontier and stops at the first one. This yields
 * levels.
 *
 * A stage of its own (parents.h) names parents: of the neighbours one level before, the one with the smallest key,
 * which is the same for all numbers of ranks, devices and seeds of the file. In levels that were pulled vertices look
 * for it once more; in levels that were pushed sources name themselves to their targets.
 */

#ifndef GEMP_ANALYTICS_TRAVERSAL_BFS_H
#define GEMP_ANALYTICS_TRAVERSAL_BFS_H

#include "analytics/traversal/frontier.h"

typedef enum gemp_bfs_direction { GEMP_BFS_AUTO, GEMP_BFS_PUSH, GEMP_BFS_PULL } gemp_bfs_direction;

typedef struct gemp_bfs_options {
	bool any;                     /* no parents are wanted */
	gemp_bfs_direction direction; /* AUTO: both, by the size of the frontier; PUSH, PULL: all levels */
	uint32_t alpha, beta;         /* GAS_ALPHA, GAS_BETA; 0: a default for the graph and the device */
	gemp_frontier_pass pass;      /* SHUFFLE: frontiers are pushed, and edges are tuples */
	gemp_frontier_shape shape;
} gemp_bfs_options;

typedef struct gemp_bfs gemp_bfs;

/* The level of a vertex that is not reached. */
#define GEMP_NO_LEVEL UINT32_MAX

typedef struct gemp_bfs_result {
	/* The arrays belong to the search and are valid until its next run. */
	const uint32_t *level;     /* [own] by local vertex: the number of edges from the source */
	const gemp_vertex *parent; /* [own] ids; GEMP_NO_VERTEX: of the source and unreached vertices; NULL: not wanted */
	uint32_t depth;            /* the largest level of all ranks */
	uint64_t reached;          /* vertices of all ranks, with the source */
	uint64_t pushes, pulls;    /* rounds of each direction */
	gemp_traversal_cost cost;
} gemp_bfs_result;

/* Collective. The layout has parts GEMP_LAYOUT_IN and GEMP_LAYOUT_OUT; layout and device are borrowed. options: NULL
 * for {0}. */
gemp_code gemp_bfs_new(gemp_bfs **out, const gemp_layout *layout, gemp_device *device, const gemp_bfs_options *options);
/* Collective. source: id of a vertex of the graph, the same on all ranks. */
gemp_code gemp_bfs_run(gemp_bfs *bfs, gemp_vertex source, gemp_bfs_result *result);
/* Returns the seconds of gemp_bfs_new without builds of kernels; *build: the seconds of these. */
double gemp_bfs_prepare_seconds(const gemp_bfs *bfs, double *build);
void gemp_bfs_free(gemp_bfs *bfs); /* takes NULL */

#endif
