/* beside: runs the plain OpenMP program alternately with our program in one process, so both run under the same
 * conditions. */
#ifndef BENCH_GAS_BESIDE_H
#define BENCH_GAS_BESIDE_H

#include "core/status.h"
#include "gas_parts/openmp.h"

typedef enum application { BFS, SSSP, PAGERANK, SPMV } application;

enum { BESIDE_IDS = 2 /* number of orders of ids: unchanged, by degree */, BESIDE_DELTA = 2 };

typedef struct beside {
	graph graph[BESIDE_IDS];
	openmp_space space[BESIDE_IDS];
	double *wall[BESIDE_IDS]; /* [runs] seconds of the application that was run last */
	uint32_t delta;
} beside;

extern const char *const beside_ids[BESIDE_IDS];

gemp_code beside_new(beside **out, const char *spec, unsigned runs, uint32_t delta);
void beside_free(beside *b); /* `b` may be NULL */
/* Runs the application once for each order of ids. */
void beside_run(beside *b, application app, unsigned run, unsigned rounds);

#endif
