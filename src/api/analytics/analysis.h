/* analysis: the steps that bfs, sssp, pagerank and spmv share. An analysis selects the edge types of a graph, lays the
 * edges out on each rank's device so that values can travel along them, makes the columns of the result, and reports.
 * All functions are collective unless a comment says otherwise. */

#ifndef GEMP_API_ANALYTICS_ANALYSIS_H
#define GEMP_API_ANALYTICS_ANALYSIS_H

#include "analytics/dense/dense.h"
#include "analytics/traversal/frontier.h"
#include "analytics/verify/verify_edges.h"
#include "api/edge_job.h"

/* The name of an analysis and the columns of its result. */
typedef struct gemp_analysis_kind {
	const char *name;
	size_t column_count;
	const char *columns[2]; /* [column_count] names */
} gemp_analysis_kind;

typedef struct gemp_analysis {
	gemp_edge_job job;
	gemp_analysis_settings settings;
	const gemp_analysis_kind *kind;
	gemp_layout layout;
	/* Seconds of making the layout, of copying it to the device and of the engines' preparation, without the building
	 * of programs. */
	double prepared;
	bool wants_columns; /* the caller or a file receives the columns; the same on all ranks */
} gemp_analysis;

/* Sets *out to NULL. Checks that the files of the settings can be written before anything is computed. The caller frees
 * the analysis, also after a failure. The analysis must not be moved (api/edge_job.h). */
gemp_code gemp_analysis_begin(gemp_analysis *a, const gemp_analysis_kind *kind, gemp_columns **out, gemp_graph *graph,
                              const gemp_edge_selection *edges, const gemp_analysis_settings *settings,
                              gemp_report *report);
/* Makes the layout. Sets relations, direction and weight of `how` itself. */
gemp_code gemp_analysis_layout(gemp_analysis *a, gemp_layout_options how);
/* Adds the next column of the result, as gemp_vertex_column_add and gemp_vertex_column_keys do (api/edge_job.h). Does
 * nothing if nobody receives the columns. */
gemp_code gemp_analysis_column(gemp_analysis *a, gemp_column_values type, const void *values, uint64_t none);
gemp_code gemp_analysis_column_keys(gemp_analysis *a, const gemp_vertex *values);
/* Writes the rows and the graph that the settings ask for. */
gemp_code gemp_analysis_write(gemp_analysis *a);
/* Local. Frees the analysis. */
void gemp_analysis_free(gemp_analysis *a);

/* *source becomes the vertex at which a search starts. GEMP_EUSAGE unless the settings name exactly one vertex. */
gemp_code gemp_analysis_source(gemp_analysis *a, gemp_vertex *source);
/* Local. Returns `code`. If it is GEMP_EDATA, the message is about a weight, and the names of the graph and the
 * attribute are added to it. */
gemp_code gemp_analysis_name_weight(const gemp_analysis *a, gemp_code code);

/* Local. These functions add the seconds of an engine to the clocks: seconds of its preparation (of which `build` is
 * the building of programs), of a search, or of sums. */
void gemp_analysis_add_prepared(gemp_analysis *a, double seconds, double build);
void gemp_analysis_add_search(gemp_analysis *a, const gemp_traversal_cost *cost);
void gemp_analysis_add_sums(gemp_analysis *a, const gemp_dense_report *run);

/* Local; for verification. gemp_analysis_edges returns the selected edges. gemp_analysis_by_row copies values[own],
 * which are indexed by local vertex, into the order of the graph's rows. The caller frees *out. A NULL array becomes
 * NULL. */
gemp_verify_edges gemp_analysis_edges(const gemp_analysis *a);
gemp_code gemp_analysis_by_row(void **out, const gemp_analysis *a, const void *values, size_t size);
/* Local. Reports that the check, which began at `since`, has confirmed the result. */
void gemp_analysis_report_verified(gemp_analysis *a, const char *what, double since);

/* Local. Prints "3 of 40 vertices are reached from SOURCE" without a line end. */
void gemp_analysis_report_reached(gemp_analysis *a, gemp_count reached);
/* Reports the seconds of each stage of a search on the slowest rank. */
void gemp_analysis_report_stages(gemp_analysis *a, const gemp_traversal_cost *cost);
typedef struct gemp_analysis_work {
	double seconds;            /* seconds of this rank */
	uint64_t edges;            /* number of edges that the work used, on all ranks */
	uint64_t iterations;       /* number of iterations or rounds */
	uint64_t bytes, sum_bytes; /* bytes that this rank's device read or wrote; bytes of sums in `traffic` */
	gemp_traffic traffic;      /* traffic of this rank */
} gemp_analysis_work;
/* Ends the report. */
gemp_code gemp_analysis_report(gemp_analysis *a, const gemp_analysis_work *work);
/* Ends the report of an analysis that makes sums over all edges in iterations. */
gemp_code gemp_analysis_report_sums(gemp_analysis *a, const gemp_dense_report *run);

#endif
