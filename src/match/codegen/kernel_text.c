#include "match/codegen/kernel_text.h"

#include <stdio.h>
#include <string.h>

enum { MAX_STATEMENT = 2048 }; /* bytes that one call prints; the longest are about 600 */

gemp_variable gemp_variable_of(char kind, int number)
{
	gemp_variable name;
	snprintf(name.text, sizeof name.text, "%c_%d", kind, number);
	return name;
}

/* The numbers are put into the format and not into the text: what arguments bring may hold a `$` of its own. */
void gemp_kernel_vprint(gemp_text *text, int number, const char *format, va_list arguments)
{
	gemp_text numbered = { 0 };
	char line[MAX_STATEMENT];
	for (const char *at = format, *next; *at; at = next) {
		size_t plain = strcspn(at, "$");
		next = at + plain + (at[plain] == '$');
		gemp_text_add(&numbered, at, plain);
		if (at[plain] == '$')
			gemp_text_print(&numbered, "%d", number);
	}
	int size = numbered.failed ? -1 : vsnprintf(line, sizeof line, numbered.size ? numbered.data : "", arguments);
	GEMP_CHECK(size < MAX_STATEMENT);
	if (size >= 0)
		gemp_text_add(text, line, (size_t)size);
	text->failed |= size < 0;
	gemp_text_free(&numbered);
}

void gemp_kernel_print(gemp_text *text, int number, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	gemp_kernel_vprint(text, number, format, arguments);
	va_end(arguments);
}

void gemp_kernel_extreme(gemp_text *text, uint64_t vertices, bool greatest)
{
	for (uint64_t left = vertices; left; left &= left - 1)
		gemp_text_print(text, left & (left - 1) ? "%s(v_%d, " : "%.0sv_%d", greatest ? "max" : "min",
		                __builtin_ctzll(left));
	for (int open = __builtin_popcountll(vertices); open > 1; open--)
		gemp_text_print(text, ")");
}
