/* graph_file_relation: a relation in a graph file, as two sparse matrices and a table of edges. Parts of it can be read
 * alone. All functions are collective. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_RELATION_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_RELATION_H

#include "io/graph_file/graph_file_tables.h"

/* Reads the flags (directed, multigraph), the number of edges and the attribute columns of a relation, but not its
 * edges. relation->name is given. */
gemp_code gemp_file_describe_relation(const gemp_h5 *h5, const gemp_shard *graph, gemp_relation *relation,
                                      gemp_column_layout *columns);
/* Reads the given parts (GEMP_LOAD_*) of a relation. columns: the layout that gemp_file_describe_relation found. */
gemp_code gemp_file_get_relation(const gemp_h5 *h5, gemp_shard *graph, gemp_relation *relation,
                                 const gemp_column_layout *columns, unsigned parts);

/* Writes a whole relation below /edges. weight: the name of the column that gives the values of the matrices, or
 * NULL. */
gemp_code gemp_file_put_relation(const gemp_h5 *h5, const gemp_shard *graph, const gemp_relation *relation,
                                 const char *weight);

#endif
