/* gemp/analytics.h: BFS, shortest paths, PageRank, sparse matrix-vector products, components and degrees of a graph.
 * docs/analytics.md and docs/primitives.md define the algorithms.
 *
 * Results are columns with a row for each vertex of this rank, in the order of gemp_graph_keys. */

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
	size_t edge_type_count;        /* 0: the edges of all types */
	gemp_edge_direction direction; /* GEMP_ALONG by default */
	const char *weight;            /* numeric attribute of edges; NULL: each edge has weight 1 */
} gemp_edge_selection;

/* Local. Selects all edges, followed from source to target, with weight 1. */
GEMP_API void gemp_edge_selection_init(gemp_edge_selection *selection);

/* Settings of the four analyses bfs, sssp, pagerank and spmv. The comment of a member names the analyses that read
 * it. */
typedef struct gemp_analysis_settings {
	size_t size; /* set by gemp_analysis_settings_init */

	/* bfs, sssp: the one vertex where the search starts. pagerank: the vertices that random jumps lead to; if there are
	 * none, jumps lead to all vertices with equal probability. */
	const char *const *sources; /* [source_count] keys as text */
	size_t source_count;
	const char *personalization; /* pagerank: a file of keys and jump probabilities, in place of sources; NULL: none */
	gemp_frontier_pass pass;     /* bfs, sssp */
	double delta;                /* sssp: the step width in distance; 0: the library derives it from the weights */
	double damping;              /* pagerank: a number in [0, 1); 0.85 by default */
	/* pagerank: ends when the sum of absolute changes is smaller; 1e-6 by default; 0: never */
	double tolerance;
	uint32_t max_iterations; /* pagerank: 100 by default */
	const double *x;         /* spmv: the vector, [vertices of this rank]; NULL: x_attribute gives the vector */
	const char *x_attribute; /* spmv: the vertex attribute that gives the vector; NULL: a vector of ones */
	/* spmv: number of multiplications; each one multiplies the y of the previous one; 1 by default */
	uint32_t repeat;
	bool normalize;     /* spmv: divide each y by its largest magnitude */
	const char *shown;  /* pagerank: a vertex attribute that the report's list of the largest ranks shows; NULL: none */
	gemp_gather gather; /* pagerank, spmv */
	gemp_layout_cut cut;      /* pagerank, spmv */
	gemp_precision precision; /* pagerank, spmv */

	/* all four: check the result by an independent computation on the host's threads. Each rank then needs 12 to 56
	 * bytes for each vertex of the whole graph. */
	bool verify;
	gemp_vertex_output save; /* all four: the files that get the columns */
} gemp_analysis_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_analysis_settings_init(gemp_analysis_settings *settings);

/* THE FOUR ANALYSES. If `edges` is NULL, all edges are used, from source to target. If `settings` is NULL, the defaults
 * apply. If `report` is NULL, no report is made. If `out` is NULL, the caller gets no columns; otherwise *out belongs
 * to the caller, and gemp_columns_close frees it. After a failure *out is NULL. Before the work the functions check
 * that the files can be written. GEMP_EUSAGE if a setting is wrong, or if the graph lacks an edge type, an attribute or
 * a source. GEMP_EDATA if weights or values are out of range. */

/* Collective. Breadth-first search. The column `level` is the number of edges from the source, or NULL for unreached
 * vertices. The column `parent` is the smallest key among the neighbours one level closer to the source. It is NULL for
 * the source and for unreached vertices. */
GEMP_API gemp_code gemp_graph_bfs(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                  const gemp_analysis_settings *settings, gemp_report *report);
/* Collective. Shortest paths from one source. The column `distance` is the smallest sum of weights, or NULL for
 * unreached vertices. The column `predecessor` is the key of the previous vertex on a shortest path. It is NULL for the
 * source and for unreached vertices. GEMP_EDATA if a weight is negative. */
GEMP_API gemp_code gemp_graph_sssp(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                   const gemp_analysis_settings *settings, gemp_report *report);
/* Collective. The column `rank` is the PageRank of the vertices, whose sum is 1. If the iteration does not converge,
 * the function does not fail; the report's fields `iterations`, `converged` and `residuals` show the result. */
GEMP_API gemp_code gemp_graph_pagerank(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                       const gemp_analysis_settings *settings, gemp_report *report);
/* Collective. The column `y` is the product A x. With the direction GEMP_ALONG the entry (v, u) of A is the sum of the
 * weights of the edges u -> v; GEMP_AGAINST transposes A. GEMP_EDATA if y overflows the precision. */
GEMP_API gemp_code gemp_graph_spmv(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                   const gemp_analysis_settings *settings, gemp_report *report);

/* Settings of components, degrees, lists of edges and reversal. The comment of a member names the functions that read
 * it. */
typedef struct gemp_topology_settings {
	size_t size;          /* set by gemp_topology_settings_init */
	gemp_placement place; /* all: GEMP_PLACE_DEVICE needs a single rank */
	/* components, degrees, list of edges: file of rows, .tsv, .csv, .jsonl or .h5, or - for TSV on stdout. NULL:
	 * none */
	const char *output;
	const char *tree; /* components: file of the edges of a spanning forest; NULL: none */
	/* components: DOT drawing of the graph with a spanning forest, for at most 1000 vertices and edges; NULL: none */
	const char *drawing;
	bool directed;   /* degrees: count only directed edges; GEMP_EUSAGE if there are none */
	bool unfinished; /* reverse: leave the report open for gemp_graph_write, which ends it */
} gemp_topology_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_topology_settings_init(gemp_topology_settings *settings);

/* For the next two functions a NULL argument has the same meaning as for the four analyses. Direction and weight of the
 * selection have no effect. */

/* Collective. The column `component` is the smallest key among all vertices of the same weakly connected component.
 * *component_count becomes the number of components on all ranks, unless `component_count` is NULL. */
GEMP_API gemp_code gemp_graph_components(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                         const gemp_topology_settings *settings, uint64_t *component_count,
                                         gemp_report *report);
/* Collective. The columns `out` and `in` are the numbers of edges that leave and reach the vertex. An undirected edge
 * counts in both columns; an undirected loop counts once in each column. */
GEMP_API gemp_code gemp_graph_degrees(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                      const gemp_topology_settings *settings, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
