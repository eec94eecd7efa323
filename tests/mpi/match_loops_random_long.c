/* Tests nests of loops on random connected patterns against the reference. Every pattern compiles a new kernel. */
#include "loops_case.h"

#include <stdio.h>

enum { MAX_VERTICES = 6, ASKED = 60 };

/* Makes a text "edges:0-1,1-2,...": a random tree and some more edges. */
static void random_shape(char shape[160], uint64_t *random)
{
	int vertices = 3 + (int)gemp_random_below(random, MAX_VERTICES - 2), n = snprintf(shape, 160, "edges:");
	bool joined[MAX_VERTICES][MAX_VERTICES] = { { false } };
	for (int v = 1; v < vertices; v++)
		joined[gemp_random_below(random, (uint64_t)v)][v] = true;
	for (size_t more = gemp_random_below(random, 5); more > 0; more--) {
		size_t v = 1 + gemp_random_below(random, (uint64_t)vertices - 1);
		joined[gemp_random_below(random, v)][v] = true;
	}
	for (int v = 0; v < vertices; v++)
		for (int u = 0; u < v; u++)
			if (joined[u][v])
				n += snprintf(shape + n, 160 - (size_t)n, "%d-%d,", u, v);
	shape[n - 1] = '\0';
}

/* Makes a query of the same shape with random directions, types and labels. */
static void random_text(char text[1024], const char *shape, uint64_t *random)
{
	static const char *const arrows[] = {
		"-[]-", "-[]->", "<-[]-", "-[:KNOWS]->", "-[:KNOWS|ACTS_IN]-", "<-[:ACTS_IN]-"
	};
	static const char *const labels[] = { "", "", "", ":Person", ":Film|Actor" };
	int n = snprintf(text, 1024, "MATCH "), u, v, used;
	const char *at = strchr(shape, ':') + 1;
	for (; sscanf(at, "%d-%d%n", &u, &v, &used) == 2; at += used + (at[used] == ','))
		n += snprintf(text + n, 1024 - (size_t)n, "(v%d)%s(v%d%s), ", u, arrows[gemp_random_below(random, 6)], v,
		              labels[gemp_random_below(random, 5)]);
	snprintf(text + n - 2, 1024 - (size_t)n, " RETURN v0");
}

static void random_patterns(void **state)
{
	(void)state;
	static const uint64_t buffers[] = { 0, 1, 5, 100 }, capacities[] = { UINT64_MAX, 0, 10, 40 };
	uint64_t random = test_seed_all();
	case_graph graphs[3];
	graph_new(&graphs[0], 10, 40, true, gemp_random(&random));
	graph_new(&graphs[1], 9, 40, false, gemp_random(&random));
	graph_new(&graphs[2], 14, 30, true, gemp_random(&random));
	size_t marks = 0;
	for (int asked = 0; asked < ASKED;) {
		char shape[160], text[1024];
		random_shape(shape, &random);
		random_text(text, shape, &random);
		question q = gemp_random_below(&random, 2) ? (question){ .shape = shape } : (question){ .text = text };
		gemp_semantics semantics = (gemp_semantics)gemp_random_below(&random, 4);
		gemp_match_options o = loops_options(semantics, gemp_random_below(&random, 2));
		const case_graph *g = &graphs[gemp_random_below(&random, 3)];
		context->budgets.result_buffer = buffers[gemp_random_below(&random, 4)];
		TEST_LIMIT(two_path_lists, capacities[gemp_random_below(&random, 4)]);
		o.pivot_off = gemp_random_below(&random, 5) == 0;
		if (!check_answer(g, &q, &o))
			continue;
		asked++;
		marks += marks_of(g, &q, &o);
	}
	print_message("%zu marks\n", marks);
	assert_true(marks >= ASKED / 2);
	for (int i = 0; i < 3; i++)
		graph_free(&graphs[i]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(random_patterns, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
