/* gas_openmp: measures BFS, SSSP, PageRank and sparse matrix-vector products of a plain OpenMP program on the graphs of
 * gas_parts/graph.h. Our bfs, sssp, pagerank and spmv on CPU cores are compared with this program.
 *     gas_openmp SPEC [by-degree|as-is [SOURCES [DELTA]]]
 * Prints one line of JSON: the best and the median seconds of SOURCES searches (8), and of at most three runs of
 * pagerank and of spmv, with 20 iterations each. The answers of the first search and of the last run of pagerank and
 * spmv are compared with those of gas_parts/check.h. */
#include "core/memory.h"
#include "core/status.h"
#include "core/timer.h"
#include "gas_parts/check.h"
#include "gas_parts/openmp.h"

#include <inttypes.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 20, MOST_RUNS = 256, DELTA = 2 };

typedef struct answers {
	uint32_t *number;
	double *real, *given;
} answers;

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void report(const char *name, double *seconds, unsigned runs, double edges)
{
	qsort(seconds, runs, sizeof *seconds, by_value);
	printf(", \"%s\": {\"best\": %.6f, \"median\": %.6f, \"gteps\": %.4f}", name, seconds[0], seconds[runs / 2],
	       1e-9 * edges / seconds[runs / 2]);
	fflush(stdout);
}

static gemp_code traverse(const graph *g, openmp_space *s, const uint8_t *weight, const answers *right, unsigned runs,
                          uint32_t delta)
{
	gemp_code code = GEMP_OK;
	double seconds[2][MOST_RUNS], edges = (double)g->begin[g->vertices];
	for (unsigned run = 0; run < runs; run++) {
		uint32_t source = graph_source(g, run);
		double begun = gemp_now();
		openmp_bfs(g, s, source);
		seconds[0][run] = gemp_now() - begun;
		if (run == 0) {
			GEMP_TRY_DONE(true_levels(g, source, right->number));
			GEMP_TRY_DONE(check_parents(g, source, right->number, s->parent));
		}
	}
	for (unsigned run = 0; run < runs; run++) {
		uint32_t source = graph_source(g, run);
		double begun = gemp_now();
		openmp_sssp(g, s, source, delta);
		seconds[1][run] = gemp_now() - begun;
		if (run == 0) {
			GEMP_TRY_DONE(true_distances(g, weight, source, right->number));
			GEMP_TRY_DONE(check_same("sssp", right->number, s->distance, g->vertices));
		}
	}
	report("bfs", seconds[0], runs, edges / 2);
	report("sssp", seconds[1], runs, edges);
done:
	return code;
}

static const double *widen(double *to, const float *from, uint32_t count)
{
	for (uint32_t v = 0; v < count; v++)
		to[v] = (double)from[v];
	return to;
}

static gemp_code iterate(const graph *g, openmp_space *s, const uint8_t *weight, const answers *right, unsigned runs)
{
	gemp_code code = GEMP_OK;
	double seconds[2][MOST_RUNS], edges = ITERATIONS * (double)g->begin[g->vertices];
	for (unsigned run = 0; run < runs; run++) {
		double begun = gemp_now();
		openmp_pagerank(g, s, ITERATIONS, 0);
		seconds[0][run] = gemp_now() - begun;
		begun = gemp_now();
		for (int i = 0; i < ITERATIONS; i++)
			openmp_spmv(g, s);
		seconds[1][run] = gemp_now() - begun;
	}
	GEMP_TRY_DONE(true_ranks(g, ITERATIONS, 0.85, right->real));
	GEMP_TRY_DONE(check_near("pagerank", right->real, widen(right->given, s->rank, g->vertices), g->vertices, 1e-4));
	true_product(g, weight, widen(right->given, s->x, g->vertices), right->real);
	GEMP_TRY_DONE(check_near("spmv", right->real, widen(right->given, s->y, g->vertices), g->vertices, 1e-4));
	report("pagerank", seconds[0], runs, edges);
	report("spmv", seconds[1], runs, edges);
done:
	return code;
}

int main(int argc, char **argv)
{
	gemp_code code = GEMP_OK;
	graph g = { 0 };
	openmp_space s = { 0 };
	answers right = { 0 };
	uint8_t *weight = NULL;
	bool by_degree = argc > 2 && !strcmp(argv[2], "by-degree");
	int runs = argc > 3 ? atoi(argv[3]) : 8, delta = argc > 4 ? atoi(argv[4]) : DELTA;
	if (argc < 2 || runs < 1 || runs > MOST_RUNS || delta < 1)
		return fprintf(stderr, "usage: gas_openmp SPEC [by-degree|as-is [SOURCES [DELTA]]]\n"), GEMP_EUSAGE;
	MPI_Init(&argc, &argv);
	GEMP_TRY_DONE(graph_new(&g, argv[1], by_degree));
	if (g.begin[g.vertices] == 0)
		GEMP_TRY_DONE(gemp_fail(GEMP_EDATA, "%s has no edges", argv[1]));
	GEMP_TRY_DONE(graph_weights(&weight, &g));
	GEMP_TRY_DONE(openmp_space_new(&s, &g, weight));
	GEMP_TRY_DONE(GEMP_NEW(right.number, g.vertices));
	GEMP_TRY_DONE(GEMP_NEW(right.real, g.vertices));
	GEMP_TRY_DONE(GEMP_NEW(right.given, g.vertices));
	printf("{\"program\": \"openmp\", \"graph\": \"%s\", \"ids\": \"%s\", \"threads\": %d, \"vertices\": %" PRIu32
	       ", \"stored\": %" PRIu64 ", \"delta\": %d",
	       argv[1], by_degree ? "by-degree" : "as-is", omp_get_max_threads(), g.vertices, g.begin[g.vertices], delta);
	GEMP_TRY_DONE(traverse(&g, &s, weight, &right, (unsigned)runs, (uint32_t)delta));
	GEMP_TRY_DONE(iterate(&g, &s, weight, &right, runs < 3 ? (unsigned)runs : 3));
	printf("}\n");
done:
	if (code != GEMP_OK)
		fprintf(stderr, "gas_openmp: %s\n", gemp_message());
	openmp_space_free(&s);
	graph_free(&g);
	gemp_free(weight);
	gemp_free(right.number);
	gemp_free(right.real);
	gemp_free(right.given);
	MPI_Finalize();
	return (int)code;
}
