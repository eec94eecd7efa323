/* Tests that samples of the search choose the phase of conditions under --attributes auto, also on a graph whose skew
 * would mislead a formula of average degrees, and that all phases give the same matches. */
#include "match_case.h"

#include "core/memory.h"
#include "core/status.h"
#include "graph/graph.h"
#include "harness/limits.h"
#include "match/match.h"
#include "match/match_run.h"
#include "match/planner/match_options.h"
#include "pattern/model/pattern.h"

#include <string.h>

/* A clique among isolated vertices has far more cycles than random edges would form. */
enum { CLIQUE = 32, ISOLATED = 4000, SEED = 5 };

static gemp_shard *skewed;

static int setup(void **state)
{
	int code = open_context(state);
	fixture made = fixture_new(CLIQUE + ISOLATED, CLIQUE * (CLIQUE - 1) / 2, KEYS_INTEGER, SEED);
	size_t e = 0;
	for (size_t a = 0; a < CLIQUE; a++)
		for (size_t b = a + 1; b < CLIQUE; b++) {
			made.edges[e].source = a * 100;
			made.edges[e].target = b * 100;
			made.edges[e++].type = "KNOWS";
		}
	assert_all_ok(
		fixture_build(&skewed, &made, &test_comm, &(gemp_builder_options){ .seed = SEED, .undirected = true }, SEED));
	fixture_free(&made);
	TEST_LIMIT(phase_sampling, 0); /* the graph is so small that nothing would be sampled */
	return code;
}

static int teardown(void **state)
{
	TEST_LIMIT_DEFAULT(phase_sampling);
	gemp_shard_free(skewed);
	return close_context(state);
}

/* Returns the number of matches, and the plan with the reasons if `plan` is not NULL. */
static gemp_count count(const gemp_pattern *pattern, gemp_condition_phase when, bool ordered, char **plan)
{
	gemp_match *match = NULL;
	gemp_match_result result;
	gemp_match_options options = plain_options;
	options.attributes = when;
	options.listed = false;
	for (int v = 0; ordered && v < (int)pattern->vertex_count; v++)
		options.order[options.order_count++] = v;
	assert_all_ok(gemp_match_prepare(&match, context, skewed, pattern, &options));
	if (plan)
		*plan = gemp_match_explain(match);
	assert_all_ok(gemp_match_run(match, NULL, &result));
	gemp_match_free(match);
	return result.matches;
}

/* Counts with --attributes auto, checks the count against the other phases, and that the plan has both texts. */
static void expect(const char *query, const char *phase, const char *reason)
{
	gemp_pattern *pattern = parse_question(&(question){ .text = query }, skewed);
	char *plan = NULL;
	assert_non_null(pattern);
	gemp_count before = count(pattern, GEMP_CONDITIONS_BEFORE, false, NULL);
	gemp_count after = count(pattern, GEMP_CONDITIONS_AFTER, false, NULL);
	gemp_count chosen = count(pattern, GEMP_CONDITIONS_AUTO, false, &plan);
	assert_non_null(plan);
	print_message("%s: %llu matches\n%s\n", query, (unsigned long long)chosen, plan);
	assert_all(chosen == before && chosen == after);
	assert_all(count(pattern, GEMP_CONDITIONS_AUTO, true, NULL) == chosen);
	assert_all(strstr(plan, phase) && strstr(plan, reason));
	gemp_free(plan);
	gemp_pattern_free(pattern);
}

static const char cycle[] =
	"MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(d)-[:KNOWS]-(a) WHERE a.name = 'Jack' RETURN count(*)";
static const char edge[] = "MATCH (a)-[:KNOWS]-(b) WHERE id(b) = -5000 AND a.name = 'Jack' RETURN count(*)";

static void skew_does_not_mislead(void **state)
{
	(void)state;
	/* A formula of the average degree expects few matches: testing them takes less time than testing all vertices. */
	const double vertices = CLIQUE + ISOLATED, degree = CLIQUE * (CLIQUE - 1) / vertices;
	assert_true(degree * degree * degree * degree * 60 < vertices * 15);
	expect(cycle, "before the search: a.name", "by samples");
}

static void few_matches_are_tested_after_the_search(void **state)
{
	(void)state;
	expect(edge, "after the search: a.name", "by samples");
}

/* The first condition leaves so few candidates of the clique that nothing is gained by the second. */
static void several_conditions_are_chosen_together(void **state)
{
	(void)state;
	expect("MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c) WHERE a.name = 'Jack' AND b.flag AND c.number > 0 RETURN count(*)",
	       "before the search: ", "by samples");
}

static void small_graphs_are_not_sampled(void **state)
{
	(void)state;
	TEST_LIMIT_DEFAULT(phase_sampling);
	expect(edge, "before the search: a.name", "less than a sample");
	expect(cycle, "before the search: a.name", "less than a sample");
	TEST_LIMIT(phase_sampling, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(skew_does_not_mislead, setup, teardown),
		cmocka_unit_test_setup_teardown(few_matches_are_tested_after_the_search, setup, teardown),
		cmocka_unit_test_setup_teardown(several_conditions_are_chosen_together, setup, teardown),
		cmocka_unit_test_setup_teardown(small_graphs_are_not_sampled, setup, teardown),
	};
	return test_main_all(argc, argv, tests);
}
