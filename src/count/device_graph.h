/* device_graph: the input of the sums of a count plan on one device: the rows of a simple undirected view, and the
 * supports and vertex tables that are computed from them once. Every rank holds all of it and sums over its
 * share of the tasks. Slots are in about descending order of degree: only classes of degrees are sorted.
 */

#ifndef GEMP_COUNT_DEVICE_GRAPH_H
#define GEMP_COUNT_DEVICE_GRAPH_H

#include "core/search.h"
#include "core/types.h"
#include "count/plan.h"
#include "partition/runtime.h"

/* exact_sum: sums without rounding or overflow. Groups of work-items leave two words each on the device (count_leave
 * in kernels/count/count.clh), beside the control words of the kernels; the host adds them in 128 bits. Nothing is
 * to be zeroed between launches, and one read gets all.
 */

typedef struct gemp_partials {
	gemp_buffer out;     /* [2 * capacity] long: lower and upper half */
	gemp_buffer control; /* [GEMP_COUNT_CONTROL_WORDS] uint, see kernels/count/count_abi.h */
	int64_t *words;      /* [2 * capacity] what was read */
	size_t capacity;     /* groups */
	bool checked;        /* true: kernels may report a value beyond 64 bits; false saves a read */
} gemp_partials;

gemp_code gemp_partials_new(gemp_partials *out, gemp_device *device, size_t capacity);
void gemp_partials_free(gemp_partials *partials, gemp_device *device);

/* Waits for the launches and reads the partial sums of groups [0, groups). GEMP_EDATA if a kernel reported a value that may
 * not fit into 64 bits. */
gemp_code gemp_partials_read(gemp_partials *partials, gemp_device *device, size_t groups);

/* The total of groups [first, first + groups) of the last read. */
__int128 gemp_partials_total(const gemp_partials *partials, size_t first, size_t groups);

/* Sums over vertices on the host, in 128 bits: for powers that do not fit into 64 bits (stars round a hub) and for stars with
 * any number of leaves. */

typedef struct gemp_count_graph {
	gemp_runtime *context; /* borrowed */
	uint32_t vertices;
	uint64_t entries;                /* 2 * edges */
	bool wide;                       /* offsets are ulong, else uint */
	uint32_t max_degree, max_prefix; /* of the rows; of their parts before `mid` */
	gemp_buffer row_offsets;         /* [vertices + 1] OFFSET */
	gemp_buffer upper_offsets;       /* [vertices] OFFSET: first entry of row v whose slot is greater than v */
	gemp_buffer column_indices;      /* [entries] uint slots, ascending in a row */
	gemp_buffer
		support; /* [entries] uint: triangles on the edge of this entry (both its entries); none if not asked for */
	gemp_buffer
		ordered_support; /* [entries] uint: of those the ones whose third vertex comes after the vertex whose row it is, if
	                            the neighbour does, else 0; none if not asked for */
	gemp_buffer tables[GEMP_MAX_VERTEX_TABLES]; /* [vertices] long; [0] are degrees */
	double table_bound[GEMP_MAX_VERTEX_TABLES]; /* no value of the table is further from 0 */
	const uint64_t *host_offsets,
		*host_upper_offsets; /* on the host, for task lists; borrowed from the owner of the graph */
	const gemp_vertex *host_indices;

	/* Low rows: the neighbours of smaller slot, each edge once. None of these if the plan has no need of them. */
	gemp_buffer low_offsets; /* [vertices + 1] OFFSET */
	gemp_buffer low_indices; /* [entries / 2] uint slots, ascending in a row */
	gemp_buffer low_source;  /* [entries / 2] uint: whose row this is; GPUs only */
	gemp_buffer low_support; /* [entries / 2] uint: triangles on this edge; none if not asked for */
} gemp_count_graph;

/* Can the sum's value pass 64 bits at some vertex of this graph? */
gemp_code gemp_vertex_sum_overflows(const gemp_count_graph *graph, const gemp_sum *sum, bool *passes);

/* Local. This rank's share. GEMP_EDATA where even 128 bits are too few. */
gemp_code gemp_vertex_sum(const gemp_count_graph *graph, const gemp_sum *sum, __int128 *total);

/* An exact sum of one rank: lo and hi are a signed 128-bit number. `seconds` of kernels, `preparation` of kernels that make
 * task lists and the like. */
typedef struct gemp_sum_result {
	__int128 total;
	double seconds, preparation;
	uint64_t launches;
} gemp_sum_result;

typedef struct gemp_count_engine gemp_count_engine;

/* Rows become shorter with the slot, within classes of degrees only: about the first slot below `ends` whose row is shorter than
 * `length`. */
static inline uint32_t gemp_count_rows_from_length(const gemp_count_graph *graph, uint32_t ends, uint64_t length)
{
	size_t slot;
	GEMP_PARTITION_POINT(slot, 0, ends, graph->host_offsets[slot + 1] - graph->host_offsets[slot] >= length);
	return (uint32_t)slot;
}

#endif
