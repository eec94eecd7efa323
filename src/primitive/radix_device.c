#include "primitive/radix_device.h"

#include <stdio.h>

enum { GROUP = 256, SLABS_A_UNIT = 64, ITEM_SLAB = 1 << 14, ITEM_SLABS_A_UNIT = 2 };
enum { LARGE = 1 << 22 }; /* bytes that do not stay in a core's cache */

/* Keys that a work-item of a group holds at a time: as many as local memory for them allows, and registers for two groups or
 * three at a time. */
static unsigned items_of(const gemp_radix *r)
{
	if (r->group == GEMP_TOOL_WARP)
		return 3;
	return r->map.size == 4 && r->value_size != 8 ? 16 : 12;
}

static gemp_code kernel_of(gemp_radix *r, cl_kernel *out, const char *name, unsigned record)
{
	char options[GEMP_TOOL_OPTIONS];
	int used = snprintf(options, sizeof options, "-DGEMP_KEY_BITS=%u -DGEMP_VALUE_BITS=%u -DRADIX_BITS=%u -DRADIX_ITEMS=%u",
	                    8 * r->map.size, 8 * r->value_size, r->bits, items_of(r));
	if (record)
		used += snprintf(options + used, sizeof options - (size_t)used, " -DGEMP_RECORD=%u", record);
	if (!r->group && !r->map.flip && !r->map.spread && !r->least) /* in groups it makes no difference */
		snprintf(options + used, sizeof options - (size_t)used, " -DRADIX_PLAIN");
	return gemp_tool_kernel(r->box, out, "radix.cl", name, r->group, "%s", options);
}

gemp_code gemp_radix_prepare(gemp_radix *r, size_t count)
{
	gemp_code code = GEMP_OK;
	r->group = gemp_tool_group(r->box, GROUP);
	r->slabs = r->group ? gemp_tool_slabs(r->box, count, r->group * items_of(r), SLABS_A_UNIT)
	                    : gemp_tool_slabs(r->box, count, ITEM_SLAB, ITEM_SLABS_A_UNIT);
	r->lines = !r->group && count * ((r->record ? r->record : r->map.size) + r->value_size) >= LARGE;
	GEMP_TRY(kernel_of(r, &r->count, "radix_count", r->column ? 0 : r->record));
	GEMP_TRY(kernel_of(r, &r->rows, "radix_rows", r->record));
	GEMP_TRY(kernel_of(r, &r->move, "radix_move", r->record));
	GEMP_TRY(gemp_tool_scratch(r->box, GEMP_SCRATCH_COUNTS, (r->slabs.slabs << r->bits) * sizeof(cl_uint), &r->counts));
	code = gemp_tool_scratch(r->box, GEMP_SCRATCH_TOTALS, sizeof(cl_uint) << r->bits, &r->totals);
done:
	return code;
}

gemp_code gemp_radix_pass(const gemp_radix *r, const gemp_buffer *keys, const gemp_buffer *values,
                          const gemp_buffer *out_keys, const gemp_buffer *out_values)
{
	gemp_code code = GEMP_OK;
	static const gemp_buffer none;
	const gemp_slabs *s = &r->slabs;
	const gemp_buffer *from = values ? values : &none, *to = out_values ? out_values : &none;
	const gemp_buffer *counted = r->column ? r->column : keys;
	cl_uint slabs = (cl_uint)s->slabs, shift = r->shift;
	cl_ulong flip = r->map.flip, spread = r->map.spread, least = r->least;
	unsigned size = r->map.size;
	GEMP_TRY(gemp_tool_launch(r->box, r->count, s->slabs, r->group, GEMP_ARG(&counted->mem), GEMP_ARG(&s->count),
	                          GEMP_ARG(&s->slab), GEMP_KEY_ARG(&flip, size), GEMP_KEY_ARG(&spread, size),
	                          GEMP_KEY_ARG(&least, size), GEMP_ARG(&shift), GEMP_ARG(&r->counts->mem)));
	GEMP_TRY(gemp_tool_launch(r->box, r->rows, (size_t)1 << r->bits, r->group, GEMP_ARG(&r->counts->mem), GEMP_ARG(&slabs),
	                          GEMP_ARG(&r->totals->mem)));
	const gemp_argument values_in_out[] = { GEMP_ARG(&from->mem), GEMP_ARG(&to->mem) };
	gemp_argument all[] = { GEMP_ARG(&keys->mem), GEMP_ARG(&out_keys->mem), GEMP_ARG(&s->count), GEMP_ARG(&s->slab),
		GEMP_KEY_ARG(&flip, size), GEMP_KEY_ARG(&spread, size), GEMP_KEY_ARG(&least, size), GEMP_ARG(&shift),
		GEMP_ARG(&r->counts->mem), GEMP_ARG(&r->totals->mem), GEMP_ARG(&r->lines) };
	code = gemp_tool_launch_values(r->box, r->move, s->slabs, r->group, all, sizeof all / sizeof *all - (r->group ? 1 : 0),
	                               r->value_size ? values_in_out : NULL);
done:
	return code;
}
