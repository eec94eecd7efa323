#include "primitive/extent_device.h"

#include "core/memory.h"

enum { GROUP = 256, SLABS_A_UNIT = 8, TILE = 4 * GROUP, ITEM_SLAB = 1 << 12 };

static gemp_extent unite(const void *parts, size_t slabs, unsigned size)
{
	gemp_extent e = { .least = UINT64_MAX };
	for (size_t s = 0; s < slabs; s++) {
		uint64_t least = gemp_key_get(parts, 3 * s, size), most = gemp_key_get(parts, 3 * s + 1, size);
		e.least = least < e.least ? least : e.least;
		e.most = most > e.most ? most : e.most;
		e.differing |= gemp_key_get(parts, 3 * s + 2, size);
	}
	return e;
}

gemp_code gemp_extent_device(gemp_toolbox *box, const gemp_buffer *keys, size_t count, gemp_key_map map, gemp_extent *extent)
{
	gemp_code code = GEMP_OK;
	cl_kernel kernel;
	gemp_buffer *out;
	void *parts = NULL;
	size_t group = gemp_tool_group(box, GROUP);
	gemp_slabs s = gemp_tool_slabs(box, count, group ? TILE : ITEM_SLAB, SLABS_A_UNIT);
	cl_ulong flip = map.flip, spread = map.spread;
	GEMP_TRY(gemp_tool_kernel(box, &kernel, "extent.cl", "extent_slabs", group, "-DGEMP_KEY_BITS=%u", 8 * map.size));
	GEMP_TRY(gemp_tool_scratch(box, GEMP_SCRATCH_SUMS, 3 * s.slabs * map.size, &out));
	GEMP_TRY(gemp_tool_launch(box, kernel, s.slabs, group, GEMP_ARG(&keys->mem), GEMP_ARG(&s.count), GEMP_ARG(&s.slab),
	                          GEMP_KEY_ARG(&flip, map.size), GEMP_KEY_ARG(&spread, map.size), GEMP_ARG(&out->mem)));
	parts = gemp_calloc(3 * s.slabs, map.size);
	if (!parts) {
		code = GEMP_ENOMEM;
		goto done;
	}
	GEMP_TRY(gemp_buffer_read(box->device, out, 0, 3 * s.slabs * map.size, parts));
	*extent = unite(parts, s.slabs, map.size);
done:
	gemp_free(parts);
	return code;
}
