/* Tests the numbers of tuples against a list that is searched from its begin. */
#include "core/random.h"
#include "harness/harness.h"
#include "query/search/tuple_index.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TUPLES = 4000, MAX_WIDTH = 5 };

static size_t find_in_list(const gemp_vertex *tuples, size_t count, size_t width, const gemp_vertex *tuple)
{
	for (size_t i = 0; i < count; i++)
		if (memcmp(tuples + i * width, tuple, width * sizeof *tuple) == 0)
			return i;
	return SIZE_MAX;
}

/* expected decides whether tuples of one vertex have an array over all vertices. */
static void agrees_with_list(size_t width, uint64_t vertices, size_t expected, size_t additions, uint64_t *random)
{
	gemp_vertex *list = calloc(MAX_TUPLES * MAX_WIDTH, sizeof *list), tuple[MAX_WIDTH];
	gemp_tuple_index index;
	size_t count = 0, number;
	assert_int_equal(gemp_tuple_index_init(&index, width, vertices, expected), GEMP_OK);
	for (size_t k = 0; k < additions; k++) {
		for (size_t i = 0; i < width; i++) /* few values, so that tuples repeat */
			tuple[i] = (gemp_vertex)(vertices - 1 - gemp_random_below(random, gemp_min(vertices, 200)));
		const size_t before = find_in_list(list, count, width, tuple);
		assert_int_equal(gemp_tuple_index_find(&index, tuple), before);
		assert_int_equal(gemp_tuple_index_add(&index, tuple, &number), GEMP_OK);
		assert_int_equal(number, before == SIZE_MAX ? count : before);
		if (before == SIZE_MAX)
			memcpy(list + width * count++, tuple, width * sizeof *tuple);
	}
	assert_int_equal(index.count, count);
	assert_memory_equal(index.tuples, list, count * width * sizeof *list);
	gemp_tuple_index_free(&index);
	free(list);
}

static void numbers(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	for (size_t width = 1; width <= MAX_WIDTH; width++) {
		agrees_with_list(width, 1, 0, 3, &random);
		agrees_with_list(width, 300, 0, MAX_TUPLES, &random);
		agrees_with_list(width, 1000000, 1000000, MAX_TUPLES, &random);
		agrees_with_list(width, UINT64_C(4000000000), 10, MAX_TUPLES, &random);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(numbers) };
	return test_main(tests);
}
