#include "count/wedges_dense.h"

#include "core/search.h"
#include "count/wedges_codegen.h"

/* Rows of at most so many entries are gone through from their begin. */
enum { SHORT_ROW = 16 };

static size_t offset_size(const gemp_count_graph *graph)
{
	return graph->wide ? sizeof(cl_ulong) : sizeof(cl_uint);
}

/* At most, for each vertex. */
static size_t bytes_of_worker(const gemp_count_graph *graph)
{
	return sizeof(cl_uint) * 3 + sizeof(cl_ulong) + offset_size(graph) * 3;
}

/* Slots from there on have short rows, as far as rows are in descending order. */
static cl_uint long_rows(const gemp_count_graph *graph, uint32_t ends)
{
	size_t row;
	GEMP_PARTITION_POINT(row, 0, ends, graph->host_offsets[row + 1] - graph->host_offsets[row] > SHORT_ROW);
	return (cl_uint)row;
}

size_t gemp_wedges_dense_workers(const gemp_count_graph *graph)
{
	const gemp_device *device = graph->context->device;
	size_t free_bytes = device->memory > device->buffer_bytes ? device->memory - device->buffer_bytes : 0;
	size_t room = free_bytes / (bytes_of_worker(graph) * (graph->vertices + 1ul));
	if (room == 0)
		room = 1;
	return room < device->units ? room : device->units;
}

gemp_code gemp_wedges_dense_new(gemp_wedges *sweep)
{
	gemp_code code = GEMP_OK;
	const gemp_count_graph *graph = sweep->graph;
	gemp_device *device = graph->context->device;
	gemp_wedges_dense *d = &sweep->dense;
	size_t workers = sweep->shape.workers, ends = workers * sweep->ends;
	bool pairs = sweep->sum->kind == GEMP_SUM_PATH_PAIRS;
	size_t touched = pairs || sweep->sum->kind == GEMP_SUM_JOINED ? ends + workers : 1;
	size_t paths = (pairs ? ends : 1) * (gemp_wedges_few_paths(graph) ? sizeof(cl_uint) : sizeof(cl_ulong));
	size_t counter = gemp_wedges_narrow_counters(graph, sweep->sum) ? sizeof(cl_ushort) : sizeof(cl_uint);
	d->indexed_rows = long_rows(graph, sweep->ends);
	GEMP_TRY(gemp_kernel_new(&sweep->kernel, &sweep->program, "count_sweep_dense"));
	GEMP_TRY(gemp_buffer_new(&d->row_starts, device, workers * d->indexed_rows * offset_size(graph), NULL));
	GEMP_TRY(gemp_buffer_new(&d->places, device, workers * graph->max_degree * 2 * offset_size(graph), NULL));
	GEMP_TRY(gemp_buffer_new(&d->counters, device, ends * counter, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &d->counters, 0, ends * counter));
	GEMP_TRY(gemp_buffer_new(&d->touched, device, touched * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&d->paths, device, paths, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &d->paths, 0, paths));
	GEMP_TRY(gemp_buffer_new(&d->reached, device, (pairs ? touched : 1) * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&d->next, device, sizeof(cl_uint), NULL));
	sweep->sums = workers;
done:
	return code;
}

void gemp_wedges_dense_free(gemp_wedges *sweep)
{
	gemp_device *device = sweep->graph->context->device;
	gemp_wedges_dense *d = &sweep->dense;
	gemp_buffer_free(&d->next, device);
	gemp_buffer_free(&d->reached, device);
	gemp_buffer_free(&d->paths, device);
	gemp_buffer_free(&d->touched, device);
	gemp_buffer_free(&d->counters, device);
	gemp_buffer_free(&d->places, device);
	gemp_buffer_free(&d->row_starts, device);
}

enum { FIXED = 18 }; /* arguments before those of the expression */

gemp_code gemp_wedges_dense_launch(gemp_wedges *sweep)
{
	gemp_code code = GEMP_OK;
	const gemp_count_graph *graph = sweep->graph;
	gemp_device *device = graph->context->device;
	const gemp_wedges_dense *d = &sweep->dense;
	gemp_argument arguments[FIXED + GEMP_MAX_VERTEX_TABLES + 1] = {
		GEMP_ARG(&graph->row_offsets.mem),
		GEMP_ARG(&graph->upper_offsets.mem),
		GEMP_ARG(&graph->column_indices.mem),
		GEMP_ARG(&sweep->first),
		GEMP_ARG(&sweep->step),
		GEMP_ARG(&sweep->roots),
		GEMP_ARG(&sweep->ends),
		GEMP_ARG(&d->indexed_rows),
		GEMP_ARG(&graph->max_degree),
		GEMP_ARG(&d->next.mem),
		GEMP_ARG(&d->row_starts.mem),
		GEMP_ARG(&d->places.mem),
		GEMP_ARG(&d->counters.mem),
		GEMP_ARG(&d->touched.mem),
		GEMP_ARG(&d->paths.mem),
		GEMP_ARG(&d->reached.mem),
		GEMP_ARG(&sweep->values.mem),
		GEMP_ARG(&sweep->magnitudes.mem),
	};
	size_t more = gemp_wedges_value_arguments(graph, sweep->sum, arguments + FIXED);
	GEMP_TRY(gemp_buffer_zero(device, &d->next, 0, sizeof(cl_uint)));
	GEMP_TRY(gemp_launch_with(device, sweep->kernel, sweep->shape.workers, 1, arguments, FIXED + more));
	GEMP_TRY(gemp_timings_add(&sweep->laps, device));
done:
	return code;
}
