#include "comm/exchange.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/types.h"

#include <string.h>

/* A message has at most exchange_chunk bytes, so its length fits into an int. */
static size_t messages_of(size_t bytes)
{
	const size_t chunk = gemp_limits_now()->exchange_chunk;
	return bytes / chunk + (bytes % chunk != 0);
}

/* Posts the messages of one block. Sender and receiver divide the block equally, and MPI keeps the order of messages
 * between two ranks, so one tag suffices. */
static void post_messages(bool sending, char *bytes, size_t size, int peer, const gemp_comm *comm,
                          MPI_Request *requests, int *posted)
{
	const size_t chunk = gemp_limits_now()->exchange_chunk;
	for (size_t at = 0; at < size; at += chunk) {
		int piece = (int)(size - at < chunk ? size - at : chunk);
		MPI_Request *request = &requests[(*posted)++];
		if (sending)
			GEMP_MPI(MPI_Isend(bytes + at, piece, MPI_BYTE, peer, GEMP_TAG_EXCHANGE, comm->world, request));
		else
			GEMP_MPI(MPI_Irecv(bytes + at, piece, MPI_BYTE, peer, GEMP_TAG_EXCHANGE, comm->world, request));
	}
}

/* Counts bytes that leave this rank. */
static void count_sent(gemp_traffic *traffic, size_t size)
{
	if (traffic && size) {
		traffic->bytes += size;
		traffic->messages += messages_of(size);
	}
}

/* Collective. Sends the sizes of the blocks to their ranks and sets received[ranks]. A rank that has failed sends the
 * mark of a failure to all ranks, so only then the ranks need a reduction to agree. The sizes lie in scratch memory of
 * the communicator, since a rank that is out of memory cannot allocate an array. */
static gemp_code exchange_sizes(const gemp_comm *comm, gemp_code code, const gemp_peer_block *send, size_t *received)
{
	const size_t ranks = (size_t)comm->size;
	uint64_t single[2], *to = comm->sizes ? comm->sizes : single, *from = to + ranks;
	for (size_t r = 0; r < ranks; r++)
		to[r] = code == GEMP_OK ? send[r].size : GEMP_SIZE_OF_FAILURE;
	GEMP_MPI(MPI_Alltoall(to, 1, MPI_UINT64_T, from, 1, MPI_UINT64_T, comm->world));
	GEMP_TRY(gemp_comm_agree_marked(comm, code, from));
	memcpy(received, from, ranks * sizeof *received);
	return GEMP_OK;
}

/* All receives are posted before the first send, so messages arrive in place and not in MPI's buffers. Both sides know
 * the sizes, so the ranks agree only on their codes and on the memory for requests. */
gemp_code gemp_exchange_blocks(const gemp_comm *comm, gemp_code code, const gemp_peer_block *send,
                               const gemp_peer_block *receive, gemp_traffic *traffic)
{
	GEMP_OWNED MPI_Request *requests = NULL;
	size_t messages = 0;
	int posted = 0;
	for (int r = 0; code == GEMP_OK && r < comm->size; r++)
		messages += messages_of(send[r].size) + messages_of(receive[r].size);
	GEMP_THEN(GEMP_NEW(requests, messages));
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (int r = 0; r < comm->size; r++)
		if (r != comm->rank)
			post_messages(false, receive[r].bytes, receive[r].size, r, comm, requests, &posted);
	for (int r = 0; r < comm->size; r++)
		if (r != comm->rank) {
			post_messages(true, send[r].bytes, send[r].size, r, comm, requests, &posted);
			count_sent(traffic, send[r].size);
		}
	GEMP_MPI(MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE));
	if (traffic)
		traffic->rounds++;
	return GEMP_OK;
}

/* The blocks of the ranks are contiguous, in rank order. */
static void place_blocks(const gemp_comm *comm, char *bytes, const size_t *size, gemp_peer_block *blocks)
{
	for (int r = 0; r < comm->size; bytes += size[r++])
		blocks[r] = (gemp_peer_block){ bytes, size[r] };
}

/* The block for this rank itself is copied. */
gemp_code gemp_exchange_parts(const gemp_comm *comm, gemp_code code, const gemp_peer_block *send, void **receive,
                              size_t *receive_capacity, size_t *receive_size, gemp_traffic *traffic)
{
	GEMP_OWNED gemp_peer_block *parts = NULL;
	size_t incoming = 0;
	GEMP_TRY(exchange_sizes(comm, code, send, receive_size));
	for (int r = 0; r < comm->size; r++)
		incoming += receive_size[r];
	code = gemp_reserve(receive, receive_capacity, incoming + 1, 1);
	GEMP_THEN(GEMP_NEW(parts, (size_t)comm->size));
	if (code == GEMP_OK) {
		place_blocks(comm, gemp_pointer_get(receive), receive_size, parts);
		if (send[comm->rank].size)
			gemp_parallel_copy(parts[comm->rank].bytes, send[comm->rank].bytes, send[comm->rank].size);
	}
	return gemp_exchange_blocks(comm, code, send, parts, traffic);
}

/* The caller's bytes are in rank order, so the sizes give the blocks. */
gemp_code gemp_exchange(const gemp_comm *comm, gemp_code code, const void *send, const size_t *send_size,
                        void **receive, size_t *receive_capacity, size_t *receive_size, gemp_traffic *traffic)
{
	GEMP_OWNED gemp_peer_block *parts = NULL;
	GEMP_THEN(GEMP_NEW(parts, (size_t)comm->size));
	if (code == GEMP_OK)
		place_blocks(comm, (char *)(uintptr_t)send, send_size, parts);
	return gemp_exchange_parts(comm, code, parts, receive, receive_capacity, receive_size, traffic);
}

/* The capacity is dropped, since the block is used once. */
gemp_code gemp_exchange_bytes(const gemp_comm *comm, gemp_code code, const void *send, const size_t *send_size,
                              void **receive, size_t *received, gemp_traffic *traffic)
{
	GEMP_OWNED size_t *size = NULL;
	size_t capacity = 0;
	*receive = NULL;
	*received = 0;
	GEMP_THEN(GEMP_NEW(size, (size_t)comm->size));
	GEMP_TRY(gemp_exchange(comm, code, send, send_size, receive, &capacity, size, traffic));
	for (int r = 0; r < comm->size; r++)
		*received += size[r];
	return GEMP_OK;
}

/* THE ORDER OF OWNERS: records are sorted by their owners, on all threads. The records of one owner keep their order,
 * as gemp_exchange_answers requires. */

enum { APART = 8 }; /* numbers between the rows of two ranges, so that two threads write to different cache lines */

typedef struct owner_order {
	const int *owner; /* [count] */
	size_t count, stride;
	size_t *next;     /* [ranges][stride] the position of a range's next record for each rank */
	const char *from; /* of the loops below */
	char *to;
	size_t size, *place;
} owner_order;

static void free_order(owner_order *o)
{
	gemp_free(o->next);
}

static void count_owners(void *self, size_t range, size_t begin, size_t end)
{
	const owner_order *o = self;
	size_t *next = o->next + range * o->stride;
	for (size_t i = begin; i < end; i++)
		next[o->owner[i]]++;
}

/* counts[ranks] becomes the number of records of each rank; it may be NULL. The caller frees *o, also after an
 * error. */
static gemp_code order_by_owner(owner_order *o, const int *owner, size_t count, int ranks, size_t *counts)
{
	const size_t ranges = gemp_range_count(count);
	size_t at = 0;
	*o = (owner_order){ .owner = owner, .count = count, .stride = (size_t)ranks + APART };
	GEMP_TRY(GEMP_NEW(o->next, ranges * o->stride));
	gemp_for_ranges(count, count_owners, o);
	for (int r = 0; r < ranks; r++) {
		const size_t first = at;
		for (size_t range = 0; range < ranges; range++) {
			size_t *next = &o->next[range * o->stride + (size_t)r], here = *next;
			*next = at;
			at += here;
		}
		if (counts)
			counts[r] = at - first;
	}
	return GEMP_OK;
}

static void place_range(void *self, size_t range, size_t begin, size_t end)
{
	const owner_order *o = self;
	size_t *next = o->next + range * o->stride;
	for (size_t i = begin; i < end; i++)
		o->place[i] = next[o->owner[i]]++;
}

/* Moves the records of a range to their places among those of their owners or, with `back`, from there. */
static inline __attribute__((always_inline)) void move_records(const owner_order *o, size_t range, size_t begin,
                                                               size_t end, size_t size, bool back)
{
	size_t *next = o->next + range * o->stride;
	for (size_t i = begin; i < end; i++) {
		const size_t place = next[o->owner[i]]++;
		memcpy(o->to + (back ? i : place) * size, o->from + (back ? place : i) * size, size);
	}
}

/* Most records are single numbers, whose copies are single instructions. */
static void sort_range(void *self, size_t range, size_t begin, size_t end)
{
	const owner_order *o = self;
	if (o->size == sizeof(uint64_t))
		move_records(o, range, begin, end, sizeof(uint64_t), false);
	else
		move_records(o, range, begin, end, o->size, false);
}

/* The inverse of sort_range. */
static void unsort_range(void *self, size_t range, size_t begin, size_t end)
{
	const owner_order *o = self;
	if (o->size == sizeof(uint64_t))
		move_records(o, range, begin, end, sizeof(uint64_t), true);
	else if (o->size == 1)
		move_records(o, range, begin, end, 1, true);
	else
		move_records(o, range, begin, end, o->size, true);
}

/* Computes the order of gemp_exchange_records for callers that receive answers by other means. */
gemp_code gemp_owner_places(const int *owner, size_t count, int ranks, size_t *place, size_t *counts)
{
	GEMP_OWNED_BY(free_order) owner_order order;
	GEMP_TRY(order_by_owner(&order, owner, count, ranks, counts));
	order.place = place;
	gemp_for_ranges(count, place_range, &order);
	return GEMP_OK;
}

/* The records are sorted by owner first, so that each rank receives one block. */
gemp_code gemp_exchange_records(const gemp_comm *comm, gemp_code code, const void *records, size_t count, size_t size,
                                const int *owner, void **out, size_t **from, gemp_traffic *traffic)
{
	const size_t ranks = (size_t)comm->size;
	size_t capacity = 0;
	GEMP_OWNED char *sorted = NULL;
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED size_t *sizes = NULL, *came = NULL, *sources = NULL;
	GEMP_OWNED_BY(free_order) owner_order order = { 0 };
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(sorted, count * size), GEMP_ARRAY(sizes, ranks), GEMP_ARRAY(came, ranks),
	                       GEMP_ARRAY(sources, ranks + 1)));
	GEMP_THEN(order_by_owner(&order, owner, count, comm->size, sizes));
	if (code == GEMP_OK) {
		order.from = records;
		order.to = sorted;
		order.size = size;
		gemp_for_ranges(count, sort_range, &order);
		for (size_t r = 0; r < ranks; r++)
			sizes[r] *= size;
	}
	GEMP_TRY(gemp_exchange(comm, code, sorted, sizes, &received, &capacity, came, traffic));
	for (size_t r = 0; r < ranks; r++)
		sources[r + 1] = sources[r] + came[r] / size;
	gemp_pointer_set(out, received);
	received = NULL;
	if (from) {
		*from = sources;
		sources = NULL;
	}
	return GEMP_OK;
}

/* All memory is allocated before the exchange, so the ranks need no agreement afterwards. */
gemp_code gemp_exchange_answers(const gemp_comm *comm, gemp_code code, const void *answers, size_t size,
                                const size_t *from, const int *owner, size_t count, void *out, gemp_traffic *traffic)
{
	const size_t ranks = (size_t)comm->size;
	size_t capacity = 0;
	GEMP_OWNED size_t *sizes = NULL, *came = NULL;
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED_BY(free_order) owner_order order = { 0 };
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(sizes, ranks), GEMP_ARRAY(came, ranks)));
	GEMP_THEN(order_by_owner(&order, owner, count, comm->size, NULL));
	for (size_t r = 0; code == GEMP_OK && r < ranks; r++)
		sizes[r] = (from[r + 1] - from[r]) * size;
	GEMP_TRY(gemp_exchange(comm, code, answers, sizes, &received, &capacity, came, traffic));
	order.from = received;
	order.to = out;
	order.size = size;
	gemp_for_ranges(count, unsort_range, &order);
	return GEMP_OK;
}

/* The code of the handler travels with the answers. A request without answers costs an agreement instead. */
gemp_code gemp_request_records(const gemp_comm *comm, gemp_code code, const gemp_request *request, size_t answer_size,
                               void *answers, gemp_traffic *traffic)
{
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED uint64_t *replies = NULL;
	GEMP_OWNED size_t *from = NULL;
	if (comm->size == 1) {
		GEMP_THEN(request->handler(request->self, request->records, request->count, answers));
		return code;
	}
	GEMP_TRY(gemp_exchange_records(comm, code, request->records, request->count, request->size, request->owner,
	                               &received, &from, traffic));
	const size_t count = from[comm->size];
	replies = gemp_calloc(count, answer_size ? answer_size : 1);
	code = replies ? request->handler(request->self, received, count, replies) : GEMP_ENOMEM;
	if (!answer_size)
		return gemp_comm_agree(comm, code);
	return gemp_exchange_answers(comm, code, replies, answer_size, from, request->owner, request->count, answers,
	                             traffic);
}

gemp_code gemp_request_run(const gemp_comm *comm, gemp_code code, const gemp_request *request, uint64_t *answers)
{
	return gemp_request_records(comm, code, request, sizeof *answers, answers, NULL);
}

/* A rank with few elements takes part in all rounds, so the number of rounds needs a reduction. */
uint64_t gemp_exchange_rounds(const gemp_comm *comm, uint64_t count, uint64_t step)
{
	uint64_t rounds = (count + step - 1) / step;
	gemp_comm_max(comm, &rounds, 1);
	return rounds;
}

gemp_block_range gemp_exchange_round(uint64_t round, uint64_t count, uint64_t step)
{
	uint64_t begin = gemp_min(round * step, count);
	return (gemp_block_range){ begin, begin + gemp_min(step, count - begin) };
}

enum { TRIES = 5 };

/* All ranks start together, and the time is that of the slowest rank. */
gemp_code gemp_exchange_rate(const gemp_comm *comm, size_t bytes, double *rate)
{
	size_t others = (size_t)comm->size - 1, each = others ? bytes / others + 1 : 0;
	GEMP_OWNED char *memory = NULL;
	GEMP_OWNED gemp_peer_block *blocks = NULL;
	double best = 1e9;
	*rate = 0;
	if (!others)
		return GEMP_OK;
	gemp_code code = GEMP_NEW(memory, 2 * others * each);
	GEMP_THEN(GEMP_NEW(blocks, 2 * (others + 1)));
	GEMP_TRY(gemp_comm_agree(comm, code));
	memset(memory, 1, 2 * others * each);
	for (size_t r = 0, other = 0; r <= others; r++)
		if ((int)r != comm->rank) {
			blocks[r] = (gemp_peer_block){ memory + each * other, each };
			blocks[others + 1 + r] = (gemp_peer_block){ memory + each * (others + other++), each };
		}
	for (int i = 0; i < TRIES; i++) {
		GEMP_MPI(MPI_Barrier(comm->world));
		double since = MPI_Wtime();
		GEMP_TRY(gemp_exchange_blocks(comm, GEMP_OK, blocks, blocks + others + 1, NULL));
		uint64_t nanoseconds = (uint64_t)((MPI_Wtime() - since) * 1e9) + 1;
		gemp_comm_max(comm, &nanoseconds, 1);
		best = (double)nanoseconds * 1e-9 < best ? (double)nanoseconds * 1e-9 : best;
	}
	*rate = (double)each * (double)others * (double)comm->size / best;
	return GEMP_OK;
}
