/* Tests labels(v): the list of labels of each label set. */
#include "harness/harness.h"

#include "core/status.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "match/filter/computed_columns.h"

#include <string.h>

static gemp_shard graph;

static int make_graph(void **state)
{
	(void)state;
	static char *labels[] = { "Film", "\xc3\x84rzte", "a \"b\\\t" };
	static uint32_t film[] = { 0 }, all[] = { 0, 1, 2 };
	static gemp_label_set sets[] = { { 0, NULL, 1 }, { 1, film, 1 }, { 3, all, 1 } };
	graph = (gemp_shard){ .ranks = 1, .label_count = 3, .labels = labels, .label_set_count = 3, .label_sets = sets };
	return 0;
}

static void lists_are_json(void **state)
{
	static const char *const expected[] = { "[]", "[\"Film\"]",
		                                    "[\"Film\", \"\xc3\x84rzte\", \"a \\\"b\\\\\\u0009\"]" };
	gemp_column lists;
	(void)state;
	assert_ok(gemp_label_list_column(&lists, &graph));
	assert_int_equal(lists.rows, 3);
	for (size_t i = 0; i < 3; i++) {
		gemp_value value = gemp_column_get(&lists, i);
		assert_true(value.type == GEMP_LIST && !value.null);
		assert_int_equal(value.string.size, strlen(expected[i]));
		assert_memory_equal(value.string.bytes, expected[i], value.string.size);
	}
	gemp_column_free(&lists);
}

static gemp_code lists_once(void *g)
{
	gemp_column lists;
	gemp_code code = gemp_label_list_column(&lists, g);
	gemp_column_free(&lists);
	return code;
}

static void without_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(lists_once, &graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(lists_are_json, make_graph),
		cmocka_unit_test_setup(without_memory, make_graph),
	};
	return test_main(tests);
}
