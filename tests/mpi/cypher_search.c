/* Tests the search of patterns of openCypher against a reference that tries all assignments, on small random
 * multigraphs with random patterns: bound nodes and relationships, repeated nodes, loops, several paths, relationships
 * of variable length, named paths, conditions, OPTIONAL MATCH. The rows of a graph with other ids on one rank must be
 * equal, in their order, too. */
#include "cypher_case.h"

enum { CASES = 40, VERTICES = 9, EDGES = 16 };

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

/* All ranks must report the lack of memory on one of them, and none may wait for it. */
typedef struct short_case {
	case_graphs graphs;
	pattern_case c;
} short_case;

static gemp_code run_short(void *argument)
{
	short_case *s = argument;
	case_rows rows = { 0 };
	gemp_code code = run_case(all_ranks, s->graphs.distributed, &s->graphs, &s->c, &rows);
	rows_free(&rows);
	return code;
}

static void no_memory(void **state)
{
	static const char *const texts[] = {
		"MATCH (n0:Person), (n1:Film)-[r0]->() MATCH (n0)-[r1]-(n2)-[r2*1..2]->(n3) WHERE n2.name < n3.name RETURN 1 AS a",
		"MATCH (n0:Person), (n1:Film)-[r0]->() MATCH p = shortestPath((n0)-[*]-(n2:Film)) RETURN p AS a",
		"MATCH (n0:Person), (n1:Film)-[r0]->() MATCH (n2)-[r0]->(n3) WHERE 1.5 > n2.number OR n3.flag RETURN 1 AS a",
	};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		short_case s = { .c = { .given_count = 0, .whole = true } };
		graphs_new(&s.graphs, 12, 20, 3);
		gemp_text_print(&s.c.text, "%s", texts[i]);
		assert_all_ok(run_short(&s));
		assert_all_survive_no_memory(run_short, &s);
		gemp_text_free(&s.c.text);
		graphs_free(&s.graphs);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(random_patterns, open_context, close_context),
		                                cmocka_unit_test_setup_teardown(no_memory, open_context, close_context) };
	return test_main_all(argc, argv, tests);
}
