#include "primitive/sort.h"

#include "primitive/extent_device.h"
#include "primitive/radix_device.h"

enum { DIGIT = 8 };

static void swap(gemp_buffer *pair)
{
	gemp_buffer first = pair[0];
	pair[0] = pair[1];
	pair[1] = first;
}

gemp_code gemp_sort_differing(gemp_toolbox *box, const gemp_sort *sort, gemp_sort_buffers *buffers, size_t count,
                              uint64_t differing)
{
	gemp_code code = GEMP_OK;
	gemp_radix radix = { .box = box, .map = gemp_key_map_of(sort->key, sort->descending), .value_size = sort->value_size,
		.bits = DIGIT };
	GEMP_TRY(gemp_tool_check(box, count));
	if (count < 2)
		goto done;
	GEMP_TRY(gemp_radix_prepare(&radix, count));
	while (differing) {
		radix.shift = (unsigned)__builtin_ctzll(differing);
		GEMP_TRY(gemp_radix_pass(&radix, &buffers->keys[0], &buffers->values[0], &buffers->keys[1], &buffers->values[1]));
		swap(buffers->keys);
		swap(buffers->values);
		unsigned next = radix.shift + DIGIT;
		differing = next < 64 ? differing >> next << next : 0;
	}
done:
	return code;
}

gemp_code gemp_sort_device(gemp_toolbox *box, const gemp_sort *sort, gemp_sort_buffers *buffers, size_t count, unsigned bits)
{
	gemp_code code = GEMP_OK;
	gemp_key_map map = gemp_key_map_of(sort->key, sort->descending);
	gemp_extent extent = { .differing = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX };
	GEMP_TRY(gemp_tool_check(box, count));
	if (!bits && count > 1)
		GEMP_TRY(gemp_extent_device(box, &buffers->keys[0], count, map, &extent));
	code = gemp_sort_differing(box, sort, buffers, count, extent.differing);
done:
	return code;
}
