/* Tests breadth-first search on one rank with several kernel shapes. Levels and smallest parents must equal those that
 * a plain search over a list of arcs finds. */
#include "analytics/layout/layout.h"
#include "comm/comm.h"
#include "device/open.h"
#include "harness/traverse_case.h"

static gemp_device *device;
static gemp_comm comm;

/* Each shape is compiled to a program of its own. */
static const gemp_frontier_shape shapes[] = {
	{ 0 },
	{ .slice = 4, .chunk = 1, .batch = 1 },
	{ .slice = 8, .piece = 5, .lane_max = 2 },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void search_all(gas_case *c, const gemp_bfs_options *options, gemp_edge_direction direction, uint64_t *seed)
{
	size_t count;
	gas_arc *arcs = gas_case_arcs(c, NULL, direction, &count);
	gemp_layout layout;
	gemp_bfs *bfs;
	const gemp_layout_options how = { .direction = direction, .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT };
	assert_ok(gemp_layout_new(&layout, &comm, c->graph, &how));
	assert_ok(gemp_bfs_new(&bfs, &layout, device, options));
	for (int i = 0; i < 4; i++) {
		uint32_t source = (uint32_t)gemp_random_below(seed, c->n);
		const char *wrong = check_bfs(c, bfs, &layout, arcs, count, source);
		if (wrong)
			fail_msg("%s from %u of %s, direction %d, along %d, slice %u", wrong, source, c->name,
			         (int)options->direction, (int)direction, options->shape.slice);
	}
	gemp_bfs_free(bfs);
	gemp_layout_free(&layout);
	free(arcs);
}

static void random_graphs(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (int round = 0; round < 6 * GAS_SHAPES; round++) {
		gas_case c;
		const int s = round / 2 % SHAPES;
		assert_ok(gas_case_new(&c, &comm, round % GAS_SHAPES, gemp_random(&seed), 1 + (uint32_t)round % 20));
		const gemp_bfs_options options = { .any = round % 5 == 0,
			                               .direction = (gemp_bfs_direction)(round / 8 % 3),
			                               .alpha = round % 7 ? 0 : 2,
			                               .beta = round % 7 ? 0 : 3,
			                               .pass = s == 0 && round % 4 == 1 ? GEMP_FRONTIER_PASS_SHUFFLE
			                                                                : GEMP_FRONTIER_PASS_AUTO,
			                               .shape = shapes[s] };
		search_all(&c, &options, (gemp_edge_direction)gemp_random_below(&seed, 3), &seed);
		gas_case_free(&c);
	}
}

/* One search runs several rounds by push and several rounds by pull, and finds the right levels and parents. */
static void search_changes_direction(void **state)
{
	(void)state;
	gas_case c;
	size_t count;
	gemp_layout layout;
	gemp_bfs *bfs;
	gemp_bfs_result r;
	const gemp_bfs_options options = { .alpha = 1000, .beta = 2 };
	const gemp_layout_options how = { .direction = GEMP_EITHER_WAY, .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT };
	assert_ok(gas_case_new(&c, &comm, 4, 7, 20));
	gas_arc *arcs = gas_case_arcs(&c, NULL, GEMP_EITHER_WAY, &count);
	assert_ok(gemp_layout_new(&layout, &comm, c.graph, &how));
	assert_ok(gemp_bfs_new(&bfs, &layout, device, &options));
	assert_null(check_bfs(&c, bfs, &layout, arcs, count, 0));
	assert_ok(gemp_bfs_run(bfs, id_of(&c, 0), &r));
	assert_true(r.pulls > 1 && r.pushes > 1);
	assert_int_equal(r.pulls + r.pushes, r.cost.rounds);
	assert_code(gemp_bfs_run(bfs, c.n, &r), GEMP_EUSAGE);
	assert_message("there is no vertex");
	gemp_bfs_free(bfs);
	gemp_layout_free(&layout);
	gas_case_free(&c);
	free(arcs);
}

/* The graph has more levels than GAS_LOOK has bits. Every level but the first has two vertices, and both vertices of a
 * level are joined to both vertices of the next level. The search runs with each setting of its direction. */
static void many_levels(void **state)
{
	(void)state;
	enum { LEVELS = 2 * GAS_LEVELS + 9 };
	static const gemp_bfs_options options[] = {
		{ 0 }, { .direction = GEMP_BFS_PUSH }, { .direction = GEMP_BFS_PULL }, { .alpha = UINT32_MAX, .beta = 100 }
	};
	uint64_t random = 1;
	size_t count;
	gas_case c = { .n = 2 * LEVELS + 1, .undirected = { true, true } };
	gemp_layout layout;
	const gemp_layout_options how = { .direction = GEMP_EITHER_WAY, .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT };
	for (uint32_t v = 0; v < c.n - 2; v++)
		for (uint32_t next = v + 1 + v % 2, w = next; w < next + 2; w++)
			gas_case_edge(&c, &random, v, w);
	assert_ok(gas_case_build(&c, &comm, 3));
	gas_arc *arcs = gas_case_arcs(&c, NULL, GEMP_EITHER_WAY, &count);
	assert_ok(gemp_layout_new(&layout, &comm, c.graph, &how));
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		gemp_bfs *bfs;
		gemp_bfs_result r;
		assert_ok(gemp_bfs_new(&bfs, &layout, device, &options[i]));
		for (uint32_t source = 0; source < c.n; source += c.n / 2)
			assert_null(check_bfs(&c, bfs, &layout, arcs, count, source));
		assert_ok(gemp_bfs_run(bfs, id_of(&c, 0), &r));
		assert_true(r.depth > GAS_LEVELS);
		gemp_bfs_free(bfs);
	}
	gemp_layout_free(&layout);
	gas_case_free(&c);
	free(arcs);
}

/* check_bfs detects a parent that is not the smallest one and a level that is too large. To provoke each error, the
 * test adds to the reference an arc that the graph does not have. */
static void check_detects_wrong_answers(void **state)
{
	(void)state;
	gas_case c;
	size_t count;
	gemp_layout layout;
	gemp_bfs *bfs;
	const gemp_layout_options how = { .direction = GEMP_EITHER_WAY, .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT };
	assert_ok(gas_case_new(&c, &comm, 2, 11, 4));
	gas_arc *arcs = gas_case_arcs(&c, NULL, GEMP_EITHER_WAY, &count);
	uint32_t *level = calloc(c.n + 1, sizeof *level), *parent = calloc(c.n + 1, sizeof *parent), farther = 0;
	bool less = false;
	gas_reference_levels(&c, arcs, count, 0, level);
	reference_parents(&c, arcs, count, level, parent);
	assert_ok(gemp_layout_new(&layout, &comm, c.graph, &how));
	assert_ok(gemp_bfs_new(&bfs, &layout, device, NULL));
	assert_null(check_bfs(&c, bfs, &layout, arcs, count, 0));
	arcs = realloc(arcs, (count + 1) * sizeof *arcs);
	for (uint32_t v = 0; v < c.n && !less; v++)
		for (uint32_t u = 0; u < c.n && !less && parent[v] != NOBODY; u++) {
			less = level[u] + 1 == level[v] && u < parent[v];
			arcs[count] = (gas_arc){ .from = u, .to = v };
		}
	assert_true(less);
	assert_string_equal(check_bfs(&c, bfs, &layout, arcs, count + 1, 0), "parents");
	while (level[farther] < 2 || level[farther] == UINT32_MAX)
		farther++;
	arcs[count] = (gas_arc){ .from = 0, .to = farther };
	assert_string_equal(check_bfs(&c, bfs, &layout, arcs, count + 1, 0), "levels");
	gemp_bfs_free(bfs);
	gemp_layout_free(&layout);
	free(level);
	free(parent);
	free(arcs);
	gas_case_free(&c);
}

/* A graph without vertices has no source, so BFS and SSSP fail with GEMP_EUSAGE. */
static void graph_without_vertices(void **state)
{
	(void)state;
	gas_case c = { .n = 0 };
	gemp_layout layout;
	gemp_bfs *bfs;
	gemp_sssp *sssp;
	gemp_bfs_result levels;
	gemp_sssp_result distances;
	const gemp_layout_options how = { .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT };
	assert_ok(gas_case_build(&c, &comm, 1));
	assert_ok(gemp_layout_new(&layout, &comm, c.graph, &how));
	assert_ok(gemp_bfs_new(&bfs, &layout, device, NULL));
	assert_ok(gemp_sssp_new(&sssp, &layout, device, NULL));
	assert_code(gemp_bfs_run(bfs, 0, &levels), GEMP_EUSAGE);
	assert_code(gemp_sssp_run(sssp, 0, &distances), GEMP_EUSAGE);
	gemp_bfs_free(bfs);
	gemp_sssp_free(sssp);
	gemp_layout_free(&layout);
	gas_case_free(&c);
}

static gemp_code search_once(void *self)
{
	gemp_layout *layout = self;
	gemp_bfs *bfs;
	gemp_bfs_result r;
	gemp_code code = gemp_bfs_new(&bfs, layout, device, NULL);
	if (code == GEMP_OK)
		code = gemp_bfs_run(bfs, 0, &r);
	gemp_bfs_free(bfs);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	gas_case c;
	gemp_layout layout;
	const gemp_layout_options how = { .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT };
	assert_ok(gas_case_new(&c, &comm, 5, 3, 2));
	assert_ok(gemp_layout_new(&layout, &comm, c.graph, &how));
	assert_survives_no_memory(search_once, &layout);
	gemp_layout_free(&layout);
	gas_case_free(&c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_graphs),
		cmocka_unit_test(search_changes_direction),
		cmocka_unit_test(many_levels),
		cmocka_unit_test(check_detects_wrong_answers),
		cmocka_unit_test(graph_without_vertices),
		cmocka_unit_test(memory_may_run_out),
	};
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
