/* computed_columns: values of vertices that conditions ask for and the graph does not store: numbers of edges, COUNT {
 * (v)-[:T]->() }, and lists of labels, labels(v).
 */

#ifndef GEMP_MATCH_FILTER_COMPUTED_COLUMNS_H
#define GEMP_MATCH_FILTER_COMPUTED_COLUMNS_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/pattern.h"

/* Collective. out becomes an integer column (initialised here) of this rank's own vertices: edges of relations
 * [graph->relation_count] in this direction (0 out, 1 in, 2 either). Parallel edges all count; a loop counts once, in
 * `either` too, or not at all: see gemp_degree_loops. Loads what it reads. */
gemp_code gemp_degree_column(gemp_runtime *context, gemp_shard *graph, const bool *relations, int direction,
                             bool count_loops, gemp_column *out);

/* Do loops count? Where distinct vertices of a pattern are distinct vertices of the graph, the far end is another one. */
static inline bool gemp_degree_loops(gemp_semantics semantics)
{
	return semantics == GEMP_EDGE_ISO || semantics == GEMP_HOM;
}

/* Degree columns: the degrees that conditions ask for, COUNT { (v)-[:T]->() }, each different one as a column of this
 * rank's own vertices. */

typedef struct gemp_degree_columns {
	size_t relation_count;
	size_t count, capacity;
	const gemp_expr **of; /* [count] an expression that asks for it; borrowed */
	gemp_column *columns; /* [count]; NULL before gemp_degree_columns_fill */
} gemp_degree_columns;    /* {0} and relation_count: none */

/* Those in an expression, if they are not there yet. */
gemp_code gemp_degree_columns_note(gemp_degree_columns *degrees, const gemp_expr *expr);
/* Collective. Once, after the last was noted. */
gemp_code gemp_degree_columns_fill(gemp_degree_columns *degrees, gemp_runtime *context, gemp_shard *graph,
                                   bool count_loops);
void gemp_degree_columns_free(gemp_degree_columns *degrees);

/* Which one a GEMP_DEGREE that was noted asks for. */
size_t gemp_degree_columns_find(const gemp_degree_columns *degrees, const gemp_expr *expr);

/* What labels(v) gives: a list of names, by label set. */

/* out becomes a column of lists, one for each label set of the graph; initialised here, nothing to free after an error. */
gemp_code gemp_label_list_column(gemp_column *out, const gemp_shard *graph);

#endif
