/* The devices of a run. Ranks of a node that see the same devices divide the devices among themselves. Each rank opens
 * its first device, and for each further device a runtime of its own over MPI_COMM_SELF.
 *
 * Ranks compare devices by their places on the PCI bus or by UUIDs. The ranks broadcast their devices one after the
 * other, and each rank counts the ranks that share a device with it, and among these the ranks that may run on the same
 * cores. */

#include "partition/runtime.h"

#include "comm/comm.h"
#include "core/log.h"
#include "core/memory.h"
#include "device/compilation.h"
#include "device/open.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Each device has its own memory, so the largest peak is reported and not the sum of the peaks. */
size_t gemp_runtime_device_peak(const gemp_runtime *context)
{
	size_t most = context->device ? context->device->buffer_peak : 0;
	for (size_t i = 0; i < context->other_count; i++)
		if (context->others[i]->device->buffer_peak > most)
			most = context->others[i]->device->buffer_peak;
	return most;
}

/* The measured seconds include the wait for other ranks in the agreement. */
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

/* Collective. If the text lists devices, the ranks of the node with the same list divide the devices. Otherwise all
 * ranks of the node divide them. */
static gemp_code choose_devices(gemp_device_pick **picks, size_t *count, const gemp_comm *comm, const char *devices)
{
	int position = comm->node_rank, ranks = comm->node_size;
	uint64_t choice;
	if (gemp_device_spec_is_list(devices)) {
		GEMP_TRY(gemp_comm_agree(comm, gemp_device_spec_hash(&choice, devices)));
		gemp_device_sharing_rank(comm, choice, &position, &ranks);
	}
	return gemp_comm_agree(comm, gemp_device_assign(picks, count, devices, position, ranks));
}

/* Opens a further device with a runtime of this rank alone. The runtime is listed before the device is opened, so it is
 * freed after a failure. */
static gemp_code open_extra(gemp_runtime *context, const gemp_device_pick *pick)
{
	GEMP_OWNED gemp_runtime *other = NULL;
	GEMP_TRY(GEMP_NEW(other, 1));
	GEMP_TRY(GEMP_NEW(other->comm, 1));
	gemp_comm_new(other->comm, MPI_COMM_SELF);
	gemp_runtime *listed = context->others[context->other_count++] = other;
	other = NULL;
	listed->budgets = context->budgets;
	listed->devices = 1;
	return gemp_device_open_pick(&listed->device, pick, context->budgets.device_memory);
}

/* Closes what is open, also after a part of the devices could not be opened. */
static void close_devices(gemp_runtime *context)
{
	for (size_t i = 0; i < context->other_count; i++) {
		gemp_runtime *other = context->others[i];
		gemp_device_close(other->device);
		gemp_comm_free(other->comm);
		gemp_free_all(other->comm, other);
	}
	gemp_free(context->others);
	gemp_device_close(context->device);
	context->others = NULL;
	context->other_count = context->devices = 0;
	context->device = NULL;
}

static gemp_code open_picks(gemp_runtime *context, const gemp_device_pick *picks, size_t count)
{
	GEMP_TRY(gemp_device_open_pick(&context->device, &picks[0], context->budgets.device_memory));
	GEMP_TRY(GEMP_NEW(context->others, count));
	for (size_t i = 1; i < count; i++)
		GEMP_TRY(open_extra(context, &picks[i]));
	return GEMP_OK;
}

/* Collective. Some commands use one device of each rank. The function warns if such a command leaves other devices
 * unused. */
static void keep_first(size_t *count, const gemp_comm *comm)
{
	uint64_t left = gemp_comm_sum1(comm, *count - 1), all = left + (uint64_t)comm->size;
	*count = 1;
	if (left)
		gemp_warn("this command uses one device of each rank at most: of %" PRIu64 " devices it leaves %" PRIu64
		          " alone",
		          all, left);
}

/* Collective. The ranks open their devices at the same time, and then agree. */
static gemp_code open_devices(gemp_runtime *context)
{
	gemp_comm *comm = context->comm;
	GEMP_OWNED gemp_device_pick *picks = NULL;
	size_t count = 0;
	double began = gemp_now();
	GEMP_TRY(choose_devices(&picks, &count, comm, context->device_spec));
	if (context->first_only)
		keep_first(&count, comm);
	gemp_device_sharing_find(comm, picks, count);
	context->devices = gemp_comm_sum1(comm, count);
	gemp_code code = gemp_comm_agree(comm, open_picks(context, picks, count));
	if (code != GEMP_OK)
		close_devices(context);
	gemp_timers_add(&context->timers, GEMP_PHASE_BUILD, began);
	return code;
}

gemp_code gemp_runtime_new(gemp_runtime **out, gemp_comm *comm, const char *devices, const gemp_budgets *budgets)
{
	GEMP_OWNED gemp_runtime *context = NULL;
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(context, 1)));
	context->comm = comm;
	context->device_spec = devices;
	context->budgets = *budgets;
	*out = context;
	context = NULL;
	return GEMP_OK;
}

/* The threads of the host are those of a CPU device, so `cpu` needs no check, and no driver is loaded for it. */
gemp_code gemp_runtime_check_devices(gemp_runtime *context)
{
	GEMP_OWNED gemp_device_pick *picks = NULL;
	size_t count = 0;
	const char *devices = context->device_spec;
	if (context->device || !devices || strcasecmp(devices, "auto") == 0 || strcasecmp(devices, "cpu") == 0)
		return GEMP_OK;
	double began = gemp_now();
	GEMP_TRY(choose_devices(&picks, &count, context->comm, devices));
	gemp_timers_add(&context->timers, GEMP_PHASE_BUILD, began);
	return GEMP_OK;
}

gemp_code gemp_runtime_open_devices(gemp_runtime *context)
{
	return context->device ? GEMP_OK : open_devices(context);
}

gemp_code gemp_runtime_open_first(gemp_runtime *context)
{
	if (context->device)
		return GEMP_OK;
	context->first_only = true;
	return open_devices(context);
}

bool gemp_runtime_is_compiling(const gemp_runtime *context)
{
	bool compiling = context && context->device && gemp_compilations_run(context->device);
	for (size_t i = 0; context && i < context->other_count; i++)
		compiling |= gemp_compilations_run(context->others[i]->device);
	return compiling;
}

/* Resident rows are freed first, as their buffers belong to devices that are closed next. */
void gemp_runtime_free(gemp_runtime *context)
{
	if (!context)
		return;
	if (context->evict_resident)
		context->evict_resident(context);
	close_devices(context);
	gemp_free_all(context->launch_sizes.launches, context);
}

enum { PLACE_SIZE = 320 };

/* The data that a rank sends to the other ranks of its node, for one device. */
typedef struct rank_card {
	char identity[GEMP_IDENTITY_SIZE];
	cpu_set_t cores; /* cores that the rank may run on */
} rank_card;

/* The card is zeroed with memset, since its padding is sent, too. */
static void fill_card(rank_card *own, const gemp_device_pick *pick)
{
	memset(own, 0, sizeof *own);
	gemp_device_identity(own->identity, &pick->info, pick->index);
	if (sched_getaffinity(0, sizeof own->cores, &own->cores) != 0)
		CPU_ZERO(&own->cores);
}

/* Ranks that share cores divide the cores evenly. A rank gets at least one core. */
static unsigned share_of_cores(const cpu_set_t *cores, unsigned ranks)
{
	unsigned count = (unsigned)CPU_COUNT(cores);
	return count && count < ranks ? 1 : count / ranks;
}

/* Compares one device of another rank with all devices of this rank. `lower`: the other rank precedes this rank. */
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

/* Ranks broadcast their devices one at a time, so no rank needs memory for the devices of all ranks. */
static void compare_cards(const gemp_comm *comm, gemp_device_pick *picks, size_t count)
{
	rank_card own, other;
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
	}
	for (size_t k = 0; k < count; k++) /* until here `cores` is the number of ranks that share the cores */
		picks[k].cores = share_of_cores(&own.cores, picks[k].cores);
}

/* Ranks whose choice has the same hash see the same devices. */
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

/* Writes host and device as the warning names them. */
static void describe_shared_gpu(char out[PLACE_SIZE], const gemp_device_pick *pick)
{
	char host[64] = "this machine";
	gethostname(host, sizeof host - 1);
	const char *place = pick->info.pci[0] ? pick->info.pci : pick->info.uuid;
	memset(out, 0, PLACE_SIZE);
	snprintf(out, PLACE_SIZE, "%.60s share the GPU %s%s%s", host, pick->info.name, place[0] ? ", " : "", place);
}

/* Collective. Rank 0 warns of the GPU with the most ranks, on any node. */
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

/* The number of threads is limited even if no device is shared. */
void gemp_device_sharing_find(const gemp_comm *comm, gemp_device_pick *picks, size_t count)
{
	compare_cards(comm, picks, count);
	gemp_comm_share_cores(comm);
	warn_of_shared_gpus(comm, picks, count);
}
