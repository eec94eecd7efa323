/* evaluate: the value of an expression for one match, in openCypher's three-valued logic.
 *
 * The match is accessed through gemp_scope, whose callbacks give the values of leaves. So the matcher, the rows of a
 * query and the folding of literals share one evaluator. An unknown truth is a NULL boolean. A match passes a condition
 * only if the condition is true. Strings that an expression makes lie in a scratch arena of the caller. */

#ifndef GEMP_PATTERN_CONDITION_EVALUATE_H
#define GEMP_PATTERN_CONDITION_EVALUATE_H

#include "core/arena.h"
#include "pattern/model/expr.h"

typedef enum gemp_truth { GEMP_IS_FALSE, GEMP_IS_TRUE, GEMP_IS_UNKNOWN } gemp_truth;

/* The callbacks by which an expression reads a match. `value` is called for GEMP_COLUMN, GEMP_ATTRIBUTE, GEMP_KEY,
 * GEMP_LABELS, GEMP_TYPE, GEMP_DEGREE, GEMP_COUNT_OF and GEMP_EXISTS (a boolean), and returns NULL for a missing
 * element. `element` returns the id of a vertex or the number of an edge, or UINT64_MAX if OPTIONAL MATCH did not find
 * the element. `label_set` returns the label set of a vertex, or UINT32_MAX if OPTIONAL MATCH did not find the
 * vertex. */
typedef struct gemp_scope {
	void *context;
	gemp_value (*value)(void *context, const gemp_expr *expr);
	uint64_t (*element)(void *context, int variable, bool edge);
	uint32_t (*label_set)(void *context, int variable);
} gemp_scope;

/* Computes the value of an expression. Strings that the expression makes lie in scratch. A failed computation (an
 * integer beyond 64 bits, an integer divided by zero, a regular expression that exceeds its limits) is GEMP_EDATA. */
gemp_code gemp_expr_value(const gemp_expr *expr, const gemp_scope *scope, gemp_arena *scratch, gemp_value *out);
gemp_code gemp_expr_test(const gemp_expr *expr, const gemp_scope *scope, gemp_arena *scratch, bool *is_true);

/* Computes GEMP_ADD to GEMP_SIZE. right is NULL for an operation with one operand. The result is NULL for a NULL
 * operand, for types that do not fit together (binding refuses these), and for NaN (0.0 / 0.0). An integer beyond 64
 * bits and an integer division by zero are GEMP_EDATA, without a place. + concatenates two strings. */
gemp_code gemp_expr_compute(const gemp_expr *expr, const gemp_value *left, const gemp_value *right, gemp_arena *scratch,
                            gemp_value *out);
/* GEMP_ADD to GEMP_REMAINDER of two integers. GEMP_EDATA, without a place, beyond 64 bits and for division by zero. */
gemp_code gemp_integer_compute(gemp_expr_kind kind, int64_t a, int64_t b, int64_t *out);
/* The same of two floats, by IEEE 754; % is fmod. */
double gemp_float_compute(gemp_expr_kind kind, double a, double b);
/* GEMP_STARTS_WITH, GEMP_ENDS_WITH or GEMP_CONTAINS of two strings. */
bool gemp_text_find(gemp_expr_kind kind, const gemp_string *whole, const gemp_string *part);
/* True if the operation is defined for the types of its operands. */
bool gemp_expr_can_compute(gemp_expr_kind kind, const gemp_value *left, const gemp_value *right);

#endif
