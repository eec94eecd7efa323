/* element_values: attributes of edges over all relations as one list of columns, and labels of vertices as text.
 *
 * The list merges the columns of all relations into one order that agrees with each relation's own order where such an order
 * exists (a topological merge). column_of[relation_count] maps a merged column to that of each relation. Writers of CSV and
 * Parquet need it, because a file has one set of columns.
 */

#ifndef GEMP_GRAPH_ELEMENT_VALUES_H
#define GEMP_GRAPH_ELEMENT_VALUES_H

#include "core/text.h"
#include "graph/graph.h"

typedef struct gemp_edge_column {
	char *name; /* owned, since loading a relation replaces its columns */
	gemp_type type;
	size_t *column_of; /* [relation_count] the index in each relation's props; SIZE_MAX: none */
} gemp_edge_column;

typedef struct gemp_edge_columns {
	size_t count;
	gemp_edge_column *columns; /* [count] */
} gemp_edge_columns;

/* The columns of all relations, or of the one named `only`. GEMP_EDATA if two have a column of the same name and different
 * types. */
gemp_code gemp_edge_columns_new(gemp_edge_columns *out, const gemp_shard *graph, const char *only);
void gemp_edge_columns_free(gemp_edge_columns *columns);

/* NULL where the relation has no such column. row: an own edge of this rank; the relation's props are loaded. */
gemp_value gemp_edge_value(const gemp_shard *graph, const gemp_edge_column *column, size_t relation, size_t row);

/* The labels of a vertex as "A;B". */
void gemp_vertex_labels_text(const gemp_shard *graph, size_t row, gemp_text *out);

#endif
