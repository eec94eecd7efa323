#include "euler/order_memory.h"

#include "core/memory.h"
#include "core/pages.h"

enum { TOUCH_MIN = 1 << 18 }; /* fewer places do not justify a thread */

static void *touch(void *context)
{
	const gemp_euler_order *order = context;
	gemp_touch_pages(order->edge, order->count * sizeof *order->edge);
	if (order->source)
		gemp_touch_pages(order->source, order->count * sizeof *order->source);
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
	return sources ? GEMP_NEW(order->source, order->count) : GEMP_OK;
}

void gemp_euler_order_touch(gemp_euler_order_memory *m)
{
	if (m->order->count >= TOUCH_MIN)
		gemp_background_start(&m->helper, touch, m->order);
}

void gemp_euler_order_ready(gemp_euler_order_memory *m, gemp_euler_result *result)
{
	gemp_background_wait(&m->helper);
	if (!result->unbalanced && result->components == 1)
		return;
	gemp_free_all(result->order.edge, result->order.source);
	result->order = (gemp_euler_order){ 0 };
}
