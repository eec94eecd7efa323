/* beside: the plain OpenMP program, in turns with ours in one process, so that both meet the same machine. */
#ifndef BENCH_GAS_BESIDE_H
#define BENCH_GAS_BESIDE_H

#include "core/status.h"
#include "gas_parts/openmp.h"

typedef enum application { BFS, SSSP, PAGERANK, SPMV } application;

enum { BESIDE_IDS = 2 /* as they are, by degree */, BESIDE_DELTA = 2 };

typedef struct beside {
	graph graph[BESIDE_IDS];
	openmp_space space[BESIDE_IDS];
	double *wall[BESIDE_IDS]; /* [runs] of the application that runs */
	uint32_t delta;
} beside;

extern const char *const beside_ids[BESIDE_IDS];

gemp_code beside_new(beside **out, const char *spec, unsigned runs, uint32_t delta);
void beside_free(beside *b); /* takes NULL */
/* One run of each order of ids. */
void beside_run(beside *b, application app, unsigned run, unsigned rounds);

#endif
