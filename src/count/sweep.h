/* sweep: the parts of gemp_sweep_sum (count_graph.h), for its own files and tests. */
#ifndef GEMP_COUNT_SWEEP_H
#define GEMP_COUNT_SWEEP_H

#include "count/count_graph.h"

/* How a sweep is laid out on a device. */
typedef struct gemp_sweep_shape {
	size_t workers; /* dense: work-items, each with counters for all vertices */
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
	gemp_program program;
	gemp_sum_result *result;
} gemp_sweep;

/* Could a sum of values leave 64 bits? */
gemp_code gemp_sweep_watch(const gemp_count_graph *graph, const gemp_sum *sum, uint32_t ends, bool *watched);

gemp_code gemp_sweep_dense(gemp_sweep *sweep);

/* Adds up what `workers` left; GEMP_EDATA if some value is not sure to be right. */
gemp_code gemp_sweep_collect(gemp_sweep *sweep, const gemp_buffer *values, const gemp_buffer *magnitudes, size_t workers);

#endif
