/* Tests the search of patterns of openCypher against a reference that tries all assignments, on small random multigraphs
 * with random patterns: bound nodes and relationships, repeated nodes, loops, several paths, relationships of variable
 * length, named paths, conditions, OPTIONAL MATCH. The rows of a graph with other ids on one rank must be equal, in their
 * order, too. */
#include "cypher_case.h"

enum { CASES = 25, VERTICES = 9, EDGES = 16 };

static void check_graph(uint64_t seed)
{
	case_graphs graphs;
	uint64_t random = seed;
	graphs_new(&graphs, 3 + gemp_random_below(&random, VERTICES - 2), gemp_random_below(&random, EDGES), seed);
	for (int i = 0; i < 6; i++) {
		pattern_case c;
		pattern_case_new(&c, &graphs.made, &random);
		check_case(&graphs, &c);
	}
	graphs_free(&graphs);
}

static void random_patterns(void **state)
{
	uint64_t seed = test_seed_all();
	(void)state;
	for (uint64_t i = 0; i < CASES; i++) {
		print_message("seed %llu\n", (unsigned long long)(seed + i));
		check_graph(seed + i);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(random_patterns, open_context, close_context) };
	return test_main_all(argc, argv, tests);
}
