#include "shuffle/shuffle_ranks.h"

#include "core/memory.h"
#include "core/timer.h"
#include "core/types.h"
#include "primitive/split.h"

#include <inttypes.h>

/* A rank's own tuples never leave its device. The bytes that leave it are those of its array of tuples without one
 * range, the hole. In shared memory a rank writes these bytes step by step. From the table of counts every other rank
 * computes which of these bytes are for it.
 *
 * Through MPI, the host maps the two ranges around the hole, in the array of sent tuples and in the array of received
 * tuples. */

/* Either all ranks have the shared memory or none has. */
void gemp_shuffle_shared_new(gemp_shuffle_shared *out, const gemp_comm *comm, gemp_device *device, size_t part,
                             bool forced)
{
	const size_t size = 2 * part * (size_t)comm->size;
	uint64_t unfit = comm->node_size < comm->size || !(device->gpu || forced);
	*out = (gemp_shuffle_shared){ .part = part };
	if (comm->size == 1 || gemp_comm_sum1(comm, unfit) || !gemp_shared_new_small(&out->shared, comm, size))
		return;
	out->bytes = out->shared.bytes;
	gemp_pinned_register(&out->pinned, device, out->bytes, size);
	gemp_shared_fence(&out->shared);
}

/* Unlocks the pages before the memory is freed. */
void gemp_shuffle_shared_free(gemp_shuffle_shared *shared)
{
	gemp_pinned_unregister(&shared->pinned);
	gemp_shared_free(&shared->shared);
	*shared = (gemp_shuffle_shared){ 0 };
}

/* An array of bytes with a hole. */
typedef struct byte_run {
	size_t at, hole, all; /* at: begin of the hole; hole: size of the hole; all: number of bytes without the hole */
} byte_run;

/* Describes the bytes that leave a rank. The hole has the rank's own tuples. */
static byte_run leaving(const uint64_t *counts, size_t ranks, size_t rank, size_t size)
{
	byte_run out = { 0, counts[rank * ranks + rank] * size, 0 };
	for (size_t to = 0; to < ranks; to++) {
		out.at += to < rank ? counts[rank * ranks + to] * size : 0;
		out.all += to != rank ? counts[rank * ranks + to] * size : 0;
	}
	return out;
}

/* An exchange through shared memory. */
typedef struct shared_exchange {
	const gemp_shuffle_shared *shared;
	gemp_device *device;
	const gemp_buffer *from, *to;
	const uint64_t *counts;
	size_t ranks, rank, size;
} shared_exchange;

/* A rank's region of the shared memory has two halves, which steps use alternately. */
static char *region_of(const shared_exchange *p, size_t rank, size_t step)
{
	return p->shared->bytes + (2 * rank + step % 2) * p->shared->part;
}

/* Copies the bytes of this step from this rank's device to the rank's half of the shared memory. */
static gemp_code write_own(const shared_exchange *p, size_t step)
{
	const byte_run out = leaving(p->counts, p->ranks, p->rank, p->size);
	size_t begin = gemp_min(step * p->shared->part, out.all), end = gemp_min(begin + p->shared->part, out.all);
	char *to = region_of(p, p->rank, step);
	for (int behind = 0; behind < 2; behind++) { /* before and behind the hole */
		size_t first = behind ? gemp_max(begin, out.at) : begin, last = behind ? end : gemp_min(end, out.at);
		if (first < last)
			GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(p->device->copy_queue, p->from->mem, CL_FALSE,
			                                     first + (behind ? out.hole : 0), last - first, to + (first - begin), 0,
			                                     NULL, NULL)));
	}
	return GEMP_OK;
}

/* Copies the bytes of this step that other ranks have written for this rank to its device. */
static gemp_code read_others(const shared_exchange *p, size_t step)
{
	const size_t begin = step * p->shared->part, end = begin + p->shared->part;
	size_t to = 0;
	for (size_t r = 0; r < p->ranks; r++) {
		size_t first = 0, length = p->counts[r * p->ranks + p->rank] * p->size;
		for (size_t q = 0; q < p->rank; q++)
			first += q != r ? p->counts[r * p->ranks + q] * p->size : 0;
		size_t from = gemp_max(first, begin), until = gemp_min(first + length, end);
		if (r != p->rank && from < until)
			GEMP_TRY(
				GEMP_CL(clEnqueueWriteBuffer(p->device->queue, p->to->mem, CL_FALSE, to + (from - first), until - from,
			                                 region_of(p, r, step) + (from - begin), 0, NULL, NULL)));
		to += length;
	}
	return GEMP_OK;
}

/* Waits for both queues even if one has failed, since the other still uses the memory. */
static gemp_code finish_queues(const shared_exchange *p)
{
	gemp_code code = GEMP_CL(clFinish(p->device->copy_queue)), queue = GEMP_CL(clFinish(p->device->queue));
	return code == GEMP_OK ? queue : code;
}

/* Collective. Sends elements of `size` bytes, which are in the order of their target ranks, to buffers in the order of
 * the source ranks. counts[r * ranks + to] is the number of rank r's elements for rank `to`. Neither side moves a
 * rank's own elements. In each step the ranks read the bytes that were written in the step before. A failure on one
 * rank is a failure on all ranks. */
static gemp_code exchange_through_memory(const gemp_shuffle_shared *shared, const gemp_comm *comm, gemp_device *device,
                                         const gemp_buffer *from, const gemp_buffer *to, const uint64_t *counts,
                                         size_t size, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	const shared_exchange p = { shared, device, from, to, counts, (size_t)comm->size, (size_t)comm->rank, size };
	size_t steps = 0, own = leaving(counts, p.ranks, p.rank, size).all;
	for (size_t r = 0; r < p.ranks; r++)
		steps = gemp_max(steps, (leaving(counts, p.ranks, r, size).all + shared->part - 1) / shared->part);
	for (size_t step = 0; step <= steps; step++) {
		if (code == GEMP_OK && step < steps)
			code = write_own(&p, step);
		if (code == GEMP_OK && step > 0)
			code = read_others(&p, step - 1);
		GEMP_ALSO(finish_queues(&p));
		gemp_shared_fence(&shared->shared);
	}
	if (traffic) {
		traffic->bytes += own;
		traffic->messages += steps;
		traffic->rounds++;
	}
	return gemp_comm_agree(comm, code);
}

/* The arrays of a layout. TUPLE: the array of tuples or the column of values. COLUMN: the column of destinations. */
enum { TUPLE, COLUMN, ARRAYS };

static unsigned arrays_of(const gemp_shuffle *how)
{
	return how->layout == GEMP_SHUFFLE_SOA ? ARRAYS : COLUMN;
}

/* Bytes of an element of one array. */
static size_t size_of(const gemp_shuffle *how, unsigned array)
{
	return array == COLUMN                   ? GEMP_DESTINATION
	       : how->layout == GEMP_SHUFFLE_SOA ? gemp_shuffle_value_size(how)
	                                         : how->size;
}

/* Returns the shuffle by owner: each of its ranges has all destinations of one rank. */
static gemp_shuffle by_owner(const gemp_shuffle *how, int ranks)
{
	gemp_shuffle owner = *how;
	owner.shift = how->bits + how->shift;
	for (owner.bits = 1; 1 << owner.bits < ranks;)
		owner.bits++;
	return owner;
}

typedef struct exchange_task {
	const gemp_comm *comm;
	uint32_t *begin;                  /* [2^bits + 1] number of the first tuple for each owner */
	uint64_t *counts;                 /* [ranks][ranks] number of tuples of each source for each target */
	uint64_t *received_begin;         /* [ranks + 1] number of the first tuple received from each rank */
	gemp_peer_block *sent, *received; /* [ranks] */
} exchange_task;

/* Local. Allocates the arrays. */
static gemp_code exchange_task_new(exchange_task *out, const gemp_comm *comm, const gemp_shuffle *owner)
{
	size_t ranks = (size_t)comm->size;
	*out = (exchange_task){ .comm = comm };
	return gemp_new_all(GEMP_ARRAY(out->begin, ((size_t)1 << owner->bits) + 1), GEMP_ARRAY(out->counts, ranks * ranks),
	                    GEMP_ARRAY(out->received_begin, ranks + 1), GEMP_ARRAY(out->sent, ranks),
	                    GEMP_ARRAY(out->received, ranks));
}

static void exchange_task_free(exchange_task *p)
{
	gemp_free_all(p->begin, p->counts, p->received_begin, p->sent, p->received);
}

/* Local. Puts the tuples in the order of their owners, into buffers that the host can read. */
static gemp_code decode_by_owner(gemp_shuffled *s, gemp_toolbox *box, const gemp_shuffle *owner, const gemp_tuples *in,
                                 exchange_task *p)
{
	gemp_code code = GEMP_OK;
	gemp_buffer begins = { 0 };
	size_t size = (((size_t)1 << owner->bits) + 1) * sizeof *p->begin;
	for (unsigned a = 0; a < arrays_of(owner); a++)
		GEMP_TRY_DONE(gemp_readback_new(&s->sent[a], s->device, in->count * size_of(owner, a)));
	GEMP_TRY_DONE(gemp_buffer_new(&begins, s->device, size, NULL));
	GEMP_TRY_DONE(
		gemp_shuffle_decode(box, owner, in,
	                        &(gemp_tuples){ s->how.layout == GEMP_SHUFFLE_SOA ? &s->sent[COLUMN].buffer : NULL,
	                                        &s->sent[TUPLE].buffer, in->count, NULL },
	                        &begins));
	GEMP_TRY_DONE(gemp_buffer_read(s->device, &begins, 0, size, p->begin));
	code = gemp_toolbox_seconds(box, &s->seconds.by_owner);
done:
	gemp_buffer_free(&begins, s->device);
	return code;
}

/* A destination whose owner is not a rank is an error in the caller's data. */
static gemp_code check_owners(const gemp_shuffle *owner, const exchange_task *p)
{
	uint32_t strays = p->begin[1u << owner->bits] - p->begin[p->comm->size];
	return strays ? gemp_fail(GEMP_EDATA, "shuffle: %" PRIu32 " tuples are for rank %d or higher, which does not exist",
	                          strays, p->comm->size)
	              : GEMP_OK;
}

/* Collective. Exchanges the numbers of tuples, from which every rank fills counts. */
static void exchange_counts(gemp_shuffled *s, exchange_task *p)
{
	const int ranks = p->comm->size, own = p->comm->rank;
	uint64_t *mine = p->counts + (size_t)own * (size_t)ranks;
	for (int r = 0; r < ranks; r++)
		mine[r] = p->begin[r + 1] - p->begin[r];
	GEMP_MPI(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p->counts, ranks, MPI_UINT64_T, p->comm->world));
	for (int r = 0; r < ranks; r++)
		p->received_begin[r + 1] = p->received_begin[r] + p->counts[(size_t)r * (size_t)ranks + (size_t)own];
	s->tuples.count = p->received_begin[ranks];
}

/* Sets the ranges of bytes before and behind this rank's own tuples, which stay on the device. */
static void ranges_beside_own(gemp_readback_range ranges[2], size_t first, size_t end, size_t all, size_t element)
{
	ranges[0] = (gemp_readback_range){ 0, first * element };
	ranges[1] = (gemp_readback_range){ end * element, (all - end) * element };
}

/* Returns the block of one rank, which lies entirely before or entirely behind this rank's own tuples. */
static gemp_peer_block block_at(char *const host[2], const gemp_readback_range ranges[2], bool behind, size_t at,
                                size_t size)
{
	return (gemp_peer_block){ size ? host[behind] + (at - ranges[behind].offset) : NULL, size };
}

/* Local. Makes the buffer of received tuples, and copies this rank's own tuples into it. */
static gemp_code copy_own(gemp_shuffled *s, unsigned array, const exchange_task *p)
{
	const size_t element = size_of(&s->how, array), ranks = (size_t)p->comm->size, own = (size_t)p->comm->rank;
	const size_t kept = p->begin[own + 1] - p->begin[own];
	gemp_buffer *arrived = &s->arrived[array];
	GEMP_TRY(gemp_buffer_new(arrived, s->device, p->received_begin[ranks] * element, NULL));
	if (kept)
		return GEMP_CL(clEnqueueCopyBuffer(s->device->queue, s->sent[array].buffer.mem, arrived->mem,
		                                   p->begin[own] * element, p->received_begin[own] * element, kept * element, 0,
		                                   NULL, NULL));
	return GEMP_OK;
}

/* Local. Reads the tuples for other ranks to the host, and maps the ranges of received tuples for writing. */
static gemp_code prepare_blocks(gemp_shuffled *s, unsigned array, exchange_task *p, gemp_host_mapping *mapping)
{
	const size_t element = size_of(&s->how, array), ranks = (size_t)p->comm->size, own = (size_t)p->comm->rank;
	gemp_readback *sent = &s->sent[array];
	gemp_readback_range going[2], coming[2];
	ranges_beside_own(going, p->begin[own], p->begin[own + 1], p->begin[ranks], element);
	ranges_beside_own(coming, p->received_begin[own], p->received_begin[own + 1], p->received_begin[ranks], element);
	GEMP_TRY(copy_own(s, array, p));
	GEMP_TRY(gemp_readback_begin(sent, s->device, going, 2));
	GEMP_TRY(gemp_host_mapping_begin(mapping, s->device, &s->arrived[array], coming, 2));
	GEMP_TRY(gemp_readback_wait(sent));
	for (size_t r = 0; r < ranks; r++) {
		if (r == own)
			continue;
		p->sent[r] = block_at((char *const *)sent->host, going, r > own, p->begin[r] * element,
		                      (size_t)(p->begin[r + 1] - p->begin[r]) * element);
		p->received[r] = block_at(mapping->host, coming, r > own, p->received_begin[r] * element,
		                          (p->received_begin[r + 1] - p->received_begin[r]) * element);
	}
	return GEMP_OK;
}

/* Collective. Exchanges one array through shared memory. */
static gemp_code exchange_shared(gemp_shuffled *s, unsigned array, const exchange_task *p,
                                 const gemp_shuffle_shared *shared, gemp_traffic *traffic)
{
	GEMP_TRY(gemp_comm_agree(p->comm, copy_own(s, array, p)));
	return exchange_through_memory(shared, p->comm, s->device, &s->sent[array].buffer, &s->arrived[array], p->counts,
	                               size_of(&s->how, array), traffic);
}

/* Collective. Exchanges one array by MPI. */
static gemp_code exchange_mpi(gemp_shuffled *s, unsigned array, exchange_task *p, gemp_traffic *traffic)
{
	gemp_host_mapping mapping = { 0 };
	gemp_code code = prepare_blocks(s, array, p, &mapping);
	GEMP_TRY_DONE(gemp_exchange_blocks(p->comm, code, p->sent, p->received, traffic));
	code = gemp_host_mapping_end(&mapping, s->device);
	GEMP_THEN(gemp_readback_end(&s->sent[array], s->device));
	code = gemp_comm_agree(p->comm, code);
done:
	gemp_host_mapping_free(&mapping, s->device);
	return code;
}

/* Local. Puts the tuples of this rank in the order of ranges. */
static gemp_code decode_by_range(gemp_shuffled *s, gemp_toolbox *box, const gemp_tuples *in)
{
	bool columns = s->how.layout == GEMP_SHUFFLE_SOA;
	for (unsigned a = 0; a < arrays_of(&s->how); a++)
		GEMP_TRY(gemp_buffer_new(&s->placed[a], s->device, in->count * size_of(&s->how, a), NULL));
	GEMP_TRY(gemp_buffer_new(&s->begin, s->device, (((size_t)1 << s->how.bits) + 1) * sizeof(uint32_t), NULL));
	s->tuples = (gemp_tuples){ columns ? &s->placed[COLUMN] : NULL, &s->placed[TUPLE], in->count, NULL };
	GEMP_TRY(gemp_shuffle_decode(box, &s->how, in, &s->tuples, &s->begin));
	return gemp_toolbox_seconds(box, &s->seconds.by_range);
}

/* Decodes the tuples by owner, exchanges them, and decodes them by range. Ranks agree after each local step, so either
 * all ranks exchange or none does. */
gemp_code gemp_shuffle_ranks(gemp_shuffled *out, const gemp_comm *comm, gemp_toolbox *box, const gemp_shuffle *how,
                             const gemp_tuples *in, const gemp_shuffle_shared *shared, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	const gemp_shuffle owner = by_owner(how, comm->size);
	GEMP_OWNED_BY(exchange_task_free) exchange_task p = { 0 };
	*out = (gemp_shuffled){ .how = *how, .device = box->device };
	if (comm->size == 1)
		return decode_by_range(out, box, in);
	GEMP_CHECK(owner.bits <= GEMP_SPLIT_BITS && gemp_shuffle_key_shift(&owner) + owner.bits <= 32 && !in->extent);
	code = exchange_task_new(&p, comm, &owner);
	GEMP_THEN(decode_by_owner(out, box, &owner, in, &p));
	GEMP_THEN(check_owners(&owner, &p));
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (how->layout == GEMP_SHUFFLE_AOS_KEYS)
		out->how.layout = GEMP_SHUFFLE_AOS;
	double since = gemp_now();
	exchange_counts(out, &p);
	for (unsigned a = 0; a < arrays_of(how); a++)
		GEMP_TRY(shared && shared->bytes ? exchange_shared(out, a, &p, shared, traffic)
		                                 : exchange_mpi(out, a, &p, traffic));
	out->seconds.exchange = gemp_now() - since;
	code = decode_by_range(out, box,
	                       &(gemp_tuples){ how->layout == GEMP_SHUFFLE_SOA ? &out->arrived[COLUMN] : NULL,
	                                       &out->arrived[TUPLE], out->tuples.count, NULL });
	return gemp_comm_agree(comm, code);
}

/* {0}, which has no device, is allowed. */
void gemp_shuffled_free(gemp_shuffled *s)
{
	for (int a = 0; a < ARRAYS && s->device; a++) {
		gemp_readback_free(&s->sent[a], s->device);
		gemp_buffers_free(s->device, &s->arrived[a], &s->placed[a]);
	}
	if (s->device)
		gemp_buffer_free(&s->begin, s->device);
	*s = (gemp_shuffled){ 0 };
}
