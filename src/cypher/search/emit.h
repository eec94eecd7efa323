/* emit: turns the rows of a frame into rows of values, tests the conditions that no search has tested, and adds the
 * rows to the table. */

#ifndef GEMP_CYPHER_SEARCH_EMIT_H
#define GEMP_CYPHER_SEARCH_EMIT_H

#include "cypher/evaluate/environment.h"
#include "cypher/search/state.h"

/* Rank 0. Removes the rows of the frame for which a residual condition is not true, of those conditions whose elements
 * the last of `steps` steps has made known. */
gemp_code gemp_cypher_test_rows(gemp_cypher_answer *answer, size_t steps, const gemp_cypher_environment *environment);
/* Rank 0. Adds the rows of the frame to `out`, in their order. If `optional`, rows of answer->in without a row are
 * added, too. */
gemp_code gemp_cypher_emit_rows(gemp_cypher_answer *answer, bool optional, gemp_cypher_table *out);

#endif
