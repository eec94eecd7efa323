#include "shuffle/stable.h"

#include "primitive/radix_device.h"
#include "primitive/split.h"
#include "shuffle/tuples.h"

/* A pass ranks within warps by ballots, one for each bit of a digit, for which there is local memory up to so many. */
enum { DIGIT_BITS = 8, GROUP = 256, SLAB = 1 << 14, SLABS_A_UNIT = 16 };

/* What the passes move: keys, each with a value of value_size bytes. */
typedef struct pairs {
	unsigned key_size, value_size;
	const gemp_buffer *keys, *values;
} pairs;

typedef struct stable {
	gemp_toolbox *box;
	const gemp_shuffle *how;
	size_t count;
	gemp_buffer between[2];               /* keys and values from one pass to the next */
	gemp_buffer column, numbers, last[2]; /* of tuples that move only once, by their numbers */
} stable;

static gemp_code new_pairs(stable *s, gemp_buffer out[2], const pairs *like)
{
	gemp_code code = gemp_buffer_new(&out[0], s->box->device, s->count * like->key_size, NULL);
	if (code == GEMP_OK && like->value_size)
		code = gemp_buffer_new(&out[1], s->box->device, s->count * like->value_size, NULL);
	return code;
}

static gemp_code pass(stable *s, unsigned shift, unsigned bits, const pairs *from, const pairs *to)
{
	gemp_radix radix = { .box = s->box, .value_size = from->value_size, .bits = bits, .shift = shift,
		.map = gemp_key_map_of(from->key_size == 4 ? GEMP_KEY_U32 : GEMP_KEY_U64, false) };
	gemp_code code = gemp_radix_prepare(&radix, s->count);
	return code == GEMP_OK ? gemp_radix_pass(&radix, from->keys, from->values, to->keys, to->values) : code;
}

/* By one digit, or by two, the low one first. */
static gemp_code passes(stable *s, const pairs *from, const pairs *to)
{
	gemp_code code = GEMP_OK;
	unsigned bits = s->how->bits, shift = gemp_tuple_shift(s->how), low = bits / 2;
	if (bits <= DIGIT_BITS)
		return pass(s, shift, bits, from, to);
	GEMP_TRY(new_pairs(s, s->between, from));
	const pairs half = { from->key_size, from->value_size, &s->between[0], &s->between[1] };
	GEMP_TRY(pass(s, shift, low, from, &half));
	code = pass(s, shift + low, bits - low, &half, to);
done:
	return code;
}

/* Their destinations and numbers are put in order, and then they move once. */
static gemp_code by_number(stable *s, const gemp_tuples *in, const gemp_tuples *out)
{
	gemp_code code = GEMP_OK;
	gemp_slabs slabs = gemp_tool_slabs(s->box, s->count, SLAB, SLABS_A_UNIT);
	pairs from = { 4, 4, &s->column, &s->numbers }, to = { 4, 4, &s->last[0], &s->last[1] };
	cl_kernel number, move;
	size_t group;
	GEMP_TRY(new_pairs(s, s->last, &from));
	GEMP_TRY(gemp_buffer_new(&s->column, s->box->device, s->count * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&s->numbers, s->box->device, s->count * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_tuple_kernel(s->box, &number, s->how, in, "shuffle_number", &group));
	GEMP_TRY(gemp_tuple_kernel(s->box, &move, s->how, in, "shuffle_by_number", &group));
	GEMP_TRY(gemp_tool_launch(s->box, number, slabs.slabs, group, gemp_tuple_destinations(in), GEMP_ARG(&in->tuple->mem),
	                          GEMP_ARG(&slabs.count), GEMP_ARG(&slabs.slab), GEMP_ARG(&s->column.mem),
	                          GEMP_ARG(&s->numbers.mem)));
	GEMP_TRY(passes(s, &from, &to));
	code = gemp_tool_launch(s->box, move, slabs.slabs, group, GEMP_ARG(&in->tuple->mem), GEMP_ARG(&out->tuple->mem),
	                        GEMP_ARG(&to.values->mem), GEMP_ARG(&slabs.count), GEMP_ARG(&slabs.slab));
done:
	return code;
}

/* Where ranges begin in tuples that are in order. */
static gemp_code bounds(stable *s, const gemp_tuples *tuples, const gemp_buffer *begin)
{
	gemp_code code = GEMP_OK;
	gemp_slabs slabs = gemp_tool_slabs(s->box, s->count, SLAB, SLABS_A_UNIT);
	cl_kernel kernel;
	size_t group;
	GEMP_TRY(gemp_buffer_zero(s->box->device, begin, 0, (((size_t)1 << s->how->bits) + 1) * sizeof(cl_uint)));
	GEMP_TRY(gemp_tuple_kernel(s->box, &kernel, s->how, tuples, "shuffle_bounds", &group));
	code = gemp_tool_launch(s->box, kernel, slabs.slabs, group, gemp_tuple_destinations(tuples), GEMP_ARG(&tuples->tuple->mem),
	                        GEMP_ARG(&slabs.count), GEMP_ARG(&slabs.slab), GEMP_ARG(&begin->mem));
done:
	return code;
}

gemp_code gemp_shuffle_stable(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *in, const gemp_tuples *out,
                              const gemp_buffer *begin)
{
	gemp_code code = GEMP_OK;
	stable s = { .box = box, .how = how, .count = in->count };
	bool apart = how->layout == GEMP_SHUFFLE_APART;
	GEMP_TRY(gemp_tool_check(box, in->count));
	if (in->count && !apart && how->size > 8)
		GEMP_TRY(by_number(&s, in, out));
	else if (in->count && apart)
		GEMP_TRY(passes(&s, &(pairs){ 4, how->size - 4, in->destination, in->tuple },
		                &(pairs){ 4, how->size - 4, out->destination, out->tuple }));
	else if (in->count)
		GEMP_TRY(passes(&s, &(pairs){ how->size, 0, in->tuple, NULL }, &(pairs){ how->size, 0, out->tuple, NULL }));
	code = bounds(&s, out, begin);
done:
	for (int i = 0; i < 2; i++) {
		gemp_buffer_free(&s.between[i], box->device);
		gemp_buffer_free(&s.last[i], box->device);
	}
	gemp_buffer_free(&s.column, box->device);
	gemp_buffer_free(&s.numbers, box->device);
	return code;
}
