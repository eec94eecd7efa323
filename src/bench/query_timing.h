/* measure: a query again and again in one process, the graph on the device and the plan made. */

#ifndef GEMP_BENCH_QUERY_TIMING_H
#define GEMP_BENCH_QUERY_TIMING_H

#include "query/query.h"

typedef struct gemp_spread {
	double min, median, max; /* seconds */
} gemp_spread;

typedef struct gemp_query_timing {
	size_t runs;
	gemp_spread kernel, prepare, run; /* of one run on the slowest rank: counting and preparing kernels, all of it */
	gemp_spread cpu;                  /* of processors that one run used, the kernels of a CPU device among it */
	double first_prepare;             /* seconds of preparing kernels until the end of the first run */
	double first;                     /* seconds of planning, building, uploading and the first run */
	gemp_match_result result;
	char *plan;            /* as --explain; owned */
	gemp_prepared *query;  /* owned; while it is there its rows stay on the device */
	gemp_pattern *pattern; /* owned, if the caller leaves it here */
} gemp_query_timing;

/* Collective. Prepares the query once and runs it `most` times after a run that is not counted; no further run begins
 * once `seconds` have gone into them, and a first run longer than that is the only one. Runs that count differently are
 * GEMP_EINTERNAL. */
gemp_code gemp_query_timing_run(gemp_query_timing *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_pattern *pattern, const gemp_prepared_options *how, size_t most,
                                double seconds);
void gemp_query_timing_free(gemp_query_timing *measured);

/* Sorts the values. count is at least 1. */
gemp_spread gemp_spread_of(double *values, size_t count);

#endif
