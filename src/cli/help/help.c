/* help: the order of items in every form of help, and the form for terminals.
 *
 * The text is complete before rank 0 prints it, so a failure prints nothing. Lines wrap at WIDTH columns on every
 * terminal; the same help everywhere can be compared and searched. The names have a column of their own. If a name is
 * too long for this column, its meaning begins on the next line. */

#include "cli/help/help.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 100, OPTION_COLUMN = 30, COMMAND_COLUMN = 14 };

/* The values of gemp_code (include/gemp/status.h). */
const gemp_help_entry gemp_help_codes[] = {
	{ "0", "Success, even if there are no matches." },
	{ "2", "Error in the command line or the query." },
	{ "65", "Bad input data." },
	{ "66", "An input file is missing or cannot be read." },
	{ "69", "No OpenCL device." },
	{ "70", "Internal error, of the program or a driver." },
	{ "71", "Out of memory on host or device." },
	{ "74", "Reading or writing failed." },
	{ "75", "match, transform, som train: stopped early with finished work saved; --resume continues." },
	{ NULL, NULL },
};

const gemp_help_entry gemp_help_environment[] = {
	{ "GEMP_CACHE_DIR", "Folder for compiled kernels; empty: no cache. Default: $XDG_CACHE_HOME/gemp-mpi or "
	                    "~/.cache/gemp-mpi." },
	{ "GEMP_DEVICE_EXCHANGE", "host: GPUs of a node exchange through memory of the host and do not read each other's "
	                          "memory. Default: directly where possible." },
	{ "GEMP_KERNEL_DIR", "Folder with .cl and .clh files that replace the built-in kernels." },
	{ NULL, NULL },
};

/* Adds the words of `text` and a line end. The cursor is at column `at`. Continuation lines begin at column
 * `indent`. */
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

/* Adds a name, indented by 2. A long list of words, such as the formats of import, wraps behind a | and continues at
 * `column`. Returns the column of the cursor. */
static size_t print_name(gemp_text *out, const char *name, size_t column)
{
	size_t at = 2;
	gemp_text_print(out, "  ");
	while (*name) {
		size_t size = strcspn(name, "|");
		size += name[size] == '|';
		if (at > column && at + size > WIDTH) {
			gemp_text_print(out, "\n%*s", (int)column, "");
			at = column;
		}
		gemp_text_print(out, "%.*s", (int)size, name);
		at += size;
		name += size;
	}
	return at;
}

/* Adds a line with a name and its meaning from `column` on. */
static void print_entry(gemp_text *out, const char *name, size_t column, const char *meaning)
{
	size_t at = print_name(out, name, column);
	if (at + 2 > column) {
		gemp_text_print(out, "\n");
		at = 0;
	}
	gemp_text_print(out, "%*s", (int)(column - at), "");
	wrap(out, column, column, meaning);
}

/* Adds a heading and the entries of a list, which ends with a NULL name. */
static void print_entries(gemp_text *out, const char *heading, size_t column, const gemp_help_entry *list)
{
	gemp_text_print(out, "\n%s:\n", heading);
	for (; list->name; list++)
		print_entry(out, list->name, column, list->meaning);
}

/* Only the library knows the formats, so this list and the choices of --format are made from its table. */
static void print_formats(gemp_text *out, const gemp_help_form *form)
{
	const char *name, *endings, *summary;
	if (form->heading)
		form->heading(out, "Formats");
	for (size_t i = 0; gemp_import_format_at(i, &name, &endings, &summary); i++) {
		char meaning[200];
		snprintf(meaning, sizeof meaning, "%s%s%s%s.", summary, *endings ? " (" : "", endings, *endings ? ")" : "");
		form->entry(out, name, meaning);
	}
}

/* Adds an entry such as "-o, --output FILE" with the meaning and the default. */
static void print_option(gemp_text *out, const gemp_option *option, const gemp_help_form *form)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text name = { 0 }, meaning = { 0 };
	if (option->letter)
		gemp_text_print(&name, "-%c, ", option->letter);
	else
		gemp_text_print(&name, "%s", form->no_letter);
	gemp_text_print(&name, "--%s", option->name);
	if (option->value)
		gemp_text_print(&name, " %s", option->value);
	gemp_text_print(&meaning, "%s", option->help);
	if (option->default_text)
		gemp_text_print(&meaning, " Default: %s.", option->default_text);
	if (name.failed || meaning.failed)
		out->failed = true;
	else
		form->entry(out, name.data, meaning.data);
}

/* A parameter of a generator is shown like an option. */
static void print_generators(gemp_text *out, const gemp_help_form *form)
{
	size_t count;
	const gemp_generator *generator = gemp_generators(&count);
	for (size_t g = 0; g < count; g++, generator++) {
		form->generator(out, generator);
		for (size_t p = 0; p < generator->parameter_count; p++) {
			const gemp_parameter *parameter = &generator->parameters[p];
			char value[64], default_text[64], meaning[512];
			gemp_parameter_form(value, sizeof value, parameter);
			gemp_parameter_default(default_text, sizeof default_text, parameter);
			snprintf(meaning, sizeof meaning, "%s.", parameter->meaning);
			const gemp_option option = {
				.name = parameter->name, .value = value, .default_text = default_text, .help = meaning
			};
			print_option(out, &option, form);
		}
		gemp_text_print(out, "%s", form->after_generator);
	}
}

/* The table of options also has the parameters, for parsing. They are shown only with their generators. */
void gemp_help_items(gemp_text *out, const gemp_command *command, const gemp_help_form *form)
{
	const char *group = "";
	const gemp_option *option;
	if (command->bit == GEMP_ON_GENERATE)
		print_generators(out, form);
	if (command->bit == GEMP_ON_IMPORT)
		print_formats(out, form);
	for (size_t i = 0; (option = gemp_option_next(command, &i));) {
		if (option->kind == GEMP_OPTION_PARAMETER)
			continue;
		if (form->heading && strcmp(group, option->group) != 0)
			form->heading(out, group = option->group);
		print_option(out, option, form);
	}
}

/* TERMINAL */

static void text_heading(gemp_text *out, const char *title)
{
	gemp_text_print(out, "\n%s:\n", title);
}

static void text_entry(gemp_text *out, const char *name, const char *meaning)
{
	print_entry(out, name, OPTION_COLUMN, meaning);
}

/* Adds the name of a generator and what it makes, wrapped. Its parameters follow. */
static void text_generator(gemp_text *out, const gemp_generator *generator)
{
	gemp_text_print(out, "\n%s: ", generator->name);
	wrap(out, strlen(generator->name) + 2, 2, generator->meaning);
}

static const gemp_help_form text_form = { text_heading, text_entry, text_generator, "", "    " };

/* The examples and first steps of the overview. */
static void print_indented(gemp_text *out, const char *lines)
{
	int size;
	while (*lines) {
		const char *line = gemp_next_line(&lines, &size);
		gemp_text_print(out, "  %.*s\n", size, line);
	}
}

void gemp_help_usage(gemp_text *out, const gemp_command *command, const char *first, const char *further)
{
	const char *rest = command->arguments, *before = first;
	do {
		int size;
		const char *form = gemp_next_line(&rest, &size);
		gemp_text_print(out, "%sgemp-mpi %s%s%.*s [OPTIONS]\n", before, command->name, size ? " " : "", size, form);
		before = further;
	} while (*rest);
}

/* Each line of a command's text is a paragraph. */
static void print_paragraphs(gemp_text *out, const char *text)
{
	while (*text) {
		char paragraph[2048];
		int size;
		const char *line = gemp_next_line(&text, &size);
		snprintf(paragraph, sizeof paragraph, "%.*s", size, line);
		gemp_text_print(out, "\n");
		wrap(out, 0, 0, paragraph);
	}
}

void gemp_help_command(gemp_text *out, const gemp_command *command)
{
	gemp_text_print(out, "%s.\n\n", command->summary);
	gemp_help_usage(out, command, "Usage: ", "       ");
	print_paragraphs(out, command->text);
	if (*command->examples) {
		gemp_text_print(out, "\nExamples:\n");
		print_indented(out, command->examples);
	}
	gemp_help_items(out, command, &text_form);
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
	for (size_t i = 0; i < table->count; i++)
		print_entry(out, table->commands[i]->name, COMMAND_COLUMN, table->commands[i]->summary);
	gemp_text_print(out, "\nWithout a command: %s. 'gemp-mpi help COMMAND' explains a command.\n",
	                table->commands[0]->name);
	gemp_text_print(out, "\nFirst steps:\n");
	print_indented(
		out, "mpirun -n 4 gemp-mpi\n"
			 "gemp-mpi generate movies -o movies.h5\n"
			 "gemp-mpi info movies.h5\n"
			 "mpirun -n 4 gemp-mpi match movies.h5 'MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person)'\n");
	print_entries(out, "Exit codes", 6, gemp_help_codes);
	print_entries(out, "Environment", 19, gemp_help_environment);
}

gemp_code gemp_help_print(const gemp_text *text)
{
	GEMP_TRY(gemp_text_status(text));
	if (gemp_process_launched(NULL) > 0)
		return GEMP_OK;
	bool bad = fwrite(text->data, 1, text->size, stdout) != text->size || fflush(stdout) != 0;
	return bad ? gemp_fail(GEMP_EIO, "stdout: writing failed") : GEMP_OK;
}

/* Some commands have a first word that says what they do, such as `train`. It begins a line of their usage. */
static gemp_code check_word(const gemp_command *command, const char *word)
{
	const size_t length = strlen(word);
	for (const char *line = command->arguments; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == '\0'))
			return GEMP_OK;
	}
	return gemp_fail(GEMP_EUSAGE, "no usage of %s begins with '%s' ('gemp-mpi help %s' shows all)", command->name, word,
	                 command->name);
}

/* --as markdown and --as man print all commands, with or without an argument. */
static gemp_code help(gemp_context *context, const gemp_options *options, gemp_report *report)
{
	(void)context, (void)report;
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	const gemp_command *command = NULL;
	if (options->argument_count) {
		command = gemp_command_find(options->table, options->arguments[0]);
		if (!command)
			return gemp_command_unknown(options->table, options->arguments[0]);
		if (options->argument_count > 1)
			GEMP_TRY(check_word(command, options->arguments[1]));
	}
	if (options->as == 1)
		gemp_help_markdown(&text, options->table);
	else if (options->as == 2)
		gemp_help_man(&text, options->table);
	else if (command)
		gemp_help_command(&text, command);
	else
		gemp_help_overview(&text, options->table);
	return gemp_help_print(&text);
}

const gemp_command gemp_command_help = {
	.name = "help",
	.bit = GEMP_ON_HELP,
	.arguments = "[COMMAND [WORD]]",
	.summary = "Explains a command and its options, or lists the commands",
	.text = "",
	.examples = "gemp-mpi help match\ngemp-mpi help som train\ngemp-mpi help --as man | man -l -\n",
	.argument_count = { 0, 2 },
	.run = help,
	.local = true,
};
