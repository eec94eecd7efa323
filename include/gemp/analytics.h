/* gemp/analytics.h: searches and sums along the edges of a graph; components; degrees. Results are columns with a row
 * for each vertex of this rank, in the order of gemp_graph_keys. docs/analytics.md and docs/primitives.md define the
 * algorithms.
 */

#ifndef GEMP_ANALYTICS_H
#define GEMP_ANALYTICS_H

#include <gemp/columns.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which edges a function uses, and in which direction it follows them. */
typedef struct gemp_edge_selection {
	size_t size;                   /* set by gemp_edge_selection_init */
	const char *const *edge_types; /* [edge_type_count] */
	size_t edge_type_count;        /* 0: all types */
	gemp_edge_direction direction; /* GEMP_ALONG by default */
	const char *weight;            /* attribute of edges; NULL: each edge weighs 1 */
} gemp_edge_selection;

/* Local. Selects all edges, along their direction, with weight 1. */
GEMP_API void gemp_edge_selection_init(gemp_edge_selection *selection);

/* Settings of the four analyses. The comment of a member names the analyses that read it. */
typedef struct gemp_analysis_settings {
	size_t size; /* set by gemp_analysis_settings_init */

	/* bfs, sssp: the one vertex where the search starts. pagerank: the vertices that are jumped to; none: all vertices
	 * alike. */
	const char *const *sources; /* [source_count] keys as text */
	size_t source_count;
	const char *personalization; /* pagerank: a file of keys and probabilities instead of sources; NULL: none */
	gemp_frontier_pass pass;     /* bfs, sssp */
	double delta;                /* sssp: width of a step in distance; 0: chosen from the weights */
	double damping;              /* pagerank: in [0, 1), 0.85 by default */
	double tolerance;            /* pagerank: ends when the sum of changes is below; 1e-6 by default; 0: never */
	uint32_t max_iterations;     /* pagerank: 100 by default */
	const double *x;             /* spmv: the vector [vertices of this rank]; NULL: x_attribute is read */
	const char *x_attribute;     /* spmv: attribute of the vertices that is the vector; NULL: a vector of ones */
	uint32_t repeat;             /* spmv: number of multiplications, each with the y of the one before; 1 by default */
	bool normalize;              /* spmv: divide each y by its greatest magnitude */
	gemp_gather gather;          /* pagerank, spmv */
	gemp_layout_cut cut;         /* pagerank, spmv */
	gemp_precision precision;    /* pagerank, spmv */

	/* All four: check the answer in another way on the host's threads. Each rank needs 12 to 56 bytes for each vertex
	 * of the whole graph. */
	bool verify;
	gemp_vertex_output save; /* all four: files of the columns */
} gemp_analysis_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_analysis_settings_init(gemp_analysis_settings *settings);

/* THE FOUR ANALYSES are collective. edges NULL: all edges, along their direction. settings NULL: defaults. report NULL:
 * none is wanted. *out (out NULL: the columns are not wanted) belongs to the caller, who frees it by
 * gemp_columns_close; it is NULL after a failure. Whether the files can be written is checked before the work.
 * GEMP_EUSAGE: a wrong setting, or an edge type, attribute or source that the graph does not have. GEMP_EDATA: weights
 * or values out of range. */

/* Collective. Breadth-first search. Columns: `level`, the number of edges from the source, NULL for unreached vertices;
 * and `parent`, the smallest key among the neighbours one level closer to the source. */
GEMP_API gemp_code gemp_graph_bfs(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                  const gemp_analysis_settings *settings, gemp_report *report);
/* Collective. Shortest paths from one source. Columns: `distance`, the smallest sum of weights, NULL for unreached
 * vertices; and `predecessor`, the key of the vertex before on such a path. GEMP_EDATA: a negative weight. */
GEMP_API gemp_code gemp_graph_sssp(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                   const gemp_analysis_settings *settings, gemp_report *report);
/* Collective. Column `rank`: PageRank, whose sum over all vertices is 1. Ranks that have not converged are no failure:
 * the report's fields `iterations`, `converged` and `residuals` tell. */
GEMP_API gemp_code gemp_graph_pagerank(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                       const gemp_analysis_settings *settings, gemp_report *report);
/* Collective. Column `y` = A x, where A's entry (v, u) is the weight of edge u -> v. GEMP_EDATA: y overflows the
 * precision. */
GEMP_API gemp_code gemp_graph_spmv(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                   const gemp_analysis_settings *settings, gemp_report *report);

/* Settings of components, degrees, lists of edges and reversal. */
typedef struct gemp_topology_settings {
	size_t size;          /* set by gemp_topology_settings_init */
	gemp_placement place; /* GEMP_PLACE_DEVICE needs one rank */
	/* components, degrees, list: file of rows, .tsv, .csv, .jsonl or .h5, or - for TSV on stdout; NULL: none */
	const char *output;
	const char *tree; /* components: file of the edges of a spanning forest; NULL: none */
	bool directed;    /* degrees: count only edges with a direction; GEMP_EUSAGE if there are none */
	bool unfinished;  /* reverse: the report is not ended, since gemp_graph_write will end it */
} gemp_topology_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_topology_settings_init(gemp_topology_settings *settings);

/* The next two functions take NULL as the analyses do. They do not use direction and weight of the selection. */

/* Collective. Column `component`: the smallest key among all vertices that are connected to the vertex by edges of any
 * direction. *component_count: of all ranks; NULL: not wanted. */
GEMP_API gemp_code gemp_graph_components(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                         const gemp_topology_settings *settings, uint64_t *component_count,
                                         gemp_report *report);
/* Collective. Columns `out` and `in`: the numbers of edges that leave and reach the vertex. An edge without direction
 * counts in both; a loop without direction counts once in each. */
GEMP_API gemp_code gemp_graph_degrees(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                      const gemp_topology_settings *settings, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
