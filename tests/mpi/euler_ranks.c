/* Euler circuits across ranks: random multigraphs with loops, parallel edges, vertices without edges and ranks without
 * vertices; every recursion is forced by tiny settings. */
#include "euler_case.h"

#include "euler/ranks_team.h"

#include <stdio.h>

static const char *outcome(euler_case *c, const gemp_euler_options *options)
{
	gemp_euler_result result;
	const char *wrong = NULL;
	assert_all_ok(gemp_euler_on_ranks(&result, &test_comm, &c->own, options));
	uint64_t components = euler_case_components(c);
	if (result.unbalanced)
		wrong = "balance";
	else if (result.components != components)
		wrong = "components";
	else if (components <= 1)
		wrong = euler_case_wrong(c, &result, options->sources);
	else if (result.order.count)
		wrong = "order without a circuit";
	gemp_euler_result_free(&result);
	return wrong;
}

static void shape(euler_case *c, uint64_t *seed, bool path)
{
	uint64_t kind = gemp_random_below(seed, 6), vertices = 1 + gemp_random_below(seed, 1 + gemp_random_below(seed, 200));
	size_t walks = gemp_random_below(seed, 1 + gemp_random_below(seed, 60));
	euler_case_walks(c, seed, vertices, walks, 1 + gemp_random_below(seed, kind < 3 ? 4 : 60), kind % 2 == 0);
	if (kind == 5) /* more components */
		for (int i = 0; i < 3; i++) {
			uint64_t v = gemp_random_below(seed, vertices);
			euler_case_edge(c, v, v);
		}
	euler_case_share(c, seed, path && c->edges ? gemp_random_below(seed, c->edges) : UINT64_MAX);
}

static void settings(uint64_t *seed, gemp_euler_options *options)
{
	gemp_euler_ranks_settings_now = (gemp_euler_ranks_settings){
		.in_flight = gemp_random_below(seed, 3) ? 0 : 1 + gemp_random_below(seed, 20),
		.apart = gemp_random_below(seed, 2), .wide = gemp_random_below(seed, 3) == 0 };
	*options = (gemp_euler_options){ .sources = gemp_random_below(seed, 2), .keep = gemp_random_below(seed, 4) == 0,
		.seed = gemp_random(seed), .spacing = 1 + (uint32_t)gemp_random_below(seed, 12),
		.gather = gemp_random_below(seed, 3) ? 1 + gemp_random_below(seed, 8) : 0 };
}

static void random_multigraphs(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int i = 0; i < 100; i++) {
		uint64_t begun = seed;
		euler_case c = { 0 };
		gemp_euler_options options;
		shape(&c, &seed, i % 3 == 0);
		settings(&seed, &options);
		const char *wrong = outcome(&c, &options);
		if (wrong)
			print_error("graph %d of seed state %" PRIu64 ": %" PRIu64 " vertices, %" PRIu64 " edges: %s\n", i, begun,
			            c.vertices, c.edges, wrong);
		assert_all(!wrong);
		euler_case_free(&c);
	}
	gemp_euler_ranks_settings_now = (gemp_euler_ranks_settings){ 0 };
	assert_all(gemp_memory_blocks() == 0);
}

/* The same graph, settings as they are by default. */
static void larger(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int i = 0; i < 2; i++) {
		euler_case c = { 0 };
		gemp_euler_options options = { .sources = true };
		euler_case_walks(&c, &seed, 3000, 300, 200, i == 1);
		euler_case_share(&c, &seed, UINT64_MAX);
		assert_all(outcome(&c, &options) == NULL);
		euler_case_free(&c);
	}
	assert_all(gemp_memory_blocks() == 0);
}

static void unbalanced(void **state)
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

static gemp_code without_memory(void *argument)
{
	gemp_euler_result result;
	gemp_code code = gemp_euler_on_ranks(&result, &test_comm, argument,
	                                     &(gemp_euler_options){ .spacing = 4, .gather = 4, .keep = true, .sources = true });
	gemp_euler_result_free(&result);
	return code;
}

static void memory(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	euler_case c = { 0 };
	euler_case_walks(&c, &seed, 10, 6, 6, false);
	euler_case_share(&c, &seed, UINT64_MAX);
	if (test_comm.size < 3) /* each request of each rank */
		assert_all_survive_no_memory(without_memory, &c.own);
	euler_case_free(&c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_multigraphs),
		cmocka_unit_test(larger),
		cmocka_unit_test(unbalanced),
		cmocka_unit_test(memory),
	};
	return test_main_all(argc, argv, tests);
}
