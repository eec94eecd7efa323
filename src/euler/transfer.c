#include "euler/transfer.h"

#include "core/memory.h"
#include "core/threads.h"

enum { BLOCK = 1 << 16 }; /* numbers that a thread converts at a time */

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

typedef struct numbers {
	const uint64_t *wide;
	uint32_t *narrow;
	const uint32_t *taken;
	gemp_edge *edge;
	size_t count;
} numbers;

static void to_narrow(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const numbers *n = context;
	for (size_t i = piece * BLOCK, end = lesser(i + BLOCK, n->count); i < end; i++)
		n->narrow[i] = (uint32_t)n->wide[i];
}

static void to_edges(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const numbers *n = context;
	for (size_t i = piece * BLOCK, end = lesser(i + BLOCK, n->count); i < end; i++)
		n->edge[i] = n->taken[i];
}

gemp_code gemp_euler_send_begin(gemp_device *device, const gemp_buffer *to, const uint64_t *begin, size_t count)
{
	gemp_code code = GEMP_OK;
	numbers n = { .wide = begin, .count = count };
	GEMP_TRY(GEMP_NEW(n.narrow, count));
	gemp_parallel_for((count + BLOCK - 1) / BLOCK, to_narrow, &n);
	GEMP_TRY(gemp_buffer_write(device, to, 0, count * sizeof *n.narrow, n.narrow));
done:
	gemp_free(n.narrow);
	return code;
}

/* The first part of what is asked for stands behind the cut, the second before it. */
static gemp_code take(gemp_device *device, const gemp_buffer *from, size_t slots, size_t cut, size_t count, uint32_t *to)
{
	gemp_code code = GEMP_OK;
	size_t first = lesser(slots - cut, count);
	GEMP_TRY(gemp_buffer_read(device, from, cut * sizeof *to, first * sizeof *to, to));
	GEMP_TRY(gemp_buffer_read(device, from, 0, (count - first) * sizeof *to, to + first));
done:
	return code;
}

gemp_code gemp_euler_take_sources(gemp_device *device, const gemp_buffer *from, size_t slots, size_t cut,
                                  gemp_euler_order *order)
{
	return take(device, from, slots, cut, order->count, order->source);
}

gemp_code gemp_euler_take_order(gemp_device *device, const gemp_buffer *from, size_t slots, size_t cut, gemp_euler_order *order)
{
	gemp_code code = GEMP_OK;
	uint32_t *taken = NULL;
	GEMP_TRY(GEMP_NEW(taken, order->count));
	GEMP_TRY(take(device, from, slots, cut, order->count, taken));
	numbers n = { .taken = taken, .edge = order->edge, .count = order->count };
	gemp_parallel_for((n.count + BLOCK - 1) / BLOCK, to_edges, &n);
done:
	gemp_free(taken);
	return code;
}
