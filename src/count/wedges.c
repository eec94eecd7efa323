#include "count/wedges.h"

#include "core/memory.h"
#include "count/expression.h"
#include "count/wedges_codegen.h"
#include "count/wedges_dense.h"
#include "count/wedges_grouped.h"
#include "device/tuning.h"

#include <stdio.h>
#include <string.h>

/* Words of local memory that kernels need beside counters. */
enum { SPARE_WORDS = 64 };

static uint32_t power_of_2(size_t n)
{
	uint32_t power = 1;
	while (power <= n / 2)
		power *= 2;
	return power;
}

static void grouped_shape(gemp_wedges_shape *shape, const gemp_device *device)
{
	uint32_t local = (uint32_t)(device->local_memory / sizeof(cl_uint)) - SPARE_WORDS;
	*shape = (gemp_wedges_shape){ .lanes = device->nvidia ? 32 : 1, .row_lanes = 1 };
	shape->group = power_of_2(gemp_tuning(device, "count.sweep.group", 1024));
	if (shape->group > device->max_group)
		shape->group = power_of_2(device->max_group);
	/* All that a unit of an H200 can have resident. */
	shape->groups = (size_t)device->units * 2048 / shape->group;
	shape->window_words = gemp_tuning(device, "count.sweep.window", local);
	if (shape->window_words > local)
		shape->window_words = local;
	if (device->nvidia) {
		shape->row_lanes = power_of_2(gemp_tuning(device, "count.sweep.lanes", 8));
		shape->worker_words = power_of_2(local / (shape->group / shape->lanes));
		if (shape->worker_words > 256)
			shape->worker_words = 256;
		/* With more, a second group of 1024 would not fit on a unit. */
		shape->options = "-cl-nv-maxrregcount=32";
	}
	shape->tables[0].group = 128;
	shape->tables[0].words = 2048;
	shape->tables[1].group = 512;
	shape->tables[1].words = 8192;
	for (size_t k = 0; k < GEMP_MAX_ROOT_TABLES; k++)
		if (shape->tables[k].group > shape->group || shape->tables[k].words > local)
			shape->tables[k].words = 0;
}

void gemp_wedges_shape_for(gemp_wedges_shape *shape, const gemp_count_graph *graph, const gemp_sum *sum)
{
	const gemp_device *device = graph->context->device;
	if (device->gpu) {
		grouped_shape(shape, device);
		/* Looking up in a hashed table what is not there is slow, and a worker is slow alone. */
		if (sum->kind == GEMP_SUM_JOINED)
			shape->worker_words = 0;
	} else
		*shape = (gemp_wedges_shape){ .dense = true, .workers = gemp_wedges_dense_workers(graph) };
}

static double bound_of(void *self, const char *symbol)
{
	const gemp_count_graph *graph = self;
	if (strcmp(symbol, "c") == 0 || symbol[0] == 't')
		return graph->max_degree;
	if (strcmp(symbol, "a") == 0)
		return 1;
	unsigned table = GEMP_MAX_VERTEX_TABLES, place;
	if (sscanf(symbol, "V%u_%u", &table, &place) != 2 || table >= GEMP_MAX_VERTEX_TABLES)
		return -1;
	return graph->table_bound[table];
}

/* Paths r-x-w with slot w > slot r, and with slot x > slot r unless the middle may be anything: at most. */
static double max_paths(const gemp_count_graph *graph, bool any_middle, uint32_t ends)
{
	double paths = 0;
	for (uint32_t x = 0; x < ends; x++) {
		double row = (double)(graph->host_offsets[x + 1] - graph->host_offsets[x]);
		paths += any_middle ? row * row / 2 : row * (double)(graph->host_upper_offsets[x] - graph->host_offsets[x]);
	}
	return paths;
}

/* Could a sum of values leave 64 bits? */
static gemp_code gemp_wedges_watch(gemp_wedges *sweep)
{
	gemp_code code = GEMP_OK;
	const gemp_count_graph *graph = sweep->graph;
	const gemp_sum *sum = sweep->sum;
	double bound = (double)graph->max_degree *
	               graph->max_degree;     /* JOINED: of the ends that a path's end is joined to */
	if (sum->kind == GEMP_SUM_PATH_PAIRS) /* of the paths beside each that goes on from a path's end */
		bound *= graph->max_degree;
	else if (sum->kind != GEMP_SUM_JOINED)
		GEMP_TRY(
			gemp_expression_bound(sum->expression ? sum->expression : "1", bound_of, (void *)(uintptr_t)graph, &bound));
	if (bound * (double)graph->entries * graph->max_degree >= 0x1p62)
		sweep->checked = bound * max_paths(graph, sum->kind == GEMP_SUM_PAIRS, sweep->ends) >= 0x1p62;
done:
	return code;
}

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

static gemp_code emit(gemp_wedges *sweep, gemp_text *source, gemp_text *tasks)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_wedges_emit_types(source, sweep->graph, sweep->sum));
	GEMP_TRY(gemp_wedges_emit_value(source, sweep->sum, sweep->checked));
	if (sweep->shape.dense)
		return put_file(source, "count_wedges_dense.cl");
	GEMP_TRY(gemp_wedges_grouped_emit(source, sweep));
	GEMP_TRY(put_file(source, "count_wedges_grouped.cl"));
	GEMP_TRY(gemp_wedges_emit_types(tasks, sweep->graph, sweep->sum));
	GEMP_TRY(put_file(tasks, "count_wedges_tasks.cl"));
done:
	return code;
}

/* Local. */
static gemp_code describe(gemp_wedges *sweep, gemp_text *source, gemp_text *tasks)
{
	gemp_code code = GEMP_OK;
	const gemp_count_graph *graph = sweep->graph;
	const gemp_comm *comm = graph->context->comm;
	sweep->ends = graph->vertices;
	while (sweep->ends && graph->host_offsets[sweep->ends] == graph->host_offsets[sweep->ends - 1])
		sweep->ends--;
	sweep->first = (cl_uint)comm->rank;
	sweep->step = (cl_uint)comm->size;
	sweep->roots = sweep->first < sweep->ends ? (sweep->ends - sweep->first - 1) / sweep->step + 1 : 0;
	GEMP_TRY(gemp_wedges_watch(sweep));
	GEMP_TRY(emit(sweep, source, tasks));
done:
	return code;
}

/* Local. */
static gemp_code make(gemp_wedges *sweep)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = sweep->graph->context->device;
	if (sweep->roots == 0)
		return GEMP_OK;
	GEMP_TRY(sweep->shape.dense ? gemp_wedges_dense_new(sweep) : gemp_wedges_grouped_new(sweep));
	GEMP_TRY(gemp_buffer_new(&sweep->values, device, sweep->sums * sizeof(cl_long), NULL));
	GEMP_TRY(gemp_buffer_new(&sweep->magnitudes, device, sweep->sums * sizeof(cl_double), NULL));
	sweep->prepared = sweep->laps.count;
	GEMP_TRY(gemp_timings_seconds(&sweep->laps, &sweep->preparation));
done:
	return code;
}

gemp_code gemp_wedges_new_shaped(gemp_wedges **out, const gemp_count_graph *graph, const gemp_sum *sum,
                                 const gemp_wedges_shape *shape)
{
	gemp_code code = GEMP_OK;
	gemp_wedges *sweep = NULL;
	gemp_text source = { 0 }, tasks = { 0 };
	gemp_runtime *context = graph->context;
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(sweep, 1)));
	*sweep = (gemp_wedges){ .graph = graph, .sum = sum, .shape = *shape };
	GEMP_TRY(gemp_comm_agree(context->comm, describe(sweep, &source, &tasks)));
	GEMP_TRY(gemp_runtime_program(context, &sweep->program, source.data, shape->options));
	if (!shape->dense)
		GEMP_TRY(gemp_runtime_program(context, &sweep->tasks_program, tasks.data, NULL));
	GEMP_TRY(gemp_comm_agree(context->comm, make(sweep)));
	*out = sweep;
	sweep = NULL;
done:
	gemp_wedges_free(sweep);
	gemp_text_free(&tasks);
	gemp_text_free(&source);
	return code;
}

gemp_code gemp_wedges_new(gemp_wedges **out, const gemp_count_graph *graph, const gemp_sum *sum)
{
	gemp_wedges_shape shape;
	gemp_wedges_shape_for(&shape, graph, sum);
	return gemp_wedges_new_shaped(out, graph, sum, &shape);
}

double gemp_wedges_preparation(const gemp_wedges *sweep, uint64_t *launches)
{
	*launches = sweep->prepared;
	return sweep->preparation;
}

static void free_program(gemp_wedges *sweep, gemp_program *program)
{
	if (program->program && !program->cached)
		gemp_program_store(sweep->graph->context->device, program); /* with what its first launches compiled */
	gemp_program_free(program);
}

void gemp_wedges_free(gemp_wedges *sweep)
{
	if (!sweep)
		return;
	gemp_device *device = sweep->graph->context->device;
	if (sweep->kernel)
		clReleaseKernel(sweep->kernel);
	if (sweep->tables_kernel)
		clReleaseKernel(sweep->tables_kernel);
	gemp_wedges_dense_free(sweep);
	gemp_wedges_grouped_free(sweep);
	gemp_buffer_free(&sweep->magnitudes, device);
	gemp_buffer_free(&sweep->values, device);
	free_program(sweep, &sweep->tasks_program);
	free_program(sweep, &sweep->program);
	gemp_timings_free(&sweep->laps);
	gemp_free(sweep);
}

/* Of a 64-bit sum, with room for what a double rounds. */
static const double most_magnitude = 0x1p62;

static gemp_code check_magnitudes(const gemp_wedges *sweep)
{
	gemp_code code = GEMP_OK;
	const char *expression = sweep->sum->expression ? sweep->sum->expression : "paths";
	cl_double *magnitude = NULL;
	GEMP_TRY(GEMP_NEW(magnitude, sweep->sums));
	GEMP_TRY(gemp_buffer_read(sweep->graph->context->device, &sweep->magnitudes, 0, sweep->sums * sizeof *magnitude,
	                          magnitude));
	for (size_t i = 0; i < sweep->sums; i++)
		if (!(magnitude[i] < most_magnitude))
			GEMP_TRY(gemp_fail(GEMP_EDATA,
			                   "a sum of '%s' over this graph does not fit into 64 bits; use more ranks "
			                   "or devices, so that each sums up less, or --count-by enumerate",
			                   expression));
done:
	gemp_free(magnitude);
	return code;
}

/* Local. */
static gemp_code run(gemp_wedges *sweep, gemp_sum_result *result)
{
	gemp_code code = GEMP_OK;
	cl_long *value = NULL;
	if (sweep->roots == 0)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(value, sweep->sums));
	GEMP_TRY(sweep->shape.dense ? gemp_wedges_dense_launch(sweep) : gemp_wedges_grouped_launch(sweep));
	GEMP_TRY(gemp_buffer_read(sweep->graph->context->device, &sweep->values, 0, sweep->sums * sizeof *value, value));
	result->launches = sweep->laps.count;
	GEMP_TRY(gemp_timings_seconds(&sweep->laps, &result->seconds));
	for (size_t i = 0; i < sweep->sums; i++)
		result->total += value[i];
	if (sweep->checked)
		GEMP_TRY(check_magnitudes(sweep));
done:
	gemp_free(value);
	return code;
}

gemp_code gemp_wedges_run(gemp_wedges *sweep, gemp_sum_result *result)
{
	*result = (gemp_sum_result){ 0 };
	return gemp_comm_agree(sweep->graph->context->comm, run(sweep, result));
}
