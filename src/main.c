/* The program gemp-mpi: the library (include/gemp) with a command line. */

#include "cli/options/command.h"

/* All commands, in the order of the help. The first one runs when the command line names none. */
static const gemp_command *const commands[] = {
	&gemp_command_demo,    &gemp_command_import,     &gemp_command_generate, &gemp_command_info,
	&gemp_command_match,   &gemp_command_transform,  &gemp_command_verify,   &gemp_command_partition,
	&gemp_command_degrees, &gemp_command_edges,      &gemp_command_reverse,  &gemp_command_components,
	&gemp_command_bfs,     &gemp_command_sssp,       &gemp_command_pagerank, &gemp_command_spmv,
	&gemp_command_sort,    &gemp_command_distinct,   &gemp_command_euler,    &gemp_command_som,
	&gemp_command_convert, &gemp_command_assemble,   &gemp_command_devices,  &gemp_command_bench,
	&gemp_command_help,    &gemp_command_completion,
};

int main(int argc, char **argv)
{
	static const gemp_command_table table = { sizeof commands / sizeof *commands, commands };
	gemp_code code = gemp_process_begin(&argc, &argv);
	if (code == GEMP_OK)
		code = gemp_command_line(&table, argc, argv);
	return gemp_process_end(code);
}
