#include "primitive/sort.h"

#include "primitive/extent_device.h"
#include "primitive/radix_device.h"
#include "primitive/sweep_device.h"

enum { DIGIT = GEMP_SWEEP_BITS };

static void swap(gemp_buffer *pair)
{
	gemp_buffer first = pair[0];
	pair[0] = pair[1];
	pair[1] = first;
}

static void swap_both(gemp_sort_buffers *buffers)
{
	swap(buffers->keys);
	swap(buffers->values);
}

/* Where digits begin that together have all of the bits that differ. */
static unsigned digits_of(uint64_t differing, unsigned char shift[GEMP_SWEEP_DIGITS])
{
	unsigned digits = 0;
	while (differing) {
		unsigned first = (unsigned)__builtin_ctzll(differing), next = first + DIGIT;
		shift[digits++] = (unsigned char)first;
		differing = next < 64 ? differing >> next << next : 0;
	}
	return digits;
}

static gemp_code sort_in_sweeps(gemp_sweep *sweep, gemp_sort_buffers *buffers, size_t count)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_sweep_begin(sweep, &buffers->keys[0], count));
	for (unsigned d = 0; d < sweep->digits; d++) {
		GEMP_TRY(gemp_sweep_move(sweep, d, &buffers->keys[0], &buffers->values[0], &buffers->keys[1], &buffers->values[1]));
		swap_both(buffers);
	}
done:
	return code;
}

static gemp_code sort_in_passes(const gemp_sweep *sweep, gemp_sort_buffers *buffers, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_radix radix = { .box = sweep->box, .map = sweep->map, .value_size = sweep->value_size, .bits = DIGIT };
	GEMP_TRY(gemp_radix_prepare(&radix, count));
	for (unsigned d = 0; d < sweep->digits; d++) {
		radix.shift = sweep->shift[d];
		GEMP_TRY(gemp_radix_pass(&radix, &buffers->keys[0], &buffers->values[0], &buffers->keys[1], &buffers->values[1]));
		swap_both(buffers);
	}
done:
	return code;
}

gemp_code gemp_sort_differing(gemp_toolbox *box, const gemp_sort *sort, gemp_sort_buffers *buffers, size_t count,
                              uint64_t differing)
{
	gemp_code code = GEMP_OK;
	gemp_sweep sweep = { .box = box, .map = gemp_key_map_of(sort->key, sort->descending), .value_size = sort->value_size };
	GEMP_TRY(gemp_tool_check(box, count));
	sweep.digits = digits_of(differing, sweep.shift);
	if (count < 2 || sweep.digits == 0)
		goto done;
	code = box->sweeps && count < GEMP_SWEEP_MOST ? sort_in_sweeps(&sweep, buffers, count)
	                                              : sort_in_passes(&sweep, buffers, count);
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
