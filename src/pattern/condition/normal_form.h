/* normal_form: rewrites conditions so that equal conditions compare equal, and splits conditions into conjuncts.
 *
 * The form is negation normal form with sorted, flat AND and OR and folded literals; normal_form.c lists its rules.
 * Deduplication of conditions, the automorphism search and the plan's tests rely on the form. */

#ifndef GEMP_PATTERN_CONDITION_NORMAL_FORM_H
#define GEMP_PATTERN_CONDITION_NORMAL_FORM_H

#include "pattern/model/pattern.h"

/* Rewrites *slot into the normal form in place. *slot is a valid tree even after a failure. */
gemp_code gemp_expr_normalise(gemp_expr **slot);

/* Replaces operations on literals by literals. An operation that fails is left unchanged. The operands of + and * on
 * numbers are sorted. */
gemp_code gemp_expr_fold(gemp_expr **slot);

/* Takes ownership of *expr (any condition) and sets it to NULL. Normalises the condition and adds its conjuncts that
 * the pattern does not have yet. */
gemp_code gemp_pattern_require(gemp_pattern *pattern, gemp_expr **expr);

#endif
