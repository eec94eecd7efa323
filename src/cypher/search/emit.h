/* emit: turns the rows of a frame into rows of values, and adds them to the table. */

#ifndef GEMP_CYPHER_SEARCH_EMIT_H
#define GEMP_CYPHER_SEARCH_EMIT_H

#include "cypher/search/state.h"

/* The value of a hop that the row knows. A hop that is written with `*` is a list. */
gemp_code gemp_cypher_hop_value(const gemp_cypher_answer *answer, const uint64_t *row, size_t hop, gemp_arena *arena,
                                gemp_datum *out);
/* Writes the new variables of the pattern into a row of values, as far as they are known. */
gemp_code gemp_cypher_row_values(const gemp_cypher_answer *answer, const uint64_t *row, gemp_arena *arena,
                                 gemp_datum *to);
/* Rank 0. Adds the rows of the frame to `out`, in their order. If `optional`, rows of answer->in without a row are
 * added, too. */
gemp_code gemp_cypher_emit_rows(gemp_cypher_answer *answer, bool optional, gemp_cypher_table *out);

#endif
