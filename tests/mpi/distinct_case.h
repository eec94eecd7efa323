/* Random embeddings for tests of the removal of duplicates, and a sink that collects the embeddings that are passed
 * on. */
#ifndef GEMP_TESTS_DISTINCT_CASE_H
#define GEMP_TESTS_DISTINCT_CASE_H

#include "made_graph.h"

#include "comm/comm.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/batch.h"
#include "harness/collective.h"

#include <stdlib.h>
#include <string.h>

/* MAX_POINTS: the maximum number of vertices, and of edges, of an embedding. WIDTH: numbers in the key of a class. */
enum { MAX_POINTS = 8, WIDTH = 3 * MAX_POINTS };

/* The key of a class and one embedding of the class: its vertices, then its edges. */
typedef struct member {
	uint64_t key[WIDTH], tuple[2 * MAX_POINTS];
} member;

/* Random embeddings in any number of classes. */
typedef struct input {
	int vertex_count, edge_count;
	size_t rows;
	gemp_vertex *vertices;
	gemp_edge *edges;
	int *finder; /* [rows] the rank that finds the row */
} input;

/* Collects the embeddings that the sink under test passes on. */
typedef struct collector {
	size_t rows, capacity, rounds, last_rounds;
	member *members;
	size_t wanted; /* number of rows over all ranks after which the collector says "enough"; 0: never */
} collector;

static inline int compare_members(const void *a, const void *b)
{
	const member *x = a, *y = b;
	for (int i = 0; i < WIDTH; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	for (int i = 0; i < 2 * MAX_POINTS; i++)
		if (x->tuple[i] != y->tuple[i])
			return x->tuple[i] < y->tuple[i] ? -1 : 1;
	return 0;
}

static inline int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* The numbers by which vertices are compared: ranks of their keys, or NULL for ids. */
static const uint32_t *rank_of;

static inline void set_tuple(member *m, const gemp_vertex *vertices, int vertex_count, const gemp_edge *edges,
                             int edge_count)
{
	memset(m, 0, sizeof *m);
	for (int v = 0; v < vertex_count; v++)
		m->tuple[v] = rank_of ? rank_of[vertices[v]] : vertices[v];
	for (int e = 0; e < edge_count; e++)
		m->tuple[MAX_POINTS + e] = edges[e];
}

static inline gemp_code collect(void *self, const gemp_batch *batch)
{
	collector *c = self;
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(GEMP_RESERVE(c->members, c->capacity, c->rows + batch->rows));
	for (size_t i = 0; i < batch->rows; i++)
		set_tuple(&c->members[c->rows++], batch->vertices + i * (size_t)batch->vertex_count, batch->vertex_count,
		          batch->edges + i * (size_t)batch->edge_count, batch->edge_count);
done:
	return code;
}

static inline gemp_code collector_end_round(void *self, bool last, bool *enough, bool *again)
{
	collector *c = self;
	(void)again;
	c->rounds++;
	c->last_rounds += last;
	if (c->wanted && gemp_comm_sum1(&test_comm, c->rows) >= c->wanted)
		*enough = true;
	return GEMP_OK;
}

static inline void make_input(input *in, uint64_t seed, int vertex_count, int edge_count, size_t rows,
                              uint32_t universe, bool repeats)
{
	*in = (input){ .vertex_count = vertex_count, .edge_count = edge_count, .rows = rows };
	assert_all_ok(GEMP_NEW(in->vertices, rows * (size_t)vertex_count));
	assert_all_ok(GEMP_NEW(in->edges, rows * (size_t)edge_count));
	assert_all_ok(GEMP_NEW(in->finder, rows));
	for (size_t i = 0; i < rows; i++) {
		gemp_vertex *row = in->vertices + i * (size_t)vertex_count;
		for (int v = 0; v < vertex_count; v++) {
			bool again = true;
			while (again) {
				row[v] = (gemp_vertex)gemp_random_below(&seed, universe);
				again = false;
				for (int u = 0; u < v && !repeats; u++)
					again |= row[u] == row[v];
			}
		}
		for (int e = 0; e < edge_count; e++)
			in->edges[i * (size_t)edge_count + (size_t)e] = gemp_random_below(&seed, 3) << 33 |
			                                                gemp_random_below(&seed, 2);
		in->finder[i] = (int)gemp_random_below(&seed, (uint64_t)test_comm.size);
		if (test_comm.size > 2 && in->finder[i] == 1)
			in->finder[i] = 2; /* rank 1 finds no rows */
	}
}

static inline void free_input(input *in)
{
	gemp_free(in->vertices);
	gemp_free(in->edges);
	gemp_free(in->finder);
}

#endif
