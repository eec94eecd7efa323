/* streaming: PageRank, BFS, SSSP and products with a matrix by edge streaming, with an on-the-fly shuffle (after Chen
 * et al. 2019 on FPGAs). A round is gather, apply, scatter over all edges:
 *
 *   scatter  makes a tuple of each edge: its destination, and a value of its source and its weight
 *   shuffle  reduces the values of each destination by one of the methods of shuffle/shuffle.h, in ranges of
 *            destinations whose sums lie in local memory
 *   apply    gives each vertex its new value
 *
 * There are no frontiers: BFS and SSSP stream all edges until no value decreases (Bellman and Ford). So the methods are
 * compared on equal work; src/analytics has the engines that do less work. Local: one rank. */

#ifndef GEMP_BENCH_STREAMING_H
#define GEMP_BENCH_STREAMING_H

#include "bench/edge_stream.h"
#include "gemp/bench.h"

#define GEMP_STREAM_UNREACHED UINT32_MAX

typedef struct gemp_streaming_params {
	gemp_application application;
	uint32_t source;     /* bfs, sssp: id */
	uint32_t iterations; /* pagerank: iterations; spmv: products of the same vector */
	double damping;      /* pagerank */
	const float *x;      /* spmv: [vertices] by id */
	double seconds;      /* no further round begins after this time */
} gemp_streaming_params;

typedef struct gemp_streaming_result {
	double seconds;                         /* of all rounds, by the host's clock */
	double scatter, shuffle, gather, apply; /* of the launches, by the device's clock; gather: only of decode */
	uint32_t rounds;
	bool complete; /* false: `seconds` ended the run */
} gemp_streaming_result;

typedef struct gemp_streaming {
	gemp_toolbox *box;              /* borrowed */
	const gemp_edge_stream *stream; /* borrowed */
	gemp_streaming_params params;
	gemp_buffer value;                /* u32 or float [vertices] that scatter reads */
	gemp_buffer result;               /* float [vertices] ranks or products; none for bfs and sssp */
	gemp_buffer degree;               /* u32 [vertices] */
	gemp_buffer numbers;              /* u32 [2], see kernels/bench/stream.cl */
	gemp_buffer *sums;                /* [part_count] u32 [2^(bits + shift)] */
	gemp_buffer tuple;                /* u32 [max_part] values of the tuples of a part */
	gemp_buffer destination_out, out; /* u32 [max_part] the tuples in the order of ranges; made for decode */
	gemp_buffer begin;                /* u32 [2^bits + 1] */
} gemp_streaming;

/* Local. The caller frees *out, also after a failure. params->x must live until then. */
gemp_code gemp_streaming_new(gemp_streaming *out, gemp_toolbox *box, const gemp_edge_stream *stream,
                             const gemp_streaming_params *params);
void gemp_streaming_free(gemp_streaming *streaming);

/* Local. Runs all rounds from the beginning. Kernels are built and have been launched once before the clock starts. */
gemp_code gemp_streaming_run(gemp_streaming *streaming, gemp_shuffle_method method, gemp_streaming_result *result);

/* Local. Reads the answer of the last run: numbers[vertices] by id, floats for pagerank and spmv, otherwise u32. */
gemp_code gemp_streaming_read(gemp_streaming *streaming, void *numbers);

#endif
