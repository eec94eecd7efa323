/* Tests rows that are requested from their owners. Each requested row must equal the row of a full view, for any
 * division into rounds and any state of the cache. A partial view is the full view with empty rows for slots that were
 * not requested. Parts of rows that nobody reads can be left out. */
#include "comm/comm.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/graph.h"
#include "partition/fetch/fetch.h"
#include "partition/fetch/partial_view.h"
#include "partition/fetch/row_cache.h"
#include "partition/fetch/row_code.h"
#include "partition/runtime.h"
#include "partition/views/resident.h"
#include "partition/views/view.h"

#include "core/memory.h"
#include "core/random.h"
#include "graph_fixture.h"
#include "harness/limits.h"
#include "harness/runtime.h"

#include <stdlib.h>
#include <string.h>

static const bool two[8] = { true, true }, one[8] = { true };
static const gemp_view_key keys[] = { { two, GEMP_VIEW_EITHER, true, true }, { one, GEMP_VIEW_OUT, false, true } };
enum { VIEWS = 2, WORDS = 8 };

/* A graph, its views with all rows and with some rows, and the fetch under test. */
typedef struct fetch_case {
	gemp_runtime *context;
	gemp_shard *graph;
	gemp_resident *all, *some; /* views with all rows, and with the rows that this rank holds */
	gemp_fetch *fetch;
} fetch_case;

static void fetch_case_new(fetch_case *f, size_t vertices, size_t edges, int64_t replicate)
{
	fixture made = fixture_new(vertices, edges, KEYS_INTEGER, 3);
	gemp_builder_options options = { .seed = 3 };
	const gemp_budgets budgets = { 0 };
	assert_all_ok(runtime_with_devices(&f->context, &test_comm, NULL, &budgets));
	assert_all_ok(fixture_build(&f->graph, &made, &test_comm, &options, 3));
	assert_all_ok(gemp_resident_get(&f->all, f->context, f->graph, keys, VIEWS, GEMP_REPLICATE_ALL));
	assert_all_ok(gemp_resident_get(&f->some, f->context, f->graph, keys, VIEWS, replicate));
	assert_all_ok(
		gemp_fetch_new(&f->fetch, f->context, f->graph, &f->some->order, &f->some->residency, f->some->views, VIEWS));
	fixture_free(&made);
}

static void fetch_case_free(fetch_case *f)
{
	gemp_fetch_free(f->fetch);
	gemp_resident_release(f->some);
	gemp_resident_release(f->all);
	gemp_runtime_free(f->context);
	gemp_shard_free(f->graph);
	assert_all(gemp_memory_blocks() == 0);
}

/* Draws a random set of rows for each view, different on each rank. */
static void draw_requests(uint32_t bits[VIEWS][WORDS], const fetch_case *f, uint64_t percent, uint64_t *random)
{
	memset(bits, 0, VIEWS * sizeof *bits);
	for (int r = 0; r < test_comm.size; r++)
		for (size_t v = 0; v < VIEWS; v++)
			for (uint64_t slot = 0; slot < f->graph->vertex_count; slot++)
				if (gemp_random_below(random, 100) < percent && r == test_comm.rank)
					bits[v][slot / 32] |= UINT32_C(1) << slot % 32;
}

static bool is_requested(uint32_t bits[VIEWS][WORDS], size_t view, uint64_t slot)
{
	return bits[view][slot / 32] >> slot % 32 & 1;
}

static bool is_row(const gemp_view *view, uint64_t slot, const gemp_vertex *neighbours, const gemp_edge *edges,
                   size_t size)
{
	uint64_t begin = view->begin[slot];
	return size == view->begin[slot + 1] - begin &&
	       !memcmp(neighbours, view->neighbours + begin, size * sizeof *neighbours) &&
	       !memcmp(edges, view->edges + begin, size * sizeof *edges);
}

static bool rows_are_right(const fetch_case *f, uint32_t bits[VIEWS][WORDS])
{
	bool right = true;
	for (size_t v = 0; v < VIEWS; v++)
		for (uint64_t slot = 0; slot < f->graph->vertex_count; slot++) {
			const gemp_view *full = &f->all->views[v];
			uint64_t size = full->begin[slot + 1] - full->begin[slot];
			uint64_t most = gemp_fetch_size(f->fetch, v, (gemp_vertex)slot);
			right &= most >= size && most <= size + size / 8;
			if (!is_requested(bits, v, slot))
				continue;
			gemp_row row = gemp_fetch_get(f->fetch, v, (gemp_vertex)slot);
			right &= is_row(full, slot, row.neighbours, row.edges, row.size);
		}
	return right;
}

static bool partial_views_are_right(const fetch_case *f, uint32_t bits[VIEWS][WORDS], gemp_view *views,
                                    gemp_partial_capacity *room)
{
	bool right = true;
	for (size_t v = 0; v < VIEWS; v++) {
		right &= gemp_partial_view_fill(&views[v], &room[v], f->fetch, v, bits[v], NULL) == GEMP_OK;
		right &= views[v].rows == f->graph->vertex_count;
		for (uint64_t slot = 0; slot < f->graph->vertex_count; slot++) {
			uint64_t begin = views[v].begin[slot], size = views[v].begin[slot + 1] - begin;
			right &= is_requested(bits, v, slot)
			             ? is_row(&f->all->views[v], slot, views[v].neighbours + begin, views[v].edges + begin, size)
			             : size == 0;
		}
	}
	return right;
}

static void random_requests(void **state)
{
	(void)state;
	static const int64_t replicas[] = { 0, 500, GEMP_REPLICATE_ALL };
	uint64_t random = test_seed_all();
	for (int i = 0; i < 3; i++) {
		fetch_case f;
		uint32_t bits[VIEWS][WORDS], *const rows[VIEWS] = { bits[0], bits[1] };
		gemp_view views[VIEWS] = { { 0 } };
		gemp_partial_capacity room[VIEWS] = { { 0 } };
		fetch_case_new(&f, i == 2 ? 3 : 200, i == 2 ? 4 : 900, replicas[i]);
		for (int turn = 0; turn < 12; turn++) {
			TEST_LIMIT(fetch_round, turn % 3 ? gemp_random_below(&random, 400) : gemp_limits_default.fetch_round);
			draw_requests(bits, &f, turn == 3 ? 0 : turn == 4 ? 100 : gemp_random_below(&random, 60), &random);
			assert_all_ok(gemp_fetch_rows(f.fetch, rows, NULL));
			assert_all(rows_are_right(&f, bits));
			assert_all(partial_views_are_right(&f, bits, views, room));
			if (turn % 2) {
				uint64_t kept = gemp_random_below(&random, 4000);
				assert_all_ok(gemp_row_cache_trim(&f.fetch->cache, kept));
				assert_all(f.fetch->cache.entries * gemp_fetch_entry_bytes(f.fetch) <= kept);
			}
		}
		const gemp_fetch_stats figures = f.fetch->stats;
		bool none = test_comm.size == 1 || replicas[i] == GEMP_REPLICATE_ALL;
		assert_all((gemp_comm_sum1(&test_comm, figures.rows) == 0) == none);
		assert_all((gemp_comm_sum1(&test_comm, figures.bytes) == 0) == none);
		for (size_t v = 0; v < VIEWS; v++)
			gemp_view_free(&views[v]);
		fetch_case_free(&f);
	}
	TEST_LIMIT_DEFAULT(fetch_round);
}

/* PARTS OF ROWS (tiles). Blocks of slots are the same on all ranks. For each block of rows a rank draws its own
 * columns: the blocks whose slots it reads in these rows. Some blocks of rows keep their columns. */
static void draw_blocks(gemp_tiles *tiles, size_t vertices, uint64_t *random)
{
	memset(tiles->columns, 0, VIEWS * sizeof *tiles->columns);
	memset(tiles->bounds, 0, sizeof tiles->bounds);
	tiles->blocks = 0;
	for (size_t slot = 0; slot < vertices && tiles->blocks < GEMP_BLOCKS; slot += 1 + gemp_random_below(random, 8))
		tiles->bounds[tiles->blocks++] = (gemp_vertex)slot;
	tiles->bounds[tiles->blocks] = (gemp_vertex)vertices;
}

static void draw_columns(gemp_tiles *tiles, uint64_t *random)
{
	uint64_t all = tiles->blocks < GEMP_BLOCKS ? (UINT64_C(1) << tiles->blocks) - 1 : ~UINT64_C(0);
	for (int r = 0; r < test_comm.size; r++)
		for (size_t v = 0; v < VIEWS; v++)
			for (size_t b = 0; b < tiles->blocks; b++) {
				bool changes = gemp_random_below(random, 2), every = !gemp_random_below(random, 4);
				uint64_t columns = (every ? all : gemp_random(random) & all) | 1;
				if (r == test_comm.rank && (changes || !tiles->columns[v][b]))
					tiles->columns[v][b] = columns;
			}
}

static bool parts_are_right(const fetch_case *f, uint32_t bits[VIEWS][WORDS], const gemp_tiles *tiles, gemp_view *views,
                            gemp_partial_capacity *room)
{
	bool right = true;
	for (size_t v = 0; v < VIEWS; v++) {
		uint64_t at = 0;
		right &= gemp_partial_view_fill(&views[v], &room[v], f->fetch, v, bits[v], tiles) == GEMP_OK;
		for (uint64_t slot = 0; slot < f->graph->vertex_count && right; slot++) {
			const gemp_view *full = &f->all->views[v];
			uint64_t columns = tiles->columns[v][gemp_tiles_block(tiles, (gemp_vertex)slot)];
			for (uint64_t i = full->begin[slot]; i < full->begin[slot + 1] && is_requested(bits, v, slot); i++) {
				gemp_vertex neighbour = full->neighbours[i];
				if (!(columns >> gemp_tiles_block(tiles, neighbour) & 1))
					continue;
				right &= views[v].neighbours[at] == neighbour && views[v].edges[at] == full->edges[i];
				at++;
			}
			right &= views[v].begin[slot + 1] == at;
		}
	}
	return right;
}

static void parts_of_rows(void **state)
{
	(void)state;
	static const int64_t replicas[] = { 0, 500, GEMP_REPLICATE_ALL };
	uint64_t random = test_seed_all();
	for (int i = 0; i < 3; i++) {
		fetch_case f;
		uint32_t bits[VIEWS][WORDS], *const rows[VIEWS] = { bits[0], bits[1] };
		gemp_view views[VIEWS] = { { 0 } };
		gemp_partial_capacity room[VIEWS] = { { 0 } };
		gemp_tiles tiles;
		size_t vertices = i == 2 ? 3 : 200;
		fetch_case_new(&f, vertices, i == 2 ? 4 : 1200, replicas[i]);
		assert_all_ok(gemp_tiles_new(&tiles, VIEWS, vertices));
		for (int turn = 0; turn < 12; turn++) {
			TEST_LIMIT(fetch_round, turn % 3 ? gemp_random_below(&random, 400) : gemp_limits_default.fetch_round);
			draw_requests(bits, &f, turn == 4 ? 100 : gemp_random_below(&random, 60), &random);
			if (turn % 5 == 0)
				draw_blocks(&tiles, vertices, &random);
			draw_columns(&tiles, &random);
			bool whole = turn == 7;
			assert_all_ok(gemp_fetch_rows(f.fetch, rows, whole ? NULL : &tiles));
			assert_all(whole ? rows_are_right(&f, bits) : parts_are_right(&f, bits, &tiles, views, room));
		}
		gemp_tiles_free(&tiles);
		for (size_t v = 0; v < VIEWS; v++)
			gemp_view_free(&views[v]);
		fetch_case_free(&f);
	}
	TEST_LIMIT_DEFAULT(fetch_round);
}

static void rows_are_sent_once(void **state)
{
	(void)state;
	fetch_case f;
	uint32_t bits[VIEWS][WORDS], *const rows[VIEWS] = { bits[0], bits[1] };
	fetch_case_new(&f, 200, 900, 0);
	memset(bits, 255, sizeof bits);
	for (uint64_t slot = 200; slot < 32 * WORDS; slot++)
		bits[0][slot / 32] = bits[1][slot / 32] &= ~(UINT32_C(1) << slot % 32);
	assert_all_ok(gemp_fetch_rows(f.fetch, rows, NULL));
	const gemp_fetch_stats once = f.fetch->stats;
	assert_all(once.rows == VIEWS * (200 - f.graph->rows) && once.bytes <= once.uncoded_bytes);
	assert_all_ok(gemp_fetch_rows(f.fetch, rows, NULL));
	assert_all(f.fetch->stats.rows == once.rows && f.fetch->stats.bytes == once.bytes);
	/* The trimmed cache keeps the smallest slots, whose rows are the longest. */
	assert_all_ok(gemp_row_cache_trim(&f.fetch->cache, f.fetch->cache.entries * gemp_fetch_entry_bytes(f.fetch) / 2));
	size_t far = 0, held = 0;
	bool ended = false;
	for (gemp_vertex slot = 0; slot < 200; slot++) {
		bool own = gemp_shard_owner(f.graph, f.all->order.id_of[slot]) == test_comm.rank;
		bool here = gemp_row_cache_has(&f.fetch->cache, 0, slot);
		far += !own;
		held += here;
		assert_all(own || !here || !ended);
		ended |= !own && !here;
	}
	assert_all(test_comm.size == 1 || (held > 0 && held < far));
	fetch_case_free(&f);
}

static void filtered_views(void **state)
{
	(void)state;
	fetch_case f;
	uint64_t random = test_seed_all();
	uint32_t bits[VIEWS][WORDS];
	fetch_case_new(&f, 60, 400, 120);
	draw_requests(bits, &f, 50, &random);
	for (int entries = GEMP_ENTRIES_ALL; entries <= GEMP_ENTRIES_ABOVE; entries++)
		for (int with_bits = 0; with_bits < 2; with_bits++) {
			const gemp_view *full = &f.all->views[0];
			const gemp_residency *all = &f.all->residency;
			gemp_view filtered;
			bool right = true;
			assert_all_ok(gemp_view_filter_entries(&filtered, &test_comm, full, all, (gemp_row_part)entries,
			                                       with_bits ? bits[0] : NULL));
			for (uint64_t slot = 0, at = 0; slot < 60; slot++) {
				for (uint64_t i = full->begin[slot]; i < full->begin[slot + 1]; i++) {
					uint64_t neighbour = full->neighbours[i];
					if ((entries == GEMP_ENTRIES_BELOW && neighbour >= slot) ||
					    (entries == GEMP_ENTRIES_ABOVE && neighbour <= slot) ||
					    (with_bits && !is_requested(bits, 0, neighbour)))
						continue;
					right &= filtered.neighbours[at] == neighbour && filtered.edges[at] == full->edges[i];
					at++;
				}
				right &= filtered.begin[slot + 1] == at;
			}
			assert_all(right);
			gemp_view_free(&filtered);
		}
	fetch_case_free(&f);
}

/* CODES of slots and edge numbers as bytes. */
static void codes_of_all_sizes(void **state)
{
	(void)state;
	gemp_vertex slots[6] = { 0, 0, 127, 128, 70000, 4294967290u }, back[6];
	gemp_edge edges[6] = { UINT64_MAX / 2, 0, 5, 4, UINT64_C(1) << 40, 1 }, edges_back[6];
	uint8_t bytes[256];
	for (size_t count = 0; count <= 6; count++) {
		uint8_t *end = gemp_edges_put(gemp_slots_put(bytes, slots, count), edges, count);
		assert_true((size_t)(end - bytes) <= gemp_row_code_max_bytes(count, true));
		const uint8_t *from = gemp_slots_get(bytes, end, back, count);
		assert_non_null(from);
		assert_true(gemp_edges_get(from, end, edges_back, count) == end);
		assert_memory_equal(back, slots, count * sizeof *slots);
		assert_memory_equal(edges_back, edges, count * sizeof *edges);
		for (uint8_t *cut = bytes; cut < from; cut++) /* an array of bytes that ends too early is an error */
			assert_null(gemp_slots_get(bytes, cut, back, count));
	}
	memset(bytes, 255, sizeof bytes);
	uint64_t number;
	assert_null(gemp_varint_get(bytes, bytes + sizeof bytes, &number));
	assert_null(gemp_slots_get(bytes, bytes + sizeof bytes, back, 1));
	gemp_varint_put(bytes, UINT64_MAX);
	assert_null(gemp_slots_get(bytes, bytes + sizeof bytes, back, 1)); /* the slot is larger than any slot can be */
}

static gemp_code fetch_once(void *argument)
{
	fetch_case *f = argument;
	uint32_t bits[VIEWS][WORDS], *const rows[VIEWS] = { bits[0], bits[1] };
	gemp_fetch *fetch = NULL;
	gemp_code code = GEMP_OK;
	memset(bits, 0, sizeof bits);
	bits[0][0] = bits[1][0] = 0xff;
	GEMP_TRY_DONE(
		gemp_fetch_new(&fetch, f->context, f->graph, &f->some->order, &f->some->residency, f->some->views, VIEWS));
	GEMP_TRY_DONE(gemp_fetch_rows(fetch, rows, NULL));
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, gemp_row_cache_trim(&fetch->cache, 40)));
done:
	gemp_fetch_free(fetch);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	fetch_case f;
	if (test_comm.size > 3)
		return;
	fetch_case_new(&f, 40, 120, 0);
	assert_all_survive_no_memory(fetch_once, &f);
	fetch_case_free(&f);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_requests), cmocka_unit_test(parts_of_rows),      cmocka_unit_test(rows_are_sent_once),
		cmocka_unit_test(filtered_views),  cmocka_unit_test(codes_of_all_sizes), cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
