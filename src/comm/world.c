#include "comm/world.h"

#include "comm/shared.h"
#include "core/log.h"
#include "core/threads.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Errors are returned so that GEMP_MPI can name the call before it aborts. */
void gemp_comm_new(gemp_comm *comm, MPI_Comm parent)
{
	GEMP_MPI(MPI_Comm_dup(parent, &comm->world));
	GEMP_MPI(MPI_Comm_set_errhandler(comm->world, MPI_ERRORS_RETURN));
	GEMP_MPI(MPI_Comm_rank(comm->world, &comm->rank));
	GEMP_MPI(MPI_Comm_size(comm->world, &comm->size));
	GEMP_MPI(MPI_Comm_split_type(comm->world, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &comm->node));
	GEMP_MPI(MPI_Comm_rank(comm->node, &comm->node_rank));
	GEMP_MPI(MPI_Comm_size(comm->node, &comm->node_size));
	comm->counters = NULL;
	comm->counters_open = 0;
}

void gemp_comm_free(gemp_comm *comm)
{
	gemp_counter_free(comm);
	GEMP_MPI(MPI_Comm_free(&comm->node));
	GEMP_MPI(MPI_Comm_free(&comm->world));
}

/* The innermost launcher first: inside a SLURM step mpirun decides, not the step. */
static const struct {
	const char *size, *rank;
} launchers[] = {
	{ "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" }, /* Open MPI's mpirun */
	{ "PMI_SIZE", "PMI_RANK" },                         /* MPICH's mpiexec, srun --mpi=pmi2 */
	{ "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK" },   /* MVAPICH's mpirun_rsh */
	{ "SLURM_STEP_NUM_TASKS", "SLURM_PROCID" },         /* srun; the batch script itself is a step of one task */
};

/* -1: not set, or no number */
static int number_from(const char *variable)
{
	const char *text = getenv(variable);
	char *end;
	long value = text ? strtol(text, &end, 10) : -1;
	return text && *text && !*end && value >= 0 && value < 1 << 30 ? (int)value : -1;
}

gemp_launcher_info gemp_launcher_info_read(void)
{
	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
		int size = number_from(launchers[i].size), rank = number_from(launchers[i].rank);
		if (size >= 1)
			return (gemp_launcher_info){ size, rank > 0 ? rank : 0, launchers[i].size };
	}
	return (gemp_launcher_info){ 0 };
}

void gemp_world_check(const gemp_comm *comm, const gemp_launcher_info *facts)
{
	if (comm->size > 1 || facts->size <= 1 || facts->rank > 0)
		return;
	gemp_warn(
		"%d processes were started (%s), but MPI knows of one: each does the whole job by itself, and they overwrite one "
		"another's files. Start them by the mpirun of the MPI that gemp-mpi is built with, or by srun --mpi=pmix "
		"(srun --mpi=list shows what there is)",
		facts->size, facts->from);
}

/* Ranks with equal affinity masks share their cores; masks that only overlap are not handled, since launchers bind
 * to equal or disjoint sets. */
void gemp_comm_share_cores(const gemp_comm *comm)
{
	cpu_set_t own, other;
	unsigned sharers = 0;
	memset(&own, 0, sizeof own);
	if (sched_getaffinity(0, sizeof own, &own) != 0)
		CPU_SET(0, &own);
	for (int r = 0; r < comm->node_size; r++) { /* one broadcast a rank needs no array of all sets */
		other = own;
		GEMP_MPI(MPI_Bcast(&other, sizeof other, MPI_BYTE, r, comm->node));
		sharers += CPU_EQUAL(&own, &other) != 0;
	}
	unsigned cores = (unsigned)CPU_COUNT(&own) / sharers;
	gemp_threads_limit(cores ? cores : 1);
}
