#include "sequence/items.h"

#include "core/memory.h"

#include <string.h>

/* What one gemp_items_ask holds; sizes are bytes by rank. */
typedef struct asking {
	size_t *to, *sent, *received;  /* [ranks] */
	size_t *place;                 /* [count] of each question among those that are sent */
	char *out;                     /* questions by owner */
	void *in, *replies, *returned;
	size_t in_capacity, returned_capacity, incoming;
} asking;

static void asking_free(asking *a)
{
	void *const blocks[] = { a->to, a->sent, a->received, a->place, a->out, a->in, a->replies, a->returned };
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		gemp_free(blocks[i]);
}

static gemp_code asking_new(asking *a, const gemp_comm *comm, const gemp_questions *ask)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(a->to, (size_t)comm->size));
	GEMP_TRY(GEMP_NEW(a->sent, (size_t)comm->size));
	GEMP_TRY(GEMP_NEW(a->received, (size_t)comm->size));
	GEMP_TRY(GEMP_NEW(a->place, ask->count));
	GEMP_TRY(GEMP_NEW(a->out, ask->count * ask->size));
done:
	return code;
}

static void sort_by_owner(asking *a, const gemp_comm *comm, const gemp_questions *ask)
{
	size_t at = 0;
	for (size_t i = 0; i < ask->count; i++)
		a->sent[ask->owner[i]]++;
	for (int r = 0; r < comm->size; r++) {
		a->to[r] = at;
		at += a->sent[r];
		a->sent[r] *= ask->size;
	}
	for (size_t i = 0; i < ask->count; i++) {
		a->place[i] = a->to[ask->owner[i]]++;
		memcpy(a->out + a->place[i] * ask->size, (const char *)ask->questions + i * ask->size, ask->size);
	}
}

/* The replies go back as the questions came. */
static gemp_code send_back(asking *a, const gemp_comm *comm, const gemp_questions *ask, void *answers,
                           gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	for (int r = 0; r < comm->size; r++)
		a->received[r] = a->received[r] / ask->size * ask->answer_size;
	GEMP_TRY(gemp_exchange(comm, a->replies, a->received, &a->returned, &a->returned_capacity, a->sent, traffic));
	for (size_t i = 0; i < ask->count; i++)
		memcpy((char *)answers + i * ask->answer_size,
		       (const char *)a->returned + a->place[i] * ask->answer_size, ask->answer_size);
done:
	return code;
}

gemp_code gemp_items_ask(const gemp_comm *comm, const gemp_questions *ask, gemp_items_answer *answer, void *self,
                         void *answers,
                   gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	asking a = { 0 };
	if (comm->size == 1)
		return answer(self, ask->questions, ask->count, answers);
	GEMP_TRY(gemp_comm_agree(comm, asking_new(&a, comm, ask)));
	sort_by_owner(&a, comm, ask);
	GEMP_TRY(gemp_exchange(comm, a.out, a.sent, &a.in, &a.in_capacity, a.received, traffic));
	for (int r = 0; r < comm->size; r++)
		a.incoming += a.received[r] / ask->size;
	a.replies = gemp_calloc(a.incoming, ask->answer_size ? ask->answer_size : 1);
	code = a.replies ? answer(self, a.in, a.incoming, a.replies) : GEMP_ENOMEM;
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (ask->answer_size)
		GEMP_TRY(send_back(&a, comm, ask, answers, traffic));
done:
	asking_free(&a);
	return code;
}

typedef struct table {
	const char *elements;
	size_t size;
} table;

static gemp_code read_table(void *self, const void *questions, size_t count, void *answers)
{
	const table *t = self;
	const gemp_item *items = questions;
	for (size_t i = 0; i < count; i++)
		memcpy((char *)answers + i * t->size, t->elements + gemp_item_index(items[i]) * t->size, t->size);
	return GEMP_OK;
}

gemp_code gemp_items_look_up(const gemp_comm *comm, const gemp_item *items, size_t count, const void *elements,
                             size_t size, void *answers, gemp_traffic *traffic)
{
	gemp_code code = GEMP_OK;
	table t = { elements, size };
	gemp_item *asked = NULL;
	int *owner = NULL;
	char *found = NULL;
	size_t wanted = 0;
	for (size_t i = 0; i < count; i++)
		wanted += items[i] != GEMP_NO_ITEM;
	code = GEMP_NEW(asked, wanted);
	if (code == GEMP_OK)
		code = GEMP_NEW(owner, wanted);
	if (code == GEMP_OK)
		code = GEMP_NEW(found, wanted * size);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t i = 0, at = 0; i < count; i++)
		if (items[i] != GEMP_NO_ITEM) {
			asked[at] = items[i];
			owner[at++] = gemp_item_rank(items[i]);
		}
	gemp_questions ask = { asked, wanted, sizeof *asked, owner, size };
	GEMP_TRY(gemp_items_ask(comm, &ask, read_table, &t, found, traffic));
	for (size_t i = 0, at = 0; i < count; i++)
		if (items[i] != GEMP_NO_ITEM)
			memcpy((char *)answers + i * size, found + at++ * size, size);
done:
	gemp_free(found);
	gemp_free(owner);
	gemp_free(asked);
	return code;
}
