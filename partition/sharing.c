#include "partition/sharing.h"

#include "core/log.h"
#include "device/identity.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PLACE_SIZE = 320 };

/* Ranks of the node show their texts in turn, so that no memory is needed that might not be there. */
static void compare(const gemp_comm *comm, gemp_device_pick *pick)
{
	char own[GEMP_IDENTITY_SIZE], other[GEMP_IDENTITY_SIZE];
	gemp_device_identity(own, &pick->info, pick->index);
	pick->shared_by = pick->position = 0;
	for (int r = 0; r < comm->node_size; r++) {
		memcpy(other, own, sizeof own);
		GEMP_MPI(MPI_Bcast(other, sizeof other, MPI_CHAR, r, comm->node));
		bool same = strcmp(own, other) == 0;
		pick->shared_by += same;
		pick->position += same && r < comm->node_rank;
	}
}

static void describe(char out[PLACE_SIZE], const gemp_device_pick *pick)
{
	char host[64] = "this machine";
	gethostname(host, sizeof host - 1);
	const char *place = pick->info.pci[0] ? pick->info.pci : pick->info.uuid;
	memset(out, 0, PLACE_SIZE);
	snprintf(out, PLACE_SIZE, "%.60s share the GPU %s%s%s", host, pick->info.name, place[0] ? ", " : "", place);
}

/* Collective. Rank 0 speaks of the GPU with most ranks, wherever it is. */
static void warn(const gemp_comm *comm, const gemp_device_pick *pick)
{
	struct { int ranks, rank; } mine = { pick->info.gpu ? pick->shared_by : 0, comm->rank }, most;
	char text[PLACE_SIZE];
	GEMP_MPI(MPI_Allreduce(&mine, &most, 1, MPI_2INT, MPI_MAXLOC, comm->world));
	if (most.ranks < 2)
		return;
	describe(text, pick);
	GEMP_MPI(MPI_Bcast(text, sizeof text, MPI_CHAR, most.rank, comm->world));
	gemp_warn("%d ranks on %s; as many ranks as GPUs are faster. `gemp-mpi devices` shows which rank has which", most.ranks,
	          text);
}

void gemp_sharing_find(const gemp_comm *comm, gemp_device_pick *pick)
{
	compare(comm, pick);
	warn(comm, pick);
}
