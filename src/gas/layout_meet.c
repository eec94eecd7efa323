/* Owners tell where in their order vertices are that others have met, and remember who has. */
#include "comm/exchange.h"
#include "core/memory.h"
#include "gas/layout_parts.h"
#include "primitive/sort.h"

/* What an owner says of a vertex. */
typedef struct place {
	uint32_t local, key_rank;
} place;

/* id[] ascend, and so do their owners. */
static void list_owners(const gemp_gas_met *met, const gemp_graph *graph, int *owner)
{
	int at = 0;
	for (size_t i = 0; i < met->count; i++) {
		while (met->id[i] >= graph->bounds[at + 1])
			at++;
		owner[i] = at;
	}
}

/* Ids that ranks have met, by rank, become own vertices in their order. */
static gemp_code answer(gemp_gas_met *met, const gemp_gas_layout *layout, const uint32_t *ids, const size_t *from,
                        place *answers, int *asker)
{
	gemp_code code = GEMP_OK;
	int ranks = layout->comm->size;
	GEMP_TRY(GEMP_NEW(met->asked, from[ranks]));
	for (int r = 0; r < ranks; r++) {
		met->asked_begin[r + 1] = from[r + 1];
		for (size_t i = from[r]; i < from[r + 1]; i++) {
			uint32_t v = layout->local[ids[i] - layout->graph->first];
			answers[i] = (place){ v, layout->key_rank[v] };
			asker[i] = r;
			met->asked[i] = v;
		}
		GEMP_TRY(gemp_sort_host(&(gemp_sort){ .key = GEMP_KEY_U32 }, met->asked + from[r], NULL, from[r + 1] - from[r]));
	}
done:
	return code;
}

static gemp_code put_in_order(gemp_gas_met *met, int ranks, const int *owner, const place *places)
{
	gemp_code code = GEMP_OK;
	uint64_t *key = NULL;
	GEMP_TRY(GEMP_NEW(key, met->count));
	for (size_t i = 0; i < met->count; i++) {
		key[i] = (uint64_t)owner[i] << 32 | places[i].local;
		met->order[i] = (uint32_t)i;
		met->key_rank[i] = places[i].key_rank;
		met->begin[owner[i] + 1]++;
	}
	for (int r = 0; r < ranks; r++)
		met->begin[r + 1] += met->begin[r];
	code = gemp_sort_host(&(gemp_sort){ .key = GEMP_KEY_U64, .value_size = sizeof *met->order }, key, met->order,
	                      met->count);
done:
	gemp_free(key);
	return code;
}

gemp_code gemp_gas_meet(gemp_gas_met *met, const gemp_gas_layout *layout)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = layout->comm;
	size_t ranks = (size_t)comm->size, *from = NULL;
	int *owner = NULL, *asker = NULL;
	void *asked = NULL, *replies = NULL;
	place *answers = NULL;
	code = GEMP_NEW(met->key_rank, met->count);
	if (code == GEMP_OK)
		code = GEMP_NEW(met->order, met->count);
	if (code == GEMP_OK)
		code = GEMP_NEW(met->begin, ranks + 1);
	if (code == GEMP_OK)
		code = GEMP_NEW(met->asked_begin, ranks + 1);
	if (code == GEMP_OK)
		code = GEMP_NEW(owner, met->count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	list_owners(met, layout->graph, owner);
	GEMP_TRY(gemp_exchange_records(comm, met->id, met->count, sizeof *met->id, owner, &asked, &from, NULL));
	code = GEMP_NEW(answers, from[ranks]);
	if (code == GEMP_OK)
		code = GEMP_NEW(asker, from[ranks]);
	if (code == GEMP_OK)
		code = answer(met, layout, asked, from, answers, asker);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_exchange_records(comm, answers, from[ranks], sizeof *answers, asker, &replies, NULL, NULL));
	code = gemp_comm_agree(comm, put_in_order(met, comm->size, owner, replies));
done:
	gemp_free(owner);
	gemp_free(asker);
	gemp_free(asked);
	gemp_free(replies);
	gemp_free(from);
	gemp_free(answers);
	return code;
}

void gemp_gas_met_free(gemp_gas_met *met)
{
	gemp_free(met->id);
	gemp_free(met->key_rank);
	gemp_free(met->order);
	gemp_free(met->begin);
	gemp_free(met->asked_begin);
	gemp_free(met->asked);
	*met = (gemp_gas_met){ 0 };
}
