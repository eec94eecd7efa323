/* graph_file_parts: what writing and reading of graph files share. docs/format.md describes the layout. */
#ifndef GEMP_IO_GRAPH_FILE_PARTS_H
#define GEMP_IO_GRAPH_FILE_PARTS_H

#include "graph/graph.h"
#include "io/hdf5.h"

#define GEMP_FILE_FORMAT "gemp-graph"
#define GEMP_FILE_VERSION "1.0" /* readers take any 1.x */
#define GEMP_FILE_VERSION_PARTS "1.1" /* has /partition */

/* This rank's rows of a table of the whole graph; the parts of the ranks follow one another. */
typedef struct gemp_slab {
	uint64_t total, first, count;
} gemp_slab;

/* Collective. Writes the rows of a column as `name` in `group`, or, if it has long strings, as `name` in `strings`,
 * which is made with the groups above it when needed. path: where it went. */
gemp_code gemp_file_put_column(const gemp_h5 *h5, const char *group, const char *strings, const gemp_column *column,
                               gemp_slab rows, gemp_text *path);
/* Collective. The rows of the column at `path`; column has its name and type. */
gemp_code gemp_file_get_column(const gemp_h5 *h5, const char *path, gemp_column *column, gemp_slab rows);

/* Collective. A small list of strings, written by rank 0 and read by all. */
gemp_code gemp_file_put_texts(const gemp_h5 *h5, const char *path, const char *const *texts, size_t count);
gemp_code gemp_file_get_texts(const gemp_h5 *h5, const char *path, char ***texts, size_t *count);

/* Collective. Makes the group and those above it that are missing, as dictionaries. */
gemp_code gemp_file_make_groups(const gemp_h5 *h5, const char *path);

/* A table's columns as attributes of its group: names, types, where each is, and the label that it is confined to. */
typedef struct gemp_file_columns {
	size_t count;
	char **paths, **labels; /* [count]; label "" : none; both are NULL while the column is not written */
} gemp_file_columns;

gemp_code gemp_file_columns_new(const gemp_h5 *h5, size_t count, gemp_file_columns *columns); /* collective */
gemp_code gemp_file_columns_set(const gemp_h5 *h5, gemp_file_columns *columns, size_t index, const char *path,
                                const char *label); /* collective */
void gemp_file_columns_free(gemp_file_columns *columns);

/* Matrices with more vertices or edges have 64-bit numbers; tests make it small. */
extern uint64_t gemp_file_i32_limit;

/* Collective. "path/name", and the path of a part ("": all) of a relation below `top`; the caller frees. */
gemp_code gemp_file_join(const gemp_h5 *h5, const char *path, const char *name, char **out);
gemp_code gemp_file_relation_path(const gemp_h5 *h5, const char *name, const char *top, const char *part, char **out);

/* Collective. One relation below /edges, all of it. Its column `weight` (NULL: none) gives the values of matrices. */
gemp_code gemp_file_put_relation(const gemp_h5 *h5, const gemp_graph *graph, const gemp_relation *relation,
                                 const char *weight);

/* The relation's column of that name, or NULL. */
const gemp_column *gemp_file_weight_of(const gemp_relation *relation, const char *weight);
/* Collective. Can it be the values of matrices, and has some relation got it? GEMP_EUSAGE or GEMP_EDATA if not. */
gemp_code gemp_file_check_weight(const gemp_comm *comm, const gemp_graph *graph, const char *weight);
/* Collective. The column's values in the order of rows by target, integers or floats as their 8 bytes; the caller
 * frees. */
gemp_code gemp_file_weights_by_target(const gemp_comm *comm, const gemp_graph *graph, const gemp_relation *relation,
                                      const gemp_column *column, uint64_t **out);
/* Collective. The attributes that make a group AnnData's dataframe; its columns are `extra` and those of `columns` that
 * lie in the group. */
gemp_code gemp_file_put_dataframe(const gemp_h5 *h5, const char *group, const char *index,
                                  const gemp_file_columns *columns, const char *const *extra, size_t extra_count);
gemp_code gemp_file_put_schema(const gemp_h5 *h5, const char *group, const gemp_table *table,
                               const gemp_file_columns *columns);
gemp_code gemp_file_get_schema(const gemp_h5 *h5, const char *group, gemp_table *table, gemp_file_columns *columns);

/* Collective. The cut into parts that a partitioner made, if the graph or the file has one. */
gemp_code gemp_file_put_parts(const gemp_h5 *h5, const gemp_graph *graph);
gemp_code gemp_file_get_parts(const gemp_h5 *h5, gemp_graph *graph);

/* Collective. What is known of a relation without loading it; its name is set. */
gemp_code gemp_file_describe_relation(const gemp_h5 *h5, const gemp_graph *graph, gemp_relation *relation,
                                      gemp_file_columns *columns);
/* Collective. Parts of a relation from the file; `columns` are those of its props. */
gemp_code gemp_file_get_relation(const gemp_h5 *h5, gemp_graph *graph, gemp_relation *relation,
                                 const gemp_file_columns *columns, unsigned parts);

#endif
