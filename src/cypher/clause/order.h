/* order: sorts rows by keys, in the order of ORDER BY. */

#ifndef GEMP_CYPHER_CLAUSE_ORDER_H
#define GEMP_CYPHER_CLAUSE_ORDER_H

#include "cypher/clause/table.h"

/* Sets order[rows] to the numbers of the rows, by ascending origin (NULL: all are equal), then by the keys, then by
 * number: the sort is stable. keys[rows][width] are compared as gemp_datum_order does, descending[width] backwards.
 * origin is ascending already. */
gemp_code gemp_cypher_sort(size_t *order, const gemp_datum *keys, size_t width, const bool *descending,
                           const size_t *origin, size_t rows);

#endif
