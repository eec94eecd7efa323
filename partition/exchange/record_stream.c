#include "partition/exchange/record_stream.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "partition/exchange/value_exchange.h"

#include <string.h>

/* One round's records by owner, and what came. */
typedef struct round_buffers {
	gemp_text *to;      /* [ranks] */
	gemp_text all;      /* the pieces of `to` in rank order */
	size_t *sent, *got; /* [ranks] bytes */
	void *received;
	size_t capacity;
} round_buffers;

/* Takes {0}. */
static void free_buffers(round_buffers *buffers, int ranks)
{
	for (int r = 0; buffers->to && r < ranks; r++)
		gemp_text_free(&buffers->to[r]);
	gemp_free(buffers->to);
	gemp_text_free(&buffers->all);
	gemp_free_all(buffers->sent, buffers->got, buffers->received);
}

/* The buffers of packed records grow as they are filled, and are kept from round to round. */
static gemp_code new_buffers(round_buffers *buffers, int ranks)
{
	return gemp_new_all(GEMP_ARRAY(buffers->to, (size_t)ranks), GEMP_ARRAY(buffers->sent, (size_t)ranks),
	                    GEMP_ARRAY(buffers->got, (size_t)ranks));
}

/* Packs records from *next on until the round is full. */
static gemp_code fill(const gemp_record_stream *stream, round_buffers *buffers, int ranks, size_t *next)
{
	size_t bytes = 0;
	for (int r = 0; r < ranks; r++)
		gemp_text_clear(&buffers->to[r]);
	while (*next < stream->count && bytes < stream->batch) {
		gemp_text *text = &buffers->to[stream->owner(stream->context, *next)];
		size_t before = text->size;
		GEMP_PROPAGATE(stream->pack(stream->context, *next, text));
		GEMP_PROPAGATE(gemp_text_status(text));
		bytes += text->size - before;
		++*next;
	}
	gemp_text_clear(&buffers->all);
	for (int r = 0; r < ranks; r++) {
		gemp_text_add(&buffers->all, buffers->to[r].data, buffers->to[r].size);
		buffers->sent[r] = buffers->to[r].size;
	}
	return gemp_text_status(&buffers->all);
}

/* Hands the records of each source to the caller, in rank order. */
static gemp_code receive_all(const gemp_record_stream *stream, const round_buffers *buffers, int ranks)
{
	gemp_code code = GEMP_OK;
	const char *at = buffers->received;
	for (int r = 0; r < ranks && code == GEMP_OK; at += buffers->got[r++])
		if (buffers->got[r])
			code = stream->take(stream->context, r, at, at + buffers->got[r]);
	return code;
}

gemp_code gemp_record_stream_run(const gemp_comm *comm, const gemp_record_stream *stream)
{
	gemp_code code = GEMP_OK;
	round_buffers buffers = { 0 };
	size_t next = 0;
	uint64_t more = 1;
	code = new_buffers(&buffers, comm->size);
	while (more) {
		GEMP_THEN(fill(stream, &buffers, comm->size, &next));
		GEMP_TRY(gemp_comm_agree(comm, code));
		GEMP_TRY(gemp_exchange(comm, buffers.all.data, buffers.sent, &buffers.received, &buffers.capacity, buffers.got,
		                       NULL));
		code = receive_all(stream, &buffers, comm->size);
		more = gemp_comm_sum1(comm, next < stream->count);
	}
	code = gemp_comm_agree(comm, code);
done:
	free_buffers(&buffers, comm->size);
	return code;
}

/* Answers come by owner, and within one owner in the order of packing. */
static gemp_code scatter_answers(const gemp_record_stream *stream, const uint32_t *received, int ranks, uint32_t *out)
{
	GEMP_OWNED size_t *next = NULL;
	GEMP_PROPAGATE(GEMP_NEW(next, (size_t)ranks + 1));
	for (size_t i = 0; i < stream->count; i++)
		next[stream->owner(stream->context, i) + 1]++;
	for (int r = 0; r < ranks; r++)
		next[r + 1] += next[r];
	for (size_t i = 0; i < stream->count; i++)
		out[i] = received[next[stream->owner(stream->context, i)]++];
	return GEMP_OK;
}

gemp_code gemp_record_stream_answer(const gemp_comm *comm, const gemp_record_stream *stream, gemp_text *answers,
                                    uint32_t *out)
{
	GEMP_OWNED void *received = NULL;
	size_t size;
	GEMP_PROPAGATE(gemp_exchange_texts(comm, answers, &received, &size));
	return gemp_comm_agree(comm, scatter_answers(stream, received, comm->size, out));
}
