/* Triangles on each edge. A GPU makes all of them faster than ranks could send theirs; CPU devices share the work. */
#include "count/count_parts.h"

#include "core/memory.h"

typedef struct kernels {
	cl_kernel clear, support, mirror, spread;
} kernels;

static void free_kernels(kernels *k)
{
	const cl_kernel all[] = { k->clear, k->support, k->mirror, k->spread };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i])
			clReleaseKernel(all[i]);
}

static gemp_code by_vertices(gemp_count_engine *engine, gemp_laps *laps, kernels *k)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	cl_uint rank = (cl_uint)engine->context->comm->rank, ranks = (cl_uint)engine->context->comm->size;
	GEMP_TRY(gemp_kernel_new(&k->support, &engine->rows_program, "count_support"));
	if (ranks > 1)
		GEMP_TRY(gemp_buffer_zero(device, &g->low_support, 0, g->low_support.size));
	if (ranks > 1 && engine->needs.spread)
		GEMP_TRY(gemp_buffer_zero(device, &g->support, 0, g->support.size));
	if (engine->needs.over) /* entries that lead to what comes before have none */
		GEMP_TRY(gemp_buffer_zero(device, &g->over, 0, g->over.size));
	GEMP_TRY(gemp_count_launch(engine, laps, k->support, gemp_count_shape_of(device, g->vertices, 1, 1),
	                           GEMP_ARG(&g->begin.mem), GEMP_ARG(&g->mid.mem), GEMP_ARG(&g->near.mem),
	                           GEMP_ARG(&g->low_begin.mem), GEMP_ARG(&g->low_near.mem), GEMP_ARG(&g->vertices),
	                           GEMP_ARG(&rank), GEMP_ARG(&ranks), GEMP_ARG(&g->low_support.mem),
	                           GEMP_ARG(&g->support.mem), GEMP_ARG(&g->over.mem), GEMP_ARG(&engine->maps.mem),
	                           GEMP_ARG(&engine->partials.control.mem)));
done:
	return code;
}

static gemp_code by_edges(gemp_count_engine *engine, gemp_laps *laps, kernels *k)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	cl_ulong edges = g->entries / 2;
	gemp_count_shape flat = gemp_count_shape_of(device, edges, 1, 256);
	GEMP_TRY(gemp_kernel_new(&k->clear, &engine->rows_program, "count_clear"));
	GEMP_TRY(gemp_kernel_new(&k->support, &engine->rows_program, "count_support"));
	GEMP_TRY(gemp_count_launch(engine, laps, k->clear, flat, GEMP_ARG(&g->low_support.mem), GEMP_ARG(&edges)));
	GEMP_TRY(gemp_count_launch(engine, laps, k->support, gemp_count_shape_of(device, edges, engine->lanes, 256),
	                           GEMP_ARG(&g->low_begin.mem), GEMP_ARG(&g->low_near.mem), GEMP_ARG(&g->low_source.mem),
	                           GEMP_ARG(&edges), GEMP_ARG(&g->low_support.mem)));
done:
	return code;
}

/* To both entries of each edge. Where an edge's other entry is, nobody asks again. */
static gemp_code spread(gemp_count_engine *engine, gemp_laps *laps, kernels *k)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	gemp_buffer mirror = { 0 };
	cl_ulong edges = g->entries / 2;
	gemp_count_shape flat = gemp_count_shape_of(device, edges, 1, 256);
	GEMP_TRY(gemp_buffer_new(&mirror, device, edges * (g->wide ? sizeof(uint64_t) : sizeof(uint32_t)), NULL));
	GEMP_TRY(gemp_kernel_new(&k->mirror, &engine->rows_program, "count_mirror"));
	GEMP_TRY(gemp_kernel_new(&k->spread, &engine->rows_program, "count_spread"));
	GEMP_TRY(gemp_count_launch(engine, laps, k->mirror, flat, GEMP_ARG(&g->begin.mem), GEMP_ARG(&g->mid.mem),
	                           GEMP_ARG(&g->near.mem), GEMP_ARG(&g->low_near.mem), GEMP_ARG(&g->low_source.mem),
	                           GEMP_ARG(&edges), GEMP_ARG(&mirror.mem)));
	GEMP_TRY(gemp_count_launch(engine, laps, k->spread, flat, GEMP_ARG(&g->begin.mem), GEMP_ARG(&g->low_begin.mem),
	                           GEMP_ARG(&g->low_source.mem), GEMP_ARG(&mirror.mem), GEMP_ARG(&g->low_support.mem),
	                           GEMP_ARG(&edges), GEMP_ARG(&g->support.mem)));
	GEMP_TRY(GEMP_CL(clFinish(device->queue)));
done:
	gemp_buffer_free(&mirror, device);
	return code;
}

/* Local. What this rank makes: all, or its share. */
static gemp_code make(gemp_count_engine *engine, gemp_laps *laps)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	kernels k = { 0 };
	GEMP_TRY(gemp_buffer_new(&g->low_support, device, g->entries / 2 * sizeof(uint32_t), NULL));
	if (engine->needs.spread)
		GEMP_TRY(gemp_buffer_new(&g->support, device, g->entries * sizeof(uint32_t), NULL));
	if (engine->needs.over)
		GEMP_TRY(gemp_buffer_new(&g->over, device, g->entries * sizeof(uint32_t), NULL));
	GEMP_TRY(device->gpu ? by_edges(engine, laps, &k) : by_vertices(engine, laps, &k));
	if (engine->needs.spread && device->gpu)
		GEMP_TRY(spread(engine, laps, &k));
done:
	free_kernels(&k);
	return code;
}

/* Collective. Of each number one rank has the value, the others 0. */
static gemp_code join(const gemp_count_engine *engine, const gemp_buffer *buffer)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = engine->context->comm;
	gemp_device *device = engine->context->device;
	enum { PIECE = 1 << 24 };
	size_t count = buffer->size / sizeof(uint32_t);
	uint32_t *numbers = NULL;
	double began = gemp_now();
	code = GEMP_NEW(numbers, count);
	if (code == GEMP_OK)
		code = gemp_buffer_read(device, buffer, 0, buffer->size, numbers);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t at = 0; at < count; at += PIECE)
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, numbers + at, (int)(count - at < PIECE ? count - at : PIECE), MPI_UINT32_T,
		                       MPI_SUM, comm->world));
	GEMP_TRY(gemp_comm_agree(comm, gemp_buffer_write(device, buffer, 0, buffer->size, numbers)));
	gemp_timers_add(&engine->context->timers, GEMP_EXCHANGE, began);
done:
	gemp_free(numbers);
	return code;
}

gemp_code gemp_count_support(gemp_count_engine *engine, gemp_laps *laps)
{
	gemp_code code = GEMP_OK;
	const gemp_context *context = engine->context;
	if (!engine->needs.support)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(context->comm, make(engine, laps)));
	if (context->comm->size == 1 || context->device->gpu)
		return GEMP_OK;
	GEMP_TRY(join(engine, &engine->graph.low_support));
	if (engine->needs.spread)
		GEMP_TRY(join(engine, &engine->graph.support));
	if (engine->needs.over)
		GEMP_TRY(join(engine, &engine->graph.over));
done:
	return code;
}
