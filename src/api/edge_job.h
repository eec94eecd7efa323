/* edge_job: what functions on selected edges of a graph have in common: the edge types, a device if one may be
 * used, clocks, and the end of the report. Functions are collective unless a comment says otherwise.
 */

#ifndef GEMP_API_EDGE_JOB_H
#define GEMP_API_EDGE_JOB_H

#include "api/graph_state.h"
#include "api/report_state.h"
#include "topology/csr.h"

typedef struct gemp_edge_job {
	gemp_graph *graph; /* borrowed, as its shard, the communicator and the report are */
	gemp_shard *shard;
	const gemp_comm *comm;
	gemp_edge_selection edges;
	bool *relations;     /* [relation_count] selected */
	gemp_report *report; /* the caller's, or `none` */
	gemp_report none;
	bool reports;          /* the caller gave a report, on all ranks */
	gemp_timers timers;    /* with the seconds of opening the graph */
	gemp_runtime *runtime; /* the context's; NULL: none was opened */
	gemp_device *device;   /* its first; NULL: none */
} gemp_edge_job;

/* edges NULL: all. A job is freed also after a failure, and stays where it is, since it may point to itself. */
gemp_code gemp_edge_job_begin(gemp_edge_job *out, gemp_graph *graph, const gemp_edge_selection *edges,
                              gemp_report *report);
/* Local. GEMP_EUSAGE for GEMP_PLACE_DEVICE where there are several ranks, whose devices do not work together. */
gemp_code gemp_edge_job_check_place(const gemp_edge_job *job, gemp_placement place);
/* Checks the place, and opens a device where one rank may use it; or opens it in any case. */
gemp_code gemp_edge_job_place(gemp_edge_job *job, gemp_placement place);
gemp_code gemp_edge_job_device(gemp_edge_job *job);
/* Local. */
void gemp_edge_job_free(gemp_edge_job *job);

/* Loads the rows by source of the selected relations: (*out)[*count], and which relations they are of ((*relation)[*count]; NULL:
 * not wanted). directed: only of those with a direction. The caller frees both, also after a failure. */
gemp_code gemp_edge_job_rows(gemp_edge_job *job, bool directed, gemp_csr **out, size_t **relation, size_t *count);

/* Reports where something was done, in how many seconds, how many bytes a second that is, and what share of the bandwidth of a copy
 * there. bytes: read and written by this rank, each once; the seconds of the slowest rank count. */
gemp_code gemp_edge_job_rate(gemp_edge_job *job, bool on_device, double seconds, double transfers, uint64_t bytes);
/* Reports what all ranks sent, and how many bytes that is for each of so many edges. */
void gemp_edge_job_exchange(gemp_edge_job *job, const gemp_traffic *traffic, gemp_count edges);
/* The report's end: devices, seconds and memory; and with the graph before them. */
gemp_code gemp_edge_job_resources(gemp_edge_job *job);
gemp_code gemp_edge_job_report(gemp_edge_job *job);

#endif
