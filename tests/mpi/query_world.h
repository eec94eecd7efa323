/* query_world: a random graph for tests of queries of the public library, and the rows of a query as numbers. */
#ifndef GEMP_TEST_QUERY_WORLD_H
#define GEMP_TEST_QUERY_WORLD_H

#include "api_case.h"

/* A list of edges and the graph that is built of it. */
typedef struct world {
	api_case *c;
	gemp_graph *graph;
} world;

static inline world world_new(size_t n, size_t m, bool weighted, api_split split, uint64_t *random)
{
	world w = { .c = api_case_new(n, m, weighted, random) };
	assert_all_ok(api_build(&w.graph, context, w.c, split));
	return w;
}

static inline void world_free(world *w)
{
	gemp_graph_close(w->graph);
	api_case_free(w->c);
}

/* Collective. Returns the first four columns of all ranks as numbers, [rows][4] in rank order. Missing columns are
 * 0. */
static inline double (*rows_of(const gemp_columns *columns, size_t *count))[4]
{
	gemp_column_view view;
	size_t rows = gemp_columns_rows(columns), total;
	double *own = calloc(rows * 4 + 1, sizeof *own);
	for (size_t k = 0; gemp_columns_at(columns, k, &view) && k < 4; k++)
		for (size_t row = 0; row < rows && row < view.rows; row++)
			own[4 * row + k] = api_cell(&view, row);
	double *all = api_gather(gemp_context_communicator(context), own, rows * 4, &total);
	free(own);
	*count = total / 4;
	return (double(*)[4])all;
}

static inline gemp_query *query_new(gemp_graph *graph, const char *text, const gemp_query_settings *settings)
{
	gemp_query *query = NULL;
	assert_all_ok(gemp_query_open(&query, graph, text, settings));
	return query;
}

/* Collective. Runs a query once and drops its rows. Returns the code of the first call that fails. */
static inline gemp_code query_run_once(gemp_graph *graph, const char *text, const gemp_query_settings *settings)
{
	gemp_query *query = NULL;
	gemp_columns *columns = NULL;
	gemp_code code = gemp_query_open(&query, graph, text, settings);
	if (code == GEMP_OK)
		code = gemp_query_run(query, &columns, NULL, NULL);
	gemp_columns_close(columns);
	gemp_query_close(query);
	return code;
}

static inline gemp_query_settings homomorphisms(void)
{
	gemp_query_settings settings;
	gemp_query_settings_init(&settings);
	settings.semantics = GEMP_HOM;
	settings.distinct_given = true;
	settings.distinct = GEMP_BY_NOTHING;
	return settings;
}

#endif
