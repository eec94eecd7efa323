/* Tests the exchange of partial matches between ranks, driven round by round: senders respect their credits, no partial
 * match is lost, and damaged rows are reported. */
#include "match_case.h"

#include "comm/comm.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/batch.h"
#include "match/exchange/match_exchange.h"
#include "match/exchange/rounds.h"
#include "match/exchange/working_set.h"
#include "match/filter/statistics.h"
#include "match/search/search.h"
#include "match/search/search_build.h"
#include "match/search/search_launch.h"
#include "match/search/search_state.h"
#include "partition/views/resident.h"
#include "partition/views/view.h"
#include "pattern/model/pattern.h"
#include "pattern/plan/plan.h"
#include "pattern/plan/planner.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"

enum { VERTICES = 16, EDGES = 60, GRAPH_SEED = 23 };

/* The parts of a match engine, which the test assembles itself. */
typedef struct parts {
	case_graph graph;
	gemp_pattern *pattern;
	gemp_symmetry *symmetry;
	gemp_candidates candidates;
	gemp_statistics statistics;
	gemp_plan *plan;
	gemp_resident *rows;
	gemp_search *search;
} parts;

static void parts_new(parts *p, const char *shape, int64_t replicate)
{
	gemp_plan_options options = { .semantics = GEMP_ISO, .break_symmetry = true };
	memset(p, 0, sizeof *p);
	graph_new(&p->graph, VERTICES, EDGES, false, GRAPH_SEED);
	p->pattern = parse_question(&(question){ .shape = shape }, p->graph.distributed);
	assert_all_ok(gemp_automorphism_find(&p->symmetry, p->pattern, true));
	assert_all_ok(gemp_candidates_new(&p->candidates, context, NULL, p->graph.distributed, p->pattern, NULL, 0));
	assert_all_ok(gemp_statistics_new(&p->statistics, context, p->graph.distributed, p->pattern, &p->candidates));
	assert_all_ok(gemp_plan_new(&p->plan, p->pattern, p->symmetry, &p->statistics, &options));
	assert_all_ok(gemp_resident_rows(&p->rows, context, p->graph.distributed, p->plan, replicate));
}

static void parts_search(parts *p, bool listed, uint64_t outbox)
{
	gemp_search_options options = { .listed = listed, .outbox = outbox, .result_buffer = 3 };
	assert_all_ok(gemp_search_new(&p->search, context, p->graph.distributed, p->plan, &p->rows->order,
	                              &p->rows->residency, p->rows->views, &p->candidates, &options));
	assert_all_ok(gemp_search_build(p->search));
}

static void parts_free(parts *p)
{
	gemp_search_free(p->search);
	gemp_resident_release(p->rows);
	gemp_plan_free(p->plan);
	gemp_candidates_free(&p->candidates);
	gemp_symmetry_free(p->symmetry);
	gemp_pattern_free(p->pattern);
	graph_free(&p->graph);
}

static uint64_t orbits(const parts *p)
{
	reference r;
	reference_new(&r, p->graph.whole, p->pattern, GEMP_ISO);
	uint64_t count = reference_orbits(&r);
	reference_free(&r);
	return count;
}

static size_t area_of(const gemp_search *s, size_t stage, uint32_t destination)
{
	return stage * (s->ranks + 1) + destination;
}

/* An area is the part of the outbox for one stage and one destination. No area may hold more partial matches than its
 * credit, and no credit may exceed the receiver's number of slots. */
static bool credits_are_kept(const gemp_search *s)
{
	bool kept = true;
	for (size_t k = 0; k < s->layout.stage_count; k++)
		for (uint32_t d = 0; d < s->ranks; d++) {
			size_t area = area_of(s, k, d);
			bool other = k > 0 && d != (uint32_t)test_comm.rank;
			kept &= s->capacity[area] <= (other ? s->slots : 0);
			kept &= gemp_search_items(s, k, (int)d) <= s->capacity[area];
		}
	return kept;
}

/* Each rank runs a random number of launches in a round. */
static gemp_code some_launches(gemp_search *s, gemp_match_exchange *c, uint64_t *random)
{
	gemp_code code = GEMP_OK;
	bool ran = true;
	for (uint64_t left = gemp_random_below(random, 6); ran && left > 0; left--) {
		GEMP_TRY_DONE(gemp_match_exchange_feed(c));
		GEMP_TRY_DONE(gemp_search_launch(s, &ran));
	}
done:
	return code;
}

static void run_rounds(const char *shape, uint32_t slots, uint64_t random)
{
	parts p;
	gemp_match_exchange *c = NULL;
	uint64_t sent = 0, left = 1;
	parts_new(&p, shape, 0);
	parts_search(&p, false, slots);
	gemp_search *s = p.search;
	assert_all_ok(gemp_match_exchange_new(&c, s));
	assert_all(s->slots == slots && credits_are_kept(s));
	random += (uint64_t)test_comm.rank;
	for (uint64_t round = 0; left; round++) {
		uint64_t moved;
		assert_all(round < 100000);
		assert_all_ok(some_launches(s, c, &random));
		assert_all(credits_are_kept(s));
		assert_all_ok(gemp_match_exchange_round(c, &moved));
		assert_all(credits_are_kept(s));
		assert_all(gemp_match_exchange_waiting(c) <= s->layout.stage_count * (uint64_t)(test_comm.size - 1) * slots);
		for (size_t k = 0; k < s->layout.stage_count; k++)
			assert_true(!s->work[k].blocked);
		sent += moved;
		left = gemp_comm_sum1(&test_comm, !gemp_search_idle(s) || gemp_match_exchange_waiting(c));
	}
	assert_all(gemp_comm_sum1(&test_comm, s->statistics.found_local + s->statistics.found_crossed) == orbits(&p));
	assert_all(gemp_comm_sum1(&test_comm, sent) > 0);
	for (size_t area = 0; area < s->areas; area++) /* all slots must be free again */
		assert_true(s->capacity[area] == 0 || s->capacity[area] == slots);
	gemp_match_exchange_free(c);
	parts_free(&p);
}

static void no_partial_match_is_lost(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	/* a single rank exchanges nothing, and many ranks are slow on few cores */
	if (test_comm.size == 1 || test_comm.size > 4)
		return;
	run_rounds("clique:4", 1, random);
	run_rounds("clique:4", 3, random);
	run_rounds("cycle:4", 2, random);
	run_rounds("path:4", 1, random);
}

static void replicas_grow_with_budget(void **state)
{
	(void)state;
	parts p;
	static const int64_t budgets[] = { 0, 90, 300, 900, 1 << 20, GEMP_REPLICATE_ALL, GEMP_REPLICATE_AUTO };
	gemp_vertex before = 0;
	for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
		parts_new(&p, "triangle", budgets[i]);
		gemp_vertex hot = p.rows->residency.hot;
		uint64_t same[2] = { hot, UINT64_MAX - hot };
		gemp_comm_max(&test_comm, same, 2);
		assert_all(same[0] == hot && same[1] == UINT64_MAX - hot); /* all ranks have the same value */
		assert_all(hot >= before && p.rows->replica_bytes <= p.rows->bytes);
		if (i == 0)
			assert_all(hot == (test_comm.size == 1 ? VERTICES : 0));
		if (i >= 4)
			assert_all(hot == VERTICES && p.rows->replica_bytes == p.rows->bytes);
		before = hot;
		parts_free(&p);
	}
}

/* A neighbour that is not a vertex is an error that names the slot; all ranks get the message. */
static void damaged_rows_are_reported(void **state)
{
	(void)state;
	for (int listed = 0; listed < 2; listed++) {
		parts p;
		gemp_rounds_result result;
		collecting rows = { .wanted = SIZE_MAX };
		gemp_sink sink = collecting_sink(&rows);
		parts_new(&p, "path:4", GEMP_REPLICATE_ALL);
		gemp_view *view = &p.rows->views[0];
		for (uint64_t i = 0; i < view->begin[view->rows]; i++)
			view->neighbours[i] = VERTICES + 7;
		parts_search(&p, listed, 0);
		p.search->sink = listed ? &sink : NULL;
		assert_all_code(gemp_rounds_run(p.search, NULL, &result), GEMP_EINTERNAL);
		assert_message("slot 23 is not a vertex: the graph on the device is damaged");
		assert_message("gemp-mpi verify");
		parts_free(&p);
		free(rows.rows);
	}
}

/* If each rank searches from its own pivots, the rank with the damaged rows detects them. If pivots are distributed by
 * cost, the ranks detect that their rows differ. */
static void damage_on_one_rank(void **state)
{
	(void)state;
	static const int64_t budgets[] = { GEMP_REPLICATE_ALL, 0 };
	for (int i = 0; i < 2; i++) {
		parts p;
		gemp_rounds_result result;
		parts_new(&p, "path:4", budgets[i]);
		gemp_view *view = &p.rows->views[0];
		for (uint64_t k = 0; test_comm.rank == 0 && k < view->begin[view->rows]; k++)
			view->neighbours[k] = UINT32_MAX;
		if (i == 0 && test_comm.size > 1) {
			gemp_search_options options = { .result_buffer = 3 };
			assert_all_code(gemp_search_new(&p.search, context, p.graph.distributed, p.plan, &p.rows->order,
			                                &p.rows->residency, p.rows->views, &p.candidates, &options),
			                GEMP_EINTERNAL);
			assert_message("ranks do not hold the same rows");
		} else {
			parts_search(&p, false, 0);
			assert_all_code(gemp_rounds_run(p.search, NULL, &result), GEMP_EINTERNAL);
			assert_message("slot 4294967295 is not a vertex");
		}
		parts_free(&p);
	}
}

/* If no receiver ever has a free slot, the search ends with an error instead of waiting for ever. */
static void search_without_slots_fails(void **state)
{
	(void)state;
	parts p;
	gemp_rounds_result result;
	if (test_comm.size == 1)
		return;
	parts_new(&p, "path:4", 0);
	parts_search(&p, false, 1);
	p.search->slots = 0;
	assert_all_code(gemp_rounds_run(p.search, NULL, &result), GEMP_EINTERNAL);
	assert_message("matching makes no progress");
	parts_free(&p);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_partial_match_is_lost, open_context, close_context),
		cmocka_unit_test_setup_teardown(search_without_slots_fails, open_context, close_context),
		cmocka_unit_test_setup_teardown(replicas_grow_with_budget, open_context, close_context),
		cmocka_unit_test_setup_teardown(damaged_rows_are_reported, open_context, close_context),
		cmocka_unit_test_setup_teardown(damage_on_one_rank, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
