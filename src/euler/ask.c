#include "euler/ask.h"

#include "comm/request.h"
#include "core/memory.h"
#include "core/threads.h"

enum { BLOCK = 1 << 14, ROUND = 1 << 22 }; /* slots a thread answers at a time, and a rank asks for in one round */

typedef struct asking {
	const gemp_comm *comm;
	const gemp_euler_edges *edges;
	gemp_euler_answer *answer;
	void *self;
	uint64_t *firsts; /* [ranks + 1] first slots */
	int *owner;       /* [ROUND] */
} asking;

/* Slots that others, or this rank, ask about. */
typedef struct list {
	const asking *a;
	const gemp_edge *slots;
	uint64_t *answers;
	size_t count;
} list;

static void answer_block(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const list *l = context;
	size_t end = (piece + 1) * BLOCK < l->count ? (piece + 1) * BLOCK : l->count;
	for (size_t i = piece * BLOCK; i < end; i++)
		l->answers[i] = l->a->answer(l->a->self, l->slots[i]);
}

static gemp_code answer_all(void *self, const void *records, size_t count, uint64_t *answers)
{
	list l = { self, records, answers, count };
	gemp_parallel_for((count + BLOCK - 1) / BLOCK, answer_block, &l);
	return GEMP_OK;
}

static gemp_code check(const asking *a, const gemp_edge *slots, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (slots[i] >= a->edges->edges)
			return gemp_fail(GEMP_EINTERNAL, "rank %d: there is no slot %" PRIu64 " among %" PRIu64, a->comm->rank,
			                 slots[i], a->edges->edges);
	return GEMP_OK;
}

/* Collective. */
static gemp_code begin(asking *a)
{
	gemp_code code = GEMP_OK;
	size_t ranks = (size_t)a->comm->size;
	code = GEMP_NEW(a->firsts, ranks + 1);
	if (code == GEMP_OK && ranks > 1)
		code = GEMP_NEW(a->owner, ROUND);
	GEMP_TRY(gemp_comm_agree(a->comm, code));
	GEMP_MPI(MPI_Allgather(&a->edges->first, 1, MPI_UINT64_T, a->firsts, 1, MPI_UINT64_T, a->comm->world));
	a->firsts[ranks] = a->edges->edges;
done:
	return code;
}

gemp_code gemp_euler_ask(const gemp_comm *comm, const gemp_euler_edges *edges, const gemp_edge *slots, size_t count,
                         gemp_euler_answer *answer, void *self, uint64_t *answers)
{
	gemp_code code = GEMP_OK;
	asking a = { .comm = comm, .edges = edges, .answer = answer, .self = self };
	uint64_t most = count;
	GEMP_TRY(gemp_comm_agree(comm, check(&a, slots, count)));
	GEMP_TRY(begin(&a));
	gemp_comm_max(comm, &most, 1);
	for (size_t from = 0; from < most; from += ROUND) {
		size_t at = from < count ? from : count, now = count - at < ROUND ? count - at : ROUND;
		for (size_t i = 0; i < now && a.owner; i++)
			a.owner[i] = (int)gemp_range_of(a.firsts, (size_t)comm->size, slots[at + i]);
		const gemp_request request = { .records = slots + at, .count = now, .size = sizeof *slots, .owner = a.owner,
			.answer = answer_all, .self = &a };
		GEMP_TRY(gemp_request_run(comm, &request, answers + at));
	}
done:
	gemp_free(a.firsts);
	gemp_free(a.owner);
	return code;
}
