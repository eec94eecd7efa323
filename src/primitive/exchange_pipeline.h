/* exchange_pipeline: the transfers of primitive/device_exchange between GPUs, in chunks that overlap.
 *
 * A rank sends one stream of bytes (primitive/exchange_streams), a chunk in each step. In step s a rank
 *   - reads chunk s of its stream from its device into a slot of its region of page-locked memory,
 *   - writes its parts of the chunks s - 1 of the ranks of its node to its device,
 *   - begins to send the parts of chunk s - 1 that are for ranks of other nodes and to receive such parts (MPI),
 *   - awaits the messages of chunk s - 2, while those of chunk s - 1 keep the network busy,
 *   - writes the messages of chunk s - 3 to its device.
 * All of these run at the same time, and chunks alternate between the slots. The ranks of a node have their regions in
 * one shared window, read each other's regions, and meet at a barrier after each step. If a node has too little shared
 * memory, its ranks exchange by MPI like ranks of different nodes.
 *
 * Every rank knows the counts of all pairs of ranks, so no step announces sizes. The memory is kept between exchanges,
 * since locking its pages takes milliseconds per 10 MB, and grows with the streams up to the limit. */

#ifndef GEMP_PRIMITIVE_EXCHANGE_PIPELINE_H
#define GEMP_PRIMITIVE_EXCHANGE_PIPELINE_H

#include "comm/exchange.h"
#include "comm/shared.h"
#include "device/device.h"
#include "primitive/exchange_streams.h"

typedef struct gemp_exchange_pipeline {
	const gemp_comm *comm; /* borrowed, like the device */
	gemp_device *device;
	int *node_rank; /* [ranks] the rank's number on this node; -1: exchanges with it are by MPI */
	gemp_streams streams;
	MPI_Request *requests; /* [2][2 * ranks] of even and of odd chunks */
	size_t wanted;         /* bytes of a chunk that the longest stream so far asks for; 0: there are no regions */
	size_t chunk;          /* bytes of a chunk: fewer if a node has too little memory for a window */
	size_t stride;         /* bytes of a slot */
	size_t slots;          /* of a region: 2, or 3 with messages */
	gemp_shared shared;    /* the barrier and the regions of the ranks of this node */
	gemp_pinned locked;    /* the pages of the window, or the region of this rank if there is no window */
	char *regions;         /* [ranks of this node, or 1][slots][stride] */
	gemp_node_barrier barrier;
	gemp_pinned incoming; /* [slots][incoming_slot] received messages */
	size_t incoming_slot;
} gemp_exchange_pipeline;

/* Local. */
gemp_code gemp_exchange_pipeline_new(gemp_exchange_pipeline *out, const gemp_comm *comm, gemp_device *device);
/* Collective, before the device is closed. {0} and a pipeline that could not be made are allowed. */
void gemp_exchange_pipeline_free(gemp_exchange_pipeline *pipeline);

/* Collective. Makes the memory for streams of up to `longest` bytes, the same number on all ranks, which the first
 * exchange would make. The codes are agreed. */
gemp_code gemp_exchange_pipeline_reserve(gemp_exchange_pipeline *pipeline, size_t longest);
/* Collective. Moves all elements for other ranks. Kernels that use the buffers must have ended. `code` and a failure on
 * one rank become a failure on all ranks. */
gemp_code gemp_exchange_pipeline_run(gemp_exchange_pipeline *pipeline, gemp_code code, const gemp_stream_move *move,
                                     gemp_traffic *traffic);

#endif
