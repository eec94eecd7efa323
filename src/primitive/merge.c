#include "primitive/merge.h"

#include "core/limits.h"
#include "core/types.h"

enum { GROUP = 256, SLABS_A_UNIT = 4, SLAB = 64, ITEM_PASS = 2 };

typedef struct merge_pass {
	gemp_toolbox *box;
	gemp_key_map map;
	unsigned value_size;
	gemp_sort_buffers *buffers;
	size_t group;
	unsigned items; /* elements that a work-item merges in the form in groups */
} merge_pass;

/* A sort makes a pass for each byte of the keys. On an H200 such a pass over 2^29 keys of 32 bits takes 2.5 ms, and a
 * pass of merges 1.5 (2026-11-30). On a CPU device a pass of merges is assumed to take twice as long as one of a sort,
 * since it branches on each key. */
bool gemp_merge_pays(const gemp_toolbox *box, const gemp_sort *sort, size_t count, size_t runs)
{
	unsigned passes = 0;
	while ((size_t)1 << passes < runs)
		passes++;
	return count >= gemp_limits_now()->merge_min && passes * (box->groups ? 1 : ITEM_PASS) <= gemp_key_size(sort->key);
}

static gemp_code find_kernel(const merge_pass *p, cl_kernel *out, const char *name)
{
	return gemp_tool_kernel(p->box, out, "merge.cl", name, p->group,
	                        "-DGEMP_KEY_BITS=%u -DGEMP_VALUE_BITS=%u -DRADIX_BITS=8 -DRADIX_ITEMS=%u", 8 * p->map.size,
	                        8 * p->value_size, p->items);
}

/* The last argument is the buffer of paths in the form in groups, otherwise the length of a slab. */
static gemp_code launch(const merge_pass *p, cl_kernel kernel, size_t groups, const cl_uint run[3], gemp_argument last)
{
	gemp_sort_buffers *b = p->buffers;
	const cl_ulong flip = p->map.flip, spread = p->map.spread;
	const gemp_argument values[] = { GEMP_ARG(&b->values[0].mem), GEMP_ARG(&b->values[1].mem) };
	const gemp_argument all[] = { GEMP_ARG(&b->keys[0].mem),
		                          GEMP_ARG(&b->keys[1].mem),
		                          GEMP_ARG(&run[0]),
		                          GEMP_ARG(&run[1]),
		                          GEMP_ARG(&run[2]),
		                          GEMP_KEY_ARG(&flip, p->map.size),
		                          GEMP_KEY_ARG(&spread, p->map.size),
		                          last };
	return gemp_tool_launch_values(p->box, kernel, groups, p->group, all, sizeof all / sizeof *all,
	                               p->value_size ? values : NULL);
}

/* run: the first element, and the lengths of both runs. */
static gemp_code merge_in_groups(const merge_pass *p, const cl_uint run[3])
{
	const size_t tile = p->group * p->items;
	const cl_ulong flip = p->map.flip, spread = p->map.spread;
	const cl_uint parts = (cl_uint)(((size_t)run[1] + run[2] + tile - 1) / tile);
	cl_kernel find, merge;
	gemp_buffer *paths;
	GEMP_TRY(find_kernel(p, &find, "merge_paths"));
	GEMP_TRY(find_kernel(p, &merge, "merge_parts"));
	GEMP_TRY(gemp_tool_scratch(p->box, GEMP_SCRATCH_SUMS, (parts + (size_t)1) * sizeof(cl_uint), &paths));
	GEMP_TRY(gemp_tool_launch(p->box, find, parts / p->group + 1, p->group, GEMP_ARG(&p->buffers->keys[0].mem),
	                          GEMP_ARG(&run[0]), GEMP_ARG(&run[1]), GEMP_ARG(&run[2]), GEMP_KEY_ARG(&flip, p->map.size),
	                          GEMP_KEY_ARG(&spread, p->map.size), GEMP_ARG(&parts), GEMP_ARG(&paths->mem)));
	return launch(p, merge, parts, run, GEMP_ARG(&paths->mem));
}

static gemp_code merge_by_items(const merge_pass *p, const cl_uint run[3])
{
	const gemp_slabs slabs = gemp_tool_slabs(p->box, (size_t)run[1] + run[2], SLAB, SLABS_A_UNIT);
	cl_kernel merge;
	GEMP_TRY(find_kernel(p, &merge, "merge_slabs"));
	return launch(p, merge, slabs.slabs, run, GEMP_ARG(&slabs.slab));
}

static gemp_code copy_run(const merge_pass *p, const gemp_buffer pair[2], size_t first, size_t length, size_t size)
{
	return GEMP_CL(clEnqueueCopyBuffer(p->box->device->queue, pair[0].mem, pair[1].mem, first * size, first * size,
	                                   length * size, 0, NULL, NULL));
}

/* Merges two runs, or copies one if the other has no elements. */
static gemp_code merge_two(const merge_pass *p, size_t first, uint64_t left, uint64_t right)
{
	const cl_uint run[3] = { (cl_uint)first, (cl_uint)left, (cl_uint)right };
	if (left && right)
		return p->group ? merge_in_groups(p, run) : merge_by_items(p, run);
	if (left + right == 0)
		return GEMP_OK;
	GEMP_TRY(copy_run(p, p->buffers->keys, first, left + right, p->map.size));
	return p->value_size ? copy_run(p, p->buffers->values, first, left + right, p->value_size) : GEMP_OK;
}

/* Odd numbers of elements keep the work-items of a warp on different banks of local memory. */
gemp_code gemp_merge_device(gemp_toolbox *box, const gemp_sort *sort, gemp_sort_buffers *b, uint64_t *length,
                            size_t runs)
{
	merge_pass p = { .box = box,
		             .map = gemp_key_map_of(sort->key, sort->descending),
		             .value_size = sort->value_size,
		             .buffers = b,
		             .group = gemp_tool_group(box, GROUP) };
	p.items = p.map.size == 4 ? 15 : 11;
	for (; runs > 1; runs = (runs + 1) / 2) {
		size_t first = 0;
		for (size_t i = 0; i < runs; i += 2) {
			const uint64_t left = length[i], right = i + 1 < runs ? length[i + 1] : 0;
			GEMP_TRY(merge_two(&p, first, left, right));
			length[i / 2] = left + right;
			first += left + right;
		}
		*b = (gemp_sort_buffers){ .keys = { b->keys[1], b->keys[0] }, .values = { b->values[1], b->values[0] } };
	}
	return GEMP_OK;
}
