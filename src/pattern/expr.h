/* expr: condition trees and their normal form. Internal to src/pattern. */
#ifndef GEMP_PATTERN_EXPR_H
#define GEMP_PATTERN_EXPR_H

#include "core/text.h"
#include "pattern/pattern.h"

gemp_code gemp_expr_new(gemp_expr **out, gemp_expr_kind kind, int line, int column);
void gemp_expr_free(gemp_expr *expr); /* takes NULL */
/* A deep copy, bound as the original is. */
gemp_code gemp_expr_copy(gemp_expr **out, const gemp_expr *expr);

/* Makes room for `count` children, all NULL. */
gemp_code gemp_expr_children(gemp_expr *expr, size_t count);

bool gemp_expr_is_literal(const gemp_expr *expr);

/* Total order; 0 for equal expressions. Places in the text do not matter. */
int gemp_expr_compare(const gemp_expr *a, const gemp_expr *b);

/* Pattern vertices and edges that the expression uses, as bits. */
void gemp_expr_uses(const gemp_expr *expr, uint64_t *vertices, uint64_t *edges);

/* The text of gemp_expr_text; without a pattern every variable is `_`, which compares conditions on one variable. */
void gemp_expr_print(const gemp_expr *expr, const gemp_pattern *pattern, gemp_text *out);
/* The same of what stands behind the pattern's WITH. */
char *gemp_expr_text_after(const gemp_expr *expr, const gemp_pattern *pattern);

/* Into the normal form, in place; what *slot points to afterwards is a valid tree, also after a failure. */
gemp_code gemp_expr_normalise(gemp_expr **slot);

/* What is computed from literals alone becomes a literal; what cannot be computed stays as it is. The operands of + and *
 * on numbers are sorted. Of the expression, or of its operands alone. */
gemp_code gemp_expr_fold(gemp_expr **slot);
gemp_code gemp_expr_fold_operands(gemp_expr *expr);
/* Of AND and OR: children of children of the same kind become children. */
gemp_code gemp_expr_flatten(gemp_expr *expr);

/* Takes *expr (any condition; NULL after that), normalises and adds its conjuncts; drops repeated ones. */
gemp_code gemp_pattern_require(gemp_pattern *pattern, gemp_expr **expr);

typedef enum gemp_truth { GEMP_IS_FALSE, GEMP_IS_TRUE, GEMP_IS_UNKNOWN } gemp_truth;

#endif
