/* expr_text: expressions as openCypher text, for --explain, for column names, and as a canonical form.
 *
 * Parsing the text of an expression in normal form gives an equal expression. Equal texts mean equal conditions, so
 * texts serve as colours in the automorphism search (symmetry/automorphism.h). */

#ifndef GEMP_PATTERN_CONDITION_EXPR_TEXT_H
#define GEMP_PATTERN_CONDITION_EXPR_TEXT_H

#include "core/text.h"
#include "pattern/model/pattern.h"

/* Appends the text of an expression that uses the pattern's variables. If pattern is NULL, every variable is printed as
 * `_`, so that equal conditions on different variables have equal texts. */
void gemp_expr_print(const gemp_expr *expr, const gemp_pattern *pattern, gemp_text *out);
/* Returns the same text; the caller frees it. Returns NULL when out of memory. If `after` is true, the expression
 * belongs to a clause after WITH, and its variables are items of WITH. */
char *gemp_expr_text(const gemp_expr *expr, const gemp_pattern *pattern, bool after);

#endif
