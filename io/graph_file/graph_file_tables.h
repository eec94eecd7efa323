/* graph_file_tables: writes and reads columns and tables of a graph file. docs/format.md describes the layout. Unless
 * their comment says otherwise, functions are collective. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_TABLES_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_TABLES_H

#include "graph/graph.h"
#include "io/hdf5/hdf5_dataset.h"

#define GEMP_FILE_FORMAT "gemp-graph"
#define GEMP_FILE_VERSION "2.3" /* readers accept every 1.x and 2.x */

/* Local. Returns the name of a column's dataset, or NULL; the caller frees it. The datasets that a table has besides
 * its columns (_id, _label, _rank, _row, _target) keep their names: in a column's name, %5F then replaces the `_`. */
char *gemp_file_column_name(const char *name);
/* Writes a column under its name in `group`. A column of long strings is written to the group `strings` instead, which
 * is made if it is missing. *path becomes the path of the column; the caller frees it, also after a failure. */
gemp_code gemp_file_put_column(const gemp_h5 *h5, const char *group, const char *strings, const gemp_column *column,
                               gemp_h5_slab rows, char **path);
/* Writes the keys of vertices in the same way, but integers in the narrowest type that holds all of them. */
gemp_code gemp_file_put_keys(const gemp_h5 *h5, const char *group, const char *strings, const gemp_column *keys,
                             gemp_h5_slab rows, char **path);
/* Reads this rank's rows of the column at `path`. *column has its name and type already. */
gemp_code gemp_file_get_column(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_h5_slab rows);

/* Local. *column, which has a name and a type, gets `total` rows: row rows[i] has the value of row i of `part`, and all
 * others are NULL. */
gemp_code gemp_file_spread_column(gemp_column *column, const gemp_column *part, const uint64_t *rows, size_t total);

/* The places of a table's columns in the file. Attributes of the table's group hold this layout, together with names
 * and types. */
typedef struct gemp_column_layout {
	size_t count;
	gemp_h5_texts paths; /* [count] paths of the columns; NULL until a column is written */
	/* [count] the only label whose vertices have the column; "" or NULL: the column has all rows */
	gemp_h5_texts labels;
} gemp_column_layout;

/* Local. Allocates the two lists with `count` NULLs. */
gemp_code gemp_column_layout_new(size_t count, gemp_column_layout *columns);
void gemp_column_layout_free(gemp_column_layout *columns);

/* Writes the attributes that make a group an AnnData dataframe. The columns of the dataframe are
 * extra[extra_count] and the columns whose path lies in the group. */
gemp_code gemp_file_put_dataframe(const gemp_h5 *h5, const char *group, const char *index,
                                  const gemp_column_layout *columns, const char *const *extra, size_t extra_count);
/* Write and read the names, types and layout of a table, as attributes of its group. */
gemp_code gemp_file_put_schema(const gemp_h5 *h5, const char *group, const gemp_table *table,
                               const gemp_column_layout *columns);
gemp_code gemp_file_get_schema(const gemp_h5 *h5, const char *group, gemp_table *table, gemp_column_layout *columns);

/* WEIGHTS: the attribute of edges that gives the values of the matrices in a graph file. */

/* Local. The relation's column with this name; NULL if there is none. */
const gemp_column *gemp_file_weight_of(const gemp_relation *relation, const char *weight);
/* Checks a weight before the file is written. GEMP_EUSAGE: no relation has the attribute, or it does not hold numbers.
 * GEMP_EDATA: an edge lacks it. A weight of NULL is GEMP_OK. */
gemp_code gemp_file_check_weight(const gemp_comm *comm, const gemp_shard *graph, const char *weight);
/* The column's values in the order of the matrix by target: (*out)[number of edges that end on this rank], the 8 bytes
 * of an integer or float each. The caller frees *out. */
gemp_code gemp_file_weights_by_target(const gemp_comm *comm, const gemp_shard *graph, const gemp_relation *relation,
                                      const gemp_column *column, uint64_t **out);

#endif
