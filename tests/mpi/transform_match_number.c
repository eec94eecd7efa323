/* Numbers of matches by their first vertices, for random rows on all ranks: the number of a marked row is the count of
 * marked rows whose first vertex has a smaller key, and rows that share a first vertex are refused. */
#include "memory_fixture.h"

#include "core/random.h"
#include "partition/exchange/value_exchange.h"
#include "transform/conflicts/match_number.h"

enum { MAX_ROWS = 40 };

/* The rows of all ranks, which every rank draws alike. */
typedef struct all_rows {
	size_t count;
	uint64_t vertex[MAX_ROWS]; /* an id, or GEMP_NO_ELEMENT */
	uint32_t rank[MAX_ROWS];   /* the rank of the vertex's key */
	int owner[MAX_ROWS];
	bool marked[MAX_ROWS], repeated;
} all_rows;

/* Rows have different vertices unless `repeat`, which lets marked rows share one, on one rank or on two. */
static void draw(all_rows *all, const gemp_shard *graph, bool repeat, uint64_t *seed)
{
	gemp_vertex ids[MAX_ROWS];
	const uint64_t vertices = graph->vertex_count, first = gemp_random(seed);
	*all = (all_rows){ .count = (size_t)gemp_random_below(seed, vertices + 1) };
	for (size_t i = 0; i < all->count; i++) {
		all->vertex[i] = ids[i] = (gemp_vertex)((first % vertices + i * 5) % vertices); /* 5 and 24 are coprime */
		all->owner[i] = (int)gemp_random_below(seed, (uint64_t)test_comm.size);
		all->marked[i] = gemp_random_below(seed, 4) > 0;
		if (repeat && i && gemp_random_below(seed, 8) == 0)
			all->vertex[i] = ids[i] = (gemp_vertex)all->vertex[gemp_random_below(seed, i)];
		for (size_t k = 0; k < i; k++)
			all->repeated |= all->marked[i] && all->marked[k] && all->vertex[i] == all->vertex[k];
	}
	if (!repeat && all->count && gemp_random_below(seed, 2))
		all->vertex[0] = GEMP_NO_ELEMENT;
	assert_all_ok(
		gemp_vertex_numbers(&test_comm, GEMP_OK, graph->bounds, graph->key_ranks, ids, all->count, all->rank, NULL));
	if (all->count && all->vertex[0] == GEMP_NO_ELEMENT)
		all->rank[0] = UINT32_MAX;
}

/* Local. Makes this rank's part, whose first column has edges, so that the vertices are those of the second. */
static gemp_code make_frame(gemp_frame *frame, uint8_t *marked, size_t *row_of, const all_rows *all)
{
	GEMP_TRY(gemp_frame_init(frame, 2));
	GEMP_TRY(gemp_frame_set(frame, 0, GEMP_CELL_EDGE, "e", GEMP_INTEGER));
	GEMP_TRY(gemp_frame_set(frame, 1, GEMP_CELL_VERTEX, "v", GEMP_INTEGER));
	for (size_t i = 0; i < all->count; i++) {
		if (all->owner[i] != test_comm.rank)
			continue;
		GEMP_TRY(gemp_frame_add_element(&frame->columns[0], frame->rows, 7));
		GEMP_TRY(gemp_frame_add_element(&frame->columns[1], frame->rows, all->vertex[i]));
		marked[frame->rows] = all->marked[i];
		row_of[i] = frame->rows++;
	}
	return GEMP_OK;
}

static uint64_t expected_number(const all_rows *all, size_t i)
{
	uint64_t before = 0;
	for (size_t k = 0; k < all->count; k++)
		before += all->marked[k] && all->rank[k] < all->rank[i];
	return before;
}

static void test_numbers_follow_keys(void **state)
{
	uint64_t seed = test_seed_all();
	gemp_shard *graph = build_graph();
	size_t refused = 0, numbered = 0;
	(void)state;
	assert_all_ok(gemp_shard_load_keys(graph));
	for (int round = 0; round < 60; round++) {
		all_rows all;
		gemp_frame frame = { 0 };
		uint8_t marked[MAX_ROWS];
		size_t row_of[MAX_ROWS];
		uint64_t number[MAX_ROWS], total = 0;
		bool distinct, right = true;
		draw(&all, graph, round % 3 == 0, &seed);
		assert_all_ok(make_frame(&frame, marked, row_of, &all));
		for (size_t i = 0; i < all.count; i++)
			total += all.marked[i];
		assert_all_ok(gemp_match_number_by_vertex(&test_comm, graph, &frame, marked, total, number, &distinct));
		assert_all(distinct == !all.repeated);
		for (size_t i = 0; distinct && i < all.count; i++)
			if (all.owner[i] == test_comm.rank && all.marked[i])
				right &= number[row_of[i]] == expected_number(&all, i);
		assert_all(right);
		refused += !distinct;
		numbered += distinct && all.count > 2;
		gemp_frame_free(&frame);
	}
	assert_all(refused && numbered);
	gemp_shard_free(graph);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_numbers_follow_keys, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
