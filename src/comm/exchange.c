#include "comm/exchange.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/types.h"

#include <string.h>

/* Messages are cut at the chunk, so their lengths fit an int. */
static size_t messages_of(size_t bytes)
{
	const size_t chunk = gemp_limits_now()->exchange_chunk;
	return bytes / chunk + (bytes % chunk != 0);
}

/* Posts the messages of one block; both sides cut alike, and MPI keeps the order of messages between two ranks, so
 * one tag is enough. */
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

/* Only what leaves the rank counts. */
static void count_sent(gemp_traffic *traffic, size_t size)
{
	if (traffic && size) {
		traffic->bytes += size;
		traffic->messages += messages_of(size);
	}
}

/* Collective. Sends the sizes of the blocks to their ranks and sets received[ranks]. A rank that has failed sends the
 * mark of a failure to all ranks, so all of them return the code on which they agree; only then a reduction is needed.
 * The sizes go through memory of the communicator, since a rank that is out of memory has no array of its own. */
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
 * the sizes, so the agreement on memory is the only one. */
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

/* The bytes for or from the ranks lie one behind the other. */
static void place_blocks(const gemp_comm *comm, char *bytes, const size_t *size, gemp_peer_block *blocks)
{
	for (int r = 0; r < comm->size; bytes += size[r++])
		blocks[r] = (gemp_peer_block){ bytes, size[r] };
}

/* The bytes for this rank itself are copied. */
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
			memcpy(parts[comm->rank].bytes, send[comm->rank].bytes, send[comm->rank].size);
	}
	return gemp_exchange_blocks(comm, code, send, parts, traffic);
}

/* The caller's bytes lie in rank order, so the blocks follow from their sizes. */
gemp_code gemp_exchange(const gemp_comm *comm, gemp_code code, const void *send, const size_t *send_size,
                        void **receive, size_t *receive_capacity, size_t *receive_size, gemp_traffic *traffic)
{
	GEMP_OWNED gemp_peer_block *parts = NULL;
	GEMP_THEN(GEMP_NEW(parts, (size_t)comm->size));
	if (code == GEMP_OK)
		place_blocks(comm, (char *)(uintptr_t)send, send_size, parts);
	return gemp_exchange_parts(comm, code, parts, receive, receive_capacity, receive_size, traffic);
}

/* The capacity is not needed afterwards, as the block is used once. */
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

/* next: [ranks + 1] zeros. next[r] becomes the number of records of the owners before r, which is where those of r
 * begin. */
static void find_starts(const int *owner, size_t count, int ranks, size_t *next)
{
	for (size_t i = 0; i < count; i++)
		next[owner[i] + 1]++;
	for (int r = 0; r < ranks; r++)
		next[r + 1] += next[r];
}

/* The same order as sort_records, computed for callers that receive answers by other means. */
gemp_code gemp_owner_places(const int *owner, size_t count, int ranks, size_t *place)
{
	GEMP_OWNED size_t *next = NULL;
	GEMP_TRY(GEMP_NEW(next, (size_t)ranks + 1));
	find_starts(owner, count, ranks, next);
	for (size_t i = 0; i < count; i++)
		place[i] = next[owner[i]]++;
	return GEMP_OK;
}

/* Records of one owner stay in order, which gemp_exchange_answers relies on. */
static void sort_records(const char *records, size_t count, size_t size, const int *owner, int ranks, size_t *next,
                         char *sorted)
{
	find_starts(owner, count, ranks, next);
	for (size_t i = 0; i < count; i++)
		memcpy(sorted + next[owner[i]]++ * size, records + i * size, size);
}

/* Bytes of the records are sorted by owner first: each rank gets one block. */
gemp_code gemp_exchange_records(const gemp_comm *comm, gemp_code code, const void *records, size_t count, size_t size,
                                const int *owner, void **out, size_t **from, gemp_traffic *traffic)
{
	const size_t ranks = (size_t)comm->size;
	size_t capacity = 0;
	GEMP_OWNED char *sorted = NULL;
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED size_t *next = NULL, *sizes = NULL, *came = NULL, *sources = NULL;
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(sorted, count * size), GEMP_ARRAY(next, ranks + 1), GEMP_ARRAY(sizes, ranks),
	                       GEMP_ARRAY(came, ranks), GEMP_ARRAY(sources, ranks + 1)));
	if (code == GEMP_OK)
		sort_records(records, count, size, owner, comm->size, next, sorted);
	for (size_t r = 0; code == GEMP_OK && r < ranks; r++) /* next[r] is now where the records of r end */
		sizes[r] = (next[r] - (r ? next[r - 1] : 0)) * size;
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

/* All memory is there before the exchange, so the ranks need not agree again afterwards. */
gemp_code gemp_exchange_answers(const gemp_comm *comm, gemp_code code, const void *answers, size_t size,
                                const size_t *from, const int *owner, size_t count, void *out, gemp_traffic *traffic)
{
	const size_t ranks = (size_t)comm->size;
	size_t capacity = 0;
	GEMP_OWNED size_t *sizes = NULL, *came = NULL, *next = NULL;
	GEMP_OWNED void *received = NULL;
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(sizes, ranks), GEMP_ARRAY(came, ranks), GEMP_ARRAY(next, ranks + 1)));
	for (size_t r = 0; code == GEMP_OK && r < ranks; r++)
		sizes[r] = (from[r + 1] - from[r]) * size;
	GEMP_TRY(gemp_exchange(comm, code, answers, sizes, &received, &capacity, came, traffic));
	find_starts(owner, count, comm->size, next);
	for (size_t i = 0; i < count; i++)
		memcpy((char *)out + i * size, (const char *)received + next[owner[i]]++ * size, size);
	return GEMP_OK;
}

/* The code of the handler rides in the exchange of the answers, or, where none come back, costs an agreement. */
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

/* The reduction is the price for rounds: a rank with few elements takes part in all of them. */
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

/* The slowest rank counts: a barrier before, the maximum of the times after. */
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
