/* Tests components and spanning forests on the devices of several ranks, in both forms of the kernels: long paths whose
 * vertices are in order or shuffled over the ranks, stars, isolated vertices, random graphs, tiny messages of the
 * exchange, and memory that runs out on one rank. */
#include "components_case.h"
#include "core/limits.h"
#include "device/open.h"
#include "harness/limits.h"

static gemp_device *device;
static gemp_form form;

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

/* The kernels for CPU devices in the first tests, those for GPUs in the others: programs stay loaded, as only a few
 * are. */
static void choose_form(gemp_form wanted)
{
	form = wanted;
	TEST_LIMIT(csr_lanes, form == GEMP_FORM_GROUPS ? 32 : 0);
}

/* A world of one type with `count` edges, from sources[] to targets[]. A counting sort orders them by source. */
static void make_world(test_world *w, size_t vertices, size_t count, const gemp_vertex *sources,
                       const gemp_vertex *targets, uint64_t seed)
{
	test_world_make(w, test_comm.rank, test_comm.size, vertices, 0, 1, seed);
	for (size_t type = 0; type < w->types; type++) {
		gemp_free(w->edges[type].source);
		gemp_free(w->edges[type].target);
		gemp_free(w->begin[type]);
	}
	w->types = 1;
	test_edges *edges = &w->edges[0];
	*edges = (test_edges){ vertices, count, gemp_calloc(count, sizeof *sources), gemp_calloc(count, sizeof *targets) };
	size_t *at = gemp_calloc(vertices + 1, sizeof *at);
	for (size_t e = 0; e < count; e++)
		at[sources[e] + 1]++;
	for (size_t v = 0; v < vertices; v++)
		at[v + 1] += at[v];
	for (size_t e = 0; e < count; e++) {
		const size_t to = at[sources[e]]++;
		edges->source[to] = sources[e];
		edges->target[to] = targets[e];
	}
	gemp_free(at);
	test_world_own(w, 0, test_comm.rank);
}

enum { IN_ORDER, REVERSED, SHUFFLED, STAR, COMB, SHAPES };

/* The vertex at place i of a path. */
static gemp_vertex vertex_at(int shape, const gemp_vertex *shuffled, size_t vertices, size_t i)
{
	return shape == SHUFFLED ? shuffled[i] : shape == REVERSED ? (gemp_vertex)(vertices - 1 - i) : (gemp_vertex)i;
}

/* Two paths, of which one has most vertices; a star; or pairs v, v + vertices / 2 joined by every 8th vertex. */
static void check_shape(int shape, size_t vertices, uint64_t seed)
{
	test_world w;
	size_t count = 0;
	gemp_vertex *sources = gemp_calloc(2 * vertices, sizeof *sources),
				*targets = gemp_calloc(2 * vertices, sizeof *targets),
				*shuffled = gemp_calloc(vertices, sizeof *shuffled);
	for (size_t v = 0; v < vertices; v++) {
		const size_t at = test_below(&seed, v + 1);
		shuffled[v] = shuffled[at];
		shuffled[at] = (gemp_vertex)v;
	}
	for (size_t i = 0; i + 1 < vertices; i++) {
		gemp_vertex from = vertex_at(shape, shuffled, vertices, i), to = vertex_at(shape, shuffled, vertices, i + 1);
		if (shape == STAR)
			to = (gemp_vertex)(vertices - 1);
		else if (shape == COMB && i % 8)
			to = (gemp_vertex)((i + vertices / 2) % vertices);
		if (i == vertices / 5)
			continue;
		sources[count] = test_below(&seed, 2) ? from : to;
		targets[count] = sources[count] == from ? to : from;
		count++;
	}
	make_world(&w, vertices, count, sources, targets, seed);
	check_components(&w, device, GEMP_PLACE_DEVICE, form);
	test_world_free(&w);
	gemp_free_all(sources, targets, shuffled);
}

static void check_shapes(size_t vertices)
{
	const uint64_t seed = test_seed_all();
	for (int shape = 0; shape < 2 * SHAPES; shape++) {
		/* with and without rounds of contraction */
		TEST_LIMIT(components_links, shape < SHAPES ? 0 : gemp_limits_default.components_links);
		check_shape(shape % SHAPES, vertices + (size_t)shape, seed + (uint64_t)shape);
	}
	TEST_LIMIT_DEFAULT(components_links);
}

static void check_random(int rounds)
{
	uint64_t seed = test_seed_all();
	for (int round = 0; round < rounds; round++) {
		test_world w;
		const size_t vertices = 1 + test_below(&seed, (size_t)1 << (1 + test_below(&seed, 11)));
		const size_t edges = test_below(&seed, 2 * vertices), reach = 1 + test_below(&seed, vertices);
		TEST_LIMIT(exchange_chunk, round % 2 ? gemp_limits_default.exchange_chunk : 13);
		TEST_LIMIT(components_links, round % 4 < 2 ? gemp_limits_default.components_links : test_below(&seed, 40));
		test_world_make(&w, test_comm.rank, test_comm.size, vertices, edges, reach, gemp_random(&seed));
		check_components(&w, device, GEMP_PLACE_DEVICE, form);
		test_world_free(&w);
	}
	TEST_LIMIT_DEFAULT(exchange_chunk);
	TEST_LIMIT_DEFAULT(components_links);
}

/* SYMMETRIC ROWS */

/* Adds both directions of an edge. */
static size_t add_both(gemp_vertex *sources, gemp_vertex *targets, size_t count, size_t a, size_t b)
{
	sources[count] = targets[count + 1] = (gemp_vertex)a;
	targets[count] = sources[count + 1] = (gemp_vertex)b;
	return count + (a == b ? 1 : 2);
}

/* Finds how many ranks leave out rows, and checks the answer. */
static uint64_t check_symmetric(size_t vertices, size_t count, const gemp_vertex *sources, const gemp_vertex *targets,
                                uint64_t seed)
{
	test_world w;
	gemp_edge_sets sets;
	make_world(&w, vertices, count, sources, targets, seed);
	w.own[0].symmetric = true;
	TEST_LIMIT(components_sampled, 1);
	assert_all_ok(gemp_edge_sets_new(&sets, device, w.own, 1, GEMP_NO_SET_EDGES, true));
	const uint64_t skipping = gemp_comm_sum1(&test_comm, sets.skipped != UINT32_MAX);
	gemp_edge_sets_free(&sets);
	check_components(&w, device, GEMP_PLACE_DEVICE, form);
	TEST_LIMIT_DEFAULT(components_sampled);
	test_world_free(&w);
	return skipping;
}

/* Random graphs with few or many edges a vertex, and among nearby vertices or all, so with or without a large set. */
static void symmetric_rows_are_sampled(void **state)
{
	uint64_t seed = test_seed_all(), skipping = 0;
	(void)state;
	for (int round = 0; round < 12; round++) {
		const size_t vertices = 40 + test_below(&seed, 3000), edges = vertices * (1 + test_below(&seed, 9));
		const size_t reach = round % 3 ? vertices : 1 + test_below(&seed, 40);
		size_t count = 0;
		gemp_vertex *sources = gemp_calloc(2 * edges, sizeof *sources),
					*targets = gemp_calloc(2 * edges, sizeof *targets);
		for (size_t e = 0; e < edges; e++) {
			/* the last fifth of the vertices has few edges */
			const size_t from = test_below(&seed, test_below(&seed, 30) ? vertices * 4 / 5 : vertices);
			count = add_both(sources, targets, count, from, (from + test_below(&seed, reach)) % vertices);
		}
		skipping += check_symmetric(vertices, count, sources, targets, gemp_random(&seed));
		gemp_free_all(sources, targets);
	}
	assert_all(skipping > 0);
}

/* The vertices of each rank form one set. These sets are connected only by edges at the end of rows, which all ranks
 * leave out at first. */
static void large_sets_of_ranks_are_joined(void **state)
{
	const size_t ranks = (size_t)test_comm.size, each = 400, vertices = ranks * each;
	const uint64_t seed = test_seed_all();
	gemp_vertex *sources = gemp_calloc(20 * vertices, sizeof *sources),
				*targets = gemp_calloc(20 * vertices, sizeof *targets);
	test_world w;
	size_t count = 0;
	(void)state;
	test_world_make(&w, test_comm.rank, test_comm.size, vertices, 0, 1, seed); /* the bounds of make_world */
	for (size_t r = 0; r < ranks; r++)
		for (size_t v = (size_t)w.bounds[r]; v < w.bounds[r + 1]; v++)
			for (size_t step = 1; step <= 5; step++) {
				const size_t rows = (size_t)(w.bounds[r + 1] - w.bounds[r]);
				count = add_both(sources, targets, count, v, (size_t)w.bounds[r] + (v - w.bounds[r] + step) % rows);
			}
	for (size_t r = 1; r < ranks; r++)
		if (w.bounds[r] < w.bounds[r + 1] && w.bounds[r])
			count = add_both(sources, targets, count, (size_t)w.bounds[r] - 1, (size_t)w.bounds[r]);
	const uint64_t large = gemp_comm_sum1(&test_comm, w.bounds[test_comm.rank + 1] - w.bounds[test_comm.rank] > 100);
	test_world_free(&w);
	assert_all(check_symmetric(vertices, count, sources, targets, seed) >= large);
	gemp_free_all(sources, targets);
}

static void shapes_by_items(void **state)
{
	(void)state;
	choose_form(GEMP_FORM_AUTO);
	check_shapes(1500);
}

static void random_graphs_by_items(void **state)
{
	(void)state;
	check_random(8);
}

/* The device copies rows like a GPU, in tiny pieces, and kernels unite the edges of a few pieces at a time. */
static void rows_arrive_in_parts(void **state)
{
	const bool gpu = device->gpu;
	(void)state;
	choose_form(GEMP_FORM_GROUPS);
	device->gpu = true;
	TEST_LIMIT(transfer_chunk, 512);
	TEST_LIMIT(components_part, 300);
	check_random(4);
	check_shapes(1200);
	symmetric_rows_are_sampled(state);
	TEST_LIMIT_DEFAULT(transfer_chunk);
	TEST_LIMIT_DEFAULT(components_part);
	device->gpu = gpu;
	choose_form(GEMP_FORM_AUTO);
}

static bool with_forest;

static gemp_code find_once(void *world)
{
	gemp_components found;
	const test_world *w = world;
	const gemp_components_options options = { .place = GEMP_PLACE_DEVICE, .tree = with_forest };
	gemp_code code = gemp_components_find(&found, &test_comm, device, w->bounds, w->own, w->types, &options);
	if (code == GEMP_OK)
		gemp_components_free(&found);
	return code;
}

static void host_memory_may_run_out(void **state)
{
	(void)state;
	test_world w;
	if (test_comm.size > 3)
		skip(); /* takes long and tests nothing new on more ranks */
	test_world_make(&w, test_comm.rank, test_comm.size, 20, 15, 20, 5);
	for (int forest = 0; forest < 2; forest++) {
		with_forest = forest;
		assert_all_survive_no_memory(find_once, &w);
	}
	test_world_free(&w);
}

/* One rank's device has too little memory: a demanded device is an error on all ranks; otherwise all ranks work on
 * their hosts. The tuning lets a CPU device be chosen. */
static void device_memory_may_run_out(void **state)
{
	test_world w;
	const size_t memory = device->memory;
	(void)state;
	test_world_make(&w, test_comm.rank, test_comm.size, 3000, 6000, 3000, 5);
	gemp_tuning_set(device, "components.host_below", 1);
	for (size_t limit = 100, i = 0; limit < 200000; limit = limit * 9 / 5, i++) {
		gemp_components found;
		gemp_components_options options = { .place = GEMP_PLACE_DEVICE, .tree = i % 2 };
		device->memory = test_comm.rank == test_comm.size - 1 ? device->buffer_bytes + limit : memory;
		const gemp_code code = gemp_components_find(&found, &test_comm, device, w.bounds, w.own, w.types, &options);
		assert_all(code == GEMP_OK || code == GEMP_ENOMEM);
		const bool suffices = code == GEMP_OK;
		gemp_components_free(&found);
		options.place = GEMP_PLACE_AUTO;
		assert_all_ok(gemp_components_find(&found, &test_comm, device, w.bounds, w.own, w.types, &options));
		assert_all(found.on_device == suffices);
		check_component_names(&w, &found);
		if (options.tree)
			check_tree(&w, &found);
		gemp_components_free(&found);
	}
	device->memory = memory;
	gemp_tuning_set(device, "components.host_below", 0);
	test_world_free(&w);
}

/* The vertices are more than the elements that a device numbers: a demanded device is an error, otherwise the hosts
 * find the components. */
static void more_vertices_than_devices_number(void **state)
{
	test_world w;
	(void)state;
	test_world_make(&w, test_comm.rank, test_comm.size, 3000, 6000, 3000, 5);
	gemp_tuning_set(device, "components.host_below", 1);
	for (size_t most = 3, i = 0; most <= 100000; most *= 10, i++) {
		gemp_components found;
		gemp_components_options options = { .place = GEMP_PLACE_DEVICE, .tree = i / 2 % 2 };
		TEST_LIMIT(device_elements, most);
		const gemp_code code = gemp_components_find(&found, &test_comm, device, w.bounds, w.own, w.types, &options);
		assert_all(code == GEMP_ENOMEM || (code == GEMP_OK && most >= 3000));
		assert_all(code == GEMP_OK || most < 10000);
		gemp_components_free(&found);
		options.place = GEMP_PLACE_AUTO;
		assert_all_ok(gemp_components_find(&found, &test_comm, device, w.bounds, w.own, w.types, &options));
		assert_all(found.on_device == (code == GEMP_OK));
		check_component_names(&w, &found);
		if (options.tree)
			check_tree(&w, &found);
		gemp_components_free(&found);
	}
	gemp_tuning_set(device, "components.host_below", 0);
	TEST_LIMIT_DEFAULT(device_elements);
	test_world_free(&w);
}

static void shapes_in_groups(void **state)
{
	(void)state;
	choose_form(GEMP_FORM_GROUPS);
	check_shapes(200);
}

static void random_graphs_in_groups(void **state)
{
	(void)state;
	check_random(3);
	choose_form(GEMP_FORM_AUTO);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(shapes_by_items, open_device),
		cmocka_unit_test(random_graphs_by_items),
		cmocka_unit_test(symmetric_rows_are_sampled),
		cmocka_unit_test(large_sets_of_ranks_are_joined),
		cmocka_unit_test(host_memory_may_run_out),
		cmocka_unit_test(device_memory_may_run_out),
		cmocka_unit_test(more_vertices_than_devices_number),
		cmocka_unit_test(rows_arrive_in_parts),
		cmocka_unit_test(shapes_in_groups),
		cmocka_unit_test(symmetric_rows_are_sampled),
		cmocka_unit_test(large_sets_of_ranks_are_joined),
		cmocka_unit_test_teardown(random_graphs_in_groups, close_device),
	};
	return test_main_all(argc, argv, tests);
}
