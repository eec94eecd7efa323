#include "primitive/sort.h"

#include "primitive/extent_device.h"
#include "primitive/toolbox_parts.h"

#include <stdio.h>

enum { DIGIT = 8, BINS = 1 << DIGIT, GROUP = 256, SLABS_A_UNIT = 16, ITEM_SLAB = 1 << 14, ITEM_SLABS_A_UNIT = 2 };

/* What all passes of a sort have in common. */
typedef struct sorting {
	gemp_toolbox *box;
	const gemp_sort *sort;
	size_t group;
	gemp_slabs slabs;
	gemp_map_arguments map;
	gemp_buffer *counts, *totals;
	cl_kernel count, rows, move;
} sorting;

/* Keys that a work-item of a group holds at a time: as many as local memory for them and registers allow. */
static unsigned items_of(const gemp_sort *sort, size_t group)
{
	if (group == GEMP_TOOL_WARP)
		return 3;
	return gemp_key_size(sort->key) == 4 ? sort->value_size == 8 ? 12 : 20 : 12;
}

static gemp_code prepare(sorting *s, size_t count)
{
	gemp_code code = GEMP_OK;
	unsigned items = items_of(s->sort, s->group);
	char options[128];
	snprintf(options, sizeof options, "-DGEMP_KEY_BITS=%u -DGEMP_VALUE_BITS=%u -DRADIX_BITS=%d -DRADIX_ITEMS=%u",
	         8 * s->map.size, 8 * s->sort->value_size, DIGIT, items);
	s->slabs = s->group ? gemp_tool_slabs(s->box, count, s->group * items, SLABS_A_UNIT)
	                    : gemp_tool_slabs(s->box, count, ITEM_SLAB, ITEM_SLABS_A_UNIT);
	GEMP_TRY(gemp_tool_kernel(s->box, &s->count, "radix.cl", "radix_count", s->group, "%s", options));
	GEMP_TRY(gemp_tool_kernel(s->box, &s->rows, "radix.cl", "radix_rows", s->group, "%s", options));
	GEMP_TRY(gemp_tool_kernel(s->box, &s->move, "radix.cl", "radix_move", s->group, "%s", options));
	GEMP_TRY(gemp_tool_scratch(s->box, GEMP_SCRATCH_COUNTS, BINS * s->slabs.slabs * sizeof(cl_uint), &s->counts));
	code = gemp_tool_scratch(s->box, GEMP_SCRATCH_TOTALS, BINS * sizeof(cl_uint), &s->totals);
done:
	return code;
}

static gemp_code move(const sorting *s, const gemp_sort_buffers *b, cl_uint shift)
{
	const gemp_argument keys[] = { GEMP_ARG(&b->keys[0].mem), GEMP_ARG(&b->keys[1].mem) };
	const gemp_argument values[] = { GEMP_ARG(&b->values[0].mem), GEMP_ARG(&b->values[1].mem) };
	const gemp_argument rest[] = { GEMP_ARG(&s->slabs.count), GEMP_ARG(&s->slabs.slab), GEMP_KEY_ARG(&s->map.flip, s->map),
		GEMP_KEY_ARG(&s->map.spread, s->map), GEMP_ARG(&shift), GEMP_ARG(&s->counts->mem), GEMP_ARG(&s->totals->mem) };
	gemp_argument all[11];
	size_t count = 0;
	for (int i = 0; i < 2; i++)
		all[count++] = keys[i];
	for (int i = 0; i < 2 && s->sort->value_size; i++)
		all[count++] = values[i];
	for (int i = 0; i < 7; i++)
		all[count++] = rest[i];
	return gemp_tool_launch_with(s->box, s->move, s->slabs.slabs, s->group, all, count);
}

static void swap(gemp_buffer *pair)
{
	gemp_buffer first = pair[0];
	pair[0] = pair[1];
	pair[1] = first;
}

static gemp_code pass(const sorting *s, gemp_sort_buffers *b, cl_uint shift)
{
	gemp_code code = GEMP_OK;
	cl_uint slabs = (cl_uint)s->slabs.slabs;
	GEMP_TRY(gemp_tool_launch(s->box, s->count, s->slabs.slabs, s->group, GEMP_ARG(&b->keys[0].mem),
	                          GEMP_ARG(&s->slabs.count), GEMP_ARG(&s->slabs.slab), GEMP_KEY_ARG(&s->map.flip, s->map),
	                          GEMP_KEY_ARG(&s->map.spread, s->map), GEMP_ARG(&shift), GEMP_ARG(&s->counts->mem)));
	GEMP_TRY(gemp_tool_launch(s->box, s->rows, BINS, s->group, GEMP_ARG(&s->counts->mem), GEMP_ARG(&slabs),
	                          GEMP_ARG(&s->totals->mem)));
	GEMP_TRY(move(s, b, shift));
	swap(b->keys);
	swap(b->values);
done:
	return code;
}

gemp_code gemp_sort_device(gemp_toolbox *box, const gemp_sort *sort, gemp_sort_buffers *buffers, size_t count, unsigned bits)
{
	gemp_code code = GEMP_OK;
	gemp_key_map map = gemp_key_map_of(sort->key, sort->descending);
	gemp_extent extent = { .differing = bits && bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX };
	sorting s = { .box = box, .sort = sort, .group = gemp_tool_group(box, GROUP), .map = gemp_map_arguments_of(map) };
	GEMP_TRY(gemp_tool_check(box, count));
	if (count < 2)
		goto done;
	if (!bits)
		GEMP_TRY(gemp_extent_device(box, &buffers->keys[0], count, map, &extent));
	GEMP_TRY(prepare(&s, count));
	while (extent.differing) {
		cl_uint shift = (cl_uint)__builtin_ctzll(extent.differing);
		GEMP_TRY(pass(&s, buffers, shift));
		extent.differing = shift + DIGIT < 64 ? extent.differing >> (shift + DIGIT) << (shift + DIGIT) : 0;
	}
done:
	return code;
}
