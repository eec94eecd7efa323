/* What the lexer must know of the text behind a token: the grammar has one token of look-ahead, which does not tell a
 * list from a comprehension. */

#include "cypher/syntax/build.h"
#include "pattern/syntax/scan.h"

#include <string.h>
#include <strings.h>

/* Returns the text behind a name and space, or NULL if there is no name. */
static const char *behind_name(const char *text)
{
	const char *from = gemp_scan_space(text), *to = gemp_scan_name(from);
	return to > from ? gemp_scan_space(to) : NULL;
}

bool gemp_cy_binds_in(const char *text)
{
	const char *rest = behind_name(gemp_scan_space(text) + 1);
	return rest && strncasecmp(rest, "IN", 2) == 0 && gemp_scan_name(rest) == rest + 2;
}

bool gemp_cy_binds_equal(const char *text)
{
	const char *rest = behind_name(gemp_scan_space(text) + 1);
	return rest && *rest == '=';
}

/* Returns the first `,` or `|` in the bracket that is in no inner bracket, or the bracket's end. */
static char separator(const char *text)
{
	for (text = gemp_scan_space(text + 1); *text && !strchr(",|])}", *text); text = gemp_scan_space(text)) {
		if (strchr("([{", *text))
			text = gemp_scan_brackets(text);
		else
			text = strchr("'\"`", *text) ? gemp_scan_quoted(text) : text + 1;
	}
	return *text;
}

gemp_cypher_bracket gemp_cy_bracket(const char *text)
{
	if (gemp_cy_binds_in(text))
		return separator(text) == ',' ? GEMP_CY_PLAIN : GEMP_CY_OF_LIST;
	const char *path = gemp_scan_space(text + 1);
	if (gemp_cy_binds_equal(text))
		path = gemp_scan_space(behind_name(path) + 1);
	bool paths = *path == '(' && gemp_scan_path_begins(path) && separator(text) == '|';
	return paths ? GEMP_CY_OF_PATHS : GEMP_CY_PLAIN;
}
