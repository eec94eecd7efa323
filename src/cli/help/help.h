/* help: the output of --help, `help` and the manual, made from the tables of commands and options.
 *
 * There are three forms of help: text for a terminal (help.c), Markdown and a man page (manual.c). All of them list the
 * same items in the same order, which gemp_help_items walks through.
 */

#ifndef GEMP_CLI_HELP_HELP_H
#define GEMP_CLI_HELP_HELP_H

#include "cli/options/options.h"
#include "core/text.h"

#include <gemp/graph.h>

/* A name and its meaning. */
typedef struct gemp_help_entry {
	const char *name, *meaning;
} gemp_help_entry;
/* Lists that end with a NULL name; the manual alone has the fields of --json. */
extern const gemp_help_entry gemp_help_codes[], gemp_help_environment[], gemp_help_json[];

/* How a form of help writes the items of a command. */
typedef struct gemp_help_form {
	void (*heading)(gemp_text *out,
	                const char *title); /* of a group of options, or of the formats; NULL: no headings */
	void (*entry)(gemp_text *out, const char *name, const char *meaning);
	void (*generator)(gemp_text *out, const gemp_generator *generator); /* entries of its parameters follow */
	const char *after_generator;                                        /* text that ends its parameters */
	const char *no_letter; /* text before the name of an option without a letter, such as blanks of its width */
} gemp_help_form;

/* The generators with their parameters, the formats of import, and the options of a command by groups. */
void gemp_help_items(gemp_text *out, const gemp_command *command, const gemp_help_form *form);

void gemp_help_overview(gemp_text *out, const gemp_command_table *table);
void gemp_help_command(gemp_text *out, const gemp_command *command);
void gemp_help_markdown(gemp_text *out, const gemp_command_table *table); /* docs/command-line.md */
void gemp_help_man(gemp_text *out, const gemp_command_table *table);      /* docs/gemp-mpi.1 */

/* Local. Rank 0 prints the text; GEMP_ENOMEM if building it failed. */
gemp_code gemp_help_print(const gemp_context *context, const gemp_text *text);

/* A line for each form of use of a command, after `first` or `further`. */
void gemp_help_usage(gemp_text *out, const gemp_command *command, const char *first, const char *further);

#endif
