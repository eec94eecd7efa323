#include "shuffle/test_tuples.h"

#include "core/memory.h"

enum { GROUP = 256, GROUPS_A_UNIT = 16 };

typedef struct grid {
	size_t groups, group, items; /* group 0: by items */
} grid;

/* The kernel and its launch grid. */
static gemp_code kernel_of(gemp_toolbox *box, cl_kernel *out, const gemp_shuffle *how, const gemp_tuples *tuples,
                           const char *name, grid *on)
{
	unsigned value = gemp_shuffle_value_size(how);
	on->group = gemp_tool_group(box, GROUP);
	on->groups = box->device->units * (size_t)(box->groups ? GROUPS_A_UNIT : 1);
	on->items = on->groups * (on->group ? on->group : 1);
	return gemp_tool_kernel(
		box, out, "shuffle_trial.cl", name, on->group,
		"-DSHUFFLE_BITS=%u -DSHUFFLE_SHIFT=%u -DSHUFFLE_VALUE=%u -DGEMP_RECORD=%u -DTRIAL_WORDS=%u%s", how->bits,
		how->shift, value, gemp_shuffle_record_size(how), (value ? value : how->size) / 4,
		tuples && tuples->destination ? " -DSHUFFLE_COLUMN" : "");
}

gemp_code gemp_test_tuples_make(gemp_toolbox *box, const gemp_shuffle *how, const gemp_test_tuples *trial,
                                const gemp_tuples *tuples)
{
	cl_kernel kernel;
	grid on;
	cl_uint count = (cl_uint)tuples->count, owners = trial->owners, skewed = trial->skewed;
	cl_ulong seed = trial->seed;
	GEMP_PROPAGATE(gemp_tool_check(box, tuples->count));
	GEMP_PROPAGATE(kernel_of(box, &kernel, how, tuples, "trial_make", &on));
	return gemp_tool_launch(box, kernel, on.groups, on.group, gemp_shuffle_destinations(tuples),
	                        GEMP_ARG(&tuples->tuple->mem), GEMP_ARG(&count), GEMP_ARG(&seed), GEMP_ARG(&owners),
	                        GEMP_ARG(&skewed));
}

/* Adds up what the work-items have found, two numbers each. */
static gemp_code add_up(gemp_toolbox *box, const gemp_buffer *found, size_t items, uint64_t sums[2])
{
	GEMP_OWNED uint64_t *all = NULL;
	GEMP_PROPAGATE(GEMP_NEW(all, 2 * items));
	GEMP_PROPAGATE(gemp_buffer_read(box->device, found, 0, 2 * items * sizeof *all, all));
	sums[0] = sums[1] = 0;
	for (size_t i = 0; i < 2 * items; i++)
		sums[i % 2] += all[i];
	return GEMP_OK;
}

gemp_code gemp_test_tuples_check(gemp_toolbox *box, const gemp_shuffle *how, const gemp_tuples *tuples,
                                 const gemp_buffer *begin, uint64_t *digest, uint64_t *astray)
{
	gemp_code code = GEMP_OK;
	gemp_buffer found = { 0 };
	cl_uint count = (cl_uint)tuples->count;
	cl_kernel kernel;
	grid on;
	uint64_t sums[2];
	GEMP_TRY(kernel_of(box, &kernel, how, tuples, "trial_look", &on));
	GEMP_TRY(gemp_buffer_new(&found, box->device, 2 * on.items * sizeof(uint64_t), NULL));
	GEMP_TRY(gemp_tool_launch(box, kernel, on.groups, on.group, gemp_shuffle_destinations(tuples),
	                          GEMP_ARG(&tuples->tuple->mem), GEMP_ARG(&count),
	                          ((gemp_argument){ sizeof(cl_mem), begin ? &begin->mem : NULL }), GEMP_ARG(&found.mem)));
	GEMP_TRY(add_up(box, &found, on.items, sums));
	*digest = sums[0];
	*astray = sums[1];
done:
	gemp_buffer_free(&found, box->device);
	return code;
}

gemp_code gemp_test_tuples_compare(gemp_toolbox *box, const gemp_shuffle *how, const gemp_buffer *a,
                                   const gemp_buffer *b, uint64_t *differ)
{
	gemp_code code = GEMP_OK;
	gemp_buffer found = { 0 };
	cl_uint count = 1u << (how->bits + how->shift);
	cl_kernel kernel;
	grid on;
	uint64_t sums[2];
	GEMP_TRY(kernel_of(box, &kernel, how, NULL, "trial_compare", &on));
	GEMP_TRY(gemp_buffer_new(&found, box->device, 2 * on.items * sizeof(uint64_t), NULL));
	GEMP_TRY(gemp_tool_launch(box, kernel, on.groups, on.group, GEMP_ARG(&a->mem), GEMP_ARG(&b->mem), GEMP_ARG(&count),
	                          GEMP_ARG(&found.mem)));
	GEMP_TRY(add_up(box, &found, on.items, sums));
	*differ = sums[0];
done:
	gemp_buffer_free(&found, box->device);
	return code;
}
