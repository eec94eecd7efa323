#include "comm/request.h"

#include "core/memory.h"

#include <string.h>

static gemp_code answer(const gemp_request *request, size_t answer_size, const void *received, const size_t *from,
                        int ranks, uint64_t **replies, int **asker)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(*replies, from[ranks] * answer_size / sizeof **replies));
	GEMP_TRY(GEMP_NEW(*asker, from[ranks]));
	for (int r = 0; r < ranks; r++)
		for (size_t i = from[r]; i < from[r + 1]; i++)
			(*asker)[i] = r;
	code = request->answer(request->self, received, from[ranks], *replies);
done:
	return code;
}

/* Replies come by owner, and within one in the order of sending. */
static gemp_code put_back(const gemp_request *request, size_t answer_size, int ranks, const char *replied,
                          char *answers)
{
	gemp_code code = GEMP_OK;
	size_t *next = NULL;
	GEMP_TRY(GEMP_NEW(next, (size_t)ranks + 1));
	for (size_t i = 0; i < request->count; i++)
		next[request->owner[i] + 1]++;
	for (int r = 0; r < ranks; r++)
		next[r + 1] += next[r];
	for (size_t i = 0; i < request->count; i++)
		memcpy(answers + i * answer_size, replied + next[request->owner[i]]++ * answer_size, answer_size);
done:
	gemp_free(next);
	return code;
}

gemp_code gemp_request_records(const gemp_comm *comm, const gemp_request *request, size_t answer_size, void *answers,
                               gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	void *received = NULL, *replied = NULL;
	size_t *from = NULL;
	uint64_t *replies = NULL;
	int *asker = NULL;
	if (comm->size == 1)
		return request->answer(request->self, request->records, request->count, answers);
	GEMP_TRY(gemp_exchange_records(comm, request->records, request->count, request->size, request->owner, &received,
	                               &from, traffic));
	GEMP_TRY(gemp_comm_agree(comm, answer(request, answer_size, received, from, comm->size, &replies, &asker)));
	if (answer_size) {
		GEMP_TRY(gemp_exchange_records(comm, replies, from[comm->size], answer_size, asker, &replied, NULL,
		                               traffic));
		code = gemp_comm_agree(comm, put_back(request, answer_size, comm->size, replied, answers));
	}
done:
	gemp_free(received);
	gemp_free(replied);
	gemp_free(from);
	gemp_free(replies);
	gemp_free(asker);
	return code;
}

gemp_code gemp_request_run(const gemp_comm *comm, const gemp_request *request, uint64_t *answers)
{
	return gemp_request_records(comm, request, sizeof *answers, answers, NULL);
}
