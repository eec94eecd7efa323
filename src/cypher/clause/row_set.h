/* row_set: the distinct rows of values, for DISTINCT, UNION and groups.
 *
 * Rows are equal if their origins are equal and all their values are equivalent. Rows are numbered 0, 1, ... in the
 * order of their first appearance. The table is open-addressing hashing with linear probing, with the slots of
 * primitive/record_table.h. */

#ifndef GEMP_CYPHER_CLAUSE_ROW_SET_H
#define GEMP_CYPHER_CLAUSE_ROW_SET_H

#include "cypher/clause/table.h"

typedef struct gemp_cypher_row_set {
	gemp_cypher_table rows; /* the distinct rows; set its width and with_origin first */
	bool copies;            /* new rows are copied into the arena of `rows`; otherwise their parts live longer */
	size_t slot_count;
	uint64_t *slots; /* [slot_count] */
} gemp_cypher_row_set;

void gemp_cypher_row_set_free(gemp_cypher_row_set *set);
/* Sets *index to the number of the row with these values. A new row gets the next number, and *added becomes true. */
gemp_code gemp_cypher_row_set_add(gemp_cypher_row_set *set, const gemp_datum *row, size_t origin, size_t *index,
                                  bool *added);
/* False if the set lacks the row. */
bool gemp_cypher_row_set_find(const gemp_cypher_row_set *set, const gemp_datum *row, size_t origin, size_t *index);

#endif
