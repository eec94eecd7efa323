#include "primitive/split_device.h"

#include "primitive/radix_device.h"
#include "primitive/scan.h"

#include <stdio.h>
#include <string.h>

enum { COUNTED_TILES = 8, FEW_BITS = 8, REGISTERS = 64 };

/* How a group goes through its tile: sizes as measured on an H200, registers as ptxas tells that it does without spilling. */
typedef struct shape {
	size_t group;
	unsigned items, window;
	bool slim; /* at most REGISTERS of a work-item, so that two groups share a unit, are enough */
} shape;

static shape shape_of(const gemp_toolbox *box, const gemp_split *split)
{
	bool wide = gemp_key_size(split->key) == 8, few = split->bits <= FEW_BITS;
	bool slim = wide ? split->value_size == 0 : split->value_size != 8;
	shape s = few ? wide || split->value_size ? (shape){ 512, 12, 3072, slim } : (shape){ 512, 20, 5120, slim }
	        : wide || split->value_size == 8 ? (shape){ 1024, 12, 3072, false } : (shape){ 1024, 16, 4096, false };
	size_t group = gemp_tool_group(box, s.group);
	return group == s.group ? s : (shape){ group, 4, 2 * GEMP_TOOL_WARP, false };
}

typedef struct splitting {
	const gemp_split *split;
	shape shape;
	gemp_buffer whole, *tiles, *left;
	cl_ulong flip, spread, least;
	cl_uint shift, segments, count;
	cl_kernel start, tile, number, move;
} splitting;

static gemp_code prepare(gemp_toolbox *box, splitting *s)
{
	static const char *const names[] = { "split_whole", "split_tiles", "split_count", "split_move" };
	gemp_code code = GEMP_OK;
	cl_kernel *kernels[] = { &s->start, &s->tile, &s->number, &s->move };
	char options[GEMP_TOOL_OPTIONS];
	snprintf(options, sizeof options, "-DGEMP_KEY_BITS=%u -DGEMP_VALUE_BITS=%u -DSPLIT_BITS=%u -DSPLIT_ITEMS=%u "
	         "-DSPLIT_WINDOW=%u -DSPLIT_TILES=%du", 8 * gemp_key_size(s->split->key), 8 * s->split->value_size, s->split->bits,
	         s->shape.items, s->shape.window, COUNTED_TILES);
	if (s->shape.slim)
		snprintf(options + strlen(options), sizeof options - strlen(options), " -cl-nv-maxrregcount=%d", REGISTERS);
	for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
		GEMP_TRY(gemp_tool_kernel(box, kernels[k], "multisplit.cl", names[k], s->shape.group, "%s", options));
	GEMP_TRY(gemp_tool_scratch(box, GEMP_SCRATCH_TILES, (s->segments + (size_t)1) * sizeof(cl_uint), &s->tiles));
	GEMP_TRY(gemp_tool_scratch(box, GEMP_SCRATCH_COUNTS, (size_t)s->segments * sizeof(cl_uint) << s->split->bits, &s->left));
	code = gemp_buffer_zero(box->device, s->left, 0, (size_t)s->segments * sizeof(cl_uint) << s->split->bits);
done:
	return code;
}

gemp_code gemp_split_segments(gemp_toolbox *box, const gemp_split *split, const gemp_buffer *keys, const gemp_buffer *values,
                              size_t count, const gemp_buffer *segment_begin, size_t segments, const gemp_buffer *out_keys,
                              const gemp_buffer *out_values, const gemp_buffer *begin)
{
	gemp_code code = GEMP_OK;
	gemp_key_map map = gemp_key_map_of(split->key, split->descending);
	splitting s = { .split = split, .shape = shape_of(box, split), .flip = map.flip, .spread = map.spread,
		.least = split->least, .shift = split->shift, .segments = (cl_uint)segments, .count = (cl_uint)count };
	size_t tile = s.shape.group * s.shape.items, most = count / tile + segments;
	GEMP_TRY(gemp_tool_check(box, count));
	GEMP_TRY(prepare(box, &s));
	if (segment_begin) {
		GEMP_TRY(gemp_tool_launch(box, s.tile, 1, s.shape.group, GEMP_ARG(&segment_begin->mem), GEMP_ARG(&s.tiles->mem),
		                          GEMP_ARG(&s.segments)));
	} else {
		GEMP_TRY(gemp_buffer_new(&s.whole, box->device, 2 * sizeof(cl_uint), NULL));
		GEMP_TRY(gemp_tool_launch(box, s.start, 1, 0, GEMP_ARG(&s.whole.mem), GEMP_ARG(&s.tiles->mem), GEMP_ARG(&s.count)));
		segment_begin = &s.whole;
	}
	GEMP_TRY(gemp_tool_launch(box, s.number, (most + COUNTED_TILES - 1) / COUNTED_TILES, s.shape.group, GEMP_ARG(&keys->mem),
	                          GEMP_ARG(&segment_begin->mem), GEMP_ARG(&s.tiles->mem), GEMP_ARG(&s.segments),
	                          GEMP_KEY_ARG(&s.flip, map.size), GEMP_KEY_ARG(&s.spread, map.size),
	                          GEMP_KEY_ARG(&s.least, map.size), GEMP_ARG(&s.shift), GEMP_ARG(&s.left->mem)));
	GEMP_TRY(gemp_scan_device(box, s.left, sizeof(cl_uint), begin, sizeof(cl_uint), segments << split->bits));
	const gemp_argument arguments[] = { GEMP_ARG(&keys->mem), GEMP_ARG(&out_keys->mem), GEMP_ARG(&segment_begin->mem),
		GEMP_ARG(&s.tiles->mem), GEMP_ARG(&s.segments), GEMP_KEY_ARG(&s.flip, map.size), GEMP_KEY_ARG(&s.spread, map.size),
		GEMP_KEY_ARG(&s.least, map.size), GEMP_ARG(&s.shift), GEMP_ARG(&begin->mem), GEMP_ARG(&s.left->mem) };
	const gemp_argument with_values[] = { { sizeof(cl_mem), values ? &values->mem : NULL },
		{ sizeof(cl_mem), out_values ? &out_values->mem : NULL } };
	code = gemp_tool_launch_values(box, s.move, most, s.shape.group, arguments, sizeof arguments / sizeof *arguments,
	                               split->value_size ? with_values : NULL);
done:
	gemp_buffer_free(&s.whole, box->device);
	return code;
}

static gemp_code split_by_items(gemp_toolbox *box, const gemp_split *split, const gemp_buffer *keys, const gemp_buffer *values,
                                size_t count, const gemp_buffer *out_keys, const gemp_buffer *out_values,
                                const gemp_buffer *begin)
{
	gemp_code code = GEMP_OK;
	gemp_radix radix = { .box = box, .map = gemp_key_map_of(split->key, split->descending), .value_size = split->value_size,
		.bits = split->bits, .shift = split->shift, .least = split->least };
	GEMP_TRY(gemp_tool_check(box, count));
	GEMP_TRY(gemp_radix_prepare(&radix, count));
	GEMP_TRY(gemp_radix_pass(&radix, keys, values, out_keys, out_values));
	code = gemp_scan_device(box, radix.totals, sizeof(cl_uint), begin, sizeof(cl_uint), (size_t)1 << split->bits);
done:
	return code;
}

gemp_code gemp_split_device(gemp_toolbox *box, const gemp_split *split, const gemp_buffer *keys, const gemp_buffer *values,
                            size_t count, const gemp_buffer *out_keys, const gemp_buffer *out_values,
                            const gemp_buffer *begin)
{
	return box->groups ? gemp_split_segments(box, split, keys, values, count, NULL, 1, out_keys, out_values, begin)
	                   : split_by_items(box, split, keys, values, count, out_keys, out_values, begin);
}
