/* Regular expressions are compiled when a pattern is bound; a mistake in one is shown at its character. */
#include "pattern/bind.h"
#include "pattern/text_function.h"

#include <stdlib.h>
#include <string.h>

/* Byte of the text at line:column. */
static size_t byte_of(const char *text, int line, int column)
{
	size_t at = 0;
	for (; line > 1 && text[at]; at++)
		line -= text[at] == '\n';
	for (; column > 1 && text[at] && text[at] != '\n'; column--)
		do
			at++;
		while (((unsigned char)text[at] & 0xC0) == 0x80);
	return at;
}

/* Of \uXXXX and \UXXXXXXXX: bytes that it stands for, and how long it is; of all others one byte for two. */
static size_t escape(const char *at, size_t *length)
{
	char digits[9] = "";
	*length = at[1] == 'u' ? 6 : at[1] == 'U' ? 10 : 2;
	if (*length == 2)
		return 1;
	strncpy(digits, at + 2, *length - 2);
	unsigned long character = strtoul(digits, NULL, 16);
	return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
}

/* Where byte `at` of a string stands in the text; begin: its quote. A parameter has no more than its own place. */
static size_t within(const char *text, size_t begin, size_t at)
{
	size_t here = begin + 1;
	if (text[begin] != '\'' && text[begin] != '"')
		return begin;
	while (at > 0 && text[here] && text[here] != text[begin]) {
		size_t length = 1, bytes = text[here] == '\\' ? escape(text + here, &length) : 1;
		here += length;
		at -= bytes < at ? bytes : at;
	}
	return here;
}

gemp_code gemp_bind_regex(const gemp_binding *b, gemp_expr *expr)
{
	const gemp_expr *literal = expr->children[1];
	char why[160];
	size_t at = 0;
	if (literal->kind != GEMP_LITERAL || literal->value.null || literal->value.type != GEMP_STRING)
		return GEMP_OK; /* types are looked at next */
	gemp_regex_free(expr->regex);
	expr->regex = NULL;
	gemp_code code = gemp_regex_new(&expr->regex, &literal->value, why, sizeof why, &at);
	if (code != GEMP_EUSAGE)
		return code;
	size_t begin = byte_of(b->source.text, literal->line, literal->column);
	return gemp_source_fail(&b->source, within(b->source.text, begin, at),
	                        "this is no regular expression: %s, at byte %zu of it", why, at);
}
