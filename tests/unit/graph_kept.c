/* Tests the store of results that a graph keeps, against a plain list of all entries. */
#include "core/random.h"
#include "graph/kept.h"
#include "harness/harness.h"

#include <stdio.h>

enum { KEYS = 40, MAX_VALUE = 400 };

/* The key of number k. All keys begin with the same bytes. */
static gemp_text key_of(size_t k)
{
	gemp_text key = { 0 };
	gemp_text_print(&key, "key %zu of a test", k);
	assert_false(key.failed);
	return key;
}

static void fill(unsigned char *value, size_t size, uint64_t seed)
{
	for (size_t i = 0; i < size; i++)
		value[i] = (unsigned char)gemp_mix(seed + i);
}

/* What the store must find: the newest value of a key, unless later uses have pushed it out. */
static void returns_the_newest_values(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	size_t sizes[KEYS] = { 0 };
	uint64_t seeds[KEYS] = { 0 };
	size_t hits = 0;
	gemp_kept *kept = NULL;
	assert_int_equal(gemp_kept_new(&kept, 8000), GEMP_OK);
	for (int round = 0; round < 4000; round++) {
		const size_t k = gemp_random_below(&random, KEYS);
		unsigned char value[MAX_VALUE], found[MAX_VALUE];
		gemp_text key = key_of(k);
		if (gemp_random_below(&random, 2)) {
			sizes[k] = 1 + gemp_random_below(&random, MAX_VALUE);
			seeds[k] = gemp_random(&random);
			fill(value, sizes[k], seeds[k]);
			gemp_kept_put(kept, &key, value, sizes[k]);
			assert_true(gemp_kept_get(kept, &key, found, sizes[k])); /* the newest entry is never pushed out */
			assert_memory_equal(found, value, sizes[k]);
		} else if (sizes[k] && gemp_kept_get(kept, &key, found, sizes[k])) {
			fill(value, sizes[k], seeds[k]);
			assert_memory_equal(found, value, sizes[k]);
			hits++;
		}
		assert_false(gemp_kept_get(kept, &key, found, MAX_VALUE + 1)); /* a value of another size is none */
		assert_true(gemp_kept_look(kept).bytes <= 8000);
		gemp_text_free(&key);
	}
	assert_true(hits > 200);
	gemp_kept_free(kept);
}

/* Entries leave in the order of their last use. */
static void drops_the_least_recently_used(void **state)
{
	(void)state;
	gemp_kept *kept = NULL;
	unsigned char value[MAX_VALUE] = { 0 };
	assert_int_equal(gemp_kept_new(&kept, 10 * (MAX_VALUE + 100)), GEMP_OK);
	for (size_t k = 0; k < KEYS; k++) {
		gemp_text key = key_of(k), first = key_of(0);
		gemp_kept_put(kept, &key, value, sizeof value);
		assert_true(gemp_kept_get(kept, &first, value, sizeof value)); /* the first entry stays, as it is used */
		gemp_text_free(&key);
		gemp_text_free(&first);
	}
	const size_t left = gemp_kept_look(kept).entries;
	assert_true(left >= 8 && left < KEYS);
	for (size_t k = 1; k < KEYS; k++) {
		gemp_text key = key_of(k);
		assert_int_equal(gemp_kept_get(kept, &key, value, sizeof value), k > KEYS - left);
		gemp_text_free(&key);
	}
	gemp_kept_clear(kept);
	assert_int_equal(gemp_kept_look(kept).entries, 0);
	assert_int_equal(gemp_kept_look(kept).bytes, 0);
	gemp_kept_free(kept);
}

/* A request that would pass the limit frees the entries of all stores, and then succeeds. */
static void gives_memory_back(void **state)
{
	(void)state;
	gemp_kept *stores[2] = { NULL, NULL };
	char *value = NULL;
	gemp_text key = key_of(1);
	assert_int_equal(GEMP_NEW(value, 1 << 16), GEMP_OK);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(gemp_kept_new(&stores[i], 1 << 20), GEMP_OK);
		gemp_kept_put(stores[i], &key, value, 1 << 16);
		assert_int_equal(gemp_kept_look(stores[i]).entries, 1);
	}
	gemp_memory_set_limit(gemp_memory_live() + 1000);
	char *needed = NULL, *more = NULL;
	assert_int_equal(GEMP_NEW(needed, (1 << 17) - 1000), GEMP_OK);
	assert_int_equal(gemp_kept_look(stores[0]).entries, 0);
	assert_int_equal(gemp_kept_look(stores[1]).entries, 0);
	gemp_kept_put(stores[0], &key, value, 1 << 16); /* there is no memory for it */
	assert_int_equal(gemp_kept_look(stores[0]).entries, 0);
	assert_int_equal(GEMP_NEW(more, 1 << 16), GEMP_ENOMEM);
	gemp_memory_set_limit(0);
	gemp_free_all(needed, value);
	gemp_text_free(&key);
	gemp_kept_free(stores[0]);
	gemp_kept_free(stores[1]);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static size_t released;

static void release(void *object)
{
	released++;
	gemp_free(object);
}

static size_t *new_object(size_t number)
{
	size_t *object = NULL;
	assert_int_equal(GEMP_NEW(object, 1), GEMP_OK);
	*object = number;
	return object;
}

/* An object has one user at a time, and each object is released once: by the store or by its user. */
static void lends_objects(void **state)
{
	(void)state;
	enum { OBJECTS = 500 };
	gemp_kept *kept = NULL;
	char value[MAX_VALUE] = { 0 };
	gemp_text bytes = key_of(OBJECTS);
	released = 0;
	assert_int_equal(gemp_kept_new(&kept, 1 << 20), GEMP_OK);
	gemp_kept_put(kept, &bytes, value, sizeof value);
	for (size_t k = 0; k < OBJECTS; k++) {
		gemp_text key = key_of(k);
		assert_false(gemp_kept_has(kept, &key));
		assert_null(gemp_kept_take(kept, &key));
		gemp_kept_give(kept, &key, new_object(k), 100, release);
		assert_true(gemp_kept_has(kept, &key));
		assert_false(gemp_kept_get(kept, &key, value, 100)); /* it is no bytes */
		size_t *taken = gemp_kept_take(kept, &key);
		assert_true(taken && *taken == k && !gemp_kept_has(kept, &key) && !gemp_kept_take(kept, &key));
		if (k % 7 == 0)
			gemp_kept_give(kept, &key, new_object(k), 100, release); /* replaces the other one */
		gemp_kept_return(kept, &key, taken, release);
		gemp_text_free(&key);
	}
	const size_t entries = gemp_kept_look(kept).entries;
	assert_true(entries > 20 && entries < 100 && gemp_kept_has(kept, &bytes)); /* bytes stay */
	assert_null(gemp_kept_take(kept, &bytes));
	gemp_kept_give(kept, &bytes, new_object(0), 1 << 20, release); /* too large */
	assert_true(gemp_kept_has(kept, &bytes));
	gemp_kept_give(NULL, &bytes, new_object(0), 1, release);
	assert_null(gemp_kept_take(NULL, &bytes));
	gemp_kept_give(kept, &bytes, new_object(0), 100, release);
	size_t *lent = gemp_kept_take(kept, &bytes);
	gemp_kept_clear(kept);
	gemp_kept_return(kept, &bytes, lent, release); /* the store was cleared meanwhile */
	assert_false(gemp_kept_has(kept, &bytes));
	gemp_text_free(&bytes);
	gemp_kept_free(kept);
	assert_int_equal(released, OBJECTS + (OBJECTS + 6) / 7 + 3);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* A store that is not there, keys that failed, and entries that are too large. */
static void keeps_nothing(void **state)
{
	(void)state;
	gemp_kept *kept = NULL;
	char value[MAX_VALUE] = { 0 };
	gemp_text key = key_of(1), failed = { .failed = true };
	gemp_kept_put(NULL, &key, value, 1);
	assert_false(gemp_kept_get(NULL, &key, value, 1));
	gemp_kept_clear(NULL);
	gemp_kept_free(NULL);
	assert_int_equal(gemp_kept_new(&kept, MAX_VALUE), GEMP_OK);
	gemp_kept_put(kept, &failed, value, 1);
	assert_false(gemp_kept_get(kept, &failed, value, 1));
	gemp_kept_put(kept, &key, value, MAX_VALUE);
	assert_int_equal(gemp_kept_look(kept).entries, 0);
	gemp_text_free(&key);
	gemp_kept_free(kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_the_newest_values),
		cmocka_unit_test(drops_the_least_recently_used),
		cmocka_unit_test(gives_memory_back),
		cmocka_unit_test(lends_objects),
		cmocka_unit_test(keeps_nothing),
	};
	return test_main(tests);
}
