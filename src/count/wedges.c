#include "count/wedges.h"

#include "core/memory.h"
#include "count/codegen.h"
#include "count/plan.h"
#include "count/wedges_grouped.h"
#include "device/tuning.h"

#include <stdio.h>
#include <string.h>

/* DENSE, the form of CPU devices: a worker for each compute unit, with counters for all vertices. */

/* Rows of at most this length are searched from their start. For longer rows, a worker stores where it found the last
 * root. */
enum { SHORT_ROW = 16 };

static size_t offset_size(const gemp_count_graph *graph)
{
	return graph->wide ? sizeof(cl_ulong) : sizeof(cl_uint);
}

/* An upper bound on the bytes per vertex of one worker: counters and lists of the kind of sum that needs most. */
static size_t bytes_of_worker(const gemp_count_graph *graph)
{
	return sizeof(cl_uint) * 3 + sizeof(cl_ulong) + offset_size(graph) * 3;
}

/* Returns the number of workers whose counters fit into the free memory, at most one for each compute unit. */
static size_t dense_workers(const gemp_count_graph *graph)
{
	const gemp_device *device = graph->context->device;
	size_t free_bytes = device->memory > device->buffer_bytes ? device->memory - device->buffer_bytes : 0;
	size_t capacity = free_bytes / (bytes_of_worker(graph) * (graph->vertices + 1ul));
	if (capacity == 0)
		capacity = 1;
	return capacity < device->units ? capacity : device->units;
}

/* Counters and path counts start at zero, and the kernel leaves them at zero. A buffer that this kind of sum does not
 * use has one element, since OpenCL has no empty buffers. */
static gemp_code prepare_dense(gemp_wedges *wedges)
{
	const gemp_count_graph *graph = wedges->graph;
	gemp_device *device = graph->context->device;
	gemp_wedges_dense *d = &wedges->dense;
	size_t workers = wedges->shape.workers, ends = workers * wedges->ends;
	bool pairs = wedges->sum->kind == GEMP_SUM_PATH_PAIRS;
	size_t touched = pairs || wedges->sum->kind == GEMP_SUM_JOINED ? ends + workers : 1;
	size_t paths = (pairs ? ends : 1) * (gemp_wedges_few_paths(graph) ? sizeof(cl_uint) : sizeof(cl_ulong));
	size_t counter = gemp_wedges_narrow_counters(graph, wedges->sum) ? sizeof(cl_ushort) : sizeof(cl_uint);
	d->indexed_rows = gemp_count_rows_from_length(graph, wedges->ends, SHORT_ROW + 1);
	GEMP_TRY(gemp_kernel_new(&wedges->kernel, &wedges->program, "count_wedges_dense"));
	GEMP_TRY(gemp_buffer_new(&d->row_starts, device, workers * d->indexed_rows * offset_size(graph), NULL));
	GEMP_TRY(gemp_buffer_new(&d->places, device, workers * graph->max_degree * 2 * offset_size(graph), NULL));
	GEMP_TRY(gemp_buffer_new(&d->counters, device, ends * counter, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &d->counters, 0, ends * counter));
	GEMP_TRY(gemp_buffer_new(&d->touched, device, touched * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&d->paths, device, paths, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &d->paths, 0, paths));
	GEMP_TRY(gemp_buffer_new(&d->reached, device, (pairs ? touched : 1) * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&d->next, device, sizeof(cl_uint), NULL));
	wedges->sums = workers;
	return GEMP_OK;
}

/* In the grouped form these buffers are empty. */
static void free_dense(gemp_wedges *wedges)
{
	gemp_device *device = wedges->graph->context->device;
	gemp_wedges_dense *d = &wedges->dense;
	gemp_buffers_free(device, &d->next, &d->reached, &d->paths, &d->touched, &d->counters, &d->places, &d->row_starts);
}

enum { FIXED_ARGUMENTS = 18 }; /* number of arguments before those of the expression */

/* d->next is the counter from which workers take roots. */
static gemp_code launch_dense(gemp_wedges *wedges)
{
	const gemp_count_graph *graph = wedges->graph;
	gemp_device *device = graph->context->device;
	const gemp_wedges_dense *d = &wedges->dense;
	gemp_argument arguments[FIXED_ARGUMENTS + GEMP_MAX_VERTEX_TABLES + 1];
	size_t count = 0;
	gemp_count_add_arguments(arguments, count, GEMP_ARG(&graph->row_offsets.mem), GEMP_ARG(&graph->upper_offsets.mem),
	                         GEMP_ARG(&graph->column_indices.mem), GEMP_ARG(&wedges->first), GEMP_ARG(&wedges->step),
	                         GEMP_ARG(&wedges->roots), GEMP_ARG(&wedges->ends), GEMP_ARG(&d->indexed_rows),
	                         GEMP_ARG(&graph->max_degree), GEMP_ARG(&d->next.mem), GEMP_ARG(&d->row_starts.mem),
	                         GEMP_ARG(&d->places.mem), GEMP_ARG(&d->counters.mem), GEMP_ARG(&d->touched.mem),
	                         GEMP_ARG(&d->paths.mem), GEMP_ARG(&d->reached.mem), GEMP_ARG(&wedges->values.mem),
	                         GEMP_ARG(&wedges->magnitudes.mem));
	count += gemp_wedges_value_arguments(graph, wedges->sum, arguments + count);
	GEMP_TRY(gemp_buffer_zero(device, &d->next, 0, sizeof(cl_uint)));
	return gemp_launch_timed_with(&wedges->timings, device, wedges->kernel, wedges->shape.workers, 1, arguments, count);
}

/* GROUPED, the form of GPUs */

/* Words of local memory that kernels need besides the counters. */
enum { SPARE_WORDS = 64 };

/* The greatest power of 2 that is at most n (n >= 1). */
static uint32_t power_of_2(size_t n)
{
	uint32_t power = 1;
	while (power <= n / 2)
		power *= 2;
	return power;
}

/* The defaults were measured on an H200 (see docs/benchmarks): groups that fill a unit, and two sizes of tables for
 * roots with a medium number of paths. */
static void grouped_shape(gemp_wedges_shape *shape, const gemp_device *device)
{
	uint32_t local = (uint32_t)(device->local_memory / sizeof(cl_uint)) - SPARE_WORDS;
	*shape = (gemp_wedges_shape){ .lanes = device->nvidia ? 32 : 1, .row_lanes = 1 };
	shape->group = power_of_2(gemp_tuning(device, "count.wedges.group", 1024));
	if (shape->group > device->max_group)
		shape->group = power_of_2(device->max_group);
	/* a unit of an H200 has 2048 resident work-items */
	shape->groups = (size_t)device->units * 2048 / shape->group;
	shape->window_words = gemp_tuning(device, "count.wedges.window", local);
	if (shape->window_words > local)
		shape->window_words = local;
	if (device->nvidia) {
		shape->row_lanes = power_of_2(gemp_tuning(device, "count.wedges.lanes", 8));
		shape->worker_words = power_of_2(local / (shape->group / shape->lanes));
		if (shape->worker_words > 256)
			shape->worker_words = 256;
		/* with more registers, a second group of 1024 would not fit on a unit */
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

/* JOINED does not use workers with tables: it looks up many vertices without a counter, and an unsuccessful lookup in a
 * hash table walks to the next empty place. */
void gemp_wedges_shape_for(gemp_wedges_shape *shape, const gemp_count_graph *graph, const gemp_sum *sum)
{
	const gemp_device *device = graph->context->device;
	if (device->gpu) {
		grouped_shape(shape, device);
		if (sum->kind == GEMP_SUM_JOINED)
			shape->worker_words = 0;
	} else
		*shape = (gemp_wedges_shape){ .dense = true, .workers = dense_workers(graph) };
}

/* An upper bound on the number of paths of all roots, for the overflow check. */
static double max_paths(const gemp_count_graph *graph, bool any_middle, uint32_t ends)
{
	double paths = 0;
	for (uint32_t x = 0; x < ends; x++) {
		double row = (double)(graph->host_offsets[x + 1] - graph->host_offsets[x]);
		paths += any_middle ? row * row / 2 : row * (double)(graph->host_upper_offsets[x] - graph->host_offsets[x]);
	}
	return paths;
}

/* Decides whether kernels must also sum the magnitudes, because a sum could exceed 2^62. */
static gemp_code decide_check(gemp_wedges *wedges)
{
	const gemp_count_graph *graph = wedges->graph;
	const gemp_sum *sum = wedges->sum;
	double bound, degree = graph->max_degree;
	GEMP_TRY(gemp_count_bound(graph, sum->expression, &bound));
	if (sum->kind == GEMP_SUM_JOINED) /* a bound on the summands of one path's end */
		bound = degree * degree;
	else if (sum->kind == GEMP_SUM_PATH_PAIRS) /* a bound on the pairs that contain one two-path */
		bound = degree * degree * degree;
	if (bound * (double)graph->entries * degree >= 0x1p62)
		wedges->checked = bound * max_paths(graph, sum->kind == GEMP_SUM_PAIRS, wedges->ends) >= 0x1p62;
	return GEMP_OK;
}

/* The kernels that list tasks are a separate program, since they depend neither on the expression nor on the compiler
 * options of the sum. */
static gemp_code emit(gemp_wedges *wedges, gemp_text *source, gemp_text *tasks)
{
	GEMP_TRY(gemp_wedges_emit_types(source, wedges->graph, wedges->sum));
	GEMP_TRY(gemp_wedges_emit_value(source, wedges->sum, wedges->checked));
	if (wedges->shape.dense)
		return gemp_kernel_append(source, "count_wedges_dense.cl");
	GEMP_TRY(gemp_wedges_grouped_emit(source, wedges));
	GEMP_TRY(gemp_kernel_append(source, "count_wedges_grouped.cl"));
	GEMP_TRY(gemp_wedges_emit_types(tasks, wedges->graph, wedges->sum));
	return gemp_kernel_append(tasks, "count_wedges_tasks.cl");
}

/* Local. Finds the ends and this rank's roots. Trailing slots without neighbours are neither. */
static gemp_code describe(gemp_wedges *wedges, gemp_text *source, gemp_text *tasks)
{
	const gemp_count_graph *graph = wedges->graph;
	const gemp_comm *comm = graph->context->comm;
	wedges->ends = graph->vertices;
	while (wedges->ends && graph->host_offsets[wedges->ends] == graph->host_offsets[wedges->ends - 1])
		wedges->ends--;
	wedges->first = (cl_uint)comm->rank;
	wedges->step = (cl_uint)comm->size;
	wedges->roots = wedges->first < wedges->ends ? (wedges->ends - wedges->first - 1) / wedges->step + 1 : 0;
	GEMP_TRY(decide_check(wedges));
	return emit(wedges, source, tasks);
}

/* Local. Allocates memory and makes the task lists, for any number of runs. */
static gemp_code make(gemp_wedges *wedges)
{
	gemp_device *device = wedges->graph->context->device;
	if (wedges->roots == 0)
		return GEMP_OK;
	GEMP_TRY(wedges->shape.dense ? prepare_dense(wedges) : gemp_wedges_grouped_new(wedges));
	GEMP_TRY(gemp_buffer_new(&wedges->values, device, wedges->sums * sizeof(cl_long), NULL));
	GEMP_TRY(gemp_buffer_new(&wedges->magnitudes, device, wedges->sums * sizeof(cl_double), NULL));
	wedges->prepared = wedges->timings.count;
	return gemp_timings_seconds(&wedges->timings, &wedges->preparation);
}

/* The text of the program depends on the shape, so the shape must be equal on all ranks. */
gemp_code gemp_wedges_new_shaped(gemp_wedges **out, const gemp_count_graph *graph, const gemp_sum *sum,
                                 const gemp_wedges_shape *shape)
{
	GEMP_OWNED_BY(gemp_wedges_free_at) gemp_wedges *wedges = NULL;
	GEMP_OWNED_BY(gemp_text_free) gemp_text source = { 0 }, tasks = { 0 };
	gemp_runtime *context = graph->context;
	*out = NULL;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(wedges, 1)));
	*wedges = (gemp_wedges){ .graph = graph, .sum = sum, .shape = *shape };
	GEMP_TRY(gemp_comm_agree(context->comm, describe(wedges, &source, &tasks)));
	GEMP_TRY(gemp_runtime_program(context, &wedges->program, source.data, shape->options));
	if (!shape->dense)
		GEMP_TRY(gemp_runtime_program(context, &wedges->tasks_program, tasks.data, NULL));
	GEMP_TRY(gemp_comm_agree(context->comm, make(wedges)));
	*out = wedges;
	wedges = NULL;
	return GEMP_OK;
}

gemp_code gemp_wedges_new(gemp_wedges **out, const gemp_count_graph *graph, const gemp_sum *sum)
{
	gemp_wedges_shape shape;
	gemp_wedges_shape_for(&shape, graph, sum);
	return gemp_wedges_new_shaped(out, graph, sum, &shape);
}

double gemp_wedges_preparation(const gemp_wedges *wedges, uint64_t *launches)
{
	*launches = wedges->prepared;
	return wedges->preparation;
}

/* Also frees a partly made sum, whose missing buffers are zero. */
void gemp_wedges_free(gemp_wedges *wedges)
{
	if (!wedges)
		return;
	gemp_device *device = wedges->graph->context->device;
	gemp_kernels_free(&wedges->kernel, &wedges->tables_kernel);
	free_dense(wedges);
	gemp_wedges_grouped_free(wedges);
	gemp_buffers_free(device, &wedges->magnitudes, &wedges->values);
	gemp_program_store_and_free(device, &wedges->tasks_program);
	gemp_program_store_and_free(device, &wedges->program);
	gemp_timings_free(&wedges->timings);
	gemp_free(wedges);
}

/* The maximum of a 64-bit sum, halved to allow for rounding errors of the double. */
static const double max_magnitude = 0x1p62;

/* A partial sum whose magnitude reached 2^62 may be wrong, so the query falls back to enumeration. */
static gemp_code check_magnitudes(const gemp_wedges *wedges)
{
	const char *expression = wedges->sum->expression ? wedges->sum->expression : "paths";
	GEMP_OWNED cl_double *magnitude = NULL;
	GEMP_TRY(GEMP_NEW(magnitude, wedges->sums));
	GEMP_TRY(gemp_buffer_read(wedges->graph->context->device, &wedges->magnitudes, 0, wedges->sums * sizeof *magnitude,
	                          magnitude));
	for (size_t i = 0; i < wedges->sums; i++)
		if (!(magnitude[i] < max_magnitude))
			GEMP_TRY(gemp_fail(GEMP_EDATA,
			                   "a sum of '%s' over this graph does not fit into 64 bits; use more ranks "
			                   "or devices, so that each sums up less, or count-by enumerate",
			                   expression));
	return GEMP_OK;
}

/* Local. Adds up the partial sums of one run. A rank without roots contributes 0. */
static gemp_code run(gemp_wedges *wedges, gemp_sum_result *result)
{
	GEMP_OWNED cl_long *value = NULL;
	if (wedges->roots == 0)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(value, wedges->sums));
	GEMP_TRY(wedges->shape.dense ? launch_dense(wedges) : gemp_wedges_grouped_launch(wedges));
	GEMP_TRY(gemp_buffer_read(wedges->graph->context->device, &wedges->values, 0, wedges->sums * sizeof *value, value));
	result->launches = wedges->timings.count;
	GEMP_TRY(gemp_timings_seconds(&wedges->timings, &result->seconds));
	for (size_t i = 0; i < wedges->sums; i++)
		result->total += value[i];
	if (wedges->checked)
		GEMP_TRY(check_magnitudes(wedges));
	return GEMP_OK;
}

gemp_code gemp_wedges_run(gemp_wedges *wedges, gemp_sum_result *result)
{
	*result = (gemp_sum_result){ 0 };
	return gemp_comm_agree(wedges->graph->context->comm, run(wedges, result));
}
