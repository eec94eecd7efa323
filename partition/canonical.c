#include "partition/canonical.h"

#include "core/memory.h"
#include "comm/exchange.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/builder.h"
#include "partition/canonical_parts.h"
#include "partition/column_exchange.h"
#include "partition/on_demand.h"

#include <string.h>

enum { PIECE = 1 << 14 };

gemp_code gemp_canonical_send(const gemp_comm *comm, void **records, size_t count, size_t size, const int *owner,
                              size_t *came)
{
	gemp_code code = GEMP_OK;
	void *received = NULL;
	size_t *from = NULL;
	*came = count;
	if (!owner)
		return GEMP_OK;
	GEMP_TRY(gemp_exchange_records(comm, *records, count, size, owner, &received, &from, NULL));
	gemp_free(*records);
	*records = received;
	*came = from[comm->size];
done:
	gemp_free(from);
	return code;
}

gemp_code gemp_canonical_column(const gemp_comm *comm, gemp_column *column, const int *owner, const uint64_t *order,
                                size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_column came = { 0 }, sorted = { 0 };
	if (owner) {
		GEMP_TRY(gemp_column_exchange(&came, comm, column, owner));
		gemp_column_free(column);
		*column = came;
	}
	GEMP_TRY(gemp_comm_agree(comm, gemp_column_gather(&sorted, column, NULL, order, count)));
	gemp_column_free(column);
	*column = sorted;
	sorted = (gemp_column){ 0 };
done:
	gemp_column_free(&sorted);
	return code;
}

/* IDS OF ANY VERTICES */

typedef struct asking {
	const gemp_canonising *c;
	const gemp_vertex *ids;
	size_t count;
	int *owner;
	gemp_vertex *out;
} asking;

static void own_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const asking *a = context;
	for (size_t i = piece * PIECE; i < a->count && i < (piece + 1) * PIECE; i++)
		a->owner[i] = gemp_graph_owner(a->c->from, a->ids[i]);
}

static void answer_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const asking *a = context;
	for (size_t i = piece * PIECE; i < a->count && i < (piece + 1) * PIECE; i++)
		a->out[i] = a->c->id[a->ids[i] - a->c->from->first];
}

void gemp_canonical_place(const int *owner, size_t count, const gemp_vertex *answers, size_t *place, size_t ranks,
                          gemp_vertex *out)
{
	for (size_t i = 0; i < count; i++)
		place[owner[i] + 1]++;
	for (size_t r = 0; r < ranks; r++)
		place[r + 1] += place[r];
	for (size_t i = 0; i < count; i++)
		out[i] = answers[place[owner[i]]++];
}

/* Collective. */
static gemp_code ask_owners(asking *a)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = a->c->comm;
	size_t ranks = (size_t)comm->size, *from = NULL, *sizes = NULL, *place = NULL, capacity = 0;
	void *asked = NULL, *answers = NULL;
	code = GEMP_NEW(a->owner, a->count);
	if (code == GEMP_OK)
		code = GEMP_NEW(sizes, 2 * ranks);
	if (code == GEMP_OK)
		code = GEMP_NEW(place, ranks + 1);
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_parallel_for((a->count + PIECE - 1) / PIECE, own_piece, a);
	GEMP_TRY(gemp_exchange_records(comm, a->ids, a->count, sizeof *a->ids, a->owner, &asked, &from, NULL));
	asking here = { .c = a->c, .ids = asked, .count = from[ranks], .out = asked };
	gemp_parallel_for((here.count + PIECE - 1) / PIECE, answer_piece, &here);
	for (size_t r = 0; r < ranks; r++)
		sizes[r] = (from[r + 1] - from[r]) * sizeof *a->ids;
	GEMP_TRY(gemp_exchange(comm, asked, sizes, &answers, &capacity, sizes + ranks, NULL));
	gemp_canonical_place(a->owner, a->count, answers, place, ranks, a->out);
done:
	gemp_free(a->owner);
	gemp_free(from);
	gemp_free(sizes);
	gemp_free(place);
	gemp_free(asked);
	gemp_free(answers);
	return code;
}

gemp_code gemp_canonical_ask(const gemp_canonising *c, const gemp_vertex *ids, size_t count, gemp_vertex *out)
{
	asking a = { .c = c, .ids = ids, .count = count, .out = out };
	if (c->comm->size > 1)
		return ask_owners(&a);
	gemp_parallel_for((count + PIECE - 1) / PIECE, answer_piece, &a);
	return GEMP_OK;
}

/* THE GRAPH */

/* Local. Names are those of before. */
static gemp_code start(gemp_canonising *c)
{
	gemp_code code = GEMP_OK;
	gemp_graph *from = c->from, *to = NULL;
	GEMP_TRY(GEMP_NEW(to, 1));
	c->to = to;
	to->rank = from->rank;
	to->ranks = from->ranks;
	to->vertices = from->vertices;
	to->seed = from->seed;
	to->source = gemp_rows_on_demand(c->comm);
	to->labels = from->labels;
	to->label_count = from->label_count;
	to->label_sets = from->label_sets;
	to->label_set_count = from->label_set_count;
	from->labels = NULL;
	from->label_sets = NULL;
	from->label_count = from->label_set_count = 0;
	GEMP_TRY(GEMP_NEW(to->bounds, (size_t)c->comm->size + 1));
	GEMP_TRY(GEMP_NEW(c->id, from->rows));
	code = GEMP_NEW(to->relations, from->relation_count);
done:
	return code;
}

gemp_code gemp_graph_canonical(gemp_graph **graph, const gemp_comm *comm, bool string_keys)
{
	gemp_code code = GEMP_OK;
	gemp_canonising c = { .comm = comm, .from = *graph, .string_keys = string_keys };
	GEMP_TRY(gemp_comm_agree(comm, start(&c)));
	GEMP_TRY(gemp_canonical_vertices(&c));
	for (size_t r = 0; r < c.from->relation_count; r++)
		GEMP_TRY(gemp_canonical_relation(&c, r));
	GEMP_TRY(gemp_graph_content_hash(comm, c.to, &c.to->hash));
	gemp_graph_free(*graph);
	*graph = c.to;
	c.to = NULL;
done:
	gemp_graph_free(c.to);
	gemp_free(c.id);
	return code;
}
