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

/* One of rank r's devices, beside this rank's. */
static void count_on(gemp_device_pick *picks, size_t count, const card *own, const card *other, bool lower)
{
	char identity[GEMP_IDENTITY_SIZE];
	for (size_t k = 0; k < count; k++) {
		gemp_device_identity(identity, &picks[k].info, picks[k].index);
		bool same = strcmp(identity, other->identity) == 0;
		picks[k].shared_by += same;
		picks[k].position += same && lower;
		picks[k].cores += same && CPU_EQUAL(&own->cores, &other->cores);
	}
}

/* Ranks that are bound to the same cores share these. In turns, so that no memory is needed that might not be there. */
static unsigned compare(const gemp_comm *comm, gemp_device_pick *picks, size_t count)
{
	card own, other;
	unsigned bound_alike = 0;
	fill(&own, &picks[0]);
	for (size_t k = 0; k < count; k++) {
		picks[k].shared_by = picks[k].position = 0;
		picks[k].cores = 0;
	}
	for (int r = 0; r < comm->node_size; r++) {
		uint64_t devices = count;
		GEMP_MPI(MPI_Bcast(&devices, 1, MPI_UINT64_T, r, comm->node));
		for (uint64_t k = 0; k < devices; k++) {
			if (r == comm->node_rank)
				fill(&other, &picks[k]);
			GEMP_MPI(MPI_Bcast(&other, sizeof other, MPI_BYTE, r, comm->node));
			count_on(picks, count, &own, &other, r < comm->node_rank);
		}
		bound_alike += CPU_EQUAL(&own.cores, &other.cores);
	}
	for (size_t k = 0; k < count; k++) /* until here ranks that share them */
		picks[k].cores = part(&own.cores, picks[k].cores);
	return part(&own.cores, bound_alike);
}

void gemp_sharing_place(const gemp_comm *comm, uint64_t choice, int *position, int *count)
{
	*position = *count = 0;
	for (int r = 0; r < comm->node_size; r++) {
		uint64_t other = choice;
		GEMP_MPI(MPI_Bcast(&other, 1, MPI_UINT64_T, r, comm->node));
		*count += other == choice;
		*position += other == choice && r < comm->node_rank;
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
static void warn(const gemp_comm *comm, const gemp_device_pick *picks, size_t count)
{
	struct { int ranks, rank; } mine = { 0, comm->rank }, most;
	char text[PLACE_SIZE];
	const gemp_device_pick *pick = picks;
	for (size_t k = 0; k < count; k++)
		if (picks[k].info.gpu && picks[k].shared_by > mine.ranks) {
			pick = &picks[k];
			mine.ranks = pick->shared_by;
		}
	GEMP_MPI(MPI_Allreduce(&mine, &most, 1, MPI_2INT, MPI_MAXLOC, comm->world));
	if (most.ranks < 2)
		return;
	describe(text, pick);
	GEMP_MPI(MPI_Bcast(text, sizeof text, MPI_CHAR, most.rank, comm->world));
	gemp_warn("%d ranks on %s; as many ranks as GPUs are faster. `gemp-mpi devices` shows which rank has which",
	          most.ranks, text);
}

void gemp_sharing_find(const gemp_comm *comm, gemp_device_pick *picks, size_t count)
{
	unsigned cores = compare(comm, picks, count);
	gemp_threads_limit(cores ? cores : 1);
	warn(comm, picks, count);
}
