#include "count/sweep.h"

/* Words of local memory that kernels need beside counters. */
enum { SPARE_WORDS = 64 };

static uint32_t power_of_2(size_t n)
{
	uint32_t power = 1;
	while (power <= n / 2)
		power *= 2;
	return power;
}

static void grouped_shape(gemp_sweep_shape *shape, const gemp_device *device)
{
	uint32_t local = (uint32_t)(device->local / sizeof(cl_uint)) - SPARE_WORDS;
	*shape = (gemp_sweep_shape){ .lanes = device->nvidia ? 32 : 1, .row_lanes = 1 };
	shape->group = power_of_2(gemp_tuning(device, "count.sweep.group", 1024));
	if (shape->group > device->group)
		shape->group = power_of_2(device->group);
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
	for (size_t k = 0; k < GEMP_MOST_TABLES; k++)
		if (shape->tables[k].group > shape->group || shape->tables[k].words > local)
			shape->tables[k].words = 0;
}

void gemp_sweep_shape_for(gemp_sweep_shape *shape, const gemp_count_graph *graph, const gemp_sum *sum)
{
	const gemp_device *device = graph->context->device;
	if (device->gpu) {
		grouped_shape(shape, device);
		/* Looking up in a hashed table what is not there is slow, and a worker is slow alone. */
		if (sum->kind == GEMP_SUM_JOINED)
			shape->worker_words = 0;
	}
	else
		*shape = (gemp_sweep_shape){ .dense = true, .workers = gemp_sweep_dense_workers(graph) };
}
