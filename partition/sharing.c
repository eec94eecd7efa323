#include "partition/sharing.h"

#include "core/log.h"
#include "core/threads.h"
#include "device/identity.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PLACE_SIZE = 320 };

/* What ranks of a node show one another. */
typedef struct card {
	char identity[GEMP_IDENTITY_SIZE];
	cpu_set_t cores; /* that the rank may run on */
} card;

static void fill(card *own, const gemp_device_pick *pick)
{
	memset(own, 0, sizeof *own);
	gemp_device_identity(own->identity, &pick->info, pick->index);
	if (sched_getaffinity(0, sizeof own->cores, &own->cores) != 0)
		CPU_ZERO(&own->cores);
}

static unsigned part(const cpu_set_t *cores, unsigned ranks)
{
	unsigned count = (unsigned)CPU_COUNT(cores);
	return count && count < ranks ? 1 : count / ranks;
}

/* Ranks that are bound to the same cores share these. In turns, so that no memory is needed that might not be there. */
static unsigned compare(const gemp_comm *comm, gemp_device_pick *pick)
{
	card own, other;
	unsigned bound_alike = 0, on_device = 0;
	fill(&own, pick);
	pick->shared_by = pick->position = 0;
	for (int r = 0; r < comm->node_size; r++) {
		other = own;
		GEMP_MPI(MPI_Bcast(&other, sizeof other, MPI_BYTE, r, comm->node));
		bool same = strcmp(own.identity, other.identity) == 0, alike = CPU_EQUAL(&own.cores, &other.cores);
		pick->shared_by += same;
		pick->position += same && r < comm->node_rank;
		bound_alike += alike;
		on_device += same && alike;
	}
	pick->cores = part(&own.cores, on_device);
	return part(&own.cores, bound_alike);
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
	unsigned cores = compare(comm, pick);
	gemp_threads_limit(cores ? cores : 1);
	warn(comm, pick);
}
