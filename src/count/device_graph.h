/* device_graph: what sums read and what they leave on one device.
 *
 * The input is the rows of a simple undirected view, and the supports and vertex tables that are computed from the
 * rows once. Every rank holds the whole input and sums over its share of the tasks. Slots are in about descending order
 * of degree: only classes of degrees are sorted.
 *
 * Results are exact. Each group of work-items leaves two words on the device (count_leave in kernels/count/count.clh),
 * beside the control words of the kernels, and the host adds them in 128 bits. Nothing has to be zeroed between
 * launches, and one read fetches all results. Sums over vertices whose summands pass 64 bits run on the host. All
 * functions are local.
 */

#ifndef GEMP_COUNT_DEVICE_GRAPH_H
#define GEMP_COUNT_DEVICE_GRAPH_H

#include "core/search.h"
#include "core/types.h"
#include "count/plan.h"
#include "device/launch.h"
#include "partition/runtime.h"

#include <string.h>

typedef struct gemp_count_graph {
	gemp_runtime *context; /* borrowed */
	uint32_t vertices;
	uint64_t entries;                /* 2 * edges */
	bool wide;                       /* offsets are ulong, else uint */
	uint32_t max_degree, max_prefix; /* longest row; longest low row */
	gemp_buffer row_offsets;         /* [vertices + 1] OFFSET */
	gemp_buffer upper_offsets;       /* [vertices] OFFSET: first entry of row v whose slot is greater than v */
	gemp_buffer column_indices;      /* [entries] uint slots, ascending in a row */
	gemp_buffer support;             /* [entries] uint: triangles on the edge of this entry; none if not needed */
	/* [entries] uint, none if not needed: triangles on the edge whose third vertex comes after the row's vertex, at
	 * entries whose neighbour comes after it, too; 0 at the other entries. */
	gemp_buffer ordered_support;
	gemp_buffer tables[GEMP_MAX_VERTEX_TABLES];        /* [vertices] long; [0] are degrees */
	double table_bound[GEMP_MAX_VERTEX_TABLES];        /* no value of the table is further from 0 */
	double low_bound;                                  /* no low row is longer */
	const uint64_t *host_offsets, *host_upper_offsets; /* on the host, for task lists; borrowed from the engine */
	const gemp_vertex *host_indices;

	/* Low rows: the neighbours of smaller slot, each edge once; no buffers if the plan needs none. */
	gemp_buffer low_offsets; /* [vertices + 1] OFFSET */
	gemp_buffer low_indices; /* [entries / 2] uint slots, ascending in a row */
	gemp_buffer low_source;  /* [entries / 2] uint: whose row this is; GPUs only */
	gemp_buffer low_support; /* [entries / 2] uint: triangles on this edge; none if not needed */
} gemp_count_graph;

/* One rank's share of a sum, and the seconds of its kernels and of the kernels that prepared its task lists. */
typedef struct gemp_sum_result {
	__int128 total;
	double seconds, preparation;
	uint64_t launches;
} gemp_sum_result;

typedef struct gemp_count_engine gemp_count_engine;

/* About the first slot below `ends` whose row is shorter than `length`: rows become shorter with the slot, but within a
 * class of degrees they are in any order. */
static inline uint32_t gemp_count_rows_from_length(const gemp_count_graph *graph, uint32_t ends, uint64_t length)
{
	size_t slot;
	GEMP_PARTITION_POINT(slot, 0, ends, graph->host_offsets[slot + 1] - graph->host_offsets[slot] >= length);
	return (uint32_t)slot;
}

/* An upper bound on the magnitude of an expression (NULL: 1) on this graph. The expression may read vertex tables whose
 * bounds are known. */
gemp_code gemp_count_bound(const gemp_count_graph *graph, const char *expression, double *bound);

/* The buffers of the vertex tables that the expression reads, as arguments of a kernel; returns their number. */
size_t gemp_count_table_arguments(const gemp_count_graph *graph, const char *expression, gemp_argument *arguments);

/* Appends arguments to arguments[count], a size_t lvalue. */
#define gemp_count_add_arguments(arguments, count, ...)     \
	do {                                                    \
		const gemp_argument more_[] = { __VA_ARGS__ };      \
		memcpy((arguments) + (count), more_, sizeof more_); \
		(count) += sizeof more_ / sizeof *more_;            \
	} while (0)

/* Launches the kernel `name` of a program, which is not needed again: GEMP_TRY(gemp_count_launch_once(timings, device,
 * program, name, items, group, GEMP_ARG(&buffer.mem), ...)). */
#define gemp_count_launch_once(timings, device, program, name, items, group, ...)         \
	gemp_count_launch_once_with((timings), (device), (program), (name), (items), (group), \
	                            (const gemp_argument[]){ __VA_ARGS__ },                   \
	                            sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_count_launch_once_with(gemp_timings *timings, gemp_device *device, const gemp_program *program,
                                      const char *name, size_t items, size_t group, const gemp_argument *arguments,
                                      size_t count);

/* RESULTS */

typedef struct gemp_partials {
	gemp_buffer out;     /* [2 * capacity] long: lower and upper half */
	gemp_buffer control; /* [GEMP_COUNT_CONTROL_WORDS] uint, see kernels/count/count_abi.h */
	int64_t *words;      /* [2 * capacity] what was read */
	size_t capacity;     /* groups */
	bool checked;        /* true: kernels may report a value beyond 64 bits; false saves a read */
} gemp_partials;

/* gemp_partials_free in any case. */
gemp_code gemp_partials_new(gemp_partials *out, gemp_device *device, size_t capacity);
void gemp_partials_free(gemp_partials *partials, gemp_device *device);

/* Waits for the launches and reads the partial sums of groups [0, groups). GEMP_EDATA if a kernel reported a value that
 * may not fit into 64 bits. */
gemp_code gemp_partials_read(gemp_partials *partials, gemp_device *device, size_t groups);

/* The total of groups [first, first + groups) of the last read. */
__int128 gemp_partials_total(const gemp_partials *partials, size_t first, size_t groups);

/* Can the sum's value pass 64 bits at some vertex of this graph, as powers at a hub do? */
gemp_code gemp_vertex_sum_overflows(const gemp_count_graph *graph, const gemp_sum *sum, bool *passes);

/* This rank's share of a sum over vertices, on the host, in 128 bits: for powers that do not fit into 64 bits, and for
 * stars with any number of leaves. GEMP_EDATA where even 128 bits are too few. */
gemp_code gemp_vertex_sum(const gemp_count_graph *graph, const gemp_sum *sum, __int128 *total);

#endif
