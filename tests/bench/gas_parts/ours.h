/* ours: bfs, sssp, pagerank and spmv of the project on one graph, timed and checked. */
#ifndef BENCH_GAS_OURS_H
#define BENCH_GAS_OURS_H

#include "comm/comm.h"
#include "comm/exchange.h"
#include "core/status.h"
#include "device/device.h"
#include "gas_parts/beside.h"
#include "gas_parts/graph.h"

typedef struct bench {
	gemp_comm comm;
	gemp_device *device;
	double copy; /* bytes a second */
	const char *spec;
	graph graph;
	const uint8_t *weight;
	unsigned runs;   /* sources, or times the same */
	unsigned rounds; /* of pagerank and spmv */
	uint32_t delta;  /* of sssp; 0: as it chooses */
	bool grid;       /* pagerank and spmv in turns with both cuts of edges */
	beside *beside;  /* NULL: ours alone */
} bench;

/* One measured thing: seconds of each run, of the slowest rank. */
typedef struct timing {
	double *wall, *device; /* [runs] */
	double *edges;         /* [runs] that stand for it: what rates are of */
	double layout, prepare, build;
	double bytes;         /* of a run that the device has to move, at least; 0: not said */
	uint64_t rounds;      /* of all runs */
	double along;         /* sssp: edges gone along in all runs; else 0 */
	gemp_traffic traffic; /* of all runs and ranks */
} timing;

gemp_code timing_new(timing *out, const bench *b);
void timing_free(timing *t);
/* Collective. A line of JSON on rank 0, and one for each program that ran beside it. */
void timing_print(timing *t, const bench *b, const char *name);

/* Collective. Each measures and prints; the answer of the last run is compared with gas_parts/check.h. */
gemp_code ours_bfs(bench *b);
gemp_code ours_sssp(bench *b);
gemp_code ours_pagerank(bench *b);
gemp_code ours_spmv(bench *b);

#endif
