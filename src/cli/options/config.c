/* config: a configuration has lines `long-option = value`. Only rank 0 reads the file. */

#include "cli/options/config.h"

#include "core/text.h"

#include <gemp/file.h>
#include <stdio.h>
#include <string.h>

/* Keeps the path of an input file. A relative path begins at the folder of the configuration. No file is looked for, so
 * all ranks get the same path, also those that do not see the files. */
static gemp_code keep_path(gemp_options *options, const gemp_option *option, const char *path, const char *place)
{
	const char *config = gemp_options_config(options), *slash = strrchr(config, '/');
	if (!slash || *path == '/' || strcmp(path, "-") == 0)
		return gemp_options_keep(options, option, path, place);
	GEMP_OWNED_BY(gemp_text_free) gemp_text whole = { 0 };
	gemp_text_print(&whole, "%.*s%s", (int)(slash + 1 - config), config, path);
	GEMP_TRY(gemp_text_status(&whole));
	return gemp_options_keep(options, option, whole.data, place);
}

/* Parses one line of the configuration. Dashes in front of the name are allowed, since users copy options from a
 * command line. */
static gemp_code keep_setting(void *self, const char *place, char *name, char *value)
{
	gemp_options *options = self;
	if (strncmp(name, "--", 2) == 0)
		name += 2;
	if (!*name)
		return gemp_fail(GEMP_EUSAGE, "%s: expected `long-option = value`, found no option", place);
	/* A configuration must not contain --config, since configurations could then refer to each other in a circle. */
	if (strcmp(name, "config") == 0)
		return gemp_fail(GEMP_EUSAGE, "%s: a configuration cannot name another one", place);
	const gemp_option *option = gemp_option_find(name, options->command);
	if (option)
		return option->input ? keep_path(options, option, value, place)
		                     : gemp_options_keep(options, option, value, place);
	char before[600];
	snprintf(before, sizeof before, "%.590s: ", place);
	return gemp_options_refuse_unknown(options, before, "", name);
}

gemp_code gemp_config_apply(gemp_options *options, const gemp_context *context)
{
	GEMP_OWNED_BY(gemp_text_release_at) char *text = NULL;
	const char *path = gemp_options_config(options);
	if (!path)
		return GEMP_OK;
	GEMP_TRY(gemp_file_read_text(&text, context, "--config", path));
	gemp_code code = gemp_settings_parse(path, text, "long-option", keep_setting, options);
	GEMP_THEN(gemp_options_set(options));
	return gemp_context_agree(context, code);
}
