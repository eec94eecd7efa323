/* graph_file_relation: a relation as two sparse matrices and a table of edges, of which single parts can be read. All
 * functions are collective. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_RELATION_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_RELATION_H

#include "io/graph_file/graph_file_tables.h"

/* Reads type, number of edges and attribute columns of a relation without its edges; relation->name is set. */
gemp_code gemp_file_describe_relation(const gemp_h5 *h5, const gemp_shard *graph, gemp_relation *relation,
                                      gemp_column_layout *columns);
/* Reads parts (GEMP_LOAD_*) of a relation; `columns` are those of its props. */
gemp_code gemp_file_get_relation(const gemp_h5 *h5, gemp_shard *graph, gemp_relation *relation,
                                 const gemp_column_layout *columns, unsigned parts);

/* Writes a whole relation below /edges. Its column `weight` (NULL: none) gives the values of the matrices. */
gemp_code gemp_file_put_relation(const gemp_h5 *h5, const gemp_shard *graph, const gemp_relation *relation,
                                 const char *weight);

#endif
