/* number_text: integers and floats as text, without a call of the C library for most of them.
 *
 * The texts are those of printf: "%ld" for integers, and for floats "%.15g", "%.16g" or "%.17g", the first that reads
 * back as the same double, with a final ".0" if it looks like an integer. */

#ifndef GEMP_CORE_NUMBER_TEXT_H
#define GEMP_CORE_NUMBER_TEXT_H

#include <stdint.h>

enum { GEMP_INTEGER_TEXT = 20, GEMP_FLOAT_TEXT = 32 }; /* max bytes of a text */

/* Write the text, without a final 0, and return its end. */
char *gemp_integer_put(char *to, int64_t value);
char *gemp_float_put(char *to, double value);

#endif
