/* row_test: tests a condition on rows of several elements.
 *
 * Plain loops over blocks of rows evaluate comparisons of columns, IN, labels, searches in strings, and AND, OR and NOT
 * over these; gemp_expr_value evaluates all other expressions row by row. Logic is three-valued, as in SQL and
 * openCypher. Local; threads may test different rows at the same time with views of their own. */

#ifndef GEMP_MATCH_FILTER_ROW_TEST_H
#define GEMP_MATCH_FILTER_ROW_TEST_H

#include "pattern/condition/evaluate.h"

/* The values of rows: the value of row r is in row index[r] of the column, or in row r if index is NULL. */
typedef struct gemp_row_source {
	const gemp_column *column; /* NULL: the value is NULL in all rows */
	const uint32_t *index;
} gemp_row_source;

typedef struct gemp_row_view {
	void *context;
	const uint32_t *label_sets; /* [rows] label sets of the only vertex; NULL: scope.label_set finds them */
	/* Finds the column of an attribute, key, degree, ... Returns false if the value lies in no column. */
	bool (*source)(void *context, const gemp_expr *expr, gemp_row_source *out);
	/* For evaluation row by row: at(context, row) selects a row, and `scope` gives the values of the selected row.
	 * scope.context is `context`. */
	gemp_scope scope;
	void (*at)(void *context, size_t row);
} gemp_row_view;

/* keep[i], which is 0 or 1, becomes 0 if the condition is not true for row first + i; i < rows. */
gemp_code gemp_row_test(const gemp_row_view *view, const gemp_expr *expr, size_t first, size_t rows, uint8_t *keep);

#endif
