#include "primitive/peer_exchange.h"

#include "comm/node_files.h"
#include "core/limits.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/timer.h"
#include "core/types.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* MEMORY_SHARE: a block takes at most this fraction of the memory that the device has left, since the exchange saves
 * milliseconds, and a lack of memory ends the run. MIN_CHUNK: smaller chunks are not worth it. */
enum { MEMORY_SHARE = 8, MIN_CHUNK = 4 << 20 };

gemp_code gemp_peer_exchange_new(gemp_peer_exchange *p, const gemp_comm *comm, gemp_device *device)
{
	const size_t ranks = (size_t)comm->size, near = (size_t)comm->node_size;
	*p = (gemp_peer_exchange){ .comm = comm, .device = device };
	GEMP_TRY(gemp_streams_new(&p->streams, comm->size, comm->rank));
	return gemp_new_all(GEMP_ARRAY(p->node_of, ranks), GEMP_ARRAY(p->node_rank, ranks), GEMP_ARRAY(p->block, near),
	                    GEMP_ARRAY(p->files, near), GEMP_ARRAY(p->devices, near * GEMP_BLOCK_DEVICE));
}

/* The variable is for users whose driver has a fault: host is the way without blocks. */
static bool is_allowed(void)
{
	const char *variable = getenv("GEMP_DEVICE_EXCHANGE");
	return gemp_limits_now()->device_exchange_peer != 0 && !(variable && strcmp(variable, "host") == 0);
}

static bool is_wanted(const gemp_peer_exchange *p)
{
	return is_allowed() && (p->device->gpu || gemp_limits_now()->device_exchange_peer > 0) &&
	       gemp_shared_block_possible(p->device);
}

void gemp_peer_exchange_preload(const gemp_comm *comm)
{
	if (comm->node_size > 1 && is_allowed())
		gemp_cuda_preload();
}

/* With one reduction all ranks know whether a node has several ranks, whether a rank does not want blocks, and whether
 * a rank has not begun to start the driver. */
void gemp_peer_exchange_choose(gemp_peer_exchange *p)
{
	const gemp_comm *comm = p->comm;
	uint64_t counts[3] = { comm->node_size > 1, !is_wanted(p), p->device->gpu && !gemp_cuda_requested() };
	if (comm->size == 1)
		return;
	gemp_comm_sum(comm, counts, 3);
	p->requested = counts[2] == 0;
	p->wanted = counts[0] && !counts[1];
	if (!p->wanted)
		return;
	int lowest = comm->rank;
	GEMP_MPI(MPI_Bcast(&lowest, 1, MPI_INT, 0, comm->node));
	GEMP_MPI(MPI_Allgather(&lowest, 1, MPI_INT, p->node_of, 1, MPI_INT, comm->world));
	GEMP_MPI(MPI_Allgather(&comm->node_rank, 1, MPI_INT, p->node_rank, 1, MPI_INT, comm->world));
	for (int r = 0; r < comm->size; r++)
		p->several_nodes |= p->node_of[r] != p->node_of[0];
}

/* Imported blocks are freed before the ranks return, so no rank closes its device while another one has acquired its
 * block. */
static void free_blocks(gemp_peer_exchange *p)
{
	for (int n = 0; n < p->comm->node_size; n++)
		if (n != p->comm->node_rank)
			gemp_shared_block_free(&p->block[n]);
	if (p->wanted && p->chunk)
		GEMP_MPI(MPI_Barrier(p->comm->node));
	gemp_shared_block_free(&p->block[p->comm->node_rank]);
	p->chunk = 0;
}

void gemp_peer_exchange_free(gemp_peer_exchange *p)
{
	if (!p->comm)
		return;
	if (p->block)
		free_blocks(p);
	gemp_streams_free(&p->streams);
	gemp_free_all(p->node_of, p->node_rank, p->block, p->files, p->devices);
	*p = (gemp_peer_exchange){ 0 };
}

/* Collective. Sets the bytes of a half: fewer if a device has little memory left. */
static bool choose_chunk(gemp_peer_exchange *p)
{
	const gemp_limits *limits = gemp_limits_now();
	const size_t left = p->device->memory - gemp_min(p->device->buffer_bytes, p->device->memory);
	uint64_t complement = UINT64_MAX - gemp_min(limits->peer_exchange_chunk, left / MEMORY_SHARE / 2);
	gemp_comm_max(p->comm, &complement, 1);
	p->chunk = (size_t)(UINT64_MAX - complement);
	return p->chunk >= gemp_min(limits->peer_exchange_chunk, MIN_CHUNK);
}

/* Local. Imports the blocks of the other ranks of the node and closes their files. */
static gemp_code import_blocks(gemp_peer_exchange *p)
{
	const size_t size = p->block[p->comm->node_rank].buffer.size;
	gemp_code code = GEMP_OK;
	for (int n = 0; n < p->comm->node_size; n++) {
		if (p->files[n] < 0)
			continue;
		GEMP_THEN(gemp_shared_block_import(&p->block[n], p->device, p->files[n], size));
		close(p->files[n]);
	}
	return code;
}

/* Collective over the node. Fails if this rank's device cannot read the memory of another rank's device. */
static gemp_code check_devices(gemp_peer_exchange *p)
{
	unsigned char own[GEMP_BLOCK_DEVICE];
	gemp_code code = gemp_shared_block_device(own, p->device);
	GEMP_MPI(MPI_Allgather(own, sizeof own, MPI_BYTE, p->devices, sizeof own, MPI_BYTE, p->comm->node));
	GEMP_THEN(gemp_shared_block_check_peers(p->device, p->devices, (size_t)p->comm->node_size));
	return code;
}

/* Collective. Each step is agreed, since the next one waits for all ranks of the node. */
static gemp_code make_blocks(gemp_peer_exchange *p)
{
	gemp_shared_block *own = &p->block[p->comm->node_rank];
	GEMP_TRY(gemp_comm_agree(p->comm, check_devices(p)));
	GEMP_TRY(gemp_comm_agree(p->comm, gemp_shared_block_new(own, p->device, 2 * p->chunk)));
	GEMP_TRY(gemp_comm_agree(p->comm, gemp_node_files_exchange(p->comm, own->file, p->files)));
	return gemp_comm_agree(p->comm, import_blocks(p));
}

/* Collective. A rank that has sent its file closes it only after other ranks have imported the block. */
static void reserve_blocks(gemp_peer_exchange *p)
{
	const double began = gemp_now();
	gemp_code code = GEMP_ENOMEM;
	if (choose_chunk(p))
		code = make_blocks(p);
	else
		gemp_fail(GEMP_ENOMEM, "a device has too little memory left");
	gemp_trace_add("blocks", GEMP_LANE_EXCHANGE, began);
	if (code == GEMP_OK) {
		gemp_log(GEMP_VERBOSE, "exchange between devices: directly, in chunks of %zu bytes (%.1f ms)\n", p->chunk,
		         1e3 * (gemp_now() - began));
		return;
	}
	gemp_log(GEMP_VERBOSE, "exchange between devices: through memory of the host, since %s\n", gemp_message());
	free_blocks(p);
	p->wanted = false;
}

/* No rank waits for the driver. */
void gemp_peer_exchange_reserve(gemp_peer_exchange *p, size_t longest)
{
	if (!p->wanted || p->chunk || longest == 0 || longest < gemp_limits_now()->peer_exchange_min)
		return;
	if (!p->requested && p->moved < gemp_limits_now()->peer_exchange_start)
		return;
	if (p->device->gpu)
		gemp_cuda_preload();
	p->requested = true;
	if (gemp_comm_sum1(p->comm, p->device->gpu && !gemp_cuda_started()) == 0)
		reserve_blocks(p);
}

bool gemp_peer_exchange_takes(gemp_peer_exchange *p, const gemp_stream_move *move)
{
	gemp_stream_move near = *move;
	if (!p->wanted)
		return false;
	near.node_of = p->node_of;
	near.pairs = GEMP_PAIRS_WITHIN_NODES;
	gemp_streams_lay_out(&p->streams, &near);
	p->moved += p->streams.longest;
	gemp_peer_exchange_reserve(p, p->streams.longest);
	return p->chunk && p->streams.longest > 0;
}

/* STEPS */

static gemp_code copy_to_block(const gemp_peer_exchange *p, const gemp_stream_move *move, size_t step)
{
	const gemp_buffer *block = &p->block[p->comm->node_rank].buffer;
	gemp_stream_run run;
	for (int next = 1; gemp_streams_next_run(&p->streams, p->chunk, step, &next, &run);)
		GEMP_TRY(GEMP_CL(clEnqueueCopyBuffer(p->device->queue, move->from->mem, block->mem, run.from,
		                                     step % 2 * p->chunk + run.chunk, run.size, 0, NULL, NULL)));
	return GEMP_OK;
}

static gemp_code copy_from_blocks(const gemp_peer_exchange *p, const gemp_stream_move *move, size_t step)
{
	for (int i = 1; i < p->comm->size; i++) {
		const int source = (p->comm->rank + i) % p->comm->size;
		const gemp_stream_block *in = &p->streams.in[source];
		const gemp_stream_slice slice = gemp_stream_slice_of(in, p->chunk, step);
		if (slice.size)
			GEMP_TRY(GEMP_CL(clEnqueueCopyBuffer(p->device->queue, p->block[p->node_rank[source]].buffer.mem,
			                                     move->to->mem, step % 2 * p->chunk + slice.chunk, in->to + slice.begin,
			                                     slice.size, 0, NULL, NULL)));
	}
	return GEMP_OK;
}

static uint64_t messages_of(const gemp_peer_exchange *p, size_t step)
{
	uint64_t messages = 0;
	for (int r = 0; r < p->comm->size; r++)
		messages += gemp_stream_slice_of(&p->streams.out[r], p->chunk, step).size > 0;
	return messages;
}

/* A rank that has failed meets the other ranks at the barriers, since they wait for it. */
gemp_code gemp_peer_exchange_run(gemp_peer_exchange *p, gemp_code code, const gemp_stream_move *move,
                                 gemp_traffic *traffic)
{
	const size_t steps = (p->streams.longest + p->chunk - 1) / p->chunk;
	GEMP_TRY(gemp_comm_agree(p->comm, code));
	for (size_t step = 0; step <= steps; step++) {
		const double began = gemp_now();
		if (step < steps)
			GEMP_THEN(copy_to_block(p, move, step));
		if (step > 0)
			GEMP_THEN(copy_from_blocks(p, move, step - 1));
		GEMP_ALSO(GEMP_CL(clFinish(p->device->queue)));
		gemp_trace_add("peer", GEMP_LANE_WIRE, began);
		GEMP_MPI(MPI_Barrier(p->comm->node));
		traffic->messages += step < steps ? messages_of(p, step) : 0;
	}
	traffic->bytes += p->streams.length;
	return gemp_comm_agree(p->comm, code);
}
