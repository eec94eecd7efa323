#include "partition/exchange/record_stream.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "partition/exchange/value_exchange.h"

#include <string.h>

/* The records of one round by owner, and the received bytes. The buffers of packed records grow when they are filled,
 * and later rounds use them again. */
typedef struct round_buffers {
	size_t ranks;
	gemp_text *to;         /* [ranks] */
	gemp_peer_block *sent; /* [ranks] the content of `to` */
	size_t *got;           /* [ranks] received bytes of each source */
	void *received;
	size_t capacity;
} round_buffers;

/* Takes {0}. Some of the buffers may be missing. */
static void free_buffers(round_buffers *buffers)
{
	for (size_t r = 0; buffers->to && r < buffers->ranks; r++)
		gemp_text_free(&buffers->to[r]);
	gemp_free_all(buffers->to, buffers->sent, buffers->got, buffers->received);
}

/* Packs records from *next on until the round is full. */
static gemp_code fill_round(const gemp_record_stream *stream, round_buffers *buffers, size_t *next)
{
	size_t bytes = 0;
	for (size_t r = 0; r < buffers->ranks; r++)
		gemp_text_clear(&buffers->to[r]);
	while (*next < stream->count && bytes < stream->batch) {
		gemp_text *text = &buffers->to[stream->owner(stream->context, *next)];
		size_t before = text->size;
		GEMP_TRY(stream->pack(stream->context, *next, text));
		GEMP_TRY(gemp_text_status(text));
		bytes += text->size - before;
		++*next;
	}
	for (size_t r = 0; r < buffers->ranks; r++)
		buffers->sent[r] = (gemp_peer_block){ buffers->to[r].data, buffers->to[r].size };
	return GEMP_OK;
}

/* Passes the received records to the caller, source by source. */
static gemp_code receive_round(const gemp_record_stream *stream, const round_buffers *buffers)
{
	const char *at = buffers->received;
	for (size_t r = 0; r < buffers->ranks; at += buffers->got[r++])
		if (buffers->got[r])
			GEMP_TRY(stream->take(stream->context, (int)r, at, at + buffers->got[r]));
	return GEMP_OK;
}

/* The exchange of the next round carries a failure of this round's packing or taking to all ranks. After the last round
 * the ranks agree. */
gemp_code gemp_record_stream_run(const gemp_comm *comm, const gemp_record_stream *stream)
{
	GEMP_OWNED_BY(free_buffers) round_buffers buffers = { .ranks = (size_t)comm->size };
	size_t next = 0;
	gemp_code code = gemp_new_all(GEMP_ARRAY(buffers.to, buffers.ranks), GEMP_ARRAY(buffers.sent, buffers.ranks),
	                              GEMP_ARRAY(buffers.got, buffers.ranks));
	do {
		GEMP_THEN(fill_round(stream, &buffers, &next));
		GEMP_TRY(
			gemp_exchange_parts(comm, code, buffers.sent, &buffers.received, &buffers.capacity, buffers.got, NULL));
		code = receive_round(stream, &buffers);
	} while (gemp_comm_sum1(comm, next < stream->count));
	return gemp_comm_agree(comm, code);
}

/* The answers of an owner come in the order in which its records were packed. */
gemp_code gemp_record_stream_answer(const gemp_comm *comm, gemp_code code, const gemp_record_stream *stream,
                                    gemp_text *answers, uint32_t *out)
{
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED size_t *next = NULL;
	size_t size;
	GEMP_THEN(GEMP_NEW(next, (size_t)comm->size + 1));
	GEMP_TRY(gemp_exchange_texts(comm, code, answers, &received, &size));
	for (size_t i = 0; i < stream->count; i++)
		next[stream->owner(stream->context, i) + 1]++;
	for (int r = 0; r < comm->size; r++)
		next[r + 1] += next[r];
	for (size_t i = 0; i < stream->count; i++)
		out[i] = ((const uint32_t *)received)[next[stream->owner(stream->context, i)]++];
	return GEMP_OK;
}
