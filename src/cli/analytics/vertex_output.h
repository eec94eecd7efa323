/* vertex_found: what was found for each vertex: columns in the order of ids, which become rows of a file, or attributes of the
 * graph in a graph file.
 */

#ifndef GEMP_CLI_ANALYTICS_VERTEX_OUTPUT_H
#define GEMP_CLI_ANALYTICS_VERTEX_OUTPUT_H

#include "api/report_state.h"
#include "cli/options/options.h"

/* Collective. Rows of key and the columns, in the order of ids, to the file that --output names, if it does. */
gemp_code gemp_vertex_output_rows(const gemp_report *report, const gemp_options *options, gemp_shard *graph,
                                  const gemp_table *found);

/* Where --into writes. The columns' names there: that of --column for a single one, else with _NAME behind it. */

/* Collective. Before anything is computed: can the file be written? GEMP_EUSAGE if it is none of graphs. */
gemp_code gemp_vertex_output_check(const gemp_comm *comm, const gemp_options *options);
/* Collective. The same, once the graph is open: GEMP_EUSAGE if it has an attribute of such a name. path: its file;
 * names[count]: of the columns to come. */
gemp_code gemp_vertex_output_names(const gemp_comm *comm, const gemp_options *options, const gemp_shard *graph,
                                   const char *path, const char *const *names, size_t count);
/* Collective. The graph of the file, all of it, and the columns, which are taken from `found`, as attributes of its vertices. */
gemp_code gemp_vertex_output_into(gemp_report *report, const gemp_options *options, gemp_shard *graph, const char *path,
                                  gemp_table *found);

#endif
