/* graph_file_matrix: one sparse matrix in a graph file. Unless their comment says otherwise, functions are collective.
 *
 * The group of a matrix has the arrays pointers_to_1 (rows + 1), indices_1 and values (entries each), which AnnData
 * calls indptr, indices and data: hard links give each dataset both names. Each rank writes and reads its own rows. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_MATRIX_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_MATRIX_H

#include "graph/graph.h"
#include "io/hdf5/hdf5_dataset.h"

/* A matrix of `vertices` rows and columns in the group `path`. */
typedef struct gemp_file_matrix {
	const gemp_h5 *h5;
	char *path; /* owned; NULL if out of memory, see hdf5_file.h */
	uint64_t vertices, entries;
	gemp_h5_type pointer, index; /* types of pointers and indices: i32 or i64 */
	const gemp_column *weight;   /* the column that gives the values; NULL: all values are 1 */
} gemp_file_matrix;

/* Local. Describes the matrix at `path`, which it takes over, or the matrix `name` of a relation, with the types that a
 * writer uses. gemp_file_matrix_get_pointers finds the types of a matrix that is read. */
gemp_file_matrix gemp_file_matrix_at(const gemp_h5 *h5, const gemp_shard *graph, char *path, uint64_t entries);
gemp_file_matrix gemp_file_matrix_of(const gemp_h5 *h5, const gemp_shard *graph, const gemp_relation *relation,
                                     const char *name, uint64_t entries);
void gemp_file_matrix_free(gemp_file_matrix *matrix);

/* Reads this rank's pointers. *first becomes the first pointer, and (*begin)[rows + 1] the pointers minus *first. */
gemp_code gemp_file_matrix_get_pointers(gemp_file_matrix *matrix, const gemp_shard *graph, uint64_t **begin,
                                        uint64_t *first);
/* Reads this rank's indices, which are vertices of the graph and ascend in each row. */
gemp_code gemp_file_matrix_get_indices(const gemp_file_matrix *matrix, const gemp_shard *graph, const uint64_t *begin,
                                       uint64_t first, gemp_vertex **out);
/* Reads and writes the number of each edge of a matrix by target, as 32-bit numbers if all fit. */
gemp_code gemp_file_matrix_get_edges(const gemp_file_matrix *matrix, uint64_t first, uint64_t count, gemp_edge **out);
gemp_code gemp_file_matrix_put_edges(const gemp_file_matrix *matrix, gemp_h5_slab rows, const gemp_edge *edges);

/* Makes the group of a matrix with the given encoding and writes this rank's rows. format: binsparse's name of it. */
gemp_code gemp_file_matrix_put(const gemp_file_matrix *matrix, const gemp_shard *graph, const char *encoding,
                               const char *format, bool multigraph, const uint64_t *begin, const gemp_vertex *indices);
/* Three ways to give a matrix its values: a one for each entry, `words`, or a link to a dataset. */
gemp_code gemp_file_matrix_put_ones(const gemp_file_matrix *matrix, gemp_h5_slab rows);
gemp_code gemp_file_matrix_put_values(const gemp_file_matrix *matrix, gemp_h5_type type, gemp_h5_slab rows,
                                      const void *words);
gemp_code gemp_file_matrix_link_values(const gemp_file_matrix *matrix, const char *dataset);

#endif
