#include "euler/order_memory.h"

#include "core/memory.h"

/* A chunk has the size of a huge page of x86. Smaller arrays do not justify a thread. */
enum { CHUNK = 2 << 20, PAGE = 4 << 10 };

static void touch(void *array, size_t size, size_t chunk)
{
	volatile char *bytes = array;
	const size_t begin = chunk * CHUNK, end = gemp_min(begin + CHUNK, size);
	for (size_t at = begin; at < end; at += PAGE)
		bytes[at] = 0;
}

/* Nobody has written to the arrays yet, so the bytes that are written are 0 already. */
static void touch_chunk(void *context, unsigned thread, size_t index)
{
	const gemp_euler_order_memory *m = context;
	const gemp_euler_order *order = m->order;
	(void)thread;
	if (index < m->chunks)
		touch(order->edge, order->count * sizeof *order->edge, index);
	else
		touch(order->source, order->count * sizeof *order->source, index - m->chunks);
}

static void *touch_all(void *context)
{
	const gemp_euler_order_memory *m = context;
	gemp_parallel_for(m->order->source ? 2 * m->chunks : m->chunks, touch_chunk, context);
	return NULL;
}

gemp_code gemp_euler_order_new(gemp_euler_order_memory *out, gemp_euler_order *order, const gemp_euler_edges *edges,
                               bool sources)
{
	const size_t ranks = (size_t)edges->ranks, rank = (size_t)edges->rank;
	const gemp_edge places = edges->edges - (edges->path_start != GEMP_NO_VERTEX);
	*out = (gemp_euler_order_memory){ .order = order };
	order->edges = places;
	order->first = gemp_chunk_begin(places, ranks, rank);
	order->count = gemp_chunk_begin(places, ranks, rank + 1) - order->first;
	GEMP_TRY(GEMP_NEW(order->edge, order->count));
	if (sources)
		GEMP_TRY(GEMP_NEW(order->source, order->count));
	out->chunks = (order->count * sizeof *order->edge + CHUNK - 1) / CHUNK;
	if (out->chunks > 1)
		gemp_background_start(&out->helper, touch_all, out);
	return GEMP_OK;
}

void gemp_euler_order_ready(gemp_euler_order_memory *m, gemp_euler_result *result)
{
	gemp_background_wait(&m->helper);
	if (!result->unbalanced && result->components == 1)
		return;
	gemp_free_all(result->order.edge, result->order.source);
	result->order = (gemp_euler_order){ 0 };
}
