/* Tests copies of rows that hold only the candidates of a pattern vertex ("trimmed" rows): their contents, which views
 * get a copy, and that counts stay the same. */
#include "nested_case.h"

#include "comm/comm.h"
#include "core/status.h"
#include "core/types.h"
#include "device/device.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "match/search/induced_rows.h"
#include "match/search/nested_search.h"
#include "match/search/search_state.h"
#include "partition/views/view.h"
#include "pattern/bind/bind.h"
#include "pattern/model/pattern.h"
#include "pattern/plan/plan.h"
#include "pattern/semantic/parse.h"

enum { VERTICES = 300 };

/* Every vertex has the label Any. Of a hundred vertices 49 also have A, 50 have B and one has C. The first three
 * vertices have long rows, and there are more vertices than a chunk of the kernel has rows (TRIM_CHUNK). */
static gemp_shard *labelled_graph(const gemp_comm *comm, uint64_t seed)
{
	static const char *const labels[] = { "A;Any", "B;Any" };
	gemp_builder *builder = NULL;
	gemp_shard *graph = NULL;
	gemp_builder_options options = { .seed = seed, .undirected = true };
	assert_all_ok(gemp_builder_new(&builder, comm, &options));
	gemp_code code = GEMP_OK;
	for (int64_t a = 0; a < VERTICES && comm->rank == 0; a++) {
		gemp_value from = { .type = GEMP_INTEGER, .integer = a };
		code |= gemp_builder_vertex(builder, &from, a % 100 == 50 ? "C;Any" : labels[a % 2], 5, (gemp_place){ 0 });
	}
	for (int64_t a = 0; a < VERTICES && comm->rank == 0; a++)
		for (int64_t b = a + 1; b < VERTICES; b++) {
			gemp_value from = { .type = GEMP_INTEGER, .integer = a }, to = { .type = GEMP_INTEGER, .integer = b };
			if (gemp_random_unit(&seed) < (a < 3 ? 0.4 : 0.015))
				code |= gemp_builder_edge(builder, &from, &to, "L", 1, (gemp_place){ 0 });
		}
	assert_all_ok(code);
	assert_all_ok(gemp_builder_finish(builder, &graph));
	gemp_builder_free(builder);
	return graph;
}

static gemp_match *prepare(const char *text, const gemp_shard *graph, gemp_pattern **pattern)
{
	gemp_match *match = NULL;
	*pattern = parse_question(&(question){ .text = text }, graph);
	assert_all_ok(gemp_match_prepare(&match, context, (gemp_shard *)graph, *pattern, &nested_options));
	assert_all(match->search->nested != NULL);
	return match;
}

static void match_close(gemp_match *match, gemp_pattern *pattern)
{
	gemp_match_free(match);
	gemp_pattern_free(pattern);
}

/* ROWS. */
static uint32_t *read_words(const gemp_buffer *buffer, size_t count)
{
	uint32_t *words = calloc(count + 1, sizeof *words);
	assert_int_equal(gemp_buffer_read(context->device, buffer, 0, count * sizeof *words, words), GEMP_OK);
	return words;
}

static bool is_candidate(const gemp_match *match, int vertex, gemp_vertex slot)
{
	const uint32_t *bits = match->candidates.bits[vertex];
	gemp_vertex id = match->search->order->id_of[slot];
	return !bits || (bits[id / 32] >> id % 32 & 1);
}

/* Each row of the copy must have exactly the entries of the plan's own view that are candidates; rows of other vertices
 * must be empty. */
static void check_view(const gemp_match *match, const gemp_check *own, const gemp_check *trimmed, int vertex)
{
	const gemp_induced_rows *t = match->search->nested->induced;
	const gemp_view *view = &match->rows->views[own->view];
	uint32_t *begin = read_words(&t->row_offsets[trimmed->view], VERTICES + 1);
	uint32_t *neighbours = read_words(&t->column_indices[trimmed->view], t->entries[trimmed->view]);
	size_t at = 0;
	for (size_t v = 0; v < VERTICES; v++) {
		assert_int_equal(begin[v], at);
		for (uint64_t i = view->begin[v]; i < view->begin[v + 1]; i++)
			if (is_candidate(match, own->from, (gemp_vertex)v) && is_candidate(match, vertex, view->neighbours[i]))
				assert_int_equal(neighbours[at++], view->neighbours[i]);
	}
	assert_int_equal(begin[VERTICES], at);
	assert_int_equal(t->entries[trimmed->view], at);
	free(begin);
	free(neighbours);
}

static void rows_hold_candidates(void **state)
{
	(void)state;
	gemp_shard *graph = labelled_graph(&test_comm, test_seed_all());
	gemp_pattern *pattern;
	gemp_match *match = prepare("MATCH (a:A)-[:L]-(b:B)-[:L]-(c:C)-[:L]-(d:A)-[:L]-(a) RETURN count(*)", graph,
	                            &pattern);
	const gemp_nested_search *nested = match->search->nested;
	assert_non_null(nested->induced);
	size_t copies = 0;
	for (size_t s = 1; s < match->plan->step_count; s++) {
		const gemp_step *own = &match->plan->steps[s], *trimmed = &nested->plan->steps[s];
		size_t here = 0; /* rows of the few vertices with C may have nothing to trim */
		for (size_t j = 0; j < own->sources; j++)
			if (trimmed->checks[j].view >= (int)match->plan->view_count) {
				check_view(match, &own->checks[j], &trimmed->checks[j], own->vertex);
				here++;
			}
		assert_true(own->candidates);
		assert_int_equal(trimmed->candidates, here < own->sources);
		copies += here;
	}
	assert_true(copies > 0);
	match_close(match, pattern);
	gemp_shard_free(graph);
}

/* WHICH VIEWS. Returns the number of trimmed views of a query. */
static size_t trimmed_views(const gemp_shard *graph, const char *text)
{
	gemp_pattern *pattern;
	gemp_match *match = prepare(text, graph, &pattern);
	const gemp_nested_search *nested = match->search->nested;
	size_t count = nested->plan->view_count - match->plan->view_count;
	assert_true((count > 0) == (nested->induced != NULL));
	match_close(match, pattern);
	return count;
}

static void views_that_are_trimmed(void **state)
{
	(void)state;
	gemp_shard *graph = labelled_graph(&test_comm, 1);
	static const char *const same = "MATCH (a:A)-[:L]-(b:A)-[:L]-(c:A)-[:L]-(d:A)-[:L]-(a) RETURN count(*)";
	assert_int_equal(trimmed_views(graph, "MATCH (a)-[:L]-(b)-[:L]-(c)-[:L]-(a) RETURN count(*)"), 0);
	assert_int_equal(trimmed_views(graph, "MATCH (a:Any)-[:L]-(b:Any)-[:L]-(c:Any)-[:L]-(a) RETURN count(*)"), 0);
	assert_int_equal(trimmed_views(graph, same), 1);
	assert_int_equal(trimmed_views(graph, "MATCH (a:A)-[:L]-(b:B)-[:L]-(c:C)-[:L]-(a) RETURN count(*)"), 3);
	assert_int_equal(trimmed_views(graph, "MATCH (a:C)-[:L]-(b:C)-[:L]-(c:C)-[:L]-(a) RETURN count(*)"), 0);
	setenv("GEMP_SHAPE", "untrimmed", 1);
	assert_int_equal(trimmed_views(graph, same), 0);
	setenv("GEMP_SHAPE", "nested", 1);
	gemp_shard_free(graph);
}

/* COUNTS. */
static const char *const queries[] = {
	"MATCH (a:A)-[:L]-(b:B)-[:L]-(c:A)-[:L]-(a) RETURN count(*)",
	"MATCH (a:A)-[:L]-(b:B)-[:L]-(c:A)-[:L]-(d:B)-[:L]-(a) RETURN count(*)",
	"MATCH (a:C)-[:L]-(b)-[:L]-(c:A)-[:L]-(d:A)-[:L]-(a), (b)-[:L]-(d) RETURN count(*)",
	"MATCH (a:Any)-[:L]-(b:C)-[:L]-(c:Any)-[:L]-(a) RETURN count(*)",
	"MATCH (a:C)-[:L]-(b:C)-[:L]-(c:C)-[:L]-(a) RETURN count(*)",
	"MATCH (a:A)-[:L]-(b:B)-[:L]-(c)-[:L]-(a) WHERE c:A AND c:B RETURN count(*)",
	"MATCH (a:A)-[:L]-(b:B)-[:L]-(c:B)-[:L]-(d:C)-[:L]-(e)-[:L]-(a) RETURN count(*)",
};

static uint64_t count_of(const gemp_shard *graph, const char *text, bool *trimmed)
{
	gemp_pattern *pattern;
	gemp_match *match = prepare(text, graph, &pattern);
	gemp_match_result result;
	*trimmed = match->search->nested->induced != NULL;
	assert_all_ok(gemp_match_run(match, NULL, &result));
	match_close(match, pattern);
	return result.matches;
}

static void counts_do_not_change(void **state)
{
	(void)state;
	gemp_shard *graph = labelled_graph(&test_comm, test_seed_all());
	size_t trimmed_ones = 0;
	for (size_t q = 0; q < sizeof queries / sizeof *queries; q++) {
		bool trimmed;
		uint64_t count = count_of(graph, queries[q], &trimmed);
		trimmed_ones += trimmed;
		setenv("GEMP_SHAPE", "untrimmed", 1);
		assert_int_equal(count_of(graph, queries[q], &trimmed), count);
		setenv("GEMP_SHAPE", "nested", 1);
		assert_false(trimmed);
	}
	assert_true(trimmed_ones >= 3); /* some queries have almost no matches */
	gemp_shard_free(graph);
}

/* One rank has less and less device memory. In the end no rank trims a view, and the count is still the same. */
static void untrimmed_if_memory_is_short(void **state)
{
	(void)state;
	gemp_device *device = context->device;
	gemp_shard *graph = labelled_graph(&test_comm, 5);
	size_t memory = device->memory;
	bool trimmed;
	uint64_t count = count_of(graph, queries[1], &trimmed);
	for (size_t room = 1 << 20; trimmed && room > 1 << 12; room -= room / 4) {
		if (test_comm.rank == 0)
			device->memory = device->buffer_bytes + room;
		assert_int_equal(count_of(graph, queries[1], &trimmed), count);
	}
	device->memory = memory;
	assert_all(!trimmed);
	gemp_shard_free(graph);
}

static gemp_code prepare_and_close(void *graph)
{
	gemp_match *match = NULL;
	gemp_pattern *pattern = NULL;
	gemp_code code = gemp_pattern_parse(&pattern, queries[1], NULL);
	if (code == GEMP_OK)
		code = gemp_pattern_bind(pattern, graph);
	code = gemp_comm_agree(&test_comm, code);
	if (code == GEMP_OK)
		code = gemp_match_prepare(&match, context, graph, pattern, &nested_options);
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2) /* lets each request for memory of each rank fail, which is slow on many ranks */
		return;
	gemp_shard *graph = labelled_graph(&test_comm, 5);
	assert_all_survive_no_memory(prepare_and_close, graph);
	gemp_shard_free(graph);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_hold_candidates, open_nested, close_nested),
		cmocka_unit_test_setup_teardown(views_that_are_trimmed, open_nested, close_nested),
		cmocka_unit_test_setup_teardown(counts_do_not_change, open_nested, close_nested),
		cmocka_unit_test_setup_teardown(untrimmed_if_memory_is_short, open_nested, close_nested),
		cmocka_unit_test_setup_teardown(memory_may_run_out, open_nested, close_nested),
	};
	return test_main_all(argc, argv, tests);
}
