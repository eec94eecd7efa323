/* Tests the sums of count plans by brute force: every symbol of every kind of sum, tables, cliques, totals beyond 64
 * bits, and failing requests for memory. */
#include "count_case.h"

/* One rank tests all graphs. Several ranks test only some graphs, since only the division of tasks depends on the
 * number of ranks. */
static void sums_are_right(void **state)
{
	(void)state;
	check_all(hubs(90));
	check_all(random_graph(45, 0.6));
	if (test_comm.size > 1)
		return;
	check_all(hub_and_parallel_edges(90));
	check_all(test_graph_new(1));
	check_all(test_graph_new(40));
	check_all(random_graph(2, 1));
	check_all(random_graph(12, 1));
	check_all(random_graph(60, 0.15));
	check_all(random_graph(MAX_VERTICES, 0.05));
	check_all(random_graph(30, 0.9));
}

/* TOTALS BEYOND 64 BITS, on a hub of degree 90. */
static gemp_code count(test_graph *m, gemp_count_plan *plan, gemp_count_result *result)
{
	bool relations[1] = { true };
	gemp_view_key key = { .relations = relations, .direction = GEMP_VIEW_EITHER, .simple = true };
	gemp_count_engine *engine = NULL;
	gemp_code code = gemp_count_prepare(&engine, context, m->graph, &key, plan);
	if (code == GEMP_OK)
		code = gemp_count_run(engine, result);
	gemp_count_free(engine);
	return code;
}

#define NINTH "V0_0 * V0_0 * V0_0 * V0_0 * V0_0 * V0_0 * V0_0 * V0_0 * V0_0"

static gemp_code count_on_host(test_graph *m, gemp_count_plan *plan, gemp_count_result *result)
{
	bool relations[1] = { true };
	gemp_view_key key = { .relations = relations, .direction = GEMP_VIEW_EITHER, .simple = true };
	gemp_count_engine *engine = NULL;
	gemp_resident *rows = NULL;
	gemp_code code = gemp_count_get_rows(&rows, context, m->graph, &key);
	if (code == GEMP_OK)
		code = gemp_count_prepare_host(&engine, context, rows, plan);
	if (code == GEMP_OK)
		code = gemp_count_run(engine, result);
	if (!engine)
		gemp_resident_release(rows);
	gemp_count_free(engine);
	return code;
}

/* The value at the hub exceeds 64 bits, and then 128 bits. A table has 64 bits. */
static void values_beyond_64_bits_on_host(void **state)
{
	test_graph *m = test_graph_new(91);
	gemp_count_result result;
	gemp_count_plan plan = { .sum_count = 1,
		                     .table_count = 1,
		                     .divisor = 10,
		                     .sums = { { GEMP_SUM_VERTICES, .factor = 1, .expression = NINTH " * V0_0" } } };
	(void)state;
	for (size_t a = 1; a < m->vertices; a++)
		join(m, 0, a);
	build(m);
	assert_all_ok(count_on_host(m, &plan, &result));
	assert_all(!result.overflow && result.matches == UINT64_C(3486784401000000009)); /* (90^10 + 90) / 10 */
	plan.divisor = 1;
	assert_all_ok(count_on_host(m, &plan, &result));
	assert_all(result.overflow && result.matches == 0);
	plan.sums[0].expression = NINTH " * " NINTH " * V0_0 * V0_0";
	assert_all_code(count_on_host(m, &plan, &result), GEMP_EDATA);
	plan.table_count = 2;
	plan.tables[1].expression = NINTH " * V0_0";
	plan.sums[0].expression = "V1_0";
	assert_all_code(count_on_host(m, &plan, &result), GEMP_EDATA);
	test_graph_free(m);
}

static void totals_beyond_64_bits(void **state)
{
	test_graph *m = test_graph_new(91);
	gemp_count_result result;
	gemp_count_plan plan = { .sum_count = 1,
		                     .table_count = 1,
		                     .divisor = 100000,
		                     .sums = { { GEMP_SUM_VERTICES, .factor = 100000, .expression = NINTH } } };
	(void)state;
	if (test_comm.size > 1) {
		test_graph_free(m);
		return;
	}
	for (size_t a = 1; a < m->vertices; a++)
		join(m, 0, a);
	build(m);
	/* the total (90^9 + 90) * 100000 exceeds 2^64, but the quotient is exact */
	assert_all_ok(count(m, &plan, &result));
	assert_all(!result.overflow && result.matches == UINT64_C(387420489000000000) + 90);
	plan.divisor = 1;
	assert_all_ok(count(m, &plan, &result));
	assert_all(result.overflow && result.matches == 0);
	plan.sums[0] = (gemp_sum){ GEMP_SUM_EDGES, .factor = 1, .expression = NINTH " * V0_0 - " NINTH " * V0_0" };
	assert_all_code(count(m, &plan, &result), GEMP_EDATA);
	assert_message("count-by enumerate");
	plan.sums[0] = (gemp_sum){ GEMP_SUM_EDGES, .factor = 1, .expression = "V0_0 * V0_1" };
	assert_all_ok(count(m, &plan, &result));
	assert_all(result.matches == 90 * 90);
	plan.divisor = 7;
	assert_all_code(count(m, &plan, &result), GEMP_EINTERNAL);
	assert_message("multiple of 7");
	test_graph_free(m);
}

static gemp_code count_small(void *argument)
{
	test_graph *m = argument;
	gemp_count_result result;
	gemp_count_plan plan = { .sum_count = 2,
		                     .table_count = 2,
		                     .support = true,
		                     .divisor = 1,
		                     .tables = { { NULL }, { "V0_1" } },
		                     .sums = { { GEMP_SUM_EDGES, .factor = 1, .expression = "t_01 + V1_0" },
		                               { GEMP_SUM_CLIQUES, .clique = 4, .factor = 1 } } };
	return count(m, &plan, &result);
}

static void memory_may_run_out(void **state)
{
	test_graph *m = random_graph(10, 0.5);
	(void)state;
	if (test_comm.size == 2) {
		build(m);
		assert_all_ok(count_small(m));
		assert_all_survive_no_memory(count_small, m);
	}
	test_graph_free(m);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		/* all tests share one context, since opening it takes longer than the tests */
		cmocka_unit_test_setup(sums_are_right, open_context),
		cmocka_unit_test(values_beyond_64_bits_on_host),
		cmocka_unit_test(totals_beyond_64_bits),
		cmocka_unit_test_teardown(memory_may_run_out, close_context),
	};
	return test_main_all(argc, argv, tests);
}
