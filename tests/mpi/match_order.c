/* Tests the search for a matching order. The number of matches must not depend on the order, and the chosen order may
 * cost at most 1.3 times the work of the best of six orders. */
#include "match_case.h"

#include "comm/comm.h"
#include "core/status.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "match/match.h"
#include "match/match_run.h"
#include "match/match_state.h"
#include "match/planner/match_options.h"
#include "partition/views/resident.h"
#include "pattern/model/pattern.h"

enum { VERTICES = 400, HUBS = 12, EDGES = 4000 };

/* A few hubs have half of the edges, and few vertices have label B. */
static gemp_shard *build(const gemp_comm *comm)
{
	gemp_builder *builder = NULL;
	gemp_shard *graph = NULL;
	gemp_builder_options options = { .seed = 5, .undirected = true };
	uint64_t random = 17;
	gemp_code code = GEMP_OK;
	assert_all_ok(gemp_builder_new(&builder, comm, &options));
	for (int64_t v = 0; v < VERTICES && comm->rank == 0; v++) {
		gemp_value key = { .type = GEMP_INTEGER, .integer = v };
		code |= gemp_builder_vertex(builder, &key, v % 40 ? "A" : "B", 1, (gemp_place){ 0 });
	}
	for (int i = 0; i < EDGES; i++) {
		int64_t a = (int64_t)gemp_random_below(&random, i % 2 ? HUBS : VERTICES);
		int64_t b = (int64_t)gemp_random_below(&random, VERTICES);
		gemp_value from = { .type = GEMP_INTEGER, .integer = a }, to = { .type = GEMP_INTEGER, .integer = b };
		if (comm->rank == 0 && a != b)
			code |= gemp_builder_edge(builder, &from, &to, "L", 1, (gemp_place){ 0 });
	}
	assert_all_ok(code);
	assert_all_ok(gemp_builder_finish(builder, &graph));
	gemp_builder_free(builder);
	return graph;
}

static gemp_match_result run(gemp_shard *graph, const gemp_pattern *pattern, const int *order, int count)
{
	gemp_match *match = NULL;
	gemp_match_result result;
	gemp_match_options o = plain_options;
	o.listed = false;
	o.profile = true;
	o.replicate = GEMP_REPLICATE_ALL;
	o.order_count = count;
	for (int i = 0; i < count; i++)
		o.order[i] = order[i];
	assert_all_ok(gemp_match_prepare(&match, context, graph, pattern, &o));
	assert_all_ok(gemp_match_run(match, NULL, &result));
	gemp_match_free(match);
	return result;
}

static double work(const gemp_match_result *r)
{
	return (double)r->entries_read + 2 * (double)r->lookups + 40 * (double)r->rows_passed;
}

static void chosen_order_is_nearly_best(void **state)
{
	(void)state;
	/* A triangle with a tail whose end has few candidates. Starting at this end is best, and starting within the
	 * triangle is worst. */
	static const int orders[][4] = { { 0, 1, 2, 3 }, { 1, 0, 2, 3 }, { 2, 0, 1, 3 },
		                             { 2, 3, 0, 1 }, { 3, 2, 0, 1 }, { 0, 2, 3, 1 } };
	gemp_shard *graph = build(&test_comm);
	gemp_pattern *pattern = parse_question(
		&(question){ .text = "MATCH (a)-[:L]-(b)-[:L]-(c)-[:L]-(a), (c)-[:L]-(d:B) RETURN a, b, c, d" }, graph);
	double best = 0, worst = 0;
	gemp_match_result chosen = run(graph, pattern, NULL, 0);
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		gemp_match_result other = run(graph, pattern, orders[i], 4);
		assert_int_equal(other.matches, chosen.matches);
		assert_memory_equal(other.order, orders[i], sizeof orders[i]);
		best = i == 0 || work(&other) < best ? work(&other) : best;
		worst = work(&other) > worst ? work(&other) : worst;
	}
	print_message("work %g; of all orders %g to %g\n", work(&chosen), best, worst);
	assert_all(work(&chosen) <= 1.3 * best && worst > 1.3 * best);
	gemp_pattern_free(pattern);
	gemp_shard_free(graph);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(chosen_order_is_nearly_best, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
