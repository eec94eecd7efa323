/* produce: what import and generate have in common: a graph made in memory goes to a file, with provenance and a
 * report. */
#ifndef GEMP_COMMAND_PRODUCE_H
#define GEMP_COMMAND_PRODUCE_H

#include "command/report.h"
#include "core/steps.h"

/* Collective. --output is there and can be written to. */
gemp_code gemp_produce_check(const gemp_comm *comm, const gemp_options *options);

/* Collective. Writes the graph to a file, with the command as its provenance. weight: the attribute of edges that gives the
 * values of matrices; NULL: ones. */
gemp_code gemp_produce_file(const gemp_report *report, gemp_graph *graph, const char *path, const char *weight);

/* Collective. Writes the graph to --output and reports it. files: inputs whose hashes go to the provenance. timers and
 * steps (NULL: not taken, and no throughput is reported) have what was spent so far. */
gemp_code gemp_produce(gemp_report *report, gemp_graph *graph, const gemp_list *files, size_t file_lists,
                       gemp_timers *timers, gemp_steps *steps);

#endif
