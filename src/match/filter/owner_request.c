#include "match/filter/owner_request.h"

#include "comm/exchange.h"
#include "core/memory.h"

/* Failures of answers are agreed on before the replies are sent, so that no rank waits for a message that never comes. */
gemp_code gemp_owner_request(gemp_runtime *context, const void *questions, size_t size, const size_t *counts,
                             gemp_owner_answer *answer, void *self, void **replies, size_t *reply_size)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = context->comm;
	size_t ranks = (size_t)comm->size, question_capacity = 0, reply_capacity = 0;
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED_BY(gemp_text_free) gemp_text reply = { 0 };
	GEMP_OWNED size_t *sizes = NULL; /* [4][ranks] bytes: questions sent and received, replies sent and received */
	GEMP_PROPAGATE(gemp_comm_agree(comm, GEMP_NEW(sizes, 4 * ranks)));
	for (size_t r = 0; r < ranks; r++)
		sizes[r] = counts[r] * size;
	GEMP_PROPAGATE(
		gemp_exchange(comm, questions, sizes, &received, &question_capacity, sizes + ranks, &context->traffic));
	const char *at = received;
	for (size_t r = 0; r < ranks; r++) {
		size_t before = reply.size, bytes = sizes[ranks + r];
		GEMP_THEN(answer(self, at, bytes / size, &reply));
		sizes[2 * ranks + r] = reply.size - before;
		at += bytes;
	}
	GEMP_THEN(gemp_text_status(&reply));
	GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	GEMP_PROPAGATE(gemp_exchange(comm, reply.data, sizes + 2 * ranks, replies, &reply_capacity, sizes + 3 * ranks,
	                             &context->traffic));
	*reply_size = 0;
	for (size_t r = 0; r < ranks; r++)
		*reply_size += sizes[3 * ranks + r];
	return GEMP_OK;
}
