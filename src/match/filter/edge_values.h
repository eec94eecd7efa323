/* edge_values: the ends and attributes of the edges that results refer to, fetched from the ranks that own their
 * sources: each distinct edge once. Edges are numbered through all relations; `edges` ascend, and row i of each column
 * belongs to edge i.
 */

#ifndef GEMP_MATCH_FILTER_EDGE_VALUES_H
#define GEMP_MATCH_FILTER_EDGE_VALUES_H

#include "graph/graph.h"
#include "partition/runtime.h"

typedef struct gemp_edge_ends {
	uint32_t relation;
	gemp_vertex source, target; /* ids, as stored: of an undirected relation, as given by the user */
	uint32_t parallel;          /* from 0 among the edges of this relation from source to target */
} gemp_edge_ends;

typedef struct gemp_edge_values {
	size_t count;
	gemp_edge *edges;     /* [count] distinct, ascending */
	gemp_edge_ends *ends; /* [count] */
	size_t column_count;
	gemp_column *columns; /* [column_count] one per name asked for, `count` rows each */
} gemp_edge_values;

/* Collective. edges: any order, repeated ones allowed, numbered through all relations. names are alike on all ranks: values
 * of the edges' attributes, NULL where a relation has none of that name. A name whose types differ among relations comes
 * as float if they are numbers, as string else. Relations that occur are loaded if they were not. */
gemp_code gemp_fetch_edges(gemp_edge_values *out, gemp_runtime *context, gemp_shard *graph, const gemp_edge *edges,
                           size_t count, const char *const *names, size_t name_count);
void gemp_edge_values_free(gemp_edge_values *values);

/* Position of an edge in values->edges, which must hold it. */
size_t gemp_edge_values_index(const gemp_edge_values *values, gemp_edge edge);

#endif
