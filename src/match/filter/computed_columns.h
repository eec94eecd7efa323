/* computed_columns: values of vertices that conditions read but the graph does not store: degrees (COUNT { (v)-[:T]->()
 * }) and lists of labels (labels(v)). A column of degrees has one row for each own vertex of the rank. */

#ifndef GEMP_MATCH_FILTER_COMPUTED_COLUMNS_H
#define GEMP_MATCH_FILTER_COMPUTED_COLUMNS_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/pattern.h"

/* Collective. Loads the relations and makes *out an integer column of the degrees of own vertices. A degree is the
 * number of edges of relations[graph->relation_count] in this direction (0 out, 1 in, 2 either). Each of several
 * parallel edges counts. A loop counts once, also in direction 2, or not at all: gemp_degree_loops says when. Nothing
 * to free after an error. */
gemp_code gemp_degree_column(gemp_runtime *context, gemp_shard *graph, const bool *relations, int direction,
                             bool count_loops, gemp_column *out);

/* True if loops count. If distinct vertices of a pattern have distinct images, the other end of a counted edge must be
 * another vertex, so a loop does not count. */
static inline bool gemp_degree_loops(gemp_semantics semantics)
{
	return semantics == GEMP_EDGE_ISO || semantics == GEMP_HOM;
}

/* The degrees that a list of conditions reads, with one column for each different degree. */
typedef struct gemp_degree_columns {
	size_t relation_count;
	size_t count, capacity;
	const gemp_expr **of; /* [count] of[i] is an expression that reads column i; borrowed */
	gemp_column *columns; /* [count]; NULL before gemp_degree_columns_fill */
} gemp_degree_columns;    /* initially all zero except relation_count */

/* Adds the degrees that occur in an expression and are not in the list yet. */
gemp_code gemp_degree_columns_note(gemp_degree_columns *degrees, const gemp_expr *expr);
/* Collective. Computes all columns. Call it once, after the last expression was noted. */
gemp_code gemp_degree_columns_fill(gemp_degree_columns *degrees, gemp_runtime *context, gemp_shard *graph,
                                   bool count_loops);
void gemp_degree_columns_free(gemp_degree_columns *degrees);

/* The index of the column that a GEMP_DEGREE expression reads. If the expression was not noted, the result is
 * `count`. */
size_t gemp_degree_columns_find(const gemp_degree_columns *degrees, const gemp_expr *expr);

/* Makes *out a column of labels(v): one list of names for each label set of the graph. Nothing to free after an
 * error. */
gemp_code gemp_label_list_column(gemp_column *out, const gemp_shard *graph);

#endif
