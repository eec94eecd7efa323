/* wedges_grouped: the state of a sum over wedges, and the grouped form for GPUs, which counts in local memory
 * (kernels/count/count_wedges_grouped.cl). wedges.h has the dense form, and chooses between the forms.
 *
 * Roots are sorted by their number of paths. A root with few paths goes to a worker with a hash table, a root with more
 * paths to a group with a larger hash table. The other roots go to groups whose local memory is a window over the
 * counters of all ends; such a root is walked once for each window. All functions are local.
 *
 * Counters are packed. No vertex is the end of more paths of a root than it has neighbours, so a counter has only as
 * many bits as the greatest degree from its slot on needs: 32, 16, 8, 4 or 2. Slots are in about descending order of
 * degree, so few counters are wide. */

#ifndef GEMP_COUNT_WEDGES_GROUPED_H
#define GEMP_COUNT_WEDGES_GROUPED_H

#include "count/device_graph.h"
#include "device/launch.h"

/* A sum of WEDGES, PAIRS, JOINED or PATH_PAIRS, with its programs, task lists and memory, which are made once. */
typedef struct gemp_wedges gemp_wedges;

enum { GEMP_WEDGES_WIDTHS = 5 };

/* The position of the counter of each end. */
typedef struct gemp_wedges_layout {
	cl_uint from[GEMP_WEDGES_WIDTHS - 1]; /* the first slot with 16, 8, 4 and 2 bits */
	cl_uint base[GEMP_WEDGES_WIDTHS - 1]; /* the counter of slot w begins at bit base + w * width, mod 2^32 */
	bool packed;                          /* if false, the counter of slot w is word w */
	uint64_t words;                       /* words of all counters */
	uint32_t ends;                        /* number of slots */
} gemp_wedges_layout;

enum { GEMP_WEDGES_BUCKETS = 512 };

/* Task lists of the grouped form, which kernels of the preparation make. */
typedef struct gemp_wedges_tasks {
	/* [entries] ROW: begin and end of the part of the middle's row behind the root */
	gemp_buffer rows;
	gemp_buffer paths;                   /* [ends] PATHS: the number of paths of each root */
	gemp_buffer list;                    /* [roots] this rank's roots, by descending bucket of paths */
	uint32_t sizes[GEMP_WEDGES_BUCKETS]; /* number of roots in each bucket */
} gemp_wedges_tasks;

enum { GEMP_MAX_ROOT_TABLES = 2 };

/* How a sum uses a device. In the grouped form, a root goes to the first of these whose table holds its paths: a worker
 * with a table of worker_words, or a group with one of `tables`, in ascending order. All other roots go to groups with
 * windows. If one window holds all counters, `tables` is not used. */
typedef struct gemp_wedges_shape {
	bool dense;
	size_t workers;        /* dense: work-items, each with counters for all vertices */
	size_t group, groups;  /* grouped: `groups` groups with windows, of `group` work-items each, a power of 2 */
	unsigned lanes;        /* work-items of a worker */
	unsigned row_lanes;    /* work-items that read one row */
	uint32_t window_words; /* words of counters in local memory */
	uint32_t worker_words; /* words of the keys and counts of a worker's table, a power of 2; 0: no such table */
	struct {
		size_t group;
		uint32_t words; /* a power of 2; 0: no such table */
	} tables[GEMP_MAX_ROOT_TABLES];
	const char *options; /* compiler options; may be NULL */
} gemp_wedges_shape;

/* Buffers of the dense form, with a section for each worker. */
typedef struct gemp_wedges_dense {
	cl_uint indexed_rows; /* number of long rows, for which the position behind the last root is stored */
	gemp_buffer row_starts, places, counters, touched, next;
	gemp_buffer paths, reached; /* PATH_PAIRS: paths: number of three-paths to each end; reached: the ends */
} gemp_wedges_dense;

/* Tasks and memory of the grouped form. */
typedef struct gemp_wedges_grouped {
	gemp_wedges_layout layout;
	bool spills;                  /* counters beyond window_words lie in global memory */
	cl_uint windows, spill_words; /* windows: number of windows; spill_words: words of spilled counters of each group */
	gemp_wedges_tasks tasks;
	/* window_roots: number of roots at the front of the list; worker_roots: number of roots at its end */
	cl_uint window_roots, worker_roots;
	/* Roots in between, by kind of table. The roots of the larger table come first. */
	cl_uint table_roots[GEMP_MAX_ROOT_TABLES];
	size_t groups; /* groups with windows */
	cl_uint local_words;
	gemp_buffer layouts, window, next, spill, touched;
} gemp_wedges_grouped;

struct gemp_wedges {
	const gemp_count_graph *graph;
	const gemp_sum *sum;
	gemp_wedges_shape shape;
	cl_uint ends;        /* slots >= ends have no neighbours */
	cl_uint first, step; /* this rank's roots: first, first + step, ... */
	cl_uint roots;
	bool checked; /* sums of a worker might not fit into 64 bits, so magnitudes are summed, too */
	gemp_program program, tasks_program;
	cl_kernel kernel, tables_kernel;
	gemp_wedges_dense dense;
	gemp_wedges_grouped grouped;
	size_t sums;                    /* partial sums of workers and groups */
	gemp_buffer values, magnitudes; /* [sums] values: long; magnitudes: double */
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
