#include "count/sweep.h"

#include "count/sweep_emit.h"

#include "core/memory.h"

/* Bytes that a worker keeps for each end. */
static size_t bytes_an_end(const gemp_count_graph *graph)
{
	return sizeof(cl_uint) * 2 + (graph->wide ? sizeof(cl_ulong2) : sizeof(cl_uint2));
}

void gemp_sweep_shape_for(gemp_sweep_shape *shape, const gemp_count_graph *graph, const gemp_sum *sum)
{
	(void)sum;
	const gemp_device *device = graph->context->device;
	size_t free_bytes = device->memory > device->held ? device->memory - device->held : 0;
	size_t room = free_bytes / (bytes_an_end(graph) * (graph->vertices + 1ul));
	*shape = (gemp_sweep_shape){ .workers = device->units };
	if (shape->workers > room)
		shape->workers = room ? room : 1;
}

typedef struct dense {
	gemp_buffer rows, counters, touched, next, values, magnitudes;
} dense;

static gemp_code make(dense *d, gemp_sweep *sweep)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = sweep->graph->context->device;
	size_t workers = sweep->shape.workers, ends = workers * sweep->ends;
	size_t touched = sweep->sum->kind == GEMP_SUM_JOINED ? ends + workers : 1;
	GEMP_TRY(gemp_buffer_new(&d->rows, device, ends * (sweep->graph->wide ? sizeof(cl_ulong2) : sizeof(cl_uint2)), NULL));
	GEMP_TRY(gemp_buffer_new(&d->counters, device, ends * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&d->touched, device, touched * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&d->next, device, sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&d->values, device, workers * sizeof(cl_long), NULL));
	GEMP_TRY(gemp_buffer_new(&d->magnitudes, device, workers * sizeof(cl_double), NULL));
	GEMP_TRY(gemp_buffer_zero(device, &d->counters, 0, ends * sizeof(cl_uint)));
	GEMP_TRY(gemp_buffer_zero(device, &d->next, 0, sizeof(cl_uint)));
done:
	return code;
}

static gemp_code launch(dense *d, gemp_sweep *sweep, cl_kernel kernel)
{
	const gemp_count_graph *graph = sweep->graph;
	cl_uint ends = sweep->ends;
	gemp_argument arguments[13 + GEMP_MAX_VERTEX_TABLES + 1] = {
		GEMP_ARG(&graph->begin.mem), GEMP_ARG(&graph->mid.mem), GEMP_ARG(&graph->near.mem), GEMP_ARG(&sweep->first),
		GEMP_ARG(&sweep->step), GEMP_ARG(&sweep->roots), GEMP_ARG(&ends), GEMP_ARG(&d->next.mem),
		GEMP_ARG(&d->rows.mem), GEMP_ARG(&d->counters.mem), GEMP_ARG(&d->touched.mem), GEMP_ARG(&d->values.mem),
		GEMP_ARG(&d->magnitudes.mem),
	};
	size_t more = gemp_sweep_value_arguments(graph, sweep->sum, arguments + 13);
	sweep->result->launches++;
	return gemp_launch_with(graph->context->device, kernel, sweep->shape.workers, 1, arguments, 13 + more);
}

gemp_code gemp_sweep_dense(gemp_sweep *sweep)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = sweep->graph->context->device;
	dense d = { 0 };
	cl_kernel kernel = NULL;
	GEMP_TRY(gemp_kernel_new(&kernel, &sweep->program, "count_sweep_dense"));
	GEMP_TRY(make(&d, sweep));
	GEMP_TRY(launch(&d, sweep, kernel));
	GEMP_TRY(gemp_launch_seconds(device, &sweep->result->seconds));
	GEMP_TRY(gemp_sweep_collect(sweep, &d.values, &d.magnitudes, sweep->shape.workers));
done:
	gemp_buffer_free(&d.magnitudes, device);
	gemp_buffer_free(&d.values, device);
	gemp_buffer_free(&d.next, device);
	gemp_buffer_free(&d.touched, device);
	gemp_buffer_free(&d.counters, device);
	gemp_buffer_free(&d.rows, device);
	if (kernel)
		clReleaseKernel(kernel);
	return code;
}
