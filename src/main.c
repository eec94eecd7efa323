/* main: the program gemp-mpi, which is the library (include/gemp) with a command line. A run parses the command line,
 * opens the context, runs the command and returns its code as the exit code.
 *
 * The command line is parsed before MPI starts, since help and usage errors need neither ranks nor devices. All ranks
 * take the same steps and agree on the code of each step, so no rank waits for a rank that has left. Rank 0 prints the
 * message of a failure, once. */

#include "cli/help/help.h"
#include "cli/options/config.h"
#include "cli/report/report_run.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <string.h>

/* All commands in the order of the help. The first one runs when the command line names none. */
static const gemp_command *const commands[] = {
	&gemp_command_demo,    &gemp_command_import,    &gemp_command_generate, &gemp_command_info,
	&gemp_command_match,   &gemp_command_transform, &gemp_command_verify,   &gemp_command_partition,
	&gemp_command_degrees, &gemp_command_edges,     &gemp_command_reverse,  &gemp_command_components,
	&gemp_command_bfs,     &gemp_command_sssp,      &gemp_command_pagerank, &gemp_command_spmv,
	&gemp_command_sort,    &gemp_command_distinct,  &gemp_command_euler,    &gemp_command_som,
	&gemp_command_convert, &gemp_command_assemble,  &gemp_command_devices,  &gemp_command_bench,
	&gemp_command_warm,    &gemp_command_index,     &gemp_command_help,     &gemp_command_completion,
};

/* Local. Returns whether the run needs neither ranks nor devices. */
static bool is_local(const gemp_options *options)
{
	return options->help || options->version || options->command->local;
}

/* Local. --help and --version end the run before the command begins. Without a command, --help shows the overview. */
static gemp_code run_locally(const gemp_options *options, bool overview)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	if (options->version)
		gemp_text_print(&text, "gemp-mpi %s\n", gemp_version());
	else if (!options->help)
		return options->command->run(NULL, options, NULL);
	else if (overview)
		gemp_help_overview(&text, options->table);
	else
		gemp_help_command(&text, options->command);
	return gemp_help_print(&text);
}

/* The run fails if the buffered rest of stdout cannot be written, as on a full disk. */
static gemp_code flush_output(const gemp_context *context)
{
	bool bad = gemp_context_rank(context) == 0 && (fflush(stdout) != 0 || ferror(stdout));
	return bad ? gemp_fail(GEMP_EIO, "stdout: writing failed") : GEMP_OK;
}

/* If several of --debug, --verbose and --quiet are given, the one with the most output has precedence. For a budget of
 * 0 the library chooses a value. */
static void set_context_options(gemp_context_options *how, const gemp_options *options)
{
	how->verbosity = options->quiet ? GEMP_QUIET : GEMP_NORMAL;
	if (options->verbose || options->debug)
		how->verbosity = options->debug ? GEMP_DEBUG : GEMP_VERBOSE;
	how->devices = options->devices;
	how->host_memory = options->host_memory;
	how->device_memory = options->device_memory;
	how->result_buffer = options->result_buffer;
	how->outbox = options->outbox;
	how->trust = options->trust;
	how->row_cache = options->row_cache;
}

/* Collective. Opens the report, runs the command and closes the report. */
static gemp_code run_command(gemp_context *context, const gemp_options *options)
{
	gemp_report *report = NULL;
	GEMP_TRY(gemp_report_begin(&report, context, options));
	return gemp_report_end(report, context, options, options->command->run(context, options, report));
}

/* Local. Finds the command in argv and parses its options. */
static gemp_code parse_command_line(gemp_options **out, const gemp_command_table *table, bool named, int argc,
                                    char **argv)
{
	const gemp_command *command = named ? gemp_command_find(table, argv[1]) : table->commands[0];
	if (!command)
		return gemp_command_unknown(table, argv[1]);
	return gemp_options_parse(out, table, command, argc - named, argv + named);
}

static void print_failure(gemp_code code)
{
	fprintf(stderr, "gemp-mpi: %s%s\n", code == GEMP_STOPPED ? "" : "error: ", gemp_message());
}

/* Collective over MPI_COMM_WORLD. Runs the command. parsed: the code of the parser; if it failed, options are NULL.
 * Rank 0 prints the message of a failure. All ranks return the same code. */
static gemp_code run_on_ranks(gemp_options *options, gemp_code parsed)
{
	gemp_code code = GEMP_OK;
	gemp_context *context = NULL;
	gemp_context_options how;
	gemp_context_options_init(&how);
	how.log = gemp_terminal_log;
	how.progress = gemp_terminal_progress;
	/* Messages about the configuration go to stderr with the default verbosity. */
	GEMP_TRY_DONE(gemp_context_open(&context, MPI_COMM_WORLD, &how));
	GEMP_TRY_DONE(gemp_context_agree(context, parsed));
	GEMP_TRY_DONE(gemp_config_apply(options, context));
	set_context_options(&how, options);
	GEMP_TRY_DONE(gemp_context_configure(context, &how));
	if (options->command->devices && options->argument_count)
		gemp_context_expect_devices(context, options->arguments[0]);
	/* If there is a checkpoint, signals have been noted since the start of the process, and the command stops at its
	 * next step. */
	if (!options->checkpoint)
		gemp_process_on_signal(GEMP_SIGNAL_DEFAULT, NULL);
	code = run_command(context, options);
	if (code == GEMP_OK)
		code = flush_output(context);
	code = gemp_context_agree(context, code);
	/* After a rank has left, mpirun may end slower ranks by a signal. Their work is done, so they must not print that
	 * it is lost. */
	if (!options->checkpoint)
		gemp_process_on_signal(GEMP_SIGNAL_SAY, NULL);
done:
	if (code != GEMP_OK && context && gemp_context_rank(context) == 0)
		print_failure(code);
	gemp_context_close(context);
	return code;
}

/* A run that needs no ranks ends without MPI, whose start takes longer than the run. So does a single process with a
 * usage error. Several processes with a usage error start MPI: once one of them has left with an error, mpirun ends
 * the others, and the first process may not have printed the message. If printing help fails, only the process that
 * prints has failed. It must not start MPI, since the other processes have left. */
int main(int argc, char **argv)
{
	static const gemp_command_table table = { sizeof commands / sizeof *commands, commands };
	gemp_options *options = NULL;
	bool named = argc > 1 && argv[1][0] != '-';
	int size;
	gemp_process_launched(&size);
	gemp_code code = parse_command_line(&options, &table, named, argc, argv);
	bool local = code == GEMP_OK && is_local(options);
	if (local)
		code = run_locally(options, !named);
	bool fails_everywhere = code != GEMP_OK && (!local || code == GEMP_EUSAGE);
	if (fails_everywhere ? size == 1 : local) {
		if (code != GEMP_OK)
			print_failure(code);
	} else {
		if (options && options->command != &gemp_command_devices)
			gemp_process_choose_drivers(options->devices);
		gemp_code begun = gemp_process_begin(&argc, &argv);
		code = (gemp_code)gemp_process_end(begun == GEMP_OK ? run_on_ranks(options, code) : begun);
	}
	gemp_options_free(options);
	return (int)code;
}
