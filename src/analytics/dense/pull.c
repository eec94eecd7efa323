#include "analytics/dense/pull.h"

#include "core/memory.h"
#include "core/threads.h"
#include "device/tuning.h"

#include <stdio.h>
#include <string.h>

/* The number of a row's edges decides whether it is a hub, in the middle class, or in the rest. Kernels find a row's
 * class by its place in the order of rows, so rows that are not stored by class need order[]. The slices of a hub may
 * end on different work-groups. ended[hub] counts the slices, and the group that ends the last slice adds up their
 * partial sums. */

enum { HUB, MIDDLE, REST, CLASSES };

static uint64_t edges_of(const gemp_layout_rows *rows, uint32_t row)
{
	return rows->begin[row + 1] - rows->begin[row];
}

static uint32_t or_default(uint32_t value, uint32_t otherwise)
{
	return value ? value : otherwise;
}

static uint32_t or_tuned(uint32_t value, const gemp_device *device, const char *name, uint32_t otherwise)
{
	return value ? value : gemp_tuning(device, name, otherwise);
}

typedef struct short_rows {
	const gemp_layout_rows *rows;
	uint32_t middle;
	uint64_t edges[GEMP_MAX_RANGES], count[GEMP_MAX_RANGES]; /* by range of rows */
} short_rows;

static void count_short_rows(void *context, size_t range, size_t begin, size_t end)
{
	short_rows *s = context;
	uint64_t edges = 0, count = 0;
	for (size_t row = begin; row < end; row++) {
		uint64_t of_row = edges_of(s->rows, (uint32_t)row);
		edges += of_row <= s->middle ? of_row : 0;
		count += of_row <= s->middle;
	}
	s->edges[range] = edges;
	s->count[range] = count;
}

/* The number of lanes that share a short row: 2, 4 or 8, by the mean number of edges. Measured on an H200 with means of
 * 5 and 32 edges. */
static uint32_t lanes_of(const gemp_layout_rows *rows, uint32_t middle)
{
	short_rows s = { .rows = rows, .middle = middle };
	uint64_t edges = 0, count = 1;
	gemp_for_ranges(rows->rows, count_short_rows, &s);
	for (size_t range = 0; range < gemp_range_count(rows->rows); range++) {
		edges += s.edges[range];
		count += s.count[range];
	}
	return edges / count < 12 ? 2 : edges / count < 24 ? 4 : 8;
}

/* The device's tuning file has the tuned numbers (gemp-mpi bench tune). */
gemp_dense_pull_shape gemp_dense_pull_shape_of(const gemp_device *device, bool groups, const gemp_layout_rows *rows,
                                               gemp_dense_pull_shape wanted)
{
	uint32_t middle = or_tuned(wanted.middle, device, "gas.pull.middle", 64);
	return (gemp_dense_pull_shape){
		.group = !groups          ? 1
		         : device->nvidia ? or_tuned(wanted.group, device, "gas.pull.group", 256)
		                          : 32,
		.groups = or_tuned(wanted.groups, device, "gas.pull.groups", 8),
		.slice = or_default(wanted.slice, groups ? gemp_tuning(device, "gas.pull.slice", 4096) : 1 << 13),
		.middle = middle,
		.middle_lanes = or_tuned(wanted.middle_lanes, device, "gas.pull.middle_lanes", 32),
		.lanes = or_tuned(wanted.lanes, device, "gas.pull.lanes", lanes_of(rows, middle)),
		.block = or_default(wanted.block, 1 << 14),
		.range = or_tuned(wanted.range, device, "gas.bin.range", 8192),
		.tile = or_default(wanted.tile, groups ? gemp_tuning(device, "gas.bin.tile", 1 << 16) : 1 << 20),
	};
}

/* Hubs are cut into slices. Middle rows get more lanes than shorter rows. */
static int class_of(uint64_t edges, bool groups, const gemp_dense_pull_shape *shape)
{
	return edges > shape->slice ? HUB : groups && edges > shape->middle ? MIDDLE : REST;
}

typedef struct row_classes {
	const gemp_layout_rows *rows;
	bool groups;
	const gemp_dense_pull_shape *shape;
	uint32_t *order;
	uint32_t place[GEMP_MAX_RANGES]
				  [CLASSES]; /* by range of rows: the number of rows, then the place of the first row */
} row_classes;

static int class_at(const row_classes *c, size_t row)
{
	return class_of(edges_of(c->rows, (uint32_t)row), c->groups, c->shape);
}

static bool is_before_last_class(const void *self, size_t row)
{
	const row_classes *c = self;
	return row > 0 && class_at(c, row) < class_at(c, row - 1);
}

/* Layouts sort own vertices by in- plus out-degree. So the rows of a symmetric layout of one rank are stored by class,
 * and its kernels need no order[]. */
bool gemp_dense_pull_in_classes(const gemp_layout_rows *rows, bool groups, const gemp_dense_pull_shape *shape)
{
	const row_classes classes = { .rows = rows, .groups = groups, .shape = shape };
	return !gemp_any(rows->rows, is_before_last_class, &classes);
}

static void count_classes(void *context, size_t range, size_t begin, size_t end)
{
	row_classes *c = context;
	uint32_t count[CLASSES] = { 0 };
	for (size_t row = begin; row < end; row++)
		count[class_at(c, row)]++;
	memcpy(c->place[range], count, sizeof count);
}

static void place_rows(void *context, size_t range, size_t begin, size_t end)
{
	row_classes *c = context;
	uint32_t place[CLASSES];
	memcpy(place, c->place[range], sizeof place);
	for (size_t row = begin; row < end; row++)
		c->order[place[class_at(c, row)]++] = (uint32_t)row;
}

/* Counting sort by class. Rows of the same class keep their order. */
static gemp_code make_order(uint32_t **out, uint32_t counts[CLASSES], const gemp_layout_rows *rows, bool groups,
                            const gemp_dense_pull_shape *shape)
{
	row_classes classes = { .rows = rows, .groups = groups, .shape = shape };
	const size_t ranges = gemp_range_count(rows->rows);
	uint32_t place = 0;
	gemp_for_ranges(rows->rows, count_classes, &classes);
	for (int class = 0; class < CLASSES; class ++) {
		uint32_t first = place;
		for (size_t range = 0; range < ranges; range++) {
			uint32_t count = classes.place[range][class];
			classes.place[range][class] = place;
			place += count;
		}
		counts[class] = place - first;
	}
	GEMP_TRY(GEMP_NEW(*out, rows->rows));
	classes.order = *out;
	gemp_for_ranges(rows->rows, place_rows, &classes);
	return GEMP_OK;
}

/* Makes the slices of hubs, each with a partial sum. */
static gemp_code make_slices(gemp_dense_pull *pull, const gemp_layout_rows *rows, const uint32_t *order, uint32_t hubs,
                             const gemp_dense_pull_config *how)
{
	uint32_t edges = how->shape.slice;
	GEMP_OWNED cl_uint2 *slices = NULL;
	uint64_t count = 0, at = 0;
	for (uint32_t h = 0; h < hubs; h++)
		count += (edges_of(rows, order[h]) + edges - 1) / edges;
	GEMP_TRY(GEMP_NEW(slices, (size_t)count));
	for (uint32_t h = 0; h < hubs; h++)
		for (uint64_t i = 0; i < (edges_of(rows, order[h]) + edges - 1) / edges; i++)
			slices[at++] = (cl_uint2){ .s = { h, (cl_uint)i } };
	GEMP_TRY(gemp_buffer_new(&pull->slice, pull->device, (size_t)count * sizeof *slices, slices));
	GEMP_TRY(gemp_buffer_new(&pull->part, pull->device, (size_t)count * how->real, NULL));
	GEMP_TRY(gemp_buffer_new(&pull->ended, pull->device, hubs * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_zero(pull->device, &pull->ended, 0, pull->ended.size));
	pull->classes[0] = (cl_uint)count;
	return GEMP_OK;
}

/* Makes the places in the order of rows where blocks begin. A block has about `size` edges and rows, which gives the
 * workers of a CPU equal work. */
static gemp_code make_blocks(gemp_dense_pull *pull, const gemp_layout_rows *rows, const uint32_t *order, uint32_t hubs,
                             uint32_t size)
{
	GEMP_OWNED uint32_t *begin = NULL;
	size_t capacity = 0, count = 0;
	uint64_t held = size; /* edges and rows of the last block; full at first, so a block begins */
	uint32_t last = pull->hubs_only ? hubs : rows->rows;
	for (uint32_t place = hubs; place < last; place++) {
		if (held >= size) {
			GEMP_TRY(GEMP_RESERVE(begin, capacity, count + 2));
			begin[count++] = place;
			held = 0;
		}
		held += 1 + edges_of(rows, order[place]);
	}
	GEMP_TRY(GEMP_RESERVE(begin, capacity, count + 1));
	begin[count] = last;
	GEMP_TRY(gemp_buffer_new(&pull->block, pull->device, (count + 1) * sizeof *begin, begin));
	pull->classes[2] = (cl_uint)count;
	return GEMP_OK;
}

/* A launch has enough work-items for its tasks, but not more than keep all units busy. At least one group runs, even
 * without tasks. */
static void size_launch(gemp_dense_pull *pull, const gemp_dense_pull_shape *shape)
{
	const cl_uint *classes = pull->classes;
	uint64_t tasks = classes[0], units = pull->device->units;
	if (pull->groups)
		tasks += (uint64_t)(classes[2] - classes[1]) * shape->middle_lanes / shape->group +
		         (uint64_t)(classes[3] - classes[2]) * shape->lanes / shape->group + 2;
	else
		tasks += pull->classes[2];
	uint64_t max = pull->groups ? units * shape->groups : units;
	pull->group = shape->group;
	pull->items = (size_t)gemp_max(gemp_min(tasks, max), 1) * pull->group;
}

/* The order of rows is uploaded only if the kernel needs it. */
gemp_code gemp_dense_pull_new(gemp_dense_pull *out, gemp_device *device, const gemp_layout_rows *host,
                              const gemp_device_rows *rows, const gemp_dense_pull_config *how)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED uint32_t *order = NULL;
	uint32_t counts[CLASSES] = { 0 };
	const gemp_dense_pull_shape *shape = &how->shape;
	*out = (gemp_dense_pull){ .device = device,
		                      .rows = rows,
		                      .groups = how->groups,
		                      .ordered = how->ordered,
		                      .hubs_only = how->hubs_only,
		                      .slice_edges = shape->slice };
	GEMP_TRY_DONE(make_order(&order, counts, host, how->groups, shape));
	GEMP_TRY_DONE(gemp_buffer_new(&out->order, device, how->ordered ? host->rows * sizeof *order : 0, order));
	GEMP_TRY_DONE(make_slices(out, host, order, counts[HUB], how));
	out->classes[1] = counts[HUB];
	out->classes[2] = counts[HUB] + (how->hubs_only ? 0 : counts[MIDDLE]);
	out->classes[3] = how->hubs_only ? counts[HUB] : host->rows;
	if (how->groups)
		GEMP_TRY_DONE(gemp_buffer_new(&out->block, device, 0, NULL));
	else
		GEMP_TRY_DONE(make_blocks(out, host, order, counts[HUB], shape->block));
	GEMP_TRY_DONE(gemp_buffer_new(&out->ticket, device, sizeof(cl_uint), NULL));
	GEMP_TRY_DONE(gemp_dense_pull_reset(out));
	size_launch(out, shape);
done:
	if (code != GEMP_OK)
		gemp_dense_pull_free(out);
	return code;
}

void gemp_dense_pull_free(gemp_dense_pull *pull)
{
	if (pull->device)
		gemp_buffers_free(pull->device, &pull->order, &pull->slice, &pull->block, &pull->part, &pull->ended,
		                  &pull->ticket);
	*pull = (gemp_dense_pull){ 0 };
}

void gemp_dense_pull_options(char options[GEMP_DENSE_PULL_OPTIONS_SIZE], bool groups, bool ordered,
                             const gemp_dense_pull_shape *shape)
{
	int used = snprintf(options, GEMP_DENSE_PULL_OPTIONS_SIZE, "%s", ordered ? " -DPULL_ORDERED" : "");
	if (groups)
		snprintf(options + used, GEMP_DENSE_PULL_OPTIONS_SIZE - (size_t)used,
		         " -DGEMP_GROUP=%u -DGEMP_LANES=32 -DPULL_MIDDLE=%u -DPULL_LANES=%u", shape->group, shape->middle_lanes,
		         shape->lanes);
}

/* A failed launch may have taken only some of its tickets. The counter on the device and tickets_used would then
 * differ, and later launches would skip tasks. */
gemp_code gemp_dense_pull_reset(gemp_dense_pull *pull)
{
	pull->tickets_used = 0;
	return gemp_buffer_zero(pull->device, &pull->ticket, 0, pull->ticket.size);
}

/* The arguments have the order of PULL_PARAMETERS in kernels/analytics/gas_pull.clh. They point into *pull, *value,
 * *held and *how, which must not move before the launch. */
void gemp_dense_pull_arguments(const gemp_dense_pull *pull, const gemp_buffer *value, const gemp_buffer *held,
                               const cl_uint *how, gemp_argument out[GEMP_DENSE_PULL_ARGUMENTS])
{
	const gemp_argument all[GEMP_DENSE_PULL_ARGUMENTS] = { GEMP_ARG(&pull->rows->begin.mem),
		                                                   GEMP_ARG(&pull->rows->end.mem),
		                                                   GEMP_ARG(&pull->rows->weight.mem),
		                                                   GEMP_ARG(&value->mem),
		                                                   GEMP_ARG(&pull->order.mem),
		                                                   GEMP_ARG(&pull->slice.mem),
		                                                   GEMP_ARG(&pull->block.mem),
		                                                   GEMP_ARG(&pull->part.mem),
		                                                   GEMP_ARG(&pull->ended.mem),
		                                                   GEMP_ARG(&pull->slice_edges),
		                                                   GEMP_ARG(&pull->classes),
		                                                   GEMP_ARG(&held->mem),
		                                                   GEMP_ARG(how),
		                                                   GEMP_ARG(&pull->ticket.mem),
		                                                   GEMP_ARG(&pull->tickets_used) };
	memcpy(out, all, sizeof all);
}

gemp_code gemp_dense_pull_launch(gemp_dense_pull *pull, cl_kernel kernel, const gemp_buffer *value,
                                 const gemp_buffer *held, cl_uint how, const gemp_argument *more, size_t count)
{
	gemp_argument all[GEMP_DENSE_PULL_ARGUMENTS + GEMP_DENSE_MAX_EXTRA];
	if (pull->hubs_only && pull->classes[0] == 0)
		return GEMP_OK;
	GEMP_CHECK(count <= GEMP_DENSE_MAX_EXTRA);
	gemp_dense_pull_arguments(pull, value, held, &how, all);
	memcpy(all + GEMP_DENSE_PULL_ARGUMENTS, more, count * sizeof *more);
	gemp_code code = gemp_launch_with(pull->device, kernel, pull->items, pull->group, all,
	                                  GEMP_DENSE_PULL_ARGUMENTS + count);
	/* On a CPU device each task takes a ticket. At the end each worker takes one ticket more, whose number tells it
	 * that no tasks are left. */
	pull->tickets_used += pull->classes[0] + pull->classes[2] + (cl_uint)pull->items;
	return code;
}
