/* exchange: all-to-all exchange of bytes and records, requests to owners, and exchange in rounds. Collective.
 *
 * The bytes for each rank are contiguous, and the ranks' bytes follow one another (send_size[ranks],
 * receive_size[ranks] in bytes). MPI_Isend and MPI_Irecv move messages of at most 1 GiB, so sizes beyond 2^31 work.
 * Measured on one host, they were at most a fifth slower than MPI_Alltoallv, and faster for small messages. All ranks
 * agree on memory before the first message, so a rank that is out of memory stops all ranks.
 *
 * Every exchange takes `code`, the result of the caller's earlier steps on this rank. The code travels with the sizes,
 * so the caller needs no agreement of its own. If any rank has failed, nothing is sent, and all ranks return the code
 * and the message of gemp_comm_agree. The arrays of a failed rank are not read and may be NULL. */

#ifndef GEMP_COMM_EXCHANGE_H
#define GEMP_COMM_EXCHANGE_H

#include "comm/comm.h"

/* What this rank has sent to other ranks, for reports. */
typedef struct gemp_traffic {
	uint64_t bytes, messages, rounds;
} gemp_traffic;

typedef struct gemp_peer_block {
	void *bytes;
	size_t size;
} gemp_peer_block;

/* Collective. `send` has send_size[r] bytes for each rank r, in rank order. *receive is reallocated (gemp_realloc) for
 * the bytes from the ranks, in rank order, and receive_size[ranks] is filled. traffic may be NULL. */
gemp_code gemp_exchange(const gemp_comm *comm, gemp_code code, const void *send, const size_t *send_size,
                        void **receive, size_t *receive_capacity, size_t *receive_size, gemp_traffic *traffic);

/* Collective. gemp_exchange for blocks at any addresses, send[ranks]. */
gemp_code gemp_exchange_parts(const gemp_comm *comm, gemp_code code, const gemp_peer_block *send, void **receive,
                              size_t *receive_capacity, size_t *receive_size, gemp_traffic *traffic);

/* Collective. gemp_exchange into a new block of *received bytes, which the caller frees. */
gemp_code gemp_exchange_bytes(const gemp_comm *comm, gemp_code code, const void *send, const size_t *send_size,
                              void **receive, size_t *received, gemp_traffic *traffic);

/* Collective. Exchanges blocks at any addresses, send[ranks] and receive[ranks], whose sizes both sides know. The
 * blocks for this rank itself are ignored. If one rank is out of memory, all ranks return GEMP_ENOMEM. traffic may be
 * NULL. */
gemp_code gemp_exchange_blocks(const gemp_comm *comm, gemp_code code, const gemp_peer_block *send,
                               const gemp_peer_block *receive, gemp_traffic *traffic);

/* Collective. Sends record i, of `size` bytes, to owner[i]; the records need not be sorted. *out becomes the records
 * for this rank, by source rank and then in the order of the source. (*from)[ranks + 1] becomes the begin of each
 * source's records; from may be NULL. The caller frees both. */
gemp_code gemp_exchange_records(const gemp_comm *comm, gemp_code code, const void *records, size_t count, size_t size,
                                const int *owner, void **out, size_t **from, gemp_traffic *traffic);

/* Collective. Answers the records of gemp_exchange_records. `answers` has an answer of `size` bytes for each record
 * that this rank received, in the records' order, and from[ranks + 1] is the result of gemp_exchange_records. out[i]
 * becomes the answer to record i of the `count` records that this rank sent to owner[i]. */
gemp_code gemp_exchange_answers(const gemp_comm *comm, gemp_code code, const void *answers, size_t size,
                                const size_t *from, const int *owner, size_t count, void *out, gemp_traffic *traffic);

/* Local. place[i] becomes the position of the answer to record i among all answers, if each rank answers in the order
 * of gemp_exchange_records without gemp_exchange_answers. counts[ranks] becomes the number of records of each rank; it
 * may be NULL. */
gemp_code gemp_owner_places(const int *owner, size_t count, int ranks, size_t *place, size_t *counts);

/* Collective. For exchanges in rounds, which need less memory. Returns the number of rounds of at most `step` elements
 * that the rank with the largest count needs. */
uint64_t gemp_exchange_rounds(const gemp_comm *comm, uint64_t count, uint64_t step);
/* Local. Returns the elements that this rank sends in a round; an empty range after its last element. */
gemp_block_range gemp_exchange_round(uint64_t round, uint64_t count, uint64_t step);

/* REQUESTS. A rank sends records to their owners, and each owner returns an answer to each record: a number or a
 * record.
 *
 * Local. The handler sets answers[i], which is 0 before, for record i. The records are sorted by source rank, then in
 * the order of the source. */
typedef gemp_code (*gemp_request_handler)(void *self, const void *records, size_t count, uint64_t *answers);

typedef struct gemp_request {
	const void *records; /* [count] of `size` bytes */
	size_t count, size;
	const int *owner; /* [count] the rank that answers; not read if there is one rank */
	gemp_request_handler handler;
	void *self;
} gemp_request;

/* Collective. answers[i], which is 0 before, becomes the answer to record i of `count`. */
gemp_code gemp_request_run(const gemp_comm *comm, gemp_code code, const gemp_request *request, uint64_t *answers);

/* Collective. The same for answers of answer_size bytes, to which the handler casts its pointer. With answer_size 0
 * there are no answers, and `answers` is NULL. traffic may be NULL. */
gemp_code gemp_request_records(const gemp_comm *comm, gemp_code code, const gemp_request *request, size_t answer_size,
                               void *answers, gemp_traffic *traffic);

/* Collective. Measures the bandwidth with which benchmarks compare: bytes per second of all ranks together, if each
 * rank sends about `bytes` bytes in total, evenly to the other ranks, from and to memory that was touched before. *rate
 * is the best of several tries; 0 with one rank. If one rank is out of memory, all ranks return GEMP_ENOMEM. */
gemp_code gemp_exchange_rate(const gemp_comm *comm, size_t bytes, double *rate);

#endif
