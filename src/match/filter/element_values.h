/* element_values: attributes of the vertices and edges that results refer to, fetched from their owners, each
 * distinct element once. This is the second phase of GEMP: after matching, only for what is in results.
 *
 * Ids and edges are asked for in any order and come back ascending and distinct, with one row of each column for each
 * of them. A vertex index tells where each of many vertices is among the distinct ones. Fetching is collective.
 */

#ifndef GEMP_MATCH_FILTER_ELEMENT_VALUES_H
#define GEMP_MATCH_FILTER_ELEMENT_VALUES_H

#include "graph/graph.h"
#include "partition/runtime.h"

/* Local. Appends the replies to `count` questions of one rank. */
typedef gemp_code gemp_owner_answer(void *self, const void *questions, size_t count, gemp_text *reply);

/* Collective. questions: counts[ranks] for each rank, of `size` bytes. *replies, [*reply_size] bytes, is the caller's to free. */
gemp_code gemp_owner_request(gemp_runtime *context, const void *questions, size_t size, const size_t *counts,
                             gemp_owner_answer *answer, void *self, void **replies, size_t *reply_size);

/* Attributes of the vertices that results refer to, fetched from their owners, each distinct vertex
 * once. This is the second phase of GEMP: after matching, only for the vertices in results.
 */

enum {
	GEMP_FETCH_KEY = -1,
	GEMP_FETCH_KEY_RANK = -2,
	GEMP_FETCH_LABEL_SET = -3
}; /* beside attribute columns 0, 1, ... */

/* Collective. `ids` (any order, repeated ids allowed) -> ids sorted and distinct in *found (caller frees), and for each of
 * column[0..columns) one gemp_column with *found_count rows in out[] (caller frees each): the values of those vertices,
 * asked of their owners once each. key ranks and label sets come as integers. `column` is alike on all ranks; what it
 * names is loaded if it was not and any rank asks for values. So *found_count * columns values travelled. Nothing to free
 * after an error. */
gemp_code gemp_fetch_values(gemp_runtime *context, gemp_shard *graph, const gemp_vertex *ids, size_t count,
                            const int *column, size_t columns, gemp_vertex **found, size_t *found_count,
                            gemp_column *out);

/* Collective. The same; columns from graph->attributes.count on are made[0], made[1], ..., each of this rank's own vertices. */
gemp_code gemp_fetch_computed(gemp_runtime *context, gemp_shard *graph, const gemp_column *made, const gemp_vertex *ids,
                              size_t count, const int *column, size_t columns, gemp_vertex **found, size_t *found_count,
                              gemp_column *out);

/* Position of id in found, which must hold it. */
size_t gemp_fetch_index(const gemp_vertex *found, size_t count, gemp_vertex id);

/* Sorts ids ascending in place and drops repeated ones; *count becomes what is left. */
gemp_code gemp_sort_distinct(gemp_vertex *ids, size_t *count);

/* A vertex index: of many vertices the distinct ones, and where each of the many is among them.
 *
 *     gemp_vertex_index_new -> gemp_vertex_index_add, again and again -> gemp_vertex_index_finish -> gemp_vertex_index_find -> gemp_vertex_index_free
 */

/* A bit for each vertex of the graph; or, where few vertices of very many come, those that came. */
typedef struct gemp_vertex_index {
	uint64_t vertices;
	size_t words;
	uint64_t *bits;   /* [words]; NULL: ids are sorted */
	uint32_t *rank;   /* [words]: set bits before each word */
	size_t count;     /* once finished: of the distinct ones */
	gemp_vertex *ids; /* [count] ascending; while adding, where there are no bits: as they came */
} gemp_vertex_index;

/* vertices: ids are below it. most: how many will be added at most. Nothing to free after an error. */
gemp_code gemp_vertex_index_new(gemp_vertex_index *out, uint64_t vertices, size_t most);
void gemp_vertex_index_free(gemp_vertex_index *places);

/* ids[0], ids[stride], ids[2 * stride], ..., count of them. */
void gemp_vertex_index_add(gemp_vertex_index *places, const gemp_vertex *ids, size_t count, size_t stride);
gemp_code gemp_vertex_index_finish(gemp_vertex_index *places);
/* place[i] becomes where ids[i * stride], one that was added, is in places->found. */
void gemp_vertex_index_find(const gemp_vertex_index *places, const gemp_vertex *ids, size_t count, size_t stride,
                            uint32_t *place);

/* The ends and attributes of the edges that results refer to, fetched from the ranks that own their
 * sources: each distinct edge once. Edges are numbered through all relations; `edges` ascend, and row i of each column
 * belongs to edge i.
 */

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
