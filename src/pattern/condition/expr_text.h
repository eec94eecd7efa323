/* expr_text: expressions as openCypher text, for --explain and column names, and as a canonical form.
 *
 * Text in normal form is parsed back to an equal expression, and equal texts mean equal conditions: the colours of the
 * automorphism search (symmetry/automorphism.h) compare them.
 */

#ifndef GEMP_PATTERN_CONDITION_EXPR_TEXT_H
#define GEMP_PATTERN_CONDITION_EXPR_TEXT_H

#include "core/text.h"
#include "pattern/model/pattern.h"

/* The text of gemp_expr_text; without a pattern every variable is `_`, which compares conditions on one variable. */
void gemp_expr_print(const gemp_expr *expr, const gemp_pattern *pattern, gemp_text *out);
/* The same for an expression behind the pattern's WITH, whose variables are items of WITH. */
char *gemp_expr_text_after(const gemp_expr *expr, const gemp_pattern *pattern);

/* Owned by the caller; NULL when out of memory. */
char *gemp_expr_text(const gemp_expr *expr, const gemp_pattern *pattern);

#endif
