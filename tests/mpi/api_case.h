/* Random multigraphs that are built through gemp_graph_builder, and helpers that collect the columns of all ranks,
 * indexed by the vertex number of the case. */
#ifndef GEMP_TESTS_API_CASE_H
#define GEMP_TESTS_API_CASE_H

#include "core/memory.h"
#include "core/random.h"
#include "harness/collective.h"

#include <gemp/analytics.h>
#include <gemp/query.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Settings of an analysis from one source. *source must live as long as the settings. */
static inline gemp_analysis_settings api_from(const char *const *source)
{
	gemp_analysis_settings settings;
	gemp_analysis_settings_init(&settings);
	settings.sources = source;
	settings.source_count = 1;
	return settings;
}

static inline gemp_code api_bfs(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                const char *source)
{
	const gemp_analysis_settings settings = api_from(&source);
	return gemp_graph_bfs(out, graph, edges, &settings, NULL);
}

static inline gemp_code api_sssp(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                 const char *source)
{
	const gemp_analysis_settings settings = api_from(&source);
	return gemp_graph_sssp(out, graph, edges, &settings, NULL);
}

/* Which ranks add vertices and edges: all ranks in turn, all ranks but the last one, or only rank 0. */
typedef enum api_split { SPLIT_TURNS, SPLIT_LAST_EMPTY, SPLIT_FIRST_ONLY, API_SPLITS } api_split;

/* A random multigraph, the same on all ranks. */
typedef struct api_case {
	size_t n, m;
	int64_t *key;     /* [n], ascending */
	size_t (*end)[2]; /* [m] */
	double *weight;   /* [m] multiples of 1/4 */
	bool weighted;
} api_case;

static inline api_case *api_case_new(size_t n, size_t m, bool weighted, uint64_t *random)
{
	api_case *c = calloc(1, sizeof *c);
	*c = (api_case){ .n = n, .m = n ? m : 0, .weighted = weighted };
	c->key = calloc(n + 1, sizeof *c->key);
	c->end = calloc(m + 1, sizeof *c->end);
	c->weight = calloc(m + 1, sizeof *c->weight);
	int64_t key = -20;
	for (size_t v = 0; v < n; v++)
		c->key[v] = key += 1 + (int64_t)gemp_random_below(random, 9);
	for (size_t e = 0; e < c->m; e++) {
		/* The last fifth of the vertices has no edges. Some edges are loops, and some are copies of the edge before. */
		size_t joined = n - n / 5;
		c->end[e][0] = gemp_random_below(random, joined);
		c->end[e][1] = gemp_random_below(random, 8) ? gemp_random_below(random, joined) : c->end[e][0];
		if (e && gemp_random_below(random, 6) == 0)
			memcpy(c->end[e], c->end[e - 1], sizeof c->end[e]);
		c->weight[e] = weighted ? (double)(1 + gemp_random_below(random, 40)) / 4 : 1;
	}
	return c;
}

static inline void api_case_free(api_case *c)
{
	free(c->key);
	free(c->end);
	free(c->weight);
	free(c);
}

static inline bool api_adds(const gemp_context *context, api_split split, size_t index)
{
	size_t rank = (size_t)gemp_context_rank(context), size = (size_t)gemp_context_size(context);
	if (split == SPLIT_FIRST_ONLY || size == 1)
		return rank == 0;
	if (split == SPLIT_LAST_EMPTY)
		return index % (size - 1) == rank;
	return index % size == rank;
}

/* Collective. Builds the graph. The ranks make different numbers of calls to the builder, with different numbers of
 * elements. */
static inline gemp_code api_build(gemp_graph **out, gemp_context *context, const api_case *c, api_split split)
{
	gemp_graph_builder *builder = NULL;
	gemp_code code = gemp_graph_builder_open(&builder, context, 7);
	if (code != GEMP_OK)
		return code;
	for (size_t v = 0; v < c->n && code == GEMP_OK; v++)
		if (api_adds(context, split, v))
			code = gemp_graph_builder_vertices(builder, v % 2 ? "Odd" : NULL, 1, &c->key[v]);
	enum { MAX_CALL = 5 };
	int64_t source[MAX_CALL], target[MAX_CALL];
	double weight[MAX_CALL];
	size_t count = 0, limit = 1;
	for (size_t e = 0; e <= c->m && code == GEMP_OK; e++) {
		if (e < c->m && api_adds(context, split, e)) {
			source[count] = c->key[c->end[e][0]];
			target[count] = c->key[c->end[e][1]];
			weight[count++] = c->weight[e];
		}
		if (count < limit && e < c->m)
			continue;
		if (count)
			code = gemp_graph_builder_edges(builder, "E", count, source, target, c->weighted ? weight : NULL);
		count = 0;
		limit = limit % MAX_CALL + 1;
	}
	code = gemp_context_agree(context, code);
	if (code != GEMP_OK) {
		gemp_graph_builder_close(builder);
		return code;
	}
	return gemp_graph_builder_finish(builder, out);
}

/* Returns the number of the vertex with this key, or n if there is none. */
static inline size_t api_number(const api_case *c, int64_t key)
{
	size_t v = 0;
	while (v < c->n && c->key[v] != key)
		v++;
	return v;
}

/* Returns a cell as a number, or NAN for NULL. */
static inline double api_cell(const gemp_column_view *view, size_t row)
{
	if (view->null && view->null[row])
		return NAN;
	switch (view->type) {
	case GEMP_INTEGER: return (double)view->integers[row];
	case GEMP_FLOAT: return view->floats[row];
	case GEMP_BOOLEAN: return view->booleans[row];
	default: return NAN;
	}
}

static inline uint64_t api_cell_hash(const gemp_column_view *view, size_t row, uint64_t seed)
{
	uint64_t bits = 0;
	if (view->null && view->null[row])
		return gemp_mix(seed ^ 1);
	if (view->offsets)
		return gemp_hash(view->bytes + view->offsets[row], view->offsets[row + 1] - view->offsets[row], seed);
	const double number = api_cell(view, row);
	memcpy(&bits, &number, sizeof bits);
	return gemp_mix(bits + gemp_mix(seed));
}

/* The sum of the hashes of all rows of this rank. */
static inline uint64_t api_rows_hash(const gemp_columns *columns)
{
	enum { MAX_COLUMNS = 8 };
	gemp_column_view view[MAX_COLUMNS] = { 0 };
	size_t width = 0;
	uint64_t sum = 0;
	while (width < MAX_COLUMNS && gemp_columns_at(columns, width, &view[width]))
		width++;
	for (size_t row = 0; row < gemp_columns_rows(columns); row++) {
		uint64_t hash = 1;
		for (size_t k = 0; k < width; k++)
			hash = api_cell_hash(&view[k], row, hash);
		sum += hash;
	}
	return sum;
}

/* Collective. Returns the concatenation of the arrays of all ranks in rank order, [*total]. The caller frees it. */
static inline double *api_gather(MPI_Comm comm, const double *own, size_t count, size_t *total)
{
	int size, own_count = (int)count, *counts, *begin;
	MPI_Comm_size(comm, &size);
	counts = calloc((size_t)size, sizeof *counts);
	begin = calloc((size_t)size + 1, sizeof *begin);
	MPI_Allgather(&own_count, 1, MPI_INT, counts, 1, MPI_INT, comm);
	for (int r = 0; r < size; r++)
		begin[r + 1] = begin[r] + counts[r];
	*total = (size_t)begin[size];
	double *all = calloc(*total + 1, sizeof *all);
	MPI_Allgatherv(own, own_count, MPI_DOUBLE, all, counts, begin, MPI_DOUBLE, comm);
	free(counts);
	free(begin);
	return all;
}

/* Collective. Returns the values of a column that has one row for each vertex, [n] by vertex number, or NULL if the
 * columns are wrong. The caller frees the array. */
static inline double *api_by_vertex(gemp_context *context, gemp_graph *graph, const api_case *c,
                                    const gemp_columns *columns, const char *name)
{
	gemp_columns *keys = NULL;
	gemp_column_view key, value;
	MPI_Comm comm = gemp_context_communicator(context);
	if (gemp_graph_keys(&keys, graph) != GEMP_OK)
		return NULL;
	bool good = gemp_columns_find(keys, "key", &key) && gemp_columns_find(columns, name, &value) &&
	            gemp_columns_rows(columns) == gemp_columns_rows(keys) && value.rows == key.rows &&
	            key.rows == gemp_graph_local_vertex_count(graph);
	double *pairs = calloc(2 * gemp_columns_rows(keys) + 1, sizeof *pairs);
	for (size_t row = 0; good && row < key.rows; row++) {
		pairs[2 * row] = api_cell(&key, row);
		pairs[2 * row + 1] = api_cell(&value, row);
	}
	size_t total;
	double *all = api_gather(comm, pairs, good ? 2 * gemp_columns_rows(keys) : 0, &total);
	double *out = calloc(c->n + 1, sizeof *out);
	good = total == 2 * c->n;
	for (size_t i = 0; good && i < total / 2; i++) {
		size_t v = api_number(c, (int64_t)all[2 * i]);
		good = v < c->n;
		if (good)
			out[v] = all[2 * i + 1];
	}
	free(pairs);
	free(all);
	gemp_columns_close(keys);
	if (good)
		return out;
	free(out);
	return NULL;
}

static inline bool api_same(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

/* The context of a test. It is opened before the test and closed after the test; then no memory block may be left. */
static gemp_context *context;

static inline int api_open_context(void **state)
{
	(void)state;
	return gemp_context_open(&context, MPI_COMM_WORLD, NULL) != GEMP_OK;
}

static inline int api_close_context(void **state)
{
	(void)state;
	gemp_context_close(context);
	return gemp_memory_blocks() != 0;
}

#define API_TEST(name) cmocka_unit_test_setup_teardown(name, api_open_context, api_close_context)

#endif
