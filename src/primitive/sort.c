/* Least-significant-digit radix sort. The host makes passes of up to 11 bits over the bits in which keys differ,
 * between two arrays. Devices make passes of 8 bits. On devices with forward progress between work-groups, the passes
 * are sweeps of Onesweep, for which one pass counts the digits of all sweeps. */

#include "primitive/sort.h"

#include "core/memory.h"
#include "core/types.h"
#include "primitive/radix_pass.h"

#include <stdio.h>
#include <string.h>

enum { GEMP_ONESWEEP_BITS = 8, GEMP_ONESWEEP_DIGITS = 8 };

/* Arrays of this length or more are sorted by passes of radix_pass instead of Onesweep. */
#define GEMP_ONESWEEP_MAX ((size_t)1 << 30)

/* Onesweep (Adinets and Merrill 2022), in the form in groups (kernels/primitive/onesweep.cl). One pass counts the
 * digits of all sweeps, and each sweep finds the positions of its tiles by decoupled look-back (Merrill and Garland
 * 2016). It thus reads the keys once less for each digit than passes of radix_pass. A work-group waits for the groups
 * that began before it. */
typedef struct gemp_onesweep {
	gemp_toolbox *box;
	gemp_key_map map;
	unsigned value_size;
	unsigned digits;                           /* at most GEMP_ONESWEEP_DIGITS */
	unsigned char shift[GEMP_ONESWEEP_DIGITS]; /* first bit of each digit */
	/* the members below are set by gemp_onesweep_begin */
	size_t group, tiles;
	cl_uint count;
	gemp_buffer *status, *bins;
	cl_kernel move;
} gemp_onesweep;

enum {
	GROUP = 256,
	GROUPS_A_UNIT = 8,
	REGISTERS = 80, /* registers of a work-item, so that three groups share a unit */
	BINS = 1 << GEMP_ONESWEEP_BITS,
	WORDS = GEMP_ONESWEEP_DIGITS * (BINS + 1),
};

/* The number of keys that a work-item holds. Local memory limits it, and so do registers if codes are stored beside
 * keys. */
static unsigned items_of(const gemp_onesweep *s)
{
	if (s->group == GEMP_TOOL_WARP)
		return 3;
	return (s->map.size == 4 && s->value_size != 8 ? 20u : 16u) - (s->map.spread ? 4u : 0u);
}

/* Packs the shifts into one argument of the kernel, eight bits each. */
static cl_ulong shifts_of(const gemp_onesweep *s)
{
	cl_ulong shifts = 0;
	for (unsigned d = 0; d < s->digits; d++)
		shifts |= (cl_ulong)s->shift[d] << 8 * d;
	return shifts;
}

/* Counts the digits of all sweeps over fewer than GEMP_ONESWEEP_MAX keys. Does not wait. */
static gemp_code gemp_onesweep_begin(gemp_onesweep *s, const gemp_buffer *keys, size_t count)
{
	static const char *const names[] = { "sweep_clear", "sweep_count", "sweep_sums", "sweep_move" };
	cl_kernel kernels[4];
	char options[192];
	cl_ulong flip = s->map.flip, spread = s->map.spread, shifts = shifts_of(s);
	cl_uint digits = s->digits, words;
	GEMP_CHECK(count < GEMP_ONESWEEP_MAX && s->digits <= GEMP_ONESWEEP_DIGITS);
	s->group = gemp_tool_group(s->box, GROUP);
	unsigned items = items_of(s);
	s->count = (cl_uint)count;
	s->tiles = (count + s->group * items - 1) / (s->group * items);
	words = (cl_uint)(s->tiles * BINS);
	snprintf(options, sizeof options,
	         "-DGEMP_KEY_BITS=%u -DGEMP_VALUE_BITS=%u -DRADIX_BITS=%d -DRADIX_ITEMS=%u "
	         "-DSWEEP_SPREAD=%d",
	         8 * s->map.size, 8 * s->value_size, GEMP_ONESWEEP_BITS, items, s->map.spread != 0);
	if (s->box->device->nvidia)
		snprintf(options + strlen(options), sizeof options - strlen(options), " -cl-nv-maxrregcount=%d", REGISTERS);
	for (int k = 0; k < 4; k++)
		GEMP_TRY(gemp_tool_kernel(s->box, &kernels[k], "onesweep.cl", names[k], s->group, "%s", options));
	s->move = kernels[3];
	GEMP_TRY(gemp_tool_scratch(s->box, GEMP_SCRATCH_COUNTS, words * sizeof(cl_uint), &s->status));
	GEMP_TRY(gemp_tool_scratch(s->box, GEMP_SCRATCH_TOTALS, WORDS * sizeof(cl_uint), &s->bins));
	size_t groups = gemp_min(s->tiles, s->box->device->units * GROUPS_A_UNIT);
	GEMP_TRY(gemp_tool_launch(s->box, kernels[0], groups, s->group, GEMP_ARG(&s->status->mem), GEMP_ARG(&words),
	                          GEMP_ARG(&s->bins->mem)));
	GEMP_TRY(gemp_tool_launch(s->box, kernels[1], groups, s->group, GEMP_ARG(&keys->mem), GEMP_ARG(&s->count),
	                          GEMP_KEY_ARG(&flip, s->map.size), GEMP_KEY_ARG(&spread, s->map.size), GEMP_ARG(&shifts),
	                          GEMP_ARG(&digits), GEMP_ARG(&s->bins->mem)));
	return gemp_tool_launch(s->box, kernels[2], s->digits, s->group, GEMP_ARG(&s->bins->mem));
}

/* Makes one sweep. Digits must be sorted in order, from 0. Without values, buffers of values are ignored. Does not
 * wait. */
static gemp_code gemp_onesweep_move(const gemp_onesweep *s, unsigned digit, const gemp_buffer *keys,
                                    const gemp_buffer *values, const gemp_buffer *out_keys,
                                    const gemp_buffer *out_values)
{
	cl_uint shift = s->shift[digit], sweep = digit, up_to = digit % 2 ? 3 : 2;
	cl_ulong flip = s->map.flip, spread = s->map.spread;
	const gemp_argument values_in_out[] = { GEMP_ARG(&values->mem), GEMP_ARG(&out_values->mem) };
	const gemp_argument all[] = { GEMP_ARG(&keys->mem),
		                          GEMP_ARG(&out_keys->mem),
		                          GEMP_ARG(&s->count),
		                          GEMP_KEY_ARG(&flip, s->map.size),
		                          GEMP_KEY_ARG(&spread, s->map.size),
		                          GEMP_ARG(&shift),
		                          GEMP_ARG(&sweep),
		                          GEMP_ARG(&up_to),
		                          GEMP_ARG(&s->bins->mem),
		                          GEMP_ARG(&s->status->mem) };
	return gemp_tool_launch_values(s->box, s->move, s->tiles, s->group, all, sizeof all / sizeof *all,
	                               s->value_size ? values_in_out : NULL);
}

enum { FEW = 1 << 16, DIGIT_OF_FEW = 8, HOST_DIGIT = 11 };

/* Chooses the bits of the next pass. Returns false if no bits are left. Low bits in which no keys differ are skipped,
 * and the other bits are divided evenly among as few passes as possible. */
static bool next_digit(gemp_radix_host *pass, uint64_t *differing)
{
	if (!*differing)
		return false;
	unsigned max_bits = pass->count < FEW ? DIGIT_OF_FEW : HOST_DIGIT, top = 63 - (unsigned)__builtin_clzll(*differing);
	pass->shift = (unsigned)__builtin_ctzll(*differing);
	unsigned left = top - pass->shift + 1, passes = (left + max_bits - 1) / max_bits;
	pass->bits = (left + passes - 1) / passes;
	unsigned next = pass->shift + pass->bits;
	*differing = next < 64 ? *differing >> next << next : 0;
	return true;
}

/* The output of a pass is the input of the next pass. */
static void swap(void **a, void **b)
{
	void *old = *a;
	*a = *b;
	*b = old;
}

/* Passes alternate between the caller's arrays and temporary arrays. After an odd number of passes the result is copied
 * back. */
static gemp_code sort_by(const gemp_sort *sort, void *keys, void *values, gemp_radix_host *pass, uint64_t differing)
{
	GEMP_OWNED void *other_keys = NULL, *other_values = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY_OF(other_keys, pass->count, pass->map.size),
	                      GEMP_ARRAY_OF(other_values, pass->count, sort->value_size)));
	GEMP_TRY(gemp_radix_host_new(pass, HOST_DIGIT, pass->count));
	pass->keys = keys;
	pass->values = values;
	pass->out_keys = other_keys;
	pass->out_values = other_values;
	while (next_digit(pass, &differing)) {
		gemp_radix_host_count(pass, NULL);
		gemp_radix_host_move(pass);
		swap(&pass->keys, &pass->out_keys);
		swap(&pass->values, &pass->out_values);
	}
	if (pass->keys != keys) {
		memcpy(keys, pass->keys, pass->count * pass->map.size);
		if (sort->value_size)
			memcpy(values, pass->values, pass->count * sort->value_size);
	}
	return GEMP_OK;
}

/* An array that is already sorted costs one pass over the keys. */
gemp_code gemp_sort_host(const gemp_sort *sort, void *keys, void *values, size_t count)
{
	GEMP_OWNED_BY(gemp_radix_host_free)
	gemp_radix_host pass = { .map = gemp_key_map_of(sort->key, sort->descending),
		                     .value_size = sort->value_size,
		                     .count = count };
	gemp_key_range extent = gemp_key_range_host(keys, count, pass.map);
	return extent.sorted ? GEMP_OK : sort_by(sort, keys, values, &pass, extent.differing);
}

enum { DIGIT = GEMP_ONESWEEP_BITS };

/* The output of a pass is the input of the next pass. */
static void swap_both(gemp_sort_buffers *b)
{
	*b = (gemp_sort_buffers){ .keys = { b->keys[1], b->keys[0] }, .values = { b->values[1], b->values[0] } };
}

/* Sets the shifts of digits that cover all differing bits. Returns the number of digits. */
static unsigned digits_of(uint64_t differing, unsigned char shift[GEMP_ONESWEEP_DIGITS])
{
	unsigned digits = 0;
	while (differing) {
		unsigned first = (unsigned)__builtin_ctzll(differing), next = first + DIGIT;
		shift[digits++] = (unsigned char)first;
		differing = next < 64 ? differing >> next << next : 0;
	}
	return digits;
}

/* Each sweep reads one pair of buffers and writes the other. */
static gemp_code sort_onesweep(gemp_onesweep *sweep, gemp_sort_buffers *buffers, size_t count)
{
	GEMP_TRY(gemp_onesweep_begin(sweep, &buffers->keys[0], count));
	for (unsigned d = 0; d < sweep->digits; d++) {
		GEMP_TRY(gemp_onesweep_move(sweep, d, &buffers->keys[0], &buffers->values[0], &buffers->keys[1],
		                            &buffers->values[1]));
		swap_both(buffers);
	}
	return GEMP_OK;
}

/* Sorts by passes, each of which counts its own digit. */
static gemp_code sort_by_passes(const gemp_onesweep *sweep, gemp_sort_buffers *buffers, size_t count)
{
	gemp_radix_device radix = { .box = sweep->box, .map = sweep->map, .value_size = sweep->value_size, .bits = DIGIT };
	GEMP_TRY(gemp_radix_device_prepare(&radix, count));
	for (unsigned d = 0; d < sweep->digits; d++) {
		radix.shift = sweep->shift[d];
		GEMP_TRY(gemp_radix_device_pass(&radix, &buffers->keys[0], &buffers->values[0], &buffers->keys[1],
		                                &buffers->values[1]));
		swap_both(buffers);
	}
	return GEMP_OK;
}

/* Onesweep needs forward progress of earlier work-groups, which only some devices guarantee (toolbox.h). */
gemp_code gemp_sort_differing(gemp_toolbox *box, const gemp_sort *sort, gemp_sort_buffers *buffers, size_t count,
                              uint64_t differing)
{
	gemp_onesweep sweep = { .box = box,
		                    .map = gemp_key_map_of(sort->key, sort->descending),
		                    .value_size = sort->value_size };
	GEMP_TRY(gemp_tool_check(box, count));
	sweep.digits = digits_of(differing, sweep.shift);
	if (count < 2 || sweep.digits == 0)
		return GEMP_OK;
	return box->onesweep && count < GEMP_ONESWEEP_MAX ? sort_onesweep(&sweep, buffers, count)
	                                                  : sort_by_passes(&sweep, buffers, count);
}

/* If the number of bits is unknown, finds the range of the keys first and waits for it. */
gemp_code gemp_sort_device(gemp_toolbox *box, const gemp_sort *sort, gemp_sort_buffers *buffers, size_t count,
                           unsigned bits)
{
	gemp_key_map map = gemp_key_map_of(sort->key, sort->descending);
	gemp_key_range extent = { .differing = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX };
	GEMP_TRY(gemp_tool_check(box, count));
	if (!bits && count > 1)
		GEMP_TRY(gemp_key_range_device(box, &buffers->keys[0], count, map, &extent));
	return gemp_sort_differing(box, sort, buffers, count, extent.differing);
}
