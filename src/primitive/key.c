/* Codes of keys, and the range of an array of keys. The range tells callers how many bits they must sort, and whether
 * the array is sorted already. It costs one pass over the keys by all threads or work-groups. */

#include "primitive/key.h"

#include "core/memory.h"
#include "core/threads.h"

const char *const gemp_key_name[GEMP_KEY_KINDS] = { "u32", "u64", "i32", "i64", "f32", "f64" };

/* The code of a signed number has the sign bit inverted. The code of a negative float has all bits inverted. */
gemp_key_map gemp_key_map_of(gemp_key_kind kind, bool descending)
{
	gemp_key_map map = { .size = gemp_key_size(kind) };
	uint64_t all = map.size == 4 ? UINT32_MAX : UINT64_MAX, sign = all ^ all >> 1;
	if (kind != GEMP_KEY_U32 && kind != GEMP_KEY_U64)
		map.flip = sign;
	if (kind == GEMP_KEY_F32 || kind == GEMP_KEY_F64)
		map.spread = all ^ sign;
	if (descending)
		map.flip ^= all;
	return map;
}

enum { SLABS = 64, MIN_SLAB = 1 << 14 };

typedef struct range_task {
	const void *keys;
	size_t count, slabs;
	gemp_key_map map;
	gemp_key_range extents[SLABS];
} range_task;

/* Inlined into measure_slab for each key size. */
static inline __attribute__((always_inline)) gemp_key_range range_of_slab(const range_task *m, size_t slab,
                                                                          gemp_key_map map)
{
	size_t begin = gemp_chunk_begin(m->count, m->slabs, slab), end = gemp_chunk_begin(m->count, m->slabs, slab + 1);
	gemp_key_range e = { .min = UINT64_MAX, .sorted = true };
	if (begin == end)
		return e;
	/* Begins with the key before the slab, so that `sorted` and `differing` hold across slabs. */
	uint64_t before = gemp_key_code(gemp_key_get(m->keys, begin ? begin - 1 : 0, map.size), map), any = before;
	for (size_t i = begin; i < end; i++) {
		uint64_t code = gemp_key_code(gemp_key_get(m->keys, i, map.size), map);
		e.min = code < e.min ? code : e.min;
		e.max = code > e.max ? code : e.max;
		e.differing |= code ^ any;
		e.sorted &= code >= before;
		before = code;
	}
	return e;
}

/* The assignments of constant sizes make the compiler specialise the loop for each size. */
static void measure_slab(void *context, unsigned thread, size_t slab)
{
	(void)thread;
	range_task *m = context;
	gemp_key_map map = m->map;
	if (map.size == 4) {
		map.size = 4;
		m->extents[slab] = range_of_slab(m, slab, map);
	} else {
		map.size = 8;
		m->extents[slab] = range_of_slab(m, slab, map);
	}
}

/* Slabs overlap by one key, so that `sorted` holds across their borders. */
gemp_key_range gemp_key_range_host(const void *keys, size_t count, gemp_key_map map)
{
	range_task m = { .keys = keys, .count = count, .map = map };
	gemp_key_range all = { .min = UINT64_MAX, .sorted = true };
	m.slabs = gemp_min(count / MIN_SLAB + 1, SLABS);
	gemp_parallel_for(m.slabs, measure_slab, &m);
	for (size_t s = 0; s < m.slabs; s++) {
		const gemp_key_range *e = &m.extents[s];
		all.min = gemp_min(e->min, all.min);
		all.max = gemp_max(e->max, all.max);
		all.differing |= e->differing;
		all.sorted &= e->sorted;
	}
	return all;
}

enum { GROUP = 256, SLABS_A_UNIT = 8, TILE = 4 * GROUP, ITEM_SLAB = 1 << 12 };

/* parts[3 * slabs] are the minimum, maximum and differing bits of each slab. */
static gemp_key_range merge_ranges(const void *parts, size_t slabs, unsigned size)
{
	gemp_key_range e = { .min = UINT64_MAX };
	for (size_t s = 0; s < slabs; s++) {
		uint64_t low = gemp_key_get(parts, 3 * s, size), high = gemp_key_get(parts, 3 * s + 1, size);
		e.min = gemp_min(low, e.min);
		e.max = gemp_max(high, e.max);
		e.differing |= gemp_key_get(parts, 3 * s + 2, size);
	}
	return e;
}

/* There are few slabs, so the host merges their results. */
gemp_code gemp_key_range_device(gemp_toolbox *box, const gemp_buffer *keys, size_t count, gemp_key_map map,
                                gemp_key_range *extent)
{
	cl_kernel kernel;
	gemp_buffer *out;
	GEMP_OWNED void *parts = NULL;
	size_t group = gemp_tool_group(box, GROUP);
	gemp_slabs s = gemp_tool_slabs(box, count, group ? TILE : ITEM_SLAB, SLABS_A_UNIT);
	cl_ulong flip = map.flip, spread = map.spread;
	GEMP_TRY(gemp_tool_kernel(box, &kernel, "key_range.cl", "extent_slabs", group, "-DGEMP_KEY_BITS=%u", 8 * map.size));
	GEMP_TRY(gemp_tool_scratch(box, GEMP_SCRATCH_SUMS, 3 * s.slabs * map.size, &out));
	GEMP_TRY(gemp_tool_launch(box, kernel, s.slabs, group, GEMP_ARG(&keys->mem), GEMP_ARG(&s.count), GEMP_ARG(&s.slab),
	                          GEMP_KEY_ARG(&flip, map.size), GEMP_KEY_ARG(&spread, map.size), GEMP_ARG(&out->mem)));
	GEMP_TRY(gemp_new_all(GEMP_ARRAY_OF(parts, 3 * s.slabs, map.size)));
	GEMP_TRY(gemp_buffer_read(box->device, out, 0, 3 * s.slabs * map.size, parts));
	*extent = merge_ranges(parts, s.slabs, map.size);
	return GEMP_OK;
}
