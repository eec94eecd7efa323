/* Tests merges of sorted runs on a device, in the forms in groups and by items: the result must equal the host's stable
 * sort of all runs. Runs have random lengths, also 0, and keys are few or many. */
#include "harness/harness.h"

#include "core/random.h"
#include "device/open.h"
#include "harness/limits.h"
#include "primitive/merge.h"

#include <stdlib.h>

enum { MAX_RUNS = 9, MAX_LENGTH = 3000 };

static gemp_device *device;
static gemp_toolbox *boxes[2];

static void open_device(void **state)
{
	static const gemp_form forms[] = { GEMP_FORM_GROUPS, GEMP_FORM_ITEMS };
	(void)state;
	assert_ok(gemp_device_open(&device, NULL, 0, 1, 0));
	for (int i = 0; i < 2; i++)
		assert_ok(gemp_toolbox_new(&boxes[i], device, forms[i]));
}

static void close_device(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
		gemp_toolbox_free(boxes[i]);
	assert_int_equal(device->buffer_bytes, 0);
	gemp_device_close(device);
}

/* Uploads random runs, and a copy of them that is sorted on the host. Returns the number of elements. */
static size_t make_runs(const gemp_sort *sort, uint64_t *length, size_t runs, uint64_t *random, void *keys,
                        void *values)
{
	const unsigned size = gemp_key_size(sort->key);
	const uint64_t kinds = gemp_random_below(random, 3), longest = 1 + gemp_random_below(random, MAX_LENGTH);
	size_t count = 0;
	for (size_t r = 0; r < runs; r++) {
		const size_t first = count;
		length[r] = gemp_random_below(random, 4) ? gemp_random_below(random, longest) : 0;
		for (; count < first + length[r]; count++) {
			const uint64_t bits = gemp_random(random);
			gemp_key_put(keys, count, size, kinds == 0 ? bits : kinds == 1 ? bits % 5 : bits % 1000);
			gemp_key_put(values, count, sort->value_size ? sort->value_size : 4, count + 1);
		}
		assert_ok(gemp_sort_host(sort, (char *)keys + first * size,
		                         sort->value_size ? (char *)values + first * sort->value_size : NULL, length[r]));
	}
	return count;
}

static void check(gemp_toolbox *box, const gemp_sort *sort, uint64_t *random)
{
	const unsigned size = gemp_key_size(sort->key), value_size = sort->value_size;
	const size_t runs = 1 + (size_t)gemp_random_below(random, MAX_RUNS), most = MAX_RUNS * MAX_LENGTH;
	void *keys = calloc(most, 8), *values = calloc(most, 8), *got = calloc(most, 8);
	uint64_t length[MAX_RUNS];
	gemp_sort_buffers b = { 0 };
	const size_t count = make_runs(sort, length, runs, random, keys, values);
	for (int k = 0; k < 2; k++) {
		assert_ok(gemp_buffer_new(&b.keys[k], device, most * size, k ? NULL : keys));
		if (value_size)
			assert_ok(gemp_buffer_new(&b.values[k], device, most * value_size, k ? NULL : values));
	}
	assert_ok(gemp_merge_device(box, sort, &b, length, runs));
	assert_ok(gemp_sort_host(sort, keys, value_size ? values : NULL, count));
	assert_ok(gemp_buffer_read(device, &b.keys[0], 0, count * size, got));
	assert_memory_equal(got, keys, count * size);
	if (value_size) {
		assert_ok(gemp_buffer_read(device, &b.values[0], 0, count * value_size, got));
		assert_memory_equal(got, values, count * value_size);
	}
	gemp_buffers_free(device, &b.keys[0], &b.keys[1], &b.values[0], &b.values[1]);
	free(keys);
	free(values);
	free(got);
}

static void merges_equal_the_host(void **state)
{
	static const gemp_sort sorts[] = {
		{ GEMP_KEY_U32, false, 0 }, { GEMP_KEY_F32, true, 4 }, { GEMP_KEY_I64, true, 8 }, { GEMP_KEY_F64, false, 4 }
	};
	uint64_t random = test_seed();
	(void)state;
	for (int form = 0; form < 2; form++)
		for (size_t s = 0; s < sizeof sorts / sizeof *sorts; s++)
			for (int turn = 0; turn < 12; turn++)
				check(boxes[form], &sorts[s], &random);
}

static void few_long_runs_pay(void **state)
{
	const gemp_sort narrow = { GEMP_KEY_U32, false, 4 }, wide = { GEMP_KEY_I64, false, 0 };
	(void)state;
	assert_false(gemp_merge_pays(boxes[0], &narrow, 1000, 2));
	for (int form = 0; form < 2; form++) {
		const size_t most_narrow = form ? 4 : 16, most_wide = form ? 16 : 256;
		assert_true(gemp_merge_pays(boxes[form], &narrow, 1 << 24, most_narrow));
		assert_false(gemp_merge_pays(boxes[form], &narrow, 1 << 24, most_narrow + 1));
		assert_true(gemp_merge_pays(boxes[form], &wide, 1 << 24, most_wide));
		assert_false(gemp_merge_pays(boxes[form], &wide, 1 << 24, most_wide + 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(open_device), cmocka_unit_test(merges_equal_the_host),
		                                cmocka_unit_test(few_long_runs_pay), cmocka_unit_test(close_device) };
	setenv("GEMP_CACHE_DIR", "", 1); /* without a cache, PoCL compiles only the launched kernels */
	return test_main(tests);
}
