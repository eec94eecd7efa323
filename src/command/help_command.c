#include "command/help.h"

#include <stdio.h>

static gemp_code help(gemp_comm *comm, const gemp_options *options)
{
	gemp_text text = { 0 };
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
	gemp_code code = gemp_text_status(&text);
	if (code == GEMP_OK && comm->rank == 0)
		fwrite(text.data, 1, text.size, stdout);
	gemp_text_free(&text);
	return code;
}

const gemp_command gemp_command_help = {
	.name = "help",
	.bit = GEMP_ON_HELP,
	.arguments = "[COMMAND]",
	.summary = "Explains a command and its options, or lists the commands",
	.text = "",
	.examples = "gemp-mpi help match\ngemp-mpi help --as man | man -l -\n",
	.least = 0,
	.most = 1,
	.run = help,
};
