/* element_values: fetches attributes of the vertices and edges in results from their owners, each distinct element
 * once. This is GEMP's second phase: it runs after matching, and only for elements of results.
 *
 * Ids and edges are requested in any order. The replies are ascending and distinct, and each column has one row for
 * each of them. A vertex index finds the place of each of many vertices among the distinct ones. Fetching is
 * collective.
 */

#ifndef GEMP_MATCH_FILTER_ELEMENT_VALUES_H
#define GEMP_MATCH_FILTER_ELEMENT_VALUES_H

#include "graph/graph.h"
#include "partition/runtime.h"

/* Local. Appends the replies to `count` requests of one rank. */
typedef gemp_code gemp_owner_answer(void *self, const void *requests, size_t count, gemp_text *reply);

/* Collective. Sends counts[ranks] requests of `size` bytes to each rank, in the order of ranks, and returns their
 * replies in this order: *replies, [*reply_size] bytes, which the caller frees. */
gemp_code gemp_owner_request(gemp_runtime *context, const void *questions, size_t size, const size_t *counts,
                             gemp_owner_answer *answer, void *self, void **replies, size_t *reply_size);

/* Columns besides those of attributes, which are 0, 1, ... */
enum { GEMP_FETCH_KEY = -1, GEMP_FETCH_KEY_RANK = -2, GEMP_FETCH_LABEL_SET = -3 };

/* Collective. Fetches columns of vertices. `ids` may be in any order and repeated; *found[*found_count] becomes the
 * distinct ones in ascending order, and out[c] the values of column[c] for these, each fetched once from the vertex's
 * owner. Key ranks and label sets are integers. column[columns] is the same on all ranks; the columns are loaded unless
 * no rank requests values. The caller frees *found and the columns; nothing to free after an error. */
gemp_code gemp_fetch_values(gemp_runtime *context, gemp_shard *graph, const gemp_vertex *ids, size_t count,
                            const int *column, size_t columns, gemp_vertex **found, size_t *found_count,
                            gemp_column *out);

/* Collective. The same, but columns from graph->attributes.count on are made[0], made[1], ..., of each rank's own
 * vertices. */
gemp_code gemp_fetch_computed(gemp_runtime *context, gemp_shard *graph, const gemp_column *made, const gemp_vertex *ids,
                              size_t count, const int *column, size_t columns, gemp_vertex **found, size_t *found_count,
                              gemp_column *out);

/* The position of id in found, which contains it. */
size_t gemp_fetch_index(const gemp_vertex *found, size_t count, gemp_vertex id);

/* Sorts ids ascending in place, and removes repeated ones; *count becomes the number of those left. */
gemp_code gemp_sort_distinct(gemp_vertex *ids, size_t *count);

/* A vertex index has the distinct ones of many vertices, and finds the place of each of the many among them: as a bit for each
 * vertex of the graph or, for few vertices of a large graph, as a sorted list.
 *
 *     gemp_vertex_index_new -> gemp_vertex_index_add, repeatedly -> gemp_vertex_index_finish -> gemp_vertex_index_find
 *     -> gemp_vertex_index_free
 */
typedef struct gemp_vertex_index {
	uint64_t vertices;
	size_t words;
	uint64_t *bits;   /* [words]; NULL: ids are sorted */
	uint32_t *rank;   /* [words]: set bits before each word */
	size_t count;     /* of the distinct ones, after gemp_vertex_index_finish */
	gemp_vertex *ids; /* [count] ascending; before that, without bits, in the order in which they were added */
} gemp_vertex_index;

/* Ids are less than `vertices`, and at most `capacity` will be added. Nothing to free after an error. */
gemp_code gemp_vertex_index_new(gemp_vertex_index *out, uint64_t vertices, size_t capacity);
void gemp_vertex_index_free(gemp_vertex_index *places);

/* Adds ids[0], ids[stride], ids[2 * stride], ..., `count` of them. */
void gemp_vertex_index_add(gemp_vertex_index *places, const gemp_vertex *ids, size_t count, size_t stride);
gemp_code gemp_vertex_index_finish(gemp_vertex_index *places);
/* place[i] becomes the position of ids[i * stride], which was added, in places->ids. */
void gemp_vertex_index_find(const gemp_vertex_index *places, const gemp_vertex *ids, size_t count, size_t stride,
                            uint32_t *place);

/* The ends and attributes of edges, fetched from the ranks that own their sources, each distinct edge once. Edges are
 * numbered through all relations. Row i of each column belongs to edges[i]. */
typedef struct gemp_edge_ends {
	uint32_t relation;
	gemp_vertex source, target; /* ids; in an undirected relation in the order that the user has given */
	uint32_t parallel;          /* number, from 0, among the edges of this relation from source to target */
} gemp_edge_ends;

typedef struct gemp_edge_values {
	size_t count;
	gemp_edge *edges;     /* [count] distinct, ascending */
	gemp_edge_ends *ends; /* [count] */
	size_t column_count;
	gemp_column *columns; /* [column_count] for each requested name, `count` rows each */
} gemp_edge_values;

/* Collective. `edges` may be in any order and repeated. names[name_count] of attributes are the same on all ranks; a
 * value is NULL where a relation has no such attribute. An attribute whose types differ among relations becomes float
 * if they are numbers, and string otherwise. Relations that occur on any rank are loaded. Nothing to free after an
 * error. */
gemp_code gemp_fetch_edges(gemp_edge_values *out, gemp_runtime *context, gemp_shard *graph, const gemp_edge *edges,
                           size_t count, const char *const *names, size_t name_count);
void gemp_edge_values_free(gemp_edge_values *values);

/* The position of an edge in values->edges, which contains it. */
size_t gemp_edge_values_index(const gemp_edge_values *values, gemp_edge edge);

#endif
