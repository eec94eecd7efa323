/* Tests BFS and SSSP on several ranks, on random graphs. Levels, distances and smallest parents must equal those of a
 * plain search over the list of arcs. */
#include "analytics/layout/layout.h"
#include "harness/device_main.h"
#include "harness/limits.h"
#include "harness/traverse_case.h"

static gemp_device *device;

/* Collective. Checks two searches from random sources. All ranks pass the same arguments. */
static void check_graph(gas_case *c, uint64_t *seed, gemp_edge_direction direction, int weights)
{
	size_t count;
	gas_arc *arcs = gas_case_arcs(c, NULL, direction, &count);
	gemp_layout layout;
	gemp_bfs *bfs = NULL;
	gemp_sssp *sssp = NULL;
	const char *wrong = NULL;
	const gemp_layout_options how = { .direction = direction,
		                              .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT,
		                              .weight = weights == 0   ? NULL
		                                        : weights == 1 ? "weight"
		                                                       : "cost",
		                              .wanted = GEMP_LAYOUT_LENGTHS,
		                              .device = gemp_random_below(seed, 2) ? device : NULL };
	const gemp_frontier_shape shape = { .batch = (uint32_t)gemp_random_below(seed, 6) };
	const gemp_frontier_pass pass = gemp_random_below(seed, 3) ? GEMP_FRONTIER_PASS_PUSH : GEMP_FRONTIER_PASS_SHUFFLE;
	/* also differently on the ranks, as with devices of different types */
	const uint64_t naming = (gemp_random_below(seed, 3) + (uint64_t)test_comm.rank * gemp_random_below(seed, 2)) % 3;
	const gemp_bfs_options bfs_options = { .direction = (gemp_bfs_direction)gemp_random_below(seed, 3),
		                                   .pass = pass,
		                                   .shape = shape };
	const gemp_sssp_options sssp_options = {
		.delta = (double)gemp_random_below(seed, 3), .pass = pass, .naming = (gemp_sssp_naming)naming, .shape = shape
	};
	assert_all_ok(gemp_layout_new(&layout, &test_comm, c->graph, &how));
	if (weights == 0)
		assert_all_ok(gemp_bfs_new(&bfs, &layout, device, &bfs_options));
	else
		assert_all_ok(gemp_sssp_new(&sssp, &layout, device, &sssp_options));
	for (int i = 0; i < 2 && !wrong; i++) {
		uint32_t source = (uint32_t)gemp_random_below(seed, c->n);
		wrong = bfs ? check_bfs(c, bfs, &layout, arcs, count, source)
		            : check_sssp(c, sssp, &layout, arcs, count, weights == 2, source);
	}
	if (wrong)
		printf("%s of %s, direction %d, along %d, weights %d, pass %d, batch %u\n", wrong, c->name,
		       (int)bfs_options.direction, (int)direction, weights, (int)pass, shape.batch);
	assert_all(!wrong);
	gemp_bfs_free(bfs);
	gemp_sssp_free(sssp);
	gemp_layout_free(&layout);
	free(arcs);
}

static void random_graphs(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int round = 0; round < 3 * GAS_SHAPES; round++) {
		gas_case c;
		assert_all_ok(gas_case_new(&c, &test_comm, round % GAS_SHAPES, gemp_random(&seed), 1 + (uint32_t)round % 5));
		TEST_LIMIT(halo_kernels, round % 2);
		TEST_LIMIT(renumber_min, 1);
		TEST_LIMIT(renumber_chunk, 1 + gemp_random_below(&seed, round % 3 ? 50 : 5000));
		TEST_LIMIT(halo_shared, round % 5 ? -1 : 0);
		TEST_LIMIT(search_warm_up, round % 3 == 0);
		check_graph(&c, &seed, (gemp_edge_direction)gemp_random_below(&seed, 3), round / GAS_SHAPES);
		gas_case_free(&c);
	}
	TEST_LIMIT_DEFAULT(halo_kernels);
	TEST_LIMIT_DEFAULT(renumber_min);
	TEST_LIMIT_DEFAULT(renumber_chunk);
	TEST_LIMIT_DEFAULT(halo_shared);
	TEST_LIMIT_DEFAULT(search_warm_up);
}

/* A search sends bytes exactly if there are several ranks. A source beyond the last vertex is an error. */
static void traffic_is_reported(void **state)
{
	(void)state;
	gas_case c;
	gemp_layout layout;
	gemp_bfs *bfs;
	gemp_bfs_result r;
	const gemp_layout_options how = { .direction = GEMP_EITHER_WAY, .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT };
	assert_all_ok(gas_case_new(&c, &test_comm, 1, 5, 5));
	assert_all_ok(gemp_layout_new(&layout, &test_comm, c.graph, &how));
	assert_all_ok(gemp_bfs_new(&bfs, &layout, device, NULL));
	assert_all_ok(gemp_bfs_run(bfs, 0, &r));
	uint64_t bytes = gemp_comm_sum1(&test_comm, r.cost.traffic.bytes);
	assert_all((bytes > 0) == (test_comm.size > 1));
	assert_all_code(gemp_bfs_run(bfs, (gemp_vertex)c.n, &r), GEMP_EUSAGE);
	gemp_bfs_free(bfs);
	gemp_layout_free(&layout);
	gas_case_free(&c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_graphs),
		cmocka_unit_test(traffic_is_reported),
	};
	return test_main_on_device(argc, argv, tests, sizeof tests / sizeof *tests, &device);
}
