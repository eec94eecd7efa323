#include "partition/context.h"

#include "core/log.h"
#include "core/memory.h"
#include "device/choose.h"
#include "partition/resident.h"
#include "partition/sharing.h"

#include <inttypes.h>

typedef struct opening {
	gemp_context *context;
	gemp_device_pick *picks;
	size_t count;
} opening;

/* Collective. Devices are shared out among the ranks that see them; one each, among all ranks of the node. */
static gemp_code choose_devices(opening *own, const gemp_comm *comm, const char *devices)
{
	gemp_code code = GEMP_OK;
	int position = comm->node_rank, ranks = comm->node_size;
	uint64_t choice;
	if (gemp_device_shares_out(devices)) {
		GEMP_TRY(gemp_comm_agree(comm, gemp_device_choice(&choice, devices)));
		gemp_sharing_place(comm, choice, &position, &ranks);
	}
	code = gemp_device_choose_own(&own->picks, &own->count, devices, position, ranks);
	code = gemp_comm_agree(comm, code);
done:
	return code;
}

/* A context of this rank alone, for one device more. */
static gemp_code make_other(gemp_context *context, const gemp_device_pick *pick)
{
	gemp_code code = GEMP_OK;
	gemp_context *other = NULL;
	GEMP_TRY(GEMP_NEW(other, 1));
	GEMP_TRY(GEMP_NEW(other->comm, 1));
	gemp_comm_new(other->comm, MPI_COMM_SELF);
	context->others[context->other_count++] = other;
	other->budgets = context->budgets;
	other->began = context->began;
	other->devices = 1;
	return gemp_device_open_pick(&other->device, pick, context->budgets.device_memory);
done:
	gemp_free(other);
	return code;
}

/* This rank's devices. */
static gemp_code open_devices(const opening *o)
{
	gemp_code code = GEMP_OK;
	gemp_context *context = o->context;
	GEMP_TRY(gemp_device_open_pick(&context->device, &o->picks[0], context->budgets.device_memory));
	GEMP_TRY(GEMP_NEW(context->others, o->count));
	for (size_t i = 1; i < o->count; i++)
		GEMP_TRY(make_other(context, &o->picks[i]));
done:
	return code;
}

/* Collective. What runs on one device of each rank leaves the others alone, and says so. */
static void keep_first(opening *own, const gemp_comm *comm)
{
	uint64_t left = gemp_comm_sum1(comm, own->count - 1), all = left + (uint64_t)comm->size;
	own->count = 1;
	if (left)
		gemp_warn("this command uses one device of each rank at most: of %" PRIu64 " devices it leaves %" PRIu64 " alone", all,
		          left);
}

static gemp_code new_context(gemp_context **out, gemp_comm *comm, const char *devices, const gemp_budgets *budgets, bool one)
{
	gemp_code code = GEMP_OK;
	gemp_context *context = NULL;
	opening own = { 0 };
	double began = gemp_now();
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(context, 1)));
	context->comm = comm;
	context->budgets = *budgets;
	context->began = began;
	own.context = context;
	GEMP_TRY(choose_devices(&own, comm, devices));
	if (one)
		keep_first(&own, comm);
	gemp_sharing_find(comm, own.picks, own.count);
	context->devices = gemp_comm_sum1(comm, own.count);
	GEMP_TRY(gemp_comm_agree(comm, open_devices(&own)));
	gemp_timers_add(&context->timers, GEMP_BUILD, began);
	*out = context;
	context = NULL;
done:
	gemp_free(own.picks);
	gemp_context_free(context);
	return code;
}

gemp_code gemp_context_new(gemp_context **out, gemp_comm *comm, const char *devices, const gemp_budgets *budgets)
{
	return new_context(out, comm, devices, budgets, false);
}

gemp_code gemp_context_new_one(gemp_context **out, gemp_comm *comm, const char *devices, const gemp_budgets *budgets)
{
	return new_context(out, comm, devices, budgets, true);
}

void gemp_context_free(gemp_context *context)
{
	if (!context)
		return;
	gemp_resident_forget(context);
	for (size_t i = 0; i < context->other_count; i++) {
		gemp_context *other = context->others[i];
		gemp_device_close(other->device);
		gemp_comm_free(other->comm);
		gemp_free(other->comm);
		gemp_free(other);
	}
	gemp_free(context->others);
	gemp_device_close(context->device);
	gemp_free(context);
}

size_t gemp_context_device_peak(const gemp_context *context)
{
	size_t most = context->device->peak;
	for (size_t i = 0; i < context->other_count; i++)
		if (context->others[i]->device->peak > most)
			most = context->others[i]->device->peak;
	return most;
}

gemp_code gemp_context_program(gemp_context *context, gemp_program *out, const char *source, const char *options)
{
	double began = gemp_now();
	gemp_code code = gemp_comm_agree(context->comm, gemp_program_new(out, context->device, source, options));
	if (code != GEMP_OK)
		gemp_program_free(out);
	else if (!out->cached)
		context->program_builds++;
	gemp_timers_add(&context->timers, GEMP_BUILD, began);
	return code;
}
