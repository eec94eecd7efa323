/* table: rows of values, as one clause passes them to the next. Rank 0 has all rows; the tables of other ranks are empty.
 *
 * cells[rows][width], row by row. All values of the table lie in its arena or in one that lives longer. */

#ifndef GEMP_CYPHER_CLAUSE_TABLE_H
#define GEMP_CYPHER_CLAUSE_TABLE_H

#include "cypher/value/datum.h"

typedef struct gemp_cypher_table {
	size_t rows, width, capacity; /* capacity in rows */
	gemp_datum *cells;            /* [rows * width]; a block of core/memory */
	gemp_arena arena;
} gemp_cypher_table; /* {0} is an empty table; set its width before rows are added */

/* Adds a row of NULLs. *row becomes its cells, valid until the next row is added. */
gemp_code gemp_cypher_table_add(gemp_cypher_table *table, gemp_datum **row);
static inline gemp_datum *gemp_cypher_table_row(const gemp_cypher_table *table, size_t row)
{
	return table->cells + row * table->width;
}
void gemp_cypher_table_free(gemp_cypher_table *table);

#endif
