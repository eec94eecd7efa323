#include "cli/options/command_line.h"

#include "cli/help/help.h"
#include "core/log.h"
#include "core/signals.h"

#include <stdio.h>
#include <string.h>

static gemp_code print_help(const gemp_comm *comm, const gemp_options *options, bool overview)
{
	gemp_text text = { 0 };
	if (options->version)
		gemp_text_print(&text, "gemp-mpi %s\n", GEMP_VERSION);
	else if (overview)
		gemp_help_overview(&text, options->table);
	else
		gemp_help_command(&text, options->command);
	gemp_code code = gemp_text_status(&text);
	if (code == GEMP_OK && comm->rank == 0)
		fwrite(text.data, 1, text.size, stdout);
	gemp_text_free(&text);
	return code;
}

static gemp_verbosity level_of(const gemp_options *options)
{
	if (options->debug)
		return GEMP_DEBUG;
	if (options->verbose)
		return GEMP_VERBOSE;
	return options->quiet ? GEMP_QUIET : GEMP_NORMAL;
}

/* What stdio still holds may not fit on the disk: then the run has failed. */
static gemp_code flush_output(const gemp_comm *comm)
{
	bool bad = comm->rank == 0 && (fflush(stdout) != 0 || ferror(stdout));
	return bad ? gemp_fail(GEMP_EIO, "stdout: writing failed") : GEMP_OK;
}

gemp_code gemp_command_line(gemp_comm *comm, const gemp_command_table *table, int argc, char **argv)
{
	gemp_code code = GEMP_OK;
	gemp_options *options = NULL;
	const gemp_command *command = table->commands[0];
	bool named = argc > 1 && argv[1][0] != '-';
	gemp_log_setup(comm->rank, GEMP_NORMAL);
	if (named) {
		command = gemp_command_find(table, argv[1]);
		code = command ? GEMP_OK : gemp_command_unknown(table, argv[1]);
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_options_new(&options, comm, table, command, argc - named, argv + named));
	gemp_log_setup(comm->rank, level_of(options));
	if (!options->checkpoint)
		gemp_signals_restore();
	if (options->help || options->version)
		code = print_help(comm, options, !named);
	else
		code = command->run(comm, options);
	if (code == GEMP_OK)
		code = flush_output(comm);
	code = gemp_comm_agree(comm, code);
	if (!options->checkpoint)
		gemp_signals_set_message(NULL); /* done: mpirun ends ranks that take longer than one which leaves with a code */
done:
	gemp_options_free(options);
	return code;
}
