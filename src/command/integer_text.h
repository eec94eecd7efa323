/* integer_text: rows of integers as text, many at once, by all threads. */
#ifndef GEMP_COMMAND_INTEGER_TEXT_H
#define GEMP_COMMAND_INTEGER_TEXT_H

#include "core/text.h"
#include "query/projection.h"

/* Integers and nothing else, none of them NULL? */
bool gemp_only_integers(const gemp_projected *columns, size_t count);

/* Such columns' first `rows` rows: before[c] in front of each cell of column c, `after` behind each row. Only fails for
 * want of memory. */
gemp_code gemp_integer_text(gemp_text *out, const gemp_projected *columns, size_t count, size_t rows,
                            const char *const *before, const char *after);

#endif
