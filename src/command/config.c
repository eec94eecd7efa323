#include "command/config.h"

#include "core/memory.h"
#include "core/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Cuts blanks at both ends, in place. */
static char *trim(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	size_t size = strlen(text);
	while (size && isspace((unsigned char)text[size - 1]))
		text[--size] = '\0';
	return text;
}

static void cut_comment(char *line)
{
	for (char *at = line; *at; at++)
		if (*at == '#' && (at == line || isspace((unsigned char)at[-1]))) {
			*at = '\0';
			return;
		}
}

static gemp_code parse_line(gemp_options *options, const char *place, char *line)
{
	cut_comment(line);
	char *name = trim(line), *equals = strchr(name, '=');
	if (!*name)
		return GEMP_OK;
	if (!equals)
		return gemp_fail(GEMP_EUSAGE, "%s: expected `long-option = value`, found '%s'", place, name);
	*equals = '\0';
	name = trim(name);
	if (strncmp(name, "--", 2) == 0)
		name += 2;
	const char *value = trim(equals + 1);
	if (!*name || !*value)
		return gemp_fail(GEMP_EUSAGE, "%s: expected `long-option = value`, found no %s", place,
		                 *name ? "value" : "option");
	if (strcmp(name, "config") == 0)
		return gemp_fail(GEMP_EUSAGE, "%s: a configuration cannot name another one", place);
	const gemp_option *option = gemp_option_find(name, options->command);
	if (option)
		return gemp_options_give(options, option, value, place);
	char before[600];
	snprintf(before, sizeof before, "%.590s: ", place);
	return gemp_option_unknown(options, before, "", name);
}

gemp_code gemp_config_parse(gemp_options *options, const char *path, const char *text)
{
	gemp_code code = GEMP_OK;
	for (size_t number = 1; *text && code == GEMP_OK; number++) {
		size_t size = strcspn(text, "\n");
		gemp_text place = { 0 };
		char *line = gemp_strndup(text, size);
		gemp_text_print(&place, "%s:%zu", path, number);
		code = line ? gemp_text_status(&place) : GEMP_ENOMEM;
		if (code == GEMP_OK)
			code = parse_line(options, place.data, line);
		gemp_free(line);
		gemp_text_free(&place);
		text += size + (text[size] == '\n');
	}
	return code;
}
