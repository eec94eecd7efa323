/* Tests that vertex sets of small patterns are the same by the counts of larger patterns as by comparing all matches,
 * and that only counts of many matches are made this way. */
#include "match_case.h"

#include "core/memory.h"
#include "graph/graph.h"
#include "harness/limits.h"
#include "query/query.h"

#include <string.h>

static const char *const shapes[] = { "triangle",
	                                  "path:3",
	                                  "path:4",
	                                  "cycle:4",
	                                  "star:3",
	                                  "diamond",
	                                  "clique:4",
	                                  "path:5",
	                                  "cycle:5",
	                                  "star:4",
	                                  "house",
	                                  "clique:5",
	                                  "edges:0-1,1-2,2-0,2-3,3-4",
	                                  "edges:0-1,0-2,0-3,1-2,1-3,2-3,3-4" };
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Counts the vertex sets of a shape. *by_kinds becomes true if the plan says that matches are not compared. */
static gemp_match_result count(gemp_shard *graph, const char *shape, const gemp_match_options *match, bool *by_kinds)
{
	gemp_prepared *query = NULL;
	gemp_match_result result = { 0 };
	gemp_pattern *pattern = parse_question(&(question){ .shape = shape }, graph);
	const gemp_prepared_options options = { .match = *match };
	assert_non_null(pattern);
	assert_all_ok(gemp_prepared_prepare(&query, context, graph, pattern, &options));
	char *plan = gemp_prepared_explain(query);
	assert_non_null(plan);
	*by_kinds = strstr(plan, "vertex sets: by the counts") != NULL;
	gemp_free(plan);
	assert_all_ok(gemp_prepared_run(query, NULL, &result));
	gemp_prepared_free(query);
	gemp_pattern_free(pattern);
	return result;
}

static gemp_match_options counting_options(void)
{
	return (gemp_match_options){
		.distinct = GEMP_BY_VERTICES, .count_by_formula = true, .replicate = GEMP_REPLICATE_AUTO, .limit = UINT64_MAX
	};
}

static void both_ways_agree(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	const gemp_match_options options = counting_options();
	for (uint64_t i = 0; i < 2; i++) {
		case_graph g;
		size_t found = 0;
		graph_new(&g, 25 + 5 * i, 150, i == 0, seed + i);
		for (size_t k = 0; k < SHAPES; k++) {
			bool kinds[2];
			TEST_LIMIT(vertex_sets_min, -1);
			gemp_match_result by_kinds = count(g.distributed, shapes[k], &options, &kinds[0]);
			TEST_LIMIT_DEFAULT(vertex_sets_min);
			gemp_match_result compared = count(g.distributed, shapes[k], &options, &kinds[1]);
			if (by_kinds.matches != compared.matches)
				print_message("%s: %llu by kinds, %llu compared\n", shapes[k], (unsigned long long)by_kinds.matches,
				              (unsigned long long)compared.matches);
			assert_all(kinds[0] && !kinds[1]);
			assert_all(by_kinds.matches == compared.matches && by_kinds.embeddings == compared.embeddings);
			assert_all(by_kinds.embeddings_known && by_kinds.complete);
			found += by_kinds.matches > 0;
		}
		assert_all(found > SHAPES / 2);
		graph_free(&g);
	}
}

/* A dry run explains the way that a run would take. */
static void dry_runs_explain(void **state)
{
	(void)state;
	case_graph g;
	gemp_prepared *query = NULL;
	gemp_prepared_options options = { .match = counting_options() };
	graph_new(&g, 20, 60, true, 3);
	gemp_pattern *pattern = parse_question(&(question){ .shape = "cycle:4" }, g.distributed);
	options.match.explained = true;
	TEST_LIMIT(vertex_sets_min, -1);
	assert_all_ok(gemp_prepared_prepare(&query, context, g.distributed, pattern, &options));
	TEST_LIMIT_DEFAULT(vertex_sets_min);
	char *plan = gemp_prepared_explain(query);
	assert_non_null(plan);
	assert_all(strstr(plan, "vertex sets: by the counts") != NULL);
	gemp_free(plan);
	gemp_prepared_free(query);
	gemp_pattern_free(pattern);
	graph_free(&g);
}

/* Options that say how to search, and questions that are no counts, keep the comparison of matches. */
static void other_questions_are_compared(void **state)
{
	(void)state;
	case_graph g;
	graph_new(&g, 20, 60, true, 3);
	TEST_LIMIT(vertex_sets_min, -1);
	for (int i = 0; i < 6; i++) {
		gemp_match_options options = counting_options();
		bool kinds;
		options.count_by_formula = i != 0;
		options.symmetry_by_hash = i == 1;
		options.semantics = i == 2 ? GEMP_HOM : GEMP_ISO;
		options.distinct = i == 3 ? GEMP_BY_ORBIT : GEMP_BY_VERTICES;
		options.pivot_off = i == 4;
		count(g.distributed, i == 5 ? "path:6" : "cycle:4", &options, &kinds);
		assert_all(!kinds);
	}
	TEST_LIMIT_DEFAULT(vertex_sets_min);
	graph_free(&g);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(both_ways_agree, open_context, close_context),
		cmocka_unit_test_setup_teardown(dry_runs_explain, open_context, close_context),
		cmocka_unit_test_setup_teardown(other_questions_are_compared, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
