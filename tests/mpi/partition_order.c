/* Tests slots: a permutation of the ids, ordered by descending degree class and then by id, the same on all ranks. */
#include "core/status.h"
#include "graph/graph.h"
#include "partition/views/view.h"

#include "core/memory.h"
#include "core/random.h"
#include "harness/collective.h"
#include "harness/limits.h"

#include <stdlib.h>

/* Makes a graph that has only bounds, which is all that the order needs. */
static gemp_shard make_shard(uint64_t *bounds, uint64_t vertices)
{
	gemp_shard graph = { .rank = test_comm.rank, .ranks = test_comm.size, .vertex_count = vertices, .bounds = bounds };
	graph.first_vertex = bounds[graph.rank];
	graph.rows = (size_t)(bounds[graph.rank + 1] - graph.first_vertex);
	return graph;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* Draws random bounds: ranks own different numbers of vertices, some none. */
static uint64_t *random_bounds(uint64_t vertices, uint64_t *random)
{
	uint64_t *bounds = calloc((size_t)test_comm.size + 1, sizeof *bounds);
	for (int r = 1; r < test_comm.size; r++)
		bounds[r] = gemp_random_below(random, vertices + 1);
	bounds[test_comm.size] = vertices;
	qsort(bounds, (size_t)test_comm.size + 1, sizeof *bounds, compare_numbers);
	return bounds;
}

/* Computes a slot by its definition, by comparing the vertex with all other vertices. */
static uint64_t naive_slot(const uint64_t *degree, uint64_t vertices, uint64_t v)
{
	uint64_t before = 0;
	for (uint64_t w = 0; w < vertices; w++) {
		unsigned mine = gemp_degree_class(degree[v]), other = gemp_degree_class(degree[w]);
		before += other > mine || (other == mine && w < v);
	}
	return before;
}

static bool is_the_order(const gemp_slot_order *order, const uint64_t *degree, uint64_t vertices)
{
	bool right = order->vertices == vertices;
	for (uint64_t v = 0; right && v < vertices; v++) {
		uint64_t slot = naive_slot(degree, vertices, v);
		right = order->slot_of[v] == slot && order->id_of[slot] == v;
	}
	return right;
}

static uint64_t random_degree(uint64_t *random)
{
	switch (gemp_random_below(random, 4)) {
	case 0: return gemp_random_below(random, 20);
	case 1: return gemp_random_below(random, 400);
	case 2: return gemp_random(random) >> gemp_random_below(random, 64);
	default: return 7;
	}
}

static void check_order(uint64_t vertices, uint64_t *random)
{
	uint64_t *bounds = random_bounds(vertices, random), *degree = calloc(vertices + 1, sizeof *degree);
	gemp_shard graph = make_shard(bounds, vertices);
	gemp_slot_order order;
	for (uint64_t v = 0; v < vertices; v++)
		degree[v] = random_degree(random);
	assert_all_ok(gemp_slot_order_new(&order, &test_comm, &graph, degree + graph.first_vertex));
	assert_all(is_the_order(&order, degree, vertices));
	assert_all(!order.shared.bytes);
	gemp_slot_order_free(&order);
	assert_all(!order.slot_of && !order.id_of && gemp_memory_blocks() == 0);
	TEST_LIMIT(shared_min, 0);
	assert_all_ok(gemp_slot_order_new(&order, &test_comm, &graph, degree + graph.first_vertex));
	TEST_LIMIT(shared_min, SIZE_MAX);
	assert_all(is_the_order(&order, degree, vertices) && !order.shared.bytes == (vertices == 0 || test_comm.size == 1));
	gemp_slot_order_free(&order);
	assert_all(!order.slot_of && gemp_memory_blocks() == 0);
	free(bounds);
	free(degree);
}

static void slots_by_class_then_id(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	static const uint64_t sizes[] = { 0, 1, 2, 31, 32, 33, 300 };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		check_order(sizes[i], &random);
}

/* One rank owns all vertices, and the other ranks own none. */
static void all_on_one_rank(void **state)
{
	(void)state;
	uint64_t degree[50], *bounds = calloc((size_t)test_comm.size + 1, sizeof *bounds);
	for (int owner = 0; owner < test_comm.size; owner++) {
		gemp_slot_order order;
		for (int r = 0; r <= test_comm.size; r++)
			bounds[r] = r > owner ? 50 : 0;
		gemp_shard graph = make_shard(bounds, 50);
		for (uint64_t v = 0; v < 50; v++)
			degree[v] = v * v % 23;
		assert_all_ok(gemp_slot_order_new(&order, &test_comm, &graph, degree + graph.first_vertex));
		assert_all(is_the_order(&order, degree, 50));
		gemp_slot_order_free(&order);
	}
	free(bounds);
}

static void classes_rise_with_degrees(void **state)
{
	(void)state;
	for (uint64_t d = 0; d < 16; d++)
		assert_int_equal(gemp_degree_class(d), d);
	for (uint64_t d = 16; d < 100000; d++) {
		unsigned below = gemp_degree_class(d - 1), class = gemp_degree_class(d);
		assert_true(class == below || class == below + 1);
	}
	/* There are eight classes for each power of two. The largest degree of a class is less than 1/8 above its
	 * smallest. */
	for (uint64_t d = 16; d < UINT64_C(1) << 32; d += d / 9)
		assert_true(gemp_degree_class(d + d / 8 + 1) > gemp_degree_class(d));
	assert_int_equal(gemp_degree_class(16), 16);
	assert_int_equal(gemp_degree_class(17), 16);
	assert_int_equal(gemp_degree_class(18), 17);
	assert_int_equal(gemp_degree_class((UINT64_C(1) << 33) - 1), 16 + 29 * 8 - 1);
	assert_int_equal(gemp_degree_class(UINT64_MAX), 255);
	assert_int_equal(gemp_degree_class(UINT64_C(1) << 40), 255);
}

static gemp_code order_new_and_free(void *argument)
{
	gemp_slot_order order;
	gemp_shard *graph = argument;
	static const uint64_t degree[40] = { 3, 1, 2, 90 };
	gemp_code code = gemp_slot_order_new(&order, &test_comm, graph, degree);
	gemp_slot_order_free(&order);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	uint64_t random = test_seed_all(), *bounds = random_bounds(40, &random);
	gemp_shard graph = make_shard(bounds, 40);
	assert_all_survive_no_memory(order_new_and_free, &graph);
	TEST_LIMIT(shared_min, 0);
	assert_all_survive_no_memory(order_new_and_free, &graph);
	TEST_LIMIT(shared_min, SIZE_MAX);
	free(bounds);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_by_class_then_id),
		cmocka_unit_test(all_on_one_rank),
		cmocka_unit_test(classes_rise_with_degrees),
		cmocka_unit_test(memory_may_run_out),
	};
	TEST_LIMIT(shared_min, SIZE_MAX);
	return test_main_all(argc, argv, tests);
}
