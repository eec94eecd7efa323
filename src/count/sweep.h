/* sweep: the parts of gemp_sweep (count_graph.h), for its own files and tests.
 *
 * Two shapes: dense, for CPU devices (kernels/count_sweep_dense.cl), and grouped, for GPUs (kernels/count_sweep_group.cl).
 */
#ifndef GEMP_COUNT_SWEEP_H
#define GEMP_COUNT_SWEEP_H

#include "count/count_graph.h"
#include "count/sweep_layout.h"
#include "count/sweep_tasks.h"
#include "device/laps.h"

#include "core/text.h"

enum { GEMP_MOST_TABLES = 2 };

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

/* Collective. As gemp_sweep_new, in that shape. */
gemp_code gemp_sweep_new_shaped(gemp_sweep **out, const gemp_count_graph *graph, const gemp_sum *sum,
                                const gemp_sweep_shape *shape);

/* Memory of dense sweeps, a part for each worker. */
typedef struct gemp_sweep_dense {
	cl_uint kept_rows; /* long rows, in which the place of the last root is kept */
	gemp_buffer kept, places, counters, touched, next;
	gemp_buffer paths, met; /* PATH_PAIRS: to the ends of three-paths; which have any */
} gemp_sweep_dense;

/* Tasks and memory of grouped sweeps. */
typedef struct gemp_sweep_grouped {
	gemp_sweep_layout layout;
	bool spills;                        /* counters beyond window_words lie in global memory */
	cl_uint windows, spilt_words;       /* of each group */
	gemp_sweep_tasks tasks;
	cl_uint many, few;                  /* roots at the front of the list for windows, at its end for workers */
	cl_uint middling[GEMP_MOST_TABLES]; /* in between, for each kind of table; those for smaller ones are further behind */
	size_t groups;                      /* with windows */
	cl_uint local_words;
	gemp_buffer layouts, window, next, spilt, touched;
} gemp_sweep_grouped;

struct gemp_sweep {
	const gemp_count_graph *graph;
	const gemp_sum *sum;
	gemp_sweep_shape shape;
	cl_uint ends;         /* slots from there on have no neighbours */
	cl_uint first, step;  /* this rank's roots: first, first + step, ... */
	cl_uint roots;
	bool watched;         /* sums of a worker might leave 64 bits: magnitudes tell */
	gemp_program program, tasks_program;
	cl_kernel kernel, tables_kernel;
	gemp_sweep_dense dense;
	gemp_sweep_grouped grouped;
	size_t sums;                    /* that workers and groups leave */
	gemp_buffer values, magnitudes; /* [sums] long, double */
	gemp_laps laps;
	double preparation;
	uint64_t prepared;
};

/* Could a sum of values leave 64 bits? */
gemp_code gemp_sweep_watch(gemp_sweep *sweep);

/* Local, after the program is built: memory, tasks, and how many sums there will be. */
gemp_code gemp_sweep_dense_new(gemp_sweep *sweep);
gemp_code gemp_sweep_dense_launch(gemp_sweep *sweep);
void gemp_sweep_dense_free(gemp_sweep *sweep);
size_t gemp_sweep_dense_workers(const gemp_count_graph *graph);

/* Before the program is built: chooses counters, and puts down what count_sweep_group.cl wants beside sweep_emit.h. */
gemp_code gemp_sweep_grouped_emit(gemp_text *text, gemp_sweep *sweep);
gemp_code gemp_sweep_grouped_new(gemp_sweep *sweep);
gemp_code gemp_sweep_grouped_launch(gemp_sweep *sweep);
void gemp_sweep_grouped_free(gemp_sweep *sweep);

#endif
