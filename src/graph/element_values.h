/* edge_columns: the attributes of edges over all relations, in one order that is each relation's own too. */

#ifndef GEMP_GRAPH_ELEMENT_VALUES_H
#define GEMP_GRAPH_ELEMENT_VALUES_H

#include "core/text.h"
#include "graph/graph.h"

typedef struct gemp_edge_column {
	char *name; /* owned: loading a relation renews its columns */
	gemp_type type;
	size_t *column_of; /* [relation_count] which column of the relation's it is; SIZE_MAX: none */
} gemp_edge_column;

typedef struct gemp_edge_columns {
	size_t count;
	gemp_edge_column *columns; /* [count] */
} gemp_edge_columns;

/* Of the relations, or just the one of that name. GEMP_EDATA if two have columns of one name and different types. */
gemp_code gemp_edge_columns_new(gemp_edge_columns *out, const gemp_shard *graph, const char *only);
void gemp_edge_columns_free(gemp_edge_columns *columns);

/* NULL where the relation has no such column. row: of this rank's part of the relation, which is loaded. */
gemp_value gemp_edge_value(const gemp_shard *graph, const gemp_edge_column *column, size_t relation, size_t row);

/* The labels of a vertex as "A;B". */
void gemp_vertex_labels_text(const gemp_shard *graph, size_t row, gemp_text *out);

#endif
