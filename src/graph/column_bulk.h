/* column_bulk: operations on whole columns, on all threads.
 *
 * Each function divides the rows into chunks of 2^15 rows. A chunk writes only its own rows, so no locks are needed.
 * Strings are placed in two passes: sizes of each chunk, prefix sums, then copies. Columns keep their invariants
 * (graph/column.h); for example, null is absent if no row is NULL. */

#ifndef GEMP_GRAPH_COLUMN_BULK_H
#define GEMP_GRAPH_COLUMN_BULK_H

#include "graph/column.h"

/* Appends NULLs until the column has `rows` rows. The column then counts as loaded. */
gemp_code gemp_column_pad(gemp_column *column, size_t rows);
/* Appends the rows of `more`, which has the same type. Without rows, `more` may have no arrays. */
gemp_code gemp_column_append(gemp_column *column, const gemp_column *more);
/* Row rows[i] becomes row i of `values`, which has `count` rows, or one row for all. rows[] are distinct. `values` has
 * the column's type, or integers if the column has floats. */
gemp_code gemp_column_scatter(gemp_column *column, const uint64_t *rows, size_t count, const gemp_column *values);
/* Initialises `out` with `count` rows: row i is row picked[i] of `first` followed by `second`, which has the same type
 * or is NULL. A column without rows may have no arrays. */
gemp_code gemp_column_gather(gemp_column *out, const gemp_column *first, const gemp_column *second,
                             const uint64_t *picked, size_t count);
/* Adds the rows picked[count] of all columns to `out`, which is empty. */
gemp_code gemp_table_gather(gemp_table *out, const gemp_table *table, const uint64_t *picked, size_t count);
/* Replaces each column of the table by its rows order[0..count). */
gemp_code gemp_table_permute(gemp_table *table, const uint64_t *order, size_t count);
/* Turns a column of integers into a column of floats. */
gemp_code gemp_column_to_float(gemp_column *column);
/* Returns GEMP_EDATA with a message: JSON has no infinite number, which the attribute `name` would get. */
gemp_code gemp_column_fail_infinite(const char *name);
/* Turns a column of any type into a column of JSON. */
gemp_code gemp_column_to_json(gemp_column *column);
/* Turns a column into one of `type`, as the two functions above do; a column of that type stays. */
gemp_code gemp_column_convert(gemp_column *column, gemp_type type);
/* True if some value is not NULL. */
bool gemp_column_has_value(const gemp_column *column);
/* Frees `null` if no row is NULL. */
void gemp_column_trim_nulls(gemp_column *column);

#endif
