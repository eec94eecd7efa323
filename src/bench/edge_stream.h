/* edge_stream: the edges of a graph as columns on a device, which analytics by edge streaming read from the begin to
 * the end in every round (bench/streaming.h).
 *
 * Vertices are numbered by id, which is random, so hubs are spread over all ranges of destinations. In the order of a
 * layout, where vertices of high degree come first, the first range would have most of the edges. Edges are ordered by
 * source. If there are more vertices than a shuffle has destinations, the edges are divided into parts by destination,
 * and the destinations of a part begin at 0. */

#ifndef GEMP_BENCH_EDGE_STREAM_H
#define GEMP_BENCH_EDGE_STREAM_H

#include "analytics/layout/layout.h"
#include "shuffle/shuffle.h"

/* The edges to the vertices first .. first + vertices - 1. */
typedef struct gemp_edge_stream_part {
	uint32_t first, vertices;
	unsigned used; /* number of ranges that have vertices */
	size_t edges;
	/* [edges] on the host, which a CPU device reads in place; weight: NULL if unweighted */
	uint32_t *host_source, *host_destination, *host_weight;
	gemp_buffer source, destination, weight; /* weight: u32 or float */
} gemp_edge_stream_part;

typedef struct gemp_edge_stream {
	gemp_device *device; /* borrowed */
	uint32_t vertices;
	uint64_t edges;
	unsigned bits, shift; /* of all shuffles (shuffle/shuffle.h) */
	size_t part_count;
	gemp_edge_stream_part *parts; /* [part_count] */
	uint32_t *degree;             /* [vertices] edges that leave the vertex, by id */
	size_t max_part;              /* number of edges of the largest part */
} gemp_edge_stream;

/* Local. Makes the columns of a layout of one rank with GEMP_LAYOUT_OUT whose ends the host has. The layout has no
 * weights, integers of at most 32 bits, or floats of single precision; otherwise GEMP_EUSAGE. `bits` limits the number
 * of ranges; 0: GEMP_SPLIT_BITS. The caller frees *out, also after a failure. */
gemp_code gemp_edge_stream_new(gemp_edge_stream *out, gemp_device *device, const gemp_layout *layout, unsigned bits);
void gemp_edge_stream_free(gemp_edge_stream *stream);

#endif
