#include "comm/exchange.h"

#include "core/memory.h"

#include <string.h>

size_t gemp_exchange_piece = (size_t)1 << 30;

static size_t pieces_of(size_t bytes)
{
	return bytes / gemp_exchange_piece + (bytes % gemp_exchange_piece != 0);
}

static void post(bool sending, char *bytes, size_t size, int peer, const gemp_comm *comm, MPI_Request *requests,
                 int *posted)
{
	for (size_t at = 0; at < size; at += gemp_exchange_piece) {
		int piece = (int)(size - at < gemp_exchange_piece ? size - at : gemp_exchange_piece);
		MPI_Request *request = &requests[(*posted)++];
		if (sending)
			GEMP_MPI(MPI_Isend(bytes + at, piece, MPI_BYTE, peer, GEMP_TAG_EXCHANGE, comm->world, request));
		else
			GEMP_MPI(MPI_Irecv(bytes + at, piece, MPI_BYTE, peer, GEMP_TAG_EXCHANGE, comm->world, request));
	}
}

static void count_sent(gemp_traffic *traffic, size_t size)
{
	if (traffic && size) {
		traffic->bytes += size;
		traffic->messages += pieces_of(size);
	}
}

gemp_code gemp_exchange_parcels(const gemp_comm *comm, const gemp_parcel *send, const gemp_parcel *receive, gemp_traffic *traffic)
{
	MPI_Request *requests = NULL;
	size_t messages = 0;
	for (int r = 0; r < comm->size; r++)
		messages += pieces_of(send[r].size) + pieces_of(receive[r].size);
	gemp_code code = gemp_comm_agree(comm, GEMP_NEW(requests, messages));
	int posted = 0;
	for (int r = 0; code == GEMP_OK && r < comm->size; r++)
		if (r != comm->rank)
			post(false, receive[r].bytes, receive[r].size, r, comm, requests, &posted);
	for (int r = 0; code == GEMP_OK && r < comm->size; r++)
		if (r != comm->rank) {
			post(true, send[r].bytes, send[r].size, r, comm, requests, &posted);
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

gemp_code gemp_exchange(const gemp_comm *comm, const void *send, const size_t *send_size, void **receive,
                        size_t *receive_capacity, size_t *receive_size, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	MPI_Request *requests = NULL;
	GEMP_MPI(MPI_Alltoall(send_size, 1, MPI_UINT64_T, receive_size, 1, MPI_UINT64_T, comm->world));
	size_t incoming = 0, messages = 0;
	for (int r = 0; r < comm->size; r++) {
		incoming += receive_size[r];
		messages += pieces_of(receive_size[r]) + pieces_of(send_size[r]);
	}
	code = gemp_reserve(receive, receive_capacity, incoming + 1, 1);
	if (code == GEMP_OK)
		code = GEMP_NEW(requests, messages);
	GEMP_TRY(gemp_comm_agree(comm, code));
	int posted = 0;
	char *to = *receive;
	for (int r = 0; r < comm->size; to += receive_size[r++])
		if (r != comm->rank)
			post(false, to, receive_size[r], r, comm, requests, &posted);
		else if (receive_size[r]) {
			size_t before = 0;
			for (int q = 0; q < r; q++)
				before += send_size[q];
			memcpy(to, (const char *)send + before, receive_size[r]);
		}
	char *from = (char *)send; /* MPI-3 takes const, our helper serves both ways */
	for (int r = 0; r < comm->size; from += send_size[r++])
		if (r != comm->rank) {
			post(true, from, send_size[r], r, comm, requests, &posted);
			count_sent(traffic, send_size[r]);
		}
	GEMP_MPI(MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE));
	if (traffic)
		traffic->rounds++;
done:
	gemp_free(requests);
	return code;
}

gemp_code gemp_exchange_records(const gemp_comm *comm, const void *records, size_t count, size_t size,
                                const int *owner, void **out, size_t **from, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	size_t ranks = (size_t)comm->size, capacity = 0;
	char *sorted = NULL;
	void *received = NULL;
	size_t *to = NULL, *sizes = NULL, *sources = NULL;
	code = GEMP_NEW(sorted, count * size);
	if (code == GEMP_OK)
		code = GEMP_NEW(to, ranks + 1);
	if (code == GEMP_OK)
		code = GEMP_NEW(sizes, 2 * ranks);
	if (code == GEMP_OK)
		code = GEMP_NEW(sources, ranks + 1);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t i = 0; i < count; i++)
		sizes[owner[i]] += size;
	for (size_t r = 0; r < ranks; r++)
		to[r + 1] = to[r] + sizes[r];
	for (size_t i = 0; i < count; i++) {
		memcpy(sorted + to[owner[i]], (const char *)records + i * size, size);
		to[owner[i]] += size;
	}
	GEMP_TRY(gemp_exchange(comm, sorted, sizes, &received, &capacity, sizes + ranks, traffic));
	for (size_t r = 0; r < ranks; r++)
		sources[r + 1] = sources[r] + sizes[ranks + r] / size;
	*out = received;
	received = NULL;
	if (from) {
		*from = sources;
		sources = NULL;
	}
done:
	gemp_free(received);
	gemp_free(sources);
	gemp_free(sizes);
	gemp_free(to);
	gemp_free(sorted);
	return code;
}
