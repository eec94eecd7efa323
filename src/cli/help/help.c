/* help: --help and the command `help` for terminals, made from the tables of commands and options.
 *
 * A text is built whole before rank 0 prints it, so that a failure prints nothing. Lines wrap at WIDTH columns, whatever the terminal:
 * the same help everywhere can be compared and searched. Names stand in a column of their own; a name that is too long for it has its
 * meaning on the next line.
 */

#include "cli/help/help.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 100, OPTION_COLUMN = 30, COMMAND_COLUMN = 14 };

const gemp_help_entry gemp_help_codes[] = {
	{ "0", "Success, also if there are no matches." },
	{ "2", "Error in the command line or the query." },
	{ "65", "Bad input data." },
	{ "66", "An input file is missing or cannot be read." },
	{ "69", "No OpenCL device." },
	{ "70", "Internal error, of the program or a driver." },
	{ "71", "Out of memory on host or device." },
	{ "74", "Reading or writing failed." },
	{ "75", "match, transform: stopped early with a checkpoint; --resume goes on." },
	{ NULL, NULL },
};

const gemp_help_entry gemp_help_environment[] = {
	{ "GEMP_CACHE_DIR", "Folder of built kernels; empty: no cache. By default $XDG_CACHE_HOME/gemp-mpi or "
	                    "~/.cache/gemp-mpi." },
	{ "GEMP_KERNEL_DIR", "Folder whose .cl and .clh files are used in place of those that are built in." },
	{ NULL, NULL },
};

/* Words of `text`, wrapped; the cursor stands at column `at`, further lines begin at `indent`. Ends the line. */
static void wrap(gemp_text *out, size_t at, size_t indent, const char *text)
{
	bool fresh = true;
	while (*text) {
		size_t size = strcspn(text, " ");
		if (!fresh && at + 1 + size > WIDTH) {
			gemp_text_print(out, "\n%*s", (int)indent, "");
			at = indent;
			fresh = true;
		}
		gemp_text_print(out, "%s%.*s", fresh ? "" : " ", (int)size, text);
		at += size + !fresh;
		fresh = false;
		text += size;
		text += strspn(text, " ");
	}
	gemp_text_print(out, "\n");
}

/* A name, and its meaning in a column of its own. */
static void entry(gemp_text *out, const char *name, size_t column, const char *meaning)
{
	size_t at = strlen(name);
	gemp_text_print(out, "%s", name);
	if (at + 2 > column) {
		gemp_text_print(out, "\n");
		at = 0;
	}
	gemp_text_print(out, "%*s", (int)(column - at), "");
	wrap(out, column, column, meaning);
}

/* A heading and a list that ends with a NULL name. */
static void entries(gemp_text *out, const char *heading, size_t column, const gemp_help_entry *list)
{
	gemp_text_print(out, "\n%s:\n", heading);
	for (; list->name; list++) {
		char name[40];
		snprintf(name, sizeof name, "  %s", list->name);
		entry(out, name, column, list->meaning);
	}
}

/* The endings of a format go into its meaning. The list is made anew in each call, with the same content. */
const gemp_help_entry *gemp_help_formats(void)
{
	enum { MOST = 32, MEANING = 200 };
	static gemp_help_entry list[MOST + 1];
	static char meanings[MOST][MEANING];
	const char *name, *endings, *summary;
	for (size_t i = 0; gemp_import_format_at(i, &name, &endings, &summary); i++) {
		GEMP_CHECK(i < MOST);
		snprintf(meanings[i], MEANING, "%s%s%s%s.", summary, *endings ? " (" : "", endings, *endings ? ")" : "");
		list[i] = (gemp_help_entry){ name, meanings[i] };
	}
	return list;
}

void gemp_help_option_name(gemp_text *out, const gemp_option *option)
{
	gemp_text_print(out, "--%s%s%s", option->name, option->value ? " " : "", option->value ? option->value : "");
}

/* Callers print a heading wherever the group changes. */
const gemp_option *gemp_help_next(const gemp_command *command, size_t *index)
{
	size_t count;
	const gemp_option *table = gemp_option_table(&count);
	while (*index < count) {
		const gemp_option *option = &table[(*index)++];
		if (option->commands & command->bit && option->kind != GEMP_OPTION_PARAMETER)
			return option;
	}
	return NULL;
}

/* "  -o, --output FILE": the letter has a column of its own. */
static void print_option(gemp_text *out, const gemp_option *option)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 }, meaning = { 0 };
	if (option->letter)
		gemp_text_print(&name, "  -%c, ", option->letter);
	else
		gemp_text_print(&name, "      ");
	gemp_help_option_name(&name, option);
	gemp_text_print(&meaning, "%s", option->help);
	if (option->default_text)
		gemp_text_print(&meaning, " Default: %s.", option->default_text);
	if (name.failed || meaning.failed)
		out->failed = true;
	else
		entry(out, name.data, OPTION_COLUMN, meaning.data);
}

/* Parameters are options of their generator alone. */
static void print_parameter(gemp_text *out, const gemp_parameter *parameter)
{
	char form[64], value[64], name[128], meaning[512];
	gemp_parameter_form(form, sizeof form, parameter);
	gemp_parameter_default(value, sizeof value, parameter);
	snprintf(name, sizeof name, "      --%s %s", parameter->name, form);
	snprintf(meaning, sizeof meaning, "%s; default: %s", parameter->meaning, value);
	entry(out, name, OPTION_COLUMN, meaning);
}

/* Generators stand in front of the options of `generate`, with their parameters. */
static void print_generators(gemp_text *out)
{
	size_t count;
	const gemp_generator *generator = gemp_generators(&count);
	for (size_t g = 0; g < count; g++, generator++) {
		gemp_text_print(out, "\n%s: ", generator->name);
		wrap(out, strlen(generator->name) + 2, 2, generator->meaning);
		for (size_t p = 0; p < generator->parameter_count; p++)
			print_parameter(out, &generator->parameters[p]);
	}
}

/* Each line of `text` with `before` in front. */
static void lines(gemp_text *out, const char *before, const char *text)
{
	while (*text) {
		size_t size = strcspn(text, "\n");
		gemp_text_print(out, "%s%.*s\n", before, (int)size, text);
		text += size + (text[size] == '\n');
	}
}

/* A command may be used in several forms, a line each. */
static void usage(gemp_text *out, const gemp_command *command)
{
	const char *form = command->arguments, *before = "Usage: ";
	do {
		size_t size = strcspn(form, "\n");
		gemp_text_print(out, "%sgemp-mpi %s%s%.*s [OPTIONS]\n", before, command->name, size ? " " : "", (int)size,
		                form);
		before = "       ";
		form += size + (form[size] == '\n');
	} while (*form);
}

/* A paragraph is one line of the command's text. */
static void paragraphs(gemp_text *out, const char *text)
{
	while (*text) {
		char paragraph[2048];
		size_t size = strcspn(text, "\n");
		snprintf(paragraph, sizeof paragraph, "%.*s", (int)size, text);
		gemp_text_print(out, "\n");
		wrap(out, 0, 0, paragraph);
		text += size + (text[size] == '\n');
	}
}

void gemp_help_command(gemp_text *out, const gemp_command *command)
{
	const char *group = "";
	const gemp_option *option;
	gemp_text_print(out, "%s.\n\n", command->summary);
	usage(out, command);
	paragraphs(out, command->text);
	if (*command->examples) {
		gemp_text_print(out, "\nExamples:\n");
		lines(out, "  ", command->examples);
	}
	if (command->bit == GEMP_ON_GENERATE)
		print_generators(out);
	if (command->bit == GEMP_ON_IMPORT)
		entries(out, "Formats", 13, gemp_help_formats());
	for (size_t i = 0; (option = gemp_help_next(command, &i));) {
		if (strcmp(group, option->group) != 0)
			gemp_text_print(out, "\n%s:\n", group = option->group);
		print_option(out, option);
	}
}

void gemp_help_overview(gemp_text *out, const gemp_command_table *table)
{
	gemp_text_print(out,
	                "gemp-mpi %s: finds every occurrence of a typed, attributed pattern in a large graph, "
	                "on many GPUs\n\n"
	                "Usage: gemp-mpi COMMAND [ARGUMENTS] [OPTIONS]\n"
	                "       mpirun -n RANKS gemp-mpi COMMAND [ARGUMENTS] [OPTIONS]\n\n"
	                "Commands:\n",
	                GEMP_VERSION);
	for (size_t i = 0; i < table->count; i++) {
		char name[40];
		snprintf(name, sizeof name, "  %s", table->commands[i]->name);
		entry(out, name, COMMAND_COLUMN, table->commands[i]->summary);
	}
	gemp_text_print(out, "\nWithout a command: %s. 'gemp-mpi help COMMAND' explains one.\n", table->commands[0]->name);
	gemp_text_print(out, "\nFirst steps:\n");
	lines(out, "  ",
	      "mpirun -n 4 gemp-mpi\n"
	      "gemp-mpi generate movies -o movies.h5\n"
	      "gemp-mpi info movies.h5\n"
	      "mpirun -n 4 gemp-mpi match movies.h5 'MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person)'\n");
	entries(out, "Exit codes", 6, gemp_help_codes);
	entries(out, "Environment", 19, gemp_help_environment);
}

/* The other ranks build the same text, so that all return the same code. */
gemp_code gemp_help_print(const gemp_context *context, const gemp_text *text)
{
	GEMP_TRY(gemp_text_status(text));
	if (gemp_context_rank(context) == 0)
		fwrite(text->data, 1, text->size, stdout);
	return GEMP_OK;
}

/* Without a command the overview is shown. */
static gemp_code help(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	(void)report;
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	const gemp_command *command = NULL;
	if (options->argument_count) {
		command = gemp_command_find(options->table, options->arguments[0]);
		if (!command)
			return gemp_command_unknown(options->table, options->arguments[0]);
	}
	if (options->as == 1)
		gemp_help_markdown(&text, options->table);
	else if (options->as == 2)
		gemp_help_man(&text, options->table);
	else if (command)
		gemp_help_command(&text, command);
	else
		gemp_help_overview(&text, options->table);
	return gemp_help_print(context, &text);
}

const gemp_command gemp_command_help = {
	.name = "help",
	.bit = GEMP_ON_HELP,
	.arguments = "[COMMAND]",
	.summary = "Explains a command and its options, or lists the commands",
	.text = "",
	.examples = "gemp-mpi help match\ngemp-mpi help --as man | man -l -\n",
	.max_arguments = 1,
	.run = help,
	.plain = true,
};
