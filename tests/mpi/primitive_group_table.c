/* Tests tables of groups on devices against arrays by key: in both forms of the kernels, with sums and maxima, tables
 * that grow, tables that are full, groups that move to their owners, and thresholds. */
#include "core/memory.h"
#include "harness/device_main.h"

#include "core/random.h"
#include "primitive/group_table.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 3, MOST_KEYS = 40000 };

static gemp_device *device;

/* The groups of some records, by key: rows, and the value that is a maximum. */
typedef struct reference {
	size_t keys;
	uint64_t (*group)[MOST_WORDS]; /* [keys + 1] */
} reference;

static reference reference_new(size_t keys)
{
	return (reference){ keys, calloc(keys + 1, sizeof(uint64_t[MOST_WORDS])) };
}

static void put(reference *r, const uint64_t *record, size_t words)
{
	uint64_t *group = r->group[record[GEMP_GROUP_KEY]];
	group[GEMP_GROUP_ROWS] += record[GEMP_GROUP_ROWS];
	if (words > 2 && group[2] < record[2])
		group[2] = record[2];
}

static uint64_t *make_records(size_t count, size_t words, size_t keys, uint64_t *random)
{
	uint64_t *records = calloc(count * words + 1, sizeof *records);
	for (size_t i = 0; i < count; i++) {
		records[i * words] = gemp_random_below(random, 8) ? 1 + gemp_random_below(random, keys) : 0;
		records[i * words + 1] = 1 + gemp_random_below(random, 5);
		for (size_t w = 2; w < words; w++)
			records[i * words + w] = gemp_random(random);
	}
	return records;
}

/* Adds records to the table and to the reference `r`. `left` gets the records that the table had no room for. */
static void add(gemp_group_table *table, reference *r, const uint64_t *records, size_t count, reference *left)
{
	const size_t bytes = (count + 1) * table->words * sizeof *records;
	gemp_buffer buffer = { 0 };
	uint64_t *more = calloc(count + 1, table->words * sizeof *more);
	size_t lost;
	assert_ok(gemp_buffer_new(&buffer, device, bytes, NULL));
	assert_ok(gemp_buffer_write(device, &buffer, 0, count * table->words * sizeof *records, records));
	assert_ok(gemp_group_table_add(table, &buffer, count, &lost));
	for (size_t i = 0; i < count; i++)
		if (records[i * table->words])
			put(r, records + i * table->words, table->words);
	assert_true(lost <= count);
	assert_ok(gemp_buffer_read(device, &table->left[0], 0, lost * table->words * sizeof *more, more));
	for (size_t i = 0; i < lost; i++)
		put(left, more + i * table->words, table->words);
	gemp_buffer_free(&buffer, device);
	free(more);
}

/* Adds the groups with at least min_rows rows to the reference, and returns their number. */
static size_t read_groups(gemp_group_table *table, uint64_t min_rows, reference *r)
{
	gemp_buffer buffer = { 0 };
	size_t groups = 0, count;
	for (size_t slot = 0; slot < table->slots; groups += count) {
		assert_ok(gemp_group_table_take(table, &slot, min_rows, &buffer, &count));
		uint64_t *records = calloc(count + 1, table->words * sizeof *records);
		assert_ok(gemp_buffer_read(device, &buffer, 0, count * table->words * sizeof *records, records));
		for (size_t i = 0; i < count; i++) {
			assert_true(records[i * table->words + 1] >= min_rows && records[i * table->words] <= r->keys);
			assert_int_equal(r->group[records[i * table->words]][0]++, 0);
			put(r, records + i * table->words, table->words);
		}
		free(records);
	}
	gemp_buffer_free(&buffer, device);
	return groups;
}

static void assert_same(const reference *a, const reference *b)
{
	for (size_t key = 1; key <= a->keys; key++)
		for (size_t w = 1; w < MOST_WORDS; w++)
			assert_int_equal(a->group[key][w], b->group[key][w]);
}

static void check(gemp_form form, size_t words, size_t slots, size_t max_slots, size_t keys, uint64_t *random)
{
	gemp_toolbox *box;
	gemp_group_table *table;
	reference expected = reference_new(keys), found = reference_new(keys);
	assert_ok(gemp_toolbox_new(&box, device, form));
	assert_ok(gemp_group_table_new(&table, box, words, words > 2 ? 4 : 0, slots, max_slots));
	for (int round = 0; round < 3; round++) {
		const size_t count = gemp_random_below(random, 2 * keys);
		uint64_t *records = make_records(count, words, keys, random);
		add(table, &expected, records, count, &found);
		free(records);
	}
	size_t lost = 0;
	for (size_t key = 1; key <= keys; key++)
		lost += found.group[key][1] > 0;
	assert_true((lost > 0) == (max_slots < keys));
	assert_int_equal(read_groups(table, 0, &found), table->groups);
	assert_same(&expected, &found);
	assert_ok(gemp_group_table_clear(table));
	assert_int_equal(read_groups(table, 0, &found), 0);
	gemp_group_table_free(table);
	gemp_toolbox_free(box);
	free(expected.group);
	free(found.group);
}

static void records_become_groups(void **state)
{
	(void)state;
	uint64_t random = test_seed_all() + (uint64_t)test_comm.rank;
	for (size_t words = 2; words <= MOST_WORDS; words++) {
		check(GEMP_FORM_ITEMS, words, 1 << 10, 1 << 10, 300, &random);
		check(GEMP_FORM_ITEMS, words, 16, 1 << 14, 3000, &random); /* grows */
		check(GEMP_FORM_ITEMS, words, 16, 64, 500, &random);       /* grows, and is full */
	}
	check(GEMP_FORM_GROUPS, 2, 16, 1 << 12, 900, &random);
	check(GEMP_FORM_GROUPS, 2, 64, 64, 500, &random);
}

typedef struct losses {
	gemp_group_table *table;
	size_t count;
} losses;

static gemp_code lose(void *self, size_t count)
{
	((losses *)self)->count += count;
	return GEMP_OK;
}

/* Every rank knows the groups of all ranks. The numbers of rows lie in one bin of the first division. */
static void groups_move_to_their_owners(void **state)
{
	(void)state;
	enum { KEYS = MOST_KEYS, ROWS = 1 << 20, SPREAD = 1 << 15 };
	uint64_t seed = test_seed_all(), all = 0;
	gemp_toolbox *box;
	gemp_group_table *table;
	reference expected = reference_new(KEYS), own = reference_new(KEYS), none = reference_new(KEYS);
	losses lost = { 0 };
	assert_all_ok(gemp_toolbox_new(&box, device, GEMP_FORM_ITEMS));
	assert_all_ok(gemp_group_table_new(&table, box, 2, 0, 1 << 10, 1 << 20));
	lost.table = table;
	for (int rank = 0; rank < test_comm.size; rank++) {
		uint64_t random = gemp_mix(seed + (uint64_t)rank), *records = calloc(KEYS * 2, sizeof *records);
		for (size_t key = 1; key <= KEYS; key++) {
			records[2 * key - 2] = key;
			records[2 * key - 1] = ROWS + gemp_random_below(&random, SPREAD);
			if (rank != test_comm.rank)
				put(&expected, records + 2 * key - 2, 2);
		}
		if (rank == test_comm.rank)
			add(table, &expected, records, KEYS, &none);
		free(records);
	}
	assert_all_ok(gemp_group_table_exchange(table, &test_comm, lose, &lost));
	assert_all(lost.count == 0);
	all = gemp_comm_sum1(&test_comm, table->groups);
	assert_all(all == KEYS);
	for (uint64_t top = 1; top < 2 * KEYS; top = 7 * top + 3) {
		uint64_t min_rows, wanted = 0, taken;
		memset(own.group, 0, (KEYS + 1) * sizeof *own.group);
		assert_all_ok(gemp_group_table_threshold(table, &test_comm, top, &min_rows));
		for (size_t key = 1; key <= KEYS; key++)
			wanted += expected.group[key][1] >= min_rows;
		taken = gemp_comm_sum1(&test_comm, read_groups(table, min_rows, &own));
		assert_all(taken == wanted && taken >= gemp_min(top, (uint64_t)KEYS) && taken <= 2 * top + (1 << 15));
		for (size_t key = 1; key <= KEYS; key++)
			assert_true(own.group[key][1] == 0 || own.group[key][1] == expected.group[key][1]);
	}
	gemp_group_table_free(table);
	gemp_toolbox_free(box);
	free(expected.group);
	free(own.group);
	free(none.group);
}

/* Numbers of rows of which few are large, on one rank or on several. */
static uint64_t skewed(uint64_t *random)
{
	const uint64_t bits = 1 + gemp_random_below(random, 8);
	return gemp_random_below(random, 16) ? gemp_random_below(random, 4)
	                                     : gemp_random_below(random, UINT64_C(1) << bits);
}

static void check_narrow(size_t words, uint64_t top, uint64_t min_rows, uint64_t seed, bool narrows)
{
	enum { KEYS = 3000 };
	gemp_toolbox *box;
	gemp_group_table *table;
	reference expected = reference_new(KEYS), own = reference_new(KEYS), none = reference_new(KEYS);
	losses lost = { 0 };
	uint64_t wanted = 1;
	assert_all_ok(gemp_toolbox_new(&box, device, GEMP_FORM_ITEMS));
	assert_all_ok(gemp_group_table_new(&table, box, words, words > 2 ? 4 : 0, 1 << 10, 1 << 20));
	lost.table = table;
	for (int rank = 0; rank < test_comm.size; rank++) {
		uint64_t random = gemp_mix(seed + (uint64_t)rank), *records = calloc(KEYS * words, sizeof *records);
		for (size_t i = 0; i < KEYS; i++) {
			records[i * words + 1] = skewed(&random);
			records[i * words] = records[i * words + 1] ? i + 1 : 0;
			for (size_t w = 2; w < words; w++)
				records[i * words + w] = gemp_random(&random);
			if (rank != test_comm.rank && records[i * words])
				put(&expected, records + i * words, words);
		}
		if (rank == test_comm.rank)
			add(table, &expected, records, KEYS, &none);
		free(records);
	}
	const uint64_t before = gemp_comm_sum1(&test_comm, table->groups);
	assert_all_ok(gemp_group_table_narrow(table, &test_comm, top, min_rows));
	const uint64_t after = gemp_comm_sum1(&test_comm, table->groups);
	assert_all(test_comm.size > 1 && narrows ? after < before : after <= before);
	assert_all_ok(gemp_group_table_exchange(table, &test_comm, lose, &lost));
	assert_all(lost.count == 0);
	if (top)
		assert_all_ok(gemp_group_table_threshold(table, &test_comm, top, &wanted));
	wanted = gemp_max(wanted, min_rows);
	read_groups(table, wanted, &own);
	gemp_comm_sum(&test_comm, own.group[0], (KEYS + 1) * MOST_WORDS); /* one rank has the group */
	uint64_t found = 0;
	for (size_t key = 1; key <= KEYS; key++) {
		const bool enough = expected.group[key][1] >= wanted;
		found += enough;
		for (size_t w = 1; w < words; w++)
			assert_int_equal(own.group[key][w], enough ? expected.group[key][w] : 0);
	}
	assert_true(min_rows || found >= gemp_min(top, (uint64_t)KEYS / 2));
	gemp_group_table_free(table);
	gemp_toolbox_free(box);
	free(expected.group);
	free(own.group);
	free(none.group);
}

/* Groups that are left out have too few rows, and the others keep all rows and values. */
static void few_groups_are_exchanged(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	for (size_t words = 2; words <= MOST_WORDS; words++) {
		check_narrow(words, 3, 0, gemp_random(&random), test_comm.size < 4);
		check_narrow(words, 0, 30 * (uint64_t)test_comm.size, gemp_random(&random), true);
		check_narrow(words, 10, 1 + gemp_random_below(&random, 100), gemp_random(&random), false);
		check_narrow(words, 0, 2, gemp_random(&random), false);
		check_narrow(words, 3000 * 8, 0, gemp_random(&random), false);
		check_narrow(words, 0, 1 << 20, gemp_random(&random), true);
	}
}

/* A table that may not grow has too few slots for the groups that a rank receives. Nothing vanishes. */
static void groups_without_a_slot_are_told(void **state)
{
	(void)state;
	enum { KEYS = 2000 };
	gemp_toolbox *box;
	gemp_group_table *table;
	reference expected = reference_new(KEYS), none = reference_new(KEYS);
	losses lost = { 0 };
	uint64_t *records = calloc(KEYS * 2, sizeof *records);
	for (size_t i = 0; i < KEYS; i++) {
		records[2 * i] = i + 1;
		records[2 * i + 1] = 1;
	}
	assert_all_ok(gemp_toolbox_new(&box, device, GEMP_FORM_ITEMS));
	assert_all_ok(gemp_group_table_new(&table, box, 2, 0, 1 << 12, 1 << 12));
	lost.table = table;
	add(table, &expected, records, KEYS, &none);
	table->max_slots = 16;
	assert_all_ok(gemp_group_table_exchange(table, &test_comm, lose, &lost));
	const uint64_t left = gemp_comm_sum1(&test_comm, lost.count), kept = gemp_comm_sum1(&test_comm, table->groups);
	assert_all(test_comm.size == 1 ? left == 0 && kept == KEYS : left > 0 && kept > 0);
	gemp_group_table_free(table);
	gemp_toolbox_free(box);
	free(expected.group);
	free(none.group);
	free(records);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(records_become_groups),
		                                cmocka_unit_test(groups_move_to_their_owners),
		                                cmocka_unit_test(few_groups_are_exchanged),
		                                cmocka_unit_test(groups_without_a_slot_are_told) };
	return test_main_on_device(argc, argv, tests, sizeof tests / sizeof *tests, &device);
}
