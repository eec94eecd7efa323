/* integer_pairs: a fast reader of lines that have two integers, as most edge lists do. */

#ifndef GEMP_IO_TEXT_INTEGER_PAIRS_H
#define GEMP_IO_TEXT_INTEGER_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads lines of two integers of at most 16 digits in canonical form (no leading zeros, no plus sign), with one tab
 * between them or, with `blanks`, one tab or one blank. Stops before the first other line, before a line near `end`
 * (within 48 bytes), or after `capacity` lines. *text becomes the begin of that line. Returns the number of lines. */
size_t gemp_integer_pairs_read(char **text, const char *end, bool blanks, int64_t (*pairs)[2], size_t capacity);

#endif
