#include "match/exchange/match_exchange.h"

#include "core/threads.h"
#include "kernels/match/match_abi.h"
#include "match/exchange/item_codec.h"
#include "match/search/search_launch.h"
#include "partition/fetch/row_code.h"

#include <stdatomic.h>
#include <string.h>

/* bytes of items from which on threads pay; below, waking the threads takes longer than coding the items */
enum { WORTH_THREADS = 1 << 20 };

/* The received items of a stage, oldest first. The first `loaded` items are also on the device. A loaded item stays in
 * the queue, where it occupies a place of its source, until a worker has taken it. */
typedef struct item_queue {
	uint32_t *items;  /* [capacity * item_words]; when the end is reached, the items move to the front */
	uint16_t *source; /* [capacity] the rank that has sent each item */
	size_t begin, count, capacity, loaded;
} item_queue;

struct gemp_match_exchange {
	gemp_search *search;
	size_t stages, ranks;
	item_queue *queues; /* [stages] */
	/* [stages * ranks] number of places in the queues that items of a stage and a source occupy */
	uint32_t *filled;
	bool *usable;          /* [areas] true for areas of other ranks that the plan can fill */
	uint32_t *arrived;     /* [stages * ranks] number of items that the last exchange has brought */
	gemp_item_form *forms; /* [stages] */
	size_t coder_count;
	gemp_item_coder **coders; /* [coder_count] one for each thread */
	size_t chunk_count, chunk_capacity;
	struct item_chunk *chunks;        /* [chunk_count] chunks of the messages to send, later of the received messages */
	atomic_bool corrupt;              /* some chunk could not be decoded */
	size_t *send_size, *receive_size; /* [ranks] bytes */
	uint32_t *items;                  /* the items to send */
	uint8_t *send;
	size_t item_capacity, send_capacity;
	void *receive;
	size_t receive_capacity;
};

/* Threads encode chunks in parallel, and each thread needs its own coder. */
static gemp_code make_coders(gemp_match_exchange *c)
{
	size_t threads = gemp_threads();
	GEMP_TRY(GEMP_NEW(c->forms, c->stages));
	for (size_t k = 0; k < c->stages; k++)
		c->forms[k] = gemp_item_form_of(c->search->plan, &c->search->layout, k);
	GEMP_TRY(GEMP_NEW(c->coders, threads));
	for (; c->coder_count < threads; c->coder_count++)
		GEMP_TRY(gemp_item_coder_new(&c->coders[c->coder_count]));
	return GEMP_OK;
}

/* The plan can fill an area if the area starts with credits. */
gemp_code gemp_match_exchange_new(gemp_match_exchange **out, gemp_search *search)
{
	GEMP_OWNED_BY(gemp_match_exchange_free_at) gemp_match_exchange *c = NULL;
	GEMP_TRY(GEMP_NEW(c, 1));
	c->search = search;
	c->stages = search->layout.stage_count;
	c->ranks = search->ranks;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(c->queues, c->stages), GEMP_ARRAY(c->filled, c->stages * c->ranks),
	                      GEMP_ARRAY(c->usable, search->areas), GEMP_ARRAY(c->send_size, c->ranks),
	                      GEMP_ARRAY(c->receive_size, c->ranks), GEMP_ARRAY(c->arrived, c->stages * c->ranks)));
	for (size_t area = 0; area < search->areas; area++)
		c->usable[area] = gemp_search_credits(search, area / (c->ranks + 1), (uint32_t)(area % (c->ranks + 1))) &&
		                  area % (c->ranks + 1) != c->ranks;
	GEMP_TRY(make_coders(c));
	*out = c;
	c = NULL;
	return GEMP_OK;
}

/* Also frees an exchange that is only partly made. */
void gemp_match_exchange_free(gemp_match_exchange *c)
{
	if (!c)
		return;
	for (size_t k = 0; c->queues && k < c->stages; k++)
		gemp_free_all(c->queues[k].items, c->queues[k].source);
	gemp_free_all(c->queues, c->filled, c->usable, c->send_size, c->receive_size, c->arrived, c->forms);
	for (size_t i = 0; i < c->coder_count; i++)
		gemp_item_coder_free(c->coders[i]);
	gemp_free_all(c->coders, c->chunks, c->items, c->send, c->receive, c);
}

/* Items that are loaded on the device count, since they stay in their queue until their places are released. */
uint64_t gemp_match_exchange_waiting(const gemp_match_exchange *c)
{
	uint64_t waiting = 0;
	for (size_t k = 0; k < c->stages; k++)
		waiting += c->queues[k].count;
	return waiting;
}

/* Reserves memory for the received items and notes their sources. Their words are decoded later. */
static gemp_code reserve_queue(gemp_match_exchange *c, size_t stage)
{
	item_queue *q = &c->queues[stage];
	size_t words = c->search->layout.item_words[stage], count = 0;
	for (size_t r = 0; r < c->ranks; r++)
		count += c->arrived[stage * c->ranks + r];
	if (q->begin + q->count + count > q->capacity && q->begin) {
		memmove(q->items, q->items + q->begin * words, q->count * words * sizeof *q->items);
		memmove(q->source, q->source + q->begin, q->count * sizeof *q->source);
		q->begin = 0;
	}
	if (q->count + count > q->capacity) {
		size_t larger = q->count + count + q->capacity / 2;
		uint32_t *grown = gemp_realloc(q->items, larger * words, sizeof *q->items);
		if (!grown)
			return GEMP_ENOMEM;
		q->items = grown;
		GEMP_TRY(GEMP_RESERVE(q->source, q->capacity, larger));
		q->capacity = larger;
	}
	uint16_t *source = q->source + q->begin + q->count;
	for (size_t r = 0; r < c->ranks; r++) {
		uint32_t arrived = c->arrived[stage * c->ranks + r];
		c->filled[stage * c->ranks + r] += arrived;
		while (arrived-- > 0)
			*source++ = (uint16_t)r;
	}
	return GEMP_OK;
}

/* A message of another rank is checked like a file, since a wrong number would cause writes beyond arrays. */
static gemp_code corrupt_message(size_t rank)
{
	return gemp_fail(GEMP_EINTERNAL, "partial matches: the message of rank %zu is corrupt", rank);
}

/* Frees the places of items that workers have taken. The next message announces these places as credits. */
static void release_taken(gemp_match_exchange *c, size_t stage)
{
	item_queue *q = &c->queues[stage];
	const gemp_work *work = &c->search->work[stage];
	if (!q->loaded)
		return;
	size_t left = work->count - work->next, taken = q->loaded - left;
	for (size_t i = 0; i < taken; i++)
		c->filled[stage * c->ranks + q->source[q->begin + i]]--;
	q->begin += taken;
	q->count -= taken;
	q->loaded = left;
}

/* When the workers of a stage have taken all tasks on the device, the stage gets all of its waiting items at once. */
gemp_code gemp_match_exchange_feed(gemp_match_exchange *c)
{
	gemp_search *search = c->search;
	gemp_device *device = search->context->device;
	double began = gemp_now();
	for (size_t k = 1; k < c->stages; k++) {
		item_queue *q = &c->queues[k];
		gemp_work *work = &search->work[k];
		size_t bytes = search->layout.item_words[k] * sizeof(uint32_t);
		release_taken(c, k);
		if (work->next < work->count || !q->count)
			continue;
		if (work->tasks.size < q->count * bytes) {
			gemp_buffer_free(&work->tasks, device);
			GEMP_TRY(gemp_buffer_new(&work->tasks, device, q->count * bytes, NULL));
		}
		GEMP_TRY(gemp_buffer_write(device, &work->tasks, 0, q->count * bytes,
		                           q->items + q->begin * search->layout.item_words[k]));
		work->next = 0;
		work->count = q->loaded = q->count;
	}
	gemp_timers_add(&search->context->timers, GEMP_PHASE_RESOLVE, began);
	return GEMP_OK;
}

/* A chunk is a part of the items of an area. Threads code and decode chunks in parallel. */
typedef struct item_chunk {
	size_t stage, count;
	uint32_t *items; /* [count * item_words] */
	uint8_t *coded;
	size_t size; /* bytes of coded[] */
} item_chunk;

/* All chunks of an area except the last have GEMP_ITEM_PIECE items. */
static size_t chunks_of(size_t items)
{
	return items / GEMP_ITEM_PIECE + (items % GEMP_ITEM_PIECE != 0);
}

static size_t chunk_items(size_t items, size_t part)
{
	size_t left = items - part * GEMP_ITEM_PIECE;
	return left < GEMP_ITEM_PIECE ? left : GEMP_ITEM_PIECE;
}

static size_t item_bytes(const gemp_match_exchange *c, size_t stage)
{
	return c->search->layout.item_words[stage] * sizeof(uint32_t);
}

/* Each thread has its own coder, because a coder has tables as large as a chunk. */
static void encode_chunk(void *context, unsigned thread, size_t at)
{
	gemp_match_exchange *c = context;
	item_chunk *p = &c->chunks[at];
	p->size = gemp_items_encode(c->coders[thread], &c->forms[p->stage], p->items, p->count, p->coded);
}

/* The body of a parallel loop cannot return an error, so a corrupt chunk is reported after the loop. */
static void decode_chunk(void *context, unsigned thread, size_t at)
{
	(void)thread;
	gemp_match_exchange *c = context;
	const item_chunk *p = &c->chunks[at];
	if (!gemp_items_decode(&c->forms[p->stage], p->coded, p->size, p->items, p->count))
		atomic_store(&c->corrupt, true);
}

static void for_each_chunk(gemp_match_exchange *c, gemp_loop_body *body)
{
	size_t bytes = 0;
	for (size_t i = 0; i < c->chunk_count; i++)
		bytes += c->chunks[i].count * item_bytes(c, c->chunks[i].stage);
	if (bytes >= WORTH_THREADS)
		gemp_parallel_for(c->chunk_count, body, c);
	else
		for (size_t i = 0; i < c->chunk_count; i++)
			body(c, 0, i);
}

/* The number of an area of the outbox. Areas are ordered by stage, then by destination. */
static size_t area_of(const gemp_match_exchange *c, size_t stage, size_t destination)
{
	return stage * (c->ranks + 1) + destination;
}

/* An upper bound of the bytes of the message to one rank. Adds the bytes of the message's items to *items and the
 * number of its chunks to *chunks. */
static size_t message_capacity(const gemp_match_exchange *c, size_t destination, size_t *items, size_t *chunks)
{
	size_t bytes = 2 * c->stages * GEMP_VARINT_MAX_BYTES;
	for (size_t k = 0; k < c->stages; k++) {
		size_t count = gemp_search_items(c->search, k, (int)destination);
		*items += count * item_bytes(c, k);
		*chunks += chunks_of(count);
		bytes += count * item_bytes(c, k) + chunks_of(count) * (GEMP_VARINT_MAX_BYTES + gemp_item_slack(&c->forms[k]));
	}
	return bytes;
}

/* Lists the chunks for a rank. The chunks are encoded to addresses with enough space for the worst case, and
 * compact_message closes the gaps. Returns the end of the last chunk's space. */
static uint8_t *list_chunks(gemp_match_exchange *c, size_t destination, uint32_t **items, uint8_t *to)
{
	to += 2 * c->stages * GEMP_VARINT_MAX_BYTES;
	for (size_t k = 0; k < c->stages; k++) {
		size_t count = gemp_search_items(c->search, k, (int)destination);
		for (size_t i = 0; i < chunks_of(count); i++) {
			size_t bytes = chunk_items(count, i) * item_bytes(c, k);
			to += GEMP_VARINT_MAX_BYTES;
			c->chunks[c->chunk_count++] = (item_chunk){ k, chunk_items(count, i), *items, to, 0 };
			*items += bytes / sizeof **items;
			to += bytes + gemp_item_slack(&c->forms[k]);
		}
	}
	return to;
}

/* Reads the areas of the outbox into one array. All reads are enqueued before the host waits for them. */
static gemp_code read_items(gemp_match_exchange *c)
{
	gemp_search *search = c->search;
	uint32_t *to = c->items;
	for (size_t d = 0; d < c->ranks; d++)
		for (size_t k = 0; k < c->stages; k++) {
			size_t bytes = gemp_search_items(search, k, (int)d) * item_bytes(c, k);
			if (bytes)
				GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(search->context->device->queue, search->out.mem, CL_FALSE,
				                                     search->base[area_of(c, k, d)] * 4, bytes, to, 0, NULL, NULL)));
			to += bytes / sizeof *to;
		}
	return GEMP_CL(clFinish(search->context->device->queue));
}

/* Writes the message to a rank from `to` on: free places, numbers of items and bytes, and the coded chunks, which move
 * towards the front. Each chunk is within the space that list_chunks reserved for it, so the message never overwrites a
 * chunk that has not moved yet. Returns the end of the message. */
static uint8_t *compact_message(gemp_match_exchange *c, size_t destination, size_t *next, uint8_t *to, uint64_t *moved)
{
	gemp_search *search = c->search;
	const item_chunk *chunks = &c->chunks[*next];
	size_t at = 0;
	for (size_t k = 0; k < c->stages; k++) {
		size_t count = gemp_search_items(search, k, (int)destination), sent = 0;
		to = gemp_varint_put(to, search->slots - c->filled[k * c->ranks + destination]);
		to = gemp_varint_put(to, count);
		for (size_t i = 0; i < chunks_of(count); i++, at++) {
			to = gemp_varint_put(to, chunks[at].size);
			memmove(to, chunks[at].coded, chunks[at].size);
			to += chunks[at].size;
			sent += chunks[at].size;
		}
		search->statistics.sent[search->layout.stages[k].step] += sent;
		search->statistics.item_bytes += sent;
		search->statistics.item_words_bytes += count * item_bytes(c, k);
		search->statistics.items_sent += count;
		*moved += count;
	}
	*next += at;
	return to;
}

/* Encodes the items of the outbox into one message for each rank. */
static gemp_code pack(gemp_match_exchange *c, uint64_t *moved)
{
	size_t capacity = 0, bytes = 0, chunks = 0, next = 0;
	for (size_t d = 0; d < c->ranks; d++)
		capacity += message_capacity(c, d, &bytes, &chunks);
	GEMP_TRY(GEMP_RESERVE(c->items, c->item_capacity, bytes / sizeof *c->items));
	GEMP_TRY(GEMP_RESERVE(c->send, c->send_capacity, capacity));
	GEMP_TRY(GEMP_RESERVE(c->chunks, c->chunk_capacity, chunks));
	GEMP_TRY(read_items(c));
	uint32_t *items = c->items;
	uint8_t *to = c->send;
	c->chunk_count = 0;
	for (size_t d = 0; d < c->ranks; d++)
		to = list_chunks(c, d, &items, to);
	for_each_chunk(c, encode_chunk);
	to = c->send;
	for (size_t d = 0; d < c->ranks; d++) {
		uint8_t *begin = to;
		to = compact_message(c, d, &next, to, moved);
		c->send_size[d] = (size_t)(to - begin);
	}
	return GEMP_OK;
}

/* Reads the credits of a message and lists its chunks. After all messages have been read, unpack assigns the chunks
 * their positions in the queues. */
static gemp_code list_message(gemp_match_exchange *c, size_t source, const uint8_t *from, const uint8_t *end)
{
	gemp_search *search = c->search;
	for (size_t k = 0; k < c->stages; k++) {
		size_t area = area_of(c, k, source);
		uint64_t places, count, size;
		from = gemp_varint_get(from, end, &places);
		from = from ? gemp_varint_get(from, end, &count) : NULL;
		if (!from || places > search->slots || count > search->slots)
			return corrupt_message(source);
		if (c->usable[area])
			search->capacity[area] = (uint32_t)places - gemp_search_items(search, k, (int)source);
		GEMP_TRY(GEMP_RESERVE(c->chunks, c->chunk_capacity, c->chunk_count + chunks_of(count)));
		for (size_t i = 0; i < chunks_of(count); i++) {
			from = gemp_varint_get(from, end, &size);
			if (!from || size > (size_t)(end - from))
				return corrupt_message(source);
			c->chunks[c->chunk_count++] = (item_chunk){ k, chunk_items(count, i), NULL, (uint8_t *)(uintptr_t)from,
				                                        size };
			from += size;
		}
		c->arrived[k * c->ranks + source] = (uint32_t)count;
		search->statistics.items_received += count;
	}
	return from == end ? GEMP_OK : corrupt_message(source);
}

/* Decodes the received items into the queues of the stages. */
static gemp_code unpack(gemp_match_exchange *c)
{
	const uint8_t *from = c->receive;
	c->chunk_count = 0;
	for (size_t r = 0; r < c->ranks; from += c->receive_size[r++])
		GEMP_TRY(list_message(c, r, from, from + c->receive_size[r]));
	for (size_t k = 0; k < c->stages; k++)
		GEMP_TRY(reserve_queue(c, k));
	for (size_t i = 0; i < c->chunk_count; i++) {
		item_queue *q = &c->queues[c->chunks[i].stage];
		c->chunks[i].items = q->items + (q->begin + q->count) * c->search->layout.item_words[c->chunks[i].stage];
		q->count += c->chunks[i].count;
	}
	atomic_store(&c->corrupt, false);
	for_each_chunk(c, decode_chunk);
	if (atomic_load(&c->corrupt))
		return gemp_fail(GEMP_EINTERNAL, "partial matches of other ranks are corrupt");
	return GEMP_OK;
}

/* Empties the areas for other ranks. list_message has computed the new capacity of each area: the free places that the
 * receiver has announced, less the items that this round sends to the receiver. */
static gemp_code renew_credits(gemp_match_exchange *c)
{
	gemp_search *search = c->search;
	uint32_t *counts = search->control_words + GEMP_CONTROL_WORDS;
	for (size_t k = 0; k < c->stages; k++) {
		search->work[k].blocked = false;
		for (size_t d = 0; d < c->ranks; d++)
			counts[area_of(c, k, d)] = 0;
	}
	GEMP_TRY(gemp_buffer_write(search->context->device, &search->control, GEMP_CONTROL_WORDS * 4, search->areas * 4,
	                           counts));
	return gemp_buffer_write(search->context->device, &search->out_capacity, 0, search->areas * 4, search->capacity);
}

/* Places of taken items are freed first, so that this round's messages announce them. */
gemp_code gemp_match_exchange_round(gemp_match_exchange *c, uint64_t *moved)
{
	gemp_code code = GEMP_OK;
	gemp_runtime *context = c->search->context;
	double began = gemp_now();
	*moved = 0;
	for (size_t k = 1; k < c->stages; k++)
		release_taken(c, k);
	code = pack(c, moved);
	GEMP_TRY(gemp_exchange(context->comm, code, c->send, c->send_size, &c->receive, &c->receive_capacity,
	                       c->receive_size, &context->traffic));
	code = unpack(c);
	GEMP_THEN(renew_credits(c));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	gemp_timers_add(&context->timers, GEMP_PHASE_EXCHANGE, began);
	return GEMP_OK;
}
