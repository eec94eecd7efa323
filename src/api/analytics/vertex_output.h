/* vertex_output: results of an analysis as columns with a row for each vertex, and these as rows of a file, or as attributes of the graph
 * in a graph file.
 *
 * A value that stands for "none" becomes NULL, and so does a number that is not finite. Parents and predecessors become the keys of
 * their vertices, which other ranks may own.
 */

#ifndef GEMP_API_ANALYTICS_VERTEX_OUTPUT_H
#define GEMP_API_ANALYTICS_VERTEX_OUTPUT_H

#include "analytics/layout/layout.h"
#include "api/graph_state.h"
#include "api/report_state.h"

/* Local. Each adds a column of graph->rows rows to `found`; values are [layout->own], by local vertex. */
gemp_code gemp_vertex_columns_u32(gemp_table *found, const char *name, const gemp_layout *layout,
                                  const uint32_t *values, uint32_t none); /* which is NULL */
gemp_code gemp_vertex_columns_u64(gemp_table *found, const char *name, const gemp_layout *layout,
                                  const uint64_t *values, uint64_t none);
gemp_code gemp_vertex_columns_double(gemp_table *found, const char *name, const gemp_layout *layout,
                                     const double *values);
/* Collective. Keys of vertices by id; GEMP_NO_VERTEX is NULL. Loads keys. */
gemp_code gemp_vertex_columns_keys(gemp_table *found, const char *name, const gemp_layout *layout, gemp_shard *graph,
                                   const gemp_vertex *values);

/* Collective. Before the work. Can the files be written? GEMP_EUSAGE where the graph has an attribute of a name that one of names[count] would
 * get. function: what names the attributes unless the caller does: a single one, else the beginning of FUNCTION_NAME. */
gemp_code gemp_vertex_output_check(const gemp_graph *graph, const gemp_vertex_output *output, const char *function,
                                   const char *const *names, size_t count);
/* Collective. Writes what `output` asks for: rows of key and the columns, in the order of ids; and the whole graph, with the columns as attributes
 * of its vertices. The graph in memory does not keep them. */
gemp_code gemp_vertex_output_write(gemp_graph *graph, const gemp_vertex_output *output, const char *function,
                                   gemp_table *columns, gemp_report *report);
/* Collective. Writes only the rows. what: of an HDF5 file's description. */
gemp_code gemp_vertex_output_rows(gemp_graph *graph, const char *path, const char *what, const gemp_table *columns);

#endif
