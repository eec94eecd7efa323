/* gemp/bench.h: measures queries, shuffles, analytics by shuffles and a device, finds the best launch geometry for the
 * device, and builds kernels. The figures go to the report. docs/benchmarks.md has the figures of this project. */

#ifndef GEMP_BENCH_H
#define GEMP_BENCH_H

#include <gemp/analytics.h>
#include <gemp/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective. Counts the matches of each query repeatedly, with the graph on the device. The plan is made once. The
 * report's field `queries` is an array with milliseconds of kernels, of their preparation, of whole runs and of
 * processor time, each on the slowest rank. Each query runs once untimed and then `repeat` times; no further run begins
 * after `seconds`. All queries[count] must be queries of the same graph. Each query of a script is measured. */
GEMP_API gemp_code gemp_bench_match(gemp_query *const *queries, size_t count, uint64_t repeat, double seconds,
                                    gemp_report *report);

/* Collective. Builds the kernels that do not depend on a query, on the devices of all ranks, so that later runs with
 * the same number of ranks on a node load them. The kernels of conditions, of counts by sums, of components and degrees
 * and of the four analyses are built by small questions on generated graphs. Reports the seconds of each part. */
GEMP_API gemp_code gemp_bench_warm(gemp_context *context, gemp_report *report);

/* Collective. Measures the copy bandwidth of the device's memory and the time of a kernel launch. */
GEMP_API gemp_code gemp_bench_device(gemp_context *context, gemp_report *report);

/* Collective. Tries several values for each number of the device's launch geometry. Finds for each operation the
 * smallest input for which the device is faster than the host. Writes the best values to a file that later runs read.
 * If `path` is NULL, the file is gemp-mpi/tuning/DEVICE.conf in $XDG_CONFIG_HOME or, if that is not set, in ~/.config.
 *
 * The searches run on a generated graph, and also on `graph` unless it is NULL. `settings` are the settings of the
 * searches; if NULL, the defaults apply. GEMP_EUSAGE on several ranks. */
GEMP_API gemp_code gemp_bench_tune(gemp_context *context, gemp_graph *graph, const gemp_query_settings *settings,
                                   const char *path, gemp_report *report);

enum { GEMP_BENCH_MAX_TUPLE = 64, GEMP_BENCH_MAX_RANGES = 2048 };

typedef struct gemp_bench_shuffle_settings {
	size_t size;                 /* the size of this struct in bytes; gemp_bench_shuffle_settings_init sets it */
	const uint64_t *tuple_sizes; /* [tuple_size_count] sizes in bytes, powers of 2 from 4 to 64; 8 by default */
	size_t tuple_size_count;
	const uint64_t *ranges; /* [range_count] numbers of ranges, powers of 2 from 2 to 2048; 256 by default */
	size_t range_count;
	/* The bits 1 << gemp_shuffle_method. 0: all methods that are possible here. Several ranks can only use `decode`. */
	unsigned methods;
	bool no_uniform; /* omit the case in which all destinations are equally frequent */
	bool no_skewed;  /* omit the case in which some destinations are far more frequent than others */
	uint64_t tuples; /* number of tuples of each rank; 0: chosen for the device and the method */
} gemp_bench_shuffle_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_bench_shuffle_settings_init(gemp_bench_shuffle_settings *settings);

/* Collective. Makes tuples of a destination and a value on the device, and shuffles them into ranges of destinations by
 * each method. Reports the rates in the field `shuffles` and in a table. The results are checked outside of the
 * measured time. If `settings` is NULL, the defaults apply. */
GEMP_API gemp_code gemp_bench_shuffle(gemp_context *context, const gemp_bench_shuffle_settings *settings,
                                      gemp_report *report);

typedef struct gemp_bench_analytics_settings {
	size_t size;           /* the size of this struct in bytes; gemp_bench_analytics_settings_init sets it */
	unsigned applications; /* the bits 1 << gemp_application; 0: all */
	unsigned methods;      /* the bits 1 << gemp_shuffle_method; 0: all except tables */
	const char *source;    /* bfs, sssp: key of the first vertex; NULL: a vertex with the most edges */
	uint32_t iterations;   /* pagerank: iterations; spmv: products; 10 by default */
	uint64_t repeat;       /* runs of each method and engine, of which the fastest counts; 3 by default */
	/* no further run of a method begins after this time, and no further round of its first run; 10 by default */
	double seconds;
	/* power of 2; 0: 2048. With fewer ranges than a graph needs, its edges are streamed in parts */
	uint64_t max_ranges;
} gemp_bench_analytics_settings;

/* Local. Sets all defaults. */
GEMP_API void gemp_bench_analytics_settings_init(gemp_bench_analytics_settings *settings);

/* Collective. Runs PageRank, BFS, SSSP and products with a matrix by edge streaming: each round makes a tuple of every
 * edge, shuffles the tuples by one of the methods, and updates the vertices. Reports the rates in the field `analytics`
 * and in a table, beside those of the engines of gemp/analytics.h, whose answers are compared. If `edges` is NULL, all
 * edges are used; its weights are the lengths of sssp and the matrix of spmv. If `settings` is NULL, the defaults
 * apply. GEMP_EUSAGE on several ranks. */
GEMP_API gemp_code gemp_bench_analytics(gemp_graph *graph, const gemp_edge_selection *edges,
                                        const gemp_bench_analytics_settings *settings, gemp_report *report);

#ifdef __cplusplus
}
#endif

#endif
