/* help: what --help, `help` and the manual say, made of the tables of commands and options. */

#ifndef GEMP_CLI_HELP_HELP_H
#define GEMP_CLI_HELP_HELP_H

#include "cli/options/options.h"
#include "core/text.h"

#include <gemp/graph.h>

/* Exit codes and environment, for every form of help; fields of --json, for the manual. */
typedef struct gemp_help_entry {
	const char *name, *meaning;
} gemp_help_entry;
extern const gemp_help_entry gemp_help_codes[], gemp_help_environment[], gemp_help_json[]; /* end with a NULL name */

void gemp_help_overview(gemp_text *out, const gemp_command_table *table);
void gemp_help_command(gemp_text *out, const gemp_command *command);
void gemp_help_markdown(gemp_text *out, const gemp_command_table *table); /* docs/command-line.md */
void gemp_help_man(gemp_text *out, const gemp_command_table *table);      /* docs/gemp-mpi.1 */
void gemp_help_bash(gemp_text *out, const gemp_command_table *table);     /* completion */

/* The formats that import reads, with their endings; ends with a NULL name. */
const gemp_help_entry *gemp_help_formats(void);

/* Local. Rank 0 prints the text; GEMP_ENOMEM if building it failed. */
gemp_code gemp_help_print(const gemp_context *context, const gemp_text *text);

/* "--json FILE", "--count". */
void gemp_help_option_name(gemp_text *out, const gemp_option *option);
/* The next option of a command at or after *index, or NULL; *index moves past it. Options of a group follow one
 * another, and parameters of generators are left out: gemp_generators() says more about them. */
const gemp_option *gemp_help_next(const gemp_command *command, size_t *index);

#endif
