#include "partition/context.h"

#include "core/memory.h"

/* This rank's device with all that is built for it. */
static gemp_code open_device(gemp_context *context, const char *devices)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = context->comm;
	GEMP_TRY(gemp_device_open(&context->device, devices, comm->node_rank, comm->node_size,
	                          context->budgets.device_memory));
	GEMP_TRY(gemp_primitives_new(&context->primitives, context->device));
done:
	return code;
}

gemp_code gemp_context_new(gemp_context **out, gemp_comm *comm, const char *devices, const gemp_budgets *budgets)
{
	gemp_code code = GEMP_OK;
	gemp_context *context = NULL;
	double began = gemp_now();
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(context, 1)));
	context->comm = comm;
	context->budgets = *budgets;
	context->began = began;
	/* The first rank of a node tests the device and fills the cache for the others. */
	if (comm->node_rank == 0)
		code = open_device(context, devices);
	GEMP_MPI(MPI_Barrier(comm->node));
	if (comm->node_rank != 0)
		code = open_device(context, devices);
	GEMP_TRY(gemp_comm_agree(comm, code));
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
	gemp_primitives_free(context->primitives);
	gemp_device_close(context->device);
	gemp_free(context);
}

gemp_code gemp_context_program(gemp_context *context, gemp_program *out, const char *source, const char *options)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = context->comm;
	double began = gemp_now();
	*out = (gemp_program){ 0 };
	if (comm->node_rank == 0)
		code = gemp_program_new(out, context->device, source, options);
	GEMP_MPI(MPI_Barrier(comm->node));
	if (comm->node_rank != 0)
		code = gemp_program_new(out, context->device, source, options);
	code = gemp_comm_agree(comm, code);
	if (code != GEMP_OK)
		gemp_program_free(out);
	else if (!out->cached)
		context->program_builds++;
	gemp_timers_add(&context->timers, GEMP_BUILD, began);
	return code;
}
