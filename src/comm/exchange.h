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

/* Collective. send: pieces in rank order, send_size[ranks] bytes each; *receive is reallocated (gemp_realloc) to hold the
 * pieces in rank order, receive_size[ranks] is filled. traffic may be NULL. */
gemp_code gemp_exchange(const gemp_comm *comm, const void *send, const size_t *send_size, void **receive,
                        size_t *receive_capacity, size_t *receive_size, gemp_traffic *traffic);

/* Collective. The same for one exchange: *receive is a new block, which the caller frees, of *received bytes. */
gemp_code gemp_exchange_bytes(const gemp_comm *comm, const void *send, const size_t *send_size, void **receive,
                              size_t *received, gemp_traffic *traffic);

typedef struct gemp_peer_block {
	void *bytes;
	size_t size;
} gemp_peer_block;

/* Collective. What each rank knows to come, from and to anywhere: send[ranks], receive[ranks]; those for oneself are not looked
 * at. GEMP_ENOMEM on all ranks alike. traffic may be NULL. */
gemp_code gemp_exchange_blocks(const gemp_comm *comm, const gemp_peer_block *send, const gemp_peer_block *receive,
                               gemp_traffic *traffic);

/* Records of one size, sorted by owner in place of the caller: `owner[i]` of record i. Both arrays stay the caller's.
 * *out receives the records for this rank (by source, then in order), *from[ranks + 1] where each source's begin
 * (NULL if not wanted). The caller frees both. Collective. */
gemp_code gemp_exchange_records(const gemp_comm *comm, const void *records, size_t count, size_t size, const int *owner,
                                void **out, size_t **from, gemp_traffic *traffic);

/* Collective. The way back: answers of `size` bytes, one for each record that gemp_exchange_records brought to this rank, in
 * their order (from[ranks + 1] is its result). out[i] becomes the answer to record i of the `count` that this rank sent to
 * owner[i]. */
gemp_code gemp_exchange_answers(const gemp_comm *comm, const void *answers, size_t size, const size_t *from,
                                const int *owner, size_t count, void *out, gemp_traffic *traffic);

/* Exchanges in rounds bound the memory that one takes. Collective: how many rounds of at most `step` elements the rank with
 * the largest count needs. */
uint64_t gemp_exchange_rounds(const gemp_comm *comm, uint64_t count, uint64_t step);
/* Local. The elements of a rank's own round; an empty range once it has sent all. */
gemp_block_range gemp_exchange_round(uint64_t round, uint64_t count, uint64_t step);

/* request: records to ranks, and an answer to each back: a number, or records of another kind. */

/* Local. answers[i], 0 before, becomes that of record i; the records are by source, then in the order of sending. */
typedef gemp_code (*gemp_request_handler)(void *self, const void *records, size_t count, uint64_t *answers);

typedef struct gemp_request {
	const void *records; /* [count] of `size` bytes */
	size_t count, size;
	const int *owner; /* [count] who answers; one rank does not look at it */
	gemp_request_handler handler;
	void *self;
} gemp_request;

/* Collective. answers[count], 0 before; answers[i] becomes that of the owner of record i. */
gemp_code gemp_request_run(const gemp_comm *comm, const gemp_request *request, uint64_t *answers);

/* Collective. The same with answers of answer_size bytes, to which the handler casts its pointer; 0: none come back, and
 * answers is NULL. traffic may be NULL. */
gemp_code gemp_request_records(const gemp_comm *comm, const gemp_request *request, size_t answer_size, void *answers,
                               gemp_traffic *traffic);

/* exchange_rate: what ranks exchange a second, all with all: what figures across ranks are measured against. */

/* Collective. Bytes a second that all ranks together send to others when each sends the others about `bytes` in all, alike, from
 * memory that is in use to memory that is: the best of some tries. One rank: 0. GEMP_ENOMEM on all ranks alike. */
gemp_code gemp_exchange_rate(const gemp_comm *comm, size_t bytes, double *rate);

#endif
