/* arithmetic: + - * / % and unary minus on values, as openCypher has them. Internal to src/pattern. */
#ifndef GEMP_PATTERN_ARITHMETIC_H
#define GEMP_PATTERN_ARITHMETIC_H

#include "core/scratch.h"
#include "pattern/pattern.h"

/* NULL on either side gives NULL. Integers that pass 64 bits, and integer division by zero, are GEMP_EDATA with the place
 * of the expression. Two strings are joined by +. */
gemp_code gemp_arithmetic(const gemp_expr *expr, const gemp_value *left, const gemp_value *right, gemp_scratch *scratch,
                          gemp_value *out);
gemp_code gemp_negative(const gemp_expr *expr, const gemp_value *value, gemp_value *out);

#endif
