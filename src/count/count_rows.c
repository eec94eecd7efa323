/* The rows on the device, and what is made of them there. */
#include "count/count_parts.h"

#include "core/memory.h"

gemp_count_shape gemp_count_shape_of(const gemp_device *device, uint64_t tasks, unsigned lanes, size_t wanted)
{
	gemp_count_shape shape = { 1, device->units };
	if (!device->gpu)
		return shape;
	size_t most = (size_t)device->units * 32 * 256 / wanted; /* four times what the device holds at once */
	shape.group = wanted < device->group ? wanted : device->group;
	shape.groups = (size_t)((tasks * lanes + shape.group - 1) / shape.group);
	if (shape.groups > most)
		shape.groups = most;
	if (shape.groups == 0)
		shape.groups = 1;
	return shape;
}

gemp_code gemp_count_launch_with(gemp_count_engine *engine, gemp_laps *laps, cl_kernel kernel, gemp_count_shape shape,
                                 const gemp_argument *arguments, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = engine->context->device;
	GEMP_TRY(gemp_launch_with(device, kernel, shape.group * shape.groups, shape.group, arguments, count));
	GEMP_TRY(gemp_laps_add(laps, device));
done:
	return code;
}

/* Positions as 32-bit words unless there are very many. */
static gemp_code upload_positions(gemp_count_engine *engine, gemp_buffer *buffer, uint64_t *positions, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = engine->context->device;
	uint32_t *narrow = NULL;
	if (engine->graph.wide)
		return gemp_buffer_borrow(buffer, device, count * sizeof *positions, positions);
	GEMP_TRY(GEMP_NEW(narrow, count));
	for (size_t i = 0; i < count; i++)
		narrow[i] = (uint32_t)positions[i];
	GEMP_TRY(gemp_buffer_new(buffer, device, count * sizeof *narrow, narrow));
done:
	gemp_free(narrow);
	return code;
}

static gemp_code upload_rows(gemp_count_engine *engine)
{
	gemp_code code = GEMP_OK;
	double began = gemp_now();
	GEMP_TRY(gemp_view_upload(engine->view, engine->context->device, engine->rows->wide));
	engine->graph.begin = engine->view->device_begin;
	engine->graph.near = engine->view->device_neighbours;
	gemp_timers_add(&engine->context->timers, GEMP_UPLOAD, began);
done:
	return code;
}

/* Where rows split; the host reads it to list tasks. */
static gemp_code split_rows(gemp_count_engine *engine, gemp_laps *laps)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	size_t size = g->wide ? sizeof(uint64_t) : sizeof(uint32_t), count = g->vertices;
	cl_kernel kernel = NULL;
	GEMP_TRY(gemp_kernel_new(&kernel, &engine->rows_program, "count_split"));
	GEMP_TRY(gemp_buffer_new(&g->mid, device, count * size, NULL));
	GEMP_TRY(gemp_buffer_new(&g->tables[0], device, count * sizeof(int64_t), NULL));
	GEMP_TRY(gemp_count_launch(engine, laps, kernel, gemp_count_shape_of(device, count, 1, 256), GEMP_ARG(&g->begin.mem),
	                           GEMP_ARG(&g->near.mem), GEMP_ARG(&g->vertices), GEMP_ARG(&g->mid.mem),
	                           GEMP_ARG(&g->tables[0].mem)));
	GEMP_TRY(GEMP_NEW(engine->mid, count));
	GEMP_TRY(gemp_buffer_read(device, &g->mid, 0, count * size, engine->mid));
	for (size_t v = count; !g->wide && v-- > 0;) /* in place, from the end */
		engine->mid[v] = ((const uint32_t *)engine->mid)[v];
	g->host_begin = engine->view->begin;
	g->host_mid = engine->mid;
	g->host_near = engine->view->neighbours;
	for (size_t v = 0; v < count; v++) {
		uint64_t low = engine->mid[v] - g->host_begin[v];
		if (low > g->longest_prefix)
			g->longest_prefix = (uint32_t)low;
	}
done:
	if (kernel)
		clReleaseKernel(kernel);
	return code;
}

static gemp_code make_low(gemp_count_engine *engine, gemp_laps *laps)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	size_t bytes = g->entries / 2 * sizeof(uint32_t);
	cl_kernel kernel = NULL;
	GEMP_TRY(GEMP_NEW(engine->low_begin, (size_t)g->vertices + 1));
	for (size_t v = 0; v < g->vertices; v++)
		engine->low_begin[v + 1] = engine->low_begin[v] + engine->mid[v] - g->host_begin[v];
	GEMP_TRY(upload_positions(engine, &g->low_begin, engine->low_begin, (size_t)g->vertices + 1));
	GEMP_TRY(gemp_buffer_new(&g->low_near, device, bytes, NULL));
	GEMP_TRY(gemp_buffer_new(&g->low_source, device, bytes, NULL));
	GEMP_TRY(gemp_kernel_new(&kernel, &engine->rows_program, "count_low"));
	GEMP_TRY(gemp_count_launch(engine, laps, kernel, gemp_count_shape_of(device, g->vertices, engine->lanes, 256),
	                           GEMP_ARG(&g->begin.mem), GEMP_ARG(&g->near.mem), GEMP_ARG(&g->vertices),
	                           GEMP_ARG(&g->low_begin.mem), GEMP_ARG(&g->low_near.mem), GEMP_ARG(&g->low_source.mem)));
done:
	if (kernel)
		clReleaseKernel(kernel);
	return code;
}

static gemp_code make_maps(gemp_count_engine *engine)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = engine->context->device;
	size_t bytes = (size_t)device->units * engine->graph.vertices * sizeof(uint32_t);
	GEMP_TRY(gemp_buffer_new(&engine->maps, device, bytes, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &engine->maps, 0, bytes));
done:
	return code;
}

gemp_code gemp_count_rows(gemp_count_engine *engine, gemp_laps *laps)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(upload_rows(engine));
	GEMP_TRY(split_rows(engine, laps));
	if (engine->needs.low)
		GEMP_TRY(make_low(engine, laps));
	if (engine->needs.maps)
		GEMP_TRY(make_maps(engine));
done:
	return code;
}
