/* Tests counting by nested loops against the reference, on random patterns of 3 to 6 vertices, plain or with labels and
 * directions, with each semantics in which edges need no slots. */
#include "harness/limits.h"
#include "nested_case.h"

#include <stdio.h>

enum { CASES = 60, VERTICES = 34 };

/* Makes a random tree and some further edges. */
static size_t random_edges(uint64_t *random, int vertices, int (*edges)[2])
{
	size_t count = 0;
	bool joined[8][8] = { { false } };
	for (int v = 1; v < vertices; v++) {
		int u = (int)(gemp_random(random) % (uint64_t)v);
		joined[u][v] = true;
		edges[count][0] = u, edges[count++][1] = v;
	}
	for (int u = 0; u < vertices; u++)
		for (int v = u + 1; v < vertices; v++)
			if (!joined[u][v] && gemp_random_unit(random) < 0.4)
				edges[count][0] = u, edges[count++][1] = v;
	return count;
}

static void shape_text(char *out, size_t room, int (*edges)[2], size_t count)
{
	size_t at = (size_t)snprintf(out, room, "edges:");
	for (size_t e = 0; e < count; e++)
		at += (size_t)snprintf(out + at, room - at, "%s%d-%d", e ? "," : "", edges[e][0], edges[e][1]);
}

static void query_text(char *out, size_t room, uint64_t *random, int vertices, int (*edges)[2], size_t count)
{
	static const char *const arrows[][2] = { { "-", "->" }, { "<-", "-" }, { "-", "-" } };
	size_t at = (size_t)snprintf(out, room, "MATCH ");
	for (size_t e = 0; e < count; e++) {
		const char *const *arrow = arrows[gemp_random(random) % 3];
		at += (size_t)snprintf(out + at, room - at, "%s(v%d)%s[:L]%s(v%d)", e ? ", " : "", edges[e][0], arrow[0],
		                       arrow[1], edges[e][1]);
	}
	for (int v = 0; v < vertices; v++)
		if (gemp_random_unit(random) < 0.4)
			at += (size_t)snprintf(out + at, room - at, ", (v%d:%s)", v, gemp_random(random) % 3 ? "A" : "B");
	snprintf(out + at, room - at, " RETURN count(*)");
}

static void random_patterns(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	size_t nested = 0;
	for (int i = 0; i < CASES; i++) {
		bool directed = gemp_random(&random) % 2, plain = !directed && gemp_random(&random) % 2;
		uint64_t seed = gemp_random(&random);
		case_graph g = { nested_graph(&test_comm, VERTICES, 0.08, !directed, seed),
			             nested_graph(&alone, VERTICES, 0.08, !directed, seed) };
		int vertices = 3 + (int)(gemp_random(&random) % (plain ? 4 : 3)), edges[16][2];
		char text[1024];
		size_t count = random_edges(&random, vertices, edges);
		gemp_match_options o = nested_options;
		if (plain)
			shape_text(text, sizeof text, edges, count);
		else
			query_text(text, sizeof text, &random, vertices, edges, count);
		question q = { .text = plain ? NULL : text, .shape = plain ? text : NULL };
		static const gemp_semantics semantics[] = { GEMP_ISO, GEMP_INDUCED, GEMP_HOM };
		o.semantics = semantics[gemp_random(&random) % 3];
		o.distinct = o.semantics == GEMP_HOM ? GEMP_BY_NOTHING : GEMP_BY_ORBIT;
		o.symmetry_by_hash = false;
		o.count_by_formula = gemp_random(&random) % 2;
		if (test_comm.size == 1)
			o.replicate = 0; /* avoids tables of two-paths */
		TEST_LIMIT(nested_local,
		           gemp_random(&random) % 2 ? 32 : gemp_limits_default.nested_local); /* bitmaps are folded or not */
		assert_true(check_answer(&g, &q, &o));
		nested += is_nested(&g, &q, &o);
		graph_free(&g);
	}
	TEST_LIMIT_DEFAULT(nested_local);
	print_message("%zu of %d by nested loops\n", nested, CASES);
	assert_true(nested > CASES / 3);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(random_patterns, open_nested, close_nested),
	};
	return test_main_all(argc, argv, tests);
}
