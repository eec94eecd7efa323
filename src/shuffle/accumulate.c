#include "shuffle/tuples.h"

#include <stdio.h>

enum { GROUP = 512, SLAB = 1 << 16, ITEM_SLAB = 1 << 12, SLABS_A_UNIT = 16, MASKS = 256 };

const char *const gemp_shuffle_method_name[GEMP_SHUFFLE_METHODS] = { "decode", "polling", "converge", "atomic", "tables" };

gemp_code gemp_tuple_kernel(gemp_toolbox *box, cl_kernel *out, const gemp_shuffle *how, const gemp_tuples *tuples,
                            const char *name, size_t *group)
{
	*group = gemp_tool_group(box, GROUP);
	return gemp_tool_kernel(box, out, "shuffle.cl", name, *group,
	                        "-DSHUFFLE_BITS=%u -DSHUFFLE_SHIFT=%u -DSHUFFLE_VALUE=%u -DGEMP_RECORD=%u%s", how->bits, how->shift,
	                        gemp_tuple_value(how), gemp_tuple_record(how), tuples->destination ? " -DSHUFFLE_COLUMN" : "");
}

gemp_argument gemp_tuple_destinations(const gemp_tuples *tuples)
{
	return (gemp_argument){ sizeof(cl_mem), tuples->destination ? &tuples->destination->mem : NULL };
}

static gemp_slabs slabs_of(const gemp_toolbox *box, size_t count)
{
	return gemp_tool_slabs(box, count, box->groups ? SLAB : ITEM_SLAB, SLABS_A_UNIT);
}

gemp_code gemp_shuffle_gather(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *shuffled, const gemp_buffer *begin,
                              const gemp_buffer *sums)
{
	gemp_code code = GEMP_OK;
	gemp_slabs s = slabs_of(box, shuffled->count);
	cl_kernel kernel;
	size_t group;
	GEMP_CHECK(how->shift <= GEMP_SHUFFLE_SHIFT);
	GEMP_TRY(gemp_tuple_kernel(box, &kernel, how, shuffled, "shuffle_gather", &group));
	code = gemp_tool_launch(box, kernel, s.slabs, group, gemp_tuple_destinations(shuffled), GEMP_ARG(&shuffled->tuple->mem),
	                        GEMP_ARG(&begin->mem), GEMP_ARG(&s.slab), GEMP_ARG(&sums->mem));
done:
	return code;
}

/* Which of eight a mask has, a byte each. */
static gemp_code positions_new(gemp_buffer *out, gemp_device *device)
{
	cl_ulong positions[MASKS] = { 0 };
	for (unsigned mask = 0; mask < MASKS; mask++)
		for (unsigned k = 0, found = 0; k < 8; k++)
			if (mask >> k & 1)
				positions[mask] |= (cl_ulong)k << 8 * found++;
	return gemp_buffer_new(out, device, sizeof positions, positions);
}

gemp_code gemp_shuffle_accumulate(gemp_toolbox *box, gemp_shuffle_method method, const gemp_shuffle *how,
                                  const gemp_tuples *in, const gemp_buffer *sums)
{
	static const char *const names[GEMP_SHUFFLE_METHODS] = { [GEMP_SHUFFLE_POLLING] = "shuffle_polling",
		[GEMP_SHUFFLE_CONVERGE] = "shuffle_converge", [GEMP_SHUFFLE_ATOMIC] = "shuffle_atomic",
		[GEMP_SHUFFLE_TABLES] = "shuffle_tables" };
	gemp_code code = GEMP_OK;
	gemp_buffer positions = { 0 };
	gemp_slabs s = slabs_of(box, in->count);
	size_t ranges = (size_t)1 << how->bits, group;
	cl_kernel kernel;
	GEMP_CHECK(names[method] && !in->extent && how->shift <= GEMP_SHUFFLE_SHIFT);
	if (method == GEMP_SHUFFLE_TABLES && box->groups)
		return gemp_fail(GEMP_EUSAGE, "shuffle: tables are for CPU devices; %s has decode", box->device->name);
	GEMP_TRY(gemp_tool_check(box, in->count));
	GEMP_TRY(gemp_tuple_kernel(box, &kernel, how, in, names[method], &group));
	const gemp_argument destinations = gemp_tuple_destinations(in);
	if (method == GEMP_SHUFFLE_ATOMIC) {
		code = gemp_tool_launch(box, kernel, s.slabs, group, destinations, GEMP_ARG(&in->tuple->mem), GEMP_ARG(&s.count),
		                        GEMP_ARG(&s.slab), GEMP_ARG(&sums->mem));
	} else if (method == GEMP_SHUFFLE_TABLES) {
		GEMP_TRY(positions_new(&positions, box->device));
		code = gemp_tool_launch(box, kernel, ranges, group, destinations, GEMP_ARG(&in->tuple->mem), GEMP_ARG(&s.count),
		                        GEMP_ARG(&sums->mem), GEMP_ARG(&positions.mem));
	} else {
		code = gemp_tool_launch(box, kernel, ranges, group, destinations, GEMP_ARG(&in->tuple->mem), GEMP_ARG(&s.count),
		                        GEMP_ARG(&sums->mem));
	}
done:
	gemp_buffer_free(&positions, box->device); /* the driver keeps it for what was launched */
	return code;
}
