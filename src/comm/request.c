#include "comm/request.h"

#include "comm/exchange.h"
#include "core/memory.h"

static gemp_code answer(const gemp_request *request, const void *received, const size_t *from, int ranks,
                        uint64_t **replies, int **asker)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(*replies, from[ranks]));
	GEMP_TRY(GEMP_NEW(*asker, from[ranks]));
	for (int r = 0; r < ranks; r++)
		for (size_t i = from[r]; i < from[r + 1]; i++)
			(*asker)[i] = r;
	code = request->answer(request->self, received, from[ranks], *replies);
done:
	return code;
}

/* Replies come by owner, and within one in the order of sending. */
static gemp_code put_back(const gemp_request *request, int ranks, const uint64_t *replied, uint64_t *answers)
{
	gemp_code code = GEMP_OK;
	size_t *next = NULL;
	GEMP_TRY(GEMP_NEW(next, (size_t)ranks + 1));
	for (size_t i = 0; i < request->count; i++)
		next[request->owner[i] + 1]++;
	for (int r = 0; r < ranks; r++)
		next[r + 1] += next[r];
	for (size_t i = 0; i < request->count; i++)
		answers[i] = replied[next[request->owner[i]]++];
done:
	gemp_free(next);
	return code;
}

gemp_code gemp_request_run(const gemp_comm *comm, const gemp_request *request, uint64_t *answers)
{
	gemp_code code = GEMP_OK;
	void *received = NULL, *replied = NULL;
	size_t *from = NULL;
	uint64_t *replies = NULL;
	int *asker = NULL;
	if (comm->size == 1)
		return request->answer(request->self, request->records, request->count, answers);
	GEMP_TRY(gemp_exchange_records(comm, request->records, request->count, request->size, request->owner, &received,
	                               &from, NULL));
	GEMP_TRY(gemp_comm_agree(comm, answer(request, received, from, comm->size, &replies, &asker)));
	GEMP_TRY(gemp_exchange_records(comm, replies, from[comm->size], sizeof *replies, asker, &replied, NULL, NULL));
	code = gemp_comm_agree(comm, put_back(request, comm->size, replied, answers));
done:
	gemp_free(received);
	gemp_free(replied);
	gemp_free(from);
	gemp_free(replies);
	gemp_free(asker);
	return code;
}
