/* element_order: the order of nodes and relationships among sort keys.
 *
 * gemp_datum_order compares elements by their ids, which depend on the seed of the graph. For ORDER BY, nodes are in
 * the order of their keys, and relationships in that of their types, then of the keys of their start and end nodes,
 * then of their ids, which order parallel relationships by their properties. */

#ifndef GEMP_CYPHER_CLAUSE_ELEMENT_ORDER_H
#define GEMP_CYPHER_CLAUSE_ELEMENT_ORDER_H

#include "cypher/clause/engine.h"

/* Replaces the ids of elements in values[count], also within lists, maps and paths, by numbers in the order above. The
 * values are only good for comparing with one another. Copies lie in `arena`. */
gemp_code gemp_cypher_order_elements(const gemp_cypher_engine *engine, gemp_datum *values, size_t count,
                                     gemp_arena *arena);

#endif
