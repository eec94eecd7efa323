#include "cli/checkpoint_options.h"

#include "core/text.h"

gemp_code gemp_checkpoint_options_check(const gemp_options *options)
{
	static const char *const dependent[] = { "resume", "max-time" };
	for (size_t i = 0; i < sizeof dependent / sizeof *dependent && !options->checkpoint; i++)
		if (gemp_options_has(options, dependent[i]))
			return gemp_fail(GEMP_EUSAGE, "--%s needs --checkpoint FOLDER, for what is finished", dependent[i]);
	return GEMP_OK;
}

gemp_checkpoint_settings gemp_checkpoint_options(const gemp_options *options)
{
	return (gemp_checkpoint_settings){ options->checkpoint, options->resume, options->max_time };
}

/* The option as it was given, or its default; the values of a list one after the other. */
static void put_option(gemp_text *out, const gemp_options *options, const char *name)
{
	const gemp_option *option = gemp_option_find(name, options->command);
	size_t count = 0;
	for (size_t i = 0; i < options->value_count; i++)
		if (options->values[i].option == option) {
			if (option->kind != GEMP_OPTION_LIST)
				gemp_text_clear(out);
			gemp_text_print(out, "%s%s", count++ && option->kind == GEMP_OPTION_LIST ? "; " : "",
			                options->values[i].text);
		}
	if (!count)
		gemp_text_print(out, "%s", option->default_text ? option->default_text : "");
}

json_t *gemp_checkpoint_options_add(json_t *own, const gemp_options *options, const char *const *names, size_t count)
{
	gemp_text text = { 0 };
	for (size_t i = 0; own && i < count; i++) {
		gemp_text_clear(&text);
		gemp_text_add(&text, "", 0);
		put_option(&text, options, names[i]);
		if (gemp_text_status(&text) != GEMP_OK || json_object_set_new(own, names[i], json_string(text.data)) != 0) {
			json_decref(own);
			own = NULL;
		}
	}
	gemp_text_free(&text);
	return own;
}
