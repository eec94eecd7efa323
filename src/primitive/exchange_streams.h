/* exchange_streams: which bytes a rank sends to which rank in which step of an exchange between devices. Local.
 *
 * A rank sends one stream of bytes: its elements for the ranks above it, then its elements for the ranks below it. In
 * an even exchange, each rank therefore receives from one rank at a time. A stream is cut into chunks of one size, one
 * for each step; a block (the elements for one rank) may lie in several chunks. Every rank knows the counts of all
 * pairs of ranks, so every rank computes the position of its blocks in the streams of all other ranks. A stream may
 * have the blocks for some ranks only, since ranks of a node may exchange in another way than ranks of different
 * nodes. */

#ifndef GEMP_PRIMITIVE_EXCHANGE_STREAMS_H
#define GEMP_PRIMITIVE_EXCHANGE_STREAMS_H

#include "device/device.h"

/* The pairs of ranks whose elements are in the streams. */
typedef enum gemp_stream_pairs { GEMP_PAIRS_ALL, GEMP_PAIRS_WITHIN_NODES, GEMP_PAIRS_BETWEEN_NODES } gemp_stream_pairs;

/* Elements that lie in rank order in the buffers of all ranks. */
typedef struct gemp_stream_move {
	const gemp_buffer *from, *to;
	const uint64_t *counts; /* [ranks][ranks] by source and target */
	bool answers;           /* the elements go back: counts are by target and source */
	size_t size;            /* bytes of an element */
	const int *node_of;     /* [ranks] a number that is different on each node; not read for GEMP_PAIRS_ALL */
	gemp_stream_pairs pairs;
} gemp_stream_move;

/* The part of a stream that is for one rank. */
typedef struct gemp_stream_block {
	size_t first, size; /* bytes: begin in the stream of its source, length */
	size_t from, to;    /* begin in the buffers of its source and its target; only that of this rank is set */
} gemp_stream_block;

typedef struct gemp_streams {
	int ranks, rank;
	gemp_stream_block *out; /* [ranks] by target, in this rank's stream */
	gemp_stream_block *in;  /* [ranks] by source, in the source's stream */
	size_t length;          /* bytes of this rank's stream */
	size_t longest;         /* bytes of the longest stream of all ranks */
} gemp_streams;

gemp_code gemp_streams_new(gemp_streams *out, int ranks, int rank);
void gemp_streams_free(gemp_streams *streams);
/* Replaces the blocks by those of a move. */
void gemp_streams_lay_out(gemp_streams *streams, const gemp_stream_move *move);

/* The bytes of a block that lie in the chunk of a step. */
typedef struct gemp_stream_slice {
	size_t begin; /* in the block */
	size_t chunk; /* in the chunk */
	size_t size;
} gemp_stream_slice;
gemp_stream_slice gemp_stream_slice_of(const gemp_stream_block *block, size_t chunk, size_t step);

/* Bytes of this rank's chunk of a step that are contiguous in its buffer. */
typedef struct gemp_stream_run {
	size_t from; /* in the buffer */
	size_t chunk;
	size_t size;
} gemp_stream_run;
/* Returns false after the last run. *next is 1 before the first call. */
bool gemp_streams_next_run(const gemp_streams *streams, size_t chunk, size_t step, int *next, gemp_stream_run *run);

#endif
