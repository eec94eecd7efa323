#include "count/sweep.h"

#include "count/sweep_emit.h"

#include "core/memory.h"

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
	GEMP_TRY(gemp_sweep_grouped_emit(source, sweep));
	GEMP_TRY(put_file(source, "count_sweep_group.cl"));
	GEMP_TRY(gemp_sweep_emit_types(tasks, sweep->graph, sweep->sum));
	GEMP_TRY(put_file(tasks, "count_sweep_tasks.cl"));
done:
	return code;
}

/* Local. */
static gemp_code describe(gemp_sweep *sweep, gemp_text *source, gemp_text *tasks)
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
	GEMP_TRY(gemp_sweep_watch(sweep));
	GEMP_TRY(emit(sweep, source, tasks));
done:
	return code;
}

/* Local. */
static gemp_code make(gemp_sweep *sweep)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = sweep->graph->context->device;
	if (sweep->roots == 0)
		return GEMP_OK;
	GEMP_TRY(sweep->shape.dense ? gemp_sweep_dense_new(sweep) : gemp_sweep_grouped_new(sweep));
	GEMP_TRY(gemp_buffer_new(&sweep->values, device, sweep->sums * sizeof(cl_long), NULL));
	GEMP_TRY(gemp_buffer_new(&sweep->magnitudes, device, sweep->sums * sizeof(cl_double), NULL));
	sweep->prepared = sweep->laps.count;
	GEMP_TRY(gemp_laps_seconds(&sweep->laps, &sweep->preparation));
done:
	return code;
}

gemp_code gemp_sweep_new_shaped(gemp_sweep **out, const gemp_count_graph *graph, const gemp_sum *sum,
                                const gemp_sweep_shape *shape)
{
	gemp_code code = GEMP_OK;
	gemp_sweep *sweep = NULL;
	gemp_text source = { 0 }, tasks = { 0 };
	gemp_context *context = graph->context;
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(sweep, 1)));
	*sweep = (gemp_sweep){ .graph = graph, .sum = sum, .shape = *shape };
	GEMP_TRY(gemp_comm_agree(context->comm, describe(sweep, &source, &tasks)));
	GEMP_TRY(gemp_context_program(context, &sweep->program, source.data, shape->options));
	if (!shape->dense)
		GEMP_TRY(gemp_context_program(context, &sweep->tasks_program, tasks.data, NULL));
	GEMP_TRY(gemp_comm_agree(context->comm, make(sweep)));
	*out = sweep;
	sweep = NULL;
done:
	gemp_sweep_free(sweep);
	gemp_text_free(&tasks);
	gemp_text_free(&source);
	return code;
}

gemp_code gemp_sweep_new(gemp_sweep **out, const gemp_count_graph *graph, const gemp_sum *sum)
{
	gemp_sweep_shape shape;
	gemp_sweep_shape_for(&shape, graph, sum);
	return gemp_sweep_new_shaped(out, graph, sum, &shape);
}

double gemp_sweep_preparation(const gemp_sweep *sweep, uint64_t *launches)
{
	*launches = sweep->prepared;
	return sweep->preparation;
}

static void free_program(gemp_sweep *sweep, gemp_program *program)
{
	if (program->program && !program->cached)
		gemp_program_store(sweep->graph->context->device, program); /* with what its first launches compiled */
	gemp_program_free(program);
}

void gemp_sweep_free(gemp_sweep *sweep)
{
	if (!sweep)
		return;
	gemp_device *device = sweep->graph->context->device;
	if (sweep->kernel)
		clReleaseKernel(sweep->kernel);
	if (sweep->tables_kernel)
		clReleaseKernel(sweep->tables_kernel);
	gemp_sweep_dense_free(sweep);
	gemp_sweep_grouped_free(sweep);
	gemp_buffer_free(&sweep->magnitudes, device);
	gemp_buffer_free(&sweep->values, device);
	free_program(sweep, &sweep->tasks_program);
	free_program(sweep, &sweep->program);
	gemp_laps_free(&sweep->laps);
	gemp_free(sweep);
}

/* Of a 64-bit sum, with room for what a double rounds. */
static const double most_magnitude = 0x1p62;

static gemp_code check_magnitudes(const gemp_sweep *sweep)
{
	gemp_code code = GEMP_OK;
	const char *expression = sweep->sum->expression ? sweep->sum->expression : "paths";
	cl_double *magnitude = NULL;
	GEMP_TRY(GEMP_NEW(magnitude, sweep->sums));
	GEMP_TRY(gemp_buffer_read(sweep->graph->context->device, &sweep->magnitudes, 0, sweep->sums * sizeof *magnitude,
	                          magnitude));
	for (size_t i = 0; i < sweep->sums; i++)
		if (!(magnitude[i] < most_magnitude))
			GEMP_TRY(gemp_fail(GEMP_EDATA, "a sum of '%s' over this graph does not fit into 64 bits; use more ranks "
			                   "or devices, so that each sums up less, or --count-by enumerate", expression));
done:
	gemp_free(magnitude);
	return code;
}

/* Local. */
static gemp_code run(gemp_sweep *sweep, gemp_sum_result *result)
{
	gemp_code code = GEMP_OK;
	cl_long *value = NULL;
	if (sweep->roots == 0)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(value, sweep->sums));
	GEMP_TRY(sweep->shape.dense ? gemp_sweep_dense_launch(sweep) : gemp_sweep_grouped_launch(sweep));
	GEMP_TRY(gemp_buffer_read(sweep->graph->context->device, &sweep->values, 0, sweep->sums * sizeof *value, value));
	result->launches = sweep->laps.count;
	GEMP_TRY(gemp_laps_seconds(&sweep->laps, &result->seconds));
	for (size_t i = 0; i < sweep->sums; i++)
		result->total += value[i];
	if (sweep->watched)
		GEMP_TRY(check_magnitudes(sweep));
done:
	gemp_free(value);
	return code;
}

gemp_code gemp_sweep_run(gemp_sweep *sweep, gemp_sum_result *result)
{
	*result = (gemp_sum_result){ 0 };
	return gemp_comm_agree(sweep->graph->context->comm, run(sweep, result));
}
