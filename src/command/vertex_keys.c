#include "command/vertex_keys.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "partition/column_exchange.h"

typedef struct asking {
	int *owner;        /* [count] of ids asked */
	uint64_t *place;   /* [count] of each of them, sorted by owner */
	void *came;        /* ids that this rank is asked for */
	size_t *from;      /* [ranks + 1] */
	int *asker;        /* [from[ranks]] */
	uint64_t *picked;  /* [from[ranks]] rows */
} asking;

static void asking_free(asking *a)
{
	gemp_free(a->owner);
	gemp_free(a->place);
	gemp_free(a->came);
	gemp_free(a->from);
	gemp_free(a->asker);
	gemp_free(a->picked);
}

static gemp_code place_by_owner(asking *a, const gemp_comm *comm, const gemp_graph *graph, const gemp_vertex *ids,
                                size_t count)
{
	gemp_code code = GEMP_OK;
	size_t *next = NULL;
	GEMP_TRY(GEMP_NEW(a->owner, count));
	GEMP_TRY(GEMP_NEW(a->place, count));
	GEMP_TRY(GEMP_NEW(next, (size_t)comm->size + 1));
	for (size_t i = 0; i < count; i++) {
		a->owner[i] = gemp_graph_owner(graph, ids[i]);
		next[a->owner[i] + 1]++;
	}
	for (int r = 0; r < comm->size; r++)
		next[r + 1] += next[r];
	for (size_t i = 0; i < count; i++)
		a->place[i] = next[a->owner[i]]++;
done:
	gemp_free(next);
	return code;
}

/* Local. The keys that others asked for. */
static gemp_code pick_keys(asking *a, gemp_column *keys, const gemp_comm *comm, const gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	size_t count = a->from[comm->size];
	GEMP_TRY(GEMP_NEW(a->asker, count));
	GEMP_TRY(GEMP_NEW(a->picked, count));
	for (int r = 0; r < comm->size; r++)
		for (size_t i = a->from[r]; i < a->from[r + 1]; i++) {
			a->asker[i] = r;
			a->picked[i] = ((const gemp_vertex *)a->came)[i] - graph->first;
		}
	code = gemp_column_pick(keys, &graph->key, a->picked, count);
done:
	return code;
}

gemp_code gemp_vertex_keys(gemp_column *out, const gemp_comm *comm, const gemp_graph *graph, const gemp_vertex *ids,
                           size_t count)
{
	gemp_code code = GEMP_OK;
	asking a = { 0 };
	gemp_column mine = { 0 }, came = { 0 };
	GEMP_TRY(gemp_comm_agree(comm, place_by_owner(&a, comm, graph, ids, count)));
	GEMP_TRY(gemp_exchange_records(comm, ids, count, sizeof *ids, a.owner, &a.came, &a.from, NULL));
	GEMP_TRY(gemp_comm_agree(comm, pick_keys(&a, &mine, comm, graph)));
	GEMP_TRY(gemp_column_exchange(&came, comm, &mine, a.asker));
	code = gemp_comm_agree(comm, gemp_column_pick(out, &came, a.place, count));
done:
	asking_free(&a);
	gemp_column_free(&mine);
	gemp_column_free(&came);
	return code;
}
