/* produce: what import and generate have in common: a graph made in memory goes to a file, with provenance and a
 * report. */

#ifndef GEMP_CLI_GRAPH_OUTPUT_H
#define GEMP_CLI_GRAPH_OUTPUT_H

#include "api/report_state.h"
#include "cli/options/options.h"
#include "core/log.h"

/* Collective. --output is there and can be written to. */
gemp_code gemp_graph_output_check(const gemp_comm *comm, const gemp_options *options);

/* Collective. Writes the graph to a file, with the command as its provenance. weight: the attribute of edges that gives the
 * values of matrices; NULL: ones. */
gemp_code gemp_graph_output_file(const gemp_report *report, const gemp_options *options, gemp_shard *graph,
                                 const char *path, const char *weight);

/* Collective. Writes the graph to --output and reports it. files: inputs whose hashes go to the provenance. timers and
 * steps (NULL: not taken, and no throughput is reported) have what was spent so far. */
gemp_code gemp_graph_output(gemp_report *report, const gemp_options *options, gemp_shard *graph, const gemp_list *files,
                            size_t file_lists, gemp_timers *timers, gemp_step_times *steps);

#endif
