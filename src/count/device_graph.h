/* device_graph: the inputs and the results of sums on one device.
 *
 * The inputs are the rows of a simple undirected view, and the supports and vertex tables that are computed once from
 * the rows. Every rank holds all inputs and sums over its share of the tasks. Slots are in descending order of degree
 * class, not of degree, so degrees along the slots descend only approximately.
 *
 * Results are exact. Each group of work-items writes two words on the device (count_leave in kernels/count/count.clh),
 * and the host adds them in 128 bits. Nothing has to be zeroed between launches, and one read fetches all results. Sums
 * over vertices whose summands exceed 64 bits run on the host. All functions are local. */

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
	uint64_t entries; /* twice the number of edges */
	bool wide;        /* OFFSET, the type of positions, is ulong; otherwise uint */
	/* max_degree: length of the longest row; max_prefix: length of the longest low row */
	uint32_t max_degree, max_prefix;
	gemp_buffer row_offsets;    /* [vertices + 1] OFFSET */
	gemp_buffer upper_offsets;  /* [vertices] OFFSET: the first entry of row v whose slot is greater than v */
	gemp_buffer column_indices; /* [entries] uint slots, ascending in a row */
	gemp_buffer support;        /* [entries] uint: triangles on the edge of this entry; empty if not needed */
	/* [entries] uint, empty if not needed. At an entry of row v whose neighbour has a slot greater than v: the
	 * triangles on the edge whose third vertex also has a slot greater than v. At other entries: 0. */
	gemp_buffer ordered_support;
	gemp_buffer tables[GEMP_MAX_VERTEX_TABLES];        /* [vertices] long; tables[0] are the degrees */
	double table_bound[GEMP_MAX_VERTEX_TABLES];        /* an upper bound on the magnitudes in the table */
	double low_bound;                                  /* an upper bound on the length of low rows */
	const uint64_t *host_offsets, *host_upper_offsets; /* copies on the host, to list tasks; borrowed from the engine */

	/* Low row v: the neighbours of v with slots less than v. Low rows contain each edge once. The buffers are empty if
	 * the plan does not need low rows. */
	gemp_buffer low_offsets; /* [vertices + 1] OFFSET */
	gemp_buffer low_indices; /* [entries / 2] uint slots, ascending in a row */
	gemp_buffer low_source;  /* [entries / 2] uint: the vertex whose low row has this entry */
	gemp_buffer low_support; /* [entries / 2] uint: triangles on this edge; empty if not needed */
} gemp_count_graph;

/* A sum over this rank's tasks, the seconds of its kernels, and the seconds of the kernels that prepared its task
 * lists. */
typedef struct gemp_sum_result {
	__int128 total;
	double seconds, preparation;
	uint64_t launches;
} gemp_sum_result;

typedef struct gemp_count_engine gemp_count_engine;

/* Returns about the first slot below `ends` whose row is shorter than `length`. Within a degree class rows have no
 * order by length, so the result is not exact. */
static inline uint32_t gemp_count_rows_from_length(const gemp_count_graph *graph, uint32_t ends, uint64_t length)
{
	size_t slot;
	GEMP_PARTITION_POINT(slot, 0, ends, graph->host_offsets[slot + 1] - graph->host_offsets[slot] >= length);
	return (uint32_t)slot;
}

/* Computes an upper bound on the magnitude of an expression on this graph. NULL is the expression 1. The expression may
 * read vertex tables whose bounds are known. */
gemp_code gemp_count_bound(const gemp_count_graph *graph, const char *expression, double *bound);

/* Writes the buffers of the vertex tables that the expression reads to arguments, in the order of the tables. Returns
 * their number. */
size_t gemp_count_table_arguments(const gemp_count_graph *graph, const char *expression, gemp_argument *arguments);

/* Appends arguments to arguments[count]; count is a size_t lvalue. */
#define gemp_count_add_arguments(arguments, count, ...)     \
	do {                                                    \
		const gemp_argument more_[] = { __VA_ARGS__ };      \
		memcpy((arguments) + (count), more_, sizeof more_); \
		(count) += sizeof more_ / sizeof *more_;            \
	} while (0)

/* Launches the kernel `name` of a program once and releases it: GEMP_TRY(gemp_count_launch_once(timings, device,
 * program, name, items, group, GEMP_ARG(&buffer.mem), ...)). */
#define gemp_count_launch_once(timings, device, program, name, items, group, ...)         \
	gemp_count_launch_once_with((timings), (device), (program), (name), (items), (group), \
	                            (const gemp_argument[]){ __VA_ARGS__ },                   \
	                            sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_count_launch_once_with(gemp_timings *timings, gemp_device *device, const gemp_program *program,
                                      const char *name, size_t items, size_t group, const gemp_argument *arguments,
                                      size_t count);

/* The partial sums of work-groups, which kernels write and the host adds. */

typedef struct gemp_partials {
	gemp_buffer out;     /* [2 * capacity] long: lower and upper half of each group's sum */
	gemp_buffer control; /* [GEMP_COUNT_CONTROL_WORDS] uint, see kernels/count/count_abi.h */
	int64_t *words;      /* [2 * capacity] host copy of out */
	size_t capacity;     /* maximum number of groups */
	/* kernels may report a value that exceeds 64 bits, so each read also reads the overflow word */
	bool checked;
} gemp_partials;

/* Free the partial sums also after a failure. */
gemp_code gemp_partials_new(gemp_partials *out, gemp_device *device, size_t capacity);
void gemp_partials_free(gemp_partials *partials, gemp_device *device);

/* Waits for the launches and reads the partial sums of groups [0, groups). GEMP_EDATA if a kernel reported a value that
 * may not fit into 64 bits. */
gemp_code gemp_partials_read(gemp_partials *partials, gemp_device *device, size_t groups);

/* Returns the total of groups [first, first + groups) of the last read. */
__int128 gemp_partials_total(const gemp_partials *partials, size_t first, size_t groups);

/* *passes: can the sum's value at some vertex exceed 64 bits? Powers of the degree of a hub can. Always true if
 * sum->leaves is not 0. */
gemp_code gemp_vertex_sum_overflows(const gemp_count_graph *graph, const gemp_sum *sum, bool *passes);

/* Computes this rank's part of a sum over vertices on the host in 128 bits: for values that exceed 64 bits, and for
 * stars with any number of leaves. GEMP_EDATA if 128 bits do not suffice. */
gemp_code gemp_vertex_sum(const gemp_count_graph *graph, const gemp_sum *sum, __int128 *total);

#endif
