/* gemp/bench.h: measures queries, shuffles and a device, and finds the launch geometry that suits it. The figures go to the report;
 * docs/benchmarks.md has those of this project.
 */

#ifndef GEMP_BENCH_H
#define GEMP_BENCH_H

#include <gemp/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All functions are collective. */

/* Counts the matches of each query again and again, the graph on the device and the plan made once: seconds of kernels, of their
 * preparation, of whole runs and of processors, each of the slowest rank, as fields of the array `queries`. Each query is timed
 * `repeat` times after a run that is not timed; no further run begins after `seconds`. All are queries of one graph, one each. */
GEMP_API gemp_code gemp_bench_match(gemp_query *const *queries, size_t count, uint64_t repeat, double seconds,
                                    gemp_report *report);

/* Measures the copy bandwidth of the device's memory, and the cost of a launch. */
GEMP_API gemp_code gemp_bench_device(gemp_context *context, gemp_report *report);

/* Tries values for each number that shapes kernel launches on this device, and the sizes from which on it is faster than the host,
 * and writes the best to a file that later runs read. graph: measured beside a generated one; NULL: none. settings: of the searches;
 * NULL: defaults. path NULL: ~/.config/gemp-mpi/tuning/DEVICE.conf. GEMP_EUSAGE on several ranks. */
GEMP_API gemp_code gemp_bench_tune(gemp_context *context, gemp_graph *graph, const gemp_query_settings *settings,
                                   const char *path, gemp_report *report);

enum { GEMP_BENCH_MAX_TUPLE = 64, GEMP_BENCH_MAX_RANGES = 2048 };

typedef struct gemp_bench_shuffle_settings {
	size_t size;                 /* of this struct in bytes, set by gemp_bench_shuffle_settings_init */
	const uint64_t *tuple_sizes; /* [tuple_size_count] bytes, powers of 2 from 4 to 64; 8 by default */
	size_t tuple_size_count;
	const uint64_t *ranges; /* [range_count] of destinations, powers of 2 from 2 to 2048; 256 by default */
	size_t range_count;
	unsigned methods; /* bits 1 << gemp_shuffle_method; 0: all that there are here. Several ranks have decode alone */
	bool no_uniform,
		no_skewed;   /* leaves out destinations that are all equally frequent, or of which some are frequent */
	uint64_t tuples; /* of each rank; 0: by the memory of the device */
} gemp_bench_shuffle_settings;

/* Local. */
GEMP_API void gemp_bench_shuffle_settings_init(gemp_bench_shuffle_settings *settings);

/* Makes tuples of a destination and a value on the device, and brings them to their ranges of destinations: field `shuffles`, and a
 * table. Results are checked outside of the time. settings NULL: defaults. */
GEMP_API gemp_code gemp_bench_shuffle(gemp_context *context, const gemp_bench_shuffle_settings *settings,
                                      gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
