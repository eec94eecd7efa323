/* store: the nodes and relationships that rank 0 has met, with their labels, keys, properties and ends.
 *
 * An element gets a number when it is first met. A column of values covers the first `filled` elements; a value beyond
 * is fetched together with those of all elements that have been met since the last fetch. So a caller that adds all
 * elements of a table before it reads them causes one fetch for each column. Values live as long as the store. */

#ifndef GEMP_CYPHER_SEARCH_STORE_H
#define GEMP_CYPHER_SEARCH_STORE_H

#include "core/arena.h"
#include "cypher/value/datum.h"
#include "graph/graph.h"
#include "primitive/record_table.h"

struct gemp_cypher_session;

typedef struct gemp_cypher_store_column {
	size_t filled, capacity;
	gemp_datum *values; /* [filled] by the number of the element */
} gemp_cypher_store_column;

typedef struct gemp_cypher_ends {
	gemp_vertex source, target;
} gemp_cypher_ends;

/* Columns of vertices: the attributes of the graph, then the key, the key's rank and the list of labels. */
typedef struct gemp_cypher_store {
	struct gemp_cypher_session *session; /* NULL: nothing to free */
	size_t vertex_count, vertex_capacity;
	gemp_vertex *vertices;  /* [vertex_count] by number */
	uint32_t *vertex_place; /* [graph->vertex_count] 1 + number; 0: not met. NULL: no vertex was met. */
	gemp_cypher_store_column *vertex_columns; /* [attributes + 3] */
	uint64_t edge_count;                      /* of the graph */
	gemp_record_table edges;                  /* two words of the edge, its number */
	size_t ends_filled, ends_capacity;
	gemp_cypher_ends *ends; /* [ends_filled] */
	size_t edge_column_count;
	size_t *first_edge_column; /* [relations] of the attributes of each relation */
	gemp_cypher_store_column *edge_columns;
	gemp_datum *label_lists; /* [label sets] */
	gemp_arena arena;
} gemp_cypher_store;

gemp_code gemp_cypher_store_init(gemp_cypher_store *store, struct gemp_cypher_session *session);
void gemp_cypher_store_free(gemp_cypher_store *store);

/* Rank 0. All functions but the first two may fetch. */
gemp_code gemp_cypher_store_add_vertex(gemp_cypher_store *store, gemp_vertex vertex);
gemp_code gemp_cypher_store_add_edge(gemp_cypher_store *store, gemp_edge edge);
/* Adds all nodes and relationships of a value. */
gemp_code gemp_cypher_store_add(gemp_cypher_store *store, const gemp_datum *value);
/* Local. False for a node or relationship that the graph lacks (change/change.h). */
bool gemp_cypher_store_has(const gemp_cypher_store *store, const gemp_datum *element);

/* property and properties are of a node or a relationship; a missing property is NULL. */
gemp_code gemp_cypher_store_property(gemp_cypher_store *store, gemp_datum element, const char *name, gemp_datum *out);
gemp_code gemp_cypher_store_properties(gemp_cypher_store *store, gemp_datum element, gemp_arena *arena,
                                       gemp_datum *map);
gemp_code gemp_cypher_store_labels(gemp_cypher_store *store, gemp_vertex vertex, gemp_datum *list);
gemp_code gemp_cypher_store_key(gemp_cypher_store *store, gemp_vertex vertex, gemp_datum *key);
/* The position of the vertex's key in the order of all keys. */
gemp_code gemp_cypher_store_rank(gemp_cypher_store *store, gemp_vertex vertex, uint32_t *rank);
gemp_code gemp_cypher_store_ends(gemp_cypher_store *store, gemp_edge edge, gemp_cypher_ends *ends);
/* Local. The relation of an edge. */
size_t gemp_cypher_store_relation(const gemp_cypher_store *store, gemp_edge edge);

#endif
