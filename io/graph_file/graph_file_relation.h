/* graph_file_relation: one relation as two sparse matrices and a table of edges, and as much of them as is asked for
 * read again. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_RELATION_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_RELATION_H

#include "io/graph_file/graph_file_tables.h"

/* Collective. What is known of a relation without loading it; its name is set. */
gemp_code gemp_file_describe_relation(const gemp_h5 *h5, const gemp_shard *graph, gemp_relation *relation,
                                      gemp_column_layout *columns);
/* Collective. Parts of a relation from the file; `columns` are those of its props. */
gemp_code gemp_file_get_relation(const gemp_h5 *h5, gemp_shard *graph, gemp_relation *relation,
                                 const gemp_column_layout *columns, unsigned parts);

/* Collective. One relation below /edges, all of it. Its column `weight` (NULL: none) gives the values of matrices. */
gemp_code gemp_file_put_relation(const gemp_h5 *h5, const gemp_shard *graph, const gemp_relation *relation,
                                 const char *weight);

#endif
