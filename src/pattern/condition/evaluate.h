/* evaluate: the value of an expression for one match, in openCypher's three-valued logic.
 *
 * The match itself is behind gemp_scope: callbacks give the values of leaves, so that the matcher, the rows of a query
 * and the folding of literals share one evaluator. An unknown truth is a NULL boolean; a match passes a condition only
 * if it is true. Strings that an expression makes live in a scratch arena of the caller.
 */

#ifndef GEMP_PATTERN_CONDITION_EVALUATE_H
#define GEMP_PATTERN_CONDITION_EVALUATE_H

#include "core/memory.h"
#include "pattern/model/expr.h"

typedef enum gemp_truth { GEMP_IS_FALSE, GEMP_IS_TRUE, GEMP_IS_UNKNOWN } gemp_truth;

/* The callbacks by which an expression reads a match. value is called for GEMP_COLUMN, GEMP_ATTRIBUTE, GEMP_KEY,
 * GEMP_LABELS, GEMP_TYPE, GEMP_DEGREE, GEMP_COUNT_OF and GEMP_EXISTS (a boolean), and gives NULL for a missing element.
 * element gives the id of a vertex or the number of an edge, and label_set the set of a vertex; UINT64_MAX and
 * UINT32_MAX stand for an element that OPTIONAL MATCH did not find. */
typedef struct gemp_scope {
	void *context;
	gemp_value (*value)(void *context, const gemp_expr *expr);
	uint64_t (*element)(void *context, int variable, bool edge);
	uint32_t (*label_set)(void *context, int variable);
} gemp_scope;

/* The value of an expression; strings that it makes live in scratch. A failed computation (an integer beyond 64 bits,
 * an integer divided by zero, a regular expression that does not end) is GEMP_EDATA. */
gemp_code gemp_expr_value(const gemp_expr *expr, const gemp_scope *scope, gemp_arena *scratch, gemp_value *out);
gemp_code gemp_expr_test(const gemp_expr *expr, const gemp_scope *scope, gemp_arena *scratch, bool *is_true);

/* Computes GEMP_ADD to GEMP_SIZE; right is NULL if there is one operand. The result is NULL for a NULL operand, for
 * types that do not fit together (binding refuses these), and for NaN (0.0 / 0.0). Integers that pass 64 bits, and
 * integer division by zero, are GEMP_EDATA, without a place. Two strings are joined by +. */
gemp_code gemp_expr_compute(const gemp_expr *expr, const gemp_value *left, const gemp_value *right, gemp_arena *scratch,
                            gemp_value *out);
/* Do the types of the operands fit together? */
bool gemp_expr_can_compute(gemp_expr_kind kind, const gemp_value *left, const gemp_value *right);

#endif
