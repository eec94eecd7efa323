#include "core/settings.h"

#include "core/memory.h"
#include "core/text.h"

#include <ctype.h>
#include <string.h>

/* Removes blanks at both ends, in place. */
static char *trim(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	size_t size = strlen(text);
	while (size && isspace((unsigned char)text[size - 1]))
		text[--size] = '\0';
	return text;
}

/* A # inside a word is part of the value: paths and names may contain one. */
static void cut_comment(char *line)
{
	for (char *at = line; *at; at++)
		if (*at == '#' && (at == line || isspace((unsigned char)at[-1]))) {
			*at = '\0';
			return;
		}
}

/* The line is cut in place; `place` ("path:line") begins every message. */
static gemp_code parse_line(const char *place, char *line, const char *kind, gemp_settings_handler take, void *self)
{
	cut_comment(line);
	char *name = trim(line), *equals = strchr(name, '=');
	if (!*name)
		return GEMP_OK;
	if (!equals)
		return gemp_fail(GEMP_EUSAGE, "%s: expected `%s = value`, found '%s'", place, kind, name);
	*equals = '\0';
	name = trim(name);
	char *value = trim(equals + 1);
	if (!*name || !*value)
		return gemp_fail(GEMP_EUSAGE, "%s: expected `%s = value`, found no %s", place, kind, *name ? "value" : "name");
	return take(self, place, name, value);
}

gemp_code gemp_settings_parse(const char *path, const char *text, const char *kind, gemp_settings_handler take,
                              void *self)
{
	gemp_code code = GEMP_OK;
	for (size_t number = 1; *text && code == GEMP_OK; number++) {
		size_t size = strcspn(text, "\n");
		gemp_text place = { 0 };
		char *line = gemp_strndup(text, size);
		gemp_text_print(&place, "%s:%zu", path, number);
		code = line ? gemp_text_status(&place) : GEMP_ENOMEM;
		GEMP_THEN(parse_line(place.data, line, kind, take, self));
		gemp_free(line);
		gemp_text_free(&place);
		text += size + (text[size] == '\n');
	}
	return code;
}
