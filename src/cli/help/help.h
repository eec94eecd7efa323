/* help: the text of --help, of the command `help` and of the manual. It is made from the tables of commands and
 * options.
 *
 * There are three forms of help: text for a terminal (help.c), Markdown and a man page (manual.c). All three list the
 * same items in the order of gemp_help_items. */

#ifndef GEMP_CLI_HELP_HELP_H
#define GEMP_CLI_HELP_HELP_H

#include "cli/options/options.h"
#include "core/text.h"

#include <gemp/graph.h>

/* A name and its meaning. */
typedef struct gemp_help_entry {
	const char *name, *meaning;
} gemp_help_entry;
/* Each list ends with a NULL name. Only the manual shows the fields of --json. */
extern const gemp_help_entry gemp_help_codes[], gemp_help_environment[], gemp_help_json[];

/* The functions with which a form of help writes the items of a command. */
typedef struct gemp_help_form {
	void (*heading)(gemp_text *out,
	                /* heading of a group of options, or of the formats; NULL: the form has no headings */
	                const char *title);
	void (*entry)(gemp_text *out, const char *name, const char *meaning);
	void (*generator)(gemp_text *out, const gemp_generator *generator); /* the entries of its parameters follow */
	const char *after_generator;                                        /* text after the parameters of a generator */
	const char *no_letter; /* text in front of an option without a letter, such as blanks of the same width */
} gemp_help_form;

/* Writes the generators with their parameters, the import formats, and the options of a command by groups. */
void gemp_help_items(gemp_text *out, const gemp_command *command, const gemp_help_form *form);

void gemp_help_overview(gemp_text *out, const gemp_command_table *table);
void gemp_help_command(gemp_text *out, const gemp_command *command);
void gemp_help_markdown(gemp_text *out, const gemp_command_table *table); /* docs/command-line.md */
void gemp_help_man(gemp_text *out, const gemp_command_table *table);      /* docs/gemp-mpi.1 */

/* Local; MPI need not be initialised. The launcher's first process prints the text. GEMP_ENOMEM if building the text
 * failed, GEMP_EIO if stdout cannot be written. */
gemp_code gemp_help_print(const gemp_text *text);

/* Writes a line for each form of use of a command. The first line begins with `first`, the other lines with
 * `further`. */
void gemp_help_usage(gemp_text *out, const gemp_command *command, const char *first, const char *further);

#endif
