#include "cli/options/command_line.h"
#include "comm/session.h"
#include "comm/world.h"
#include "core/signals.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The first one runs when no command is named. */
static const gemp_command *const commands[] = {
	&gemp_command_demo,    &gemp_command_import,     &gemp_command_generate, &gemp_command_info,
	&gemp_command_match,   &gemp_command_transform,  &gemp_command_verify,   &gemp_command_partition,
	&gemp_command_degrees, &gemp_command_edges,      &gemp_command_reverse,  &gemp_command_components,
	&gemp_command_bfs,     &gemp_command_sssp,       &gemp_command_pagerank, &gemp_command_spmv,
	&gemp_command_sort,    &gemp_command_distinct,   &gemp_command_euler,    &gemp_command_som,
	&gemp_command_convert, &gemp_command_assemble,   &gemp_command_devices,  &gemp_command_bench,
	&gemp_command_help,    &gemp_command_completion,
};

/* MPI_Init looks at the machine with hwloc, which would ask OpenCL, too: that takes a tenth of a second, and PoCL would settle
 * for a cache folder before device/cache.h could give this process one of its own. */
static void keep_hwloc_from_opencl(void)
{
	setenv("HWLOC_COMPONENTS", "-opencl", 0);
}

int main(int argc, char **argv)
{
	static const gemp_command_table table = { sizeof commands / sizeof *commands, commands };
	int provided;
	gemp_comm comm;
	keep_hwloc_from_opencl();
	signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit of its size is an error of writing, as a full disk is */
	gemp_session_begin();
	gemp_signals_record(); /* until it is known whether the command can be stopped */
	gemp_launcher_info launch = gemp_launcher_info_read();
	GEMP_MPI(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided));
	gemp_signals_catch_fatal(); /* Open MPI tells of faults, if nobody else does before */
	gemp_comm_new(&comm, MPI_COMM_WORLD);
	gemp_world_check(&comm, &launch);
	gemp_comm_share_cores(&comm);
	gemp_code code = gemp_command_line(&comm, &table, argc, argv);
	if (code != GEMP_OK && comm.rank == 0)
		fprintf(stderr, "gemp-mpi: %s%s\n", code == GEMP_STOPPED ? "" : "error: ", gemp_message());
	/* mpirun ends the job when a rank exits with a code while others are still finishing. */
	uint64_t leave = gemp_comm_no_finalize;
	gemp_comm_max(&comm, &leave, 1);
	gemp_comm_free(&comm);
	if (leave) {
		fflush(NULL);
		gemp_session_end();
		_exit((int)code);
	}
	MPI_Finalize();
	gemp_session_end();
	return (int)code;
}
