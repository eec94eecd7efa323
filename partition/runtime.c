/* Devices of a run. Ranks of a node that see the same devices divide them among themselves; each opens its first
 * device and, for each further device, a runtime of its own over MPI_COMM_SELF. Ranks compare devices by their places
 * on the PCI bus or UUIDs, in turns of broadcasts, and count who shares a device and whose cores are the same.
 */

#include "partition/runtime.h"

#include "comm/comm.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/threads.h"
#include "device/open.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Each device has memory of its own, so that the largest peak counts and not their sum. */
size_t gemp_runtime_device_peak(const gemp_runtime *context)
{
	size_t most = context->device->buffer_peak;
	for (size_t i = 0; i < context->other_count; i++)
		if (context->others[i]->device->buffer_peak > most)
			most = context->others[i]->device->buffer_peak;
	return most;
}

/* The seconds of building include the wait for other ranks, in the agreement. */
gemp_code gemp_runtime_program(gemp_runtime *context, gemp_program *out, const char *source, const char *options)
{
	double began = gemp_now();
	gemp_code code = gemp_comm_agree(context->comm, gemp_program_new(out, context->device, source, options));
	if (code != GEMP_OK)
		gemp_program_free(out);
	else if (!out->cached)
		context->program_builds++;
	gemp_timers_add(&context->timers, GEMP_PHASE_BUILD, began);
	return code;
}

/* A runtime while it is opened, and the devices of this rank. */
typedef struct open_context {
	gemp_runtime *context;
	gemp_device_pick *picks;
	size_t count;
} open_context;

/* Collective. Devices are shared out among the ranks that see them; one each, among all ranks of the node. */
static gemp_code choose_devices(open_context *own, const gemp_comm *comm, const char *devices)
{
	gemp_code code = GEMP_OK;
	int position = comm->node_rank, ranks = comm->node_size;
	uint64_t choice;
	if (gemp_device_spec_is_list(devices)) {
		GEMP_TRY(gemp_comm_agree(comm, gemp_device_spec_hash(&choice, devices)));
		gemp_device_sharing_rank(comm, choice, &position, &ranks);
	}
	code = gemp_device_assign(&own->picks, &own->count, devices, position, ranks);
	return gemp_comm_agree(comm, code);
}

/* A context of this rank alone, for one device more. */
static gemp_code open_extra(gemp_runtime *context, const gemp_device_pick *pick)
{
	gemp_code code = GEMP_OK;
	gemp_runtime *other = NULL;
	GEMP_TRY_DONE(GEMP_NEW(other, 1));
	GEMP_TRY_DONE(GEMP_NEW(other->comm, 1));
	gemp_comm_new(other->comm, MPI_COMM_SELF);
	context->others[context->other_count++] = other;
	other->budgets = context->budgets;
	other->start_time = context->start_time;
	other->devices = 1;
	return gemp_device_open_pick(&other->device, pick, context->budgets.device_memory);
done:
	gemp_free(other);
	return code;
}

/* This rank's devices. */
static gemp_code open_devices(const open_context *o)
{
	gemp_runtime *context = o->context;
	GEMP_TRY(gemp_device_open_pick(&context->device, &o->picks[0], context->budgets.device_memory));
	GEMP_TRY(GEMP_NEW(context->others, o->count));
	for (size_t i = 1; i < o->count; i++)
		GEMP_TRY(open_extra(context, &o->picks[i]));
	return GEMP_OK;
}

/* Collective. What runs on one device of each rank leaves the others alone, and says so. */
static void keep_first(open_context *own, const gemp_comm *comm)
{
	uint64_t left = gemp_comm_sum1(comm, own->count - 1), all = left + (uint64_t)comm->size;
	own->count = 1;
	if (left)
		gemp_warn("this command uses one device of each rank at most: of %" PRIu64 " devices it leaves %" PRIu64
		          " alone",
		          all, left);
}

/* Collective. one: the command uses a single device of each rank. */
static gemp_code new_context(gemp_runtime **out, gemp_comm *comm, const char *devices, const gemp_budgets *budgets,
                             bool one)
{
	gemp_code code = GEMP_OK;
	gemp_runtime *context = NULL;
	open_context own = { 0 };
	double began = gemp_now();
	*out = NULL;
	GEMP_TRY_DONE(gemp_comm_agree(comm, GEMP_NEW(context, 1)));
	context->comm = comm;
	context->budgets = *budgets;
	context->start_time = began;
	own.context = context;
	GEMP_TRY_DONE(choose_devices(&own, comm, devices));
	if (one)
		keep_first(&own, comm);
	gemp_device_sharing_find(comm, own.picks, own.count);
	context->devices = gemp_comm_sum1(comm, own.count);
	GEMP_TRY_DONE(gemp_comm_agree(comm, open_devices(&own)));
	gemp_timers_add(&context->timers, GEMP_PHASE_BUILD, began);
	*out = context;
	context = NULL;
done:
	gemp_free(own.picks);
	gemp_runtime_free(context);
	return code;
}

gemp_code gemp_runtime_new(gemp_runtime **out, gemp_comm *comm, const char *devices, const gemp_budgets *budgets)
{
	return new_context(out, comm, devices, budgets, false);
}

gemp_code gemp_runtime_new_one(gemp_runtime **out, gemp_comm *comm, const char *devices, const gemp_budgets *budgets)
{
	return new_context(out, comm, devices, budgets, true);
}

/* Resident rows are freed first: their buffers belong to devices that are closed next. */
void gemp_runtime_free(gemp_runtime *context)
{
	if (!context)
		return;
	if (context->evict_resident)
		context->evict_resident(context);
	for (size_t i = 0; i < context->other_count; i++) {
		gemp_runtime *other = context->others[i];
		gemp_device_close(other->device);
		gemp_comm_free(other->comm);
		gemp_free_all(other->comm, other);
	}
	gemp_free(context->others);
	gemp_device_close(context->device);
	gemp_free(context);
}

enum { PLACE_SIZE = 320 };

/* What ranks of a node show one another. */
typedef struct rank_card {
	char identity[GEMP_IDENTITY_SIZE];
	cpu_set_t cores; /* that the rank may run on */
} rank_card;

/* memset, since the padding of a card is sent, too. */
static void fill_card(rank_card *own, const gemp_device_pick *pick)
{
	memset(own, 0, sizeof *own);
	gemp_device_identity(own->identity, &pick->info, pick->index);
	if (sched_getaffinity(0, sizeof own->cores, &own->cores) != 0)
		CPU_ZERO(&own->cores);
}

/* A rank that shares its cores with others uses its share of them, at least one. */
static unsigned share_of_cores(const cpu_set_t *cores, unsigned ranks)
{
	unsigned count = (unsigned)CPU_COUNT(cores);
	return count && count < ranks ? 1 : count / ranks;
}

/* One of rank r's devices, beside this rank's. */
static void count_on(gemp_device_pick *picks, size_t count, const rank_card *own, const rank_card *other, bool lower)
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
static unsigned compare_cards(const gemp_comm *comm, gemp_device_pick *picks, size_t count)
{
	rank_card own, other;
	unsigned bound_alike = 0;
	fill_card(&own, &picks[0]);
	for (size_t k = 0; k < count; k++) {
		picks[k].shared_by = picks[k].position = 0;
		picks[k].cores = 0;
	}
	for (int r = 0; r < comm->node_size; r++) {
		uint64_t devices = count;
		GEMP_MPI(MPI_Bcast(&devices, 1, MPI_UINT64_T, r, comm->node));
		for (uint64_t k = 0; k < devices; k++) {
			if (r == comm->node_rank)
				fill_card(&other, &picks[k]);
			GEMP_MPI(MPI_Bcast(&other, sizeof other, MPI_BYTE, r, comm->node));
			count_on(picks, count, &own, &other, r < comm->node_rank);
		}
		bound_alike += CPU_EQUAL(&own.cores, &other.cores);
	}
	for (size_t k = 0; k < count; k++) /* until here ranks that share them */
		picks[k].cores = share_of_cores(&own.cores, picks[k].cores);
	return share_of_cores(&own.cores, bound_alike);
}

/* Ranks with the same hash of their choice see the same devices. */
void gemp_device_sharing_rank(const gemp_comm *comm, uint64_t choice, int *position, int *count)
{
	*position = *count = 0;
	for (int r = 0; r < comm->node_size; r++) {
		uint64_t other = choice;
		GEMP_MPI(MPI_Bcast(&other, 1, MPI_UINT64_T, r, comm->node));
		*count += other == choice;
		*position += other == choice && r < comm->node_rank;
	}
}

/* Host and device as the warning names them. */
static void describe_shared_gpu(char out[PLACE_SIZE], const gemp_device_pick *pick)
{
	char host[64] = "this machine";
	gethostname(host, sizeof host - 1);
	const char *place = pick->info.pci[0] ? pick->info.pci : pick->info.uuid;
	memset(out, 0, PLACE_SIZE);
	snprintf(out, PLACE_SIZE, "%.60s share the GPU %s%s%s", host, pick->info.name, place[0] ? ", " : "", place);
}

/* Collective. Rank 0 speaks of the GPU with most ranks, wherever it is. */
static void warn_of_shared_gpus(const gemp_comm *comm, const gemp_device_pick *picks, size_t count)
{
	struct {
		int ranks, rank;
	} mine = { 0, comm->rank }, most;
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
	describe_shared_gpu(text, pick);
	GEMP_MPI(MPI_Bcast(text, sizeof text, MPI_CHAR, most.rank, comm->world));
	gemp_warn("%d ranks on %s; as many ranks as GPUs are faster. `gemp-mpi devices` shows which rank has which",
	          most.ranks, text);
}

/* The threads are limited in any case, also where no device is shared. */
void gemp_device_sharing_find(const gemp_comm *comm, gemp_device_pick *picks, size_t count)
{
	unsigned cores = compare_cards(comm, picks, count);
	gemp_threads_limit(cores ? cores : 1);
	warn_of_shared_gpus(comm, picks, count);
}
