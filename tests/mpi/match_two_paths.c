/* Tests counting by tables of two-paths against the reference, on graphs with loops and with every semantics that
 * allows it. */
#include "match_case.h"

enum { VERTICES = 12 };

/* Two vertices are joined at most once, so edges need no slots. About a third of the vertices have a loop. */
static gemp_shard *build(const gemp_comm *comm, uint64_t seed, double share)
{
	gemp_builder *builder = NULL;
	gemp_shard *graph = NULL;
	gemp_builder_options options = { .seed = seed, .undirected = true };
	assert_all_ok(gemp_builder_new(&builder, comm, &options));
	gemp_code code = GEMP_OK;
	for (int64_t a = 0; a < VERTICES && comm->rank == 0; a++) {
		gemp_value from = { .type = GEMP_INTEGER, .integer = a };
		code |= gemp_builder_vertex(builder, &from, a % 4 ? "A" : "B", 1, (gemp_place){ 0 });
	}
	for (int64_t a = 0; a < VERTICES; a++)
		for (int64_t b = a; b < VERTICES; b++) {
			gemp_value from = { .type = GEMP_INTEGER, .integer = a }, to = { .type = GEMP_INTEGER, .integer = b };
			double chance = gemp_random_unit(&seed);
			if (comm->rank == 0 && chance < (a == b ? 0.3 : share))
				code |= gemp_builder_edge(builder, &from, &to, "L", 1, (gemp_place){ 0 });
		}
	assert_all_ok(code);
	assert_all_ok(gemp_builder_finish(builder, &graph));
	gemp_builder_free(builder);
	return graph;
}

static bool counts_by_tables(const case_graph *g, const question *q, const gemp_match_options *o)
{
	gemp_pattern *pattern = parse_question(q, g->distributed);
	gemp_match *match = NULL;
	assert_all_ok(gemp_match_prepare(&match, context, g->distributed, pattern, o));
	char *plan = gemp_match_explain(match);
	bool tables = strstr(plan, "counted by a table of two-paths") != NULL;
	gemp_free(plan);
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	return tables;
}

static void random_counts(void **state)
{
	(void)state;
	static const question questions[] = {
		{ .shape = "cycle:4" },
		{ .shape = "cycle:5" },
		{ .shape = "house" },
		{ .shape = "diamond" },
		{ .shape = "edges:0-1,1-2,2-3,3-0,0-4,2-4" },
		{ .text = "MATCH (a)-[:L]-(b)-[:L]-(c)-[:L]-(d)-[:L]-(a) RETURN count(*)" },
		{ .text = "MATCH (a:A)-[:L]-(b)-[:L]-(c)-[:L]-(d:B)-[:L]-(a) RETURN count(*)" },
		{ .text = "MATCH (a)-[:L]-(b)-[:L]-(c)-[:L]-(d)-[:L]-(a), (b)-[:L]-(b) RETURN count(*)" },
	};
	uint64_t random = test_seed_all();
	size_t tables = 0;
	for (int turn = 0; turn < 2; turn++) {
		uint64_t seed = gemp_random(&random);
		double share = turn ? 0.75 : 0.5;
		case_graph g = { build(&test_comm, seed, share), build(&alone, seed, share) };
		for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
			for (int s = 0; s < 3; s++) {
				static const gemp_semantics semantics[] = { GEMP_ISO, GEMP_HOM, GEMP_EDGE_ISO };
				gemp_match_options o = plain_options;
				o.semantics = semantics[s];
				o.listed = false;
				o.replicate = GEMP_REPLICATE_ALL;
				o.count_by_formula = true;
				o.distinct = s ? GEMP_BY_NOTHING : GEMP_BY_ORBIT;
				if (s == 2 && i) /* here edges have slots, so tables are never used, and one question is enough */
					continue;
				assert_true(check_answer(&g, &questions[i], &o));
				tables += counts_by_tables(&g, &questions[i], &o);
			}
		graph_free(&g);
	}
	print_message("%zu counted by tables\n", tables);
	assert_true(tables >= 12);
}

/* Matches are enumerated if not all rows are resident, if the replica budget is 0, if rows are listed, or if matching
 * is induced. */
static void other_queries_enumerate(void **state)
{
	(void)state;
	case_graph g = { build(&test_comm, 3, 0.75), build(&alone, 3, 0.75) };
	question q = { .shape = "cycle:4" };
	gemp_match_options counted = plain_options, o;
	counted.listed = false;
	counted.replicate = GEMP_REPLICATE_ALL;
	counted.count_by_formula = true;
	assert_true(counts_by_tables(&g, &q, &counted));
	o = counted, o.listed = true;
	assert_false(counts_by_tables(&g, &q, &o));
	o = counted, o.semantics = GEMP_INDUCED;
	assert_false(counts_by_tables(&g, &q, &o));
	o = counted, o.replicate = 0;
	assert_false(counts_by_tables(&g, &q, &o));
	o = counted, o.replicate = 100; /* tables need all rows; with this budget only a single rank has them */
	assert_int_equal(counts_by_tables(&g, &q, &o), test_comm.size == 1);
	assert_true(check_answer(&g, &q, &o));
	graph_free(&g);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(random_counts, open_context, close_context),
		cmocka_unit_test_setup_teardown(other_queries_enumerate, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
