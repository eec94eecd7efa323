/* Tests components and spanning forests of random multigraphs that are distributed at random, against a plain
 * union-find. */
#include "components_case.h"
#include "device/open.h"

static gemp_device *device;

/* The kernels of the form for GPUs are tested by topology_components_ranks.c. */
static void check_places(const test_world *w)
{
	check_components(w, device, GEMP_PLACE_HOST, GEMP_FORM_AUTO);
	check_components(w, device, GEMP_PLACE_DEVICE, GEMP_FORM_AUTO);
}

static void check_all(size_t vertices, size_t edges, size_t reach, uint64_t seed)
{
	test_world w;
	test_world_make(&w, test_comm.rank, test_comm.size, vertices, edges, reach, seed);
	check_places(&w);
	test_world_free(&w);
}

static int open_device(void **state)
{
	(void)state;
	return gemp_device_open(&device, NULL, test_comm.node_rank, test_comm.node_size, 0) == GEMP_OK ? 0 : -1;
}

static int close_device(void **state)
{
	(void)state;
	gemp_device_close(device);
	device = NULL;
	return 0;
}

static void tiny_graphs(void **state)
{
	(void)state;
	for (size_t vertices = 0; vertices < 4; vertices++)
		for (size_t edges = 0; edges < 4; edges++)
			check_all(vertices, edges, 4, 100 * vertices + edges);
}

static void random_graphs(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int round = 0; round < (test_comm.size > 1 ? 15 : 40); round++) {
		size_t vertices = 1 + test_below(&seed, 1 << (1 + test_below(&seed, 10)));
		size_t edges = test_below(&seed, 2 * vertices), reach = 1 + test_below(&seed, vertices);
		check_all(vertices, edges, reach, gemp_random(&seed));
	}
}

/* Pieces of a long path, a star, and edges between v and N - 1 - v. On a path, roots are hooked one after the other. */
static void paths_and_stars(void **state)
{
	(void)state;
	enum { N = 3000 };
	for (int kind = 0; kind < 3; kind++) {
		test_world w;
		test_world_make(&w, test_comm.rank, test_comm.size, N, N, 1, (uint64_t)kind);
		for (size_t e = 0; e < w.edges[0].count; e++) {
			gemp_vertex source = w.edges[0].source[e];
			gemp_vertex next = (source + 1) % N, across = N - 1 - source;
			w.edges[0].target[e] = kind == 0 ? next : kind == 1 ? N - 1 : across;
		}
		check_places(&w);
		test_world_free(&w);
	}
}

static gemp_code find_once(void *world)
{
	gemp_components found;
	const test_world *w = world;
	const gemp_components_options options = { .place = GEMP_PLACE_HOST, .tree = true };
	uint64_t *size = NULL;
	gemp_code code = gemp_components_find(&found, &test_comm, device, w->bounds, w->own, w->types, &options);
	if (code != GEMP_OK)
		return code;
	code = gemp_comm_agree(&test_comm, GEMP_NEW(size, found.rows));
	if (code == GEMP_OK)
		code = gemp_component_sizes_by_vertex(size, &found, &test_comm, w->bounds);
	gemp_free(size);
	gemp_components_free(&found);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 3)
		skip(); /* takes long and tests nothing new on more ranks */
	test_world w;
	test_world_make(&w, test_comm.rank, test_comm.size, 20, 15, 20, 5);
	assert_all_survive_no_memory(find_once, &w);
	test_world_free(&w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(tiny_graphs, open_device),
		cmocka_unit_test(random_graphs),
		cmocka_unit_test(paths_and_stars),
		cmocka_unit_test_teardown(memory_may_run_out, close_device),
	};
	return test_main_all(argc, argv, tests);
}
