#include "analytics/dense/gather.h"

#include "core/status.h"
#include "core/threads.h"
#include "device/tuning.h"

#include <stdio.h>
#include <string.h>

enum { HUB, MIDDLE, REST, CLASSES };

/* A row's length. */
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

/* As many lanes as short rows have work for: measured on an H200 with a mean of 5 and of 32 edges. */
static uint32_t lanes_of(const gemp_layout_rows *rows, uint32_t middle)
{
	uint64_t edges = 0, rows_counted = 1;
	for (uint32_t row = 0; row < rows->rows; row++) {
		uint64_t of_row = edges_of(rows, row);
		edges += of_row <= middle ? of_row : 0;
		rows_counted += of_row <= middle;
	}
	return edges / rows_counted < 12 ? 2 : edges / rows_counted < 24 ? 4 : 8;
}

/* Tuned numbers come from the device's tuning file (bench tune). */
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

/* Hubs are cut into slices; middle rows get more lanes than the rest. */
static int class_of(uint64_t edges, bool groups, const gemp_dense_pull_shape *shape)
{
	return edges > shape->slice ? HUB : groups && edges > shape->middle ? MIDDLE : REST;
}

bool gemp_dense_pull_in_classes(const gemp_layout_rows *rows, bool groups, const gemp_dense_pull_shape *shape)
{
	int last = HUB;
	for (uint32_t row = 0; row < rows->rows; row++) {
		int class = class_of(edges_of(rows, row), groups, shape);
		if (class < last)
			return false;
		last = class;
	}
	return true;
}

/* Rows by class, in each in their order. */
static gemp_code make_order(uint32_t **out, uint32_t counts[CLASSES], const gemp_layout_rows *rows, bool groups,
                            const gemp_dense_pull_shape *shape)
{
	uint32_t next[CLASSES] = { 0 };
	for (uint32_t row = 0; row < rows->rows; row++)
		counts[class_of(edges_of(rows, row), groups, shape)]++;
	next[MIDDLE] = counts[HUB];
	next[REST] = counts[HUB] + counts[MIDDLE];
	gemp_code code = GEMP_NEW(*out, rows->rows);
	for (uint32_t row = 0; code == GEMP_OK && row < rows->rows; row++)
		(*out)[next[class_of(edges_of(rows, row), groups, shape)]++] = row;
	return code;
}

/* A buffer of at least one element. */
static gemp_code buffer_of(gemp_buffer *out, gemp_device *device, size_t count, size_t size, const void *from)
{
	return gemp_buffer_new(out, device, (count ? count : 1) * size, count ? from : NULL);
}

/* Slices of hubs, each with a partial sum; the worker that ends last adds them up. */
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
	GEMP_TRY(buffer_of(&pull->slice, pull->device, (size_t)count, sizeof *slices, slices));
	GEMP_TRY(buffer_of(&pull->part, pull->device, (size_t)count, how->real, NULL));
	GEMP_TRY(buffer_of(&pull->ended, pull->device, hubs, sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_zero(pull->device, &pull->ended, 0, pull->ended.size));
	pull->classes[0] = (cl_uint)count;
	return GEMP_OK;
}

/* Where blocks begin in the order of rows: a block has about `size` edges and rows, so that workers of a CPU have
 * equal work. */
static gemp_code make_blocks(gemp_dense_pull *pull, const gemp_layout_rows *rows, const uint32_t *order, uint32_t hubs,
                             uint32_t size)
{
	GEMP_OWNED uint32_t *begin = NULL;
	size_t capacity = 0, count = 0;
	uint64_t held = size; /* of the last block */
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
	GEMP_TRY(buffer_of(&pull->block, pull->device, count + 1, sizeof *begin, begin));
	pull->classes[2] = (cl_uint)count;
	return GEMP_OK;
}

/* As many work-items as there are tasks for, or as keep all units busy. */
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
	pull->items = (size_t)(tasks < max ? tasks : max) * pull->group;
	pull->items = pull->items ? pull->items : pull->group; /* one looks whether it is the last round, and says so */
}

/* The order of rows is uploaded only if the kernel needs it. */
gemp_code gemp_dense_pull_new(gemp_dense_pull *out, gemp_device *device, const gemp_layout_rows *host,
                              const gemp_device_rows *rows, const gemp_dense_pull_config *how)
{
	gemp_code code = GEMP_OK;
	uint32_t *order = NULL, counts[CLASSES] = { 0 };
	const gemp_dense_pull_shape *shape = &how->shape;
	*out = (gemp_dense_pull){ .device = device,
		                      .rows = rows,
		                      .groups = how->groups,
		                      .ordered = how->ordered,
		                      .hubs_only = how->hubs_only,
		                      .slice_edges = shape->slice };
	GEMP_TRY_DONE(make_order(&order, counts, host, how->groups, shape));
	GEMP_TRY_DONE(buffer_of(&out->order, device, how->ordered ? host->rows : 0, sizeof *order, order));
	GEMP_TRY_DONE(make_slices(out, host, order, counts[HUB], how));
	out->classes[1] = counts[HUB];
	out->classes[2] = counts[HUB] + (how->hubs_only ? 0 : counts[MIDDLE]);
	out->classes[3] = how->hubs_only ? counts[HUB] : host->rows;
	if (how->groups)
		GEMP_TRY_DONE(buffer_of(&out->block, device, 0, sizeof(uint32_t), NULL));
	else
		GEMP_TRY_DONE(make_blocks(out, host, order, counts[HUB], shape->block));
	GEMP_TRY_DONE(buffer_of(&out->ticket, device, 1, sizeof(cl_uint), NULL));
	GEMP_TRY_DONE(gemp_dense_pull_reset(out));
	size_launch(out, shape);
done:
	gemp_free(order);
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

gemp_code gemp_dense_pull_reset(gemp_dense_pull *pull)
{
	pull->tickets_used = 0;
	return gemp_buffer_zero(pull->device, &pull->ticket, 0, pull->ticket.size);
}

static void gemp_dense_pull_arguments(const gemp_dense_pull *pull, const gemp_buffer *value, const gemp_buffer *held,
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
	/* Each task takes a ticket, and each worker one that tells it to end. */
	pull->tickets_used += pull->classes[0] + pull->classes[2] + (cl_uint)pull->items;
	return code;
}

enum { MAX_RANGE = 1 << 16, MAX_BUCKETS = 1 << 15, ARGUMENTS = 9, GROUPS_OF_UNIT = 16 };

/* Rows of a bin, whose sums fit local memory; at most 2^16, as a row in its bin has 16 bits. */
static uint32_t choose_range(const gemp_device *device, bool groups, const gemp_dense_pull_shape *shape, size_t real)
{
	uint32_t range = shape->range < MAX_RANGE ? shape->range : MAX_RANGE;
	while (groups && range > 32 && range * real + 1024 > device->local_memory)
		range /= 2;
	return range;
}

/* A thread takes a range of rows at a time. */
typedef struct bin_task {
	gemp_dense_binned *out;
	const gemp_layout_rows *rows;
	uint32_t slice; /* rows with more edges are hubs */
	unsigned shift; /* source >> shift is its bucket */
	size_t weight_size;
	uint64_t *begin; /* [ranges + 1] edges of each range */
	uint32_t *next;  /* [threads][buckets + 1] */
	size_t buckets;
} bin_task;

/* Edges of a row, none if it is a hub, which is pulled instead. */
static uint64_t binned_edges_of(const bin_task *p, uint32_t row)
{
	uint64_t edges = p->rows->begin[row + 1] - p->rows->begin[row];
	return edges > p->slice ? 0 : edges;
}

static uint32_t range_end(const bin_task *p, size_t range)
{
	uint64_t end = (uint64_t)(range + 1) * p->out->range;
	return end < p->rows->rows ? (uint32_t)end : p->rows->rows;
}

/* Edges of a range of rows, hubs left out. */
static void count_range(void *context, unsigned thread, size_t range)
{
	bin_task *p = context;
	(void)thread;
	for (uint32_t row = (uint32_t)range * p->out->range; row < range_end(p, range); row++)
		p->begin[range + 1] += binned_edges_of(p, row);
}

/* A counting sort of a range's edges by buckets of neighbouring sources, so that values are read nearly in order. */
static void place_range(void *context, unsigned thread, size_t range)
{
	bin_task *p = context;
	gemp_dense_binned *out = p->out;
	uint32_t *next = p->next + thread * (p->buckets + 1), first = (uint32_t)range * out->range;
	uint64_t at = p->begin[range];
	memset(next, 0, (p->buckets + 1) * sizeof *next);
	for (uint32_t row = first; row < range_end(p, range); row++)
		for (uint64_t e = p->rows->begin[row], last = e + binned_edges_of(p, row); e < last; e++)
			next[(p->rows->end[e] >> p->shift) + 1]++;
	for (size_t b = 0; b < p->buckets; b++)
		next[b + 1] += next[b];
	for (uint32_t row = first; row < range_end(p, range); row++)
		for (uint64_t e = p->rows->begin[row], last = e + binned_edges_of(p, row); e < last; e++) {
			uint64_t place = at + next[p->rows->end[e] >> p->shift]++;
			out->host_source[place] = p->rows->end[e];
			out->host_bin[place] = (uint16_t)(row - first);
			if (p->weight_size)
				memcpy((char *)out->host_weight + place * p->weight_size,
				       (const char *)p->rows->weight + e * p->weight_size, p->weight_size);
		}
}

/* Buckets are as fine as their counters fit a core's cache. */
static gemp_code place_edges(bin_task *p, uint32_t known, size_t ranges)
{
	gemp_dense_binned *out = p->out;
	while (known >> p->shift >= MAX_BUCKETS)
		p->shift++;
	p->buckets = (known >> p->shift) + 1;
	GEMP_TRY(GEMP_NEW(p->begin, ranges + 1));
	GEMP_TRY(GEMP_NEW(p->next, gemp_threads() * (p->buckets + 1)));
	gemp_parallel_for(ranges, count_range, p);
	for (size_t range = 0; range < ranges; range++)
		p->begin[range + 1] += p->begin[range];
	if (gemp_layout_wide(p->begin[ranges]))
		GEMP_TRY(gemp_fail(GEMP_EUSAGE,
		                   "%llu edges of one rank are more than --gather binned goes through; take pull, or more "
		                   "ranks",
		                   (unsigned long long)p->begin[ranges]));
	size_t edges = (size_t)p->begin[ranges];
	GEMP_TRY(GEMP_NEW(out->host_source, edges + 1)); /* there are no empty buffers */
	GEMP_TRY(GEMP_NEW(out->host_bin, edges + 1));
	out->host_weight = gemp_calloc(edges + 1, p->weight_size ? p->weight_size : sizeof(uint32_t));
	GEMP_TRY(out->host_weight ? GEMP_OK : GEMP_ENOMEM);
	gemp_parallel_for(ranges, place_range, p);
	return GEMP_OK;
}

/* Parts of ranges of about as many edges; each tile has sums of its own, which are added per row in the end. */
static gemp_code make_tiles(gemp_dense_binned *out, const uint64_t *begin, size_t ranges, uint32_t size, size_t real)
{
	GEMP_OWNED cl_uint2 *tile = NULL;
	GEMP_OWNED cl_uint *first = NULL;
	size_t count = 0;
	GEMP_TRY(GEMP_NEW(first, ranges + 1));
	for (size_t range = 0; range < ranges; range++) {
		count += (size_t)((begin[range + 1] - begin[range] + size - 1) / size);
		first[range + 1] = (cl_uint)count;
	}
	GEMP_TRY(GEMP_NEW(tile, count + 1));
	for (size_t range = 0; range < ranges; range++) {
		uint64_t edges = begin[range + 1] - begin[range], parts = first[range + 1] - first[range];
		for (uint64_t i = 0; i < parts; i++)
			tile[first[range] + i] = (cl_uint2){ .s = { (cl_uint)(begin[range] + edges * i / parts),
				                                        (cl_uint)(begin[range] + edges * (i + 1) / parts) } };
	}
	out->tiles = (cl_uint)count;
	GEMP_TRY(gemp_buffer_new(&out->tile, out->device, (count + 1) * sizeof *tile, tile));
	GEMP_TRY(gemp_buffer_new(&out->first, out->device, (ranges + 1) * sizeof *first, first));
	return gemp_buffer_new(&out->sums, out->device, (count ? count : 1) * out->range * real, NULL);
}

/* A CPU device reads the arrays where they are; a GPU gets copies, and the host's are freed. */
static gemp_code upload_edges(gemp_dense_binned *out, size_t edges, size_t weight_size)
{
	size_t weight = weight_size ? weight_size : sizeof(uint32_t);
	GEMP_TRY(gemp_buffer_borrow(&out->source, out->device, (edges + 1) * sizeof *out->host_source, out->host_source));
	GEMP_TRY(gemp_buffer_borrow(&out->bin, out->device, (edges + 1) * sizeof *out->host_bin, out->host_bin));
	GEMP_TRY(gemp_buffer_borrow(&out->weight, out->device, (edges + 1) * weight, out->host_weight));
	if (out->device->gpu) {
		gemp_free_all(out->host_source, out->host_bin, out->host_weight);
		out->host_source = NULL;
		out->host_bin = NULL;
		out->host_weight = NULL;
	}
	return GEMP_OK;
}

gemp_code gemp_dense_binned_new(gemp_dense_binned *out, gemp_device *device, const gemp_layout_rows *rows,
                                uint32_t known, size_t weight_size, const gemp_dense_pull_config *how)
{
	gemp_code code = GEMP_OK;
	uint32_t range = choose_range(device, how->groups, &how->shape, how->real);
	size_t ranges = ((size_t)rows->rows + range - 1) / range;
	*out = (gemp_dense_binned){
		.device = device, .groups = how->groups, .range = range, .rows = rows->rows, .group = how->shape.group
	};
	bin_task p = { .out = out, .rows = rows, .slice = how->shape.slice, .weight_size = weight_size };
	GEMP_TRY_DONE(place_edges(&p, known, ranges));
	GEMP_TRY_DONE(make_tiles(out, p.begin, ranges, how->shape.tile, how->real));
	GEMP_TRY_DONE(upload_edges(out, (size_t)p.begin[ranges], weight_size));
	GEMP_TRY_DONE(gemp_buffer_new(&out->ticket, device, sizeof(cl_uint), NULL));
	code = gemp_dense_binned_reset(out);
done:
	gemp_free_all(p.begin, p.next);
	if (code != GEMP_OK)
		gemp_dense_binned_free(out);
	return code;
}

void gemp_dense_binned_free(gemp_dense_binned *b)
{
	if (b->device)
		gemp_buffers_free(b->device, &b->source, &b->bin, &b->weight, &b->tile, &b->first, &b->sums, &b->ticket);
	gemp_free_all(b->host_source, b->host_bin, b->host_weight);
	*b = (gemp_dense_binned){ 0 };
}

gemp_code gemp_dense_binned_reset(gemp_dense_binned *binned)
{
	binned->tickets_used = 0;
	return gemp_buffer_zero(binned->device, &binned->ticket, 0, binned->ticket.size);
}

/* Each tile takes a ticket, and each worker one more that tells it to end. */
gemp_code gemp_dense_binned_gather(gemp_dense_binned *b, cl_kernel kernel, const gemp_buffer *value, cl_uint how,
                                   const gemp_argument *more, size_t count)
{
	gemp_argument all[ARGUMENTS + 1 + GEMP_DENSE_MAX_EXTRA] = { GEMP_ARG(&b->source.mem),   GEMP_ARG(&b->bin.mem),
		                                                        GEMP_ARG(&b->weight.mem),   GEMP_ARG(&value->mem),
		                                                        GEMP_ARG(&b->tile.mem),     GEMP_ARG(&b->sums.mem),
		                                                        GEMP_ARG(&b->tiles),        GEMP_ARG(&b->ticket.mem),
		                                                        GEMP_ARG(&b->tickets_used), GEMP_ARG(&how) };
	size_t workers = b->groups || b->tiles < b->device->units ? b->tiles : b->device->units;
	GEMP_CHECK(count <= GEMP_DENSE_MAX_EXTRA);
	memcpy(all + ARGUMENTS + 1, more, count * sizeof *more);
	gemp_code code = gemp_launch_with(b->device, kernel, workers * b->group, b->group, all, ARGUMENTS + 1 + count);
	b->tickets_used += b->tiles + (cl_uint)workers;
	return code;
}

/* The tiles' sums of each row are added and applied. */
gemp_code gemp_dense_binned_finish(gemp_dense_binned *b, const gemp_dense_pull *pull, cl_kernel kernel,
                                   const gemp_buffer *value, const gemp_buffer *held, cl_uint how,
                                   const gemp_argument *more, size_t count)
{
	enum { OWN = 3 };
	gemp_argument all[GEMP_DENSE_PULL_ARGUMENTS + OWN + GEMP_DENSE_MAX_EXTRA];
	const gemp_argument own[OWN] = { GEMP_ARG(&b->sums.mem), GEMP_ARG(&b->first.mem), GEMP_ARG(&b->rows) };
	size_t max_groups = b->groups ? b->device->units * (size_t)GROUPS_OF_UNIT : b->device->units;
	size_t groups = b->groups ? (b->rows + 31) / 32 : b->device->units;
	GEMP_CHECK(count <= GEMP_DENSE_MAX_EXTRA);
	gemp_dense_pull_arguments(pull, value, held, &how, all);
	memcpy(all + GEMP_DENSE_PULL_ARGUMENTS, own, sizeof own);
	memcpy(all + GEMP_DENSE_PULL_ARGUMENTS + OWN, more, count * sizeof *more);
	groups = groups < max_groups ? groups : max_groups;
	return gemp_launch_with(b->device, kernel, (groups ? groups : 1) * b->group, b->group, all,
	                        GEMP_DENSE_PULL_ARGUMENTS + OWN + count);
}
