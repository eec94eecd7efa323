/* The transfers of a step are started without waiting, and the step ends when its transfers of the device and the
 * messages of an earlier chunk have ended. With --trace their
 * ends are polled, so that the trace shows how they overlap. */

#include "primitive/exchange_pipeline.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/timer.h"
#include "core/types.h"
#include "device/staging.h"

#include <math.h>
#include <sched.h>
#include <unistd.h>

/* STREAM_RANKS: with more ranks, chunks are smaller, so that the regions of a node and the messages of one step need
 * the same memory for any number of ranks. MIN_CHUNK: smaller windows are not worth a second attempt. MIN_STEPS: the
 * chunks of a short stream are smaller, since a step takes microseconds, and locking more pages milliseconds. */
enum { STREAM_RANKS = 4, MIN_CHUNK = 1 << 20, FIRST_CHUNK = 1 << 18, MIN_STEPS = 8, BORDER = 64, MESSAGE_SLOTS = 3 };

/* MEMORY */

gemp_code gemp_exchange_pipeline_new(gemp_exchange_pipeline *p, const gemp_comm *comm, gemp_device *device)
{
	const size_t ranks = (size_t)comm->size;
	*p = (gemp_exchange_pipeline){ .comm = comm, .device = device };
	GEMP_TRY(gemp_streams_new(&p->streams, comm->size, comm->rank));
	return gemp_new_all(GEMP_ARRAY(p->node_rank, ranks), GEMP_ARRAY(p->requests, 4 * ranks));
}

/* Collective. Unlocks the pages before the window is freed. */
static void free_regions(gemp_exchange_pipeline *p)
{
	if (p->shared.bytes)
		gemp_pinned_unregister(&p->locked);
	else
		gemp_pinned_release(&p->locked, p->device);
	gemp_shared_free(&p->shared);
	p->locked = (gemp_pinned){ 0 };
	p->wanted = 0;
}

void gemp_exchange_pipeline_free(gemp_exchange_pipeline *p)
{
	if (!p->comm)
		return;
	free_regions(p);
	gemp_pinned_release(&p->incoming, p->device);
	gemp_streams_free(&p->streams);
	gemp_free_all(p->node_rank, p->requests);
	*p = (gemp_exchange_pipeline){ 0 };
}

static size_t round_up(size_t value, size_t to)
{
	return (value + to - 1) / to * to;
}

/* Collective. Finds the ranks with which this rank shares the window. */
static void find_node_ranks(gemp_exchange_pipeline *p)
{
	const gemp_comm *comm = p->comm;
	for (int r = 0; r < comm->size; r++)
		p->node_rank[r] = -1;
	for (int n = 0; p->shared.bytes && n < comm->node_size; n++) {
		int rank = comm->rank;
		GEMP_MPI(MPI_Bcast(&rank, 1, MPI_INT, n, comm->node));
		p->node_rank[rank] = n;
	}
}

/* Collective. Makes the window for chunks of p->chunk bytes, or of fewer bytes if a node has too little memory. */
static bool new_window(gemp_exchange_pipeline *p)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), ranks = (size_t)p->comm->node_size;
	const size_t barrier = round_up(gemp_node_barrier_size(p->comm->node_size), page);
	p->slots = p->comm->node_size < p->comm->size ? MESSAGE_SLOTS : 2;
	for (;; p->chunk /= 2) {
		uint64_t size = barrier + p->slots * ranks * round_up(p->chunk, BORDER) + page;
		gemp_comm_max(p->comm, &size, 1); /* nodes may have different numbers of ranks */
		if (gemp_shared_new_small(&p->shared, p->comm, size))
			break;
		if (p->chunk < 2 * (size_t)MIN_CHUNK)
			return false;
	}
	p->stride = round_up(p->chunk, BORDER);
	/* All ranks see the window at the same offset in a page. */
	char *bytes = (char *)round_up((uintptr_t)p->shared.bytes, page);
	p->regions = bytes + barrier;
	gemp_node_barrier_new(&p->barrier, bytes, p->comm->node_size, p->comm->node_rank);
	gemp_pinned_register(&p->locked, p->device, p->regions, p->slots * ranks * p->stride);
	gemp_shared_fence(&p->shared);
	return true;
}

/* Collective. Makes regions for streams of `longest` bytes. Without a window, the region of this rank is its own. */
static gemp_code reserve_regions(gemp_exchange_pipeline *p, size_t longest)
{
	const gemp_limits *limits = gemp_limits_now();
	const size_t shares = gemp_max((size_t)p->comm->size, STREAM_RANKS);
	const size_t most = gemp_max(
		gemp_min(limits->device_exchange_chunk, limits->exchange_chunk) * STREAM_RANKS / shares, 1);
	size_t wanted = FIRST_CHUNK;
	while (wanted * MIN_STEPS < longest && wanted < most)
		wanted *= 2;
	wanted = gemp_min(wanted, most);
	if (p->wanted >= wanted && p->chunk <= most)
		return GEMP_OK;
	free_regions(p);
	p->wanted = p->chunk = wanted;
	const bool window = new_window(p);
	find_node_ranks(p);
	if (window)
		return GEMP_OK;
	p->chunk = wanted;
	p->slots = MESSAGE_SLOTS;
	p->stride = round_up(p->chunk, BORDER);
	const gemp_code code = gemp_pinned_take(&p->locked, p->device, p->slots * p->stride);
	p->regions = p->locked.host;
	return code;
}

/* STEPS */

/* Local. Takes memory for the messages of any step. */
static gemp_code reserve_incoming(gemp_exchange_pipeline *p, size_t steps)
{
	size_t slot = 0;
	for (size_t step = 0; step < steps; step++) {
		size_t sum = 0;
		for (int r = 0; r < p->comm->size; r++)
			sum += p->node_rank[r] < 0 ? round_up(gemp_stream_slice_of(&p->streams.in[r], p->chunk, step).size, BORDER)
			                           : 0;
		slot = gemp_max(slot, sum);
	}
	p->incoming_slot = slot;
	if (p->slots * slot <= p->incoming.capacity)
		return GEMP_OK;
	gemp_pinned_release(&p->incoming, p->device);
	return gemp_pinned_take(&p->incoming, p->device, p->slots * slot);
}

enum { DOWNLOAD, UPLOAD, TRANSFERS };

/* One step of this rank. */
typedef struct pipeline_step {
	gemp_exchange_pipeline *p;
	const gemp_stream_move *move;
	cl_event last[TRANSFERS]; /* the last transfer in each direction; NULL: there is none */
	int requests[2];          /* of even and of odd chunks */
	double since, posted[2],
		sent; /* begin of the step; begin of the messages; end of the messages of the chunk before */
} pipeline_step;

static char *slot_of(const gemp_exchange_pipeline *p, int node_rank, size_t step)
{
	const size_t region = p->shared.bytes ? (size_t)node_rank : 0;
	return p->regions + (p->slots * region + step % p->slots) * p->stride;
}

static char *own_slot(const gemp_exchange_pipeline *p, size_t step)
{
	return slot_of(p, p->comm->node_rank, step);
}

/* Queues keep their order, so the last event of a direction is the end of all its transfers. */
static gemp_code keep_last(pipeline_step *s, int direction, cl_int error, const cl_event *event)
{
	GEMP_TRY(
		gemp_cl_check(error, direction == UPLOAD ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer", __FILE__, __LINE__));
	if (s->last[direction])
		clReleaseEvent(s->last[direction]);
	s->last[direction] = *event;
	return GEMP_OK;
}

/* Reads a chunk of this rank's stream from the device. */
static gemp_code read_chunk(pipeline_step *s, size_t step)
{
	gemp_exchange_pipeline *p = s->p;
	gemp_stream_run run;
	for (int next = 1; gemp_streams_next_run(&p->streams, p->chunk, step, &next, &run);) {
		cl_event event;
		GEMP_TRY(keep_last(s, DOWNLOAD,
		                   clEnqueueReadBuffer(p->device->copy_queue, s->move->from->mem, CL_FALSE, run.from, run.size,
		                                       own_slot(p, step) + run.chunk, 0, NULL, &event),
		                   &event));
	}
	return GEMP_OK;
}

static gemp_code write_slice(pipeline_step *s, const gemp_stream_block *block, gemp_stream_slice slice,
                             const char *host)
{
	cl_event event;
	return keep_last(s, UPLOAD,
	                 clEnqueueWriteBuffer(s->p->device->queue, s->move->to->mem, CL_FALSE, block->to + slice.begin,
	                                      slice.size, host, 0, NULL, &event),
	                 &event);
}

/* Writes the parts of this step's chunks of the ranks of this node to the device. */
static gemp_code write_from_node(pipeline_step *s, size_t step)
{
	const gemp_exchange_pipeline *p = s->p;
	for (int r = 0; r < p->comm->size; r++) {
		const gemp_stream_slice slice = gemp_stream_slice_of(&p->streams.in[r], p->chunk, step);
		if (slice.size && p->node_rank[r] >= 0)
			GEMP_TRY(write_slice(s, &p->streams.in[r], slice, slot_of(p, p->node_rank[r], step) + slice.chunk));
	}
	return GEMP_OK;
}

static MPI_Request *requests_of(const pipeline_step *s, size_t step)
{
	return s->p->requests + step % 2 * 2 * (size_t)s->p->comm->size;
}

static MPI_Request *next_request(pipeline_step *s, size_t step)
{
	return requests_of(s, step) + s->requests[step % 2]++;
}

/* Visits the messages of a step to this rank: receives them, or writes them to the device. */
static gemp_code take_messages(pipeline_step *s, size_t step, bool receive)
{
	gemp_exchange_pipeline *p = s->p;
	char *at = p->incoming.host + step % p->slots * p->incoming_slot;
	for (int r = 0; r < p->comm->size; r++) {
		const gemp_stream_slice slice = gemp_stream_slice_of(&p->streams.in[r], p->chunk, step);
		if (!slice.size || p->node_rank[r] >= 0)
			continue;
		if (receive)
			GEMP_MPI(
				MPI_Irecv(at, (int)slice.size, MPI_BYTE, r, GEMP_TAG_DEVICE, p->comm->world, next_request(s, step)));
		else
			GEMP_TRY(write_slice(s, &p->streams.in[r], slice, at));
		at += round_up(slice.size, BORDER);
	}
	return GEMP_OK;
}

static void send_messages(pipeline_step *s, size_t step, gemp_traffic *traffic)
{
	gemp_exchange_pipeline *p = s->p;
	for (int r = 0; r < p->comm->size; r++) {
		const gemp_stream_slice slice = gemp_stream_slice_of(&p->streams.out[r], p->chunk, step);
		traffic->messages += slice.size > 0;
		if (slice.size && p->node_rank[r] < 0)
			GEMP_MPI(MPI_Isend(own_slot(p, step) + slice.chunk, (int)slice.size, MPI_BYTE, r, GEMP_TAG_DEVICE,
			                   p->comm->world, next_request(s, step)));
	}
}

/* For --trace: adds a span for each transfer of the device that has ended, and one for the messages of a chunk, from
 * the end of those before. Returns the set of transfers that have not ended. */
static unsigned poll_transfers(pipeline_step *s, size_t chunk, unsigned open)
{
	static const gemp_lane lanes[] = { GEMP_LANE_DOWNLOAD, GEMP_LANE_UPLOAD, GEMP_LANE_WIRE };
	static const char *const names[] = { "download", "upload", "wire" };
	for (int i = 0; i <= TRANSFERS; i++) {
		cl_int status = CL_COMPLETE;
		int ended = 1;
		if (!(open >> i & 1))
			continue;
		if (i == TRANSFERS)
			GEMP_MPI(MPI_Testall(s->requests[chunk % 2], requests_of(s, chunk), &ended, MPI_STATUSES_IGNORE));
		else if (clGetEventInfo(s->last[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) ==
		         CL_SUCCESS)
			ended = status <= CL_COMPLETE;
		if (ended) {
			gemp_trace_add(names[i], lanes[i], i < TRANSFERS ? s->since : fmax(s->posted[chunk % 2], s->sent));
			s->sent = i < TRANSFERS ? s->sent : gemp_now();
			open &= ~(1u << i);
		}
	}
	return open;
}

/* Waits for the step's transfers of the device, also after a failure, since they still use the memory, and for the
 * messages of a chunk. */
static gemp_code end_step(pipeline_step *s, size_t chunk)
{
	gemp_device *device = s->p->device;
	unsigned open = (s->last[DOWNLOAD] ? 1u << DOWNLOAD : 0) | (s->last[UPLOAD] ? 1u << UPLOAD : 0) |
	                (s->requests[chunk % 2] ? 1u << TRANSFERS : 0);
	while (gemp_trace_on() && open && (open = poll_transfers(s, chunk, open)))
		sched_yield();
	GEMP_MPI(MPI_Waitall(s->requests[chunk % 2], requests_of(s, chunk), MPI_STATUSES_IGNORE));
	gemp_code code = GEMP_CL(clFinish(device->copy_queue)), queue = GEMP_CL(clFinish(device->queue));
	for (int i = 0; i < TRANSFERS; i++) {
		if (s->last[i])
			clReleaseEvent(s->last[i]);
		s->last[i] = NULL;
	}
	s->requests[chunk % 2] = 0;
	return code == GEMP_OK ? queue : code;
}

/* All ranks of the node have written and read the slots of the step. */
static void meet_node(gemp_exchange_pipeline *p)
{
	gemp_node_barrier_post(&p->barrier, NULL, 0);
	for (int n = 0; n < p->comm->node_size; n++)
		if (n != p->comm->node_rank)
			gemp_node_barrier_await(&p->barrier, n);
}

/* Starts the transfers of one step. After a failure, only messages are exchanged, since other ranks wait for them. */
static gemp_code start_step(pipeline_step *s, gemp_code code, size_t step, size_t steps, gemp_traffic *traffic)
{
	s->since = gemp_now();
	if (step < steps)
		GEMP_THEN(read_chunk(s, step));
	if (step >= 1 && step <= steps)
		GEMP_THEN(write_from_node(s, step - 1));
	if (step >= 3 && step <= steps + 2)
		GEMP_THEN(take_messages(s, step - 3, false));
	GEMP_ALSO(GEMP_CL(clFlush(s->p->device->copy_queue)));
	GEMP_ALSO(GEMP_CL(clFlush(s->p->device->queue)));
	if (step >= 1 && step <= steps) {
		s->posted[(step - 1) % 2] = gemp_now();
		take_messages(s, step - 1, true);
		send_messages(s, step - 1, traffic);
	}
	return code;
}

/* With messages there are two more steps: the last messages arrive, and are written to the device. A step awaits the
 * messages of the chunk before the one that it sends, whose requests have the parity of the step. */
static gemp_code run_steps(gemp_exchange_pipeline *p, const gemp_stream_move *move, size_t steps, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	const bool messages = !p->shared.bytes || p->comm->node_size < p->comm->size;
	pipeline_step s = { .p = p, .move = move };
	for (size_t step = 0; step <= steps + (messages ? 2 : 0); step++) {
		code = start_step(&s, code, step, steps, traffic);
		GEMP_ALSO(end_step(&s, step));
		if (p->shared.bytes)
			meet_node(p);
	}
	return code;
}

gemp_code gemp_exchange_pipeline_reserve(gemp_exchange_pipeline *p, size_t longest)
{
	const gemp_code code = gemp_comm_agree(p->comm, reserve_regions(p, longest));
	if (code != GEMP_OK)
		free_regions(p);
	return code;
}

gemp_code gemp_exchange_pipeline_run(gemp_exchange_pipeline *p, gemp_code code, const gemp_stream_move *move,
                                     gemp_traffic *traffic)
{
	gemp_streams_lay_out(&p->streams, move);
	const size_t longest = p->streams.longest;
	size_t steps;
	if (longest)
		GEMP_ALSO(reserve_regions(p, longest));
	steps = longest ? (longest + p->chunk - 1) / p->chunk : 0;
	GEMP_THEN(reserve_incoming(p, steps));
	code = gemp_comm_agree(p->comm, code);
	if (code != GEMP_OK)
		free_regions(p); /* a rank may have none */
	traffic->rounds += code == GEMP_OK;
	if (code != GEMP_OK || steps == 0)
		return code;
	traffic->bytes += p->streams.length;
	return gemp_comm_agree(p->comm, run_steps(p, move, steps, traffic));
}
