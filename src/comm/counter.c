#include "comm/counter.h"

#include "comm/shared.h"

/* Windows begin anywhere, but on all ranks alike as far as a page goes. */
static gemp_counter *aligned(void *window)
{
	uintptr_t line = _Alignof(gemp_counter);
	return (gemp_counter *)(((uintptr_t)window + line - 1) / line * line);
}

/* In memory of the node's rank 0, or where there is no room in memory of this rank alone. */
static void make(gemp_comm *comm)
{
	const size_t bytes = (GEMP_MOST_COUNTERS + 1) * sizeof(gemp_counter);
	bool alone = !gemp_shared_room(comm, bytes);
	MPI_Aint size = alone || comm->node_rank == 0 ? (MPI_Aint)bytes : 0;
	int unit = sizeof(gemp_counter);
	void *mine;
	GEMP_MPI(MPI_Win_allocate_shared(size, unit, MPI_INFO_NULL, alone ? MPI_COMM_SELF : comm->node, &mine,
	                                 &comm->counter_window));
	GEMP_MPI(MPI_Win_shared_query(comm->counter_window, 0, &size, &unit, &mine));
	GEMP_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, comm->counter_window));
	comm->counters = aligned(mine);
	for (int i = 0; (alone || comm->node_rank == 0) && i < GEMP_MOST_COUNTERS; i++)
		comm->counters[i].step = alone ? (uint64_t)comm->node_size : 1;
	GEMP_MPI(MPI_Barrier(comm->node));
}

gemp_counter *gemp_counter_open(gemp_comm *comm)
{
	if (!comm->counters)
		make(comm);
	GEMP_CHECK(comm->counters_open < GEMP_MOST_COUNTERS);
	gemp_counter *counter = &comm->counters[comm->counters_open++];
	bool alone = counter->step > 1;
	if (alone || comm->node_rank == 0)
		atomic_store(&counter->next, alone ? (uint64_t)comm->node_rank : 0);
	GEMP_MPI(MPI_Barrier(comm->node));
	return counter;
}

void gemp_counter_free(gemp_comm *comm)
{
	if (!comm->counters)
		return;
	GEMP_MPI(MPI_Win_unlock_all(comm->counter_window));
	GEMP_MPI(MPI_Win_free(&comm->counter_window));
	comm->counters = NULL;
}

void gemp_counter_close(gemp_comm *comm)
{
	GEMP_CHECK(comm->counters_open > 0);
	comm->counters_open--;
}
