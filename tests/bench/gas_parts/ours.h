/* ours: times and checks bfs, sssp, pagerank and spmv of the program on one graph. */
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
	double copy; /* bandwidth of a copy in bytes per second */
	const char *spec;
	graph graph;
	const uint8_t *weight;
	unsigned runs;   /* sources of bfs and sssp, or repetitions of pagerank and spmv */
	unsigned rounds; /* iterations of pagerank and spmv */
	uint32_t delta;  /* of sssp; 0: sssp chooses */
	uint32_t batch;  /* launches of sssp between two exchanges of several ranks; 0: sssp chooses */
	bool unchecked;  /* answers are not checked, which one core does for minutes on large graphs */
	bool grid;       /* pagerank and spmv run alternately with both cuts of edges */
	beside *beside;  /* NULL: only our program runs */
} bench;

/* The figures of one application. Seconds are those of the slowest rank. */
typedef struct timing {
	double *wall, *device; /* [runs] */
	double *exchange;      /* [runs] bfs and sssp: seconds of exchanges, with the wait for other ranks */
	double *edges;         /* [runs] edges by which the rate of a run is computed */
	double layout, prepare, build;
	double bytes;         /* the least bytes that the device has to move in a run; 0: unknown */
	uint64_t rounds;      /* sum over all runs */
	double along;         /* sssp: edges relaxed in all runs; otherwise 0 */
	gemp_traffic traffic; /* sum over all runs and ranks */
} timing;

gemp_code timing_new(timing *out, const bench *b);
void timing_free(timing *t);
/* Collective. Rank 0 prints a line of JSON, and a line for each OpenMP program that ran alternately with ours. */
void timing_print(timing *t, const bench *b, const char *name);

/* Collective. Each function measures one application and prints its figures. The answer of the last run is compared
 * with gas_parts/check.h unless b->unchecked; for spmv, that of an additional product. */
gemp_code ours_bfs(bench *b);
gemp_code ours_sssp(bench *b);
gemp_code ours_pagerank(bench *b);
gemp_code ours_spmv(bench *b);

#endif
