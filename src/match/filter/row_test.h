/* row_test: a condition on many rows at once. Host only.
 *
 * Comparisons of columns, and AND, OR and NOT over them, go through blocks of rows in plain loops; everything else in a
 * condition is evaluated row by row by gemp_expr_test. Logic is three-valued, as in SQL and openCypher.
 */

#ifndef GEMP_MATCH_FILTER_ROW_TEST_H
#define GEMP_MATCH_FILTER_ROW_TEST_H

#include "pattern/condition/evaluate.h"

/* Values of rows: of row r that of column row place[r], or r if place is NULL. */
typedef struct gemp_row_source {
	const gemp_column *column; /* NULL: the value is NULL in all rows */
	const uint32_t *index;
} gemp_row_source;

typedef struct gemp_row_view {
	size_t rows;
	void *context;
	/* Where the value of an attribute, key, degree, ... lies; false: not in a column. */
	bool (*source)(void *context, const gemp_expr *expr, gemp_row_source *out);
	/* For what is evaluated row by row: its context is `context` too, after at(context, row). */
	gemp_scope scope;
	void (*at)(void *context, size_t row);
} gemp_row_view;

/* keep[r], [rows], becomes 0 where the condition is not true. */
gemp_code gemp_row_test(const gemp_row_view *view, const gemp_expr *expr, uint8_t *keep);

#endif
