#ifndef GEMP_PATTERN_CONDITION_EXPR_TEXT_H
#define GEMP_PATTERN_CONDITION_EXPR_TEXT_H

#include "core/text.h"
#include "pattern/model/pattern.h"

/* The text of gemp_expr_text; without a pattern every variable is `_`, which compares conditions on one variable. */
void gemp_expr_print(const gemp_expr *expr, const gemp_pattern *pattern, gemp_text *out);
/* The same of what stands behind the pattern's WITH. */
char *gemp_expr_text_after(const gemp_expr *expr, const gemp_pattern *pattern);

/* The documented normal form, for people and for comparison; owned by the caller. */
char *gemp_expr_text(const gemp_expr *expr, const gemp_pattern *pattern);

#endif
