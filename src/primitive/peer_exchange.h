/* peer_exchange: the transfers of primitive/device_exchange within a node, from device to device without the host.
 *
 * Every rank has a block of its device's memory that the devices of the other ranks of the node read directly
 * (device/shared_block). The block has two halves of `chunk` bytes, and a rank's stream (primitive/exchange_streams) is
 * cut into chunks of that size. In step s a rank
 *   - copies chunk s of its stream into the half s % 2 of its block,
 *   - copies its parts of the chunks s - 1 of the other ranks from the halves (s - 1) % 2 of their blocks,
 *   - finishes its queue, and meets the ranks of its node at a barrier.
 * The blocks are made for the first exchange that is large enough, since this takes 3 ms, and are kept. GPUs need
 * CUDA's driver for them. Unless it was started before, it is started when all exchanges together have moved so much
 * that this pays, and exchanges use the host until it has started on all ranks. Either all ranks have blocks or none
 * has; a failure is no error, since the host's windows remain. */

#ifndef GEMP_PRIMITIVE_PEER_EXCHANGE_H
#define GEMP_PRIMITIVE_PEER_EXCHANGE_H

#include "comm/exchange.h"
#include "device/shared_block.h"
#include "primitive/exchange_streams.h"

typedef struct gemp_peer_exchange {
	const gemp_comm *comm; /* borrowed, like the device */
	gemp_device *device;
	gemp_streams streams;
	int *node_of;             /* [ranks] the lowest rank of the rank's node */
	int *node_rank;           /* [ranks] the rank's number on its node */
	gemp_shared_block *block; /* [ranks of this node] that of this rank, and imported ones */
	int *files;               /* [ranks of this node] */
	unsigned char *devices;   /* [ranks of this node][GEMP_BLOCK_DEVICE] */
	bool several_nodes;       /* there are pairs of ranks on different nodes */
	size_t chunk;             /* bytes of a half of a block; 0: there are no blocks */
	uint64_t moved;           /* bytes of the longest streams of all exchanges so far; the same on all ranks */
	bool requested;           /* the same on all ranks: all have begun to start the driver */
	bool wanted;              /* the same on all ranks: no rank and no failure speaks against blocks */
} gemp_peer_exchange;

/* Local. Starts CUDA's driver on a thread if the node has several ranks and nothing speaks against blocks. */
void gemp_peer_exchange_preload(const gemp_comm *comm);

/* Local. */
gemp_code gemp_peer_exchange_new(gemp_peer_exchange *out, const gemp_comm *comm, gemp_device *device);
/* Collective. Finds out whether all ranks want blocks and have devices for them. */
void gemp_peer_exchange_choose(gemp_peer_exchange *peer);
/* Collective, before the device is closed. {0} and an exchange that could not be made are allowed. */
void gemp_peer_exchange_free(gemp_peer_exchange *peer);

/* Collective. Makes the blocks if streams of up to `longest` bytes, the same number on all ranks, can use them now. */
void gemp_peer_exchange_reserve(gemp_peer_exchange *peer, size_t longest);

/* Collective. Returns whether the elements of the pairs of ranks within nodes are to move by gemp_peer_exchange_run,
 * and makes the blocks if need be. */
bool gemp_peer_exchange_takes(gemp_peer_exchange *peer, const gemp_stream_move *move);
/* Collective. Moves these elements, after gemp_peer_exchange_takes. Kernels that use the buffers must have ended.
 * `code` and a failure on one rank become a failure on all ranks. */
gemp_code gemp_peer_exchange_run(gemp_peer_exchange *peer, gemp_code code, const gemp_stream_move *move,
                                 gemp_traffic *traffic);

#endif
