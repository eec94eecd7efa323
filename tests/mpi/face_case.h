/* Shared by tests of the public library: a context over all ranks, checks of failures with their whole message, arrays
 * gathered on every rank, and graphs from lists of edges that every rank holds. */
#ifndef GEMP_TESTS_FACE_CASE_H
#define GEMP_TESTS_FACE_CASE_H

#include "core/memory.h"
#include "core/random.h"
#include "gemp/columns.h"
#include "harness/collective.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gemp_context *api;

static inline void open_api(void **state)
{
	(void)state;
	gemp_context_options options;
	gemp_context_options_init(&options);
	options.verbosity = GEMP_QUIET;
	assert_all_ok(gemp_context_open(&api, test_comm.world, &options));
}

/* Must be the last test. Checks that the library has released all memory. */
static inline void close_api(void **state)
{
	(void)state;
	gemp_context_close(api);
	assert_all(gemp_memory_blocks() == 0);
}

/* Collective. Checks that the call fails on every rank with this code and this message. */
#define assert_all_fails(call, code, message) \
	do {                                      \
		assert_all_code(call, code);          \
		assert_same_message(message);         \
	} while (0)
static inline void assert_same_message(const char *message)
{
	if (strcmp(gemp_message(), message) != 0)
		fprintf(stderr, "message:  %s\nexpected: %s\n", gemp_message(), message);
	assert_all(strcmp(gemp_message(), message) == 0);
}

/* Collective. Returns the bytes of all ranks in rank order and their number, *all. The caller frees the result. */
static inline void *face_gather(const void *bytes, size_t size, size_t *all)
{
	int mine = (int)size, total = 0;
	int *sizes = malloc((size_t)test_comm.size * sizeof *sizes),
		*begin = malloc((size_t)test_comm.size * sizeof *begin);
	GEMP_MPI(MPI_Allgather(&mine, 1, MPI_INT, sizes, 1, MPI_INT, test_comm.world));
	for (int rank = 0; rank < test_comm.size; total += sizes[rank++])
		begin[rank] = total;
	void *whole = malloc((size_t)total + 1);
	GEMP_MPI(MPI_Allgatherv(bytes, mine, MPI_BYTE, whole, sizes, begin, MPI_BYTE, test_comm.world));
	free(sizes);
	free(begin);
	*all = (size_t)total;
	return whole;
}

/* Edges of one type, the same on all ranks. */
typedef struct face_edges {
	const char *type;
	size_t count;
	int64_t *source, *target; /* [count] */
	double *weight;           /* [count], or NULL */
} face_edges;

static inline void face_edges_add(face_edges *edges, int64_t source, int64_t target)
{
	edges->source = realloc(edges->source, (edges->count + 1) * sizeof *edges->source);
	edges->target = realloc(edges->target, (edges->count + 1) * sizeof *edges->target);
	edges->source[edges->count] = source;
	edges->target[edges->count++] = target;
}

static inline void face_edges_free(face_edges *edges)
{
	free(edges->source);
	free(edges->target);
	free(edges->weight);
	*edges = (face_edges){ 0 };
}

/* Collective. Builds a graph of the vertices 0 .. vertices - 1 with one label, and of the edges of all lists. Each rank
 * adds a block of each list. */
static inline gemp_graph *face_graph(size_t vertices, const char *label, const face_edges *lists, size_t list_count)
{
	gemp_graph_builder *builder;
	gemp_graph *graph;
	gemp_block_range own = gemp_comm_block(&test_comm, vertices);
	int64_t *keys = malloc((vertices + 1) * sizeof *keys);
	for (size_t v = 0; v < vertices; v++)
		keys[v] = (int64_t)v;
	assert_all_ok(gemp_graph_builder_open(&builder, api, 1));
	assert_all_ok(gemp_graph_builder_vertices(builder, label, own.end - own.begin, keys + own.begin));
	for (size_t i = 0; i < list_count; i++) {
		const face_edges *l = &lists[i];
		own = gemp_comm_block(&test_comm, l->count);
		assert_all_ok(gemp_graph_builder_edges(builder, l->type, own.end - own.begin, l->source + own.begin,
		                                       l->target + own.begin, l->weight ? l->weight + own.begin : NULL));
	}
	assert_all_ok(gemp_graph_builder_finish(builder, &graph));
	free(keys);
	return graph;
}

#endif
