/* Tests reversed graphs: they must equal the graphs that the builder makes of edges with swapped ends. */
#include "core/log.h"
#include "graph_fixture.h"

#include "comm/comm.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "device/tuning.h"
#include "graph/graph.h"
#include "harness/limits.h"
#include "primitive/toolbox.h"
#include "topology/reverse.h"

static const gemp_comm alone = { .world = MPI_COMM_SELF, .size = 1, .node = MPI_COMM_SELF, .node_size = 1 };
static gemp_device *device; /* one on each rank */

static void open_device(void **state)
{
	(void)state;
	assert_all_ok(gemp_device_open(&device, NULL, test_comm.node_rank, test_comm.node_size, 0));
}

static void close_device(void **state)
{
	(void)state;
	gemp_device_close(device);
}

static void swap_ends(fixture *made, const char *type)
{
	for (size_t e = 0; e < made->edge_count; e++) {
		fixture_edge *edge = &made->edges[e];
		size_t source = edge->source;
		if (type && strcmp(edge->type, type) != 0)
			continue;
		edge->source = edge->target;
		edge->target = source;
	}
}

/* Reverses the edges of one type, or all edges if type is NULL, and compares the graph with the builder's. */
static void check(fixture *made, const char *type, bool undirected, gemp_placement place, uint64_t order)
{
	const gemp_builder_options how = { .seed = 1, .undirected = undirected };
	gemp_shard *turned, *right;
	gemp_reverse_stats figures;
	bool chosen[8] = { false };
	uint64_t edges = 0;
	assert_all_ok(fixture_build(&turned, made, &test_comm, &how, order));
	for (size_t r = 0; r < turned->relation_count; r++) {
		chosen[r] = !type || strcmp(turned->relations[r].name, type) == 0;
		edges += chosen[r] && !undirected ? turned->relations[r].edge_count : 0;
	}
	assert_all_ok(gemp_shard_reverse(turned, &test_comm, type ? chosen : NULL, device, place, &figures));
	assert_all(figures.edges == edges);
	assert_all(place == GEMP_PLACE_AUTO ||
	           (place == GEMP_PLACE_HOST ? !figures.on_device : figures.on_device || test_comm.size == 1 || !edges));
	assert_all(test_comm.size > 1 || figures.traffic.bytes == 0);
	if (!undirected)
		swap_ends(made, type);
	assert_all_ok(fixture_build(&right, made, &alone, &how, order + 1));
	assert_all(same_graph(turned, right));
	gemp_shard_free(turned);
	gemp_shard_free(right);
}

static void random_graphs(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int round = 0; round < 12; round++) {
		size_t vertices = gemp_random_below(&seed, round % 2 ? 8 : 60), edges = gemp_random_below(&seed, 200);
		fixture made = fixture_new(vertices, edges, (fixture_keys)(round % 3), gemp_random(&seed));
		TEST_LIMIT(reverse_round, round % 3 ? 1 + gemp_random_below(&seed, 20) : gemp_limits_default.reverse_round);
		TEST_LIMIT(reverse_device_round,
		           round < 4 ? 20 + gemp_random_below(&seed, 50) : gemp_limits_default.reverse_device_round);
		TEST_LIMIT(toolbox_form, round % 4 == 1 ? GEMP_FORM_GROUPS : GEMP_FORM_AUTO);
		gemp_placement place = round % 2 ? GEMP_PLACE_DEVICE : GEMP_PLACE_HOST;
		check(&made, NULL, false, place, 10 * (uint64_t)round);
		check(&made, "KNOWS", false, place, 10 * (uint64_t)round + 2);
		check(&made, "no such type", false, place, 10 * (uint64_t)round + 4);
		if (round < 2)
			check(&made, NULL, true, place, 10 * (uint64_t)round + 6);
		fixture_free(&made);
	}
	TEST_LIMIT_DEFAULT(reverse_round);
	TEST_LIMIT_DEFAULT(reverse_device_round);
	TEST_LIMIT_DEFAULT(toolbox_form);
}

/* A device numbers fewer edges than lead to a rank: a demanded device is an error on all ranks, otherwise the hosts
 * reverse the edges. */
static void more_edges_than_devices_number(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	gemp_tuning_set(device, "reverse.host_below", 1);
	for (int round = 0; round < 6; round++) {
		const bool beyond = round % 2;
		fixture made = fixture_new(60, 300, KEYS_INTEGER, gemp_random(&seed));
		gemp_reverse_stats figures;
		gemp_shard *graph;
		TEST_LIMIT(device_elements, beyond ? 9 : gemp_limits_default.device_elements);
		TEST_LIMIT(reverse_device_round, 9);
		check(&made, NULL, false, GEMP_PLACE_AUTO, 10 * (uint64_t)round);
		assert_all_ok(fixture_build(&graph, &made, &test_comm, &(gemp_builder_options){ .seed = 1 }, 1));
		assert_all_code(gemp_shard_reverse(graph, &test_comm, NULL, device, GEMP_PLACE_DEVICE, &figures),
		                beyond ? GEMP_ENOMEM : GEMP_OK);
		gemp_shard_free(graph);
		assert_all_ok(fixture_build(&graph, &made, &test_comm, &(gemp_builder_options){ .seed = 1 }, 1));
		assert_all_ok(gemp_shard_reverse(graph, &test_comm, NULL, device, GEMP_PLACE_AUTO, &figures));
		assert_all(figures.on_device == !beyond);
		gemp_shard_free(graph);
		fixture_free(&made);
	}
	gemp_tuning_set(device, "reverse.host_below", 0);
	TEST_LIMIT_DEFAULT(device_elements);
	TEST_LIMIT_DEFAULT(reverse_device_round);
}

static gemp_placement place_of_once;

static gemp_code reverse_once(void *graph)
{
	gemp_reverse_stats figures;
	gemp_shard *copy = NULL;
	const gemp_builder_options how = { .seed = 1 };
	gemp_code code = fixture_build(&copy, graph, &test_comm, &how, 1);
	if (code == GEMP_OK)
		code = gemp_shard_reverse(copy, &test_comm, NULL, device, place_of_once, &figures);
	gemp_shard_free(copy);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2)
		skip(); /* takes long and tests nothing new on more ranks */
	fixture made = fixture_new(4, 5, KEYS_INTEGER, 7);
	for (int on = 0; on < 2; on++) {
		place_of_once = on ? GEMP_PLACE_DEVICE : GEMP_PLACE_HOST;
		assert_all_ok(reverse_once(&made)); /* the device keeps programs */
		assert_all_survive_no_memory(reverse_once, &made);
	}
	fixture_free(&made);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_device),
		cmocka_unit_test(random_graphs),
		cmocka_unit_test(more_edges_than_devices_number),
		cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(close_device),
	};
	gemp_log_set_level(GEMP_QUIET); /* hides warnings about pairs that are listed in both directions */
	return test_main_all(argc, argv, tests);
}
