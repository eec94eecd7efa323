/* Tests estimates of the number of matches. A sample of all partial matches must give the exact number, for every test
 * that a step can have. Intervals from smaller samples must contain the exact number nearly as often as they claim. The
 * same seed gives the same estimate. */
#include "match_case.h"

#include "core/status.h"
#include "match/estimate.h"
#include "match/match.h"
#include "match/planner/match_options.h"
#include "pattern/model/pattern.h"

enum { EVERYTHING = 1 << 20, FEW = 24, SEEDS = 42 };

static gemp_code try_to_prepare(gemp_match **match, const case_graph *g, const gemp_pattern *pattern,
                                gemp_semantics semantics)
{
	gemp_match_options o = plain_options;
	o.listed = false;
	o.sampled = true;
	o.semantics = semantics;
	o.attributes = GEMP_CONDITIONS_BEFORE;
	o.distinct = semantics == GEMP_ISO || semantics == GEMP_INDUCED ? GEMP_BY_ORBIT : GEMP_BY_NOTHING;
	return gemp_match_prepare(match, context, g->distributed, pattern, &o);
}

static gemp_match *prepare(const case_graph *g, const gemp_pattern *pattern, gemp_semantics semantics)
{
	gemp_match *match = NULL;
	assert_all_ok(try_to_prepare(&match, g, pattern, semantics));
	return match;
}

static gemp_estimate sample(gemp_match *match, uint64_t seed, size_t size)
{
	const gemp_estimate_options options = {
		.relative = 0.05, .seconds = size == EVERYTHING ? 60 : 0.002, .seed = seed, .sample = size
	};
	gemp_estimate e;
	assert_all_ok(gemp_match_sample(match, &options, &e));
	assert_all(e.low <= e.matches && e.matches <= e.high);
	return e;
}

static void full_samples_are_exact(void **state)
{
	(void)state;
	static const question questions[] = {
		{ .shape = "triangle" },
		{ .shape = "cycle:4" },
		{ .shape = "edges:0-1,1-2,2-0,2-3" },
		{ .text = "MATCH (a:Person)-[:KNOWS]->(b)-[:ACTS_IN]->(c) WHERE a.number > 10 RETURN a, c" },
		{ .text = "MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c), (a)-[:KNOWS]-(c) WHERE id(a) < id(b) RETURN a" },
		{ .text = "MATCH (a)-[]->(b)-[]->(a), (b)-[:KNOWS]-(b) RETURN a" },
		{ .text = "MATCH (a)-[:KNOWS]->(b), (a)-[:KNOWS]->(c) WHERE NOT EXISTS { (b)-[:KNOWS]-(c) } RETURN a" },
		{ .text = "MATCH (a)-[:KNOWS|ACTS_IN]-(b), (a)-[]->(b) RETURN a" },
	};
	uint64_t random = test_seed_all();
	case_graph g;
	size_t asked = 0, some = 0;
	graph_new(&g, 24, 90, false, gemp_random(&random));
	for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
		for (int s = 0; s < 4; s++) {
			gemp_pattern *pattern = parse_question(&questions[i], g.distributed);
			reference r;
			if (!pattern)
				continue;
			reference_new(&r, g.whole, pattern, (gemp_semantics)s);
			gemp_match *match = prepare(&g, pattern, (gemp_semantics)s);
			gemp_estimate e = sample(match, 1, EVERYTHING);
			bool by_orbit = s == GEMP_ISO || s == GEMP_INDUCED;
			double expected = (double)reference_matches(&r, by_orbit ? GEMP_BY_ORBIT : GEMP_BY_NOTHING);
			if (e.matches != expected)
				print_message("%s, semantics %d: %g, not %g\n",
				              questions[i].text ? questions[i].text : questions[i].shape, s, e.matches, expected);
			assert_all(e.matches == expected && e.confidence == 1 && e.low == e.high);
			asked++;
			some += expected > 0;
			gemp_match_free(match);
			reference_free(&r);
			gemp_pattern_free(pattern);
		}
	print_message("%zu questions, %zu with matches\n", asked, some);
	assert_true(asked > 12 && some > 6);
	graph_free(&g);
}

static void coverage_of_intervals(void **state)
{
	(void)state;
	static const question questions[] = { { .shape = "cycle:4" },
		                                  { .shape = "edges:0-1,1-2,2-0,2-3" },
		                                  { .text = "MATCH (a:Person)-[:KNOWS]-(b)-[:KNOWS]-(c) RETURN a, b, c" } };
	uint64_t random = test_seed_all();
	case_graph g;
	graph_new(&g, 26, 120, true, gemp_random(&random));
	const int seeds = test_comm.size > 2 ? SEEDS / 3 : SEEDS;
	int all_held = 0, all_seeds = 0;
	for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
		gemp_pattern *pattern = parse_question(&questions[i], g.distributed);
		reference r;
		int held = 0;
		assert_non_null(pattern);
		reference_new(&r, g.whole, pattern, GEMP_ISO);
		double expected = (double)reference_matches(&r, GEMP_BY_ORBIT);
		gemp_match *match = prepare(&g, pattern, GEMP_ISO);
		for (int k = 0; k < seeds; k++) {
			uint64_t seed = gemp_random(&random);
			gemp_estimate e = sample(match, seed, FEW);
			held += e.low <= expected && expected <= e.high;
			if (k == 0)
				assert_all(e.matches == sample(match, seed, FEW).matches);
		}
		print_message("%s: %g, within the interval of %d of %d seeds\n",
		              questions[i].text ? questions[i].text : questions[i].shape, expected, held, seeds);
		all_held += held;
		all_seeds += seeds;
		gemp_match_free(match);
		reference_free(&r);
		gemp_pattern_free(pattern);
	}
	/* if each of 42 or more intervals holds with 95 %, the chance that fewer than 75 % of them hold is at most 10^-5 */
	assert_all(4 * all_held >= 3 * all_seeds);
	graph_free(&g);
}

/* THE BUDGET of time. Vertex 0 is joined to all other vertices, so reading whole rows would take a hundred times the
 * budget. */
enum { VERTICES = 1500, EDGES = 3000 };
static const double seconds = 0.005, reads_per_second = 4e7;

static double stars(const fixture *made)
{
	double found = 0;
	bool *joined = calloc((size_t)VERTICES * VERTICES, 1);
	for (size_t e = 0; e < EDGES; e++) {
		const fixture_edge *edge = &made->edges[e];
		joined[edge->source * VERTICES + edge->target] = joined[edge->target * VERTICES + edge->source] = true;
	}
	for (size_t v = 0; v < VERTICES; v++) {
		double degree = 0;
		for (size_t w = 0; w < VERTICES; w++)
			degree += v != w && joined[v * VERTICES + w];
		found += degree * (degree - 1) * (degree - 2) / 6;
	}
	free(joined);
	return found;
}

static void budget_of_time(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	fixture made = fixture_new(VERTICES, EDGES, KEYS_INTEGER, random);
	gemp_builder_options how = { .seed = random, .undirected = true };
	case_graph g = { 0 };
	const int seeds = test_comm.size > 2 ? SEEDS / 3 : SEEDS;
	int held = 0;
	uint64_t most = 0;
	for (size_t v = 1; v < VERTICES; v++) {
		made.edges[v].source = 0;
		made.edges[v].target = v;
	}
	assert_all_ok(fixture_build(&g.distributed, &made, &test_comm, &how, random));
	gemp_pattern *pattern = parse_question(&(question){ .shape = "star:3" }, g.distributed);
	gemp_match *match = prepare(&g, pattern, GEMP_ISO);
	double expected = stars(&made);
	for (int k = 0; k < seeds; k++) {
		const gemp_estimate_options options = { .relative = 0.001, .seconds = seconds, .seed = gemp_random(&random) };
		gemp_estimate e;
		assert_all_ok(gemp_match_sample(match, &options, &e));
		held += e.low <= expected && expected <= e.high;
		most = e.reads > most ? e.reads : most;
	}
	print_message("%g stars, within the interval of %d of %d seeds; %llu reads at most\n", expected, held, seeds,
	              (unsigned long long)most);
	/* On 2026-11-23 14 of 168 intervals missed the number. At this rate, more than 7 misses of 14 or more than 14 of 42
	 * have a chance of at most 10^-5. */
	assert_all(seeds < SEEDS ? 2 * held >= seeds : 3 * held >= 2 * seeds);
	assert_all((double)most < 2.5 * seconds * reads_per_second);
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	graph_free(&g);
	fixture_free(&made);
}

static void unsuitable_queries_are_rejected(void **state)
{
	(void)state;
	case_graph g;
	graph_new(&g, 20, 60, true, 3);
	gemp_pattern *pattern = parse_question(
		&(question){ .text = "MATCH (a)-[:KNOWS]-(b) WHERE a.number < b.number RETURN a" }, g.distributed);
	gemp_match *match = NULL;
	assert_code(try_to_prepare(&match, &g, pattern, GEMP_ISO), GEMP_EUSAGE);
	assert_message("remove the other conditions");
	assert_null(match);
	gemp_pattern_free(pattern);
	graph_free(&g);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(full_samples_are_exact, open_context, close_context),
		cmocka_unit_test_setup_teardown(coverage_of_intervals, open_context, close_context),
		cmocka_unit_test_setup_teardown(budget_of_time, open_context, close_context),
		cmocka_unit_test_setup_teardown(unsuitable_queries_are_rejected, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
