/* Searches by kernels in groups, as a GPU has them, on a CPU device too, where warps are emulated and PoCL takes minutes to
 * build them: rows in slices, in pieces, by eight lanes and by one. */
#include "harness/traverse_case.h"

static gemp_device *device;
static gemp_comm comm;

static const gemp_frontier_shape shape = { .groups = true, .slice = 200, .piece = 20, .alone = 2 };

static void check_graph(gas_case *c, bool weighted, bool costs, bool shuffle, uint64_t *seed)
{
	size_t count;
	gas_arc *arcs = gas_case_arcs(c, NULL, GEMP_GAS_EITHER, &count);
	gemp_gas_layout layout;
	gemp_bfs *bfs = NULL;
	gemp_sssp *sssp = NULL;
	const gemp_gas_pass pass = shuffle ? GEMP_GAS_PASS_SHUFFLE : GEMP_GAS_PASS_PUSH;
	const gemp_bfs_options bfs_options = { .direction = (gemp_bfs_direction)gemp_random_below(seed, 3), .pass = pass,
	                                       .shape = shape };
	const gemp_sssp_options sssp_options = { .pass = pass, .shape = shape };
	const gemp_gas_layout_options how = { .direction = GEMP_GAS_EITHER, .parts = GEMP_GAS_IN | GEMP_GAS_OUT,
	                                      .weight = !weighted ? NULL : costs ? "cost" : "weight",
	                                      .wanted = GEMP_GAS_LENGTHS };
	assert_ok(gemp_gas_layout_new(&layout, &comm, c->graph, &how));
	if (weighted)
		assert_ok(gemp_sssp_new(&sssp, &layout, device, &sssp_options));
	else
		assert_ok(gemp_bfs_new(&bfs, &layout, device, &bfs_options));
	for (int i = 0; i < 4; i++) {
		uint32_t source = (uint32_t)gemp_random_below(seed, c->n);
		const char *wrong = bfs ? check_bfs(c, bfs, &layout, arcs, count, source, false)
		                        : check_sssp(c, sssp, &layout, arcs, count, costs, source);
		if (wrong)
			fail_msg("%s from %u of %s, weighted %d, costs %d, shuffle %d", wrong, source, c->name, weighted, costs, shuffle);
	}
	gemp_bfs_free(bfs);
	gemp_sssp_free(sssp);
	gemp_gas_layout_free(&layout);
	free(arcs);
}

static void random_graphs(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (int round = 0; round < 8 * GAS_SHAPES; round++) {
		gas_case c;
		int kind = round / GAS_SHAPES;
		assert_ok(gas_case_new(&c, &comm, round % GAS_SHAPES, gemp_random(&seed), 1 + (uint32_t)round % 9));
		check_graph(&c, kind % 2, kind % 4 == 3, kind == 4 || kind == 5, &seed);
		gas_case_free(&c);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_graphs) };
	if (gemp_device_open(&device, NULL, 0, 1, 0) != GEMP_OK)
		return TEST_SKIPPED;
	MPI_Init(&argc, &argv);
	gemp_comm_new(&comm, MPI_COMM_SELF);
	int failed = test_main(tests);
	gemp_comm_free(&comm);
	MPI_Finalize();
	gemp_device_close(device);
	return failed;
}
