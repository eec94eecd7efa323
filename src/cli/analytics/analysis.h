/* analysis: what bfs, sssp, pagerank and spmv have in common: a graph with the types of edges that are asked for, laid out for
 * values to travel along them, on each rank's device; and what becomes of what they find.
 */

#ifndef GEMP_CLI_ANALYTICS_ANALYSIS_H
#define GEMP_CLI_ANALYTICS_ANALYSIS_H

#include "analytics/dense/dense.h"
#include "analytics/traversal/frontier.h"
#include "analytics/verify/verify_edges.h"
#include "api/context_state.h"
#include "api/report_state.h"
#include "cli/graph_job.h"

typedef struct gemp_analysis {
	gemp_graph_job job;
	gemp_layout layout;
	double prepared;    /* seconds of the layout, its copy on the device and what engines add, without programs */
	gemp_table columns; /* columns of vertices, see vertex_output.h */
} gemp_analysis;

/* What one of these commands is, beside its options. */
typedef struct gemp_analysis_kind {
	const char *const *names; /* [count] of the columns that it finds */
	size_t count;
	gemp_code (*check)(const gemp_options *options);
	/* Collective. From the open graph to the columns, checked if that is asked for; and what is said of it. */
	gemp_code (*compute)(gemp_analysis *a, void *work);
	gemp_code (*report)(gemp_analysis *a, void *work);
	void (*free)(void *work);
} gemp_analysis_kind;

/* Collective. All of a command; work: its own, {0}, which it forgets at the end. Nothing is read before it is known that what
 * options ask for can be written. */
gemp_code gemp_analysis_run(gemp_context *context, const gemp_options *options, gemp_report *report,
                            const gemp_analysis_kind *kind, void *work);

/* Collective. The layout; how->relations are set here. */
gemp_code gemp_analysis_layout(gemp_analysis *a, gemp_layout_options how);
/* --source of a search, which starts from one vertex. */
gemp_code gemp_analysis_check_source(const gemp_options *options);
/* Collective. The vertex that it names. */
gemp_code gemp_analysis_source(gemp_analysis *a, gemp_vertex *source);
/* Takes the seconds of what an engine did: before its runs, of which `build` went into programs; and in a run. */
void gemp_analysis_add_prepared(gemp_analysis *a, double seconds, double build);
void gemp_analysis_add_search(gemp_analysis *a, const gemp_traversal_cost *cost);
void gemp_analysis_add_sums(gemp_analysis *a, const gemp_dense_report *run);
/* "3 of 40 vertices are reached from SOURCE", and no end of the line. */
void gemp_analysis_report_reached(gemp_analysis *a, gemp_count reached);
/* Collective. A table of the stages of a search, of the slowest rank each. */
void gemp_analysis_report_stages(gemp_analysis *a, const gemp_traversal_cost *cost);
/* For --verify: the edges asked for; an array by row of the graph of one by local vertex (the caller frees; NULL: NULL); and,
 * collective, what is said when all was right. */
gemp_verify_edges gemp_analysis_edges(const gemp_analysis *a);
gemp_code gemp_analysis_by_row(void **out, const gemp_analysis *a, const void *values, size_t size);
void gemp_analysis_report_verified(gemp_analysis *a, const char *what, double since);
/* Collective. The report's end. edges: that were gone along in `seconds` of the slowest rank; iterations: in as many rounds;
 * traffic: this rank's, of which sums; bytes: that this rank's device read or wrote. */
typedef struct gemp_analysis_work {
	double seconds;
	uint64_t edges, iterations, bytes, sum_bytes;
	gemp_traffic traffic;
} gemp_analysis_work;
gemp_code gemp_analysis_report(gemp_analysis *a, const gemp_analysis_work *work);
/* Collective. The same of sums over all edges, round after round. */
gemp_code gemp_analysis_report_sums(gemp_analysis *a, const gemp_dense_report *run);

#endif
