#include "count/sweep.h"

#include "count/sweep_emit.h"

#include "core/memory.h"

#include <string.h>

/* Of a 64-bit sum, room for what a double rounds. */
static const double most = 0x1p62;

/* `file` behind what it wants in front. */
static gemp_code put_file(gemp_text *source, const char *file)
{
	char *fixed = NULL;
	gemp_code code = gemp_kernel_source(&fixed, file);
	if (code == GEMP_OK)
		gemp_text_print(source, "%s", fixed);
	gemp_free(fixed);
	return code == GEMP_OK ? gemp_text_status(source) : code;
}

static gemp_code emit(gemp_sweep *sweep, gemp_text *source, gemp_text *tasks)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_sweep_emit_types(source, sweep->graph, sweep->sum));
	GEMP_TRY(gemp_sweep_emit_value(source, sweep->sum, sweep->watched));
	if (sweep->shape.dense)
		return put_file(source, "count_sweep_dense.cl");
	GEMP_TRY(gemp_sweep_emit_grouped(source, sweep));
	GEMP_TRY(put_file(source, "count_sweep_group.cl"));
	GEMP_TRY(gemp_sweep_emit_types(tasks, sweep->graph, sweep->sum));
	GEMP_TRY(put_file(tasks, "count_sweep_tasks.cl"));
done:
	return code;
}

static gemp_code prepare(gemp_sweep *sweep, gemp_text *source, gemp_text *tasks)
{
	gemp_code code = GEMP_OK;
	const gemp_count_graph *graph = sweep->graph;
	const gemp_comm *comm = graph->context->comm;
	sweep->ends = graph->vertices;
	while (sweep->ends && graph->host_begin[sweep->ends] == graph->host_begin[sweep->ends - 1])
		sweep->ends--;
	sweep->first = (cl_uint)comm->rank;
	sweep->step = (cl_uint)comm->size;
	sweep->roots = sweep->first < sweep->ends ? (sweep->ends - sweep->first - 1) / sweep->step + 1 : 0;
	GEMP_TRY(gemp_sweep_watch(graph, sweep->sum, sweep->ends, &sweep->watched));
	GEMP_TRY(emit(sweep, source, tasks));
done:
	return code;
}

static gemp_code run(gemp_sweep *sweep)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = sweep->graph->context->device;
	if (sweep->roots == 0)
		return GEMP_OK;
	GEMP_TRY(sweep->shape.dense ? gemp_sweep_dense(sweep) : gemp_sweep_grouped(sweep));
	if (!sweep->program.cached)
		GEMP_TRY(gemp_program_store(device, &sweep->program));
	if (sweep->tasks_program.program && !sweep->tasks_program.cached)
		GEMP_TRY(gemp_program_store(device, &sweep->tasks_program));
done:
	return code;
}

gemp_code gemp_sweep_sum_shaped(const gemp_count_graph *graph, const gemp_sum *sum, const gemp_sweep_shape *shape,
                                gemp_sum_result *result)
{
	gemp_code code = GEMP_OK;
	gemp_sweep sweep = { .graph = graph, .sum = sum, .shape = *shape, .result = result };
	gemp_text source = { 0 }, tasks = { 0 };
	const gemp_comm *comm = graph->context->comm;
	*result = (gemp_sum_result){ 0 };
	GEMP_TRY(gemp_comm_agree(comm, prepare(&sweep, &source, &tasks)));
	GEMP_TRY(gemp_context_program(graph->context, &sweep.program, source.data, shape->options));
	if (!shape->dense)
		GEMP_TRY(gemp_context_program(graph->context, &sweep.tasks_program, tasks.data, NULL));
	GEMP_TRY(gemp_comm_agree(comm, run(&sweep)));
done:
	gemp_program_free(&sweep.tasks_program);
	gemp_program_free(&sweep.program);
	gemp_text_free(&tasks);
	gemp_text_free(&source);
	return code;
}

static void grouped_shape(gemp_sweep_shape *shape, const gemp_device *device)
{
	*shape = (gemp_sweep_shape){ .group = 1024, .lanes = device->nvidia ? 32 : 1, .row_lanes = device->nvidia ? 8 : 1 };
	while (shape->group > device->group)
		shape->group /= 2;
	/* Two groups of 1024 on a unit; local memory for counters but for what kernels declare themselves. */
	shape->groups = (size_t)device->units * 2048 / shape->group;
	shape->window_words = (uint32_t)(device->local / sizeof(cl_uint) - 64);
	shape->worker_words = device->nvidia ? 256 : 0;
	shape->tables[0].group = 128;
	shape->tables[0].words = 2048;
	shape->tables[1].group = 512;
	shape->tables[1].words = 8192;
	shape->options = device->nvidia ? "-cl-nv-maxrregcount=32" : NULL;
}

void gemp_sweep_shape_for(gemp_sweep_shape *shape, const gemp_count_graph *graph, const gemp_sum *sum)
{
	(void)sum;
	const gemp_device *device = graph->context->device;
	if (device->gpu)
		grouped_shape(shape, device);
	else
		*shape = (gemp_sweep_shape){ .dense = true, .workers = gemp_sweep_dense_workers(graph) };
}

gemp_code gemp_sweep_sum(const gemp_count_graph *graph, const gemp_sum *sum, gemp_sum_result *result)
{
	gemp_sweep_shape shape;
	gemp_sweep_shape_for(&shape, graph, sum);
	return gemp_sweep_sum_shaped(graph, sum, &shape, result);
}

gemp_code gemp_sweep_sums_new(gemp_sweep_sums *sums, gemp_device *device, size_t count)
{
	gemp_code code = GEMP_OK;
	*sums = (gemp_sweep_sums){ .count = count };
	GEMP_TRY(gemp_buffer_new(&sums->values, device, count * sizeof(cl_long), NULL));
	GEMP_TRY(gemp_buffer_new(&sums->magnitudes, device, count * sizeof(cl_double), NULL));
done:
	return code;
}

void gemp_sweep_sums_free(gemp_sweep_sums *sums, gemp_device *device)
{
	gemp_buffer_free(&sums->magnitudes, device);
	gemp_buffer_free(&sums->values, device);
}

gemp_code gemp_sweep_collect(gemp_sweep *sweep, const gemp_sweep_sums *sums)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = sweep->graph->context->device;
	cl_long *value = NULL;
	cl_double *magnitude = NULL;
	GEMP_TRY(GEMP_NEW(value, sums->count));
	GEMP_TRY(GEMP_NEW(magnitude, sums->count));
	GEMP_TRY(gemp_buffer_read(device, &sums->values, 0, sums->count * sizeof *value, value));
	GEMP_TRY(gemp_buffer_read(device, &sums->magnitudes, 0, sums->count * sizeof *magnitude, magnitude));
	for (size_t i = 0; i < sums->count; i++) {
		sweep->result->total += value[i];
		if (!(magnitude[i] < most))
			GEMP_TRY(gemp_fail(GEMP_EDATA, "a sum of '%s' over this graph does not fit into 64 bits; use more "
			                   "ranks or devices, so that each sums up less, or --count-by enumerate",
			                   sweep->sum->expression ? sweep->sum->expression : "paths"));
	}
done:
	gemp_free(magnitude);
	gemp_free(value);
	return code;
}
