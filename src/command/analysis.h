/* analysis: what bfs, sssp, pagerank and spmv have in common: a graph with the types of edges that are asked for, laid out for
 * values to travel along them, on each rank's device; and what becomes of what they find.
 */
#ifndef GEMP_COMMAND_ANALYSIS_H
#define GEMP_COMMAND_ANALYSIS_H

#include "command/report.h"
#include "gas/dense.h"
#include "gas/traversal.h"
#include "gas/verify.h"

typedef struct gemp_analysis {
	gemp_comm *comm;
	const gemp_options *options;
	gemp_report *report;
	gemp_timers timers;
	gemp_graph *graph;
	bool *relations;        /* [relation_count] asked for */
	gemp_context *context;
	gemp_device *device;    /* its first */
	gemp_gas_layout layout;
	double prepared;        /* seconds of the layout, its copy on the device and what engines add, without programs */
	gemp_table found;       /* columns of vertices, see vertex_found.h */
} gemp_analysis;

/* Collective. Begins the report. Can be written what options ask for? After an error there is nothing to finish. */
gemp_code gemp_analysis_begin(gemp_analysis *out, gemp_comm *comm, const gemp_options *options, gemp_report *report);
/* Collective. Opens graph and devices; names[count]: of the columns that will be found. */
gemp_code gemp_analysis_open(gemp_analysis *a, const char *const *names, size_t count);
/* Collective. The layout; how->relations are set here. */
gemp_code gemp_analysis_lay_out(gemp_analysis *a, gemp_gas_layout_options how);
/* --source of a search, which starts from one vertex. */
gemp_code gemp_analysis_check_source(const gemp_options *options);
/* Collective. The vertex that it names. */
gemp_code gemp_analysis_source(gemp_analysis *a, gemp_vertex *source);
/* Takes the seconds of what an engine did: before its runs, of which `build` went into programs; and in a run. */
void gemp_analysis_prepared(gemp_analysis *a, double seconds, double build);
void gemp_analysis_searched(gemp_analysis *a, const gemp_traversal_cost *cost);
void gemp_analysis_summed(gemp_analysis *a, const gemp_dense_report *run);
/* Collective. A table of the stages of a search, of the slowest rank each. */
void gemp_analysis_stages(gemp_analysis *a, const gemp_traversal_cost *cost);
/* Collective. Rows and graph file, as asked for. */
gemp_code gemp_analysis_write(gemp_analysis *a);
/* For --verify: the edges asked for; an array by row of the graph of one by local vertex (the caller frees; NULL: NULL); and,
 * collective, what is said when all was right. */
gemp_gas_edges gemp_analysis_edges(const gemp_analysis *a);
gemp_code gemp_analysis_by_row(void **out, const gemp_analysis *a, const void *values, size_t size);
void gemp_analysis_verified(gemp_analysis *a, const char *what, double since);
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
/* Collective. Frees; gives the code of the whole command. */
gemp_code gemp_analysis_end(gemp_analysis *a, gemp_code code);

#endif
