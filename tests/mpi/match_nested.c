/* Counting by nested loops against the definition of a match. */
#include "nested_case.h"

typedef struct case_of {
	question question;
	gemp_semantics semantics;
} case_of;

static void counts_are_right(void **state)
{
	(void)state;
	static const case_of cases[] = {
		{ { .shape = "triangle" }, GEMP_ISO }, { { .shape = "cycle:5" }, GEMP_ISO },
		{ { .shape = "clique:5" }, GEMP_ISO }, { { .shape = "house" }, GEMP_INDUCED },
		{ { .shape = "path:4" }, GEMP_HOM }, { { .shape = "edges:0-1,1-2,2-3,3-4,4-5,5-0,0-3" }, GEMP_ISO },
		{ { .text = "MATCH (a:A)-[:L]-(b)-[:L]-(c:B)-[:L]-(d)-[:L]-(a) RETURN count(*)" }, GEMP_ISO },
		{ { .text = "MATCH (a)-[:L]->(b)-[:L]->(c)-[:L]->(d), (b)-[:L]->(b), (d)-[:L]->(b) RETURN count(*)" }, GEMP_HOM },
	};
	uint64_t seed = test_seed_all();
	for (int directed = 0; directed <= 1; directed++) {
		case_graph g = { nested_graph(&test_comm, 36, 0.08, !directed, seed),
			nested_graph(&alone, 36, 0.08, !directed, seed) };
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
			gemp_match_options o = nested_options;
			o.semantics = cases[i].semantics;
			o.distinct = cases[i].semantics == GEMP_HOM ? GEMP_BY_NOTHING : GEMP_BY_ORBIT;
			if (directed != (i == 7))
				continue;
			assert_true(check_answer(&g, &cases[i].question, &o));
			assert_true(is_nested(&g, &cases[i].question, &o));
		}
		graph_free(&g);
	}
}

static void small_graphs_count(void **state)
{
	(void)state;
	static const question triangle = { .shape = "triangle" }, cycle = { .shape = "cycle:4" };
	for (size_t vertices = 1; vertices <= 4; vertices++) {
		case_graph g = { nested_graph(&test_comm, vertices, 1, true, 1), nested_graph(&alone, vertices, 1, true, 1) };
		assert_true(check_answer(&g, &triangle, &nested_options));
		assert_true(check_answer(&g, &cycle, &nested_options));
		graph_free(&g);
	}
}

/* With more ranks there, tables of two-paths come first on a CPU. */
static void twins_are_counted_by_their_number(void **state)
{
	(void)state;
	static const question questions[] = { { .shape = "edges:0-1,0-2,0-3,0-4,1-2,2-3,3-4,4-1" },
	                                      { .shape = "edges:0-1,0-2,1-2,0-3,1-3,0-4,1-4" } };
	case_graph g = { nested_graph(&test_comm, 36, 0.1, true, 3), nested_graph(&alone, 36, 0.1, true, 3) };
	gemp_match_options o = nested_options;
	o.count_by_formula = true;
	o.replicate = 0;
	for (size_t i = 0; i < sizeof questions / sizeof *questions && test_comm.size == 1; i++) {
		assert_true(check_answer(&g, &questions[i], &o));
		assert_true(is_nested(&g, &questions[i], &o));
	}
	graph_free(&g);
}

static void others_are_left_to_the_state_machine(void **state)
{
	(void)state;
	static const question cycle = { .shape = "cycle:4" }, edge = { .shape = "path:2" };
	case_graph g = { nested_graph(&test_comm, 30, 0.2, true, 2), nested_graph(&alone, 30, 0.2, true, 2) };
	gemp_match_options o = nested_options;
	assert_true(is_nested(&g, &cycle, &o));
	assert_false(is_nested(&g, &edge, &o));
	o.listed = true;
	assert_false(is_nested(&g, &cycle, &o));
	o = nested_options, o.profile = true;
	assert_false(is_nested(&g, &cycle, &o));
	o = nested_options, o.replicate = 0;
	assert_int_equal(is_nested(&g, &cycle, &o), test_comm.size == 1);
	graph_free(&g);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counts_are_right, open_nested, close_nested),
		cmocka_unit_test_setup_teardown(small_graphs_count, open_nested, close_nested),
		cmocka_unit_test_setup_teardown(twins_are_counted_by_their_number, open_nested, close_nested),
		cmocka_unit_test_setup_teardown(others_are_left_to_the_state_machine, open_nested, close_nested),
	};
	return test_main_all(argc, argv, tests);
}
