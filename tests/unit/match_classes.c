/* Tests sets of classes: after blocks of any size, each class is there once with its smallest embedding, for any number
 * of tables and any hashes. Records that do not fit are reported and not added. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "core/types.h"
#include "match/distinct/class_set.h"

#include <stdlib.h>
#include <string.h>

enum { UNIVERSE = 3000, PLENTY = 64 << 20 };

/* A record has one vertex as its key and another vertex as its embedding. */
static gemp_record_form form_of(void)
{
	return (
		gemp_record_form){ .kind = GEMP_KEY_VERTICES, .vertex_count = 1, .key_words = 1, .words = 2, .embedding = 1 };
}

typedef struct seen {
	uint32_t least[UNIVERSE]; /* the least embedding of the class of a key; 0: no such class */
	size_t classes;
} seen;

static void see(seen *s, uint32_t key, uint32_t embedding)
{
	s->classes += s->least[key] == 0;
	if (s->least[key] == 0 || embedding < s->least[key])
		s->least[key] = embedding;
}

/* Fills a block with random records. One record in ten belongs to another rank, and one in ten is dropped. */
static void fill(gemp_class_block *block, const gemp_class_set *set, size_t count, uint64_t mask, uint64_t *seed,
                 seen *s)
{
	block->count = count;
	for (size_t i = 0; i < count; i++) {
		uint32_t key = (uint32_t)gemp_random_below(seed, UNIVERSE), kind = (uint32_t)gemp_random_below(seed, 10);
		uint32_t embedding = 1 + (uint32_t)gemp_random_below(seed, 1000000);
		block->records[2 * i] = key;
		block->records[2 * i + 1] = embedding;
		block->hash[i] = gemp_mix(key) & mask;
		block->place[i] = kind == 0   ? GEMP_CLASS_REMOTE
		                  : kind == 1 ? GEMP_CLASS_DROPPED
		                              : gemp_class_set_place(set, block->hash[i]);
		if (kind > 1)
			see(s, key, embedding);
	}
}

static void check_order(const gemp_class_block *block)
{
	uint8_t *met = calloc(block->count + 1, 1);
	assert_int_equal(block->bucket_offsets[GEMP_CLASS_BUCKETS], block->count);
	for (size_t place = 0; place < GEMP_CLASS_BUCKETS; place++)
		for (size_t at = block->bucket_offsets[place]; at < block->bucket_offsets[place + 1]; at++) {
			assert_int_equal(block->place[block->order[at]], place);
			assert_int_equal(met[block->order[at]]++, 0);
		}
	free(met);
}

/* Reads all rows, at most `room` at a time, and compares them with the expected rows. */
static void check_rows(const gemp_class_set *set, const seen *s, size_t room)
{
	gemp_class_cursor at = { 0 };
	gemp_vertex *rows = calloc(room, sizeof *rows);
	gemp_edge none;
	size_t all = 0, count;
	uint64_t sum = 0, expected = 0;
	while ((count = gemp_class_set_read(set, &at, room, rows, &none)) > 0) {
		for (size_t i = 0; i < count; i++)
			sum += gemp_mix(rows[i]);
		all += count;
	}
	for (size_t key = 0; key < UNIVERSE; key++)
		expected += s->least[key] ? gemp_mix(s->least[key]) : 0;
	assert_int_equal(all, s->classes);
	assert_int_equal(sum, expected);
	free(rows);
}

static void every_class_once(void **state)
{
	(void)state;
	static const size_t sizes[] = { 1, 100, 8192, 8193, 40000 }, budgets[] = { 20 << 20, PLENTY };
	static const uint64_t masks[] = { UINT64_MAX, 0xff, UINT64_C(0xfff) << 40 };
	uint64_t seed = test_seed();
	gemp_record_form form = form_of();
	for (size_t b = 0; b < 2; b++)
		for (size_t m = 0; m < 3; m++) {
			gemp_class_set set;
			gemp_class_block block = { 0 };
			seen *s = calloc(1, sizeof *s);
			gemp_class_set_init(&set, &form, budgets[b]);
			assert_true((set.place_count > 1) == (b == 1));
			for (size_t i = 0; i < 5; i++) {
				bool fits[GEMP_MAX_CLASS_PLACES];
				assert_ok(gemp_class_block_reserve(&block, &form, sizes[i]));
				fill(&block, &set, sizes[i], masks[m], &seed, s);
				gemp_class_block_sort(&block);
				check_order(&block);
				assert_ok(gemp_class_set_add_block(&set, &block, fits));
				for (size_t t = 0; t < set.place_count; t++)
					assert_true(fits[t]);
				assert_int_equal(gemp_class_set_count(&set), s->classes);
				check_rows(&set, s, 1000);
			}
			check_rows(&set, s, 1);
			gemp_class_set_clear(&set);
			assert_int_equal(gemp_class_set_count(&set), 0);
			gemp_class_set_free(&set);
			gemp_class_block_free(&block);
			free(s);
		}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void what_does_not_fit_is_not_added(void **state)
{
	(void)state;
	enum { COUNT = 9000 };
	uint64_t seed = test_seed();
	gemp_record_form form = form_of();
	gemp_class_set set;
	gemp_class_block block = { 0 };
	seen *s = calloc(1, sizeof *s);
	bool fits[GEMP_MAX_CLASS_PLACES], one;
	gemp_class_set_init(&set, &form, PLENTY);
	gemp_class_set_budget(&set, 64 * 600);
	assert_ok(gemp_class_block_reserve(&block, &form, COUNT));
	fill(&block, &set, COUNT, UINT64_MAX, &seed, s);
	gemp_class_block_sort(&block);
	assert_ok(gemp_class_set_add_block(&set, &block, fits));
	for (size_t t = 0; t < set.place_count; t++) {
		assert_false(fits[t]);
		assert_int_equal(set.table[t].count, 0);
	}
	assert_ok(gemp_class_set_add(&set, block.records, block.hash[0], &one));
	assert_true(one);
	gemp_class_set_budget(&set, SIZE_MAX);
	assert_ok(gemp_class_set_add_block(&set, &block, fits));
	see(s, block.records[0], block.records[1]);
	check_rows(&set, s, COUNT);
	gemp_class_set_free(&set);
	gemp_class_block_free(&block);
	free(s);
}

/* A packed record is its key plus 1. */
static gemp_record_form packed_form(void)
{
	return (gemp_record_form){ .kind = GEMP_KEY_VERTICES,
		                       .vertex_count = 1,
		                       .key_words = 2,
		                       .words = 2,
		                       .embedding = 2,
		                       .packed = true,
		                       .digits = 1,
		                       .base = 1 << 20,
		                       .hash_mask = UINT64_MAX };
}

/* Fills a block with packed records of `keys` different keys, and counts the keys that were not there before. */
static size_t fill_packed(gemp_class_block *block, const gemp_class_set *set, size_t count, size_t keys, uint64_t *seed,
                          uint8_t *met)
{
	size_t fresh = 0;
	block->count = count;
	for (size_t i = 0; i < count; i++) {
		uint64_t number = 1 + gemp_random_below(seed, keys);
		memcpy(block->records + 2 * i, &number, sizeof number);
		block->place[i] = gemp_class_set_place(set, gemp_number_hash(block->records + 2 * i, 1));
		fresh += !met[number];
		met[number] = 1;
	}
	return fresh;
}

/* Blocks with few and with many known records. A table that is full in the middle of a block grows, and without a
 * budget for it, it refuses the rest, which can be added singly later. */
static void packed_tables_grow_in_turns(void **state)
{
	(void)state;
	enum { KEYS = 200000, COUNT = 300000 };
	static const size_t keys[] = { 100, KEYS, KEYS / 2, KEYS };
	uint64_t seed = test_seed();
	gemp_record_form form = packed_form();
	for (size_t b = 0; b < 2; b++) {
		gemp_class_set set;
		gemp_class_block block = { 0 };
		uint8_t *met = calloc(KEYS + 1, 1);
		size_t classes = 0, refused = 0;
		gemp_class_set_init(&set, &form, PLENTY);
		gemp_class_set_budget(&set, b ? 1 << 20 : PLENTY);
		assert_ok(gemp_class_block_reserve(&block, &form, COUNT));
		for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
			bool fits[GEMP_MAX_CLASS_PLACES], one;

			classes += fill_packed(&block, &set, COUNT, keys[i], &seed, met);
			gemp_class_block_sort(&block);
			assert_ok(gemp_class_set_add_block(&set, &block, fits));
			for (size_t t = 0; t < set.place_count; t++)
				refused += !fits[t];
			gemp_class_set_budget(&set, SIZE_MAX);
			for (size_t j = 0; j < COUNT; j++) {
				assert_ok(
					gemp_class_set_add(&set, block.records + 2 * j, gemp_number_hash(block.records + 2 * j, 1), &one));
				assert_true(one);
			}
			assert_int_equal(gemp_class_set_count(&set), classes);
			gemp_class_set_budget(&set, b ? 1 << 20 : PLENTY);
		}
		assert_true((refused > 0) == (b == 1));
		assert_true(gemp_class_set_slots(&set) < 4 * classes);
		gemp_class_set_free(&set);
		gemp_class_block_free(&block);
		free(met);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code whole_use(void *unused)
{
	(void)unused;
	gemp_code code = GEMP_OK;
	gemp_record_form form = form_of();
	gemp_class_set set;
	gemp_class_block block = { 0 };
	bool fits[GEMP_MAX_CLASS_PLACES];
	uint64_t seed = 5;
	seen *s = calloc(1, sizeof *s);
	gemp_class_set_init(&set, &form, PLENTY);
	GEMP_TRY_DONE(gemp_class_block_reserve(&block, &form, 300));
	fill(&block, &set, 300, UINT64_MAX, &seed, s);
	gemp_class_block_sort(&block);
	code = gemp_class_set_add_block(&set, &block, fits);
done:
	gemp_class_set_free(&set);
	gemp_class_block_free(&block);
	free(s);
	return code;
}

static void out_of_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(whole_use, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_class_once),
		cmocka_unit_test(what_does_not_fit_is_not_added),
		cmocka_unit_test(packed_tables_grow_in_turns),
		cmocka_unit_test(out_of_memory),
	};
	return test_main(tests);
}
