#include "euler/ask.h"

#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

enum { BLOCK = 1 << 14, ROUND = 1 << 22 }; /* slots a thread answers at a time, and a rank asks for in one round */

typedef struct asking {
	const gemp_comm *comm;
	gemp_euler_answer *answer;
	void *self;
	size_t size;
	gemp_traffic *traffic;
	size_t ranks;
	uint64_t *firsts;        /* [ranks + 1] first slots */
	size_t *sent, *received; /* [ranks] bytes */
	size_t *at;              /* [ranks] */
	gemp_edge *request;      /* [ROUND] by owner */
	uint32_t *index;         /* [ROUND] which of the slots asked for it was */
	void *asked, *answered, *reply; /* slots that others ask for; what they get; what this rank gets */
	size_t asked_room, answered_room, reply_room;
} asking;

/* One thread's part of a list of slots. */
typedef struct list {
	const asking *a;
	const gemp_edge *slots;
	char *answers;
	size_t count;
} list;

static void answer_block(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const list *l = context;
	size_t end = (piece + 1) * BLOCK < l->count ? (piece + 1) * BLOCK : l->count;
	for (size_t i = piece * BLOCK; i < end; i++)
		l->a->answer(l->a->self, l->slots[i], l->answers + i * l->a->size);
}

static void answer_all(const asking *a, const gemp_edge *slots, size_t count, char *answers)
{
	list l = { a, slots, answers, count };
	gemp_parallel_for((count + BLOCK - 1) / BLOCK, answer_block, &l);
}

static gemp_code check(const asking *a, const gemp_edge *slots, size_t count, uint64_t edges)
{
	for (size_t i = 0; i < count; i++)
		if (slots[i] >= edges)
			return gemp_fail(GEMP_EINTERNAL, "rank %d: there is no slot %" PRIu64 " among %" PRIu64, a->comm->rank,
			                 slots[i], edges);
	return GEMP_OK;
}

static gemp_code begin(asking *a, const gemp_euler_edges *edges)
{
	gemp_code code = GEMP_OK;
	a->ranks = (size_t)a->comm->size;
	code = GEMP_NEW(a->firsts, a->ranks + 1);
	if (code == GEMP_OK)
		code = GEMP_NEW(a->sent, a->ranks);
	if (code == GEMP_OK)
		code = GEMP_NEW(a->received, a->ranks);
	if (code == GEMP_OK)
		code = GEMP_NEW(a->at, a->ranks);
	if (code == GEMP_OK)
		code = GEMP_NEW(a->request, ROUND);
	if (code == GEMP_OK)
		code = GEMP_NEW(a->index, ROUND);
	GEMP_TRY(gemp_comm_agree(a->comm, code));
	GEMP_MPI(MPI_Allgather(&edges->first, 1, MPI_UINT64_T, a->firsts, 1, MPI_UINT64_T, a->comm->world));
	a->firsts[a->ranks] = edges->edges;
done:
	return code;
}

static void sort_by_owner(asking *a, const gemp_edge *slots, size_t count)
{
	memset(a->sent, 0, a->ranks * sizeof *a->sent);
	for (size_t i = 0; i < count; i++)
		a->sent[gemp_range_of(a->firsts, a->ranks, slots[i])]++;
	for (size_t r = 0, at = 0; r < a->ranks; r++) {
		a->at[r] = at;
		at += a->sent[r];
		a->sent[r] *= sizeof *slots;
	}
	for (size_t i = 0; i < count; i++) {
		size_t to = a->at[gemp_range_of(a->firsts, a->ranks, slots[i])]++;
		a->request[to] = slots[i];
		a->index[to] = (uint32_t)i;
	}
}

/* Collective. Sizes of slots become those of answers. */
static void to_answers(const asking *a, size_t *sizes)
{
	for (size_t r = 0; r < a->ranks; r++)
		sizes[r] = sizes[r] / sizeof(gemp_edge) * a->size;
}

static gemp_code ask_round(asking *a, const gemp_edge *slots, size_t count, char *answers)
{
	gemp_code code = GEMP_OK;
	size_t asked = 0;
	sort_by_owner(a, slots, count);
	GEMP_TRY(gemp_exchange(a->comm, a->request, a->sent, &a->asked, &a->asked_room, a->received, a->traffic));
	for (size_t r = 0; r < a->ranks; r++)
		asked += a->received[r] / sizeof *slots;
	if (asked * a->size > a->answered_room)
		code = gemp_reserve(&a->answered, &a->answered_room, asked * a->size, 1);
	GEMP_TRY(gemp_comm_agree(a->comm, code));
	answer_all(a, a->asked, asked, a->answered);
	to_answers(a, a->received);
	GEMP_TRY(gemp_exchange(a->comm, a->answered, a->received, &a->reply, &a->reply_room, a->sent, a->traffic));
	for (size_t i = 0; i < count; i++)
		memcpy(answers + a->index[i] * a->size, (const char *)a->reply + i * a->size, a->size);
done:
	return code;
}

gemp_code gemp_euler_ask(const gemp_comm *comm, const gemp_euler_edges *edges, const gemp_edge *slots, size_t count,
                         gemp_euler_answer *answer, void *self, size_t size, void *answers, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	asking a = { .comm = comm, .answer = answer, .self = self, .size = size, .traffic = traffic };
	uint64_t most = count;
	GEMP_TRY(gemp_comm_agree(comm, check(&a, slots, count, edges->edges)));
	if (comm->size == 1) {
		answer_all(&a, slots, count, answers);
		return GEMP_OK;
	}
	GEMP_TRY(begin(&a, edges));
	gemp_comm_max(comm, &most, 1);
	for (size_t from = 0; from < most; from += ROUND) {
		size_t left = from < count ? count - from : 0, now = left < ROUND ? left : ROUND;
		GEMP_TRY(ask_round(&a, slots + (now ? from : 0), now, (char *)answers + (now ? from : 0) * size));
	}
done:
	gemp_free(a.firsts);
	gemp_free(a.sent);
	gemp_free(a.received);
	gemp_free(a.at);
	gemp_free(a.request);
	gemp_free(a.index);
	gemp_free(a.asked);
	gemp_free(a.answered);
	gemp_free(a.reply);
	return code;
}
