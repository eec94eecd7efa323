/* exchange: bytes to their owners and back, all to all.
 *
 * Pieces of at most 1 GiB by isend and irecv, so that counts beyond 2^31 work; measured never worse than MPI_Alltoallv
 * by more than a fifth on one host and faster for small pieces.
 */
#ifndef GEMP_COMM_EXCHANGE_H
#define GEMP_COMM_EXCHANGE_H

#include "comm/comm.h"

/* What travelled, for reports. Bytes to oneself do not count. */
typedef struct gemp_traffic {
	uint64_t bytes, messages, rounds;
} gemp_traffic;

/* Bytes of one message at most, less than 2^31, the same on all ranks; tests make it small. */
extern size_t gemp_exchange_piece;

/* Collective. send: pieces in rank order, send_size[ranks] bytes each; *receive is reallocated (gemp_realloc) to hold the
 * pieces in rank order, receive_size[ranks] is filled. traffic may be NULL. */
gemp_code gemp_exchange(const gemp_comm *comm, const void *send, const size_t *send_size, void **receive,
                        size_t *receive_capacity, size_t *receive_size, gemp_traffic *traffic);

typedef struct gemp_parcel {
	void *bytes;
	size_t size;
} gemp_parcel;

/* Collective. What each rank knows to come, from and to anywhere: send[ranks], receive[ranks]; those for oneself are not looked
 * at. GEMP_ENOMEM on all ranks alike. traffic may be NULL. */
gemp_code gemp_exchange_parcels(const gemp_comm *comm, const gemp_parcel *send, const gemp_parcel *receive, gemp_traffic *traffic);

/* Records of one size, sorted by owner in place of the caller: `owner[i]` of record i. Both arrays stay the caller's.
 * *out receives the records for this rank (by source, then in order), *from[ranks + 1] where each source's begin
 * (NULL if not wanted). The caller frees both. Collective. */
gemp_code gemp_exchange_records(const gemp_comm *comm, const void *records, size_t count, size_t size,
                                const int *owner, void **out, size_t **from, gemp_traffic *traffic);

#endif
