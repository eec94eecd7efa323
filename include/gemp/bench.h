/* gemp/bench.h: measures queries, shuffles and a device, and finds the launch geometry that suits the device. The
 * figures go to the report; docs/benchmarks.md has the figures of this project.
 */

#ifndef GEMP_BENCH_H
#define GEMP_BENCH_H

#include <gemp/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective. Counts the matches of each query repeatedly, with the graph on the device and the plan made once. The
 * field `queries` is an array with milliseconds of kernels, of their preparation, of whole runs and of processors, each
 * on the slowest rank. Each query is timed `repeat` times after a run that is not timed; no further run begins after
 * `seconds`. All queries[count] must be of the same graph, and none may be a script of several. */
GEMP_API gemp_code gemp_bench_match(gemp_query *const *queries, size_t count, uint64_t repeat, double seconds,
                                    gemp_report *report);

/* Collective. Measures the copy bandwidth of the device's memory, and the time of a launch. */
GEMP_API gemp_code gemp_bench_device(gemp_context *context, gemp_report *report);

/* Collective. Tries values for each number of the launch geometry of this device, finds the sizes from which on it is
 * faster than the host, and writes the best values to a file that later runs read. graph: searched in addition to a
 * generated one; NULL: none. settings: of the searches; NULL: defaults. path NULL:
 * ~/.config/gemp-mpi/tuning/DEVICE.conf. GEMP_EUSAGE on several ranks. */
GEMP_API gemp_code gemp_bench_tune(gemp_context *context, gemp_graph *graph, const gemp_query_settings *settings,
                                   const char *path, gemp_report *report);

enum { GEMP_BENCH_MAX_TUPLE = 64, GEMP_BENCH_MAX_RANGES = 2048 };

typedef struct gemp_bench_shuffle_settings {
	size_t size;                 /* of this struct in bytes, set by gemp_bench_shuffle_settings_init */
	const uint64_t *tuple_sizes; /* [tuple_size_count] bytes, powers of 2 from 4 to 64; 8 by default */
	size_t tuple_size_count;
	const uint64_t *ranges; /* [range_count] of destinations, powers of 2 from 2 to 2048; 256 by default */
	size_t range_count;
	unsigned
		methods; /* bits 1 << gemp_shuffle_method; 0: all that are possible here. Several ranks have only `decode` */
	bool no_uniform; /* leaves out the case in which all destinations are equally frequent */
	bool no_skewed;  /* leaves out the case in which some destinations are far more frequent */
	uint64_t tuples; /* of each rank; 0: chosen by the kind of device */
} gemp_bench_shuffle_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_bench_shuffle_settings_init(gemp_bench_shuffle_settings *settings);

/* Collective. Makes tuples of a destination and a value on the device, shuffles them into ranges of destinations by
 * each method, and reports the rates as the field `shuffles` and a table. Results are checked, but the checks are not
 * timed. settings NULL: defaults. */
GEMP_API gemp_code gemp_bench_shuffle(gemp_context *context, const gemp_bench_shuffle_settings *settings,
                                      gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
