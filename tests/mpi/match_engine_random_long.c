/* Tests the match engine on small random multigraphs with random options and sizes of buffers, against the reference.
 * Every run compiles new kernels, so this takes long. */
#include "match_case.h"

static const question questions[] = {
	{ .shape = "triangle" },
	{ .shape = "cycle:4" },
	{ .shape = "path:4" },
	{ .shape = "clique:4" },
	{ .shape = "star:3" },
	{ .shape = "diamond" },
	{ .shape = "edges:0-1,1-2,2-3,3-0,3-4" },
	{ .text = "MATCH (a)-[:KNOWS]->(b) RETURN a, b" },
	{ .text = "MATCH (a)-[e:KNOWS]-(b)-[f:KNOWS]-(c) RETURN a, e, b, f, c" },
	{ .text = "MATCH (a)-[:KNOWS|ACTS_IN]->(b)-[]->(c) RETURN a, b" },
	{ .text = "MATCH (a)-[]-(b), (a)-[]-(b) RETURN a" },
	{ .text = "MATCH (a)-[:KNOWS]->(a), (a)-[]-(b) RETURN a, b" },
	{ .text = "MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a) RETURN count(*)" },
	{ .text = "MATCH (a)-[:KNOWS]->(b)-[:KNOWS]->(c)-[:KNOWS]->(a) RETURN a, b, c" },
	{ .text = "MATCH (a:Person)-[]-(b), (b)-[]->(c:Film|Actor) WHERE a <> c RETURN a, b, c" },
	{ .text = "MATCH (a)-[]->(b)<-[]-(c) WHERE a.number > 0 AND c.number < b.number RETURN a, b, c" },
	{ .text = "MATCH (a)-[:ACTS_IN]->(b)<-[:ACTS_IN]-(c)-[:KNOWS]-(d) RETURN a, b, c, d" },
	{ .text = "MATCH (a:Film) RETURN a" },
	{ .text = "MATCH (a)-[]-(b)-[]-(c)-[]-(d), (a)-[:KNOWS]-(c) RETURN d" },
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static uint64_t one_of(uint64_t *random, const uint64_t *choices, size_t count)
{
	return choices[gemp_random_below(random, count)];
}

static gemp_match_options random_options(uint64_t *random)
{
	gemp_match_options o = plain_options;
	static const uint64_t results[] = { 0, 1, 2, 7 }, outboxes[] = { 0, 1, 2 }, caches[] = { 0, 300, 1200, 4000 };
	o.semantics = (gemp_semantics)gemp_random_below(random, 4);
	o.distinct = (gemp_distinct)gemp_random_below(random, 4);
	o.symmetry_by_hash = gemp_random_below(random, 2);
	o.attributes = (gemp_condition_phase)gemp_random_below(random, 3);
	o.listed = gemp_random_below(random, 3);
	o.pivot_off = gemp_random_below(random, 5) == 0;
	switch (gemp_random_below(random, 4)) {
	case 0: o.replicate = 0; break;
	case 1: o.replicate = GEMP_REPLICATE_ALL; break;
	case 2: o.replicate = (int64_t)gemp_random_below(random, 800); break;
	default: break;
	}
	context->budgets.result_buffer = one_of(random, results, 4);
	context->budgets.outbox = one_of(random, outboxes, 3);
	o.exchange = (gemp_exchange_mode)gemp_random_below(random, 3);
	context->budgets.row_cache = o.exchange == GEMP_EXCHANGE_PUSH ? 0 : one_of(random, caches, 4);
	return o;
}

static void random_questions(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	case_graph graphs[3];
	graph_new(&graphs[0], 16, 30, false, gemp_random(&random));
	graph_new(&graphs[1], 11, 22, true, gemp_random(&random));
	graph_new(&graphs[2], 3, 7, false, gemp_random(&random)); /* has fewer vertices than some tests have ranks */
	for (int asked = 0; asked < 100;) {
		const question *q = &questions[gemp_random_below(&random, QUESTIONS)];
		gemp_match_options o = random_options(&random);
		asked += check_answer(&graphs[asked % 3], q, &o);
	}
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
