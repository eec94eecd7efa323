/* vertex_output: columns with a row for each vertex as rows of a file, or as attributes of the graph in a graph file. All functions
 * are collective.
 */

#ifndef GEMP_API_ANALYTICS_VERTEX_OUTPUT_H
#define GEMP_API_ANALYTICS_VERTEX_OUTPUT_H

#include "api/graph_state.h"
#include "api/report_state.h"

/* Before the work. Can the files be written? GEMP_EUSAGE where the graph has an attribute of a name that one of names[count] would
 * get. function: what names the attributes unless the caller does: a single one, else the beginning of FUNCTION_NAME. */
gemp_code gemp_vertex_output_check(const gemp_graph *graph, const gemp_vertex_output *output, const char *function,
                                   const char *const *names, size_t count);
/* Writes what `output` asks for: rows of key and the columns, in the order of ids; and the whole graph, with the columns as attributes
 * of its vertices. The graph in memory does not keep them. */
gemp_code gemp_vertex_output_write(gemp_graph *graph, const gemp_vertex_output *output, const char *function,
                                   gemp_table *columns, gemp_report *report);
/* Only the rows. what: of an HDF5 file's description. */
gemp_code gemp_vertex_output_rows(gemp_graph *graph, const char *path, const char *what, const gemp_table *columns);

#endif
