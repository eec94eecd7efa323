/* analysis: what bfs, sssp, pagerank and spmv have in common: a graph with the selected edge types, laid out for values to travel
 * along them, on each rank's device; and what becomes of the columns that they find. All functions are collective unless a
 * comment says otherwise.
 */

#ifndef GEMP_API_ANALYTICS_ANALYSIS_H
#define GEMP_API_ANALYTICS_ANALYSIS_H

#include "analytics/dense/dense.h"
#include "analytics/traversal/frontier.h"
#include "analytics/verify/verify_edges.h"
#include "api/edge_job.h"

typedef struct gemp_analysis {
	gemp_edge_job job;
	gemp_analysis_settings settings;
	const char *name; /* of the analysis */
	gemp_layout layout;
	double prepared;       /* seconds of the layout, its copy on the device and what engines add, without programs */
	gemp_columns *columns; /* the result */
} gemp_analysis;

/* columns[count]: names of the result's. Nothing is computed before the settings' files are known to be writable. An analysis is
 * ended also after a failure. */
gemp_code gemp_analysis_begin(gemp_analysis *out, const char *name, gemp_graph *graph, const gemp_edge_selection *edges,
                              const gemp_analysis_settings *settings, gemp_report *report, const char *const *columns,
                              size_t count);
/* The layout; relations, direction and weight of `how` are set here. */
gemp_code gemp_analysis_layout(gemp_analysis *a, gemp_layout_options how);
/* Writes the rows and the graph that the settings ask for. */
gemp_code gemp_analysis_write(gemp_analysis *a);
/* Local. Hands the columns out after a success (out NULL: not wanted) and frees the rest. Returns code. */
gemp_code gemp_analysis_end(gemp_analysis *a, gemp_code code, gemp_columns **out);

/* The vertex of a search, which has one source. */
gemp_code gemp_analysis_source(gemp_analysis *a, gemp_vertex *source);

/* Local. The seconds of what an engine did: before its runs, of which `build` went into programs; and in a run. */
void gemp_analysis_add_prepared(gemp_analysis *a, double seconds, double build);
void gemp_analysis_add_search(gemp_analysis *a, const gemp_traversal_cost *cost);
void gemp_analysis_add_sums(gemp_analysis *a, const gemp_dense_report *run);

/* To verify. Local: the selected edges; and an array by row of the graph of one by local vertex (the caller frees; NULL: NULL). */
gemp_verify_edges gemp_analysis_edges(const gemp_analysis *a);
gemp_code gemp_analysis_by_row(void **out, const gemp_analysis *a, const void *values, size_t size);
/* Local. Reports that the answer was right. */
void gemp_analysis_report_verified(gemp_analysis *a, const char *what, double since);

/* Local. "3 of 40 vertices are reached from SOURCE", without a line end. */
void gemp_analysis_report_reached(gemp_analysis *a, gemp_count reached);
/* A table of the stages of a search, each of its slowest rank. */
void gemp_analysis_report_stages(gemp_analysis *a, const gemp_traversal_cost *cost);
/* The report's end. edges: that were gone along in `seconds` of the slowest rank; iterations: in as many rounds; traffic: this
 * rank's, with sum_bytes of sums; bytes: that this rank's device read or wrote. */
typedef struct gemp_analysis_work {
	double seconds;
	uint64_t edges, iterations, bytes, sum_bytes;
	gemp_traffic traffic;
} gemp_analysis_work;
gemp_code gemp_analysis_report(gemp_analysis *a, const gemp_analysis_work *work);
/* The same of sums over all edges, round after round. */
gemp_code gemp_analysis_report_sums(gemp_analysis *a, const gemp_dense_report *run);

#endif
