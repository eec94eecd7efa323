/* options: from the command line and a configuration to the fields of gemp_options, in three steps.
 *
 * First every option that was given is kept as text (values[value_count]), those of the configuration before those of the line.
 * Then the defaults of the table and these texts are converted to fields, in this order, so that the line wins. At last the
 * number of arguments is checked. The texts stay, since --json, the provenance of files and lists in the fields refer to them.
 * All ranks parse the same line; rank 0 alone reads the configuration.
 */

#include "cli/options/options.h"

#include "cli/handles.h"
#include "core/quantity.h"
#include "core/text.h"

#include <gemp/file.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* COMMANDS */

const gemp_command *gemp_command_find(const gemp_command_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (strcmp(table->commands[i]->name, name) == 0)
			return table->commands[i];
	return NULL;
}

gemp_code gemp_command_unknown(const gemp_command_table *table, const char *name)
{
	const char *names[32];
	GEMP_OWNED_BY(gemp_text_free) gemp_text list = { 0 };
	size_t count = 0;
	for (; count < table->count && count < sizeof names / sizeof *names; count++) {
		names[count] = table->commands[count]->name;
		gemp_text_print(&list, "%s%s", count ? ", " : "", names[count]);
	}
	const char *near = gemp_text_nearest(name, names, count);
	GEMP_TRY(gemp_text_status(&list));
	return gemp_fail(GEMP_EUSAGE, "there is no command '%s'%s%s%s commands are %s", name,
	                 near ? "; did you mean '" : "", near ? near : "", near ? "'? The" : "; the", list.data);
}

/* OPTIONS BY NAME */

/* Words are kept as help shows them, joined by |, so that the table has each list once. */
const char *gemp_option_word(const char *value, size_t index, size_t *size)
{
	for (; index && value; index--) {
		value = strchr(value, '|');
		value = value ? value + 1 : NULL;
	}
	if (value)
		*size = strcspn(value, "|");
	return value;
}

/* A name may belong to several options, of different commands. */
const gemp_option *gemp_option_find(const char *name, const gemp_command *command)
{
	size_t count;
	const gemp_option *table = gemp_option_table(&count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(table[i].name, name) == 0 && (!command || table[i].commands & command->bit))
			return &table[i];
	return NULL;
}

/* Names of the commands that take an option of this name, joined by commas. */
static void print_commands_with(gemp_text *out, const gemp_options *options, const char *name)
{
	const char *before = "";
	for (size_t i = 0; i < options->table->count; i++)
		if (gemp_option_find(name, options->table->commands[i])) {
			gemp_text_print(out, "%s%s", before, options->table->commands[i]->name);
			before = ", ";
		}
}

/* A misspelt option is more common than one of another command. */
static const char *nearest_option(const gemp_command *command, const char *name)
{
	size_t count, taken = 0;
	const gemp_option *table = gemp_option_table(&count);
	const char *names[GEMP_MAX_OPTIONS];
	for (size_t i = 0; i < count; i++)
		if (table[i].commands & command->bit)
			names[taken++] = table[i].name;
	return gemp_text_nearest(name, names, taken);
}

/* GEMP_EUSAGE for a name that `command` does not take: says who takes it, or which name is near. place: "" or
 * "file:line: "; dashes: "--" where they belong to the name. */
static gemp_code gemp_option_unknown(const gemp_options *options, const char *place, const char *dashes,
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

bool gemp_options_has(const gemp_options *options, const char *name)
{
	for (size_t i = 0; i < options->value_count; i++)
		if (strcmp(options->values[i].option->name, name) == 0)
			return true;
	return false;
}

/* Keeps an option until all are known. place: of the configuration, whose options stay before those of the line; NULL: the line. */
static gemp_code keep_value(gemp_options *options, const gemp_option *option, const char *text, const char *place)
{
	GEMP_TRY(GEMP_RESERVE(options->values, options->value_capacity, options->value_count + 1));
	size_t at = place ? options->configured_count++ : options->value_count;
	gemp_option_value *value = &options->values[at];
	memmove(value + 1, value, (options->value_count++ - at) * sizeof *value);
	*value = (gemp_option_value){ option, gemp_strdup(text), place ? gemp_strdup(place) : NULL };
	return value->text && (!place || value->place) ? GEMP_OK : GEMP_ENOMEM;
}

/* VALUES: from text to field. place: "file:line" in a configuration; NULL: the command line. */

/* Says what was expected, by the kind of option. */
static gemp_code refuse(const gemp_option *option, const char *place, const char *text)
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

/* Which word of option->value `text` is, or -1; the last word of SIZE_OR_WORD is SIZE itself. */
static int word_index(const gemp_option *option, const char *text)
{
	size_t size;
	const char *word;
	for (size_t i = 0; (word = gemp_option_word(option->value, i, &size)); i++)
		if (strlen(text) == size && strncmp(word, text, size) == 0)
			return (int)i;
	return -1;
}

/* The field of an option has the type of its kind (gemp_option_kind). Texts are borrowed. */
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
		*(int *)field = index = word_index(option, text);
		good = index >= 0;
		break;
	case GEMP_OPTION_PARAMETER: break; /* the generator reads it, which knows the range */
	case GEMP_OPTION_SIZE_OR_WORD:
		index = strcmp(text, "SIZE") == 0 ? -1 : word_index(option, text);
		good = index >= 0 || gemp_parse_size(text, &bytes);
		if (good)
			*(int64_t *)field = index >= 0 ? -(int64_t)index : (int64_t)bytes;
		break;
	}
	return good ? GEMP_OK : refuse(option, place, text);
}

/* Defaults are texts like any other value, so that help shows what is set. */
static gemp_code set_defaults(gemp_options *options)
{
	size_t count;
	const gemp_option *table = gemp_option_table(&count);
	for (size_t i = 0; i < count; i++)
		if (table[i].default_text && table[i].commands & options->command->bit)
			GEMP_TRY(set_field(options, &table[i], table[i].default_text, "table of options"));
	return GEMP_OK;
}

/* A list on the command line replaces the one of the configuration, and does not lengthen it. */
static bool overruled(const gemp_options *options, const gemp_option_value *given)
{
	if (given->option->kind != GEMP_OPTION_LIST || !given->place)
		return false;
	for (size_t i = 0; i < options->value_count; i++)
		if (options->values[i].option == given->option && !options->values[i].place)
			return true;
	return false;
}

static gemp_code apply(gemp_options *options)
{
	GEMP_TRY(set_defaults(options));
	for (size_t i = 0; i < options->value_count; i++) {
		const gemp_option_value *given = &options->values[i];
		if (!overruled(options, given))
			GEMP_TRY(set_field(options, given->option, given->text, given->place));
	}
	return GEMP_OK;
}

/* COMMAND LINE. popt splits it; its table is made from ours. */

/* out is [GEMP_MAX_OPTIONS + 1]. */
static void popt_table(struct poptOption *out, const gemp_command *command)
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

/* popt says which word it could not read; an unknown name gets the hints of our own table. */
static gemp_code popt_failed(const gemp_options *options, poptContext context, int error)
{
	const char *bad = poptBadOption(context, POPT_BADOPTION_NOALIAS);
	size_t dashes = strspn(bad, "-");
	if (dashes > 2)
		dashes = 2;
	if (error != POPT_ERROR_BADOPT)
		return gemp_fail(GEMP_EUSAGE, "%s: %s", bad, poptStrerror(error));
	char name[64] = "";
	size_t size = strcspn(bad + dashes, "=");
	memcpy(name, bad + dashes, size < sizeof name ? size : sizeof name - 1);
	return gemp_option_unknown(options, "", dashes > 1 ? "--" : "-", name);
}

/* popt frees its own copies with its context. */
static gemp_code take_arguments(gemp_options *options, poptContext context)
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

/* A flag has no text in popt; here it is "true", as in a configuration. */
static gemp_code parse_line(gemp_options *options, int argc, char **argv)
{
	size_t count;
	const gemp_option *table = gemp_option_table(&count);
	struct poptOption known[GEMP_MAX_OPTIONS + 1];
	popt_table(known, options->command);
	poptContext context = poptGetContext("gemp-mpi", argc, (const char **)argv, known, 0);
	if (!context)
		return gemp_fail(GEMP_ENOMEM, "out of memory while reading the command line");
	gemp_code code = GEMP_OK;
	int value = -1;
	while (code == GEMP_OK && (value = poptGetNextOpt(context)) > 0) {
		char *text = poptGetOptArg(context);
		code = keep_value(options, &table[value - 1], text ? text : "true", NULL);
		free(text);
	}
	if (code == GEMP_OK)
		code = value < -1 ? popt_failed(options, context, value) : take_arguments(options, context);
	poptFreeContext(context);
	return code;
}

static const char *value_text(const gemp_options *options, const char *name)
{
	const char *text = NULL;
	for (size_t i = 0; i < options->value_count; i++)
		if (strcmp(options->values[i].option->name, name) == 0)
			text = options->values[i].text;
	return text;
}

/* CONFIGURATION */

/* One line of it; dashes in front of the name are allowed, as people copy them. */
static gemp_code take_setting(void *self, const char *place, char *name, char *value)
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
		return keep_value(options, option, value, place);
	char before[600];
	snprintf(before, sizeof before, "%.590s: ", place);
	return gemp_option_unknown(options, before, "", name);
}

/* Collective. */
static gemp_code add_configuration(gemp_options *options, const gemp_context *context, const char *path)
{
	GEMP_OWNED_BY(gemp_text_release_at) char *text = NULL;
	GEMP_TRY(gemp_file_read_text(&text, context, "--config", path));
	return gemp_settings_parse(path, text, "long-option", take_setting, options);
}

/* ARGUMENTS */

/* A command may be used in several forms, a line each in its table entry. */
static gemp_code refuse_few(const gemp_command *command)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text forms = { 0 };
	for (const char *at = command->arguments; *at; at += strcspn(at, "\n"), at += *at == '\n')
		gemp_text_print(&forms, "%s%.*s", forms.size ? ", or " : "", (int)strcspn(at, "\n"), at);
	GEMP_TRY(gemp_text_status(&forms));
	return gemp_fail(GEMP_EUSAGE, "%s needs %s ('gemp-mpi help %s' shows how)", command->name, forms.data,
	                 command->name);
}

/* A surplus argument is mostly a query without quotes, or a command behind options. */
static gemp_code check_arguments(const gemp_options *options)
{
	const gemp_command *command = options->command;
	if (options->help || options->version)
		return GEMP_OK;
	if (options->argument_count < command->min_arguments)
		return refuse_few(command);
	if (options->argument_count <= command->max_arguments)
		return GEMP_OK;
	const char *extra = options->arguments[command->max_arguments];
	if (gemp_command_find(options->table, extra))
		return gemp_fail(GEMP_EUSAGE, "%s takes no argument '%s'; a command comes first: gemp-mpi %s [OPTIONS]",
		                 command->name, extra, extra);
	return gemp_fail(GEMP_EUSAGE,
	                 "%s takes no argument '%s'; put quotes around text with blanks "
	                 "('gemp-mpi help %s' shows how)",
	                 command->name, extra, command->name);
}

/* Does the resulting graph depend on this option? Output paths, reports, devices and checkpoints do not change it, and are left out
 * of the provenance, since the same graph must be the same file. */
static bool shapes_graph(const gemp_option *option)
{
	static const char *const others[] = { "output",   "changes", "dot",    "explain", "checkpoint",   "resume",
		                                  "max-time", "into",    "verify", "devices", "device-memory" };
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(option->name, others[i]) == 0)
			return false;
	return !(option->commands & GEMP_ON_INFO);
}

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

gemp_code gemp_options_new(gemp_options **out, const gemp_context *context, const gemp_command_table *table,
                           const gemp_command *command, int argc, char **argv)
{
	gemp_options *options = NULL;
	gemp_code code = GEMP_NEW(options, 1);
	if (code == GEMP_OK) {
		*options = (gemp_options){ .command = command, .table = table, .limit = UINT64_MAX };
		code = parse_line(options, argc, argv);
	}
	GEMP_TRY_DONE(gemp_context_agree(context, code));
	const char *path = value_text(options, "config");
	if (path)
		code = add_configuration(options, context, path);
	GEMP_THEN(apply(options));
	GEMP_THEN(check_arguments(options));
	GEMP_THEN(write_as_given(options));
	GEMP_TRY_DONE(gemp_context_agree(context, code));
	*out = options;
	return GEMP_OK;
done:
	gemp_options_free(options);
	return code;
}

/* Several entries of the table may have the same list. */
static void free_lists(gemp_options *options)
{
	size_t count;
	const gemp_option *table = gemp_option_table(&count);
	for (size_t i = 0; i < count; i++)
		if (table[i].kind == GEMP_OPTION_LIST) {
			gemp_list *list = (void *)((char *)options + table[i].offset);
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
