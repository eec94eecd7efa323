#include "partition/exchange/record_stream.h"

#include "comm/exchange.h"
#include "core/memory.h"

#include <string.h>

/* One round's records by owner, and what came. */
typedef struct round_buffers {
	gemp_text *to;      /* [ranks] */
	gemp_text all;      /* the pieces of `to` in rank order */
	size_t *sent, *got; /* [ranks] bytes */
	void *received;
	size_t capacity;
} round_buffers;

static void free_buffers(round_buffers *buffers, int ranks)
{
	for (int r = 0; buffers->to && r < ranks; r++)
		gemp_text_free(&buffers->to[r]);
	gemp_free(buffers->to);
	gemp_text_free(&buffers->all);
	gemp_free(buffers->sent);
	gemp_free(buffers->got);
	gemp_free(buffers->received);
}

static gemp_code new_buffers(round_buffers *buffers, int ranks)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(buffers->to, (size_t)ranks));
	GEMP_TRY(GEMP_NEW(buffers->sent, (size_t)ranks));
	GEMP_TRY(GEMP_NEW(buffers->got, (size_t)ranks));
done:
	return code;
}

/* Packs records from *next on until the round is full. */
static gemp_code fill(const gemp_record_stream *shuffle, round_buffers *buffers, int ranks, size_t *next)
{
	gemp_code code = GEMP_OK;
	size_t bytes = 0;
	for (int r = 0; r < ranks; r++)
		gemp_text_clear(&buffers->to[r]);
	while (*next < shuffle->count && bytes < shuffle->batch) {
		gemp_text *text = &buffers->to[shuffle->owner(shuffle->context, *next)];
		size_t before = text->size;
		GEMP_TRY(shuffle->pack(shuffle->context, *next, text));
		GEMP_TRY(gemp_text_status(text));
		bytes += text->size - before;
		++*next;
	}
	gemp_text_clear(&buffers->all);
	for (int r = 0; r < ranks; r++) {
		gemp_text_add(&buffers->all, buffers->to[r].data, buffers->to[r].size);
		buffers->sent[r] = buffers->to[r].size;
	}
	code = gemp_text_status(&buffers->all);
done:
	return code;
}

static gemp_code receive_all(const gemp_record_stream *shuffle, const round_buffers *buffers, int ranks)
{
	gemp_code code = GEMP_OK;
	const char *at = buffers->received;
	for (int r = 0; r < ranks && code == GEMP_OK; at += buffers->got[r++])
		if (buffers->got[r])
			code = shuffle->take(shuffle->context, r, at, at + buffers->got[r]);
	return code;
}

gemp_code gemp_record_stream_run(const gemp_comm *comm, const gemp_record_stream *shuffle)
{
	gemp_code code = GEMP_OK;
	round_buffers buffers = { 0 };
	size_t next = 0;
	uint64_t more = 1;
	code = new_buffers(&buffers, comm->size);
	while (more) {
		if (code == GEMP_OK)
			code = fill(shuffle, &buffers, comm->size, &next);
		GEMP_TRY(gemp_comm_agree(comm, code));
		GEMP_TRY(gemp_exchange(comm, buffers.all.data, buffers.sent, &buffers.received, &buffers.capacity, buffers.got,
		                       NULL));
		code = receive_all(shuffle, &buffers, comm->size);
		more = gemp_comm_sum1(comm, next < shuffle->count);
	}
	code = gemp_comm_agree(comm, code);
done:
	free_buffers(&buffers, comm->size);
	return code;
}

gemp_code gemp_replies_new(gemp_replies *replies, int ranks)
{
	gemp_code code = GEMP_OK;
	*replies = (gemp_replies){ .ranks = ranks };
	GEMP_TRY(GEMP_NEW(replies->values, (size_t)ranks));
	GEMP_TRY(GEMP_NEW(replies->count, (size_t)ranks));
	GEMP_TRY(GEMP_NEW(replies->capacity, (size_t)ranks));
done:
	return code;
}

void gemp_replies_free(gemp_replies *replies)
{
	for (int r = 0; replies->values && r < replies->ranks; r++)
		gemp_free(replies->values[r]);
	gemp_free(replies->values);
	gemp_free(replies->count);
	gemp_free(replies->capacity);
}

gemp_code gemp_replies_add(gemp_replies *replies, int source, uint32_t value)
{
	size_t *count = &replies->count[source];
	gemp_code code = GEMP_RESERVE(replies->values[source], replies->capacity[source], *count + 1);
	if (code == GEMP_OK)
		replies->values[source][(*count)++] = value;
	return code;
}

/* Deals the pieces that came, in rank order, back to the records that asked. */
static gemp_code scatter_replies(const gemp_record_stream *shuffle, const uint32_t *came, const size_t *sizes,
                                 int ranks, uint32_t *out)
{
	gemp_code code = GEMP_OK;
	size_t *next = NULL;
	GEMP_TRY(GEMP_NEW(next, (size_t)ranks));
	for (int r = 1; r < ranks; r++)
		next[r] = next[r - 1] + sizes[r - 1] / sizeof *came;
	for (size_t i = 0; i < shuffle->count; i++)
		out[i] = came[next[shuffle->owner(shuffle->context, i)]++];
done:
	gemp_free(next);
	return code;
}

gemp_code gemp_replies_return(const gemp_comm *comm, const gemp_replies *replies, const gemp_record_stream *shuffle,
                              uint32_t *out)
{
	gemp_code code = GEMP_OK;
	gemp_text all = { 0 };
	size_t *sizes = NULL, capacity = 0;
	void *came = NULL;
	code = GEMP_NEW(sizes, 2 * (size_t)comm->size);
	for (int r = 0; code == GEMP_OK && r < comm->size; r++) {
		sizes[r] = replies->count[r] * sizeof(uint32_t);
		gemp_text_add(&all, replies->values[r], sizes[r]);
	}
	GEMP_TRY(gemp_comm_agree(comm, code == GEMP_OK ? gemp_text_status(&all) : code));
	GEMP_TRY(gemp_exchange(comm, all.data, sizes, &came, &capacity, sizes + comm->size, NULL));
	GEMP_TRY(gemp_comm_agree(comm, scatter_replies(shuffle, came, sizes + comm->size, comm->size, out)));
done:
	gemp_text_free(&all);
	gemp_free(sizes);
	gemp_free(came);
	return code;
}

typedef struct query_context {
	const gemp_shard *graph;
	const uint32_t *values;
	const gemp_vertex *ids;
	gemp_replies replies;
} query_context;

static int owner(void *self, size_t record)
{
	const query_context *a = self;
	return gemp_shard_owner(a->graph, a->ids[record]);
}

static gemp_code pack(void *self, size_t record, gemp_text *out)
{
	const query_context *a = self;
	gemp_text_add(out, &a->ids[record], sizeof *a->ids);
	return GEMP_OK;
}

static gemp_code receive(void *self, int source, const char *at, const char *end)
{
	gemp_code code = GEMP_OK;
	query_context *a = self;
	for (; at < end; at += sizeof(gemp_vertex)) {
		gemp_vertex id;
		memcpy(&id, at, sizeof id);
		GEMP_TRY(gemp_replies_add(&a->replies, source, a->values[id - a->graph->first_vertex]));
	}
done:
	return code;
}

gemp_code gemp_record_query(const gemp_comm *comm, const gemp_shard *graph, const uint32_t *values,
                            const gemp_vertex *ids, size_t count, uint32_t *out)
{
	gemp_code code = GEMP_OK;
	query_context a = { .graph = graph, .values = values, .ids = ids };
	gemp_record_stream shuffle = { &a, count, GEMP_RECORD_BATCH, owner, pack, receive };
	GEMP_TRY(gemp_comm_agree(comm, gemp_replies_new(&a.replies, comm->size)));
	GEMP_TRY(gemp_record_stream_run(comm, &shuffle));
	GEMP_TRY(gemp_replies_return(comm, &a.replies, &shuffle, out));
done:
	gemp_replies_free(&a.replies);
	return code;
}
