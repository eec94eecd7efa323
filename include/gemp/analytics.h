/* gemp/analytics.h: searches and sums along the edges of a graph. Results are columns with a row for each vertex of this rank, in
 * the order of gemp_graph_keys. docs/analytics.md defines each.
 */

#ifndef GEMP_ANALYTICS_H
#define GEMP_ANALYTICS_H

#include <gemp/columns.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What all of them have in common. */
typedef struct gemp_edge_selection {
	size_t size;                   /* set by gemp_edge_selection_init */
	const char *const *edge_types; /* [edge_type_count] */
	size_t edge_type_count;        /* 0: all */
	gemp_edge_direction direction; /* GEMP_ALONG by default */
	const char *weight;            /* attribute of edges; NULL: each edge weighs 1 */
} gemp_edge_selection;

/* Local. */
GEMP_API void gemp_edge_selection_init(gemp_edge_selection *selection);

/* Collective, all of them. edges NULL: all edges, along. A source is a key as text. */

/* Columns `level` (edges from the source; NULL where it is not reached) and `parent` (a key: of the neighbours one level before the
 * one with the smallest key). */
GEMP_API gemp_code gemp_graph_bfs(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                  const char *source);
/* Columns `distance` (the least sum of weights, which are not negative) and `parent`. */
GEMP_API gemp_code gemp_graph_sssp(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                   const char *source);
/* Column `pagerank`; sums to 1 over all ranks. damping: in [0, 1), .85 is usual; tolerance: of the sum of changes; 0: all rounds. */
GEMP_API gemp_code gemp_graph_pagerank(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                       double damping, double tolerance, uint32_t max_iterations, uint32_t *iterations);
/* Column `y` = A x, A's entry (v, u) being the weight of edge u -> v. x: [vertices of this rank], one value each. */
GEMP_API gemp_code gemp_graph_spmv(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                   const double *x);
/* Column `component`: the smallest key of the vertices that are joined to it by edges, whatever their direction. */
GEMP_API gemp_code gemp_graph_components(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                         uint64_t *component_count);
/* Columns `out` and `in`: numbers of edges; edges without direction count in both, a loop of them once. */
GEMP_API gemp_code gemp_graph_degrees(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges);

#ifdef __cplusplus
}
#endif

#endif
