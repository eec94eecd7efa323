/* graph_job: what the commands on one graph have in common: the graph with the types of edges that --relation names, a device
 * if one may be used, and the report's end. edges, reverse, components and degrees open all at once; euler, som and the
 * analytics open the parts when they need them. Functions are collective unless said; a job is freed also after a failure.
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
	gemp_shard *graph;     /* NULL: none was read */
	bool *relations;       /* [relation_count] asked for */
	gemp_runtime *context; /* NULL: none was opened */
	gemp_device *device;   /* its first; NULL: none */
} gemp_graph_job;

/* --on device is refused where there are several ranks, whose devices do not work together. */
gemp_code gemp_graph_job_init(gemp_graph_job *out, gemp_context *context, const gemp_options *options,
                              gemp_report *report);
/* Opens the graph file. The seconds so far belong to reading. */
gemp_code gemp_graph_job_read(gemp_graph_job *job, const char *path);
/* Which types of edges --relation names; all, if it is not given. path: of messages. */
gemp_code gemp_graph_job_relations(gemp_graph_job *job, const char *path);
gemp_code gemp_graph_job_device(gemp_graph_job *job);
/* All of these: the graph of the first argument, and a device where one rank may use it. */
gemp_code gemp_graph_job_open(gemp_graph_job *out, gemp_context *context, const gemp_options *options,
                              gemp_report *report);
/* Local. */
void gemp_graph_job_free(gemp_graph_job *job);

/* Says where something was done, in how many seconds, how many bytes a second that is, and what share of
 * the bandwidth of a copy there. bytes: read and written by this rank, each once; the seconds of the slowest rank
 * count. */
gemp_code gemp_graph_job_rate(gemp_graph_job *job, bool on_device, double seconds, double transfers, uint64_t bytes);

/* What travelled, of all ranks, and how many bytes that is for each of so many edges. */
void gemp_graph_job_exchange(gemp_graph_job *job, const gemp_traffic *traffic, gemp_count edges);

/* The report's end: the graph; devices, seconds and memory; and both. */
gemp_code gemp_graph_job_resources(gemp_graph_job *job);
gemp_code gemp_graph_job_report(gemp_graph_job *job);

#endif
