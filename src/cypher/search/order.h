/* order: the order of the rows of a MATCH: by the row that they extend, then by the keys of their vertices in the
 * order of the text, then by their relationships. It depends neither on the number of ranks nor on ids. */

#ifndef GEMP_CYPHER_SEARCH_ORDER_H
#define GEMP_CYPHER_SEARCH_ORDER_H

#include "cypher/search/state.h"

/* Rank 0. order[frame.rows] becomes the rows in their order; the caller frees it. */
gemp_code gemp_cypher_order_rows(gemp_cypher_answer *answer, size_t **order);

#endif
