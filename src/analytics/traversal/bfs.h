/* bfs: breadth-first searches along the edges of a layout, from one source after another, by direction-optimising
 * search (Beamer, Asanovic and Patterson 2012). Small frontiers are pushed along their edges. While frontiers are
 * large, each vertex without a level searches its in-edges for a source in the frontier (pull) and stops at the first
 * such source. This yields levels.
 *
 * A second stage (parents.h) finds parents. The parent of a vertex is the neighbour of smallest key among its
 * neighbours one level before, so it is the same for all numbers of ranks, devices and seeds of the file. In pulled
 * levels each vertex searches its in-edges for its parent. In pushed levels, and in some pulled levels that follow a
 * pushed one (gas_bfs_rule), sources send their names to their targets. */

#ifndef GEMP_ANALYTICS_TRAVERSAL_BFS_H
#define GEMP_ANALYTICS_TRAVERSAL_BFS_H

#include "analytics/traversal/frontier.h"

typedef enum gemp_bfs_direction { GEMP_BFS_AUTO, GEMP_BFS_PUSH, GEMP_BFS_PULL } gemp_bfs_direction;

typedef struct gemp_bfs_options {
	bool any; /* true: no parents are wanted */
	/* AUTO: the size of the frontier decides in each level; PUSH, PULL: the same direction in all levels */
	gemp_bfs_direction direction;
	uint32_t alpha, beta;    /* GAS_ALPHA, GAS_BETA; 0: a default for the graph and the device */
	gemp_frontier_pass pass; /* SHUFFLE: frontiers are pushed, and their edges become tuples */
	gemp_frontier_shape shape;
} gemp_bfs_options;

typedef struct gemp_bfs gemp_bfs;

/* The level of an unreached vertex. */
#define GEMP_NO_LEVEL UINT32_MAX

typedef struct gemp_bfs_result {
	/* The arrays belong to the search and are valid until its next run. */
	const uint32_t *level; /* [own] by local vertex: the number of edges from the source */
	/* [own] ids; GEMP_NO_VERTEX for the source and for unreached vertices; NULL: not wanted */
	const gemp_vertex *parent;
	uint32_t depth;         /* the largest level on all ranks */
	uint64_t reached;       /* number of reached vertices on all ranks, with the source */
	uint64_t pushes, pulls; /* number of rounds of each direction */
	gemp_traversal_cost cost;
} gemp_bfs_result;

/* Collective. The layout has the parts GEMP_LAYOUT_IN and GEMP_LAYOUT_OUT. layout and device are borrowed. options:
 * NULL for {0}. */
gemp_code gemp_bfs_new(gemp_bfs **out, const gemp_layout *layout, gemp_device *device, const gemp_bfs_options *options);
/* Collective. source: the id of a vertex of the graph, the same on all ranks. */
gemp_code gemp_bfs_run(gemp_bfs *bfs, gemp_vertex source, gemp_bfs_result *result);
/* Returns the seconds of gemp_bfs_new without building kernels. *build: the seconds of building kernels. */
double gemp_bfs_prepare_seconds(const gemp_bfs *bfs, double *build);
void gemp_bfs_free(gemp_bfs *bfs); /* bfs may be NULL */

#endif
