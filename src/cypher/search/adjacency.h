/* adjacency: the relationships from vertices by which a step expands, as rank 0 has fetched them. The list of a vertex
 * is fetched once in a query. */

#ifndef GEMP_CYPHER_SEARCH_ADJACENCY_H
#define GEMP_CYPHER_SEARCH_ADJACENCY_H

#include "core/types.h"
#include "cypher/search/commands.h"
#include "primitive/record_table.h"

typedef struct gemp_cypher_neighbour {
	gemp_edge edge;
	gemp_vertex vertex;
} gemp_cypher_neighbour;

typedef struct gemp_cypher_adjacency {
	gemp_record_table table; /* a vertex and its number */
	size_t fetched, range_capacity;
	size_t *begin; /* [fetched + 1] by number */
	size_t capacity;
	gemp_cypher_neighbour *neighbours; /* [begin[fetched]] those of a vertex ascend by edge */
} gemp_cypher_adjacency;

void gemp_cypher_adjacency_free(gemp_cypher_adjacency *adjacency);

/* Rank 0. Adds a vertex whose neighbours are wanted; gemp_cypher_adjacency_fetch fetches those that are missing, by the
 * pattern of a step. exists: the step has a pattern; otherwise no vertex has neighbours. */
gemp_code gemp_cypher_adjacency_want(gemp_cypher_adjacency *adjacency, gemp_vertex vertex);
gemp_code gemp_cypher_adjacency_fetch(gemp_cypher_adjacency *adjacency, gemp_cypher_session *session, size_t plan,
                                      size_t step, bool exists);
/* Neighbours of a vertex that has been wanted and fetched; valid until the next fetch. */
const gemp_cypher_neighbour *gemp_cypher_adjacency_of(const gemp_cypher_adjacency *adjacency, gemp_vertex vertex,
                                                      size_t *count);

#endif
