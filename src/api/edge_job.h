/* edge_job: the parts that all functions on selected edges of a graph share: the edge types, a device if one may be
 * used, clocks, columns with a row for each vertex, their files, and the end of the report.
 *
 * Columns have layout->own rows, in the order of the graph's rows. A value that stands for "none" becomes NULL, and so
 * does a number that is not finite. Parents and predecessors become the keys of their vertices, which other ranks may
 * own. Functions are collective unless a comment says otherwise.
 */

#ifndef GEMP_API_EDGE_JOB_H
#define GEMP_API_EDGE_JOB_H

#include "analytics/layout/layout.h"
#include "api/graph.h"
#include "api/report.h"
#include "topology/csr.h"

/* {0} has nothing to free. */
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
	gemp_runtime *runtime; /* the context's; NULL: no device was opened */
	gemp_device *device;   /* the runtime's first device; NULL: none was opened */
	gemp_columns *columns; /* owned: the result; NULL: none yet */
} gemp_edge_job;

/* edges NULL: all edges. The job is freed also after a failure. It must not be moved, since its report may point to
 * itself. */
gemp_code gemp_edge_job_begin(gemp_edge_job *out, gemp_graph *graph, const gemp_edge_selection *edges,
                              gemp_report *report);
/* The same for a function with topology settings, which *chosen receives, with the caller's or the default values;
 * checks the paths of files, and opens a device where `place` allows it. */
gemp_code gemp_topology_job_begin(gemp_edge_job *out, gemp_topology_settings *chosen, gemp_graph *graph,
                                  const gemp_edge_selection *edges, const gemp_topology_settings *settings,
                                  gemp_report *report);
/* Local. GEMP_EUSAGE for GEMP_PLACE_DEVICE on several ranks, since their devices do not work together here. */
gemp_code gemp_edge_job_check_place(const gemp_edge_job *job, gemp_placement place);
gemp_code gemp_edge_job_device(gemp_edge_job *job);
/* Local. */
void gemp_edge_job_free(gemp_edge_job *job);
/* Local. Gives the columns to the caller (out NULL: they are not wanted) when nothing can fail any more. */
void gemp_edge_job_hand_over(gemp_edge_job *job, gemp_columns **out);

/* Loads the rows by source of the selected relations: (*out)[*count], and the index of each one's relation,
 * (*relation)[*count] (relation NULL: not wanted). directed: only relations whose edges have a direction. The caller
 * frees both, also after a failure. */
gemp_code gemp_edge_job_rows(gemp_edge_job *job, bool directed, gemp_csr **out, size_t **relation, size_t *count);

/* Reports the exchange of all ranks, and its bytes divided by `edges`; a single rank has none to report. */
void gemp_edge_job_exchange(gemp_edge_job *job, const gemp_traffic *traffic, gemp_count edges);
/* The end of the report: the graph, devices, seconds and memory. */
gemp_code gemp_edge_job_report(gemp_edge_job *job);

/* COLUMNS with a row for each vertex. */

/* The types of an analysis' values: uint32_t, uint64_t, double. */
typedef enum gemp_column_values { GEMP_VALUES_U32, GEMP_VALUES_U64, GEMP_VALUES_DOUBLE } gemp_column_values;

/* Adds a column of values[own], which are by local vertex. none: the integer that becomes NULL. GEMP_EDATA: an integer
 * above 2^63 - 1. */
gemp_code gemp_vertex_column_add(gemp_table *found, const char *name, const gemp_layout *layout,
                                 gemp_column_values type, const void *values, uint64_t none);
/* Adds a column with the keys of vertices, by id; GEMP_NO_VERTEX is NULL. Loads the graph's keys. */
gemp_code gemp_vertex_column_keys(gemp_table *found, const char *name, const gemp_layout *layout, gemp_shard *graph,
                                  const gemp_vertex *values);

/* Checks, before the work, that the files can be written. GEMP_EUSAGE where the graph has an attribute that one of the
 * columns names[count] would replace. function: prefix of the attributes' names unless the caller gives one; a single
 * attribute has the prefix as its name. */
gemp_code gemp_vertex_output_check(const gemp_graph *graph, const gemp_vertex_output *output, const char *function,
                                   const char *const *names, size_t count);
/* Writes the files that `output` names: rows of key and columns, in the order of ids; and the whole graph with the
 * columns as attributes of its vertices, which the graph in memory does not keep. */
gemp_code gemp_vertex_output_write(gemp_graph *graph, const gemp_vertex_output *output, const char *function,
                                   gemp_table *columns, gemp_report *report);
/* Writes only the rows. what: stands in the description of an HDF5 file. */
gemp_code gemp_vertex_output_rows(gemp_graph *graph, const char *path, const char *what, const gemp_table *columns);

#endif
