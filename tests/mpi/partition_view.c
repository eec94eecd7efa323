/* Tests views: own rows and replicated ("hot") rows against a naive merge of all edges, for every direction, set of
 * relations and budget. */
#include "comm/comm.h"
#include "core/log.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/graph.h"
#include "partition/exchange/value_exchange.h"
#include "partition/views/view.h"

#include "core/memory.h"
#include "graph_fixture.h"
#include "harness/limits.h"

/* The same graph twice: distributed over all ranks, and whole on each rank. */
typedef struct two_graphs {
	gemp_comm alone;
	gemp_shard *distributed, *whole;
	gemp_slot_order order; /* the same for both graphs */
} two_graphs;

/* An entry of a row. */
typedef struct one_edge {
	gemp_vertex slot;
	gemp_edge edge;
} one_edge;

static void two_graphs_new(two_graphs *g, size_t vertices, size_t edges, bool undirected, uint64_t seed)
{
	fixture made = fixture_new(vertices, edges, KEYS_INTEGER, seed);
	gemp_builder_options options = { .seed = seed, .undirected = undirected };
	uint64_t *degree = calloc(vertices + 1, sizeof *degree);
	bool all[8] = { true, true, true, true, true, true, true, true };
	gemp_comm_new(&g->alone, MPI_COMM_SELF);
	assert_all_ok(fixture_build(&g->distributed, &made, &test_comm, &options, seed));
	assert_all_ok(fixture_build(&g->whole, &made, &g->alone, &options, seed));
	assert_ok(
		gemp_view_degrees(g->distributed, &(gemp_view_key){ .relations = all, .direction = GEMP_VIEW_EITHER }, degree));
	assert_all_ok(gemp_slot_order_new(&g->order, &test_comm, g->distributed, degree));
	free(degree);
	fixture_free(&made);
}

static void two_graphs_free(two_graphs *g)
{
	gemp_slot_order_free(&g->order);
	gemp_shard_free(g->distributed);
	gemp_shard_free(g->whole);
	gemp_comm_free(&g->alone);
}

static int compare_edges(const void *a, const void *b)
{
	const one_edge *x = a, *y = b;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return (x->edge > y->edge) - (x->edge < y->edge);
}

/* Sets other[] to the entries that an edge adds to the row of v in a view, and returns their number (0 to 2). */
static size_t entries_of_edge(const gemp_view_key *key, gemp_vertex v, gemp_vertex source, gemp_vertex target,
                              gemp_vertex *other)
{
	size_t seen = 0;
	bool loop = source == target;
	if (loop && key->simple)
		return 0;
	if (key->direction != GEMP_VIEW_IN && source == v)
		other[seen++] = target;
	if (key->direction != GEMP_VIEW_OUT && target == v && !(loop && seen))
		other[seen++] = source;
	return seen;
}

/* Computes the row of v by its definition, from all edges of all relations. row[] has space for twice the number of
 * edges. */
static size_t naive_row(const two_graphs *g, const gemp_view_key *key, gemp_vertex v, one_edge *row)
{
	size_t count = 0, kept = 0;
	gemp_edge number = 0;
	const gemp_shard *whole = g->whole;
	for (size_t r = 0; r < whole->relation_count; r++)
		for (gemp_vertex s = 0; s < whole->vertex_count; s++)
			for (uint64_t i = whole->relations[r].out_offsets[s]; i < whole->relations[r].out_offsets[s + 1]; i++) {
				gemp_vertex other[2];
				size_t seen = key->relations[r] ? entries_of_edge(key, v, s, whole->relations[r].out_targets[i], other)
				                                : 0;
				for (size_t k = 0; k < seen; k++)
					row[count++] = (one_edge){ g->order.slot_of[other[k]], number };
				number++;
			}
	qsort(row, count, sizeof *row, compare_edges);
	for (size_t i = 0; i < count; i++)
		if (!key->simple || kept == 0 || row[kept - 1].slot != row[i].slot)
			row[kept++] = row[i];
	return kept;
}

static bool row_equals(const gemp_view *view, size_t row, const one_edge *want, size_t count, bool edges)
{
	bool same = view->begin[row + 1] - view->begin[row] == count;
	const gemp_vertex *neighbours = view->neighbours + view->begin[row];
	for (size_t i = 0; same && i < count; i++)
		same = neighbours[i] == want[i].slot;
	if (!same || !edges)
		return same;
	one_edge *got = calloc(count + 1, sizeof *got); /* parallel edges may have any order */
	for (size_t i = 0; i < count; i++)
		got[i] = (one_edge){ neighbours[i], view->edges[view->begin[row] + i] };
	qsort(got, count, sizeof *got, compare_edges);
	for (size_t i = 0; same && i < count; i++)
		same = got[i].edge == want[i].edge;
	free(got);
	return same;
}

/* Returns the row of a slot as kernels compute it (kernels/match/match.clh), or SIZE_MAX if it is not resident. */
static size_t row_of(const gemp_residency *residency, gemp_vertex slot)
{
	const uint32_t *words = residency->words + 2 * (slot / 32);
	if (slot < residency->hot)
		return slot;
	if (!(words[0] >> slot % 32 & 1))
		return SIZE_MAX;
	return residency->hot + words[1] + (size_t)__builtin_popcount(words[0] & ((UINT32_C(1) << slot % 32) - 1));
}

static bool residency_is_right(const two_graphs *g, const gemp_residency *residency)
{
	const gemp_shard *graph = g->distributed;
	bool right = residency->vertices == graph->vertex_count && residency->own_count == graph->rows;
	size_t own = 0, found = 0;
	for (gemp_vertex slot = 0; right && slot < graph->vertex_count; slot++) {
		gemp_vertex id = g->order.id_of[slot];
		bool mine = id >= graph->first_vertex && id < graph->first_vertex + graph->rows;
		if (mine)
			right = found < residency->own_count && residency->own_slots[found++] == slot;
		if (slot >= residency->hot) {
			right = right && row_of(residency, slot) == (mine ? residency->hot + own : SIZE_MAX);
			own += mine;
		}
	}
	return right && found == graph->rows && residency->own == own;
}

static bool view_is_right(const two_graphs *g, const gemp_residency *residency, const gemp_view_key *key,
                          const gemp_view *view)
{
	bool right = view->rows == residency->hot + residency->own && view->begin[0] == 0 &&
	             (view->edges != NULL) == key->edges;
	bool loops = false;
	one_edge *want = calloc(2 * gemp_shard_edges(g->whole) + 1, sizeof *want);
	for (gemp_vertex slot = 0; right && slot < g->whole->vertex_count; slot++) {
		size_t row = row_of(residency, slot), count;
		gemp_vertex id = g->order.id_of[slot];
		count = naive_row(g, key, id, want);
		if (id >= g->distributed->first_vertex && id < g->distributed->first_vertex + g->distributed->rows)
			for (size_t i = 0; i < count; i++)
				loops |= want[i].slot == slot;
		if (row != SIZE_MAX)
			right = row_equals(view, row, want, count, key->edges);
	}
	free(want);
	return right && view->loops == loops;
}

static bool naive_parallel(const two_graphs *g, const gemp_view_key *key)
{
	bool parallel = false;
	one_edge *row = calloc(2 * gemp_shard_edges(g->whole) + 1, sizeof *row);
	for (gemp_vertex v = 0; !parallel && v < g->whole->vertex_count; v++) {
		size_t count = naive_row(g, key, v, row);
		for (size_t i = 1; i < count; i++)
			parallel |= row[i].slot == row[i - 1].slot;
	}
	free(row);
	return parallel;
}

/* Finds the least shared memory with which the ranks share a view of `exact` bytes: that for one view, with places for
 * all edges of each vertex. So a second view without gaps does not fit beside it. With less memory each rank has a copy
 * of its own. */
static void check_little_shared(const two_graphs *g, const gemp_view_key *key, const gemp_comm *nodes,
                                const gemp_residency *residency, size_t exact)
{
	enum { STEP = 128 }; /* the arrays of a view are aligned to this */
	const size_t width = sizeof(gemp_vertex) + (key->edges ? sizeof(gemp_edge) : 0), blocks = gemp_memory_blocks();
	uint64_t *degree = calloc(g->distributed->rows + 1, sizeof *degree), entries = 0;
	bool shared = false;
	assert_all_ok(gemp_view_degrees(g->distributed, key, degree));
	for (size_t v = 0; v < g->distributed->rows; v++)
		entries += degree[v];
	free(degree);
	entries = gemp_comm_sum1(&test_comm, entries);
	TEST_LIMIT(shared_min, 0);
	for (size_t max = exact - 1; !shared; max += max < exact ? 1 : STEP) {
		gemp_view view;
		TEST_LIMIT(shared_max, max);
		assert_all_ok(gemp_view_new(&view, nodes, g->distributed, &g->order, residency, key));
		assert_all(view_is_right(g, residency, key, &view));
		shared = view.shared.bytes != NULL;
		const uint64_t gaps = entries - view.begin[view.rows];
		assert_all(!shared || (max >= exact && view.shared.size == exact));
		assert_all(max <= exact + gaps * width + (size_t)2 * STEP);
		gemp_view_free(&view);
	}
	TEST_LIMIT_DEFAULT(shared_max);
	TEST_LIMIT(shared_min, SIZE_MAX);
	assert_all(gemp_memory_blocks() == blocks);
}

/* Checks a view with all rows in shared memory. The ranks pretend to be on nodes of `ranks` ranks each; the last node
 * may have fewer. */
static void check_shared(const two_graphs *g, const gemp_view_key *key, int ranks)
{
	gemp_comm nodes = test_comm;
	gemp_residency residency;
	gemp_view view;
	size_t min = gemp_limits_now()->shared_min;
	GEMP_MPI(MPI_Comm_split(test_comm.world, test_comm.rank / ranks, test_comm.rank, &nodes.node));
	GEMP_MPI(MPI_Comm_rank(nodes.node, &nodes.node_rank));
	GEMP_MPI(MPI_Comm_size(nodes.node, &nodes.node_size));
	assert_all_ok(gemp_residency_new(&residency, g->distributed, &g->order, (gemp_vertex)g->distributed->vertex_count));
	TEST_LIMIT(shared_min, 0);
	assert_all_ok(gemp_view_new(&view, &nodes, g->distributed, &g->order, &residency, key));
	TEST_LIMIT(shared_min, min);
	assert_all(view.shared.bytes && view.shared.ranks == nodes.node_size && view_is_right(g, &residency, key, &view));
	bool narrow = true;
	for (size_t row = 0; row <= view.rows; row++)
		narrow = narrow && view.begin32[row] == view.begin[row];
	assert_all(narrow);
	const size_t exact = view.shared.size;
	gemp_view_free(&view);
	assert_all(!view.begin && !view.shared.bytes);
	check_little_shared(g, key, &nodes, &residency, exact);
	gemp_residency_free(&residency);
	GEMP_MPI(MPI_Comm_free(&nodes.node));
}

static void check_budget(const two_graphs *g, const gemp_view_key *key, gemp_vertex hot)
{
	gemp_residency residency;
	gemp_view view;
	assert_all_ok(gemp_residency_new(&residency, g->distributed, &g->order, hot));
	assert_all(residency_is_right(g, &residency));
	assert_all_ok(gemp_view_new(&view, &test_comm, g->distributed, &g->order, &residency, key));
	assert_all(!view.shared.bytes && view_is_right(g, &residency, key, &view));
	gemp_view_free(&view);
	gemp_residency_free(&residency);
}

static void check_key(const two_graphs *g, const gemp_view_key *key, uint64_t *random)
{
	gemp_vertex n = (gemp_vertex)g->distributed->vertex_count;
	bool parallel;
	assert_all_ok(gemp_view_parallel(&test_comm, g->distributed, key, &parallel));
	assert_all(parallel == naive_parallel(g, key));
	check_budget(g, key, 0);
	check_budget(g, key, n);
	check_budget(g, key, (gemp_vertex)gemp_random_below(random, (uint64_t)n + 1));
	check_budget(g, key, n > 32 ? 32 : n / 2);
	TEST_LIMIT(view_chunk, gemp_random_below(random, 40));
	check_budget(g, key, n);
	check_budget(g, key, n / 2);
	if (test_comm.size > 1 && n > 0 && gemp_random_below(random, 3) == 0)
		check_shared(g, key, 2 + (int)gemp_random_below(random, (uint64_t)test_comm.size - 1));
	TEST_LIMIT_DEFAULT(view_chunk);
}

static void check_graph(size_t vertices, size_t edges, bool undirected, uint64_t *random)
{
	two_graphs g;
	two_graphs_new(&g, vertices, edges, undirected, gemp_random(random));
	size_t blocks = gemp_memory_blocks();
	bool relations[8] = { false };
	for (unsigned set = 0; set < 1u << g.distributed->relation_count; set++)
		for (int direction = 0; direction < 3; direction++) {
			for (size_t r = 0; r < g.distributed->relation_count; r++)
				relations[r] = set >> r & 1;
			unsigned flags = (unsigned)gemp_random_below(random, 4);
			gemp_view_key key = { relations, (gemp_view_direction)direction, flags & 1, flags & 2 };
			check_key(&g, &key, random);
		}
	assert_all(gemp_memory_blocks() == blocks);
	two_graphs_free(&g);
	assert_all(gemp_memory_blocks() == 0);
}

static void views_are_naive_merges(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	check_graph(0, 0, false, &random);
	check_graph(1, 5, false, &random);
	check_graph(3, 9, true, &random); /* has fewer vertices than some tests have ranks */
	check_graph(20, 60, false, &random);
	check_graph(70, 100, true, &random);
}

/* In sparse graphs, some sets of relations have parallel edges and other sets have none. gemp_view_parallel must be
 * exact for both. */
static void parallel_edges_are_detected(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	size_t seen[2] = { 0 };
	for (int turn = 0; turn < 12; turn++) {
		two_graphs g;
		bool relations[8] = { false }, parallel;
		two_graphs_new(&g, 16, 6, turn & 1, gemp_random(&random));
		for (unsigned mask = 0; mask < 6u << g.distributed->relation_count; mask++) {
			for (size_t r = 0; r < g.distributed->relation_count; r++)
				relations[r] = mask / 6 >> r & 1;
			gemp_view_key key = { relations, (gemp_view_direction)(mask % 3), mask % 6 >= 3, false };
			assert_all_ok(gemp_view_parallel(&test_comm, g.distributed, &key, &parallel));
			assert_all(parallel == naive_parallel(&g, &key));
			seen[parallel]++;
		}
		two_graphs_free(&g);
	}
	assert_true(seen[0] && seen[1]);
}

static void edge_numbers_run_through_relations(void **state)
{
	(void)state;
	two_graphs g;
	gemp_edge *offsets = NULL, sum = 0;
	two_graphs_new(&g, 30, 50, false, test_seed_all());
	assert_all_ok(gemp_edge_offsets(g.distributed, &offsets));
	for (size_t r = 0; r < g.distributed->relation_count; r++) {
		assert_all(offsets[r] == sum);
		sum += g.whole->relations[r].edge_count;
	}
	assert_all(offsets[g.distributed->relation_count] == sum && sum == 50);
	gemp_free(offsets);
	assert_int_equal(gemp_view_parts(GEMP_VIEW_OUT), GEMP_LOAD_OUT);
	assert_int_equal(gemp_view_parts(GEMP_VIEW_IN), GEMP_LOAD_IN);
	assert_int_equal(gemp_view_parts(GEMP_VIEW_EITHER), GEMP_LOAD_OUT | GEMP_LOAD_IN);
	two_graphs_free(&g);
}

typedef struct view_request {
	const two_graphs *graphs;
	gemp_view_key key;
	gemp_vertex hot;
} view_request;

static gemp_code build_and_drop(void *argument)
{
	gemp_code code = GEMP_OK;
	view_request *b = argument;
	const two_graphs *g = b->graphs;
	gemp_residency residency = { 0 };
	gemp_view view = { 0 };
	bool parallel;
	GEMP_TRY_DONE(gemp_view_parallel(&test_comm, g->distributed, &b->key, &parallel));
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, gemp_residency_new(&residency, g->distributed, &g->order, b->hot)));
	GEMP_TRY_DONE(gemp_view_new(&view, &test_comm, g->distributed, &g->order, &residency, &b->key));
done:
	gemp_view_free(&view);
	gemp_residency_free(&residency);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	two_graphs g;
	bool relations[8] = { true, false, true };
	two_graphs_new(&g, 12, 8, false, 3);
	for (gemp_vertex hot = 0; hot <= 12; hot += 6) {
		view_request b = { &g, { relations, GEMP_VIEW_EITHER, false, true }, hot };
		assert_all_survive_no_memory(build_and_drop, &b);
		b.key.simple = true;
		assert_all_survive_no_memory(build_and_drop, &b);
	}
	TEST_LIMIT(shared_min, 0);
	view_request all = { &g, { relations, GEMP_VIEW_EITHER, false, true }, 12 };
	assert_all_survive_no_memory(build_and_drop, &all);
	all.key.simple = true;
	for (size_t max = 384; max <= 896; max += 128) { /* with some of these, two views do not fit together */
		TEST_LIMIT(shared_max, max);
		assert_all_survive_no_memory(build_and_drop, &all);
	}
	TEST_LIMIT_DEFAULT(shared_max);
	two_graphs_free(&g);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views_are_naive_merges),
		cmocka_unit_test(parallel_edges_are_detected),
		cmocka_unit_test(edge_numbers_run_through_relations),
		cmocka_unit_test(memory_may_run_out),
	};
	TEST_LIMIT(shared_min, SIZE_MAX);
	gemp_log_set_level(GEMP_QUIET); /* hides warnings about reciprocal edges */
	return test_main_all(argc, argv, tests);
}
