/* chosen: what edges, reverse and components have in common: a graph with the types of edges that are asked for, a
 * device if one may be used, and how fast something was beside a copy in memory.
 */

#ifndef GEMP_CLI_GRAPH_JOB_H
#define GEMP_CLI_GRAPH_JOB_H

#include "api/report_state.h"
#include "cli/options/options.h"

typedef struct gemp_graph_job {
	gemp_comm *comm;
	const gemp_options *options;
	gemp_report *report;
	gemp_timers timers;
	gemp_shard *graph;
	bool *relations;       /* [relation_count] asked for */
	gemp_runtime *context; /* NULL: none was opened */
	gemp_device *device;   /* its first; NULL: none */
} gemp_graph_job;

/* Collective. Opens the graph of the first argument, chooses by --relation, and opens a device where one rank may use
 * it. To be freed also after a failure. */
gemp_code gemp_graph_job_open(gemp_graph_job *out, gemp_comm *comm, const gemp_options *options, gemp_report *report);
void gemp_graph_job_free(gemp_graph_job *chosen);

/* Collective. (*out)[relation_count], to be freed also after a failure: which types of edges --relation names; all, if
 * it is not given. path: the graph's file. */
gemp_code gemp_graph_job_relations(bool **out, const gemp_comm *comm, const gemp_shard *graph,
                                   const gemp_options *options, const char *path);

/* Collective. Says where something was done, in how many seconds, how many bytes a second that is, and what share of
 * the bandwidth of a copy there. bytes: read and written by this rank, each once; the seconds of the slowest rank
 * count. */
gemp_code gemp_graph_job_rate(gemp_graph_job *chosen, bool on_device, double seconds, double transfers, uint64_t bytes);

/* Collective. What travelled, of all ranks, and how many bytes that is for each of so many edges. */
void gemp_graph_job_exchange(gemp_graph_job *chosen, const gemp_traffic *traffic, gemp_count edges);

/* Collective. The report's end, as all of them have it. */
gemp_code gemp_graph_job_report(gemp_graph_job *chosen);

#endif
