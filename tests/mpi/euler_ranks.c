/* Tests Euler circuits across ranks on random multigraphs with loops, parallel edges, vertices without edges and ranks
 * without vertices. Tiny settings force every recursion. */
#include "euler_ranks_case.h"
#include "harness/limits.h"

static void random_multigraphs(void **state)
{
	(void)state;
	euler_case_try(euler_case_on_ranks, test_seed_all(), test_comm.size == 1 ? 200 : 120 / test_comm.size);
	assert_all(gemp_memory_blocks() == 0);
}

/* Default settings on larger graphs, with both values of euler_separate. */
static void larger_graphs(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int i = test_comm.size > 4; i < 3; i++) {
		euler_case c = { 0 };
		TEST_LIMIT(euler_separate, i < 2);
		gemp_euler_options options = { .sources = true };
		euler_case_walks(&c, &seed, 3000, 300, 200, i == 1);
		euler_case_share(&c, &seed, UINT64_MAX);
		assert_all(euler_case_outcome(&c, euler_case_on_ranks, &options) == NULL);
		euler_case_free(&c);
	}
	TEST_LIMIT_DEFAULT(euler_separate);
	assert_all(gemp_memory_blocks() == 0);
}

static void unbalanced_graphs(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	euler_case c = { 0 };
	gemp_euler_result result;
	euler_case_walks(&c, &seed, 50, 20, 10, false);
	euler_case_edge(&c, 3, 7);
	euler_case_edge(&c, 3, 9);
	euler_case_share(&c, &seed, UINT64_MAX);
	assert_all_ok(gemp_euler_on_ranks(&result, &test_comm, &c.own, &(gemp_euler_options){ 0 }));
	assert_all(result.unbalanced == 3 && result.order.count == 0);
	gemp_euler_result_free(&result);
	euler_case_free(&c);
	assert_all(gemp_memory_blocks() == 0);
}

static gemp_code solve_once(void *argument)
{
	gemp_euler_result result;
	gemp_euler_options options = { .spacing = 4, .gather = 4, .keep_circuits = true, .sources = true };
	gemp_code code = gemp_euler_on_ranks(&result, &test_comm, argument, &options);
	gemp_euler_result_free(&result);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	euler_case c = { 0 };
	euler_case_walks(&c, &seed, 10, 6, 6, false);
	euler_case_share(&c, &seed, UINT64_MAX);
	if (test_comm.size < 3) /* each request for memory fails once on each rank, which takes too long on more ranks */
		assert_all_survive_no_memory(solve_once, &c.own);
	euler_case_free(&c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_multigraphs),
		cmocka_unit_test(larger_graphs),
		cmocka_unit_test(unbalanced_graphs),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
