#include "count/sweep.h"
#include "count/sweep_emit.h"

enum { GROUP = 256, GROUPS_A_UNIT = 8, ITEMS = 4, CHUNK = 1024 }; /* as in count_sweep_tasks.cl */

static size_t group_of(const gemp_device *device)
{
	return device->gpu ? GROUP : 1;
}

static size_t items(const gemp_device *device, uint64_t wanted)
{
	uint64_t most = (uint64_t)device->units * GROUPS_A_UNIT * group_of(device);
	return (size_t)(wanted < most ? wanted : most);
}

static gemp_code find_rows(gemp_sweep_tasks *tasks, gemp_sweep *sweep)
{
	gemp_code code = GEMP_OK;
	const gemp_count_graph *graph = sweep->graph;
	gemp_device *device = graph->context->device;
	cl_kernel kernel = NULL;
	cl_uint ends = sweep->ends;
	cl_ulong entries = graph->entries;
	size_t offset = graph->wide ? sizeof(cl_ulong) : sizeof(cl_uint);
	size_t paths = ends * (gemp_sweep_few_paths(graph) ? sizeof(cl_uint) : sizeof(cl_ulong));
	GEMP_TRY(gemp_kernel_new(&kernel, &sweep->tasks_program, "sweep_rows"));
	GEMP_TRY(gemp_buffer_new(&tasks->rows, device, graph->entries * 2 * offset, NULL));
	GEMP_TRY(gemp_buffer_new(&tasks->paths, device, paths, NULL));
	GEMP_TRY(gemp_buffer_zero(device, &tasks->paths, 0, paths));
	GEMP_TRY(gemp_launch(device, kernel, items(device, (entries + CHUNK - 1) / CHUNK * GROUP),
	                                  group_of(device), GEMP_ARG(&graph->begin.mem), GEMP_ARG(&graph->near.mem),
	                                  GEMP_ARG(&sweep->first), GEMP_ARG(&sweep->step), GEMP_ARG(&ends),
	                                  GEMP_ARG(&entries), GEMP_ARG(&tasks->rows.mem), GEMP_ARG(&tasks->paths.mem)));
	GEMP_TRY(gemp_laps_add(&sweep->laps, device));
done:
	if (kernel)
		clReleaseKernel(kernel);
	return code;
}

static gemp_code count_buckets(gemp_sweep_tasks *tasks, gemp_sweep *sweep, const gemp_buffer *buckets)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = sweep->graph->context->device;
	cl_kernel kernel = NULL;
	GEMP_TRY(gemp_kernel_new(&kernel, &sweep->tasks_program, "sweep_classes"));
	GEMP_TRY(gemp_buffer_zero(device, buckets, 0, buckets->size));
	GEMP_TRY(gemp_launch(device, kernel, items(device, sweep->roots), group_of(device),
	                                  GEMP_ARG(&tasks->paths.mem), GEMP_ARG(&sweep->first), GEMP_ARG(&sweep->step),
	                                  GEMP_ARG(&sweep->roots), GEMP_ARG(&buckets->mem)));
	GEMP_TRY(gemp_laps_add(&sweep->laps, device));
	GEMP_TRY(gemp_buffer_read(device, buckets, 0, sizeof tasks->sizes, tasks->sizes));
done:
	if (kernel)
		clReleaseKernel(kernel);
	return code;
}

static gemp_code list_roots(gemp_sweep_tasks *tasks, gemp_sweep *sweep, const gemp_buffer *buckets)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = sweep->graph->context->device;
	cl_kernel kernel = NULL;
	uint32_t place[GEMP_SWEEP_BUCKETS], before = 0;
	for (size_t b = GEMP_SWEEP_BUCKETS; b-- > 0; before += tasks->sizes[b])
		place[b] = before;
	GEMP_TRY(gemp_kernel_new(&kernel, &sweep->tasks_program, "sweep_list"));
	GEMP_TRY(gemp_buffer_write(device, buckets, 0, sizeof place, place));
	GEMP_TRY(gemp_buffer_new(&tasks->list, device, sweep->roots * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_launch(device, kernel, items(device, (sweep->roots + ITEMS - 1) / ITEMS), group_of(device),
	                                  GEMP_ARG(&tasks->paths.mem), GEMP_ARG(&sweep->first), GEMP_ARG(&sweep->step),
	                                  GEMP_ARG(&sweep->roots), GEMP_ARG(&buckets->mem), GEMP_ARG(&tasks->list.mem)));
	GEMP_TRY(gemp_laps_add(&sweep->laps, device));
done:
	if (kernel)
		clReleaseKernel(kernel);
	return code;
}

gemp_code gemp_sweep_tasks_new(gemp_sweep_tasks *tasks, gemp_sweep *sweep)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = sweep->graph->context->device;
	gemp_buffer buckets = { 0 };
	*tasks = (gemp_sweep_tasks){ 0 };
	GEMP_TRY(gemp_buffer_new(&buckets, device, sizeof tasks->sizes, NULL));
	GEMP_TRY(find_rows(tasks, sweep));
	GEMP_TRY(count_buckets(tasks, sweep, &buckets));
	GEMP_TRY(list_roots(tasks, sweep, &buckets));
done:
	gemp_buffer_free(&buckets, device);
	return code;
}

void gemp_sweep_tasks_free(gemp_sweep_tasks *tasks, gemp_device *device)
{
	gemp_buffer_free(&tasks->list, device);
	gemp_buffer_free(&tasks->paths, device);
	gemp_buffer_free(&tasks->rows, device);
}

/* As in count_sweep_tasks.cl. */
static size_t bucket_of(uint64_t paths)
{
	if (paths < 16)
		return (size_t)paths;
	unsigned log = 63 - (unsigned)__builtin_clzll(paths);
	return 16 + (size_t)(log - 4) * 8 + (size_t)(paths >> (log - 3) & 7);
}

uint32_t gemp_sweep_roots_above(const gemp_sweep_tasks *tasks, uint64_t paths)
{
	uint32_t roots = 0;
	for (size_t b = bucket_of(paths + 1); b < GEMP_SWEEP_BUCKETS; b++)
		roots += tasks->sizes[b];
	return roots;
}
