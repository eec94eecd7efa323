/* graph_file_tables: columns and tables in a graph file, for writing and for reading. docs/format.md describes the
 * layout. Functions are collective unless they say otherwise. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_TABLES_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_TABLES_H

#include "graph/graph.h"
#include "io/hdf5/hdf5_dataset.h"

#define GEMP_FILE_FORMAT "gemp-graph"
#define GEMP_FILE_VERSION "1.0"           /* readers take any 1.x */
#define GEMP_FILE_VERSION_PARTITION "1.1" /* has /partition */

/* Writes the rows of a column as its name in `group`. A column of long strings goes to `strings` instead, which is made
 * with the groups above it if needed. *path, which the caller frees also after a failure, becomes the column's path. */
gemp_code gemp_file_put_column(const gemp_h5 *h5, const char *group, const char *strings, const gemp_column *column,
                               gemp_h5_slab rows, char **path);
/* Reads the rows of the column at `path`; *column has its name and type. */
gemp_code gemp_file_get_column(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows);

/* Where the columns of a table are in the file: attributes of the table's group say it, with names and types. */
typedef struct gemp_column_layout {
	size_t count;
	gemp_h5_texts paths;  /* [count] of columns; NULL while a column is not written */
	gemp_h5_texts labels; /* [count] the label whose vertices alone have the column; "" or NULL: all rows have it */
} gemp_column_layout;

/* Local. */
gemp_code gemp_column_layout_new(size_t count, gemp_column_layout *columns);
void gemp_column_layout_free(gemp_column_layout *columns);

/* The attributes that make a group AnnData's dataframe. Its columns are extra[extra_count], and those of `columns`
 * whose path lies in the group. */
gemp_code gemp_file_put_dataframe(const gemp_h5 *h5, const char *group, const char *index,
                                  const gemp_column_layout *columns, const char *const *extra, size_t extra_count);
/* Names, types and layout of a table as attributes of its group. */
gemp_code gemp_file_put_schema(const gemp_h5 *h5, const char *group, const gemp_table *table,
                               const gemp_column_layout *columns);
gemp_code gemp_file_get_schema(const gemp_h5 *h5, const char *group, gemp_table *table, gemp_column_layout *columns);

/* WEIGHTS: an attribute of edges as the values of the matrices of a graph file. */

/* Local. The relation's column of that name, or NULL. */
const gemp_column *gemp_file_weight_of(const gemp_relation *relation, const char *weight);
/* GEMP_EUSAGE if no relation has the attribute or it holds no numbers, GEMP_EDATA if some edge lacks it. NULL:
 * GEMP_OK. */
gemp_code gemp_file_check_weight(const gemp_comm *comm, const gemp_shard *graph, const char *weight);
/* The column's values in the order of rows by target, *out[edges that end on this rank]: integers or floats as their 8
 * bytes. The caller frees. */
gemp_code gemp_file_weights_by_target(const gemp_comm *comm, const gemp_shard *graph, const gemp_relation *relation,
                                      const gemp_column *column, uint64_t **out);

#endif
