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

size_t gemp_wedges_dense_workers(const gemp_count_graph *graph)
{
	const gemp_device *device = graph->context->device;
	size_t free_bytes = device->memory > device->buffer_bytes ? device->memory - device->buffer_bytes : 0;
	size_t capacity = free_bytes / (bytes_of_worker(graph) * (graph->vertices + 1ul));
	if (capacity == 0)
		capacity = 1;
	return capacity < device->units ? capacity : device->units;
}

gemp_code gemp_wedges_dense_new(gemp_wedges *wedges)
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
	GEMP_PROPAGATE(gemp_kernel_new(&wedges->kernel, &wedges->program, "count_wedges_dense"));
	GEMP_PROPAGATE(gemp_buffer_new(&d->row_starts, device, workers * d->indexed_rows * offset_size(graph), NULL));
	GEMP_PROPAGATE(gemp_buffer_new(&d->places, device, workers * graph->max_degree * 2 * offset_size(graph), NULL));
	GEMP_PROPAGATE(gemp_buffer_new(&d->counters, device, ends * counter, NULL));
	GEMP_PROPAGATE(gemp_buffer_zero(device, &d->counters, 0, ends * counter));
	GEMP_PROPAGATE(gemp_buffer_new(&d->touched, device, touched * sizeof(cl_uint), NULL));
	GEMP_PROPAGATE(gemp_buffer_new(&d->paths, device, paths, NULL));
	GEMP_PROPAGATE(gemp_buffer_zero(device, &d->paths, 0, paths));
	GEMP_PROPAGATE(gemp_buffer_new(&d->reached, device, (pairs ? touched : 1) * sizeof(cl_uint), NULL));
	GEMP_PROPAGATE(gemp_buffer_new(&d->next, device, sizeof(cl_uint), NULL));
	wedges->sums = workers;
	return GEMP_OK;
}

void gemp_wedges_dense_free(gemp_wedges *wedges)
{
	gemp_device *device = wedges->graph->context->device;
	gemp_wedges_dense *d = &wedges->dense;
	gemp_buffers_free(device, &d->next, &d->reached, &d->paths, &d->touched, &d->counters, &d->places, &d->row_starts);
}

enum { FIXED = 18 }; /* arguments before those of the expression */

gemp_code gemp_wedges_dense_launch(gemp_wedges *wedges)
{
	const gemp_count_graph *graph = wedges->graph;
	gemp_device *device = graph->context->device;
	const gemp_wedges_dense *d = &wedges->dense;
	gemp_argument arguments[FIXED + GEMP_MAX_VERTEX_TABLES + 1] = {
		GEMP_ARG(&graph->row_offsets.mem),
		GEMP_ARG(&graph->upper_offsets.mem),
		GEMP_ARG(&graph->column_indices.mem),
		GEMP_ARG(&wedges->first),
		GEMP_ARG(&wedges->step),
		GEMP_ARG(&wedges->roots),
		GEMP_ARG(&wedges->ends),
		GEMP_ARG(&d->indexed_rows),
		GEMP_ARG(&graph->max_degree),
		GEMP_ARG(&d->next.mem),
		GEMP_ARG(&d->row_starts.mem),
		GEMP_ARG(&d->places.mem),
		GEMP_ARG(&d->counters.mem),
		GEMP_ARG(&d->touched.mem),
		GEMP_ARG(&d->paths.mem),
		GEMP_ARG(&d->reached.mem),
		GEMP_ARG(&wedges->values.mem),
		GEMP_ARG(&wedges->magnitudes.mem),
	};
	size_t more = gemp_wedges_value_arguments(graph, wedges->sum, arguments + FIXED);
	GEMP_PROPAGATE(gemp_buffer_zero(device, &d->next, 0, sizeof(cl_uint)));
	return gemp_launch_timed_with(&wedges->timings, device, wedges->kernel, wedges->shape.workers, 1, arguments,
	                              FIXED + more);
}
