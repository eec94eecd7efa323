/* bfs: breadth-first searches along the edges of a layout, from one source after another, by direction-optimizing search (Beamer,
 * Asanovic and Patterson 2012): small frontiers are pushed along their edges; while frontiers are large, vertices that are not
 * found yet look for a source among theirs and stop at the first. That gives levels.
 *
 * A stage of its own (parents.h) names parents: of the neighbours one level before, the one with the smallest key, which is the
 * same for all numbers of ranks, devices and seeds of the file. In levels that were pulled vertices look for it once more; in
 * levels that were pushed sources tell their targets.
 */

#ifndef GEMP_ANALYTICS_TRAVERSAL_BFS_H
#define GEMP_ANALYTICS_TRAVERSAL_BFS_H

#include "analytics/traversal/frontier.h"

typedef enum gemp_bfs_direction { GEMP_BFS_AUTO, GEMP_BFS_PUSH, GEMP_BFS_PULL } gemp_bfs_direction;

typedef struct gemp_bfs_options {
	bool any;                     /* no parents */
	gemp_bfs_direction direction; /* AUTO: both; of the others also the first level */
	uint32_t alpha, beta;         /* 0: as suits the graph and the device (GAS_ALPHA, GAS_BETA) */
	gemp_frontier_pass pass;      /* SHUFFLE: frontiers are pushed, edges are tuples */
	gemp_frontier_shape shape;
} gemp_bfs_options;

typedef struct gemp_bfs gemp_bfs;

/* Level of a vertex that is not reached. */
#define GEMP_NO_LEVEL UINT32_MAX

typedef struct gemp_bfs_result {
	const uint32_t *level; /* [own] by local vertex: edges from the source; the search's, until its next run */
	const gemp_vertex
		*parent;      /* [own] ids; GEMP_NO_VERTEX: the source has none, and who is not reached; NULL: not wanted */
	uint32_t depth;   /* greatest level of all ranks */
	uint64_t reached; /* vertices of all ranks, the source too */
	uint64_t pushes, pulls; /* rounds */
	gemp_traversal_cost cost;
} gemp_bfs_result;

/* Collective. The layout has parts GEMP_LAYOUT_IN and GEMP_LAYOUT_OUT, and is borrowed as the device is. options: NULL for
 * none. */
gemp_code gemp_bfs_new(gemp_bfs **out, const gemp_layout *layout, gemp_device *device, const gemp_bfs_options *options);
/* Collective. source: id of a vertex of the graph, the same on all ranks. */
gemp_code gemp_bfs_run(gemp_bfs *bfs, gemp_vertex source, gemp_bfs_result *result);
/* Seconds that it took to be made, without builds of kernels; and these. */
double gemp_bfs_prepare_seconds(const gemp_bfs *bfs, double *build);
void gemp_bfs_free(gemp_bfs *bfs); /* takes NULL */

#endif
