/* graph_file_tables: columns and tables in a graph file, which writing and reading share. docs/format.md describes the
 * layout. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_TABLES_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_TABLES_H

#include "graph/graph.h"
#include "io/hdf5/hdf5_dataset.h"

#define GEMP_FILE_FORMAT "gemp-graph"
#define GEMP_FILE_VERSION "1.0"           /* readers take any 1.x */
#define GEMP_FILE_VERSION_PARTITION "1.1" /* has /partition */

/* Collective. Writes the rows of a column as `name` in `group`, or, if it has long strings, as `name` in `strings`,
 * which is made with the groups above it when needed. path: where it went. */
gemp_code gemp_file_put_column(const gemp_h5 *h5, const char *group, const char *strings, const gemp_column *column,
                               gemp_h5_slab rows, gemp_text *path);
/* Collective. The rows of the column at `path`; column has its name and type. */
gemp_code gemp_file_get_column(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows);

/* A table's columns as attributes of its group: names, types, where each is, and the label that it is confined to. */
typedef struct gemp_column_layout {
	size_t count;
	gemp_h5_texts paths, labels; /* [count]; label "" : none; both are NULL while the column is not written */
} gemp_column_layout;

gemp_code gemp_column_layout_new(const gemp_h5 *h5, size_t count, gemp_column_layout *columns); /* collective */
gemp_code gemp_column_layout_set(const gemp_h5 *h5, gemp_column_layout *columns, size_t index, const char *path,
                                 const char *label); /* collective */
void gemp_column_layout_free(gemp_column_layout *columns);

gemp_code gemp_file_relation_path(const gemp_h5 *h5, const char *name, const char *top, const char *part, char **out);

/* Collective. The attributes that make a group AnnData's dataframe; its columns are `extra` and those of `columns` that
 * lie in the group. */
gemp_code gemp_file_put_dataframe(const gemp_h5 *h5, const char *group, const char *index,
                                  const gemp_column_layout *columns, const char *const *extra, size_t extra_count);
gemp_code gemp_file_put_schema(const gemp_h5 *h5, const char *group, const gemp_table *table,
                               const gemp_column_layout *columns);
gemp_code gemp_file_get_schema(const gemp_h5 *h5, const char *group, gemp_table *table, gemp_column_layout *columns);

/* WEIGHTS: an attribute of edges as the values of the matrices of a graph file. */

/* The relation's column of that name, or NULL. */
const gemp_column *gemp_file_weight_of(const gemp_relation *relation, const char *weight);
/* Collective. Can it be the values of matrices, and has some relation got it? GEMP_EUSAGE or GEMP_EDATA if not. */
gemp_code gemp_file_check_weight(const gemp_comm *comm, const gemp_shard *graph, const char *weight);
/* Collective. The column's values in the order of rows by target, integers or floats as their 8 bytes; the caller
 * frees. */
gemp_code gemp_file_weights_by_target(const gemp_comm *comm, const gemp_shard *graph, const gemp_relation *relation,
                                      const gemp_column *column, uint64_t **out);

#endif
