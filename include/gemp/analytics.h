/* gemp/analytics.h: searches and sums along the edges of a graph; components; degrees. Results are columns with a row for each vertex
 * of this rank, in the order of gemp_graph_keys. docs/analytics.md and docs/primitives.md define each.
 */

#ifndef GEMP_ANALYTICS_H
#define GEMP_ANALYTICS_H

#include <gemp/columns.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which edges, and how they lead. */
typedef struct gemp_edge_selection {
	size_t size;                   /* set by gemp_edge_selection_init */
	const char *const *edge_types; /* [edge_type_count] */
	size_t edge_type_count;        /* 0: all */
	gemp_edge_direction direction; /* GEMP_ALONG by default */
	const char *weight;            /* attribute of edges; NULL: each edge weighs 1 */
} gemp_edge_selection;

/* Local. */
GEMP_API void gemp_edge_selection_init(gemp_edge_selection *selection);

/* How the four analyses work. Each reads the members that its name stands beside. */
typedef struct gemp_analysis_settings {
	size_t size; /* set by gemp_analysis_settings_init */

	/* bfs, sssp: one source. pagerank: where jumps lead; none: to all vertices alike. */
	const char *const *sources; /* [source_count] keys as text */
	size_t source_count;
	const char *personalization; /* pagerank: a file of keys and chances instead of sources; NULL: none */
	gemp_frontier_pass pass;     /* bfs, sssp */
	double delta;                /* sssp: distance of a step; 0: chosen from the weights */
	double damping;              /* pagerank: in [0, 1), 0.85 by default */
	double tolerance;            /* pagerank: the end when the sum of changes is below, 1e-6 by default; 0: never */
	uint32_t max_iterations;     /* pagerank: 100 by default */
	const double *x;             /* spmv: [vertices of this rank] the vector; NULL: x_attribute */
	const char *x_attribute;     /* spmv: the vertices' attribute that is the vector; NULL: ones */
	uint32_t repeat;             /* spmv: how often y becomes x again, 1 by default */
	bool normalize;              /* spmv: divide y by its greatest magnitude each time */
	gemp_gather gather;          /* pagerank, spmv */
	gemp_layout_cut cut;         /* pagerank, spmv */
	gemp_precision precision;    /* pagerank, spmv */

	/* all four */
	bool
		verify; /* check the answer by another way on the host's threads: 12 to 56 bytes a vertex of the graph and rank */
	gemp_vertex_output save; /* files of the columns */
} gemp_analysis_settings;

/* Local. */
GEMP_API void gemp_analysis_settings_init(gemp_analysis_settings *settings);

/* Collective, the four analyses. edges NULL: all edges, along. settings NULL: the defaults. report NULL: none is wanted. *out is the
 * caller's (gemp_columns_close), NULL after a failure; out NULL: the columns are not wanted. Files are checked before the work.
 * GEMP_EUSAGE: a setting, an edge type or a source that is not there. GEMP_EDATA: weights or values out of range. */

/* Columns `level` (edges from the source; NULL where it is not reached) and `parent` (a key: of the neighbours one level before the
 * one with the smallest key). */
GEMP_API gemp_code gemp_graph_bfs(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                  const gemp_analysis_settings *settings, gemp_report *report);
/* Columns `distance` (the least sum of weights, which are not negative) and `predecessor` (a key). */
GEMP_API gemp_code gemp_graph_sssp(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                   const gemp_analysis_settings *settings, gemp_report *report);
/* Column `rank`, which sums to 1 over all ranks. The report's `iterations`, `converged` and `residuals` say how far it came. */
GEMP_API gemp_code gemp_graph_pagerank(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                       const gemp_analysis_settings *settings, gemp_report *report);
/* Column `y` = A x, A's entry (v, u) being the weight of edge u -> v. */
GEMP_API gemp_code gemp_graph_spmv(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                   const gemp_analysis_settings *settings, gemp_report *report);

/* How components, degrees, lists of edges and reversal work. */
typedef struct gemp_topology_settings {
	size_t size;          /* set by gemp_topology_settings_init */
	gemp_placement place; /* GEMP_PLACE_DEVICE needs one rank */
	const char *
		output; /* components, degrees, list: file of rows: .tsv, .csv, .jsonl, .h5, or - for TSV on stdout; NULL: none */
	const char *tree; /* components: file of the edges of a spanning forest; NULL: none */
	bool directed;    /* degrees: only of edges with a direction, of which there must be some */
	bool unfinished;  /* reverse: gemp_graph_write is to end the report */
} gemp_topology_settings;

/* Local. */
GEMP_API void gemp_topology_settings_init(gemp_topology_settings *settings);

/* Collective, both; NULL as above. Direction and weight of the selection are not used. */

/* Column `component`: the smallest key of the vertices that are joined to it by edges, whatever their direction. component_count:
 * of all ranks; NULL: not wanted. */
GEMP_API gemp_code gemp_graph_components(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                         const gemp_topology_settings *settings, uint64_t *component_count,
                                         gemp_report *report);
/* Columns `out` and `in`: numbers of edges; edges without direction count in both, a loop of them once. */
GEMP_API gemp_code gemp_graph_degrees(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                      const gemp_topology_settings *settings, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
