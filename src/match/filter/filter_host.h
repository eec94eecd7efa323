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

/* A condition on many rows at once. Host only.
 *
 * Comparisons of columns, and AND, OR and NOT over them, go through blocks of rows in plain loops; everything else in a
 * condition is evaluated row by row by gemp_expr_test. Logic is three-valued, as in SQL and openCypher.
 */

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

/* Values to test over, indexed alike: column c of the graph is columns[c] (loaded where the condition uses it; `rows` rows),
 * label_set [rows]. tag keeps columns on the device between calls: same tag, same values; another tag drops those of the
 * one before. */
typedef struct gemp_filter_rows {
	uint64_t tag;
	size_t rows;
	const gemp_column *const *columns; /* [graph->attributes.count], NULL where not needed */
	const gemp_column *key;            /* for id(v); NULL if not needed */
	const uint32_t *label_set;         /* NULL if not needed */
	size_t label_set_count;
	/* What of row r is in no column: labels(v), a degree; NULL: no condition asks. Strings hold until the next call. */
	gemp_value (*value)(void *context, const gemp_expr *expr, size_t row);
	void *value_context;
	const uint32_t *among; /* bits of rows to look at; NULL: all */
	bool lasting;          /* the columns outlive the filter: a CPU device need not copy them */
} gemp_filter_rows;

/* What is evaluated over: the rows, or the distinct values of the one column that a part of a condition reads. */
typedef struct gemp_filter_view {
	size_t count;
	const gemp_filter_rows *rows;
	const gemp_column *values; /* [count]; NULL: the rows themselves */
} gemp_filter_view;

enum {
	GEMP_FILTER_KEY = -1,
	GEMP_FILTER_NO_COLUMN = -2
}; /* what an expression reads, beside the index of an attribute */

/* NOTHING: a literal, an attribute that no vertex has, anything that is no column. */
int gemp_filter_reads(const gemp_expr *expr);
/* The column, which is loaded. */
const gemp_column *gemp_filter_column_of(const gemp_filter_view *view, int id);

/* Is there a kernel for this leaf (what is neither AND, OR nor NOT)? */
bool gemp_filter_has_kernel(const gemp_expr *leaf);
/* The same for all leaves below. */
bool gemp_filter_has_kernels(const gemp_expr *expr);
/* Is nothing said about the vertex: only literals, or the vertex compared with itself? */
bool gemp_filter_is_constant(const gemp_expr *expr);
/* Is one column, of strings, all that is read? */
bool gemp_filter_reads_strings(const gemp_filter_view *view, const gemp_expr *expr, int *id);

/* Bits of `view` where the expression is true (negated: false) become those of `bits`; where `among` (NULL: everywhere)
 * has none, nothing is evaluated. */
gemp_code gemp_filter_on_host(const gemp_filter_view *view, const gemp_expr *expr, bool negated, const uint32_t *among,
                              uint32_t *bits);

#endif
