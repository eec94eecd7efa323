/* column_rows: columns that are built from rows of other columns, block by block, on all threads.
 *
 * A query's column is often a list of row numbers of an attribute of the graph. Its values are copied once, straight to
 * the place where they are wanted. */

#ifndef GEMP_GRAPH_COLUMN_ROWS_H
#define GEMP_GRAPH_COLUMN_ROWS_H

#include "graph/column.h"

/* Appends `count` values: value i is row rows[i] of `from`, which has the same type, or NULL if rows[i] is GEMP_NO_ROW.
 * The arrays grow by at least half. */
gemp_code gemp_column_append_rows(gemp_column *column, const gemp_column *from, const uint32_t *rows, size_t count);
/* Appends all rows of `more`, which has the same type. The arrays grow by at least half. */
gemp_code gemp_column_extend(gemp_column *column, const gemp_column *more);

#endif
