#include "primitive/sweep_device.h"

#include <stdio.h>
#include <string.h>

enum {
	GROUP = 256,
	GROUPS_A_UNIT = 8,
	REGISTERS = 80, /* of a work-item, so that three groups share a unit */
	BINS = 1 << GEMP_SWEEP_BITS,
	WORDS = GEMP_SWEEP_DIGITS * (BINS + 1),
};

/* Keys that a work-item holds: as many as local memory for them allows, and registers where codes are kept beside keys. */
static unsigned items_of(const gemp_sweep *s)
{
	if (s->group == GEMP_TOOL_WARP)
		return 3;
	return (s->map.size == 4 && s->value_size != 8 ? 20u : 16u) - (s->map.spread ? 4u : 0u);
}

static cl_ulong shifts_of(const gemp_sweep *s)
{
	cl_ulong shifts = 0;
	for (unsigned d = 0; d < s->digits; d++)
		shifts |= (cl_ulong)s->shift[d] << 8 * d;
	return shifts;
}

gemp_code gemp_sweep_begin(gemp_sweep *s, const gemp_buffer *keys, size_t count)
{
	static const char *const names[] = { "sweep_clear", "sweep_count", "sweep_sums", "sweep_move" };
	gemp_code code = GEMP_OK;
	cl_kernel kernels[4];
	char options[192];
	cl_ulong flip = s->map.flip, spread = s->map.spread, shifts = shifts_of(s);
	cl_uint digits = s->digits, words;
	GEMP_CHECK(count < GEMP_SWEEP_MOST && s->digits <= GEMP_SWEEP_DIGITS);
	s->group = gemp_tool_group(s->box, GROUP);
	unsigned items = items_of(s);
	s->count = (cl_uint)count;
	s->tiles = (count + s->group * items - 1) / (s->group * items);
	words = (cl_uint)(s->tiles * BINS);
	snprintf(options, sizeof options, "-DGEMP_KEY_BITS=%u -DGEMP_VALUE_BITS=%u -DRADIX_BITS=%d -DRADIX_ITEMS=%u "
	         "-DSWEEP_SPREAD=%d", 8 * s->map.size, 8 * s->value_size, GEMP_SWEEP_BITS, items, s->map.spread != 0);
	if (s->box->device->nvidia)
		snprintf(options + strlen(options), sizeof options - strlen(options), " -cl-nv-maxrregcount=%d", REGISTERS);
	for (int k = 0; k < 4; k++)
		GEMP_TRY(gemp_tool_kernel(s->box, &kernels[k], "sweep.cl", names[k], s->group, "%s", options));
	s->move = kernels[3];
	GEMP_TRY(gemp_tool_scratch(s->box, GEMP_SCRATCH_COUNTS, words * sizeof(cl_uint), &s->status));
	GEMP_TRY(gemp_tool_scratch(s->box, GEMP_SCRATCH_TOTALS, WORDS * sizeof(cl_uint), &s->bins));
	size_t most = s->box->device->units * GROUPS_A_UNIT, groups = s->tiles < most ? s->tiles : most;
	GEMP_TRY(gemp_tool_launch(s->box, kernels[0], groups, s->group, GEMP_ARG(&s->status->mem), GEMP_ARG(&words),
	                          GEMP_ARG(&s->bins->mem)));
	GEMP_TRY(gemp_tool_launch(s->box, kernels[1], groups, s->group, GEMP_ARG(&keys->mem), GEMP_ARG(&s->count),
	                          GEMP_KEY_ARG(&flip, s->map.size), GEMP_KEY_ARG(&spread, s->map.size), GEMP_ARG(&shifts),
	                          GEMP_ARG(&digits), GEMP_ARG(&s->bins->mem)));
	code = gemp_tool_launch(s->box, kernels[2], s->digits, s->group, GEMP_ARG(&s->bins->mem));
done:
	return code;
}

gemp_code gemp_sweep_move(const gemp_sweep *s, unsigned digit, const gemp_buffer *keys, const gemp_buffer *values,
                          const gemp_buffer *out_keys, const gemp_buffer *out_values)
{
	cl_uint shift = s->shift[digit], sweep = digit, up_to = digit % 2 ? 3 : 2;
	cl_ulong flip = s->map.flip, spread = s->map.spread;
	const gemp_argument values_in_out[] = { GEMP_ARG(&values->mem), GEMP_ARG(&out_values->mem) };
	const gemp_argument all[] = { GEMP_ARG(&keys->mem), GEMP_ARG(&out_keys->mem), GEMP_ARG(&s->count),
		GEMP_KEY_ARG(&flip, s->map.size), GEMP_KEY_ARG(&spread, s->map.size), GEMP_ARG(&shift), GEMP_ARG(&sweep),
		GEMP_ARG(&up_to), GEMP_ARG(&s->bins->mem), GEMP_ARG(&s->status->mem) };
	return gemp_tool_launch_values(s->box, s->move, s->tiles, s->group, all, sizeof all / sizeof *all,
	                               s->value_size ? values_in_out : NULL);
}
