/* wedges_grouped: the state of a sum over wedges, and its form for GPUs, which counts in local memory
 * (kernels/count/count_wedges_grouped.cl). wedges.h has the other form, and chooses.
 *
 * Roots are sorted by their number of paths. Roots with few paths go to workers with a hashed table, roots with more
 * to groups with a larger table, and the rest to groups whose local memory is a window over the counters of all ends;
 * such a root is walked once for each window. All functions are local.
 *
 * Counters are packed: a counter is as wide as the greatest degree from its slot on needs, since no vertex ends more
 * paths of a root than it has neighbours: 32, 16, 8, 4 or 2 bits. Slots are in about descending order of degree, so
 * few counters are wide.
 */

#ifndef GEMP_COUNT_WEDGES_GROUPED_H
#define GEMP_COUNT_WEDGES_GROUPED_H

#include "count/device_graph.h"
#include "device/launch.h"

/* A sum of WEDGES, PAIRS, JOINED or PATH_PAIRS, with its programs, task lists and memory, which are made once. */
typedef struct gemp_wedges gemp_wedges;

enum { GEMP_WEDGES_WIDTHS = 5 };

/* Where the counter of each end lies. */
typedef struct gemp_wedges_layout {
	cl_uint from[GEMP_WEDGES_WIDTHS - 1]; /* first slots of the widths but 32 */
	cl_uint base[GEMP_WEDGES_WIDTHS - 1]; /* the counter of slot w begins at bit base + w * width, mod 2^32 */
	bool packed;                          /* else the counter of slot w is word w */
	uint64_t words;                       /* of all counters */
	uint32_t ends;                        /* slots */
} gemp_wedges_layout;

enum { GEMP_WEDGES_BUCKETS = 512 };

/* Task lists, which the device makes before the grouped form runs. */
typedef struct gemp_wedges_tasks {
	gemp_buffer rows;                    /* [entries] ROW: the part of the middle's row behind root and end */
	gemp_buffer paths;                   /* [ends] PATHS: number of paths of each root */
	gemp_buffer list;                    /* [roots] own roots, by descending bucket of their paths */
	uint32_t sizes[GEMP_WEDGES_BUCKETS]; /* roots in each bucket */
} gemp_wedges_tasks;

enum { GEMP_MAX_ROOT_TABLES = 2 };

/* How a sum is laid out on a device. Grouped: roots of few paths go to workers with a table of worker_words; others to
 * groups with the smallest of `tables` (ascending) that is large enough; others to groups with windows. Where one
 * window holds all counters, `tables` is not used. */
typedef struct gemp_wedges_shape {
	bool dense;
	size_t workers;        /* dense: work-items, each with counters for all vertices */
	size_t group, groups;  /* grouped: work-items of a group with windows, a power of 2; groups at a time */
	unsigned lanes;        /* of a worker */
	unsigned row_lanes;    /* along a row */
	uint32_t window_words; /* of counters in local memory */
	uint32_t worker_words; /* 0, or a power of 2: of the table of a worker, keys and counts */
	struct {
		size_t group;
		uint32_t words; /* power of 2; 0: no table */
	} tables[GEMP_MAX_ROOT_TABLES];
	const char *options; /* of the compiler; may be NULL */
} gemp_wedges_shape;

/* Memory of the dense form, one section for each worker. */
typedef struct gemp_wedges_dense {
	cl_uint indexed_rows; /* long rows, in which the place of the last root is kept */
	gemp_buffer row_starts, places, counters, touched, next;
	gemp_buffer paths, reached; /* PATH_PAIRS: to the ends of three-paths; which have any */
} gemp_wedges_dense;

/* Tasks and memory of the grouped form. */
typedef struct gemp_wedges_grouped {
	gemp_wedges_layout layout;
	bool spills;                  /* counters beyond window_words lie in global memory */
	cl_uint windows, spill_words; /* of each group */
	gemp_wedges_tasks tasks;
	cl_uint window_roots, worker_roots; /* roots at the front of the list for windows, at its end for workers */
	/* Roots in between, for each kind of table: the roots of the larger table come first. */
	cl_uint table_roots[GEMP_MAX_ROOT_TABLES];
	size_t groups; /* with windows */
	cl_uint local_words;
	gemp_buffer layouts, window, next, spill, touched;
} gemp_wedges_grouped;

struct gemp_wedges {
	const gemp_count_graph *graph;
	const gemp_sum *sum;
	gemp_wedges_shape shape;
	cl_uint ends;        /* slots from there on have no neighbours */
	cl_uint first, step; /* this rank's roots: first, first + step, ... */
	cl_uint roots;
	bool checked; /* sums of a worker might not fit into 64 bits, so magnitudes are summed, too */
	gemp_program program, tasks_program;
	cl_kernel kernel, tables_kernel;
	gemp_wedges_dense dense;
	gemp_wedges_grouped grouped;
	size_t sums;                    /* partial sums of workers and groups */
	gemp_buffer values, magnitudes; /* [sums] long, double */
	gemp_timings timings;
	double preparation;
	uint64_t prepared;
};

/* begin: [ends + 1] row offsets. pack: use narrow counters if their bits can be numbered in 32 bits. */
void gemp_wedges_layout_new(gemp_wedges_layout *out, const uint64_t *begin, uint32_t ends, bool pack);

/* The slot of the first counter that begins in this word or behind it. */
uint32_t gemp_wedges_slot_at(const gemp_wedges_layout *layout, uint64_t word);

/* Before the program is built: chooses the counters, and emits the macros that count_wedges_grouped.cl needs besides
 * those of codegen.h. */
gemp_code gemp_wedges_grouped_emit(gemp_text *text, gemp_wedges *wedges);
gemp_code gemp_wedges_grouped_new(gemp_wedges *wedges);
gemp_code gemp_wedges_grouped_launch(gemp_wedges *wedges);
void gemp_wedges_grouped_free(gemp_wedges *wedges);

#endif
