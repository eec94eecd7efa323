/* In an expression `(a)` may be a variable in parentheses or the first vertex of a path: what follows decides. */
#include "pattern/query.h"

#include <string.h>

const char *query_skip_space(const char *text)
{
	for (;;) {
		const char *end;
		text += strspn(text, " \t\r\n");
		if (strncmp(text, "//", 2) == 0)
			text += strcspn(text, "\n");
		else if (strncmp(text, "/*", 2) == 0 && (end = strstr(text + 2, "*/")))
			text = end + 2;
		else
			return text;
	}
}

/* Behind the quoted text that begins here; at its end if it has none. */
static const char *skip_quoted(const char *text)
{
	char quote = *text++;
	for (; *text && *text != quote; text++)
		text += *text == '\\' && quote != '`' && text[1];
	return text + (*text == quote);
}

/* Behind the vertex that text, its parenthesis, begins; at the end if it is none: outside of its map there are neither
 * parentheses nor operators. */
static const char *skip_vertex(const char *text)
{
	size_t braces = 0;
	for (text = query_skip_space(text + 1); *text && (braces > 0 || *text != ')'); text = query_skip_space(text)) {
		if (strchr("'\"`", *text)) {
			text = skip_quoted(text);
			continue;
		}
		if (braces == 0 && strchr("(+-*/%<>=.,;$}", *text))
			return "";
		braces += *text == '{';
		braces -= *text == '}';
		text++;
	}
	return text + (*text == ')');
}

bool query_path_begins(const char *text)
{
	text = query_skip_space(skip_vertex(text));
	if (*text == '<')
		text = query_skip_space(text + 1);
	if (*text != '-')
		return false;
	text = query_skip_space(text + 1);
	if (*text == '[')
		return true;
	text = *text == '-' ? query_skip_space(text + 1) : "";
	return *text == '(' || *text == '>';
}
