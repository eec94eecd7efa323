/* Tests counting by nested loops against the reference. */
#include "harness/limits.h"
#include "match/search/nested_search.h"
#include "nested_case.h"

typedef struct counted_pattern {
	question question;
	gemp_semantics semantics;
} counted_pattern;

static void random_counts(void **state)
{
	(void)state;
	static const counted_pattern cases[] = {
		{ { .shape = "triangle" }, GEMP_ISO },
		{ { .shape = "cycle:5" }, GEMP_ISO },
		{ { .shape = "clique:5" }, GEMP_ISO },
		{ { .shape = "house" }, GEMP_INDUCED },
		{ { .shape = "path:4" }, GEMP_HOM },
		{ { .shape = "edges:0-1,1-2,2-3,3-4,4-5,5-0,0-3" }, GEMP_ISO },
		{ { .text = "MATCH (a:A)-[:L]-(b)-[:L]-(c:B)-[:L]-(d)-[:L]-(a) RETURN count(*)" }, GEMP_ISO },
		{ { .text = "MATCH (a)-[:L]->(b)-[:L]->(c)-[:L]->(d), (b)-[:L]->(b), (d)-[:L]->(b) RETURN count(*)" },
		  GEMP_HOM },
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

static void small_graphs(void **state)
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

/* Pattern vertices with the same neighbours (twins) are counted by a formula. A replica budget of 0 turns off the
 * tables of two-paths, which a CPU would use instead. With this budget only a single rank has all rows, so only one
 * rank runs this test. */
static void twins_are_counted_by_formula(void **state)
{
	(void)state;
	static const question questions[] = { { .shape = "edges:0-1,0-2,0-3,0-4,1-2,2-3,3-4,4-1" },
		                                  { .shape = "edges:0-1,0-2,1-2,0-3,1-3,0-4,1-4" },
		                                  { .shape = "edges:0-1,0-2,0-3,1-2,1-3" } };
	case_graph g = { nested_graph(&test_comm, 36, 0.1, true, 3), nested_graph(&alone, 36, 0.1, true, 3) };
	gemp_match_options o = nested_options;
	o.count_by_formula = true;
	o.replicate = 0;
	for (size_t i = 0; i < sizeof questions / sizeof *questions && test_comm.size == 1; i++)
		for (int hom = 0; hom <= 1; hom++) {
			o.semantics = hom ? GEMP_HOM : GEMP_ISO;
			o.distinct = hom ? GEMP_BY_NOTHING : GEMP_BY_ORBIT;
			assert_true(check_answer(&g, &questions[i], &o));
			assert_true(is_nested(&g, &questions[i], &o));
		}
	graph_free(&g);
}

/* Bitmaps of 64 bits stand for more slots than they have bits (folded bitmaps), so most slots that seem marked are not
 * marked. */
static void folded_bitmaps(void **state)
{
	(void)state;
	static const question questions[] = {
		{ .shape = "cycle:5" },
		{ .shape = "house" },
		{ .text = "MATCH (a:A)-[:L]-(b:B)-[:L]-(c:A)-[:L]-(d:B)-[:L]-(e:A)-[:L]-(a) RETURN count(*)" }
	};
	case_graph g = { nested_graph(&test_comm, 90, 0.02, true, 7), nested_graph(&alone, 90, 0.02, true, 7) };
	TEST_LIMIT(nested_local, 8);
	for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
		gemp_pattern *pattern = parse_question(&questions[i], g.distributed);
		gemp_match *match = NULL;
		assert_true(check_answer(&g, &questions[i], &nested_options));
		assert_all_ok(gemp_match_prepare(&match, context, g.distributed, pattern, &nested_options));
		assert_true(match->search->nested->options.folded);
		gemp_match_free(match);
		gemp_pattern_free(pattern);
	}
	TEST_LIMIT_DEFAULT(nested_local);
	graph_free(&g);
}

/* All matches start from one entry of one row. Workers without work may take parts of it; how many they take depends on
 * their speed. */
static void one_entry_is_shared(void **state)
{
	(void)state;
	enum { ALL = 90 };
	gemp_builder *builder = NULL;
	gemp_shard *graph = NULL;
	gemp_builder_options options = { .undirected = true };
	assert_all_ok(gemp_builder_new(&builder, &test_comm, &options));
	gemp_code code = GEMP_OK;
	for (int64_t a = 0; a < ALL && test_comm.rank == 0; a++) {
		gemp_value from = { .type = GEMP_INTEGER, .integer = a };
		code |= gemp_builder_vertex(builder, &from, a > 1 ? "A" : a ? "B" : "C", 1, (gemp_place){ 0 });
		for (int64_t b = 0; b < a; b++) {
			gemp_value to = { .type = GEMP_INTEGER, .integer = b };
			code |= gemp_builder_edge(builder, &from, &to, "L", 1, (gemp_place){ 0 });
		}
	}
	assert_all_ok(code);
	assert_all_ok(gemp_builder_finish(builder, &graph));
	gemp_builder_free(builder);
	question q = { .text = "MATCH (a:B)-[:L]-(b:C)-[:L]-(c)-[:L]-(d)-[:L]-(e)-[:L]-(a) RETURN count(*)" };
	case_graph g = { graph, NULL };
	gemp_pattern *pattern = parse_question(&q, g.distributed);
	gemp_match *match = NULL;
	assert_all_ok(gemp_match_prepare(&match, context, graph, pattern, &nested_options));
	for (int run = 0; run < 5; run++) {
		gemp_match_result result;
		assert_all_ok(gemp_match_run(match, NULL, &result));
		assert_int_equal(result.matches, (ALL - 2) * (ALL - 3) * (ALL - 4));
	}
	print_message("%llu parts\n", (unsigned long long)match->search->nested->donated);
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	gemp_shard_free(graph);
}

static void other_searches_use_the_state_machine(void **state)
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
	assert_true(is_nested(&g, &cycle, &o)); /* nested loops also run in pull rounds */
	o.exchange = GEMP_EXCHANGE_PUSH;
	assert_int_equal(is_nested(&g, &cycle, &o), test_comm.size == 1);
	graph_free(&g);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(random_counts, open_nested, close_nested),
		cmocka_unit_test_setup_teardown(small_graphs, open_nested, close_nested),
		cmocka_unit_test_setup_teardown(twins_are_counted_by_formula, open_nested, close_nested),
		cmocka_unit_test_setup_teardown(folded_bitmaps, open_nested, close_nested),
		cmocka_unit_test_setup_teardown(one_entry_is_shared, open_nested, close_nested),
		cmocka_unit_test_setup_teardown(other_searches_use_the_state_machine, open_nested, close_nested),
	};
	return test_main_all(argc, argv, tests);
}
