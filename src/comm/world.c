#include "comm/world.h"

#include "core/log.h"

#include <stdlib.h>

/* The nearest launcher first: mpirun within a step of SLURM decides, not the step. */
static const struct {
	const char *size, *rank;
} launchers[] = {
	{ "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" }, /* Open MPI's mpirun */
	{ "PMI_SIZE", "PMI_RANK" },                         /* MPICH's mpiexec, srun --mpi=pmi2 */
	{ "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK" },   /* MVAPICH's mpirun_rsh */
	{ "SLURM_STEP_NUM_TASKS", "SLURM_PROCID" },         /* srun; the batch script itself is a step of one task */
};

/* -1: not set, or no number */
static int number(const char *variable)
{
	const char *text = getenv(variable);
	char *end;
	long value = text ? strtol(text, &end, 10) : -1;
	return text && *text && !*end && value >= 0 && value < 1 << 30 ? (int)value : -1;
}

gemp_launch_facts gemp_launch_facts_read(void)
{
	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
		int size = number(launchers[i].size), rank = number(launchers[i].rank);
		if (size >= 1)
			return (gemp_launch_facts){ size, rank > 0 ? rank : 0, launchers[i].size };
	}
	return (gemp_launch_facts){ 0 };
}

void gemp_world_check(const gemp_comm *comm, const gemp_launch_facts *facts)
{
	if (comm->size > 1 || facts->size <= 1 || facts->rank > 0)
		return;
	gemp_warn("%d processes were started (%s), but MPI knows of one: each does the whole job by itself, and they overwrite one "
	          "another's files. Start them by the mpirun of the MPI that gemp-mpi is built with, or by srun --mpi=pmix "
	          "(srun --mpi=list shows what there is)", facts->size, facts->from);
}
