/* Tests components and spanning forests of random multigraphs that are distributed at random, against a plain
 * union-find. */
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/status.h"
#include "core/types.h"
#include "device/device.h"
#include "device/open.h"
#include "device/tuning.h"
#include "harness/limits.h"
#include "topology/components.h"
#include "topology/components_device.h"
#include "topology/csr.h"
#include "topology/vertex_degrees.h"
#include "topology_case.h"

#include <string.h>

static gemp_device *device; /* NULL if a test has several ranks */

static size_t *union_find(const test_world *w)
{
	size_t *parent = gemp_calloc(w->vertices, sizeof *parent);
	for (size_t v = 0; v < w->vertices; v++)
		parent[v] = v;
	for (size_t type = 0; type < w->types; type++)
		for (size_t e = 0; e < w->edges[type].count; e++)
			test_join(parent, w->edges[type].source[e], w->edges[type].target[e]);
	return parent;
}

static void check_component_names(const test_world *w, const gemp_components *found)
{
	size_t *parent = union_find(w), first = (size_t)w->bounds[test_comm.rank];
	bool good = found->rows == w->bounds[test_comm.rank + 1] - first;
	for (size_t row = 0; good && row < found->rows; row++)
		good = found->component[row] == test_root(parent, first + row);
	assert_all(good);
	gemp_free(parent);
}

/* size[v]: number of vertices of the component whose root is v. */
static void check_own_sizes(const test_world *w, const gemp_components *found, size_t *parent, const size_t *size)
{
	uint64_t *own = gemp_calloc(found->rows, sizeof *own);
	assert_all_ok(gemp_component_sizes_by_vertex(own, found, &test_comm, w->bounds));
	bool good = true;
	for (size_t row = 0; row < found->rows; row++)
		good = good && own[row] == size[test_root(parent, (size_t)w->bounds[test_comm.rank] + row)];
	assert_all(good);
	gemp_free(own);
}

static void check_sizes(const test_world *w, const gemp_components *found)
{
	size_t *parent = union_find(w), *size = gemp_calloc(w->vertices, sizeof *size), count = 0, isolated = 0,
		   largest = 0;
	bool *edged = gemp_calloc(w->vertices, sizeof *edged);
	gemp_count classes[GEMP_COMPONENT_CLASSES] = { 0 }, with_edges = 0;
	for (size_t v = 0; v < w->vertices; v++)
		size[test_root(parent, v)]++;
	for (size_t type = 0; type < w->types; type++)
		for (size_t e = 0; e < w->edges[type].count; e++)
			edged[test_root(parent, w->edges[type].source[e])] = true;
	for (size_t v = 0; v < w->vertices; v++) {
		count += size[v] > 0;
		isolated += size[v] == 1;
		with_edges += edged[v];
		largest = size[v] > largest ? size[v] : largest;
		for (unsigned k = 1; size[v] && k < GEMP_COMPONENT_CLASSES; k++)
			classes[k] += size[v] >= (size_t)1 << (k - 1) && size[v] < (size_t)1 << k;
	}
	assert_all(found->count == count && found->isolated == isolated && found->with_edges == with_edges);
	assert_all(found->largest == largest && (!largest || size[found->largest_name] == largest));
	assert_all(memcmp(found->classes, classes, sizeof classes) == 0);
	check_own_sizes(w, found, parent, size);
	gemp_free(edged);
	gemp_free(size);
	gemp_free(parent);
}

/* The tree must have as many edges as a spanning forest, and no edge may close a cycle. */
static void check_tree(const test_world *w, const gemp_components *found)
{
	uint64_t *own = gemp_calloc(2 * found->tree_count, sizeof *own);
	size_t *parent = gemp_calloc(w->vertices, sizeof *parent), *begin = NULL;
	void *all = NULL;
	for (size_t i = 0; i < found->tree_count; i++) {
		uint64_t edge = found->tree[i];
		size_t type = gemp_csr_find(w->own, w->types, &edge);
		own[2 * i] = type;
		own[2 * i + 1] = w->before[type] + edge;
	}
	assert_all_ok(gemp_comm_allgather(&test_comm, GEMP_OK, own, 2 * found->tree_count * sizeof *own, &all, &begin));
	size_t count = begin[test_comm.size] / sizeof *own / 2;
	for (size_t v = 0; v < w->vertices; v++)
		parent[v] = v;
	bool good = count == w->vertices - found->count;
	for (size_t i = 0; i < count; i++) {
		const uint64_t *edge = (uint64_t *)all + 2 * i;
		const test_edges *edges = &w->edges[edge[0]];
		good = good && edge[1] < edges->count && test_join(parent, edges->source[edge[1]], edges->target[edge[1]]);
	}
	assert_all(good);
	for (size_t i = 1; i < found->tree_count; i++)
		good = good && found->tree[i - 1] < found->tree[i];
	assert_all(good);
	gemp_free(all);
	gemp_free(begin);
	gemp_free(parent);
	gemp_free(own);
}

static void check(const test_world *w, gemp_placement place)
{
	for (int tree = 0; tree < 2; tree++) {
		gemp_components found;
		const gemp_components_options options = { place, tree };
		assert_all_ok(gemp_components_find(&found, &test_comm, device, w->bounds, w->own, w->types, &options));
		check_component_names(w, &found);
		check_sizes(w, &found);
		if (tree)
			check_tree(w, &found);
		assert_all(tree || found.tree_count == 0);
		gemp_components_free(&found);
	}
}

static void check_all(size_t vertices, size_t edges, size_t reach, uint64_t seed)
{
	test_world w;
	test_world_make(&w, test_comm.rank, test_comm.size, vertices, edges, reach, seed);
	check(&w, GEMP_PLACE_HOST);
	if (test_comm.size == 1)
		check(&w, GEMP_PLACE_DEVICE);
	test_world_free(&w);
}

static int open_device(void **state)
{
	(void)state;
	if (test_comm.size > 1)
		return 0;
	return gemp_device_open(&device, NULL, 0, 1, 0) == GEMP_OK ? 0 : -1;
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
	for (int round = 0; round < 40; round++) {
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
		check(&w, GEMP_PLACE_HOST);
		if (test_comm.size == 1)
			check(&w, GEMP_PLACE_DEVICE);
		test_world_free(&w);
	}
}

static void check_degrees(const test_world *w, gemp_placement place)
{
	gemp_vertex_degrees found;
	gemp_degree_summary kinds;
	size_t first = (size_t)w->bounds[test_comm.rank];
	uint64_t *out = gemp_calloc(w->vertices, sizeof *out), *in = gemp_calloc(w->vertices, sizeof *in);
	gemp_degree_summary right = { .vertices = w->vertices, .start = GEMP_NO_VERTEX, .end = GEMP_NO_VERTEX };
	assert_all_ok(gemp_vertex_degrees_new(&found, &test_comm, device, place, w->bounds, w->own, w->types));
	for (size_t type = 0; type < w->types; type++)
		for (size_t e = 0; e < w->edges[type].count; e++) {
			out[w->edges[type].source[e]]++;
			in[w->edges[type].target[e]]++;
		}
	bool good = true;
	for (size_t row = 0; row < found.rows; row++)
		good = good && found.out[row] == out[first + row] && found.in[row] == in[first + row];
	assert_all(good);
	for (size_t v = w->vertices; v-- > 0;) {
		right.isolated += !out[v] && !in[v];
		right.sources += out[v] && !in[v];
		right.sinks += in[v] && !out[v];
		right.balanced += in[v] == out[v];
		right.more_out += out[v] > in[v];
		right.more_in += in[v] > out[v];
		right.surplus += out[v] > in[v] ? out[v] - in[v] : 0;
		right.max_out = out[v] > right.max_out ? out[v] : right.max_out;
		right.max_in = in[v] > right.max_in ? in[v] : right.max_in;
		right.start = out[v] > in[v] ? (gemp_vertex)v : right.start;
		right.end = in[v] > out[v] ? (gemp_vertex)v : right.end;
	}
	gemp_degree_summary_count(&kinds, &test_comm, &found);
	assert_all(memcmp(&kinds, &right, sizeof kinds) == 0);
	gemp_vertex_degrees_free(&found);
	gemp_free(out);
	gemp_free(in);
}

static void degrees_of_random_graphs(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int round = 0; round < 30; round++) {
		test_world w;
		size_t vertices = test_below(&seed, 200);
		TEST_LIMIT(degrees_round, round % 3 ? 1 + test_below(&seed, 50) : gemp_limits_default.degrees_round);
		test_world_make(&w, test_comm.rank, test_comm.size, vertices, test_below(&seed, 400), vertices,
		                gemp_random(&seed));
		check_degrees(&w, GEMP_PLACE_HOST);
		if (test_comm.size == 1)
			check_degrees(&w, GEMP_PLACE_DEVICE);
		test_world_free(&w);
	}
	TEST_LIMIT_DEFAULT(degrees_round);
}

static gemp_code find_once(void *world)
{
	gemp_components found;
	const test_world *w = world;
	const gemp_components_options options = { GEMP_PLACE_HOST, true };
	uint64_t *size = NULL;
	gemp_code code = gemp_components_find(&found, &test_comm, NULL, w->bounds, w->own, w->types, &options);
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
		cmocka_unit_test_teardown(degrees_of_random_graphs, close_device),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
