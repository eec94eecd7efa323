#include "partition/inquire.h"

#include "partition/builder_shuffle.h"

#include <string.h>

typedef struct asking {
	const gemp_graph *graph;
	const uint32_t *values;
	const gemp_vertex *ids;
	gemp_replies replies;
} asking;

static int owner(void *self, size_t record)
{
	const asking *a = self;
	return gemp_graph_owner(a->graph, a->ids[record]);
}

static gemp_code pack(void *self, size_t record, gemp_text *out)
{
	const asking *a = self;
	gemp_text_add(out, &a->ids[record], sizeof *a->ids);
	return GEMP_OK;
}

static gemp_code take(void *self, int source, const char *at, const char *end)
{
	gemp_code code = GEMP_OK;
	asking *a = self;
	for (; at < end; at += sizeof(gemp_vertex)) {
		gemp_vertex id;
		memcpy(&id, at, sizeof id);
		GEMP_TRY(gemp_replies_add(&a->replies, source, a->values[id - a->graph->first]));
	}
done:
	return code;
}

gemp_code gemp_inquire(const gemp_comm *comm, const gemp_graph *graph, const uint32_t *values, const gemp_vertex *ids,
                   size_t count, uint32_t *out)
{
	gemp_code code = GEMP_OK;
	asking a = { .graph = graph, .values = values, .ids = ids };
	gemp_shuffle shuffle = { &a, count, GEMP_INQUIRE_BATCH, owner, pack, take };
	GEMP_TRY(gemp_comm_agree(comm, gemp_replies_new(&a.replies, comm->size)));
	GEMP_TRY(gemp_shuffle_run(comm, &shuffle));
	GEMP_TRY(gemp_replies_return(comm, &a.replies, &shuffle, out));
done:
	gemp_replies_free(&a.replies);
	return code;
}
