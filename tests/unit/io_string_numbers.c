/* Tests the numbers of strings, which threads make of chunks of rows, against the strings of each row. */
#include "harness/harness.h"

#include "core/random.h"
#include "core/threads.h"
#include "io/graph_file/string_numbers.h"

#include <stdio.h>
#include <stdlib.h>

static void make(gemp_column *column, size_t rows, uint64_t words, uint64_t *random)
{
	assert_int_equal(gemp_column_init(column, "name", GEMP_STRING), GEMP_OK);
	for (size_t i = 0; i < rows; i++) {
		char text[32];
		const int size = snprintf(text, sizeof text, "%llu", (unsigned long long)gemp_random_below(random, words));
		gemp_value value = { .type = GEMP_STRING, .null = gemp_random_below(random, 9) == 0 };
		value.string = (gemp_string){ text, (size_t)size };
		assert_int_equal(gemp_column_add(column, &value), GEMP_OK);
	}
}

/* The sorted list of all strings. */
static void sort(const gemp_bytes *list, gemp_bytes *sorted)
{
	uint64_t *order = calloc(list->count + 1, sizeof *order);
	assert_int_equal(gemp_bytes_sort(list, order), GEMP_OK);
	for (size_t i = 0; i < list->count; i++) {
		const gemp_string text = gemp_bytes_at(list, order[i]);
		assert_int_equal(gemp_bytes_add(sorted, text.bytes, text.size), GEMP_OK);
	}
	free(order);
}

static void check(size_t rows, uint64_t words, uint64_t limit, uint64_t *random)
{
	gemp_column column;
	gemp_string_numbers numbers = { 0 };
	gemp_dictionary distinct = { 0 };
	gemp_bytes sorted = { 0 };
	make(&column, rows, words, random);
	assert_int_equal(gemp_string_numbers_new(&numbers, &column, limit, &distinct), GEMP_OK);
	assert_true(numbers.many || distinct.list.count <= limit);
	assert_true(numbers.many || distinct.list.count == words || rows < 100 * words);
	if (!numbers.many) {
		sort(&distinct.list, &sorted);
		assert_int_equal(gemp_string_numbers_categorize(&numbers, &sorted), GEMP_OK);
		for (size_t i = 0; i < rows; i++) {
			const gemp_value value = gemp_column_get(&column, i);
			assert_int_equal(value.null, numbers.of[i] == UINT32_MAX);
			if (value.null)
				continue;
			const gemp_string text = gemp_bytes_at(&sorted, numbers.of[i]);
			assert_int_equal(text.size, value.string.size);
			assert_memory_equal(text.bytes, value.string.bytes, text.size);
		}
	}
	assert_int_equal(numbers.many, rows > 100 * words && words > limit);
	gemp_string_numbers_free(&numbers);
	gemp_dictionary_free(&distinct);
	gemp_bytes_free(&sorted);
	gemp_column_free(&column);
}

static void numbers_are_the_strings(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	for (unsigned threads = 1; threads < 8; threads += 3) {
		gemp_threads_limit(threads);
		check(0, 1, 10, &random);
		check(1 + gemp_random_below(&random, 50), 5, 10, &random);
		check(70000, 1 + gemp_random_below(&random, 40), 40, &random);
		check(70000, 300, 299, &random);
		check(70000, 300, 300, &random);
	}
	gemp_threads_limit(0);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(numbers_are_the_strings) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
