#include "primitive/split.h"

#include "core/memory.h"
#include "primitive/radix_pass.h"

#include <stdio.h>
#include <string.h>

/* A single pass, which also yields the begins of the buckets. */
gemp_code gemp_split_host(const gemp_multisplit *split, const void *keys, const void *values, size_t count,
                          void *out_keys, void *out_values, uint64_t *begin)
{
	GEMP_OWNED_BY(gemp_radix_host_free)
	gemp_radix_host pass = { .map = gemp_key_map_of(split->key, split->descending),
		                     .min_code = split->min_code,
		                     .shift = split->shift,
		                     .bits = split->bits,
		                     .value_size = split->value_size,
		                     .keys = (void *)(uintptr_t)keys,
		                     .values = (void *)(uintptr_t)values,
		                     .out_keys = out_keys,
		                     .out_values = out_values };
	GEMP_TRY(gemp_radix_host_new(&pass, split->bits, count));
	gemp_radix_host_count(&pass, begin);
	gemp_radix_host_move(&pass);
	return GEMP_OK;
}

enum { COUNTED = 1 << 16, FEW_BITS = 8, REGISTERS = 64, MAX_ARGUMENTS = 16 };

#define SHAPE(...) ((gemp_split_shape){ __VA_ARGS__ })

static gemp_split_shape forced_shape;

/* Tests set a shape to reach paths that no tuned shape takes. */
void gemp_split_force_shape(gemp_split_shape shape)
{
	forced_shape = shape;
}

/* The fastest shapes on an H200. REGISTERS lets two groups share a unit, and leaves 40 registers for elements and
 * places without spilling; spilling costs a quarter of the time. */
static gemp_split_shape tuned_shape(const gemp_multisplit *split, bool column)
{
	bool few = split->bits <= FEW_BITS, wide = gemp_key_size(split->key) == 8;
	unsigned slim = (wide ? split->value_size == 0 : split->value_size != 8) ? REGISTERS : 0;
	switch (split->record) {
	case 8: return few ? SHAPE(512, 16, 4096, REGISTERS, true) : SHAPE(1024, 16, 4096, REGISTERS, true);
	case 16: return few ? SHAPE(512, 8, 2048, 0, false) : SHAPE(1024, 10, 2048, REGISTERS, true);
	case 32:
		if (few && !column) /* without a column, keys are far apart and are better read together with their records */
			return SHAPE(256, 8, 1024, 0, false);
		return few ? SHAPE(512, 2, 0, 0, false) : SHAPE(1024, 4, 0, 0, false);
	case 64: return few ? SHAPE(512, 2, 0, 0, false) : SHAPE(1024, 2, 0, 0, false);
	default: break;
	}
	if (few && !wide && split->value_size == 8)
		return SHAPE(512, 20, 5120, REGISTERS, true);
	if (few)
		return wide || split->value_size ? SHAPE(512, 12, 3072, slim, false) : SHAPE(512, 24, 6144, slim, true);
	return wide || split->value_size == 8 ? SHAPE(1024, 12, 3072, 0, false)
	       : split->value_size            ? SHAPE(1024, 16, 4096, 0, false)
	                                      : SHAPE(1024, 24, 6144, REGISTERS, true);
}

/* Places in a tile have 16 bits. With a window, at most 2^15 places are used (kernels/primitive/multisplit.cl). */
static gemp_split_shape shape_of(const gemp_toolbox *box, const gemp_multisplit *split, bool column)
{
	gemp_split_shape s = forced_shape.group ? forced_shape : tuned_shape(split, column);
	size_t group = gemp_tool_group(box, s.group);
	GEMP_CHECK(s.window % s.group == 0 && s.group * s.items <= (s.window ? 1u << 15 : 1u << 16));
	/* a group of one warp works on any device: its tiles have two windows, which fit into any local memory */
	if (group != s.group)
		return SHAPE(group, 4, s.window ? 2 * GEMP_TOOL_WARP : 0, 0, s.packed);
	return s;
}

/* A split in the form in groups: the geometry, the arguments that all kernels have, and the kernels. */
typedef struct split_context {
	const gemp_multisplit *split;
	gemp_split_shape shape;
	const gemp_buffer *segment_begin; /* NULL: all elements are one segment */
	gemp_buffer *tiles, *left;
	cl_ulong flip, spread, min_code;
	cl_uint shift, segments, count, stride; /* stride: distance of the keys of neighbouring elements, in keys */
	unsigned counted_tiles;
	cl_kernel tile, number, move;
} split_context;

/* record: the record of the split, or 0 for a kernel that reads only the column of keys. */
static gemp_code kernel_of(gemp_toolbox *box, const split_context *s, cl_kernel *out, const char *name, unsigned record)
{
	const gemp_multisplit *split = s->split;
	char options[GEMP_TOOL_OPTIONS];
	unsigned window = record == split->record ? s->shape.window : (unsigned)s->shape.group;
	int used = snprintf(options, sizeof options,
	                    "-DGEMP_KEY_BITS=%u -DGEMP_VALUE_BITS=%u -DSPLIT_BITS=%u -DSPLIT_ITEMS=%u "
	                    "-DSPLIT_WINDOW=%u -DSPLIT_TILES=%uu -DSPLIT_PACKED=%d%s",
	                    8 * gemp_key_size(split->key), 8 * split->value_size, split->bits, s->shape.items, window,
	                    s->counted_tiles, s->shape.packed, s->segment_begin ? "" : " -DSPLIT_WHOLE");
	if (record)
		used += snprintf(options + used, sizeof options - (size_t)used, " -DGEMP_RECORD=%u", record);
	if (!s->flip && !s->spread && !s->min_code)
		used += snprintf(options + used, sizeof options - (size_t)used, " -DSPLIT_PLAIN");
	if (s->shape.registers)
		snprintf(options + used, sizeof options - (size_t)used, " -cl-nv-maxrregcount=%u", s->shape.registers);
	return gemp_tool_kernel(box, out, "multisplit.cl", name, s->shape.group, "%s", options);
}

/* A group counts several tiles, so that its counters in local memory are written once for about 2^16 elements. */
static gemp_code prepare(gemp_toolbox *box, split_context *s, bool column)
{
	unsigned record = s->split->record;
	size_t tile = s->shape.group * s->shape.items, counts = (size_t)s->segments * sizeof(cl_uint) << s->split->bits;
	s->counted_tiles = tile < COUNTED ? (unsigned)(COUNTED / tile) : 1;
	if (s->segment_begin)
		GEMP_TRY(kernel_of(box, s, &s->tile, "split_tiles", record));
	GEMP_TRY(kernel_of(box, s, &s->number, "split_count", column ? 0 : record));
	GEMP_TRY(kernel_of(box, s, &s->move, s->shape.window ? "split_move" : "split_move_by_number", record));
	GEMP_TRY(gemp_tool_scratch(box, GEMP_SCRATCH_TILES, (s->segments + (size_t)1) * sizeof(cl_uint), &s->tiles));
	GEMP_TRY(gemp_tool_scratch(box, GEMP_SCRATCH_COUNTS, counts, &s->left));
	return gemp_buffer_zero(box->device, s->left, 0, counts);
}

/* The kernels of a split have different parameters besides the common ones, so arguments are collected in a list. */
typedef struct argument_list {
	gemp_argument of[MAX_ARGUMENTS];
	size_t count;
} argument_list;

static void add_argument(argument_list *to, gemp_argument argument)
{
	to->of[to->count++] = argument;
}

/* Adds the arguments for the parameters SPLIT_SEGMENTS and SPLIT_CODES of multisplit.cl. */
static void add_split(argument_list *to, split_context *s)
{
	unsigned size = gemp_key_size(s->split->key);
	if (s->segment_begin) {
		add_argument(to, GEMP_ARG(&s->segment_begin->mem));
		add_argument(to, GEMP_ARG(&s->tiles->mem));
		add_argument(to, GEMP_ARG(&s->segments));
	} else {
		add_argument(to, GEMP_ARG(&s->count));
	}
	add_argument(to, GEMP_KEY_ARG(&s->flip, size));
	add_argument(to, GEMP_KEY_ARG(&s->spread, size));
	add_argument(to, GEMP_KEY_ARG(&s->min_code, size));
	add_argument(to, GEMP_ARG(&s->shift));
}

/* The order of the arguments is the order of the kernels' parameters. */
static gemp_code move(gemp_toolbox *box, split_context *s, const gemp_split_arrays *a, size_t tiles)
{
	const gemp_buffer *keys = a->column ? a->column : a->keys;
	argument_list all = { { GEMP_ARG(&a->keys->mem), GEMP_ARG(&a->out_keys->mem) }, 2 };
	if (!s->shape.window) {
		add_argument(&all, GEMP_ARG(&keys->mem));
		add_argument(&all, GEMP_ARG(&s->stride));
	} else if (s->split->value_size) {
		add_argument(&all, GEMP_ARG(&a->values->mem));
		add_argument(&all, GEMP_ARG(&a->out_values->mem));
	}
	add_split(&all, s);
	add_argument(&all, GEMP_ARG(&a->begin->mem));
	add_argument(&all, GEMP_ARG(&s->left->mem));
	return gemp_tool_launch_with(box, s->move, tiles, s->shape.group, all.of, all.count);
}

/* Launches kernels that number the tiles of each segment, count, scan the counts into `begin`, and move. */
gemp_code gemp_split_segments(gemp_toolbox *box, const gemp_multisplit *split, const gemp_split_arrays *a)
{
	gemp_key_map map = gemp_key_map_of(split->key, split->descending);
	split_context s = { .split = split,
		                .shape = shape_of(box, split, a->column != NULL),
		                .flip = map.flip,
		                .spread = map.spread,
		                .min_code = split->min_code,
		                .shift = split->shift,
		                .segment_begin = a->segment_begin,
		                .segments = (cl_uint)a->segments,
		                .count = (cl_uint)a->count,
		                .stride = a->column ? 1 : split->record / map.size };
	size_t tile = s.shape.group * s.shape.items, max_tiles = a->count / tile + a->segments;
	argument_list counting = { { a->column ? GEMP_ARG(&a->column->mem) : GEMP_ARG(&a->keys->mem) }, 1 };
	GEMP_TRY(gemp_tool_check(box, a->count));
	GEMP_TRY(prepare(box, &s, a->column != NULL));
	if (s.segment_begin)
		GEMP_TRY(gemp_tool_launch(box, s.tile, 1, s.shape.group, GEMP_ARG(&a->segment_begin->mem),
		                          GEMP_ARG(&s.tiles->mem), GEMP_ARG(&s.segments)));
	add_split(&counting, &s);
	add_argument(&counting, GEMP_ARG(&s.left->mem));
	GEMP_TRY(gemp_tool_launch_with(box, s.number, (max_tiles + s.counted_tiles - 1) / s.counted_tiles, s.shape.group,
	                               counting.of, counting.count));
	GEMP_TRY(gemp_scan_device(box, s.left, sizeof(cl_uint), a->begin, sizeof(cl_uint), a->segments << split->bits));
	return move(box, &s, a, max_tiles);
}

/* Makes a radix pass; its scanned totals are the begins of the buckets. */
gemp_code gemp_split_by_items(gemp_toolbox *box, const gemp_multisplit *split, const gemp_split_arrays *a)
{
	gemp_radix_device radix = { .box = box,
		                        .map = gemp_key_map_of(split->key, split->descending),
		                        .value_size = split->value_size,
		                        .bits = split->bits,
		                        .shift = split->shift,
		                        .min_code = split->min_code,
		                        .record = split->record,
		                        .column = a->column };
	GEMP_TRY(gemp_tool_check(box, a->count));
	GEMP_TRY(gemp_radix_device_prepare(&radix, a->count));
	GEMP_TRY(gemp_radix_device_pass(&radix, a->keys, a->values, a->out_keys, a->out_values));
	return gemp_scan_device(box, radix.totals, sizeof(cl_uint), a->begin, sizeof(cl_uint), (size_t)1 << split->bits);
}

/* GPUs use the form in groups, CPU devices the form by items. */
gemp_code gemp_split_device(gemp_toolbox *box, const gemp_multisplit *split, const gemp_buffer *keys,
                            const gemp_buffer *values, size_t count, const gemp_buffer *out_keys,
                            const gemp_buffer *out_values, const gemp_buffer *begin)
{
	const gemp_split_arrays arrays = { .keys = keys,
		                               .values = values,
		                               .out_keys = out_keys,
		                               .out_values = out_values,
		                               .count = count,
		                               .segments = 1,
		                               .begin = begin };
	return box->groups ? gemp_split_segments(box, split, &arrays) : gemp_split_by_items(box, split, &arrays);
}
