/* shuffle: `decode` uses the multisplit of primitive/split.h. If the tuples of a range must keep their order and the
 * device works in groups, `decode` uses radix passes instead. The other methods exist for comparison by `bench`. */

#include "shuffle/shuffle.h"

#include "core/memory.h"
#include "primitive/radix_pass.h"
#include "primitive/split.h"

#include <assert.h>
#include <stdio.h>

/* DIGIT_BITS: a pass ranks within warps by one ballot for each bit of a digit, and local memory limits the digit. */
enum { DIGIT_BITS = 8, GROUP = 256, SLAB = 1 << 14, SLABS_A_UNIT = 16 };

/* The arrays that a pass moves: keys, and for each key a value of value_size bytes. */
typedef struct key_values {
	unsigned key_size, value_size;
	const gemp_buffer *keys, *values;
} key_values;

typedef struct stable_task {
	gemp_toolbox *box;
	const gemp_shuffle *how;
	size_t count;
	gemp_buffer between[2]; /* keys and values between two passes */
	/* for tuples that are too long to move in every pass: destinations and numbers; last: both, sorted */
	gemp_buffer column, numbers, last[2];
} stable_task;

/* Makes the buffers for the result of one pass. */
static gemp_code key_values_new(stable_task *s, gemp_buffer out[2], const key_values *like)
{
	GEMP_TRY(gemp_buffer_new(&out[0], s->box->device, s->count * like->key_size, NULL));
	return like->value_size ? gemp_buffer_new(&out[1], s->box->device, s->count * like->value_size, NULL) : GEMP_OK;
}

/* Makes one stable pass over `bits` bits of the keys. */
static gemp_code radix_pass(stable_task *s, unsigned shift, unsigned bits, const key_values *from, const key_values *to)
{
	gemp_radix_device radix = { .box = s->box,
		                        .value_size = from->value_size,
		                        .bits = bits,
		                        .shift = shift,
		                        .map = gemp_key_map_of(from->key_size == 4 ? GEMP_KEY_U32 : GEMP_KEY_U64, false) };
	gemp_code code = gemp_radix_device_prepare(&radix, s->count);
	return code == GEMP_OK ? gemp_radix_device_pass(&radix, from->keys, from->values, to->keys, to->values) : code;
}

/* Sorts by one digit, or by two digits with the low digit first. */
static gemp_code radix_passes(stable_task *s, const key_values *from, const key_values *to)
{
	unsigned bits = s->how->bits, shift = gemp_shuffle_key_shift(s->how), low = bits / 2;
	if (bits <= DIGIT_BITS)
		return radix_pass(s, shift, bits, from, to);
	GEMP_TRY(key_values_new(s, s->between, from));
	const key_values half = { from->key_size, from->value_size, &s->between[0], &s->between[1] };
	GEMP_TRY(radix_pass(s, shift, low, from, &half));
	return radix_pass(s, shift + low, bits - low, &half, to);
}

enum {
	ACCUMULATE_GROUP = 512,
	ACCUMULATE_SLAB = 1 << 16,
	ITEM_SLAB = 1 << 12,
	ACCUMULATE_SLABS_A_UNIT = 16,
	MASKS = 256
};

/* Gets a kernel of shuffle.cl and the work-group size of its launch (0: by items). The kernel's first two arguments are
 * destinations and tuples. */
static gemp_code shuffle_kernel(gemp_toolbox *box, cl_kernel *out, const gemp_shuffle *how, const gemp_tuples *tuples,
                                const char *name, size_t *group)
{
	*group = gemp_tool_group(box, ACCUMULATE_GROUP);
	return gemp_tool_kernel(
		box, out, "shuffle.cl", name, *group,
		"-DSHUFFLE_BITS=%u -DSHUFFLE_SHIFT=%u -DSHUFFLE_VALUE=%u -DGEMP_RECORD=%u -DSHUFFLE_REDUCE=%d%s", how->bits,
		how->shift, gemp_shuffle_value_size(how), gemp_shuffle_record_size(how), (int)how->reduction,
		tuples->destination ? " -DSHUFFLE_COLUMN" : "");
}

static gemp_argument gemp_shuffle_destinations(const gemp_tuples *tuples)
{
	return (gemp_argument){ sizeof(cl_mem), tuples->destination ? &tuples->destination->mem : NULL };
}

/* Large tuples move only once: their destinations and numbers are sorted, and then the tuples move to their places. */
static gemp_code sort_by_number(stable_task *s, const gemp_tuples *in, const gemp_tuples *out)
{
	gemp_slabs slabs = gemp_tool_slabs(s->box, s->count, SLAB, SLABS_A_UNIT);
	key_values from = { 4, 4, &s->column, &s->numbers }, to = { 4, 4, &s->last[0], &s->last[1] };
	cl_kernel number, move;
	size_t group;
	GEMP_TRY(key_values_new(s, s->last, &from));
	GEMP_TRY(gemp_buffer_new(&s->column, s->box->device, s->count * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&s->numbers, s->box->device, s->count * sizeof(cl_uint), NULL));
	GEMP_TRY(shuffle_kernel(s->box, &number, s->how, in, "shuffle_number", &group));
	GEMP_TRY(shuffle_kernel(s->box, &move, s->how, in, "shuffle_by_number", &group));
	GEMP_TRY(gemp_tool_launch(s->box, number, slabs.slabs, group, gemp_shuffle_destinations(in),
	                          GEMP_ARG(&in->tuple->mem), GEMP_ARG(&slabs.count), GEMP_ARG(&slabs.slab),
	                          GEMP_ARG(&s->column.mem), GEMP_ARG(&s->numbers.mem)));
	GEMP_TRY(radix_passes(s, &from, &to));
	return gemp_tool_launch(s->box, move, slabs.slabs, group, GEMP_ARG(&in->tuple->mem), GEMP_ARG(&out->tuple->mem),
	                        GEMP_ARG(&to.values->mem), GEMP_ARG(&slabs.count), GEMP_ARG(&slabs.slab));
}

/* Finds the begins of the ranges in ordered tuples. */
static gemp_code find_bounds(stable_task *s, const gemp_tuples *tuples, const gemp_buffer *begin)
{
	gemp_slabs slabs = gemp_tool_slabs(s->box, s->count, SLAB, SLABS_A_UNIT);
	cl_kernel kernel;
	size_t group;
	GEMP_TRY(gemp_buffer_zero(s->box->device, begin, 0, (((size_t)1 << s->how->bits) + 1) * sizeof(cl_uint)));
	GEMP_TRY(shuffle_kernel(s->box, &kernel, s->how, tuples, "shuffle_bounds", &group));
	return gemp_tool_launch(s->box, kernel, slabs.slabs, group, gemp_shuffle_destinations(tuples),
	                        GEMP_ARG(&tuples->tuple->mem), GEMP_ARG(&slabs.count), GEMP_ARG(&slabs.slab),
	                        GEMP_ARG(&begin->mem));
}

/* A tuple of at most 8 bytes is sorted as a key, columns are sorted as keys and values, and larger tuples are sorted by
 * number. */
static gemp_code decode_stable(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *in,
                               const gemp_tuples *out, const gemp_buffer *begin)
{
	gemp_code code = GEMP_OK;
	stable_task s = { .box = box, .how = how, .count = in->count };
	bool columns = how->layout == GEMP_SHUFFLE_SOA;
	GEMP_TRY_DONE(gemp_tool_check(box, in->count));
	if (in->count && !columns && how->size > 8)
		GEMP_TRY_DONE(sort_by_number(&s, in, out));
	else if (in->count && columns)
		GEMP_TRY_DONE(radix_passes(&s, &(key_values){ 4, how->size - 4, in->destination, in->tuple },
		                           &(key_values){ 4, how->size - 4, out->destination, out->tuple }));
	else if (in->count)
		GEMP_TRY_DONE(radix_passes(&s, &(key_values){ how->size, 0, in->tuple, NULL },
		                           &(key_values){ how->size, 0, out->tuple, NULL }));
	code = find_bounds(&s, out, begin);
done:
	for (int i = 0; i < 2; i++) {
		gemp_buffers_free(box->device, &s.between[i], &s.last[i]);
	}
	gemp_buffers_free(box->device, &s.column, &s.numbers);
	return code;
}

/* Reads the number of tuples from the device, because the host divides them into slabs. */
static gemp_code read_count(gemp_toolbox *box, const gemp_tuples *in, size_t *count)
{
	cl_uint known;
	*count = in->count;
	if (in->extent) {
		GEMP_TRY(gemp_buffer_read(box->device, in->extent, sizeof known, sizeof known, &known));
		*count = known;
	}
	return GEMP_OK;
}

/* In the form in groups, tuples are split by segments unless they must keep their order. The form by items always keeps
 * the order. */
gemp_code gemp_shuffle_decode(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *in, const gemp_tuples *out,
                              const gemp_buffer *begin)
{
	gemp_code code = GEMP_OK;
	assert(gemp_shuffle_is_valid(how));
	bool columns = how->layout == GEMP_SHUFFLE_SOA, record = gemp_shuffle_record_size(how) != 0;
	const gemp_multisplit split = { .key = GEMP_KEY_U32,
		                            .value_size = gemp_shuffle_value_size(how),
		                            .record = gemp_shuffle_record_size(how),
		                            .shift = gemp_shuffle_key_shift(how),
		                            .bits = how->bits };
	gemp_split_arrays arrays = { .keys = columns ? in->destination : in->tuple,
		                         .out_keys = columns ? out->destination : out->tuple,
		                         .values = columns ? in->tuple : NULL,
		                         .out_values = columns ? out->tuple : NULL,
		                         .count = in->count,
		                         .column = record ? in->destination : NULL,
		                         .segment_begin = in->extent,
		                         .segments = 1,
		                         .begin = begin };
	if (box->groups && !how->stable)
		return gemp_split_segments(box, &split, &arrays);
	GEMP_TRY(read_count(box, in, &arrays.count));
	if (box->groups)
		code = decode_stable(box, how, &(gemp_tuples){ in->destination, in->tuple, arrays.count, NULL }, out, begin);
	else
		code = gemp_split_by_items(box, &split, &arrays);
	return code;
}

const char *const gemp_shuffle_method_name[GEMP_SHUFFLE_METHODS] = { "decode", "polling", "converge", "atomic",
	                                                                 "tables" };

/* On CPU devices slabs are short, one for each work-item. */
static gemp_slabs slabs_of(const gemp_toolbox *box, size_t count)
{
	return gemp_tool_slabs(box, count, box->groups ? ACCUMULATE_SLAB : ITEM_SLAB, ACCUMULATE_SLABS_A_UNIT);
}

/* The tuples of a range are contiguous, so a work-group sums them in local memory. */
gemp_code gemp_shuffle_gather(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *shuffled,
                              const gemp_buffer *begin, const gemp_buffer *sums)
{
	gemp_slabs s = slabs_of(box, shuffled->count);
	cl_kernel kernel;
	size_t group;
	GEMP_CHECK(how->shift <= GEMP_SHUFFLE_SHIFT);
	GEMP_TRY(shuffle_kernel(box, &kernel, how, shuffled, "shuffle_gather", &group));
	return gemp_tool_launch(box, kernel, s.slabs, group, gemp_shuffle_destinations(shuffled),
	                        GEMP_ARG(&shuffled->tuple->mem), GEMP_ARG(&begin->mem), GEMP_ARG(&s.slab),
	                        GEMP_ARG(&sums->mem));
}

/* Makes the table of `tables`: for each mask of eight bits, the positions of its set bits, one byte each. */
static gemp_code positions_new(gemp_buffer *out, gemp_device *device)
{
	cl_ulong positions[MASKS] = { 0 };
	for (unsigned mask = 0; mask < MASKS; mask++)
		for (unsigned k = 0, found = 0; k < 8; k++)
			if (mask >> k & 1)
				positions[mask] |= (cl_ulong)k << 8 * found++;
	return gemp_buffer_new(out, device, sizeof positions, positions);
}

/* In the atomic method work-items add slabs of tuples. In the other methods the group of each range reads all
 * tuples. */
gemp_code gemp_shuffle_accumulate(gemp_toolbox *box, gemp_shuffle_method method, const gemp_shuffle *how,
                                  const gemp_tuples *in, const gemp_buffer *sums)
{
	static const char *const names[GEMP_SHUFFLE_METHODS] = { [GEMP_SHUFFLE_POLLING] = "shuffle_polling",
		                                                     [GEMP_SHUFFLE_CONVERGE] = "shuffle_converge",
		                                                     [GEMP_SHUFFLE_ATOMIC] = "shuffle_atomic",
		                                                     [GEMP_SHUFFLE_TABLES] = "shuffle_tables" };
	gemp_code code = GEMP_OK;
	gemp_buffer positions = { 0 };
	gemp_slabs s = slabs_of(box, in->count);
	size_t ranges = how->used ? how->used : (size_t)1 << how->bits, group;
	cl_kernel kernel;
	GEMP_CHECK(names[method] && !in->extent && how->shift <= GEMP_SHUFFLE_SHIFT);
	if (method == GEMP_SHUFFLE_TABLES && box->groups)
		return gemp_fail(GEMP_EUSAGE, "shuffle: tables are for CPU devices; %s has decode", box->device->name);
	GEMP_TRY_DONE(gemp_tool_check(box, in->count));
	GEMP_TRY_DONE(shuffle_kernel(box, &kernel, how, in, names[method], &group));
	const gemp_argument destinations = gemp_shuffle_destinations(in);
	if (method == GEMP_SHUFFLE_ATOMIC) {
		code = gemp_tool_launch(box, kernel, s.slabs, group, destinations, GEMP_ARG(&in->tuple->mem),
		                        GEMP_ARG(&s.count), GEMP_ARG(&s.slab), GEMP_ARG(&sums->mem));
	} else if (method == GEMP_SHUFFLE_TABLES) {
		GEMP_TRY_DONE(positions_new(&positions, box->device));
		code = gemp_tool_launch(box, kernel, ranges, group, destinations, GEMP_ARG(&in->tuple->mem), GEMP_ARG(&s.count),
		                        GEMP_ARG(&sums->mem), GEMP_ARG(&positions.mem));
	} else {
		code = gemp_tool_launch(box, kernel, ranges, group, destinations, GEMP_ARG(&in->tuple->mem), GEMP_ARG(&s.count),
		                        GEMP_ARG(&sums->mem));
	}
done:
	gemp_buffer_free(&positions, box->device); /* launches that use the buffer keep it alive */
	return code;
}

enum { TEST_GROUP = 256, TEST_GROUPS_A_UNIT = 16 };

typedef struct test_grid {
	size_t groups, group, items; /* group 0: by items */
} test_grid;

/* Gets a kernel of shuffle_trial.cl and its launch grid. */
static gemp_code test_kernel(gemp_toolbox *box, cl_kernel *out, const gemp_shuffle *how, const gemp_tuples *tuples,
                             const char *name, test_grid *on)
{
	unsigned value = gemp_shuffle_value_size(how);
	on->group = gemp_tool_group(box, TEST_GROUP);
	on->groups = box->device->units * (size_t)(box->groups ? TEST_GROUPS_A_UNIT : 1);
	on->items = on->groups * (on->group ? on->group : 1);
	return gemp_tool_kernel(
		box, out, "shuffle_trial.cl", name, on->group,
		"-DSHUFFLE_BITS=%u -DSHUFFLE_SHIFT=%u -DSHUFFLE_VALUE=%u -DGEMP_RECORD=%u -DTRIAL_WORDS=%u%s", how->bits,
		how->shift, value, gemp_shuffle_record_size(how), (value ? value : how->size) / 4,
		tuples && tuples->destination ? " -DSHUFFLE_COLUMN" : "");
}

/* The random numbers depend only on seed and index, so every device makes the same tuples. */
gemp_code gemp_test_tuples_make(gemp_toolbox *box, const gemp_shuffle *how, const gemp_test_tuples *trial,
                                const gemp_tuples *tuples)
{
	cl_kernel kernel;
	test_grid on;
	cl_uint count = (cl_uint)tuples->count, owners = trial->owners, skewed = trial->skewed;
	cl_ulong seed = trial->seed;
	GEMP_TRY(gemp_tool_check(box, tuples->count));
	GEMP_TRY(test_kernel(box, &kernel, how, tuples, "trial_make", &on));
	return gemp_tool_launch(box, kernel, on.groups, on.group, gemp_shuffle_destinations(tuples),
	                        GEMP_ARG(&tuples->tuple->mem), GEMP_ARG(&count), GEMP_ARG(&seed), GEMP_ARG(&owners),
	                        GEMP_ARG(&skewed));
}

/* Adds up the results of the work-items, two numbers each. */
static gemp_code add_test_sums(gemp_toolbox *box, const gemp_buffer *found, size_t items, uint64_t sums[2])
{
	GEMP_OWNED uint64_t *all = NULL;
	GEMP_TRY(GEMP_NEW(all, 2 * items));
	GEMP_TRY(gemp_buffer_read(box->device, found, 0, 2 * items * sizeof *all, all));
	sums[0] = sums[1] = 0;
	for (size_t i = 0; i < 2 * items; i++)
		sums[i % 2] += all[i];
	return GEMP_OK;
}

/* Each work-item has two results: the digest and the number of tuples in a wrong range. */
gemp_code gemp_test_tuples_check(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *tuples,
                                 const gemp_buffer *begin, uint64_t *digest, uint64_t *astray)
{
	gemp_code code = GEMP_OK;
	gemp_buffer found = { 0 };
	cl_uint count = (cl_uint)tuples->count;
	cl_kernel kernel;
	test_grid on;
	uint64_t sums[2];
	GEMP_TRY_DONE(test_kernel(box, &kernel, how, tuples, "trial_look", &on));
	GEMP_TRY_DONE(gemp_buffer_new(&found, box->device, 2 * on.items * sizeof(uint64_t), NULL));
	GEMP_TRY_DONE(gemp_tool_launch(
		box, kernel, on.groups, on.group, gemp_shuffle_destinations(tuples), GEMP_ARG(&tuples->tuple->mem),
		GEMP_ARG(&count), ((gemp_argument){ sizeof(cl_mem), begin ? &begin->mem : NULL }), GEMP_ARG(&found.mem)));
	GEMP_TRY_DONE(add_test_sums(box, &found, on.items, sums));
	*digest = sums[0];
	*astray = sums[1];
done:
	gemp_buffer_free(&found, box->device);
	return code;
}

/* Each work-item counts its differences, and the host adds them up. */
gemp_code gemp_test_tuples_compare(gemp_toolbox *box, const gemp_shuffle *how, const gemp_buffer *a,
                                   const gemp_buffer *b, uint64_t *differ)
{
	gemp_code code = GEMP_OK;
	gemp_buffer found = { 0 };
	cl_uint count = 1u << (how->bits + how->shift);
	cl_kernel kernel;
	test_grid on;
	uint64_t sums[2];
	GEMP_TRY_DONE(test_kernel(box, &kernel, how, NULL, "trial_compare", &on));
	GEMP_TRY_DONE(gemp_buffer_new(&found, box->device, 2 * on.items * sizeof(uint64_t), NULL));
	GEMP_TRY_DONE(gemp_tool_launch(box, kernel, on.groups, on.group, GEMP_ARG(&a->mem), GEMP_ARG(&b->mem),
	                               GEMP_ARG(&count), GEMP_ARG(&found.mem)));
	GEMP_TRY_DONE(add_test_sums(box, &found, on.items, sums));
	*differ = sums[0];
done:
	gemp_buffer_free(&found, box->device);
	return code;
}
