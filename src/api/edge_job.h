/* edge_job: the steps that all functions on selected edges of a graph share. A job selects the edge types, opens a
 * device if one may be used, runs clocks, makes columns with a row for each vertex, writes their files, and ends the
 * report.
 *
 * Columns have layout->own rows, in the order of the graph's rows. A value that stands for "none" becomes NULL, and so
 * does a number that is not finite. Parents and predecessors become the keys of their vertices, which other ranks may
 * own. Functions are collective unless a comment says otherwise. */

#ifndef GEMP_API_EDGE_JOB_H
#define GEMP_API_EDGE_JOB_H

#include "analytics/layout/layout.h"
#include "api/graph.h"
#include "api/report.h"
#include "topology/csr.h"

/* {0} has nothing to free. */
typedef struct gemp_edge_job {
	gemp_graph *graph; /* borrowed, like the graph's shard and communicator and the report */
	gemp_shard *shard;
	const gemp_comm *comm;
	gemp_edge_selection edges;
	bool *relations;     /* [relation_count] true if selected */
	gemp_report *report; /* the report of the caller, or `none` */
	gemp_report none;
	bool reports;          /* the caller gave a report; the same on all ranks */
	gemp_timers timers;    /* they include the seconds of opening the graph */
	gemp_runtime *runtime; /* the runtime of the context; NULL: no device was opened */
	gemp_device *device;   /* the runtime's first device; NULL: none was opened */
	gemp_columns *columns; /* owned: the result; NULL: not made yet */
} gemp_edge_job;

/* Begins a job. If `edges` is NULL, all edges are selected. The caller frees the job, also after a failure. The job
 * must not be moved, since its report may point to a member of the job. */
gemp_code gemp_edge_job_begin(gemp_edge_job *out, gemp_graph *graph, const gemp_edge_selection *edges,
                              gemp_report *report);
/* Begins a job with topology settings. *chosen becomes the caller's settings, or the defaults. Also checks the paths of
 * files, and opens a device on each rank if `place` allows it. */
gemp_code gemp_topology_job_begin(gemp_edge_job *out, gemp_topology_settings *chosen, gemp_graph *graph,
                                  const gemp_edge_selection *edges, const gemp_topology_settings *settings,
                                  gemp_report *report);
/* Opens the first device of a rank. If the caller has set job->runtime, all devices of this runtime are opened, since
 * its search may go on with them, and its counters continue. */
gemp_code gemp_edge_job_device(gemp_edge_job *job);
/* Local. GEMP_EUSAGE if the selection has a weight that no selected edge type has, or that is not a number in one of
 * them. */
gemp_code gemp_edge_job_check_weight(const gemp_edge_job *job);
/* Local. Frees a job. */
void gemp_edge_job_free(gemp_edge_job *job);
/* Local. Moves the columns to the caller (unless `out` is NULL). Called last, when no later step can fail. */
void gemp_edge_job_hand_over(gemp_edge_job *job, gemp_columns **out);

/* Loads the rows by source of the selected relations into (*out)[*count], and the index of each relation into
 * (*relation)[*count] unless `relation` is NULL. `directed` selects only relations with directed edges. The caller
 * frees both arrays, also after a failure. */
gemp_code gemp_edge_job_rows(gemp_edge_job *job, bool directed, gemp_csr **out, size_t **relation, size_t *count);
/* The same for work to which directions, numbers and copies of edges do not matter: undirected edges may be in the rows
 * of both ends, as a graph file has them. This saves the time and the memory of splitting these rows. */
gemp_code gemp_edge_job_connections(gemp_edge_job *job, gemp_csr **out, size_t **relation, size_t *count);

/* Reports the exchange of all ranks, and its bytes divided by `edges`. Does nothing for a single rank. */
void gemp_edge_job_exchange(gemp_edge_job *job, const gemp_traffic *traffic, gemp_count edges);
/* Reports the seconds of exchanges between devices, of the slowest rank. Does nothing for a single rank, and on hosts,
 * whose exchange is a part of the work. on_devices is the same on all ranks. */
void gemp_edge_job_between_devices(gemp_edge_job *job, bool on_devices, double seconds);
/* Ends the report with the graph, devices, seconds and memory. */
gemp_code gemp_edge_job_report(gemp_edge_job *job);

/* COLUMNS with a row for each vertex */

/* The types of an analysis' values: uint32_t, uint64_t or double. */
typedef enum gemp_column_values { GEMP_VALUES_U32, GEMP_VALUES_U64, GEMP_VALUES_DOUBLE } gemp_column_values;

/* Adds a column of values[own], indexed by local vertex. The integer `none` becomes NULL. GEMP_EDATA if an integer is
 * above 2^63 - 1. */
gemp_code gemp_vertex_column_add(gemp_table *found, const char *name, const gemp_layout *layout,
                                 gemp_column_values type, const void *values, uint64_t none);
/* Adds a column with the keys of vertices that are given by id. GEMP_NO_VERTEX becomes NULL. Loads the keys of the
 * graph. */
gemp_code gemp_vertex_column_keys(gemp_table *found, const char *name, const gemp_layout *layout, gemp_shard *graph,
                                  const gemp_vertex *values);

/* Checks before the work that the files can be written. GEMP_EUSAGE if the graph already has an attribute with the name
 * of one of the columns names[count]. The attributes' names begin with the caller's prefix, or with `function` if the
 * caller gives none; a single attribute has the prefix as its name. */
gemp_code gemp_vertex_output_check(const gemp_graph *graph, const gemp_vertex_output *output, const char *function,
                                   const char *const *names, size_t count);
/* Writes the files that `output` names. The file of rows has the key and the columns in the order of ids. The graph
 * file has the whole graph with the columns as attributes of its vertices; the graph in memory does not keep them. */
gemp_code gemp_vertex_output_write(gemp_graph *graph, const gemp_vertex_output *output, const char *function,
                                   gemp_table *columns, gemp_report *report);
/* Writes only the rows. `what` becomes the description of an HDF5 file. */
gemp_code gemp_vertex_output_rows(gemp_graph *graph, const char *path, const char *what, const gemp_table *columns);

#endif
