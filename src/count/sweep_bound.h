/* sweep_bound: how large an expression of a sum can become, so that sums in 64 bits are known to be enough beforehand.
 *
 * Expressions consist of decimal integers, symbols, + - * and parentheses. */
#ifndef GEMP_COUNT_SWEEP_BOUND_H
#define GEMP_COUNT_SWEEP_BOUND_H

#include "core/status.h"
#include "core/text.h"

/* The largest magnitude of a symbol's values; negative: there is no such symbol here. */
typedef double (*gemp_symbol_bound)(void *self, const char *symbol);

/* *bound: no value of the expression is further from 0. A text that is no such expression is GEMP_EINTERNAL. */
gemp_code gemp_expression_bound(const char *expression, gemp_symbol_bound symbol, void *self, double *bound);

/* OpenCL C for that bound at the values that the symbols have: - becomes +, and all is in double. */
void gemp_expression_magnitude(gemp_text *text, const char *expression);

#endif
