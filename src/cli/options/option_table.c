/* option_table: the options of all commands, from the parts (option_list.h) and from the library, which has the names
 * of import formats and the parameters of generators.
 *
 * Parsing, --help, --config, completion, the manual page, docs/command-line.md and the field `options` of --json read
 * this table. It is made at its first use. */

#include "cli/options/option_list.h"

#include "core/status.h"

#include <gemp/graph.h>
#include <stdio.h>
#include <string.h>

/* Help lists the parts in this order. */
static const gemp_option_part *const parts[] = { &gemp_options_input, &gemp_options_search, &gemp_options_output,
	                                             &gemp_options_models, &gemp_options_general };

/* The table, which is filled in once. */
static struct {
	gemp_option options[GEMP_MAX_OPTIONS]; /* [count] */
	size_t count;
	char formats[256]; /* the choices of --format of import */
} table;

static gemp_option *add(const gemp_option *option)
{
	GEMP_CHECK(table.count < GEMP_MAX_OPTIONS);
	table.options[table.count] = *option;
	return &table.options[table.count++];
}

/* Appends the formats of the library to the choices of --format, so a new format needs no change here. */
static void list_formats(const char *first)
{
	const char *name, *endings, *summary;
	size_t at = (size_t)snprintf(table.formats, sizeof table.formats, "%s", first);
	for (size_t i = 0; gemp_import_format_at(i, &name, &endings, &summary); i++)
		at += (size_t)snprintf(table.formats + at, sizeof table.formats - at, "|%s", name);
	GEMP_CHECK(at < sizeof table.formats);
}

static void add_parts(void)
{
	for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
		for (size_t i = 0; i < parts[p]->count; i++) {
			gemp_option *option = add(&parts[p]->options[i]);
			if (strcmp(option->name, "format") == 0 && option->commands & GEMP_ON_IMPORT) {
				list_formats(option->value);
				option->value = table.formats;
			}
		}
}

/* Returns true if the table has a parameter of this name. Generators share parameters such as --vertices. */
static bool has_parameter(const char *name)
{
	for (size_t i = 0; i < table.count; i++)
		if (table.options[i].kind == GEMP_OPTION_PARAMETER && strcmp(table.options[i].name, name) == 0)
			return true;
	return false;
}

static void add_parameters(const gemp_generator *generator)
{
	for (size_t p = 0; p < generator->parameter_count; p++)
		if (!has_parameter(generator->parameters[p].name))
			add(&(gemp_option){ .name = generator->parameters[p].name,
			                    .kind = GEMP_OPTION_PARAMETER,
			                    .value = "X",
			                    .commands = GEMP_ON_GENERATE,
			                    .group = "Parameters of generators",
			                    .help = generator->parameters[p].meaning });
}

const gemp_option *gemp_option_table(size_t *count)
{
	if (!table.count) {
		size_t generators;
		const gemp_generator *generator = gemp_generators(&generators);
		add_parts();
		for (size_t g = 0; g < generators; g++)
			add_parameters(&generator[g]);
	}
	*count = table.count;
	return table.options;
}
