/* Tests searches in pull rounds against the reference. Rounds have many sizes, from a few pivots with parts of their
 * rows to all pivots at once. Patterns have labels, directions, several views and edge variables; matches are listed or
 * counted, also from seeds. */
#include "seeded_case.h"

#include "comm/comm.h"
#include "core/status.h"
#include "harness/limits.h"
#include "match/exchange/push_pull.h"
#include "match/match.h"
#include "match/match_run.h"
#include "match/match_state.h"
#include "match/planner/match_options.h"
#include "pattern/bind/bind.h"
#include "pattern/model/pattern.h"
#include "pattern/shapes/named_pattern.h"

enum { VERTICES = 24, EDGES = 90, GRAPH_SEED = 5 };

static case_graph graph;

static int setup(void **state)
{
	int code = open_context(state);
	graph_new(&graph, VERTICES, EDGES, false, GRAPH_SEED);
	return code;
}

static int teardown(void **state)
{
	graph_free(&graph);
	TEST_LIMIT_DEFAULT(fetch_round);
	return close_context(state);
}

static gemp_match_options pull_options(bool listed)
{
	gemp_match_options o = plain_options;
	o.replicate = 0;
	o.exchange = GEMP_EXCHANGE_PULL;
	o.listed = listed;
	return o;
}

/* Sizes of the row cache in bytes. Patterns with edge variables need three times as much for a row. */
static const size_t caches[] = { 700, 200, 1500, 4000, 0 };
enum { CACHES = sizeof caches / sizeof *caches };

/* Is this combination left out? Rounds of many ranks are slow on few cores, so more than two ranks run a quarter of the
 * combinations. */
static bool is_skipped(size_t i, size_t c)
{
	return test_comm.size > 2 && (i + c) % 4 != (size_t)test_comm.size % 4;
}

static void rounds_of_every_size(void **state)
{
	(void)state;
	static const question questions[] = {
		{ .shape = "triangle" },
		{ .shape = "clique:4" },
		{ .shape = "cycle:4" },
		{ .shape = "path:4" },
		{ .shape = "house" },
		{ .text = "MATCH (a)-[:KNOWS]->(b)-[:KNOWS]->(c)-[:KNOWS]->(a) RETURN a, b, c" },
		{ .text = "MATCH (a:Person)-[]-(b), (b)-[]->(c:Film|Actor) WHERE a <> c RETURN a, b, c" },
		{ .text = "MATCH (a)-[]->(b)<-[]-(c) WHERE a.number > 0 AND c.number < b.number RETURN a, b, c" },
	};
	for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
		for (size_t c = 0; c < CACHES; c++) {
			gemp_match_options o = pull_options((i / 2 + c) % 2);
			if (is_skipped(i, c))
				continue;
			context->budgets.row_cache = caches[c];
			context->budgets.result_buffer = c == 1 ? 3 : 0;
			TEST_LIMIT(fetch_round, c == 2 ? 64 : gemp_limits_default.fetch_round);
			TEST_LIMIT(pull_block, 1 + i % 3);
			assert_true(check_answer(&graph, &questions[i], &o));
		}
	TEST_LIMIT_DEFAULT(pull_block);
}

static void rounds_with_edges(void **state)
{
	(void)state;
	static const question questions[] = {
		{ .text = "MATCH (a)-[e:KNOWS]-(b)-[f:KNOWS]-(c) RETURN a, e, b, f, c" },
		{ .text = "MATCH (a)-[e]->(b)-[f:KNOWS]->(c), (a)-[g]->(c) RETURN e, f, g" },
	};
	for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
		for (size_t c = 0; c < CACHES; c++) {
			gemp_match_options o = pull_options(true);
			if (is_skipped(i, c))
				continue;
			context->budgets.row_cache = 3 * caches[c];
			assert_true(check_answer(&graph, &questions[i], &o));
		}
}

/* Sinks that influence the search: removing duplicates by hash in several passes requests all rows again, and distinct
 * by vertices keeps one match of a class. */
static void rounds_and_sinks(void **state)
{
	(void)state;
	static const question questions = { .shape = "cycle:4" };
	for (int i = 0; i < 3; i++) {
		gemp_match_options o = pull_options(i > 0);
		o.symmetry_by_hash = i < 2;
		o.distinct = i == 2 ? GEMP_BY_VERTICES : GEMP_BY_ORBIT;
		o.replicate = i == 1 ? 200 : 0;
		context->budgets.row_cache = 700;
		context->budgets.host_memory = 4000;
		assert_true(check_answer(&graph, &questions, &o));
	}
	context->budgets.host_memory = 0;
}

static void rounds_of_seeds(void **state)
{
	(void)state;
	static const char *const questions[] = {
		"MATCH (a)-[]->(c)<-[]-(b) WHERE a.number > 0 AND c.number < b.number RETURN a",
		"MATCH (a)-[:KNOWS]->(b)-[]-(c)-[]-(a) RETURN a",
	};
	uint64_t random = test_seed_all();
	for (size_t i = 0; i < 2; i++)
		for (size_t c = 0; c < CACHES; c++) {
			if (is_skipped(i, c))
				continue;
			gemp_pattern *pattern = parse_question(&(question){ .text = questions[i] }, graph.distributed);
			gemp_match_options o = pull_options(true);
			o.distinct = GEMP_BY_NOTHING;
			assert_non_null(pattern);
			pattern->arguments = 1 + i;
			context->budgets.row_cache = 2 * caches[c];
			context->budgets.result_buffer = 0;
			check_seeded(&graph, pattern, &o, &random);
			gemp_pattern_free(pattern);
		}
}

/* Runs a pattern once and returns the result with its figures about rounds. */
static gemp_match_result run_pattern(const question *q, const gemp_match_options *o, gemp_code expected)
{
	gemp_pattern *pattern = parse_question(q, graph.distributed);
	gemp_match *match = NULL;
	gemp_match_result result = { 0 };
	assert_all_ok(gemp_match_prepare(&match, context, graph.distributed, pattern, o));
	assert_all_code(gemp_match_run(match, NULL, &result), expected);
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	return result;
}

static gemp_match_result run(const char *shape, const gemp_match_options *o, gemp_code expected)
{
	return run_pattern(&(question){ .shape = shape }, o, expected);
}

/* The exchange is chosen by the expected bytes of both ways. The expected bytes of rows must be at most about twice the
 * bytes that pull moves. Unless the search starts from a single vertex, they must also be at least about half. */
static void choice_by_expected_bytes(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a) RETURN a",
		"MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a) WHERE id(a) % 7 = 1 RETURN a",
		"MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(d)-[:KNOWS]-(a) WHERE id(a) = 1 RETURN a",
	};
	context->budgets.row_cache = 0;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const question q = { .text = texts[i] };
		gemp_match_options o = pull_options(false);
		gemp_match_result pull = run_pattern(&q, &o, GEMP_OK);
		o.exchange = GEMP_EXCHANGE_AUTO;
		gemp_match_result usual = run_pattern(&q, &o, GEMP_OK); /* the bytes are so few that push does not pay */
		assert_true(usual.matches == pull.matches);
		assert_true(usual.exchange == (test_comm.size == 1 ? GEMP_EXCHANGE_AUTO : GEMP_EXCHANGE_PULL));
		TEST_LIMIT(push_pull_min_gain, 0);
		gemp_match_result result = run_pattern(&q, &o, GEMP_OK);
		TEST_LIMIT_DEFAULT(push_pull_min_gain);
		assert_true(result.matches == pull.matches && result.exchange_weighed == (test_comm.size > 1));
		if (test_comm.size == 1)
			continue;
		bool fewer = result.expected_item_bytes < result.expected_row_bytes;
		assert_true(result.exchange == (fewer ? GEMP_EXCHANGE_PUSH : GEMP_EXCHANGE_PULL));
		assert_true(result.expected_row_bytes <= 2 * pull.row_bytes + 100);
		assert_true(i == 2 || 2 * result.expected_row_bytes + 100 >= pull.row_bytes);
	}
}

/* If push takes less time than pull takes to prepare, the rows are not even estimated. Only the time for compilation
 * stands against it, which is the minimum gain. */
static void choice_without_rows(void **state)
{
	(void)state;
	static const question nobody = { .text = "MATCH (a)-[]-(b)-[]-(c) WHERE id(a) = 7777777 RETURN a" };
	static const question everybody = { .text = "MATCH (a)-[]-(b)-[]-(c)-[]-(d) RETURN a" };
	gemp_match_options o = pull_options(false);
	context->budgets.row_cache = 0;
	o.exchange = GEMP_EXCHANGE_AUTO;
	if (test_comm.size == 1)
		return;
	assert_true(run_pattern(&nobody, &o, GEMP_OK).exchange == GEMP_EXCHANGE_PULL);
	TEST_LIMIT(push_pull_min_gain, 1e-12);
	gemp_match_result few = run_pattern(&nobody, &o, GEMP_OK), many = run_pattern(&everybody, &o, GEMP_OK);
	TEST_LIMIT_DEFAULT(push_pull_min_gain);
	assert_true(few.exchange == GEMP_EXCHANGE_PUSH && !few.exchange_weighed && few.matches == 0);
	assert_true(many.exchange_weighed && many.matches > 0);
}

static void costs_of_push_and_pull(void **state)
{
	(void)state;
	const uint64_t mega = 1000000;
	assert_false(gemp_push_pull_favours_push(&(gemp_push_pull_estimate){ false, 1000 * mega, 1, 1 }, 2));
	assert_true(gemp_push_pull_favours_push(&(gemp_push_pull_estimate){ true, 1000 * mega, mega, mega }, 2));
	assert_false(gemp_push_pull_favours_push(&(gemp_push_pull_estimate){ true, mega, 1000 * mega, mega }, 2));
	assert_false(gemp_push_pull_favours_push(&(gemp_push_pull_estimate){ true, 1000 * mega, mega, 1000 * mega }, 2));
	assert_false(gemp_push_pull_favours_push(&(gemp_push_pull_estimate){ true, mega, 1000, 1000 }, 2));
	/* coding rows takes longer than sending them */
	assert_true(gemp_push_pull_favours_push(&(gemp_push_pull_estimate){ true, 24 * mega, mega, mega }, 4));
	assert_false(gemp_push_pull_favours_push(&(gemp_push_pull_estimate){ true, 24 * mega, mega, 20 * mega }, 4));
}

static void choice_by_row_cache(void **state)
{
	(void)state;
	gemp_match_options o = pull_options(false);
	context->budgets.row_cache = 0;
	o.exchange = GEMP_EXCHANGE_AUTO;
	gemp_match_result result = run("cycle:4", &o, GEMP_OK);
	assert_true(result.exchange == (test_comm.size == 1 ? GEMP_EXCHANGE_AUTO : GEMP_EXCHANGE_PULL));
	assert_true(result.pull_rounds == (test_comm.size > 1));
	uint64_t all = result.matches;
	assert_true(test_comm.size == 1 || (result.rows_fetched > 0 && result.rows_fetched < result.rows_read));
	assert_true(result.row_bytes <= result.row_words_bytes);
	context->budgets.row_cache = 450;
	result = run("cycle:4", &o, GEMP_OK);
	assert_true(result.exchange == GEMP_EXCHANGE_PULL && result.pull_rounds > 1 && result.oversized_pivots > 0);
	assert_true(result.matches == all);
	context->budgets.row_cache = 60; /* no whole row fits */
	if (test_comm.size > 1) {
		result = run("cycle:4", &o, GEMP_OK);
		assert_true(result.exchange == GEMP_EXCHANGE_PUSH && result.pull_rounds == 0 && result.matches == all);
	}
	o.exchange = GEMP_EXCHANGE_PULL; /* parts of rows fit */
	result = run("cycle:4", &o, GEMP_OK);
	assert_true(result.exchange == GEMP_EXCHANGE_PULL && result.matches == all);
	context->budgets.row_cache = 8;
	run("cycle:4", &o, GEMP_ENOMEM);
	assert_message("row-cache");
	o.exchange = GEMP_EXCHANGE_PUSH;
	result = run("cycle:4", &o, GEMP_OK);
	assert_true(result.exchange == (test_comm.size == 1 ? GEMP_EXCHANGE_AUTO : GEMP_EXCHANGE_PUSH) &&
	            result.matches == all);
}

/* A graph larger than the memory of the ranks' devices. On a node that has memory for it, the ranks share one copy of
 * its rows, so that no row is sent; without such memory the owners send rows. Rows that are longer than a round are not
 * pulled. */
static void rows_beyond_all_devices(void **state)
{
	(void)state;
	static const char *const shapes[] = { "triangle", "path:4" };
	gemp_device *device = context->device;
	const size_t memory = device->memory;
	gemp_match_options o = pull_options(false);
	context->budgets.row_cache = 0;
	o.exchange = GEMP_EXCHANGE_AUTO;
	o.replicate = GEMP_REPLICATE_AUTO;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const gemp_match_result all = run(shapes[i], &o, GEMP_OK);
		assert_true(all.exchange == GEMP_EXCHANGE_AUTO && all.pull_rounds == 0);
		for (int shared = 0; shared < 2; shared++) {
			TEST_LIMIT(shared_min, 0);
			TEST_LIMIT(shared_max, shared ? SIZE_MAX : 0);
			device->memory = device->buffer_bytes + 35000 + 80000 / (size_t)test_comm.size;
			const gemp_match_result result = run(shapes[i], &o, GEMP_OK);
			assert_true(result.matches == all.matches && result.embeddings == all.embeddings);
			assert_true(result.exchange == GEMP_EXCHANGE_PULL && result.pull_rounds > 0);
			assert_true((result.rows_fetched == 0) == (shared || test_comm.size == 1));
			context->budgets.row_cache = 60; /* no whole row fits */
			/* push needs the rank's own rows and replicas of half the memory on the device */
			device->memory = device->buffer_bytes + 780000 / (size_t)test_comm.size;
			if (test_comm.size > 1 && test_comm.size < 4) {
				const gemp_match_result pushed = run(shapes[i], &o, GEMP_OK);
				assert_true(pushed.exchange == GEMP_EXCHANGE_PUSH && pushed.matches == all.matches);
			}
			context->budgets.row_cache = 0;
			device->memory = memory;
		}
	}
	TEST_LIMIT_DEFAULT(shared_min);
	TEST_LIMIT_DEFAULT(shared_max);
}

/* Tasks that all threads add in blocks make the same rounds as tasks that are added one by one. */
static void blocks_of_tasks(void **state)
{
	(void)state;
	static const char *const shapes[] = { "triangle", "cycle:4", "path:4" };
	gemp_match_options o = pull_options(false);
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (int part = 0; part < 3; part++) {
			context->budgets.row_cache = 4000 << 2 * part;
			TEST_LIMIT(pull_block, SIZE_MAX);
			const gemp_match_result one = run(shapes[i], &o, GEMP_OK);
			TEST_LIMIT(pull_block, part ? 3 : 64);
			const gemp_match_result blocks = run(shapes[i], &o, GEMP_OK);
			assert_true(one.matches == blocks.matches && one.pull_rounds == blocks.pull_rounds);
			assert_true(one.rows_read == blocks.rows_read && one.oversized_pivots == blocks.oversized_pivots);
		}
	TEST_LIMIT_DEFAULT(pull_block);
	context->budgets.row_cache = 0;
}

static int setup_large(void **state)
{
	int code = open_context(state);
	graph_new(&graph, 3000, 50000, false, GRAPH_SEED);
	return code;
}

/* MEMORY MAY RUN OUT. */
static int64_t replicas_of_once;

static gemp_code match_once(void *argument)
{
	gemp_code code = GEMP_OK;
	gemp_pattern *pattern = NULL;
	gemp_match *match = NULL;
	gemp_match_options o = pull_options(false);
	gemp_match_result result;
	o.replicate = replicas_of_once;
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, gemp_pattern_named(&pattern, argument)));
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, gemp_pattern_bind(pattern, graph.distributed)));
	GEMP_TRY_DONE(gemp_match_prepare(&match, context, graph.distributed, pattern, &o));
	GEMP_TRY_DONE(gemp_match_run(match, NULL, &result));
done:
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2) /* lets each request for memory of each rank fail, which is slow on many ranks */
		return;
	context->budgets.row_cache = 4000;
	assert_all_survive_no_memory(match_once, "path:3");
	context->budgets.row_cache = 200; /* rounds take parts of rows (tiles) */
	assert_all_survive_no_memory(match_once, "triangle");
	TEST_LIMIT(pull_block, 1);
	context->budgets.row_cache = 2000;
	assert_all_survive_no_memory(match_once, "triangle");
	TEST_LIMIT_DEFAULT(pull_block);
	replicas_of_once = GEMP_REPLICATE_ALL; /* rows, and rows without some entries, that the ranks share */
	TEST_LIMIT(shared_min, 0);
	assert_all_survive_no_memory(match_once, "triangle");
	TEST_LIMIT_DEFAULT(shared_min);
	replicas_of_once = 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rounds_of_every_size, setup, teardown),
		cmocka_unit_test_setup_teardown(rounds_with_edges, setup, teardown),
		cmocka_unit_test_setup_teardown(rounds_and_sinks, setup, teardown),
		cmocka_unit_test_setup_teardown(rounds_of_seeds, setup, teardown),
		cmocka_unit_test_setup_teardown(choice_by_expected_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(choice_without_rows, setup, teardown),
		cmocka_unit_test(costs_of_push_and_pull),
		cmocka_unit_test_setup_teardown(choice_by_row_cache, setup, teardown),
		cmocka_unit_test_setup_teardown(blocks_of_tasks, setup_large, teardown),
		cmocka_unit_test_setup_teardown(rows_beyond_all_devices, setup_large, teardown),
		cmocka_unit_test_setup_teardown(memory_may_run_out, setup, teardown),
	};
	return test_main_all(argc, argv, tests);
}
