/* string_function: toLower, toUpper, size and =~, by utf8proc and PCRE2. Internal to src/pattern. */

#ifndef GEMP_PATTERN_MODEL_STRING_FUNCTION_H
#define GEMP_PATTERN_MODEL_STRING_FUNCTION_H

#include "core/memory.h"
#include "graph/column.h"

/* toLower, toUpper: each character by Unicode's simple mapping, whatever the locale. Here and below, text is not
 * NULL. */
gemp_code gemp_string_case(const gemp_value *text, bool upper, gemp_arena *scratch, gemp_value *out);
/* size: characters of a string; elements of a list. */
int64_t gemp_string_size(const gemp_value *text);

/* =~: PCRE2, the whole string has to match; shared by copies of an expression. */
typedef struct gemp_regex gemp_regex;
gemp_code gemp_regex_new(gemp_regex **out, const gemp_value *pattern, char *error, size_t error_size, size_t *at);
gemp_regex *gemp_regex_share(gemp_regex *regex); /* takes NULL */
void gemp_regex_free(gemp_regex *regex);         /* takes NULL */
GEMP_RELEASE(gemp_regex_free, gemp_regex *)
/* A pattern that takes too long for some string is GEMP_EDATA. */
gemp_code gemp_regex_test(const gemp_regex *regex, const gemp_value *text, int line, int column, bool *match);

#endif
