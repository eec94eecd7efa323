#include "comm/cores.h"

#include "core/threads.h"

#include <sched.h>
#include <string.h>

void gemp_comm_share_cores(const gemp_comm *comm)
{
	cpu_set_t own, other;
	unsigned alike = 0;
	memset(&own, 0, sizeof own);
	if (sched_getaffinity(0, sizeof own, &own) != 0)
		CPU_SET(0, &own);
	for (int r = 0; r < comm->node_size; r++) { /* in turns, so that no memory is needed that might not be there */
		other = own;
		GEMP_MPI(MPI_Bcast(&other, sizeof other, MPI_BYTE, r, comm->node));
		alike += CPU_EQUAL(&own, &other) != 0;
	}
	unsigned cores = (unsigned)CPU_COUNT(&own) / alike;
	gemp_threads_limit(cores ? cores : 1);
}
