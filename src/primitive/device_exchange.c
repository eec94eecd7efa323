/* Between GPUs of a node that can read each other's memory, the bytes for other ranks move directly
 * (primitive/peer_exchange), and between other GPUs in chunks through the host (primitive/exchange_pipeline). If a rank
 * has a CPU device, MPI moves them as a whole: from and to the buffers themselves, which a CPU device maps, or
 * page-locked memory. MPI copies within a node without a detour where the system allows it (cross-memory attach), so a
 * window would cost a copy. */

#include "primitive/device_exchange.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/timer.h"
#include "device/staging.h"
#include "primitive/exchange_pipeline.h"
#include "primitive/peer_exchange.h"

struct gemp_device_exchange {
	const gemp_comm *comm;
	gemp_device *device;
	uint64_t *sent, *received;        /* [ranks] elements of the last run */
	uint64_t *counts;                 /* [ranks][ranks] elements of each source for each target */
	gemp_peer_block *going, *arrived; /* [ranks] blocks of MPI */
	bool in_chunks;                   /* the same on all ranks */
	gemp_peer_exchange peer;
	gemp_exchange_pipeline pipeline;
	gemp_device_exchange_cost cost;
};

/* Collective. Chunks overlap the copies of GPUs; a CPU device has no copies that could overlap. */
static bool exchanges_in_chunks(const gemp_comm *comm, const gemp_device *device)
{
	const int chosen = gemp_limits_now()->device_exchange_chunks;
	return comm->size > 1 && gemp_comm_sum1(comm, chosen < 0 ? !device->gpu : !chosen) == 0;
}

gemp_code gemp_device_exchange_new(gemp_device_exchange **out, const gemp_comm *comm, gemp_device *device)
{
	const size_t ranks = (size_t)comm->size;
	gemp_device_exchange *x = NULL;
	gemp_code code = GEMP_NEW(x, 1);
	*out = x;
	if (code == GEMP_OK) {
		x->comm = comm;
		x->device = device;
		code = gemp_new_all(GEMP_ARRAY(x->sent, ranks), GEMP_ARRAY(x->received, ranks),
		                    GEMP_ARRAY(x->counts, ranks * ranks), GEMP_ARRAY(x->going, ranks),
		                    GEMP_ARRAY(x->arrived, ranks));
		GEMP_THEN(gemp_peer_exchange_new(&x->peer, comm, device));
		GEMP_THEN(gemp_exchange_pipeline_new(&x->pipeline, comm, device));
	}
	code = gemp_comm_agree(comm, code);
	if (code == GEMP_OK) {
		gemp_peer_exchange_choose(&x->peer);
		x->in_chunks = exchanges_in_chunks(comm, device);
	}
	if (code != GEMP_OK) {
		gemp_device_exchange_free(x);
		*out = NULL;
	}
	return code;
}

void gemp_device_exchange_free(gemp_device_exchange *x)
{
	if (!x)
		return;
	gemp_peer_exchange_free(&x->peer);
	gemp_exchange_pipeline_free(&x->pipeline);
	gemp_free_all(x->sent, x->received, x->counts, x->going, x->arrived);
	gemp_free(x);
}

gemp_device_exchange_cost gemp_device_exchange_costs(const gemp_device_exchange *x)
{
	return x->cost;
}

void gemp_device_exchange_charge(const gemp_device_exchange *x, gemp_traffic *traffic, double *seconds)
{
	if (traffic) {
		traffic->bytes += x->cost.traffic.bytes;
		traffic->messages += x->cost.traffic.messages;
		traffic->rounds += x->cost.traffic.rounds;
	}
	if (seconds)
		*seconds += x->cost.seconds;
}

void gemp_device_exchange_preload(const gemp_comm *comm)
{
	gemp_peer_exchange_preload(comm);
}

gemp_code gemp_device_exchange_reserve(gemp_device_exchange *x, size_t bytes)
{
	const double since = gemp_now();
	gemp_code code = GEMP_OK;
	uint64_t longest = bytes;
	gemp_comm_max(x->comm, &longest, 1);
	gemp_peer_exchange_reserve(&x->peer, (size_t)longest);
	if (x->in_chunks && longest && (!x->peer.chunk || x->peer.several_nodes))
		code = gemp_exchange_pipeline_reserve(&x->pipeline, (size_t)longest);
	x->cost.seconds += gemp_now() - since;
	return code;
}

static uint64_t sum(const uint64_t *counts, int ranks)
{
	uint64_t all = 0;
	for (int r = 0; r < ranks; r++)
		all += counts[r];
	return all;
}

/* An array on the device, whose elements lie in rank order, and the ranges before and behind those of this rank. */
typedef struct array_side {
	const uint64_t *counts; /* [ranks] */
	gemp_readback_range ranges[2];
	size_t own; /* offset of this rank's own elements */
} array_side;

static array_side side_of(const gemp_device_exchange *x, const uint64_t *counts, size_t size)
{
	const int rank = x->comm->rank;
	array_side side = { .counts = counts, .own = sum(counts, rank) * size };
	const size_t behind = side.own + counts[rank] * size;
	side.ranges[0] = (gemp_readback_range){ 0, side.own };
	side.ranges[1] = (gemp_readback_range){ behind, sum(counts, x->comm->size) * size - behind };
	return side;
}

/* Sets the block of each other rank within the ranges, which the host sees at host[]. */
static void place_blocks(const gemp_device_exchange *x, const array_side *side, char *const host[2], size_t size,
                         gemp_peer_block *blocks)
{
	size_t at = 0;
	for (int r = 0; r < x->comm->size; at += side->counts[r++] * size) {
		const int behind = r > x->comm->rank;
		const size_t bytes = r == x->comm->rank ? 0 : side->counts[r] * size;
		blocks[r] = (gemp_peer_block){ bytes ? host[behind] + (at - side->ranges[behind].offset) : NULL, bytes };
	}
}

/* Makes room in *to, and copies this rank's own elements. */
static gemp_code prepare(const gemp_device_exchange *x, const gemp_buffer *from, const array_side *out, gemp_buffer *to,
                         const array_side *in, size_t size)
{
	const size_t own = out->counts[x->comm->rank] * size, all = in->ranges[1].offset + in->ranges[1].size;
	GEMP_TRY(gemp_buffer_reserve(to, x->device, all));
	if (own)
		GEMP_TRY(
			GEMP_CL(clEnqueueCopyBuffer(x->device->queue, from->mem, to->mem, out->own, in->own, own, 0, NULL, NULL)));
	return GEMP_OK;
}

/* Collective. Moves the elements for other ranks by MPI, without chunks. */
static gemp_code move_whole(gemp_device_exchange *x, gemp_code code, const gemp_buffer *from, const array_side *out,
                            const gemp_buffer *to, const array_side *in, size_t size)
{
	gemp_readback going = { .buffer = *from };
	gemp_host_mapping mapping = { 0 };
	GEMP_THEN(gemp_readback_begin(&going, x->device, out->ranges, 2));
	if (in->ranges[0].size + in->ranges[1].size)
		GEMP_THEN(gemp_host_mapping_begin(&mapping, x->device, to, in->ranges, 2));
	GEMP_ALSO(gemp_readback_wait(&going));
	if (code == GEMP_OK) {
		place_blocks(x, out, (char *const[]){ (char *)(uintptr_t)going.host[0], (char *)(uintptr_t)going.host[1] },
		             size, x->going);
		place_blocks(x, in, mapping.host, size, x->arrived);
	}
	code = gemp_exchange_blocks(x->comm, code, x->going, x->arrived, &x->cost.traffic);
	if (code == GEMP_OK && mapping.buffer)
		code = gemp_host_mapping_end(&mapping, x->device);
	GEMP_ALSO(gemp_readback_end(&going, x->device));
	GEMP_ALSO(GEMP_CL(clFinish(x->device->queue)));
	gemp_host_mapping_free(&mapping, x->device);
	gemp_pinned_release(&going.pinned, x->device);
	return gemp_comm_agree(x->comm, code);
}

/* Collective. Moves the elements from device to device within nodes, and then through the host between nodes. */
static gemp_code move_directly(gemp_device_exchange *x, gemp_code code, const gemp_stream_move *move)
{
	code = gemp_peer_exchange_run(&x->peer, code, move, &x->cost.traffic);
	if (!x->peer.several_nodes) {
		x->cost.traffic.rounds += code == GEMP_OK;
		return code;
	}
	gemp_stream_move rest = *move;
	rest.node_of = x->peer.node_of;
	rest.pairs = GEMP_PAIRS_BETWEEN_NODES;
	return gemp_exchange_pipeline_run(&x->pipeline, code, &rest, &x->cost.traffic);
}

/* Collective. Moves the elements of a buffer: those of the last run, or answers to them. */
static gemp_code move(gemp_device_exchange *x, gemp_code code, const gemp_buffer *from, size_t size, gemp_buffer *to,
                      bool answers)
{
	const array_side out = side_of(x, answers ? x->received : x->sent, size);
	const array_side in = side_of(x, answers ? x->sent : x->received, size);
	const gemp_stream_move pairs = { .from = from, .to = to, .counts = x->counts, .answers = answers, .size = size };
	GEMP_THEN(prepare(x, from, &out, to, &in, size));
	if (gemp_peer_exchange_takes(&x->peer, &pairs))
		return move_directly(x, code, &pairs);
	if (!x->in_chunks)
		return move_whole(x, code, from, &out, to, &in, size);
	GEMP_ALSO(GEMP_CL(clFinish(x->device->queue)));
	return gemp_exchange_pipeline_run(&x->pipeline, code, &pairs, &x->cost.traffic);
}

/* Collective. Sets x->sent and x->received. */
static gemp_code exchange_counts(gemp_device_exchange *x, gemp_code code, const uint64_t *send)
{
	const int ranks = x->comm->size;
	uint64_t *mine = x->counts + (size_t)x->comm->rank * (size_t)ranks;
	for (int r = 0; r < ranks; r++)
		mine[r] = code == GEMP_OK ? send[r] : GEMP_SIZE_OF_FAILURE;
	GEMP_MPI(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x->counts, ranks, MPI_UINT64_T, x->comm->world));
	for (int r = 0; r < ranks; r++)
		GEMP_TRY(gemp_comm_agree_marked(x->comm, code, x->counts + (size_t)r * (size_t)ranks));
	for (int r = 0; r < ranks; r++) {
		x->sent[r] = send[r];
		x->received[r] = x->counts[(size_t)r * (size_t)ranks + (size_t)x->comm->rank];
	}
	return GEMP_OK;
}

gemp_code gemp_device_exchange_run(gemp_device_exchange *x, gemp_code code, const gemp_buffer *from,
                                   const uint64_t *send, size_t size, gemp_buffer *to, uint64_t *received)
{
	GEMP_ALSO(GEMP_CL(clFinish(x->device->queue)));
	const double since = gemp_now();
	GEMP_TRY(exchange_counts(x, code, send));
	for (int r = 0; r < x->comm->size; r++)
		received[r] = x->received[r];
	code = move(x, GEMP_OK, from, size, to, false);
	x->cost.seconds += gemp_now() - since;
	return code;
}

gemp_code gemp_device_exchange_back(gemp_device_exchange *x, gemp_code code, const gemp_buffer *from, size_t size,
                                    gemp_buffer *to)
{
	GEMP_ALSO(GEMP_CL(clFinish(x->device->queue)));
	const double since = gemp_now();
	code = move(x, code, from, size, to, true);
	x->cost.seconds += gemp_now() - since;
	return code;
}
