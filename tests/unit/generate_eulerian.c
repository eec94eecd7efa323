/* Tests generated graphs with an Euler circuit or path: degrees by counting, connectedness by a plain union-find, and
 * the number of edges. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/status.h"
#include "generate/generate.h"

#include <string.h>

static uint64_t root_of(uint64_t *parent, uint64_t v)
{
	while (parent[v] != v)
		v = parent[v] = parent[parent[v]];
	return v;
}

/* The surplus of outgoing edges is 0 at every vertex, except at the two ends of a path, and all vertices with edges are
 * in one component. Edges are made `piece` at a time. */
static void check(const gemp_eulerian *graph, size_t piece)
{
	uint64_t(*ends)[2] = gemp_calloc(graph->edges, sizeof *ends),
	*parent = gemp_calloc(graph->vertices, sizeof *parent);
	int64_t *surplus = gemp_calloc(graph->vertices, sizeof *surplus);
	bool *met = gemp_calloc(graph->vertices, sizeof *met);
	for (uint64_t at = 0; at < graph->edges; at += piece)
		gemp_eulerian_edges(graph, at, graph->edges - at < piece ? graph->edges - at : piece, ends + at);
	for (uint64_t v = 0; v < graph->vertices; v++)
		parent[v] = v;
	for (uint64_t e = 0; e < graph->edges; e++) {
		uint64_t from = ends[e][0], to = ends[e][1];
		assert_true(from < graph->vertices && to < graph->vertices);
		surplus[from]++;
		surplus[to]--;
		met[from] = met[to] = true;
		parent[root_of(parent, from)] = root_of(parent, to);
	}
	uint64_t sources = 0, sinks = 0;
	for (uint64_t v = 0; v < graph->vertices; v++) {
		assert_true(met[v] || graph->edges == 0);
		assert_true(root_of(parent, v) == root_of(parent, 0));
		assert_in_range(surplus[v] + 1, 0, 2);
		sources += surplus[v] == 1;
		sinks += surplus[v] == -1;
	}
	assert_true(sources == graph->path && sinks == graph->path);
	gemp_free(met);
	gemp_free(surplus);
	gemp_free(parent);
	gemp_free(ends);
}

static void small_graphs_of_every_size(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (unsigned shape = 0; shape < 3; shape++)
		for (unsigned path = 0; path < 2; path++)
			for (uint64_t vertices = 1 + path; vertices < 9; vertices++)
				for (uint64_t edges = vertices - path; edges < 30; edges++) {
					gemp_eulerian graph = { shape, vertices, edges, seed + edges, path };
					assert_ok(gemp_eulerian_check(&graph));
					check(&graph, edges % 7 + 1);
				}
}

static void larger_graphs(void **state)
{
	(void)state;
	static const uint64_t sizes[][2] = { { 1000, 1000 },  { 1000, 1500 },  { 999, 2001 }, { 1000, 2500 },
		                                 { 4097, 12291 }, { 3000, 12001 }, { 64, 20000 }, { 2, 5000 } };
	for (unsigned shape = 0; shape < 3; shape++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			gemp_eulerian graph = { shape, sizes[i][0], sizes[i][1], i, i % 2 };
			check(&graph, 1024);
		}
}

/* An edge leads ahead by at most 32 vertices on a ring, so each circuit passes around the ring. A deep graph has few
 * passes, which bound the number of its circuits from above. */
static void deep_graphs_are_bands(void **state)
{
	(void)state;
	enum { N = 5000, M = 20000 };
	gemp_eulerian graph = { GEMP_EULERIAN_DEEP, N, M, 3, false };
	static uint64_t ends[M][2];
	gemp_eulerian_edges(&graph, 0, M, ends);
	uint64_t sum = 0;
	for (size_t e = 0; e < M; e++) {
		uint64_t ahead = (ends[e][1] + N - ends[e][0]) % N;
		assert_in_range(ahead, 1, 32);
		sum += ahead;
	}
	assert_true(sum % N == 0 && sum / N < 64);
}

static void refused(gemp_eulerian graph, const char *message)
{
	assert_code(gemp_eulerian_check(&graph), GEMP_EUSAGE);
	assert_message(message);
}

static void graphs_that_cannot_be_are_refused(void **state)
{
	(void)state;
	gemp_eulerian none = { GEMP_EULERIAN_DEEP, 0, 0, 1, false };
	assert_ok(gemp_eulerian_check(&none));
	refused((gemp_eulerian){ GEMP_EULERIAN_DEEP, 0, 1, 1, false }, "1 edges need a vertex");
	refused((gemp_eulerian){ GEMP_EULERIAN_RANDOM, 9, 8, 1, false },
	        "circuit through 9 vertices takes at least 9 edges");
	refused((gemp_eulerian){ GEMP_EULERIAN_SHALLOW, 9, 7, 1, true }, "path through 9 vertices takes at least 8 edges");
	refused((gemp_eulerian){ GEMP_EULERIAN_RANDOM, 1, 8, 1, true }, "needs two vertices");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_graphs_of_every_size),
		cmocka_unit_test(larger_graphs),
		cmocka_unit_test(deep_graphs_are_bands),
		cmocka_unit_test(graphs_that_cannot_be_are_refused),
	};
	return test_main(tests);
}
