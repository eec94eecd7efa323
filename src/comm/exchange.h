/* exchange: all-to-all exchange of bytes and records, requests to owners, and exchange in rounds. Collective.
 *
 * Data for rank r is contiguous, and the ranks' data follow one another (send_size[ranks], receive_size[ranks] in
 * bytes). MPI_Isend and MPI_Irecv move messages of at most 1 GiB, so sizes beyond 2^31 work; measured on one host they
 * were never more than a fifth slower than MPI_Alltoallv, and faster for small messages. All ranks agree on memory
 * before the first message, so a rank that is out of memory stops all.
 *
 * Every exchange takes a code: what the steps of the caller before it have returned on this rank. It travels with the
 * sizes, so that the caller needs no agreement of its own. If any rank has failed nothing is sent, and all ranks return
 * the code and the message of gemp_comm_agree; the arrays of a rank that has failed are not read and may be NULL.
 */

#ifndef GEMP_COMM_EXCHANGE_H
#define GEMP_COMM_EXCHANGE_H

#include "comm/comm.h"

/* Counts of what this rank sent to others, for reports. */
typedef struct gemp_traffic {
	uint64_t bytes, messages, rounds;
} gemp_traffic;

typedef struct gemp_peer_block {
	void *bytes;
	size_t size;
} gemp_peer_block;

/* Collective. `send` has send_size[r] bytes for each rank r, in rank order; *receive is reallocated (gemp_realloc) for
 * the bytes from each rank in rank order, and receive_size[ranks] is filled. traffic may be NULL. */
gemp_code gemp_exchange(const gemp_comm *comm, gemp_code code, const void *send, const size_t *send_size,
                        void **receive, size_t *receive_capacity, size_t *receive_size, gemp_traffic *traffic);

/* Collective. The same for bytes that lie apart: send[ranks]. */
gemp_code gemp_exchange_parts(const gemp_comm *comm, gemp_code code, const gemp_peer_block *send, void **receive,
                              size_t *receive_capacity, size_t *receive_size, gemp_traffic *traffic);

/* Collective. gemp_exchange for a caller that does it once: *receive is a new block, which the caller frees, of
 * *received bytes. */
gemp_code gemp_exchange_bytes(const gemp_comm *comm, gemp_code code, const void *send, const size_t *send_size,
                              void **receive, size_t *received, gemp_traffic *traffic);

/* Collective. Exchanges blocks at any addresses, send[ranks] and receive[ranks], whose sizes both sides know; the
 * blocks for this rank itself are ignored. GEMP_ENOMEM on all ranks alike. traffic may be NULL. */
gemp_code gemp_exchange_blocks(const gemp_comm *comm, gemp_code code, const gemp_peer_block *send,
                               const gemp_peer_block *receive, gemp_traffic *traffic);

/* Collective. Sends record i, of `size` bytes, to owner[i]; the records need not be sorted. *out gets the records for
 * this rank, by source rank, then in the order of sending; (*from)[ranks + 1] says where each source's records begin
 * (NULL: not wanted). The caller frees both. */
gemp_code gemp_exchange_records(const gemp_comm *comm, gemp_code code, const void *records, size_t count, size_t size,
                                const int *owner, void **out, size_t **from, gemp_traffic *traffic);

/* Collective. Returns an answer of `size` bytes for each record that gemp_exchange_records brought to this rank, in the
 * records' order (from[ranks + 1] is its result). out[i] becomes the answer to record i of the `count` that this rank
 * sent to owner[i]. */
gemp_code gemp_exchange_answers(const gemp_comm *comm, gemp_code code, const void *answers, size_t size,
                                const size_t *from, const int *owner, size_t count, void *out, gemp_traffic *traffic);

/* Local. place[count] becomes where the answer to record i comes, if each rank sends its answers in the order of
 * gemp_exchange_records without gemp_exchange_answers. */
gemp_code gemp_owner_places(const int *owner, size_t count, int ranks, size_t *place);

/* Collective. Exchanges in rounds need less memory. Returns the rounds of at most `step` elements that the rank with
 * the largest count needs. */
uint64_t gemp_exchange_rounds(const gemp_comm *comm, uint64_t count, uint64_t step);
/* Local. The elements of a rank's own round; an empty range once it has sent all. */
gemp_block_range gemp_exchange_round(uint64_t round, uint64_t count, uint64_t step);

/* A request sends records to their owners, and each owner sends back an answer to each: a number, or a record.
 *
 * Local. The handler sets answers[i], which is 0 before, for record i; the records are sorted by source rank, then in
 * the order of sending. */
typedef gemp_code (*gemp_request_handler)(void *self, const void *records, size_t count, uint64_t *answers);

typedef struct gemp_request {
	const void *records; /* [count] of `size` bytes */
	size_t count, size;
	const int *owner; /* [count] the rank that answers; not read if there is one rank */
	gemp_request_handler handler;
	void *self;
} gemp_request;

/* Collective. answers[count], 0 before; answers[i] becomes the answer to record i. */
gemp_code gemp_request_run(const gemp_comm *comm, gemp_code code, const gemp_request *request, uint64_t *answers);

/* Collective. The same with answers of answer_size bytes, to which the handler casts its pointer; 0: none come back,
 * and answers is NULL. traffic may be NULL. */
gemp_code gemp_request_records(const gemp_comm *comm, gemp_code code, const gemp_request *request, size_t answer_size,
                               void *answers, gemp_traffic *traffic);

/* Collective. The bandwidth that benchmarks compare with: bytes per second that all ranks together send when each sends
 * about `bytes` in all, evenly to the others, from and to memory that was touched before; the best of some tries. One
 * rank: 0. GEMP_ENOMEM on all ranks alike. */
gemp_code gemp_exchange_rate(const gemp_comm *comm, size_t bytes, double *rate);

#endif
