/* analysis: the parts that bfs, sssp, pagerank and spmv share: a graph with the selected edge types, laid out on each
 * rank's device so that values can travel along the edges; the columns of the result; and the report. All functions are
 * collective unless a comment says otherwise.
 */

#ifndef GEMP_API_ANALYTICS_ANALYSIS_H
#define GEMP_API_ANALYTICS_ANALYSIS_H

#include "analytics/dense/dense.h"
#include "analytics/traversal/frontier.h"
#include "analytics/verify/verify_edges.h"
#include "api/edge_job.h"

/* An analysis and the columns of its result. */
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
	/* Seconds of the layout, of its copy on the device and of the engines' own preparation, without the building of
	 * programs. */
	double prepared;
} gemp_analysis;

/* Sets *out to NULL. Nothing is computed before the files of the settings are known to be writable. The analysis is
 * freed also after a failure, and must not be moved (api/edge_job.h). */
gemp_code gemp_analysis_begin(gemp_analysis *a, const gemp_analysis_kind *kind, gemp_columns **out, gemp_graph *graph,
                              const gemp_edge_selection *edges, const gemp_analysis_settings *settings,
                              gemp_report *report);
/* Makes the layout; relations, direction and weight of `how` are set here. */
gemp_code gemp_analysis_layout(gemp_analysis *a, gemp_layout_options how);
/* Writes the rows and the graph that the settings ask for. */
gemp_code gemp_analysis_write(gemp_analysis *a);
/* Local. */
void gemp_analysis_free(gemp_analysis *a);

/* The vertex at which a search starts. GEMP_EUSAGE unless the settings name one. */
gemp_code gemp_analysis_source(gemp_analysis *a, gemp_vertex *source);
/* Local. Returns code; the message of GEMP_EDATA, which is about a weight, gets the names of the graph and the
 * attribute. */
gemp_code gemp_analysis_name_weight(const gemp_analysis *a, gemp_code code);

/* Local. Adds the seconds of an engine to the clocks: of its preparation, of which `build` went into programs; of a
 * search; of sums. */
void gemp_analysis_add_prepared(gemp_analysis *a, double seconds, double build);
void gemp_analysis_add_search(gemp_analysis *a, const gemp_traversal_cost *cost);
void gemp_analysis_add_sums(gemp_analysis *a, const gemp_dense_report *run);

/* For verification, local: the selected edges; and a copy of values[own], which are by local vertex, by row of the
 * graph (the caller frees; NULL becomes NULL). */
gemp_verify_edges gemp_analysis_edges(const gemp_analysis *a);
gemp_code gemp_analysis_by_row(void **out, const gemp_analysis *a, const void *values, size_t size);
/* Local. Reports that the answer was right. */
void gemp_analysis_report_verified(gemp_analysis *a, const char *what, double since);

/* Local. Prints "3 of 40 vertices are reached from SOURCE", without a line end. */
void gemp_analysis_report_reached(gemp_analysis *a, gemp_count reached);
/* Reports the seconds of the stages of a search, each on its slowest rank. */
void gemp_analysis_report_stages(gemp_analysis *a, const gemp_traversal_cost *cost);
typedef struct gemp_analysis_work {
	double seconds;            /* of this rank */
	uint64_t edges;            /* of all ranks that the work went along */
	uint64_t iterations;       /* or rounds */
	uint64_t bytes, sum_bytes; /* that this rank's device read or wrote; of `traffic`, bytes of sums */
	gemp_traffic traffic;      /* of this rank */
} gemp_analysis_work;
/* Ends the report. */
gemp_code gemp_analysis_report(gemp_analysis *a, const gemp_analysis_work *work);
/* Ends the report of sums over all edges, which were made in rounds. */
gemp_code gemp_analysis_report_sums(gemp_analysis *a, const gemp_dense_report *run);

#endif
