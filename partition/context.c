#include "partition/context.h"

#include "core/memory.h"
#include "partition/resident.h"
#include "partition/sharing.h"

/* Collective over the ranks of a node: `step` is done by the first, and if that went well, by the others, who find in the
 * cache what the first has built. */
static gemp_code one_first(const gemp_comm *comm, gemp_code (*step)(void *), void *argument)
{
	int code = comm->node_rank == 0 ? (int)step(argument) : GEMP_OK;
	GEMP_MPI(MPI_Bcast(&code, 1, MPI_INT, 0, comm->node));
	if (comm->node_rank != 0 && code == GEMP_OK)
		code = (int)step(argument);
	return gemp_comm_agree(comm, (gemp_code)code);
}

typedef struct opening {
	gemp_context *context;
	gemp_device_pick pick;
} opening;

/* This rank's device. */
static gemp_code open_device(void *argument)
{
	opening *o = argument;
	return gemp_device_open_pick(&o->context->device, &o->pick, o->context->budgets.device_memory);
}

gemp_code gemp_context_new(gemp_context **out, gemp_comm *comm, const char *devices, const gemp_budgets *budgets)
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
	GEMP_TRY(gemp_comm_agree(comm, gemp_device_choose_one(&own.pick, devices, comm->node_rank, comm->node_size)));
	gemp_sharing_find(comm, &own.pick);
	GEMP_TRY(one_first(comm, open_device, &own));
	gemp_timers_add(&context->timers, GEMP_BUILD, began);
	*out = context;
	context = NULL;
done:
	gemp_context_free(context);
	return code;
}

void gemp_context_free(gemp_context *context)
{
	if (!context)
		return;
	gemp_resident_forget(context);
	gemp_device_close(context->device);
	gemp_free(context);
}

typedef struct building {
	gemp_context *context;
	gemp_program *out;
	const char *source, *options;
} building;

static gemp_code build(void *argument)
{
	building *b = argument;
	return gemp_program_new(b->out, b->context->device, b->source, b->options);
}

gemp_code gemp_context_program(gemp_context *context, gemp_program *out, const char *source, const char *options)
{
	double began = gemp_now();
	*out = (gemp_program){ 0 };
	gemp_code code = one_first(context->comm, build, &(building){ context, out, source, options });
	if (code != GEMP_OK)
		gemp_program_free(out);
	else if (!out->cached)
		context->program_builds++;
	gemp_timers_add(&context->timers, GEMP_BUILD, began);
	return code;
}
