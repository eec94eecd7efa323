/* Tests searches in which one pattern vertex is restricted to a set of vertices. The result must be the matches of the
 * reference whose vertex is in the set. */
#include "match_case.h"

#include "core/random.h"

enum { CASES = 6 };

static const struct {
	question question;
	int vertex; /* the restricted vertex, which no automorphism moves */
} pattern_searches[] = {
	{ { .text = "MATCH (a:Person)-[:KNOWS]->(b)-[:ACTS_IN]->(c) RETURN a, b, c" }, 2 },
	{ { .text = "MATCH (a)-[:KNOWS]->(b)<-[:KNOWS]-(c) RETURN b" }, 1 },
	{ { .text = "MATCH (a)-[e]->(a) RETURN a, e" }, 0 },
	{ { .text = "MATCH (a:Person) RETURN a" }, 0 },
	{ { .shape = "star:3" }, 0 },
};

static uint32_t *random_bits(const gemp_shard *graph, uint64_t *seed)
{
	uint32_t *bits = calloc(graph->vertex_count / 32 + 1, sizeof *bits);
	uint64_t share = gemp_random_below(seed, 5);
	assert_non_null(bits);
	for (uint64_t id = 0; id < graph->vertex_count; id++)
		if (gemp_random_below(seed, 4) < share)
			bits[id / 32] |= UINT32_C(1) << id % 32;
	return bits;
}

static void keep_listed(reference *r, int vertex, const uint32_t *bits)
{
	size_t kept = 0;
	for (size_t i = 0; i < r->count; i++)
		if (bits[r->list[i].at[vertex] / 32] >> r->list[i].at[vertex] % 32 & 1)
			r->list[kept++] = r->list[i];
	r->count = kept;
}

static void check(const case_graph *g, size_t index, gemp_match_options *o, uint64_t *seed)
{
	gemp_pattern *pattern = parse_question(&pattern_searches[index].question, g->distributed);
	gemp_match *match = NULL;
	gemp_match_result result;
	collecting rows = { .wanted = SIZE_MAX };
	gemp_sink sink = collecting_sink(&rows);
	reference r;
	if (!pattern)
		return;
	uint32_t *bits = random_bits(g->distributed, seed);
	describe(&pattern_searches[index].question, o);
	o->among_count = 1;
	o->among[0] = (gemp_among){ .vertex = pattern_searches[index].vertex, .bits = bits };
	reference_new(&r, g->whole, pattern, o->semantics);
	keep_listed(&r, pattern_searches[index].vertex, bits);
	assert_all_ok(gemp_match_prepare(&match, context, g->distributed, pattern, o));
	/* the engine must not need the bitmap any longer */
	memset(bits, 0, (g->distributed->vertex_count / 32 + 1) * sizeof *bits);
	assert_all_ok(gemp_match_run(match, &sink, &result));
	collecting_gather(&rows);
	assert_all(numbers_are_right(&r, o, &result) && rows_are_right(&r, o, &rows, result.matches));
	gemp_match_free(match);
	reference_free(&r);
	gemp_pattern_free(pattern);
	free(rows.rows);
	free(bits);
}

static void restricted_searches(void **state)
{
	(void)state;
	static const gemp_semantics semantics[] = { GEMP_ISO, GEMP_HOM, GEMP_EDGE_ISO, GEMP_INDUCED };
	uint64_t seed = 20261122;
	for (size_t i = 0; i < CASES; i++) {
		case_graph g;
		gemp_match_options o = plain_options;
		print_message("case %zu, seed %llu\n", i, (unsigned long long)seed);
		graph_new(&g, 1 + gemp_random_below(&seed, 24), gemp_random_below(&seed, 60), i % 5 == 4, seed);
		o.semantics = semantics[i % 4];
		o.distinct = i % 3 ? GEMP_BY_ORBIT : GEMP_BY_NOTHING;
		for (size_t k = 0; k < sizeof pattern_searches / sizeof *pattern_searches; k++)
			check(&g, k, &o, &seed);
		graph_free(&g);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(restricted_searches, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
