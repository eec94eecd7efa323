#include "command/config.h"

#include "core/settings.h"

#include <stdio.h>
#include <string.h>

static gemp_code take(void *self, const char *place, char *name, char *value)
{
	gemp_options *options = self;
	if (strncmp(name, "--", 2) == 0)
		name += 2;
	if (!*name)
		return gemp_fail(GEMP_EUSAGE, "%s: expected `long-option = value`, found no option", place);
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
	return gemp_settings_parse(path, text, "long-option", take, options);
}
