/* measure: times a query that runs repeatedly in one process, with the graph on the device and the plan made; and times
 * shuffles. */

#ifndef GEMP_BENCH_MEASURE_H
#define GEMP_BENCH_MEASURE_H

#include "query/query.h"
#include "shuffle/shuffle_ranks.h"

typedef struct gemp_spread {
	double min, median, max; /* seconds */
} gemp_spread;

typedef struct gemp_query_timing {
	size_t runs;
	/* times of a run on the slowest rank: counting kernels, preparation kernels, whole run */
	gemp_spread kernel, prepare, run;
	gemp_spread cpu;      /* processor time of a run, including the kernels of a CPU device */
	double first_prepare; /* seconds of preparation kernels up to the end of the first run */
	double first;         /* seconds of planning, building, uploading and the first run */
	gemp_match_result result;
	char *plan;            /* the plan as --explain prints it; owned */
	gemp_prepared *query;  /* owned; keeps its rows on the device */
	gemp_pattern *pattern; /* owned, if the caller sets it */
} gemp_query_timing;

/* Collective. Prepares the query and runs it once without counting the run, then up to `max` times. No further run
 * begins after `seconds`. A first run that takes longer is the only run, and counts. GEMP_EINTERNAL if runs count
 * differently. */
gemp_code gemp_query_timing_run(gemp_query_timing *out, gemp_runtime *runtime, gemp_shard *graph,
                                const gemp_pattern *pattern, const gemp_prepared_options *how, size_t max,
                                double seconds);
void gemp_query_timing_free(gemp_query_timing *measured);

/* Sorts the values. count is at least 1. */
gemp_spread gemp_spread_of(double *values, size_t count);

/* SHUFFLES: how fast each method shuffles tuples. The tuples are made and checked on the device, outside the measured
 * time. */

typedef struct gemp_shuffle_case {
	gemp_shuffle_method method;
	gemp_shuffle how; /* includes the layout */
	bool skewed;
	size_t tuples;                  /* tuples of each rank */
	gemp_device_exchange *exchange; /* between the devices of the ranks */
} gemp_shuffle_case;

/* Results over all ranks: the best of several tries, each with the time of the slowest rank. */
typedef struct gemp_shuffle_rates {
	double shuffle;                      /* seconds of the shuffle; 0 if the method has no separate shuffle */
	double all;                          /* seconds until the values have been added */
	double by_owner, exchange, by_range; /* seconds of the stages; 0 with one rank */
	uint64_t tuples, bytes;              /* number of tuples; bytes sent to other ranks */
	double network;                      /* bytes per second that ranks exchange from memory to memory */
} gemp_shuffle_rates;

/* The default number of tuples for a case. Methods in which every range reads every tuple get fewer. */
size_t gemp_shuffle_tuples(const gemp_runtime *runtime, gemp_shuffle_method method, const gemp_shuffle *how);

/* Collective. Several ranks measure only `decode`. GEMP_EINTERNAL: a tuple is missing or in a wrong range, or the sums
 * differ from those of atomic additions. */
gemp_code gemp_shuffle_measure(gemp_shuffle_rates *out, gemp_runtime *runtime, gemp_toolbox *box,
                               const gemp_shuffle_case *c);

#endif
