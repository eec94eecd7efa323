/* Tests searches from given vertices on small random multigraphs with random options and sizes of buffers. Every run
 * compiles new kernels, so this takes long. */
#include "seeded_case.h"

static const question questions[] = {
	{ .shape = "triangle" },
	{ .shape = "cycle:4" },
	{ .shape = "path:4" },
	{ .shape = "clique:4" },
	{ .shape = "diamond" },
	{ .text = "MATCH (a)-[:KNOWS]->(b) RETURN a, b" },
	{ .text = "MATCH (a)-[e:KNOWS]-(b)-[f:KNOWS]-(c) RETURN a, e, b, f, c" },
	{ .text = "MATCH (a)-[:KNOWS|ACTS_IN]->(b)-[]->(c) WHERE id(a) < id(c) RETURN a, b" },
	{ .text = "MATCH (a)-[]-(b), (a)-[]-(b) RETURN a" },
	{ .text = "MATCH (a)-[:KNOWS]->(a), (a)-[]-(b)-[]-(b) RETURN a, b" },
	{ .text = "MATCH (a)-[:KNOWS]->(b)-[:KNOWS]->(c)-[:KNOWS]->(a), (c)-[]->(d) RETURN a, b, c" },
	{ .text = "MATCH (a:Person)-[]-(b), (b)-[]->(c:Film|Actor) WHERE a <> c RETURN a, b, c" },
	{ .text = "MATCH (a)-[]->(b)<-[]-(c) WHERE a.number > 0 AND c.number < b.number RETURN a, b, c" },
	{ .text = "MATCH (a)-[:ACTS_IN]->(b)<-[:ACTS_IN]-(c)-[:KNOWS]-(d) WHERE id(d) >= id(b) RETURN a, b, c, d" },
	{ .text = "MATCH (a)-[]-(b)-[]-(c)-[]-(d), (a)-[:KNOWS]-(c) RETURN d" },
};
enum { QUESTIONS = sizeof questions / sizeof *questions, MAX_GIVEN = 3 };

static gemp_match_options random_options(uint64_t *random)
{
	gemp_match_options o = plain_options;
	static const uint64_t results[] = { 0, 1, 2, 7 }, outboxes[] = { 0, 1, 2 };
	o.semantics = (gemp_semantics)gemp_random_below(random, 4);
	o.distinct = GEMP_BY_NOTHING;
	o.edges = gemp_random_below(random, 3) == 0;
	o.profile = gemp_random_below(random, 4) == 0;
	o.attributes = (gemp_condition_phase)gemp_random_below(random, 3);
	switch (gemp_random_below(random, 4)) {
	case 0: o.replicate = 0; break;
	case 1: o.replicate = GEMP_REPLICATE_ALL; break;
	case 2: o.replicate = (int64_t)gemp_random_below(random, 800); break;
	default: break;
	}
	context->budgets.result_buffer = results[gemp_random_below(random, 4)];
	context->budgets.outbox = outboxes[gemp_random_below(random, 3)];
	return o;
}

static bool check_one(const case_graph *graph, uint64_t *random)
{
	const question *q = &questions[gemp_random_below(random, QUESTIONS)];
	gemp_match_options o = random_options(random);
	gemp_pattern *pattern = parse_question(q, graph->distributed);
	if (!pattern)
		return false;
	size_t most = pattern->vertex_count < MAX_GIVEN ? pattern->vertex_count : MAX_GIVEN;
	pattern->arguments = 1 + gemp_random_below(random, most);
	for (size_t v = pattern->arguments; v < pattern->vertex_count; v++)
		pattern->vertices[v].repeatable = o.semantics != GEMP_INDUCED && gemp_random_below(random, 3) == 0;
	describe(q, &o);
	print_message("  %zu given%s%s\n", pattern->arguments, o.edges ? ", edges" : "", o.profile ? ", profile" : "");
	check_seeded(graph, pattern, &o, random);
	gemp_pattern_free(pattern);
	return true;
}

static void random_questions(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	case_graph graphs[3];
	graph_new(&graphs[0], 14, 30, false, gemp_random(&random));
	graph_new(&graphs[1], 11, 22, true, gemp_random(&random));
	graph_new(&graphs[2], 3, 7, false, gemp_random(&random)); /* has fewer vertices than some tests have ranks */
	for (int asked = 0; asked < 40;)
		asked += check_one(&graphs[asked % 3], &random);
	for (int i = 0; i < 3; i++)
		graph_free(&graphs[i]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(random_questions, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
