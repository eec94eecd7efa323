/* expr_text: expressions as openCypher text, for --explain and column names, and as a canonical form.
 *
 * Text in normal form is parsed back to an equal expression, and equal texts mean equal conditions: the colours of the
 * automorphism search (symmetry/automorphism.h) compare them.
 */

#ifndef GEMP_PATTERN_CONDITION_EXPR_TEXT_H
#define GEMP_PATTERN_CONDITION_EXPR_TEXT_H

#include "core/text.h"
#include "pattern/model/pattern.h"

/* Appends the text of an expression that stands before WITH. Without a pattern every variable is `_`, so that
 * conditions on one variable compare equal. */
void gemp_expr_print(const gemp_expr *expr, const gemp_pattern *pattern, gemp_text *out);
/* The same as a text that the caller frees; NULL when out of memory. after: the expression stands behind the pattern's
 * WITH, and its variables are items of WITH. */
char *gemp_expr_text(const gemp_expr *expr, const gemp_pattern *pattern, bool after);

#endif
