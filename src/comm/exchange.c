#include "comm/exchange.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/types.h"

#include <string.h>

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

/* All receives are posted before the first send, so that messages arrive in place and not in MPI's buffers. */
gemp_code gemp_exchange_blocks(const gemp_comm *comm, const gemp_peer_block *send, const gemp_peer_block *receive,
                               gemp_traffic *traffic)
{
	MPI_Request *requests = NULL;
	size_t messages = 0;
	for (int r = 0; r < comm->size; r++)
		messages += messages_of(send[r].size) + messages_of(receive[r].size);
	gemp_code code = gemp_comm_agree(comm, GEMP_NEW(requests, messages));
	int posted = 0;
	for (int r = 0; code == GEMP_OK && r < comm->size; r++)
		if (r != comm->rank)
			post_messages(false, receive[r].bytes, receive[r].size, r, comm, requests, &posted);
	for (int r = 0; code == GEMP_OK && r < comm->size; r++)
		if (r != comm->rank) {
			post_messages(true, send[r].bytes, send[r].size, r, comm, requests, &posted);
			count_sent(traffic, send[r].size);
		}
	if (code == GEMP_OK) {
		GEMP_MPI(MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE));
		if (traffic)
			traffic->rounds++;
	}
	gemp_free(requests);
	return code;
}

/* The ranks exchange sizes first, then agree that all have memory for the data, then send. Bytes for this rank
 * itself are copied. */
gemp_code gemp_exchange(const gemp_comm *comm, const void *send, const size_t *send_size, void **receive,
                        size_t *receive_capacity, size_t *receive_size, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED MPI_Request *requests = NULL;
	GEMP_MPI(MPI_Alltoall(send_size, 1, MPI_UINT64_T, receive_size, 1, MPI_UINT64_T, comm->world));
	size_t incoming = 0, messages = 0;
	for (int r = 0; r < comm->size; r++) {
		incoming += receive_size[r];
		messages += messages_of(receive_size[r]) + messages_of(send_size[r]);
	}
	code = gemp_reserve(receive, receive_capacity, incoming + 1, 1);
	GEMP_THEN(GEMP_NEW(requests, messages));
	GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	int posted = 0;
	char *to = gemp_pointer_get(receive);
	for (int r = 0; r < comm->size; to += receive_size[r++])
		if (r != comm->rank)
			post_messages(false, to, receive_size[r], r, comm, requests, &posted);
		else if (receive_size[r]) {
			size_t before = 0;
			for (int q = 0; q < r; q++)
				before += send_size[q];
			memcpy(to, (const char *)send + before, receive_size[r]);
		}
	char *from = (char *)send; /* post_messages serves both directions, so it cannot take const */
	for (int r = 0; r < comm->size; from += send_size[r++])
		if (r != comm->rank) {
			post_messages(true, from, send_size[r], r, comm, requests, &posted);
			count_sent(traffic, send_size[r]);
		}
	GEMP_MPI(MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE));
	if (traffic)
		traffic->rounds++;
	return GEMP_OK;
}

gemp_code gemp_exchange_bytes(const gemp_comm *comm, const void *send, const size_t *send_size, void **receive,
                              size_t *received, gemp_traffic *traffic)
{
	GEMP_OWNED size_t *size = NULL;
	size_t capacity = 0;
	*receive = NULL;
	*received = 0;
	GEMP_PROPAGATE(gemp_comm_agree(comm, GEMP_NEW(size, (size_t)comm->size)));
	GEMP_PROPAGATE(gemp_exchange(comm, send, send_size, receive, &capacity, size, traffic));
	for (int r = 0; r < comm->size; r++)
		*received += size[r];
	return GEMP_OK;
}

/* A counting sort by owner: stable, so records of one source stay in order, which gemp_exchange_answers relies on. */
gemp_code gemp_exchange_records(const gemp_comm *comm, const void *records, size_t count, size_t size, const int *owner,
                                void **out, size_t **from, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	size_t ranks = (size_t)comm->size, capacity = 0;
	GEMP_OWNED char *sorted = NULL;
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED size_t *next = NULL, *sizes = NULL, *sources = NULL;
	code = GEMP_NEW(sorted, count * size);
	GEMP_THEN(GEMP_NEW(next, ranks + 1));
	GEMP_THEN(GEMP_NEW(sizes, 2 * ranks));
	GEMP_THEN(GEMP_NEW(sources, ranks + 1));
	GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	for (size_t i = 0; i < count; i++)
		sizes[owner[i]] += size;
	for (size_t r = 0; r < ranks; r++)
		next[r + 1] = next[r] + sizes[r];
	for (size_t i = 0; i < count; i++) {
		memcpy(sorted + next[owner[i]], (const char *)records + i * size, size);
		next[owner[i]] += size;
	}
	GEMP_PROPAGATE(gemp_exchange(comm, sorted, sizes, &received, &capacity, sizes + ranks, traffic));
	for (size_t r = 0; r < ranks; r++)
		sources[r + 1] = sources[r] + sizes[ranks + r] / size;
	gemp_pointer_set(out, received);
	received = NULL;
	if (from) {
		*from = sources;
		sources = NULL;
	}
	return GEMP_OK;
}

/* Answers arrive sorted by owner, and those of one owner in the order of sending: next[r] is the next answer of rank r. */
static gemp_code scatter_answers(const char *received, size_t size, int ranks, const int *owner, size_t count,
                                 char *out)
{
	GEMP_OWNED size_t *next = NULL;
	GEMP_PROPAGATE(GEMP_NEW(next, (size_t)ranks + 1));
	for (size_t i = 0; i < count; i++)
		next[owner[i] + 1]++;
	for (int r = 0; r < ranks; r++)
		next[r + 1] += next[r];
	for (size_t i = 0; i < count; i++)
		memcpy(out + i * size, received + next[owner[i]]++ * size, size);
	return GEMP_OK;
}

gemp_code gemp_exchange_answers(const gemp_comm *comm, const void *answers, size_t size, const size_t *from,
                                const int *owner, size_t count, void *out, gemp_traffic *traffic)
{
	size_t ranks = (size_t)comm->size;
	GEMP_OWNED size_t *sizes = NULL;
	size_t capacity = 0;
	GEMP_OWNED void *received = NULL;
	GEMP_PROPAGATE(gemp_comm_agree(comm, GEMP_NEW(sizes, 2 * ranks)));
	for (size_t r = 0; r < ranks; r++)
		sizes[r] = (from[r + 1] - from[r]) * size;
	GEMP_PROPAGATE(gemp_exchange(comm, answers, sizes, &received, &capacity, sizes + ranks, traffic));
	return gemp_comm_agree(comm, scatter_answers(received, size, comm->size, owner, count, out));
}

/* Calls the owner's handler for all received records at once. */
static gemp_code handle_requests(const gemp_request *request, size_t answer_size, const void *received, size_t count,
                                 void **answers)
{
	*answers = gemp_calloc(count, answer_size ? answer_size : 1);
	return *answers ? request->handler(request->self, received, count, *answers) : GEMP_ENOMEM;
}

gemp_code gemp_request_records(const gemp_comm *comm, const gemp_request *request, size_t answer_size, void *answers,
                               gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED void *received = NULL, *replies = NULL;
	GEMP_OWNED size_t *from = NULL;
	if (comm->size == 1)
		return request->handler(request->self, request->records, request->count, answers);
	GEMP_PROPAGATE(gemp_exchange_records(comm, request->records, request->count, request->size, request->owner,
	                                     &received, &from, traffic));
	GEMP_PROPAGATE(gemp_comm_agree(comm, handle_requests(request, answer_size, received, from[comm->size], &replies)));
	if (answer_size)
		code = gemp_exchange_answers(comm, replies, answer_size, from, request->owner, request->count, answers,
		                             traffic);
	return code;
}

gemp_code gemp_request_run(const gemp_comm *comm, const gemp_request *request, uint64_t *answers)
{
	return gemp_request_records(comm, request, sizeof *answers, answers, NULL);
}

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
	gemp_code code = GEMP_OK;
	size_t others = (size_t)comm->size - 1, each = others ? bytes / others + 1 : 0;
	GEMP_OWNED char *memory = NULL;
	GEMP_OWNED gemp_peer_block *blocks = NULL;
	double best = 1e9;
	*rate = 0;
	if (!others)
		return GEMP_OK;
	code = GEMP_NEW(memory, 2 * others * each);
	GEMP_THEN(GEMP_NEW(blocks, 2 * (others + 1)));
	GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	memset(memory, 1, 2 * others * each);
	for (size_t r = 0, other = 0; r <= others; r++)
		if ((int)r != comm->rank) {
			blocks[r] = (gemp_peer_block){ memory + each * other, each };
			blocks[others + 1 + r] = (gemp_peer_block){ memory + each * (others + other++), each };
		}
	for (int i = 0; i < TRIES; i++) {
		GEMP_MPI(MPI_Barrier(comm->world));
		double since = MPI_Wtime();
		GEMP_PROPAGATE(gemp_exchange_blocks(comm, blocks, blocks + others + 1, NULL));
		uint64_t nanoseconds = (uint64_t)((MPI_Wtime() - since) * 1e9) + 1;
		gemp_comm_max(comm, &nanoseconds, 1);
		best = (double)nanoseconds * 1e-9 < best ? (double)nanoseconds * 1e-9 : best;
	}
	*rate = (double)each * (double)others * (double)comm->size / best;
	return GEMP_OK;
}
