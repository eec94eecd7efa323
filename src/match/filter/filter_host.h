/* filter_host: conditions on the host, for what no kernel computes.
 *
 * gemp_filter_on_host evaluates a condition on one vertex, once for each row or once for each distinct value of a
 * dictionary. gemp_row_test evaluates a condition on rows of several elements: comparisons of columns, and AND, OR
 * and NOT over them, go through blocks of rows in plain loops, and everything else is evaluated row by row by
 * gemp_expr_test. Logic is three-valued, as in SQL and openCypher. Local.
 */

#ifndef GEMP_MATCH_FILTER_FILTER_HOST_H
#define GEMP_MATCH_FILTER_FILTER_HOST_H

#include "pattern/condition/evaluate.h"

/* The values of rows: row r has the value of row index[r] of the column, or of row r if index is NULL. */
typedef struct gemp_row_source {
	const gemp_column *column; /* NULL: the value is NULL in all rows */
	const uint32_t *index;
} gemp_row_source;

typedef struct gemp_row_view {
	size_t rows;
	void *context;
	/* Finds the column of an attribute, key, degree, ...; returns false if the value lies in no column. */
	bool (*source)(void *context, const gemp_expr *expr, gemp_row_source *out);
	/* The scope for evaluation row by row, of the row that at(context, row) has selected. Its context is `context`. */
	gemp_scope scope;
	void (*at)(void *context, size_t row);
} gemp_row_view;

/* keep[r], [rows], becomes 0 where the condition is not true. */
gemp_code gemp_row_test(const gemp_row_view *view, const gemp_expr *expr, uint8_t *keep);

/* The rows of which conditions are evaluated. The filter keeps their columns on the device as long as calls have the
 * same tag, which stands for the same values. */
typedef struct gemp_filter_rows {
	uint64_t tag;
	size_t rows;
	const gemp_column *const
		*columns;              /* [graph->attributes.count] of `rows` rows; NULL where no condition reads them */
	const gemp_column *key;    /* for id(v); NULL if no condition reads it */
	const uint32_t *label_set; /* [rows]; NULL if no condition reads it */
	size_t label_set_count;
	/* A value of a row that is in no column: labels(v), a degree. Strings are valid until the next call. NULL: no
	 * condition reads such values. */
	gemp_value (*value)(void *context, const gemp_expr *expr, size_t row);
	void *value_context;
	const uint32_t *among; /* bits of the rows to evaluate; NULL: all */
	bool lasting;          /* the columns outlive the filter, so a CPU device need not copy them */
} gemp_filter_rows;

/* The domain of an evaluation: the rows, or the distinct values of the one column that a part of a condition reads. */
typedef struct gemp_filter_view {
	size_t count;
	const gemp_filter_rows *rows;
	const gemp_column *values; /* [count]; NULL: the rows themselves */
} gemp_filter_view;

enum { GEMP_FILTER_KEY = -1, GEMP_FILTER_NO_COLUMN = -2 };

/* The column that an expression is: the index of an attribute, GEMP_FILTER_KEY, or GEMP_FILTER_NO_COLUMN for a literal,
 * an attribute that no vertex has, and any other expression. */
int gemp_filter_reads(const gemp_expr *expr);
/* The column of such a number, which must be loaded. */
const gemp_column *gemp_filter_column_of(const gemp_filter_view *view, int id);

/* True if a kernel evaluates this leaf (an expression that is not AND, OR or NOT). */
bool gemp_filter_has_kernel(const gemp_expr *leaf);
/* True if kernels evaluate all leaves of the expression. */
bool gemp_filter_has_kernels(const gemp_expr *expr);
/* True if the expression has the same value for all vertices: it has only literals, or compares the vertex with
 * itself. */
bool gemp_filter_is_constant(const gemp_expr *expr);
/* True if the expression reads only one column, *id, and it is of strings. */
bool gemp_filter_reads_strings(const gemp_filter_view *view, const gemp_expr *expr, int *id);

/* Sets the bits where the expression is true (negated: false), and clears the others. Rows without a bit in `among` are
 * not evaluated; among NULL: all are. */
gemp_code gemp_filter_on_host(const gemp_filter_view *view, const gemp_expr *expr, bool negated, const uint32_t *among,
                              uint32_t *bits);

#endif
