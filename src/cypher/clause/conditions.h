/* conditions: divides the conditions of MATCH into those that its search tests and those with patterns or queries.
 *
 * The search tests a condition row by row. A term of WHERE with a pattern or a query within would need a search for
 * each row; it is tested after the search of the MATCH instead, by one search for all rows. */

#ifndef GEMP_CYPHER_CLAUSE_CONDITIONS_H
#define GEMP_CYPHER_CLAUSE_CONDITIONS_H

#include "cypher/syntax/tree.h"

/* Moves the terms with patterns or queries of each MATCH's clause->where to clause->expr, in the whole query with its
 * inner queries. All ranks call it before the search is made. New nodes lie in `arena`. */
gemp_code gemp_cypher_divide_conditions(const gemp_cypher_query *query, gemp_arena *arena);

#endif
