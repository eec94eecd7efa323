/* measure: a query again and again in one process, the graph on the device and the plan made. */

#ifndef GEMP_BENCH_MEASURE_H
#define GEMP_BENCH_MEASURE_H

#include "query/query.h"
#include "shuffle/shuffle_ranks.h"

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

/* SHUFFLES: how fast tuples are shuffled by each method, made on the device and checked there outside of the time. */

/* What is measured. */
typedef struct gemp_shuffle_case {
	gemp_shuffle_method method;
	gemp_shuffle how; /* with its layout */
	bool skewed;
	size_t tuples;                     /* of each rank */
	const gemp_shuffle_shared *common; /* of several ranks */
} gemp_shuffle_case;

/* Of all ranks; the best of some tries on the slowest rank. */
typedef struct gemp_shuffle_rates {
	double shuffle; /* seconds; 0: the method has nothing but all */
	double all;     /* until the values are added up; of several ranks, with what `decode` has between them */
	double by_owner, exchange, by_range; /* seconds of these stages; 0 on one rank */
	uint64_t tuples, bytes;              /* bytes that went to other ranks */
	double network;                      /* bytes a second that ranks exchange from memory to memory */
} gemp_shuffle_rates;

/* The most tuples of `size` bytes that it is tried on if nobody says how many; methods in which every range looks at
 * every tuple get less. */
size_t gemp_shuffle_tuples(const gemp_runtime *context, gemp_shuffle_method method, const gemp_shuffle *how);

/* Collective. Methods other than decode are for one rank. GEMP_EINTERNAL if a tuple is lost or not in its range, or the
 * sums are not those of atomics. */
gemp_code gemp_shuffle_measure(gemp_shuffle_rates *out, gemp_runtime *context, gemp_toolbox *box,
                               const gemp_shuffle_case *c);

#endif
