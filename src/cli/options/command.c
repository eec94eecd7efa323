/* command: finds commands and subcommands by name, and explains wrong ones. */

#include "cli/options/command.h"

#include "core/memory.h"
#include "core/text.h"

#include <string.h>

const gemp_command *gemp_command_find(const gemp_command_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (strcmp(table->commands[i]->name, name) == 0)
			return table->commands[i];
	return NULL;
}

/* The message lists all commands, since a user who misspells a command may not know its name. */
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

/* Each line of `arguments` is a form of use. */
gemp_code gemp_command_misused(const gemp_command *command)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text forms = { 0 };
	int size;
	for (const char *rest = command->arguments; *rest;) {
		const char *form = gemp_next_line(&rest, &size);
		gemp_text_print(&forms, "%s%.*s", forms.size ? ", or " : "", size, form);
	}
	GEMP_TRY(gemp_text_status(&forms));
	return gemp_fail(GEMP_EUSAGE, "%s needs %s ('gemp-mpi help %s' shows how)", command->name, forms.data,
	                 command->name);
}

const char *gemp_next_line(const char **text, int *size)
{
	const char *line = *text;
	*size = (int)strcspn(line, "\n");
	*text += *size + (line[*size] == '\n');
	return line;
}
