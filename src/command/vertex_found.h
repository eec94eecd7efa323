/* vertex_found: what was found for each vertex: columns in the order of ids, which become rows of a file, or attributes of the
 * graph in a graph file.
 */
#ifndef GEMP_COMMAND_VERTEX_FOUND_H
#define GEMP_COMMAND_VERTEX_FOUND_H

#include "command/report.h"
#include "gas/layout.h"

/* Each adds a column of graph->rows rows to `found`; values are [layout->own], by local vertex. */
gemp_code gemp_found_add_u32(gemp_table *found, const char *name, const gemp_gas_layout *layout, const uint32_t *values,
                             uint32_t none); /* which is NULL */
gemp_code gemp_found_add_u64(gemp_table *found, const char *name, const gemp_gas_layout *layout, const uint64_t *values,
                             uint64_t none);
gemp_code gemp_found_add_double(gemp_table *found, const char *name, const gemp_gas_layout *layout, const double *values);
                             /* what is not finite is NULL */
/* Collective. Keys of vertices by id; GEMP_NO_VERTEX is NULL. Loads keys. */
gemp_code gemp_found_add_keys(gemp_table *found, const char *name, const gemp_gas_layout *layout, gemp_graph *graph,
                              const gemp_vertex *values);

/* Collective. Rows of key and the columns, in the order of ids, to the file that --output names, if it does. */
gemp_code gemp_found_write_rows(const gemp_report *report, gemp_graph *graph, const gemp_table *found);

/* Where --into writes. The columns' names there: that of --column for a single one, else with _NAME behind it. */

/* Collective. Before anything is computed: can the file be written? GEMP_EUSAGE if it is none of graphs. */
gemp_code gemp_into_check(const gemp_comm *comm, const gemp_options *options);
/* Collective. The same, once the graph is open: GEMP_EUSAGE if it has an attribute of such a name. path: its file;
 * names[count]: of the columns to come. */
gemp_code gemp_into_check_names(const gemp_comm *comm, const gemp_options *options, const gemp_graph *graph,
                                const char *path, const char *const *names, size_t count);
/* Collective. The graph of the file, all of it, and the columns, which are taken from `found`, as attributes of its vertices. */
gemp_code gemp_into_write(gemp_report *report, gemp_graph *graph, const char *path, gemp_table *found);

#endif
