/* Runs over parts of the pivots must add up to a run over all pivots, for random divisions, with each kind of kernel,
 * with push and with pull. */
#include "match_case.h"

#include "core/random.h"
#include "graph/batch.h"
#include "match/match.h"
#include "match/match_run.h"
#include "match/planner/match_options.h"
#include "partition/views/resident.h"
#include "pattern/model/pattern.h"

enum { PARTS = 7 };

static case_graph graph;

static int setup(void **state)
{
	int code = open_context(state);
	graph_new(&graph, 30, 110, true, 29);
	return code;
}

static int teardown(void **state)
{
	graph_free(&graph);
	return close_context(state);
}

/* Runs all parts, a random number of parts at a time. All rows go to one list. */
static void run_in_parts(gemp_match *match, uint64_t *random, collecting *rows, gemp_match_result *sum)
{
	*sum = (gemp_match_result){ .complete = true, .embeddings_known = true };
	for (uint32_t first = 0, count; first < PARTS; first += count) {
		gemp_match_result one;
		gemp_sink sink = { 0 };
		count = 1 + (uint32_t)gemp_random_below(random, PARTS - first);
		if (rows)
			sink = collecting_sink(rows);
		assert_all_ok(gemp_pivot_part_set(match, &(gemp_pivot_part){ first, count, PARTS }));
		assert_all_ok(gemp_match_run(match, rows ? &sink : NULL, &one));
		sum->matches += one.matches;
		sum->embeddings += one.embeddings;
		sum->pivots += one.pivots;
	}
}

static void check(const question *q, gemp_match_options o, const char *shape)
{
	gemp_pattern *pattern = parse_question(q, graph.distributed);
	gemp_match *match = NULL;
	gemp_match_result sum;
	uint64_t random = test_seed_all();
	collecting rows = { .wanted = SIZE_MAX };
	reference r;
	assert_non_null(pattern);
	describe(q, &o);
	if (shape)
		setenv("GEMP_SHAPE", shape, 1);
	o.in_parts = true;
	o.limit = UINT64_MAX;
	reference_new(&r, graph.whole, pattern, o.semantics);
	assert_all_ok(gemp_match_prepare(&match, context, graph.distributed, pattern, &o));
	assert_all(!gemp_pivot_parts_overlap(match));
	for (int turn = 0; turn < 2; turn++) {
		run_in_parts(match, &random, o.listed && !turn ? &rows : NULL, &sum);
		assert_all(numbers_are_right(&r, &o, &sum));
		assert_all(sum.pivots > 0 && sum.pivots <= graph.distributed->vertex_count);
		if (!o.listed)
			continue;
		collecting_gather(&rows);
		assert_all(rows_are_right(&r, &o, &rows, sum.matches));
		break;
	}
	gemp_match_free(match);
	reference_free(&r);
	gemp_pattern_free(pattern);
	free(rows.rows);
	unsetenv("GEMP_SHAPE");
}

static const question house = { .shape = "edges:0-1,1-2,2-3,3-0,0-4,1-4" };
static const question query = { .text = "MATCH (a:Person)-[:KNOWS]-(b)-[]-(c:Person) RETURN b" };

static void counts(void **state)
{
	(void)state;
	check(&house, (gemp_match_options){ .replicate = GEMP_REPLICATE_ALL, .count_by_formula = true }, NULL);
	check(&house, (gemp_match_options){ .replicate = GEMP_REPLICATE_ALL, .count_by_formula = true }, "nested");
	check(&house, (gemp_match_options){ .replicate = GEMP_REPLICATE_ALL }, "states");
	check(&query, (gemp_match_options){ .semantics = GEMP_HOM, .distinct = GEMP_BY_NOTHING }, NULL);
}

static void rows_across_ranks(void **state)
{
	(void)state;
	check(&house, (gemp_match_options){ .listed = true, .exchange = GEMP_EXCHANGE_PUSH }, NULL);
	check(&house, (gemp_match_options){ .listed = true, .exchange = GEMP_EXCHANGE_PULL }, NULL);
	check(&query, (gemp_match_options){ .listed = true, .replicate = GEMP_REPLICATE_ALL }, NULL);
}

/* Two runs with the same matching order have the same hash of the plan; another order has another hash. */
static void plans_have_different_hashes(void **state)
{
	gemp_pattern *pattern = parse_question(&house, graph.distributed);
	gemp_match_options o = plain_options;
	uint64_t plans[3];
	(void)state;
	for (int i = 0; i < 3; i++) {
		gemp_match *match = NULL;
		o.listed = false;
		o.in_parts = true;
		o.replicate = i == 1 ? 0 : GEMP_REPLICATE_ALL;
		if (i == 2)
			memcpy(o.order, (int[]){ 4, 1, 0, 3, 2 }, 5 * sizeof(int));
		assert_all_ok(gemp_match_prepare(&match, context, graph.distributed, pattern, &o));
		plans[i] = gemp_pivot_plan(match);
		int count = gemp_pivot_order(match, o.order);
		assert_all(count == 5 && (i < 2 || o.order[0] == 4));
		o.order_count = count;
		gemp_match_free(match);
	}
	assert_all(plans[0] == plans[1] && plans[0] != plans[2]);
	gemp_pattern_free(pattern);
}

static void distinct_by_hash_overlaps(void **state)
{
	gemp_pattern *pattern = parse_question(&house, graph.distributed);
	gemp_match_options o = plain_options;
	gemp_match *match = NULL;
	(void)state;
	o.symmetry_by_hash = o.in_parts = true;
	assert_all_ok(gemp_match_prepare(&match, context, graph.distributed, pattern, &o));
	assert_all(gemp_pivot_parts_overlap(match));
	gemp_match_free(match);
	gemp_pattern_free(pattern);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counts, setup, teardown),
		cmocka_unit_test_setup_teardown(rows_across_ranks, setup, teardown),
		cmocka_unit_test_setup_teardown(plans_have_different_hashes, setup, teardown),
		cmocka_unit_test_setup_teardown(distinct_by_hash_overlaps, setup, teardown),
	};
	return test_main_all(argc, argv, tests);
}
