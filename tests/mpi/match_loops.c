/* Tests the nest of loops on a CPU device that has every row, against the reference: with adjacency marks, and with
 * result buffers so small that workers stop in every loop. */
#include "harness/limits.h"
#include "loops_case.h"

static case_graph simple;

static void check_pattern(const question *q, gemp_semantics semantics, bool listed, uint64_t buffer, size_t least_marks)
{
	gemp_match_options o = loops_options(semantics, listed);
	context->budgets.result_buffer = buffer;
	assert_true(check_answer(&simple, q, &o));
	assert_true(context->device->gpu || marks_of(&simple, q, &o) >= least_marks);
}

static void counts(void **state)
{
	(void)state;
	check_pattern(&(question){ .shape = "cycle:6" }, GEMP_ISO, false, 0, 2);
	check_pattern(&(question){ .shape = "clique:4" }, GEMP_ISO, false, 0, 1);
	check_pattern(&(question){ .shape = "edges:0-1,0-2,0-3,1-2,1-3,2-4,3-4" }, GEMP_INDUCED, false, 0, 2);
}

/* The same kernel runs with buffers of one match, and of fewer and more matches than a worker collects. */
static void stopped_and_resumed(void **state)
{
	(void)state;
	static const uint64_t buffers[] = { 1, 50, 1000 };
	for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++)
		check_pattern(&(question){ .shape = "cycle:5" }, GEMP_ISO, true, buffers[b], 2);
}

static void directions_and_labels(void **state)
{
	(void)state;
	question q = { .text = "MATCH (a:Person)-[:KNOWS]->(b)-[]->(c)-[]->(d:Person)-[:KNOWS]->(a) RETURN a, b, c, d" };
	check_pattern(&q, GEMP_HOM, true, 7, 1);
}

static int open_graph(void **state)
{
	int failed = open_context(state);
	if (!failed)
		graph_new(&simple, 13, 60, true, 20261122);
	return failed;
}

static int close_graph(void **state)
{
	graph_free(&simple);
	return close_context(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counts, open_graph, close_graph),
		cmocka_unit_test_setup_teardown(stopped_and_resumed, open_graph, close_graph),
		cmocka_unit_test_setup_teardown(directions_and_labels, open_graph, close_graph),
	};
	TEST_LIMIT(prefetch_min, 0); /* the kernels of a small graph fetch rows, too */
	TEST_LIMIT(shared_min, 0);   /* blocks of any size are put into shared memory */
	return test_main_all(argc, argv, tests);
}
