/* options: converts the command line and a configuration to the fields of gemp_options, in three steps.
 *
 * First, each given option is kept as text in values[value_count]. Options of the configuration (config.c) come before
 * options of the command line. Second, the defaults of the table and these texts are converted to fields in this order,
 * so the command line has precedence. Third, the number of arguments is checked. The texts are kept, since --json, the
 * provenance of files and the lists in the fields refer to them. */

#include "cli/options/options.h"

#include "core/quantity.h"
#include "core/text.h"

#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NAMES */

const gemp_subcommand *gemp_subcommand_find(const gemp_subcommand *list, size_t count, const gemp_options *options)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].name, options->arguments[0]) == 0 && options->argument_count >= list[i].min &&
		    options->argument_count <= list[i].max)
			return &list[i];
	return NULL;
}

/* Adds the names of the commands that accept an option of this name, joined by commas. */
static void print_commands_with(gemp_text *out, const gemp_options *options, const char *name)
{
	const char *before = "";
	for (size_t i = 0; i < options->table->count; i++)
		if (gemp_option_find(name, options->table->commands[i])) {
			gemp_text_print(out, "%s%s", before, options->table->commands[i]->name);
			before = ", ";
		}
}

/* Returns the option of this command with the name most similar to `name`, or NULL. */
static const char *nearest_option(const gemp_command *command, const char *name)
{
	size_t count = 0;
	const char *names[GEMP_MAX_OPTIONS];
	const gemp_option *option;
	for (size_t i = 0; (option = gemp_option_next(command, &i));)
		names[count++] = option->name;
	return gemp_text_nearest(name, names, count);
}

gemp_code gemp_options_refuse_unknown(const gemp_options *options, const char *place, const char *dashes,
                                      const char *name)
{
	const char *command = options->command->name, *near = nearest_option(options->command, name);
	GEMP_OWNED_BY(gemp_text_free) gemp_text hint = { 0 };
	gemp_text_add(&hint, "", 0);
	if (gemp_option_find(name, NULL)) {
		gemp_text_print(&hint, "; it belongs to ");
		print_commands_with(&hint, options, name);
	} else if (near) {
		gemp_text_print(&hint, "; did you mean %s%s?", *dashes ? "--" : "", near);
	}
	GEMP_TRY(gemp_text_status(&hint));
	return gemp_fail(GEMP_EUSAGE, "%s%s has no option %s%s%s ('gemp-mpi help %s' lists its options)", place, command,
	                 dashes, name, hint.data, command);
}

/* GIVEN OPTIONS */

/* Returns the last text of an option, or NULL. */
static const char *given_text(const gemp_options *options, const char *name)
{
	for (size_t i = options->value_count; i-- > 0;)
		if (strcmp(options->values[i].option->name, name) == 0)
			return options->values[i].text;
	return NULL;
}

bool gemp_options_has(const gemp_options *options, const char *name)
{
	return given_text(options, name) != NULL;
}

gemp_code gemp_options_refuse(const gemp_options *options, const char *names, const char *why)
{
	for (size_t i = 0; i < options->value_count; i++)
		if (gemp_word_index(names, options->values[i].option->name) >= 0)
			return gemp_fail(GEMP_EUSAGE, "--%s %s", options->values[i].option->name, why);
	return GEMP_OK;
}

/* The command line is parsed first, so an option of the configuration is inserted before its options. */
gemp_code gemp_options_keep(gemp_options *options, const gemp_option *option, const char *text, const char *place)
{
	GEMP_TRY(GEMP_RESERVE(options->values, options->value_capacity, options->value_count + 1));
	size_t at = place ? options->configured_count++ : options->value_count;
	gemp_option_value *value = &options->values[at];
	memmove(value + 1, value, (options->value_count++ - at) * sizeof *value);
	*value = (gemp_option_value){ option, gemp_strdup(text), place ? gemp_strdup(place) : NULL };
	return value->text && (!place || value->place) ? GEMP_OK : GEMP_ENOMEM;
}

/* VALUES are converted from text to fields. `place` is "file:line" in a configuration, or NULL for the command line. */

/* GEMP_EUSAGE for a wrong value. The message says which values the kind of option accepts. */
static gemp_code refuse_value(const gemp_option *option, const char *place, const char *text)
{
	static const char *const expected[] = {
		[GEMP_OPTION_FLAG] = "true or false",
		[GEMP_OPTION_COUNT] = "a whole number up to 18446744073709551615",
		[GEMP_OPTION_SIZE] = "a size in bytes such as 4096, 64K, 512MiB or 2G",
		[GEMP_OPTION_REAL] = "a number",
		[GEMP_OPTION_CHOICE] = "one of these words",
		[GEMP_OPTION_SIZE_OR_WORD] = "one of these words, or a size in bytes such as 4096, 64K, 512MiB or 2G",
	};
	bool words = option->kind == GEMP_OPTION_CHOICE || option->kind == GEMP_OPTION_SIZE_OR_WORD;
	return gemp_fail(GEMP_EUSAGE, "%s%s%s: '%s' is not %s%s%s%s", place ? place : "", place ? ": " : "--", option->name,
	                 text, expected[option->kind], words ? ": " : "", words ? option->value : "",
	                 option->positive ? ", more than 0" : "");
}

/* Converts a text to the field of an option. The kind of the option (gemp_option_kind) determines the type of the
 * field. Fields borrow the text. */
static gemp_code set_field(gemp_options *options, const gemp_option *option, const char *text, const char *place)
{
	void *field = (char *)options + option->offset;
	uint64_t bytes;
	int index = -1;
	bool good = true;
	switch (option->kind) {
	case GEMP_OPTION_FLAG:
		*(bool *)field = strcmp(text, "true") == 0;
		good = *(bool *)field || strcmp(text, "false") == 0;
		break;
	case GEMP_OPTION_TEXT: *(const char **)field = text; break;
	case GEMP_OPTION_LIST: {
		gemp_list *list = field;
		GEMP_TRY(GEMP_RESERVE(list->items, list->capacity, list->count + 1));
		list->items[list->count++] = text;
		break;
	}
	case GEMP_OPTION_COUNT:
		good = gemp_parse_count(text, field) && (!option->positive || *(uint64_t *)field > 0);
		break;
	case GEMP_OPTION_SIZE: good = gemp_parse_size(text, field) && (!option->positive || *(uint64_t *)field > 0); break;
	case GEMP_OPTION_REAL: good = gemp_parse_real(text, field) && (!option->positive || *(double *)field > 0); break;
	case GEMP_OPTION_CHOICE:
		/* The choices have the order of an enumeration of the library, so commands cast the index to it. */
		*(int *)field = index = gemp_word_index(option->value, text);
		good = index >= 0;
		break;
	case GEMP_OPTION_PARAMETER: break; /* the generator parses the text, since it knows the range */
	case GEMP_OPTION_SIZE_OR_WORD:
		/* The word SIZE in the list stands for any number. The values of the other words are 0 or negative, so they
		 * differ from every positive size. */
		index = strcmp(text, "SIZE") == 0 ? -1 : gemp_word_index(option->value, text);
		good = index >= 0 || gemp_parse_size(text, &bytes);
		if (good)
			*(int64_t *)field = index >= 0 ? -(int64_t)index : (int64_t)bytes;
		break;
	}
	return good ? GEMP_OK : refuse_value(option, place, text);
}

/* A list on the command line replaces the list of the configuration. */
static bool is_replaced(const gemp_options *options, const gemp_option_value *given)
{
	if (given->option->kind != GEMP_OPTION_LIST || !given->place)
		return false;
	for (size_t i = 0; i < options->value_count; i++)
		if (options->values[i].option == given->option && !options->values[i].place)
			return true;
	return false;
}

/* Sets all fields. A default is converted like any other value, so help shows exactly the value that is set. */
static gemp_code set_fields(gemp_options *options)
{
	const gemp_option *option;
	for (size_t i = 0; (option = gemp_option_next(options->command, &i));)
		if (option->default_text)
			GEMP_TRY(set_field(options, option, option->default_text, "table of options"));
	for (size_t i = 0; i < options->value_count; i++) {
		const gemp_option_value *given = &options->values[i];
		if (!is_replaced(options, given))
			GEMP_TRY(set_field(options, given->option, given->text, given->place));
	}
	return GEMP_OK;
}

/* COMMAND LINE. popt splits it into options and arguments. */

/* Makes popt's table, out[GEMP_MAX_OPTIONS + 1], from the table of options. For entry i popt returns `val`, which is i
 * + 1. */
static void make_popt_table(struct poptOption *out, const gemp_command *command)
{
	size_t count;
	const gemp_option *table = gemp_option_table(&count);
	for (size_t i = 0; i < count; i++)
		if (table[i].commands & command->bit)
			*out++ = (struct poptOption){
				.longName = table[i].name,
				.shortName = table[i].letter,
				.argInfo = table[i].kind == GEMP_OPTION_FLAG ? POPT_ARG_NONE : POPT_ARG_STRING,
				.val = (int)i + 1,
			};
	*out = (struct poptOption)POPT_TABLEEND;
}

/* GEMP_EUSAGE for a word that popt could not read. For an unknown name the message has the hints of the table of
 * options. */
static gemp_code refuse_word(const gemp_options *options, poptContext context, int error)
{
	const char *bad = poptBadOption(context, POPT_BADOPTION_NOALIAS);
	size_t dashes = strspn(bad, "-"); /* in "---x" the third dash belongs to the name */
	if (dashes > 2)
		dashes = 2;
	if (error != POPT_ERROR_BADOPT)
		return gemp_fail(GEMP_EUSAGE, "%s: %s", bad, poptStrerror(error));
	char name[64] = "";
	size_t size = strcspn(bad + dashes, "=");
	memcpy(name, bad + dashes, size < sizeof name ? size : sizeof name - 1);
	return gemp_options_refuse_unknown(options, "", dashes > 1 ? "--" : "-", name);
}

/* The arguments are copied, since popt frees them with its context. */
static gemp_code copy_arguments(gemp_options *options, poptContext context)
{
	const char **rest = poptGetArgs(context);
	size_t count = 0;
	while (rest && rest[count])
		count++;
	GEMP_TRY(GEMP_NEW(options->arguments, count + 1));
	for (size_t i = 0; i < count; i++) {
		options->arguments[i] = gemp_strdup(rest[i]);
		if (!options->arguments[i])
			return GEMP_ENOMEM;
		options->argument_count++;
	}
	return GEMP_OK;
}

/* popt gives no text for a flag. Its text becomes "true", as in a configuration. */
static gemp_code parse_line(gemp_options *options, int argc, char **argv)
{
	size_t count;
	const gemp_option *table = gemp_option_table(&count);
	struct poptOption known[GEMP_MAX_OPTIONS + 1];
	make_popt_table(known, options->command);
	poptContext context = poptGetContext("gemp-mpi", argc, (const char **)argv, known, 0);
	if (!context)
		return gemp_fail(GEMP_ENOMEM, "out of memory while reading the command line");
	gemp_code code = GEMP_OK;
	int value = -1;
	while (code == GEMP_OK && (value = poptGetNextOpt(context)) > 0) {
		char *text = poptGetOptArg(context);
		code = gemp_options_keep(options, &table[value - 1], text ? text : "true", NULL);
		free(text);
	}
	if (code == GEMP_OK)
		code = value < -1 ? refuse_word(options, context, value) : copy_arguments(options, context);
	poptFreeContext(context);
	return code;
}

/* ARGUMENTS */

/* A surplus argument usually comes from a query without quotes, or it is a command that follows its options. */
static gemp_code check_arguments(const gemp_options *options)
{
	const gemp_command *command = options->command;
	if (options->help || options->version)
		return GEMP_OK;
	if (options->argument_count < command->argument_count.min)
		return gemp_command_misused(command);
	if (options->argument_count <= command->argument_count.max)
		return GEMP_OK;
	const char *extra = options->arguments[command->argument_count.max];
	if (gemp_command_find(options->table, extra))
		return gemp_fail(GEMP_EUSAGE, "%s accepts no argument '%s'; a command comes first: gemp-mpi %s [OPTIONS]",
		                 command->name, extra, extra);
	return gemp_fail(GEMP_EUSAGE,
	                 "%s accepts no argument '%s'; put quotes around text with blanks ('gemp-mpi help %s' shows how)",
	                 command->name, extra, command->name);
}

/* PROVENANCE, CREATION AND RELEASE */

/* Returns true if the resulting graph depends on this option. Output paths, reports, devices and checkpoints do not
 * change the graph. The provenance omits them, since the same graph must give the same file. */
static bool shapes_graph(const gemp_option *option)
{
	static const char unrelated[] =
		"output|changes|rows|dot|draw|explain|checkpoint|resume|max-time|into|verify|devices|device-memory";
	return gemp_word_index(unrelated, option->name) < 0 && !(option->commands & GEMP_ON_INFO);
}

/* Makes the command line that the provenance of files shows. */
static gemp_code write_as_given(gemp_options *options)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, "gemp-mpi %s", options->command->name);
	for (size_t i = 0; i < options->argument_count; i++)
		gemp_text_print(&text, " %s", options->arguments[i]);
	for (size_t i = 0; i < options->value_count; i++) {
		const gemp_option_value *given = &options->values[i];
		bool flag = given->option->kind == GEMP_OPTION_FLAG;
		if (shapes_graph(given->option))
			gemp_text_print(&text, " --%s%s%s", given->option->name, flag ? "" : " ", flag ? "" : given->text);
	}
	options->as_given = text.data;
	return gemp_text_status(&text);
}

/* Two options of a command may share a list, so a freed list is set to empty. */
static void free_lists(gemp_options *options)
{
	const gemp_option *option;
	for (size_t i = 0; (option = gemp_option_next(options->command, &i));)
		if (option->kind == GEMP_OPTION_LIST) {
			gemp_list *list = (void *)((char *)options + option->offset);
			gemp_free(list->items);
			*list = (gemp_list){ 0 };
		}
}

void gemp_options_free(gemp_options *options)
{
	if (!options)
		return;
	for (size_t i = 0; i < options->value_count; i++) {
		gemp_free(options->values[i].text);
		gemp_free(options->values[i].place);
	}
	for (size_t i = 0; i < options->argument_count; i++)
		gemp_free(options->arguments[i]);
	free_lists(options);
	gemp_free_all(options->values, options->as_given, options->arguments, options);
}

GEMP_RELEASE(gemp_options_free, gemp_options *)

gemp_code gemp_options_set(gemp_options *options)
{
	GEMP_TRY(set_fields(options));
	GEMP_TRY(check_arguments(options));
	return write_as_given(options);
}

/* A configuration cannot change what --help and --version print, so it is not read with them. */
const char *gemp_options_config(const gemp_options *options)
{
	return given_text(options, "help") || given_text(options, "version") ? NULL : given_text(options, "config");
}

gemp_code gemp_options_parse(gemp_options **out, const gemp_command_table *table, const gemp_command *command, int argc,
                             char **argv)
{
	GEMP_OWNED_BY(gemp_options_free_at) gemp_options *options = NULL;
	GEMP_TRY(GEMP_NEW(options, 1));
	*options = (gemp_options){ .command = command, .table = table, .limit = UINT64_MAX };
	GEMP_TRY(parse_line(options, argc, argv));
	if (!gemp_options_config(options))
		GEMP_TRY(gemp_options_set(options));
	*out = options;
	options = NULL;
	return GEMP_OK;
}
