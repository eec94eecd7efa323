/* scan: what the lexers of queries find in the text before it becomes tokens: spaces and comments, quoted parts, the
 * extent of brackets, escapes in strings, and whether a parenthesis begins a path.
 *
 * The texts are valid UTF-8 and end in a 0. A function that skips a part returns the text behind the part. */

#ifndef GEMP_PATTERN_SYNTAX_SCAN_H
#define GEMP_PATTERN_SYNTAX_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

const char *gemp_scan_space(const char *text);  /* skips comments, too */
const char *gemp_scan_quoted(const char *text); /* skips the string or name whose quote is the first byte */
/* Skips a name, also one in backquotes; returns `text` if there is none. */
const char *gemp_scan_name(const char *text);
/* Skips brackets and all that they contain. The first byte is `(`, `[` or `{`. Returns "" if they are not closed. */
const char *gemp_scan_brackets(const char *text);

/* True if a path, `(...)-...`, begins at the parenthesis to which `text` points; false for an expression in
 * parentheses. */
bool gemp_scan_path_begins(const char *text);

/* Decodes the escapes of a string of `size` bytes between its quotes. out[size + 1] gets *out_size bytes and a 0. On an
 * unknown escape returns false and sets *wrong to its offset; gemp_scan_escapes is a message about it. */
bool gemp_scan_unescape(char *out, size_t *out_size, const char *bytes, size_t size, size_t *wrong);
extern const char gemp_scan_escapes[];

/* True if both are the same word in either case. Keyword lists have some fifty words, nearly all of which have another
 * first letter; to call strcasecmp for each took a twelfth of a query that begins with one vertex. */
static inline bool gemp_scan_is_word(const char *text, const char *word)
{
	return ((text[0] ^ word[0]) & 0x5F) == 0 && strcasecmp(text, word) == 0; /* letters differ in bit 5 alone */
}

/* Returns the text behind a byte order mark, with which some editors begin a file. */
static inline const char *gemp_scan_begin(const char *text)
{
	return strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? text + 3 : text;
}

#endif
