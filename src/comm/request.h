/* request: records to ranks, and an answer to each back: a number, or records of another kind. */
#ifndef GEMP_COMM_REQUEST_H
#define GEMP_COMM_REQUEST_H

#include "comm/exchange.h"

/* Local. answers[i], 0 before, becomes that of record i; the records are by source, then in the order of sending. */
typedef gemp_code (*gemp_answerer)(void *self, const void *records, size_t count, uint64_t *answers);

typedef struct gemp_request {
	const void *records; /* [count] of `size` bytes */
	size_t count, size;
	const int *owner;    /* [count] who answers; one rank does not look at it */
	gemp_answerer answer;
	void *self;
} gemp_request;

/* Collective. answers[count], 0 before; answers[i] becomes that of the owner of record i. */
gemp_code gemp_request_run(const gemp_comm *comm, const gemp_request *request, uint64_t *answers);

/* Collective. The same with answers of answer_size bytes, a multiple of 8; 0: none come back, and answers is NULL.
 * traffic may be NULL. */
gemp_code gemp_request_records(const gemp_comm *comm, const gemp_request *request, size_t answer_size, void *answers,
                               gemp_traffic *traffic);

#endif
