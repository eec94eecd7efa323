/* sweep: the parts of gemp_sweep_sum (count_graph.h), for its own files and tests.
 *
 * Two shapes: dense, for CPU devices (kernels/count_sweep_dense.cl), and grouped, for GPUs (kernels/count_sweep_group.cl).
 */
#ifndef GEMP_COUNT_SWEEP_H
#define GEMP_COUNT_SWEEP_H

#include "count/count_graph.h"

#include "core/text.h"

enum { GEMP_MOST_TABLES = 3 };

/* How a sweep is laid out on a device. Grouped: roots of few paths go to workers with a table of worker_words; others to
 * groups with the smallest of `tables` (ascending) that is large enough; others to groups with windows. Where one window
 * holds all counters, `tables` is not used. */
typedef struct gemp_sweep_shape {
	bool dense;
	size_t workers;           /* dense: work-items, each with counters for all vertices */
	size_t group, groups;     /* grouped: work-items of a group with windows, a power of 2; groups at a time */
	unsigned lanes;           /* of a worker */
	unsigned row_lanes;       /* along a row */
	uint32_t window_words;    /* of counters in local memory */
	uint32_t worker_words;    /* 0, or a power of 2: of the table of a worker, keys and counts */
	struct {
		size_t group;
		uint32_t words;   /* power of 2; 0: no table */
	} tables[GEMP_MOST_TABLES];
	const char *options;      /* of the compiler; may be NULL */
} gemp_sweep_shape;

void gemp_sweep_shape_for(gemp_sweep_shape *shape, const gemp_count_graph *graph, const gemp_sum *sum);

/* Collective. As gemp_sweep_sum, in that shape. */
gemp_code gemp_sweep_sum_shaped(const gemp_count_graph *graph, const gemp_sum *sum, const gemp_sweep_shape *shape,
                                gemp_sum_result *result);

/* One sum on its way. */
typedef struct gemp_sweep {
	const gemp_count_graph *graph;
	const gemp_sum *sum;
	gemp_sweep_shape shape;
	uint32_t ends;        /* slots from there on have no neighbours */
	cl_uint first, step;  /* this rank's roots: first, first + step, ... */
	cl_uint roots;
	bool watched;         /* sums of a worker might leave 64 bits: magnitudes tell */
	gemp_program program, tasks_program;
	gemp_sum_result *result;
} gemp_sweep;

/* Could a sum of values leave 64 bits? */
gemp_code gemp_sweep_watch(const gemp_count_graph *graph, const gemp_sum *sum, uint32_t ends, bool *watched);

gemp_code gemp_sweep_dense(gemp_sweep *sweep);
size_t gemp_sweep_dense_workers(const gemp_count_graph *graph);
gemp_code gemp_sweep_grouped(gemp_sweep *sweep);
/* What count_sweep_group.cl wants in front beside gemp_sweep_emit. */
gemp_code gemp_sweep_emit_grouped(gemp_text *text, const gemp_sweep *sweep);

/* What workers or groups leave. */
typedef struct gemp_sweep_sums {
	size_t count;
	gemp_buffer values, magnitudes; /* [count] long, double */
} gemp_sweep_sums;
gemp_code gemp_sweep_sums_new(gemp_sweep_sums *sums, gemp_device *device, size_t count);
void gemp_sweep_sums_free(gemp_sweep_sums *sums, gemp_device *device);
/* Adds them to the result; GEMP_EDATA if some value is not sure to be right. */
gemp_code gemp_sweep_collect(gemp_sweep *sweep, const gemp_sweep_sums *sums);

#endif
