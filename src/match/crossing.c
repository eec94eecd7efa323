#include "match/crossing.h"

#include "core/memory.h"
#include "kernels/abi.h"
#include "match/search_setup.h"

#include <string.h>

/* Items of a stage that have arrived, oldest first. Those on the device (the first `loaded`) stay here until a worker has
 * taken them, since until then they fill a place of their source. */
typedef struct queue {
	uint32_t *items;  /* [capacity * item_words], a ring laid out straight: moved up when its end is reached */
	uint16_t *source; /* [capacity] rank */
	size_t begin, count, capacity, loaded;
} queue;

struct gemp_crossing {
	gemp_search *search;
	size_t stages, ranks;
	queue *queues;          /* [stages] */
	uint32_t *held;         /* [stages * ranks] places filled, by (stage, source) */
	bool *used;             /* [areas] other ranks' areas that the plan can fill */
	size_t *send_size, *receive_size; /* [ranks] bytes */
	char *send;
	size_t send_capacity;
	void *receive;
	size_t receive_capacity;
};

gemp_code gemp_crossing_new(gemp_crossing **out, gemp_search *search)
{
	gemp_code code = GEMP_OK;
	gemp_crossing *c = NULL;
	GEMP_TRY(GEMP_NEW(c, 1));
	c->search = search;
	c->stages = search->layout.stage_count;
	c->ranks = search->ranks;
	GEMP_TRY(GEMP_NEW(c->queues, c->stages));
	GEMP_TRY(GEMP_NEW(c->held, c->stages * c->ranks));
	GEMP_TRY(GEMP_NEW(c->used, search->areas));
	for (size_t area = 0; area < search->areas; area++)
		c->used[area] = gemp_search_credits(search, area / (c->ranks + 1), (uint32_t)(area % (c->ranks + 1))) &&
		                area % (c->ranks + 1) != c->ranks;
	GEMP_TRY(GEMP_NEW(c->send_size, c->ranks));
	GEMP_TRY(GEMP_NEW(c->receive_size, c->ranks));
	*out = c;
	c = NULL;
done:
	gemp_crossing_free(c);
	return code;
}

void gemp_crossing_free(gemp_crossing *c)
{
	if (!c)
		return;
	for (size_t k = 0; c->queues && k < c->stages; k++) {
		gemp_free(c->queues[k].items);
		gemp_free(c->queues[k].source);
	}
	gemp_free(c->queues);
	gemp_free(c->held);
	gemp_free(c->used);
	gemp_free(c->send_size);
	gemp_free(c->receive_size);
	gemp_free(c->send);
	gemp_free(c->receive);
	gemp_free(c);
}

uint64_t gemp_crossing_waiting(const gemp_crossing *c)
{
	uint64_t waiting = 0;
	for (size_t k = 0; k < c->stages; k++)
		waiting += c->queues[k].count;
	return waiting;
}

/* QUEUES. */
static gemp_code push(gemp_crossing *c, size_t stage, const uint32_t *items, size_t count, size_t source)
{
	gemp_code code = GEMP_OK;
	queue *q = &c->queues[stage];
	size_t words = c->search->layout.item_words[stage];
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
	memcpy(q->items + (q->begin + q->count) * words, items, count * words * sizeof *items);
	for (size_t i = 0; i < count; i++)
		q->source[q->begin + q->count + i] = (uint16_t)source;
	q->count += count;
	c->held[stage * c->ranks + source] += (uint32_t)count;
done:
	return code;
}

/* Places of items that workers have taken become free. */
static void release_taken(gemp_crossing *c, size_t stage)
{
	queue *q = &c->queues[stage];
	const gemp_work *work = &c->search->work[stage];
	if (!q->loaded)
		return;
	size_t left = work->count - work->next, taken = q->loaded - left;
	for (size_t i = 0; i < taken; i++)
		c->held[stage * c->ranks + q->source[q->begin + i]]--;
	q->begin += taken;
	q->count -= taken;
	q->loaded = left;
}

gemp_code gemp_crossing_feed(gemp_crossing *c)
{
	gemp_code code = GEMP_OK;
	gemp_search *search = c->search;
	gemp_device *device = search->context->device;
	double began = gemp_now();
	for (size_t k = 1; k < c->stages; k++) {
		queue *q = &c->queues[k];
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
	gemp_timers_add(&search->context->timers, GEMP_RESOLVE, began);
done:
	return code;
}

/* SENDING. */
static size_t header_bytes(const gemp_crossing *c)
{
	return 2 * c->stages * sizeof(uint32_t);
}

static size_t area_of(const gemp_crossing *c, size_t stage, size_t destination)
{
	return stage * (c->ranks + 1) + destination;
}

static gemp_code pack(gemp_crossing *c, uint64_t *moved)
{
	gemp_code code = GEMP_OK;
	gemp_search *search = c->search;
	size_t total = 0;
	for (size_t d = 0; d < c->ranks; d++) {
		c->send_size[d] = header_bytes(c);
		for (size_t k = 0; k < c->stages; k++)
			c->send_size[d] += (size_t)gemp_search_items(search, k, (int)d) * search->layout.item_words[k] * 4;
		total += c->send_size[d];
	}
	GEMP_TRY(GEMP_RESERVE(c->send, c->send_capacity, total + 1));
	char *to = c->send;
	for (size_t d = 0; d < c->ranks; d++) {
		uint32_t *header = (uint32_t *)(void *)to;
		to += header_bytes(c);
		for (size_t k = 0; k < c->stages; k++) {
			size_t area = area_of(c, k, d), items = gemp_search_items(search, k, (int)d);
			size_t bytes = items * search->layout.item_words[k] * 4;
			header[k] = (uint32_t)items;
			header[c->stages + k] = search->slots - c->held[k * c->ranks + d];
			if (bytes)
				GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(search->context->device->queue, search->out.mem, CL_FALSE,
				                                     search->base[area] * 4, bytes, to, 0, NULL, NULL)));
			to += bytes;
			search->statistics.sent[search->layout.stages[k].step] += d == (size_t)search->context->comm->rank ? 0 : bytes;
			*moved += items;
		}
	}
	GEMP_TRY(GEMP_CL(clFinish(search->context->device->queue)));
done:
	return code;
}

static gemp_code unpack(gemp_crossing *c)
{
	gemp_code code = GEMP_OK;
	gemp_search *search = c->search;
	const char *from = c->receive;
	for (size_t r = 0; r < c->ranks; from += c->receive_size[r++]) {
		const uint32_t *header = (const uint32_t *)(const void *)from, *items = header + 2 * c->stages;
		for (size_t k = 0; k < c->stages; k++) {
			size_t area = area_of(c, k, r);
			if (c->used[area])
				search->capacity[area] = header[c->stages + k] - gemp_search_items(search, k, (int)r);
			if (header[k])
				GEMP_TRY(push(c, k, items, header[k], r));
			items += (size_t)header[k] * search->layout.item_words[k];
		}
	}
done:
	return code;
}

static gemp_code renew(gemp_crossing *c)
{
	gemp_code code = GEMP_OK;
	gemp_search *search = c->search;
	uint32_t *counts = search->control_words + GEMP_CONTROL_WORDS;
	for (size_t k = 0; k < c->stages; k++) {
		search->work[k].blocked = false;
		for (size_t d = 0; d < c->ranks; d++)
			counts[area_of(c, k, d)] = 0;
	}
	GEMP_TRY(gemp_buffer_write(search->context->device, &search->control, GEMP_CONTROL_WORDS * 4, search->areas * 4, counts));
	GEMP_TRY(gemp_buffer_write(search->context->device, &search->out_capacity, 0, search->areas * 4, search->capacity));
done:
	return code;
}

gemp_code gemp_crossing_exchange(gemp_crossing *c, uint64_t *moved)
{
	gemp_code code = GEMP_OK;
	gemp_context *context = c->search->context;
	double began = gemp_now();
	*moved = 0;
	for (size_t k = 1; k < c->stages; k++)
		release_taken(c, k);
	GEMP_TRY(gemp_comm_agree(context->comm, pack(c, moved)));
	GEMP_TRY(gemp_exchange(context->comm, c->send, c->send_size, &c->receive, &c->receive_capacity, c->receive_size,
	                       &context->traffic));
	code = unpack(c);
	if (code == GEMP_OK)
		code = renew(c);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	gemp_timers_add(&context->timers, GEMP_EXCHANGE, began);
done:
	return code;
}
