#ifndef GEMP_PATTERN_CONDITION_NORMAL_FORM_H
#define GEMP_PATTERN_CONDITION_NORMAL_FORM_H

#include "pattern/model/pattern.h"

/* Into the normal form, in place; what *slot points to afterwards is a valid tree, also after a failure. */
gemp_code gemp_expr_normalise(gemp_expr **slot);

/* What is computed from literals alone becomes a literal; what cannot be computed stays as it is. The operands of + and *
 * on numbers are sorted. Of the expression, or of its operands alone. */
gemp_code gemp_expr_fold(gemp_expr **slot);

/* Takes *expr (any condition; NULL after that), normalises and adds its conjuncts; drops repeated ones. */
gemp_code gemp_pattern_require(gemp_pattern *pattern, gemp_expr **expr);

#endif
