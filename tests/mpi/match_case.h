/* Shared by tests of the match engine: runs one pattern on one small graph and compares the result with the
 * reference. */
#ifndef GEMP_TESTS_MATCH_CASE_H
#define GEMP_TESTS_MATCH_CASE_H

#include "core/log.h"
#include "match/early_search.h"
#include "match/match.h"
#include "match/match_run.h"
#include "match/match_state.h"
#include "match/planner/match_options.h"
#include "match_reference.h"
#include "partition/views/resident.h"

#include "comm/comm.h"
#include "core/status.h"
#include "graph/batch.h"
#include "graph/graph.h"
#include "harness/limits.h"
#include "harness/runtime.h"
#include "partition/runtime.h"
#include "pattern/bind/bind.h"
#include "pattern/model/pattern.h"
#include "pattern/semantic/parse.h"
#include "pattern/shapes/named_pattern.h"

/* A graph that is distributed over the ranks, and the same graph whole on each rank. */
typedef struct case_graph {
	gemp_shard *distributed, *whole;
} case_graph;

/* A pattern, either as the text of a query or as the name of a shape. */
typedef struct question {
	const char *text, *shape; /* exactly one of text and shape is set */
} question;

static gemp_comm alone;
static gemp_runtime *context;

static inline int open_context(void **state)
{
	(void)state;
	gemp_budgets none = { 0 };
	gemp_log_set_level(GEMP_QUIET);
	gemp_comm_new(&alone, MPI_COMM_SELF);
	TEST_LIMIT(match_chunk_cost, 1); /* small chunks, so that every rank takes some of a small graph */
	TEST_LIMIT(sample_check, 1);     /* the host counts the matches of all pivots, too */
	TEST_LIMIT(early_pivots, 0);     /* whether a kernel was compiled before must not matter */
	return runtime_with_devices(&context, &test_comm, NULL, &none) == GEMP_OK ? 0 : -1;
}

static inline int close_context(void **state)
{
	(void)state;
	gemp_runtime_free(context);
	gemp_comm_free(&alone);
	return gemp_memory_blocks() == 0 ? 0 : -1;
}

static inline void graph_new(case_graph *g, size_t vertices, size_t edges, bool undirected, uint64_t seed)
{
	fixture made = fixture_new(vertices, edges, KEYS_INTEGER, seed);
	gemp_builder_options options = { .seed = seed, .undirected = undirected };
	assert_all_ok(fixture_build(&g->distributed, &made, &test_comm, &options, seed));
	assert_all_ok(fixture_build(&g->whole, &made, &alone, &options, seed));
	fixture_free(&made);
}

static inline void graph_free(case_graph *g)
{
	gemp_shard_free(g->distributed);
	gemp_shard_free(g->whole);
}

static inline gemp_pattern *parse_question(const question *q, const gemp_shard *graph)
{
	gemp_pattern *pattern = NULL;
	assert_all_ok(q->text ? gemp_pattern_parse(&pattern, q->text, NULL) : gemp_pattern_named(&pattern, q->shape));
	if (gemp_pattern_bind(pattern, graph) == GEMP_OK)
		return pattern;
	gemp_pattern_free(pattern); /* a small graph may lack a label or relation of the text */
	return NULL;
}

/* Tests of devices must not be answered by the interpreter of plans, which tests of its own compare with the
 * reference. */
static const gemp_match_options plain_options = {
	.listed = true, .place = GEMP_PLACE_DEVICE, .replicate = GEMP_REPLICATE_AUTO, .limit = UINT64_MAX
};

static inline void describe(const question *q, const gemp_match_options *o)
{
	const gemp_budgets *b = &context->budgets;
	print_message("%s: semantics %d, distinct %d, %s, attributes %d, %s, replicate %lld, result buffer %llu, "
	              "outbox %llu, crossing %d, row cache %zu%s\n",
	              q->text ? q->text : q->shape, (int)o->semantics, (int)o->distinct,
	              o->symmetry_by_hash ? "hash" : "break", (int)o->attributes, o->listed ? "listed" : "counted",
	              (long long)o->replicate, (unsigned long long)b->result_buffer, (unsigned long long)b->outbox,
	              (int)o->exchange, b->row_cache, o->pivot_off ? ", pivot off" : "");
}

/* RESULTS. */
static inline bool numbers_are_right(const reference *r, const gemp_match_options *o, const gemp_match_result *result)
{
	uint64_t matches = reference_matches(r, o->distinct);
	if (result->matches != matches)
		print_message("%llu matches, not %llu\n", (unsigned long long)result->matches, (unsigned long long)matches);
	if (result->embeddings_known && result->embeddings != r->count)
		print_message("%llu embeddings, not %llu\n", (unsigned long long)result->embeddings,
		              (unsigned long long)r->count);
	return result->matches == matches && result->complete && result->embeddings_known &&
	       result->embeddings == r->count && result->local_share >= 0 && result->local_share <= 1;
}

/* Is each row an embedding, and are all rows different? Rows have edges only if the plan has slots for edges. */
static inline bool rows_are_right(const reference *r, const gemp_match_options *o, const collecting *c,
                                  uint64_t matches)
{
	size_t points = (size_t)(c->vertex_count + c->edge_count);
	bool right = c->count == matches &&
	             (c->count == 0 || (c->vertex_count == (int)r->pattern->vertex_count &&
	                                (c->edge_count == 0 || c->edge_count == (int)r->pattern->edge_count)));
	reference_points = points;
	for (size_t i = 0; right && i < c->count; i++)
		right = bsearch(&c->rows[i], r->list, r->count, sizeof *r->list, reference_compare) &&
		        (i == 0 || reference_compare(&c->rows[i - 1], &c->rows[i]));
	if (!right || o->distinct == GEMP_BY_NOTHING || c->count == 0 || c->edge_count != (int)r->pattern->edge_count)
		return right;
	reference kept = *r; /* the rows must belong to as many classes as there are rows */
	kept.list = c->rows;
	kept.count = c->count;
	return o->distinct == GEMP_BY_ORBIT || reference_matches(&kept, o->distinct) == c->count;
}

/* Before the device begins, threads of the host search from no pivot, from some, or from all of them, and leave pivots
 * with several rows to the device. */
static inline void force_early_search(void)
{
	static const int pivots[] = { 0, 3, 1 << 30, 40 };
	static const size_t rows[] = { 1 << 18, 2, 1 << 18, 7, 1 };
	static unsigned turn;
	TEST_LIMIT(early_pivots, pivots[turn % 4]);
	TEST_LIMIT(early_rows, rows[turn % 5]);
	TEST_LIMIT(early_tables, turn % 3 ? 1 << 30 : 1);
	turn++;
}

static inline bool check_answer(const case_graph *g, const question *q, const gemp_match_options *o)
{
	gemp_pattern *pattern = parse_question(q, g->distributed);
	if (!pattern)
		return false;
	gemp_match *match = NULL;
	gemp_match_result result;
	collecting rows = { .wanted = SIZE_MAX };
	gemp_sink sink = collecting_sink(&rows);
	reference r;
	describe(q, o);
	force_early_search();
	reference_new(&r, g->whole, pattern, o->semantics);
	assert_all_ok(gemp_match_prepare(&match, context, g->distributed, pattern, o));
	assert_all_ok(gemp_match_run(match, o->listed ? &sink : NULL, &result));
	assert_all(numbers_are_right(&r, o, &result));
	const bool on_host = match->rows && match->rows->view_count && match->rows->views[0].neighbours;
	if (match->search && on_host && gemp_early_search_suits(match) && gemp_limits_now()->early_pivots == 1 << 30 &&
	    gemp_limits_now()->early_rows == 1 << 18)
		assert_all(result.early_pivots == result.pivots && result.on_host && !result.launches);
	if (o->listed) {
		assert_all(rows.rounds > 0 && rows.last_rounds >= 1);
		collecting_gather(&rows);
		assert_all(rows_are_right(&r, o, &rows, result.matches));
	}
	if (o->replicate == GEMP_REPLICATE_ALL || test_comm.size == 1)
		assert_all(result.local_share == 1 && result.traffic.rounds == context->traffic.rounds);
	if (!o->listed) {
		gemp_match_result again; /* the second run has all pivots again, after the sample check */
		const uint64_t checked = gemp_limits_now()->sample_check > 0 ? result.checked_matches : 0;
		assert_all_ok(gemp_match_run(match, NULL, &again));
		assert_all(again.matches == result.matches && again.pivots == result.pivots &&
		           again.checked_matches == checked);
	}
	TEST_LIMIT(early_pivots, 0);
	TEST_LIMIT_DEFAULT(early_rows);
	gemp_match_free(match);
	reference_free(&r);
	gemp_pattern_free(pattern);
	free(rows.rows);
	return true;
}

#endif
