/* Tests arrays that are distributed over ranks: sorting, after which each rank has exactly its share and equal keys
 * keep their order, and distinct keys. The reference is a plain sort of the whole array on every rank. */
#include "core/memory.h"
#include "harness/collective.h"

#include "comm/comm.h"
#include "comm/exchange.h"
#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "device/open.h"
#include "device/tuning.h"
#include "harness/limits.h"
#include "primitive/arrays_ranks.h"
#include "primitive/key.h"
#include "primitive/sort.h"
#include "primitive/toolbox.h"

#include <stdlib.h>
#include <string.h>

typedef struct element {
	uint64_t code, key, origin;
} element;

static int compare(const void *a, const void *b)
{
	const element *x = a, *y = b;
	return x->code != y->code ? (x->code > y->code ? 1 : -1) : (x->origin > y->origin) - (x->origin < y->origin);
}

static uint64_t draw(unsigned how, uint64_t *random)
{
	uint64_t bits = gemp_random(random);
	switch (how) {
	case 0: return bits;
	case 1: return bits % 3;
	case 2: return 5;
	case 3: return bits % 1000;
	default: return bits % 10 ? 77 : bits; /* most keys are equal */
	}
}

/* Collective. Returns the sorted whole array, [*all]. */
static element *gather(const void *keys, size_t count, gemp_key_map map, size_t *all)
{
	void *whole;
	size_t *begin;
	assert_all_ok(gemp_comm_allgather(&test_comm, GEMP_OK, keys, count * map.size, &whole, &begin));
	*all = begin[test_comm.size] / map.size;
	element *elements = calloc(*all + 1, sizeof *elements);
	for (size_t i = 0; i < *all; i++) {
		uint64_t key = gemp_key_get(whole, i, map.size);
		elements[i] = (element){ gemp_key_code(key, map), key, i };
	}
	qsort(elements, *all, sizeof *elements, compare);
	gemp_free(whole);
	gemp_free(begin);
	return elements;
}

static bool share_is_right(const element *whole, size_t all, const gemp_sort *sort, const void *keys,
                           const void *values, size_t count)
{
	size_t ranks = (size_t)test_comm.size, rank = (size_t)test_comm.rank, first = all * rank / ranks;
	unsigned size = gemp_key_size(sort->key);
	if (count != all * (rank + 1) / ranks - first)
		return false;
	for (size_t i = 0; i < count; i++)
		if (gemp_key_get(keys, i, size) != whole[first + i].key ||
		    (sort->value_size && gemp_key_get(values, i, sort->value_size) != whole[first + i].origin))
			return false;
	return true;
}

static void *draw_keys(size_t count, unsigned size, unsigned how, uint64_t *random)
{
	void *keys = gemp_calloc(count, size);
	for (size_t i = 0; i < count; i++)
		gemp_key_put(keys, i, size, draw(how, random));
	return keys;
}

static size_t own_count(size_t most, uint64_t *random)
{
	return gemp_random(random) % 4 == 0 ? 0 : gemp_random_below(random, most);
}

static void check_sort(gemp_arrays *arrays, gemp_sort sort, size_t count, unsigned how, uint64_t *random)
{
	unsigned size = gemp_key_size(sort.key);
	size_t all, first = gemp_comm_exscan(&test_comm, count);
	void *keys = draw_keys(count, size, how, random), *values = gemp_calloc(count, 8);
	for (size_t i = 0; i < count; i++)
		gemp_key_put(values, i, sort.value_size ? sort.value_size : 4, first + i);
	element *whole = gather(keys, count, gemp_key_map_of(sort.key, sort.descending), &all);
	assert_all_ok(gemp_sort_ranks(&test_comm, arrays, &sort, &keys, sort.value_size ? &values : NULL, &count));
	assert_all(share_is_right(whole, all, &sort, keys, values, count));
	free(whole);
	gemp_free(keys);
	gemp_free(values);
}

static uint64_t own_random(uint64_t seed)
{
	return seed + (uint64_t)test_comm.rank * 1000003;
}

static void sorts(void **state)
{
	static const size_t most[] = { 1, 3, 50, 2000 };
	uint64_t shared = test_seed_all(), random = own_random(shared);
	gemp_arrays arrays = { .place = GEMP_PLACE_HOST };
	(void)state;
	for (unsigned how = 0; how < 5; how++)
		for (size_t m = 0; m < sizeof most / sizeof *most; m++) {
			gemp_sort sort = { (gemp_key_kind)gemp_random_below(&shared, GEMP_KEY_KINDS), gemp_random(&shared) & 1,
				               4 * (unsigned)gemp_random_below(&shared, 3) };
			check_sort(&arrays, sort, own_count(most[m], &random), how, &random);
		}
	TEST_LIMIT(exchange_chunk, 13);
	check_sort(&arrays, (gemp_sort){ GEMP_KEY_U32, false, 4 }, own_count(300, &random), 3, &random);
	TEST_LIMIT_DEFAULT(exchange_chunk);
}

static void check_distinct(gemp_arrays *arrays, gemp_key_kind kind, size_t count, unsigned how, uint64_t *random)
{
	gemp_key_map map = gemp_key_map_of(kind, false);
	size_t all, distinct, expected = 0, at;
	void *keys = draw_keys(count, map.size, how, random), *out;
	element *whole = gather(keys, count, map, &all);
	for (size_t i = 0; i < all; i++)
		if (i == 0 || whole[i].code != whole[i - 1].code)
			whole[expected++] = whole[i];
	assert_all_ok(gemp_distinct_ranks(&test_comm, arrays, kind, keys, count, &out, &distinct));
	at = gemp_comm_exscan(&test_comm, distinct);
	assert_all(gemp_comm_sum1(&test_comm, distinct) == expected);
	bool right = true;
	for (size_t i = 0; i < distinct; i++)
		right &= gemp_key_get(out, i, map.size) == whole[at + i].key;
	assert_all(right);
	free(whole);
	gemp_free(keys);
	gemp_free(out);
}

static void distinct_keys(void **state)
{
	static const size_t most[] = { 1, 3, 50, 2000 };
	uint64_t shared = test_seed_all(), random = own_random(shared);
	gemp_arrays arrays = { .place = GEMP_PLACE_AUTO };
	(void)state;
	for (unsigned how = 0; how < 5; how++)
		for (size_t m = 0; m < sizeof most / sizeof *most; m++)
			check_distinct(&arrays, (gemp_key_kind)gemp_random_below(&shared, GEMP_KEY_KINDS),
			               own_count(most[m], &random), how, &random);
}

static gemp_code sort_and_find(void *unused)
{
	(void)unused;
	gemp_arrays arrays = { .place = GEMP_PLACE_HOST };
	size_t count = 40, distinct;
	uint32_t *keys = gemp_calloc(count, sizeof *keys);
	void *block = keys, *out = NULL;
	gemp_code code = gemp_comm_agree(&test_comm, keys ? GEMP_OK : GEMP_ENOMEM);
	for (size_t i = 0; code == GEMP_OK && i < count; i++)
		keys[i] = (uint32_t)gemp_mix(i + (uint64_t)test_comm.rank) % 50;
	if (code == GEMP_OK)
		code = gemp_sort_ranks(&test_comm, &arrays, &(gemp_sort){ GEMP_KEY_U32, false, 0 }, &block, NULL, &count);
	if (code == GEMP_OK)
		code = gemp_distinct_ranks(&test_comm, &arrays, GEMP_KEY_U32, block, count, &out, &distinct);
	gemp_free(block);
	gemp_free(out);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	gemp_threads_limit(1);
	assert_all_survive_no_memory(sort_and_find, NULL);
	gemp_threads_limit(0);
}

/* Opens a device for each rank. Returns false, on all ranks, if a rank has none. */
static bool open_arrays(gemp_arrays *arrays, gemp_form form)
{
	*arrays = (gemp_arrays){ .place = GEMP_PLACE_DEVICE };
	const bool here = gemp_device_open(&arrays->device, NULL, test_comm.node_rank, test_comm.node_size, 0) == GEMP_OK;
	if (gemp_comm_sum1(&test_comm, here) < (uint64_t)test_comm.size) {
		if (here)
			gemp_device_close(arrays->device);
		return false;
	}
	assert_all_ok(gemp_toolbox_new(&arrays->box, arrays->device, form));
	return true;
}

static void close_arrays(gemp_arrays *arrays)
{
	gemp_toolbox_free(arrays->box);
	assert_all(arrays->device->buffer_bytes == 0);
	gemp_device_close(arrays->device);
}

/* One kind of keys only, and no distinct keys in groups, since building the kernels takes long. Chunks of the exchange
 * are tiny, and a rank may have no keys. */
static void check_devices(gemp_form form, gemp_sort sort, size_t most)
{
	uint64_t random = own_random(test_seed_all());
	bool used = false;
	gemp_arrays arrays;
	if (!open_arrays(&arrays, form))
		return;
	for (unsigned how = 0; how < 5; how++) {
		TEST_LIMIT(device_exchange_chunks, how % 2);
		TEST_LIMIT(device_exchange_chunk, 999);
		TEST_LIMIT(device_exchange_peer, how / 2 % 2);
		TEST_LIMIT(peer_exchange_min, 0);
		TEST_LIMIT(peer_exchange_chunk, 777);
		TEST_LIMIT(merge_min, how % 2 ? SIZE_MAX : 1);
		check_sort(&arrays, sort, own_count(how == 1 ? 3 : most, &random), how, &random);
		used |= arrays.on_device;
		if (form == GEMP_FORM_ITEMS)
			check_distinct(&arrays, sort.key, own_count(how == 2 ? 3 : most, &random), how, &random);
	}
	assert_all(used && (gemp_comm_sum1(&test_comm, arrays.traffic.bytes) > 0) == (test_comm.size > 1));
	gemp_limits_override(gemp_limits_default);
	close_arrays(&arrays);
}

static void on_devices_by_items(void **state)
{
	(void)state;
	check_devices(GEMP_FORM_ITEMS, (gemp_sort){ GEMP_KEY_F64, false, 8 }, 5000);
}

static void on_devices_in_groups(void **state)
{
	(void)state;
	check_devices(GEMP_FORM_GROUPS, (gemp_sort){ GEMP_KEY_I32, true, 4 }, 2000);
}

/* The device of rank 0 is too small for its keys, or for its share of the keys of all ranks. */
static void device_memory_runs_out(void **state)
{
	static const size_t bytes[] = { 12000, 5000, 5000, 3000, 100, 100 };
	gemp_arrays arrays;
	(void)state;
	if (test_comm.size == 1 || !open_arrays(&arrays, GEMP_FORM_AUTO))
		return;
	const size_t limit = arrays.device->memory;
	for (int i = 0; i < 6; i++) {
		size_t count = i % 2 && test_comm.rank == 0 ? 10 : 2000, distinct;
		uint64_t random = own_random(7);
		void *keys = draw_keys(count, 4, 0, &random), *out;
		if (test_comm.rank == 0)
			arrays.device->memory = arrays.device->buffer_bytes + bytes[i];
		const gemp_sort sort = { GEMP_KEY_U32, false, 0 };
		assert_all_code(gemp_sort_ranks(&test_comm, &arrays, &sort, &keys, NULL, &count), GEMP_ENOMEM);
		if (i == 4)
			assert_all_code(gemp_distinct_ranks(&test_comm, &arrays, GEMP_KEY_U32, keys, count, &out, &distinct),
			                GEMP_ENOMEM);
		arrays.device->memory = limit;
		gemp_free(keys);
	}
	close_arrays(&arrays);
}

/* A rank has, or would get, more numbers than a device orders: a demanded device is an error on all ranks, otherwise
 * the hosts compute. With some more elements the devices compute. */
static void more_numbers_than_devices_order(void **state)
{
	gemp_arrays arrays;
	(void)state;
	if (!open_arrays(&arrays, GEMP_FORM_AUTO))
		return;
	gemp_tuning_set(arrays.device, "sort.host_below", 1);
	gemp_tuning_set(arrays.device, "distinct.host_below", 1);
	for (int i = 0; i < 4; i++) {
		/* every rank has too many, or rank 0 alone */
		const size_t ranks = (size_t)test_comm.size, count = i < 2 ? 300 : test_comm.rank ? 1 : 300 * ranks;
		const gemp_sort sort = { GEMP_KEY_U32, false, i % 2 ? 4 : 0 };
		uint64_t random = own_random(test_seed_all());
		size_t left = count, distinct;
		void *keys = draw_keys(count, 4, 0, &random), *values = draw_keys(count, 4, 0, &random), *out;
		TEST_LIMIT(device_elements, 250);
		arrays.place = GEMP_PLACE_DEVICE;
		assert_all_code(gemp_sort_ranks(&test_comm, &arrays, &sort, &keys, i % 2 ? &values : NULL, &left), GEMP_EUSAGE);
		assert_all_code(gemp_distinct_ranks(&test_comm, &arrays, GEMP_KEY_U32, keys, count, &out, &distinct),
		                GEMP_EUSAGE);
		arrays.place = GEMP_PLACE_AUTO;
		for (int beyond = 0; beyond < 2; beyond++) {
			TEST_LIMIT(device_elements, beyond ? 250 : 320 * ranks);
			check_sort(&arrays, sort, count, 0, &random);
			assert_all(arrays.on_device == !beyond);
			check_distinct(&arrays, GEMP_KEY_U32, count, 0, &random);
			assert_all(arrays.on_device == !beyond);
		}
		gemp_free(keys);
		gemp_free(values);
	}
	TEST_LIMIT_DEFAULT(device_elements);
	close_arrays(&arrays);
}

int main(int argc, char **argv)
{
	setenv("GEMP_CACHE_DIR", "", 1); /* without a cache, PoCL compiles only the launched kernels */
	const struct CMUnitTest tests[] = { cmocka_unit_test(sorts),
		                                cmocka_unit_test(distinct_keys),
		                                cmocka_unit_test(memory_may_run_out),
		                                cmocka_unit_test(on_devices_by_items),
		                                cmocka_unit_test(on_devices_in_groups),
		                                cmocka_unit_test(device_memory_runs_out),
		                                cmocka_unit_test(more_numbers_than_devices_order) };
	return test_main_all(argc, argv, tests);
}
