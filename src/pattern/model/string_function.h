/* string_function: the functions toLower, toUpper and size, and the operator =~, by utf8proc and PCRE2. Internal to
 * src/pattern, except for gemp_regex. */

#ifndef GEMP_PATTERN_MODEL_STRING_FUNCTION_H
#define GEMP_PATTERN_MODEL_STRING_FUNCTION_H

#include "core/arena.h"
#include "graph/column.h"

/* toLower and toUpper map each character by Unicode's simple mapping, independent of the locale. In all functions, text
 * must not be NULL. */
gemp_code gemp_string_case(const gemp_value *text, bool upper, gemp_arena *scratch, gemp_value *out);
/* size: the number of characters of a string, or of elements of a list. */
int64_t gemp_string_size(const gemp_value *text);

/* The operator =~ by PCRE2. The whole string must match. Copies of an expression share one gemp_regex. */
typedef struct gemp_regex gemp_regex;
gemp_code gemp_regex_new(gemp_regex **out, const gemp_value *pattern, char *error, size_t error_size, size_t *at);
gemp_regex *gemp_regex_share(gemp_regex *regex); /* regex may be NULL */
void gemp_regex_free(gemp_regex *regex);         /* regex may be NULL */
GEMP_RELEASE(gemp_regex_free, gemp_regex *)
/* A match that exceeds the limits on steps or memory is GEMP_EDATA. */
gemp_code gemp_regex_test(gemp_regex *regex, const gemp_value *text, int line, int column, bool *match);

#endif
