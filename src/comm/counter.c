#include "comm/counter.h"

/* Rank 0 of the node has the memory. */
static void make(gemp_comm *comm)
{
	MPI_Aint size = comm->node_rank ? 0 : GEMP_MOST_COUNTERS * (MPI_Aint)sizeof(gemp_counter);
	int unit = sizeof(gemp_counter);
	void *mine;
	GEMP_MPI(MPI_Win_allocate_shared(size, unit, MPI_INFO_NULL, comm->node, &mine, &comm->counter_window));
	GEMP_MPI(MPI_Win_shared_query(comm->counter_window, 0, &size, &unit, &mine));
	GEMP_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, comm->counter_window));
	comm->counters = mine;
}

gemp_counter *gemp_counter_open(gemp_comm *comm)
{
	if (!comm->counters)
		make(comm);
	GEMP_CHECK(comm->counters_open < GEMP_MOST_COUNTERS);
	gemp_counter *counter = &comm->counters[comm->counters_open++];
	if (comm->node_rank == 0)
		atomic_store(&counter->next, 0);
	GEMP_MPI(MPI_Barrier(comm->node));
	return counter;
}

void gemp_counter_close(gemp_comm *comm)
{
	GEMP_CHECK(comm->counters_open > 0);
	comm->counters_open--;
}
