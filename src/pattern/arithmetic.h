/* arithmetic: what + - * / % and functions make of values, as openCypher has it. Internal to src/pattern. */
#ifndef GEMP_PATTERN_ARITHMETIC_H
#define GEMP_PATTERN_ARITHMETIC_H

#include "core/scratch.h"
#include "pattern/pattern.h"

/* GEMP_ADD to GEMP_SIZE; right is NULL where there is one operand. NULL on either side gives NULL, and so do types that
 * do not go together (binding refuses these) and what is no number (0.0 / 0.0). Integers that pass 64 bits, and integer
 * division by zero, are GEMP_EDATA, without a place. Two strings are joined by +. */
gemp_code gemp_compute(const gemp_expr *expr, const gemp_value *left, const gemp_value *right, gemp_scratch *scratch,
                       gemp_value *out);
/* Do the types go together? */
bool gemp_can_compute(gemp_expr_kind kind, const gemp_value *left, const gemp_value *right);

#endif
