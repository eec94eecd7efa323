/* filter_host: evaluates conditions on one vertex by the threads of the host, once for each row or once for each
 * distinct value of a dictionary. Says which parts of conditions have kernels. Local. */

#ifndef GEMP_MATCH_FILTER_FILTER_HOST_H
#define GEMP_MATCH_FILTER_FILTER_HOST_H

#include "pattern/condition/evaluate.h"

/* The rows for which conditions are evaluated. Rows with the same tag have the same values. The filter keeps their
 * columns on the device until a call has another tag. */
typedef struct gemp_filter_rows {
	uint64_t tag;
	size_t rows;
	const gemp_column *const
		/* [graph->attributes.count] each of `rows` rows; NULL if no condition reads the attribute */
		*columns;
	const gemp_column *key;    /* for id(v); NULL if no condition reads it */
	const uint32_t *label_set; /* [rows]; NULL if no condition reads it */
	size_t label_set_count;
	/* Returns a value that is in no column: labels(v), a degree. A string is valid as long as the rows. Several threads
	 * call the function at the same time. NULL if no condition reads such values. */
	gemp_value (*value)(void *context, const gemp_expr *expr, size_t row);
	void *value_context;
	const uint32_t *among; /* bits of the rows to evaluate; NULL: all rows */
	bool lasting;          /* the columns outlive the filter, so a CPU device need not copy them */
	bool repeated;         /* strings are copied and tested row by row, even if many are equal */
	bool residual;         /* the rows are elements of matches: copies count to GEMP_PHASE_VALUES, not _UPLOAD */
} gemp_filter_rows;

/* The elements for which a condition is evaluated: the rows, or the distinct values of the only column that the
 * condition reads. */
typedef struct gemp_filter_view {
	size_t count;
	const gemp_filter_rows *rows;
	const gemp_column *values; /* [count] the distinct values; NULL: the elements are the rows */
} gemp_filter_view;

enum { GEMP_FILTER_KEY = -1, GEMP_FILTER_NO_COLUMN = -2 };

/* The number of the column that an expression names: the index of an attribute, or GEMP_FILTER_KEY.
 * GEMP_FILTER_NO_COLUMN for a literal, an attribute that no vertex has, and any other expression. */
int gemp_filter_reads(const gemp_expr *expr);
/* The column with a number from gemp_filter_reads. The column must be loaded. */
const gemp_column *gemp_filter_column_of(const gemp_filter_view *view, int id);

/* True if a kernel evaluates this leaf (an expression that is not AND, OR or NOT). */
bool gemp_filter_has_kernel(const gemp_expr *leaf);
/* True if kernels evaluate all leaves of the expression. */
bool gemp_filter_has_kernels(const gemp_expr *expr);
/* True if the expression has the same value for all vertices: it reads only literals, or compares the vertex with
 * itself. */
bool gemp_filter_is_constant(const gemp_expr *expr);
/* True if the expression reads exactly one column and this is a column of strings. *id becomes its number. */
bool gemp_filter_reads_strings(const gemp_filter_view *view, const gemp_expr *expr, int *id);

/* Sets the bits of the elements for which all of exprs[0..count) are true, and clears the others: bits[(count of the
 * view + 31) / 32]. Elements without a bit in `among` are not evaluated; `among` may be `bits`. If among is NULL, all
 * elements are evaluated. All threads share the elements. */
gemp_code gemp_filter_on_host(const gemp_filter_view *view, const gemp_expr *const *exprs, size_t count,
                              const uint32_t *among, uint32_t *bits);

#endif
