/* Runs the plain OpenMP program once for each run of our program, on the graph with unchanged ids and with ids by
 * degree. */
#include "gas_parts/beside.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/timer.h"
#include "gas_parts/check.h"

#include <unistd.h>

/* OpenMP threads and our threads spin for a while after their last work. The next program waits this long, so that it
 * gets idle cores. */
enum { SETTLE_US = 3000 };

const char *const beside_ids[BESIDE_IDS] = { "as-is", "by-degree" };

gemp_code beside_new(beside **out, const char *spec, unsigned runs, uint32_t delta)
{
	gemp_code code = GEMP_OK;
	beside *b = NULL;
	uint8_t *weight = NULL;
	GEMP_TRY_DONE(GEMP_NEW(b, 1));
	b->delta = delta;
	for (int i = 0; i < BESIDE_IDS; i++) {
		GEMP_TRY_DONE(GEMP_NEW(b->wall[i], runs));
		GEMP_TRY_DONE(graph_new(&b->graph[i], spec, i == 1));
		GEMP_TRY_DONE(graph_weights(&weight, &b->graph[i]));
		GEMP_TRY_DONE(openmp_space_new(&b->space[i], &b->graph[i], weight));
		gemp_free(weight);
		weight = NULL;
	}
	*out = b;
	b = NULL;
done:
	gemp_free(weight);
	beside_free(b);
	return code;
}

void beside_free(beside *b)
{
	if (!b)
		return;
	for (int i = 0; i < BESIDE_IDS; i++) {
		openmp_space_free(&b->space[i]);
		graph_free(&b->graph[i]);
		gemp_free(b->wall[i]);
	}
	gemp_free(b);
}

static void run_one(const beside *b, int i, application app, uint32_t source, unsigned rounds)
{
	const graph *g = &b->graph[i];
	openmp_space *s = (openmp_space *)&b->space[i];
	switch (app) {
	case BFS: openmp_bfs(g, s, source); return;
	case SSSP: openmp_sssp(g, s, source, b->delta); return;
	case PAGERANK: openmp_pagerank(g, s, rounds, 0); return;
	case SPMV:
		for (unsigned k = 0; k < rounds; k++)
			openmp_spmv(g, s);
	}
}

void beside_run(beside *b, application app, unsigned run, unsigned rounds)
{
	for (int i = 0; i < BESIDE_IDS; i++) {
		uint32_t source = graph_source(&b->graph[i], run);
		usleep(SETTLE_US);
		double begun = gemp_now();
		run_one(b, i, app, source, rounds);
		b->wall[i][run] = gemp_now() - begun;
	}
	usleep(SETTLE_US);
}
