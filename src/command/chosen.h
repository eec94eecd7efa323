/* chosen: what edges, reverse and components have in common: a graph with the types of edges that are asked for, a
 * device if one may be used, and how fast something was beside a copy in memory.
 */
#ifndef GEMP_COMMAND_CHOSEN_H
#define GEMP_COMMAND_CHOSEN_H

#include "command/report.h"

typedef struct gemp_chosen {
	gemp_comm *comm;
	const gemp_options *options;
	gemp_report *report;
	gemp_timers timers;
	gemp_graph *graph;
	bool *relations;         /* [relation_count] asked for */
	gemp_context *context;   /* NULL: none was opened */
	gemp_device *device;     /* its first; NULL: none */
} gemp_chosen;

/* Collective. Opens the graph of the first argument, chooses by --relation, and opens a device where one rank may use
 * it. To be freed also after a failure. */
gemp_code gemp_chosen_open(gemp_chosen *out, gemp_comm *comm, const gemp_options *options, gemp_report *report);
void gemp_chosen_free(gemp_chosen *chosen);

/* Collective. (*out)[relation_count], to be freed also after a failure: which types of edges --relation names; all, if
 * it is not given. path: the graph's file. */
gemp_code gemp_relations_choose(bool **out, const gemp_comm *comm, const gemp_graph *graph, const gemp_options *options,
                                const char *path);

/* Collective. Has `path`, which --`option` gives (NULL: does not), a form for rows, and can rank 0 write there? */
gemp_code gemp_rows_path_check(const gemp_comm *comm, const char *option, const char *path);

/* Collective. Says where something was done, in how many seconds, how many bytes a second that is, and what share of
 * the bandwidth of a copy there. bytes: read and written by this rank, each once; the seconds of the slowest rank
 * count. */
gemp_code gemp_chosen_rate(gemp_chosen *chosen, bool on_device, double seconds, double transfers, uint64_t bytes);

/* Collective. What travelled, of all ranks, and how many bytes that is for each of so many edges. */
void gemp_chosen_exchange(gemp_chosen *chosen, const gemp_traffic *traffic, gemp_count edges);

/* Collective. The report's end, as all of them have it. */
gemp_code gemp_chosen_report(gemp_chosen *chosen);

#endif
