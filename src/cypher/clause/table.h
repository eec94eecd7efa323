/* table: rows of values, as one clause passes them to the next. Rank 0 has all rows; the tables of other ranks are
 * empty.
 *
 * cells[rows][width], row by row. All values of the table lie in its arena or in one that lives longer. origin[rows],
 * ascending, has the number of the row that each row extends. Thanks to the origins, a pattern or a query within an
 * expression is answered for all rows of a table at once. Whoever fills a table with `with_origin` sets origin[r] of
 * each row r that it adds. */

#ifndef GEMP_CYPHER_CLAUSE_TABLE_H
#define GEMP_CYPHER_CLAUSE_TABLE_H

#include "cypher/value/datum.h"

typedef struct gemp_cypher_table {
	size_t rows, width, capacity; /* capacity in rows */
	gemp_datum *cells;            /* [rows * width]; a block of core/memory */
	bool with_origin;
	size_t *origin; /* [rows]; NULL without with_origin */
	gemp_arena arena;
} gemp_cypher_table; /* {0} is an empty table; set width and with_origin before rows are added */

/* Makes room for `rows` rows in all, so that the next additions do not move the cells. */
gemp_code gemp_cypher_table_reserve(gemp_cypher_table *table, size_t rows);
/* Adds a row of NULLs, with the origin 0. *row becomes its cells, valid until the next row is added. */
gemp_code gemp_cypher_table_add(gemp_cypher_table *table, gemp_datum **row);
static inline gemp_datum *gemp_cypher_table_row(const gemp_cypher_table *table, size_t row)
{
	return table->cells + row * table->width;
}
/* The row that row `row` extends; without origins, row 0. */
static inline size_t gemp_cypher_table_origin(const gemp_cypher_table *table, size_t row)
{
	return table->origin ? table->origin[row] : 0;
}
/* Drops all but the rows [begin, end). */
void gemp_cypher_table_cut(gemp_cypher_table *table, size_t begin, size_t end);
void gemp_cypher_table_free(gemp_cypher_table *table);

#endif
