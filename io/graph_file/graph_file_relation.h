/* graph_file_relation: a relation in a graph file. Parts of it can be read alone. All functions are collective.
 *
 * A relation whose edges are undirected and have no attributes is one symmetric matrix: `csr` has both entries of each
 * edge, and a loop once. Every other relation has two matrices, `csr` by source and `csc` by target, and a table of
 * edges. Files of version 1 have two matrices and a table for each relation. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_RELATION_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_RELATION_H

#include "io/graph_file/graph_file_tables.h"

typedef struct gemp_relation_layout {
	bool symmetric;             /* the relation is one symmetric matrix */
	uint64_t entries;           /* of `csr` */
	gemp_column_layout columns; /* of the table of edges */
} gemp_relation_layout;

/* Reads the flags (directed, multigraph), the number of edges and the attribute columns of a relation, but not its
 * edges. relation->name is given. The caller frees layout->columns. */
gemp_code gemp_file_describe_relation(const gemp_h5 *h5, const gemp_shard *graph, gemp_relation *relation,
                                      gemp_relation_layout *layout);
/* Reads the given parts (GEMP_LOAD_*) of a relation. layout: as gemp_file_describe_relation found it. */
gemp_code gemp_file_get_relation(const gemp_h5 *h5, gemp_shard *graph, gemp_relation *relation,
                                 const gemp_relation_layout *layout, unsigned parts);

/* Writes a whole relation below /edges. The merged rows of a symmetric relation are loaded, and otherwise all parts.
 * weight: the name of the column that gives the values of the matrices, or NULL. */
gemp_code gemp_file_put_relation(const gemp_h5 *h5, const gemp_shard *graph, const gemp_relation *relation,
                                 const char *weight);

#endif
