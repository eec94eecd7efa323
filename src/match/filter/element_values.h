/* element_values: fetches attributes of the vertices and edges in results from their owners, each distinct element
 * once. Elements that are in no result are not fetched.
 *
 * Ids and edges are requested in any order. The replies are in the ascending order of the distinct elements, and each
 * column has one row for each distinct element. A vertex index finds the position of each of many vertices among the
 * distinct vertices. Fetching is collective. */

#ifndef GEMP_MATCH_FILTER_ELEMENT_VALUES_H
#define GEMP_MATCH_FILTER_ELEMENT_VALUES_H

#include "graph/graph.h"
#include "partition/runtime.h"

/* Local. Appends the replies to `count` requests of one rank. */
typedef gemp_code gemp_owner_answer(void *self, const void *requests, size_t count, gemp_text *reply);

/* Collective. Sends counts[r] requests of `size` bytes to each rank r; `questions` holds all requests in the order of
 * ranks. *replies becomes the replies in the order of the requests, [*reply_size] bytes, which the caller frees. */
gemp_code gemp_owner_request(gemp_runtime *context, const void *questions, size_t size, const size_t *counts,
                             gemp_owner_answer *answer, void *self, void **replies, size_t *reply_size);

/* Numbers of columns that are not attributes. The attributes have the numbers 0, 1, ... */
enum { GEMP_FETCH_KEY = -1, GEMP_FETCH_KEY_RANK = -2, GEMP_FETCH_LABEL_SET = -3 };

/* Collective. Fetches columns of vertices. `ids` may be in any order and may have duplicates. *found[*found_count]
 * becomes the distinct ids in ascending order, and out[c] the values of column[c] for these ids. Each value is fetched
 * once from the vertex's owner. Key ranks and label sets are integers. column[columns] is the same on all ranks. The
 * columns are loaded unless no rank requests values. The caller frees *found and the columns; nothing to free after an
 * error. */
gemp_code gemp_fetch_values(gemp_runtime *context, gemp_shard *graph, const gemp_vertex *ids, size_t count,
                            const int *column, size_t columns, gemp_vertex **found, size_t *found_count,
                            gemp_column *out);

/* Collective. Works like gemp_fetch_values, but column numbers from graph->attributes.count on are made[0], made[1],
 * ... Each rank gives the values of its own vertices in `made`. */
gemp_code gemp_fetch_computed(gemp_runtime *context, gemp_shard *graph, const gemp_column *made, const gemp_vertex *ids,
                              size_t count, const int *column, size_t columns, gemp_vertex **found, size_t *found_count,
                              gemp_column *out);

/* The position of id in `found`, which must contain the id. */
size_t gemp_fetch_index(const gemp_vertex *found, size_t count, gemp_vertex id);

/* Sorts ids ascending in place, and removes duplicates. *count becomes the number of distinct ids. */
gemp_code gemp_sort_distinct(gemp_vertex *ids, size_t *count);

/* A vertex index collects vertices, which may repeat, and finds the position of any of them among the distinct
 * vertices. It is a bitmap over the vertices of the graph or, for few vertices of a large graph, a sorted list.
 *
 *     gemp_vertex_index_new -> gemp_vertex_index_add, repeatedly -> gemp_vertex_index_finish -> gemp_vertex_index_find
 *     -> gemp_vertex_index_free */
typedef struct gemp_vertex_index {
	uint64_t vertices;
	size_t words;
	uint64_t *bits; /* [words] by id; NULL: the index is a sorted list */
	uint32_t *rank; /* [words] number of set bits before each word */
	size_t count;   /* number of distinct vertices, after gemp_vertex_index_finish */
	/* [count] distinct ids, ascending; without bits, before gemp_vertex_index_finish: the ids in the order of adding */
	gemp_vertex *ids;
} gemp_vertex_index;

/* All ids are less than `vertices`, and the caller adds at most `capacity` ids. Nothing to free after an error. */
gemp_code gemp_vertex_index_new(gemp_vertex_index *out, uint64_t vertices, size_t capacity);
void gemp_vertex_index_free(gemp_vertex_index *places);

/* Adds `count` ids: ids[0], ids[stride], ids[2 * stride], ... */
void gemp_vertex_index_add(gemp_vertex_index *places, const gemp_vertex *ids, size_t count, size_t stride);
gemp_code gemp_vertex_index_finish(gemp_vertex_index *places);
/* place[i] becomes the position of ids[i * stride] in places->ids. Each of these ids was added before. */
void gemp_vertex_index_find(const gemp_vertex_index *places, const gemp_vertex *ids, size_t count, size_t stride,
                            uint32_t *place);

/* The ends and attributes of edges, fetched from the ranks that own the edges' sources. Each distinct edge is fetched
 * once. Edges are numbered through all relations. Row i of each column belongs to edges[i]. */
typedef struct gemp_edge_ends {
	uint32_t relation;
	gemp_vertex source, target; /* ids; in an undirected relation, in the order of the user's input */
	uint32_t parallel;          /* index, from 0, among the parallel edges of this relation from source to target */
} gemp_edge_ends;

typedef struct gemp_edge_values {
	size_t count;
	gemp_edge *edges;     /* [count] distinct, ascending */
	gemp_edge_ends *ends; /* [count] */
	size_t column_count;
	gemp_column *columns; /* [column_count] one for each requested name, `count` rows each */
} gemp_edge_values;

/* Collective. `edges` may be in any order and may have duplicates. names[name_count] of attributes are the same on all
 * ranks. A value is NULL if the edge's relation has no such attribute. If relations store an attribute with different
 * types, the column is of floats if all types are numbers, and of strings otherwise. Relations are loaded if some rank
 * requests an edge of them. Nothing to free after an error. */
gemp_code gemp_fetch_edges(gemp_edge_values *out, gemp_runtime *context, gemp_shard *graph, const gemp_edge *edges,
                           size_t count, const char *const *names, size_t name_count);
void gemp_edge_values_free(gemp_edge_values *values);

/* The position of an edge in values->edges, which must contain the edge. */
size_t gemp_edge_values_index(const gemp_edge_values *values, gemp_edge edge);

#endif
