/* Random multigraphs as rows. Every rank of a test has all edges, and owns some of the rows. */
#ifndef GEMP_TESTS_TOPOLOGY_CASE_H
#define GEMP_TESTS_TOPOLOGY_CASE_H

#include "core/memory.h"
#include "core/random.h"
#include "core/types.h"
#include "topology/csr.h"

enum { TYPES = 3 };

typedef struct test_edges {
	size_t vertices, count;
	gemp_vertex *source, *target; /* [count] sorted by source */
} test_edges;

typedef struct test_world {
	size_t types, vertices;
	test_edges edges[TYPES]; /* of all ranks */
	uint64_t bounds[65];
	uint64_t *begin[TYPES]; /* own rows */
	gemp_csr own[TYPES];
	uint64_t before[TYPES]; /* number of edges of lower ranks */
} test_world;

static inline size_t test_below(uint64_t *seed, size_t bound)
{
	return bound ? (size_t)gemp_random_below(seed, bound) : 0;
}

/* Draws edges whose targets are among the `reach` vertices from the source on, so that there are loops and parallel
 * edges. A counting sort orders them by source. */
static inline void test_edges_make(test_edges *edges, size_t vertices, size_t count, size_t reach, uint64_t *seed)
{
	size_t *at = gemp_calloc(vertices + 1, sizeof *at);
	gemp_vertex *source = gemp_calloc(count, sizeof *source);
	*edges = (test_edges){ vertices, count, gemp_calloc(count, sizeof *source), gemp_calloc(count, sizeof *source) };
	for (size_t i = 0; i < count; i++) {
		source[i] = (gemp_vertex)test_below(seed, vertices);
		at[source[i] + 1]++;
	}
	for (size_t v = 0; v < vertices; v++)
		at[v + 1] += at[v];
	for (size_t v = 0; v < vertices; v++)
		for (size_t i = at[v]; i < at[v + 1]; i++) {
			edges->source[i] = (gemp_vertex)v;
			edges->target[i] = (gemp_vertex)((v + test_below(seed, reach)) % vertices);
		}
	gemp_free(source);
	gemp_free(at);
}

static inline void test_world_own(test_world *w, size_t type, int rank)
{
	const test_edges *edges = &w->edges[type];
	size_t first = (size_t)w->bounds[rank], rows = (size_t)(w->bounds[rank + 1] - first), at = 0;
	while (at < edges->count && edges->source[at] < first)
		at++;
	w->before[type] = at;
	w->begin[type] = gemp_calloc(rows + 1, sizeof *w->begin[type]);
	for (size_t row = 0; row < rows; row++) {
		w->begin[type][row + 1] = w->begin[type][row];
		for (; at < edges->count && edges->source[at] == first + row; at++)
			w->begin[type][row + 1]++;
	}
	w->own[type] = (gemp_csr){ .vertices = w->vertices,
		                       .first = (gemp_vertex)first,
		                       .rows = rows,
		                       .begin = w->begin[type],
		                       .target = edges->target ? edges->target + w->before[type] : NULL };
}

/* Makes the same edges and bounds on all ranks, and the rows of this rank. Some ranks may own no vertices. */
static inline void test_world_make(test_world *w, int rank, int ranks, size_t vertices, size_t edges, size_t reach,
                                   uint64_t seed)
{
	*w = (test_world){ .types = vertices ? 1 + test_below(&seed, TYPES) : test_below(&seed, TYPES),
		               .vertices = vertices };
	for (int r = 1; r < ranks; r++) { /* bounds are drawn in ascending order */
		size_t left = vertices - (size_t)w->bounds[r - 1];
		w->bounds[r] = w->bounds[r - 1] + test_below(&seed, 2 * left / (size_t)(ranks - r + 1) + 1);
	}
	for (int r = 1; r < ranks; r++)
		w->bounds[r] = w->bounds[r] < vertices ? w->bounds[r] : vertices;
	w->bounds[ranks] = vertices;
	for (size_t type = 0; type < w->types; type++) {
		test_edges_make(&w->edges[type], vertices, vertices ? edges / (type + 1) : 0, reach, &seed);
		test_world_own(w, type, rank);
	}
}

static inline void test_world_free(test_world *w)
{
	for (size_t type = 0; type < w->types; type++) {
		gemp_free(w->edges[type].source);
		gemp_free(w->edges[type].target);
		gemp_free(w->begin[type]);
	}
}

static inline size_t test_root(const size_t *parent, size_t v)
{
	while (parent[v] != v)
		v = parent[v];
	return v;
}

/* Merges the sets of a and b; the smaller root stays the root. Returns false if a and b were in one set already. */
static inline bool test_join(size_t *parent, size_t a, size_t b)
{
	size_t x = test_root(parent, a), y = test_root(parent, b);
	parent[x < y ? y : x] = x < y ? x : y;
	return x != y;
}

#endif
