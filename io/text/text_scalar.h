/* text_scalar: the text of one cell as a value, and what type a text looks like.
 *
 * Inference is strict, so that a column that is inferred prints back as it was; reading a stated type accepts more forms.
 */

#ifndef GEMP_IO_TEXT_TEXT_SCALAR_H
#define GEMP_IO_TEXT_TEXT_SCALAR_H

#include "graph/column.h"

/* What a text looks like; an integer looks like a float too. Integers are canonical (no +, no leading zeros, no -0) of
 * any length; floats are JSON's numbers, and NaN, so that it is refused instead of making its column strings; booleans
 * are true, True, TRUE and so on. */
enum { GEMP_LOOKS_INTEGER = 1, GEMP_LOOKS_FLOAT = 2, GEMP_LOOKS_BOOLEAN = 4, GEMP_LOOKS_ALL = 7 };
unsigned gemp_scalar_looks(const char *text, size_t size);

/* Reads a text as a value of the type; more forms pass than are inferred: +7, 007, .5, inf, and 0 and 1 as booleans. A
 * string is borrowed. GEMP_EDATA with neither file nor line. */
gemp_code gemp_scalar_read(gemp_value *out, gemp_type type, const char *text, size_t size);

/* The id of a vertex where its type is not stated: an integer if the text is one in canonical form and of 64 bits, else
 * a string, which is borrowed. */
gemp_value gemp_scalar_key(const char *text, size_t size);

/* The type of the name: int, integer, float, string, bool, boolean. */
bool gemp_scalar_type(gemp_type *out, const char *name, size_t size);

#endif
