/* measure: times a query that runs again and again in one process, with the graph on the device and the plan made; and
 * times shuffles. */

#ifndef GEMP_BENCH_MEASURE_H
#define GEMP_BENCH_MEASURE_H

#include "query/query.h"
#include "shuffle/shuffle_ranks.h"

typedef struct gemp_spread {
	double min, median, max; /* seconds */
} gemp_spread;

typedef struct gemp_query_timing {
	size_t runs;
	/* Of a run on the slowest rank: the counting kernels, the preparation of kernels, the whole run. */
	gemp_spread kernel, prepare, run;
	gemp_spread cpu;      /* processor time of a run, with the kernels of a CPU device */
	double first_prepare; /* of preparing kernels until the end of the first run */
	double first;         /* of planning, building, uploading and the first run */
	gemp_match_result result;
	char *plan;            /* as --explain prints it; owned */
	gemp_prepared *query;  /* owned; while it exists, its rows stay on the device */
	gemp_pattern *pattern; /* owned, if the caller puts it here */
} gemp_query_timing;

/* Collective. Prepares the query once and runs it `max` times after a run that is not counted. No further run begins
 * after `seconds`; a first run that takes longer is the only one. GEMP_EINTERNAL: runs count differently. */
gemp_code gemp_query_timing_run(gemp_query_timing *out, gemp_runtime *runtime, gemp_shard *graph,
                                const gemp_pattern *pattern, const gemp_prepared_options *how, size_t max,
                                double seconds);
void gemp_query_timing_free(gemp_query_timing *measured);

/* Sorts the values. count is at least 1. */
gemp_spread gemp_spread_of(double *values, size_t count);

/* SHUFFLES: how fast each method shuffles tuples, which are made on the device, and checked there outside of the
 * time. */

typedef struct gemp_shuffle_case {
	gemp_shuffle_method method;
	gemp_shuffle how; /* with its layout */
	bool skewed;
	size_t tuples;                     /* of each rank */
	const gemp_shuffle_shared *common; /* for several ranks */
} gemp_shuffle_case;

/* Figures of all ranks: the best of some tries, on the slowest rank. */
typedef struct gemp_shuffle_rates {
	double shuffle;                      /* seconds; 0: the method has no separate shuffle */
	double all;                          /* seconds until the values are added */
	double by_owner, exchange, by_range; /* seconds of these stages; 0 on one rank */
	uint64_t tuples, bytes;              /* bytes that went to other ranks */
	double network;                      /* bytes a second that ranks exchange from memory to memory */
} gemp_shuffle_rates;

/* The number of tuples for a case, unless the caller gives one. Methods in which every range reads every tuple get
 * fewer. */
size_t gemp_shuffle_tuples(const gemp_runtime *runtime, gemp_shuffle_method method, const gemp_shuffle *how);

/* Collective. Methods other than `decode` are for one rank. GEMP_EINTERNAL: a tuple is lost or in a wrong range, or the
 * sums differ from those of atomic additions. */
gemp_code gemp_shuffle_measure(gemp_shuffle_rates *out, gemp_runtime *runtime, gemp_toolbox *box,
                               const gemp_shuffle_case *c);

#endif
