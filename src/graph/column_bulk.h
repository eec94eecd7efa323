/* column_bulk: whole columns at once, on all threads. */

#ifndef GEMP_GRAPH_COLUMN_BULK_H
#define GEMP_GRAPH_COLUMN_BULK_H

#include "graph/column.h"

/* NULLs behind its rows until it has `rows`; it counts as loaded from then on. */
gemp_code gemp_column_pad(gemp_column *column, size_t rows);
/* The rows of `more`, which is of the same type and may have no arrays if it has no rows, behind its own. */
gemp_code gemp_column_append(gemp_column *column, const gemp_column *more);
/* Row rows[i] becomes row i of values, of which there are `count`, or one for all. rows[] are distinct. values are of
 * the column's type, or integers where that is float. */
gemp_code gemp_column_scatter(gemp_column *column, const uint64_t *rows, size_t count, const gemp_column *values);
/* out, which is initialised here, becomes count rows: picked[i] counts the rows of `first` and then those of `second`,
 * which is of the same type; NULL: there is none. A column without rows may have no arrays. */
gemp_code gemp_column_gather(gemp_column *out, const gemp_column *first, const gemp_column *second,
                             const uint64_t *picked, size_t count);
/* out, which is empty, gets the rows `picked` of all columns. */
gemp_code gemp_table_gather(gemp_table *out, const gemp_table *table, const uint64_t *picked, size_t count);
/* A column, or each column of a table in turn, becomes its own rows order[0..count). */
gemp_code gemp_column_permute(gemp_column *column, const uint64_t *order, size_t count);
gemp_code gemp_table_permute(gemp_table *table, const uint64_t *order, size_t count);
/* A column of integers becomes one of floats. */
gemp_code gemp_column_to_float(gemp_column *column);
/* Is some value not NULL? */
bool gemp_column_has_value(const gemp_column *column);
/* Forgets which rows are NULL if none is. */
void gemp_column_trim_nulls(gemp_column *column);

#endif
