#include "partition/views/slot_order.h"

#include "core/memory.h"

#include <string.h>

unsigned gemp_degree_class(uint64_t degree)
{
	if (degree < 16)
		return (unsigned)degree;
	unsigned octave = 63u - (unsigned)__builtin_clzll(degree); /* at least 4 */
	unsigned class = 16 + (octave - 4) * 8 + (unsigned)(degree >> (octave - 3) & 7);
	return class < GEMP_SLOT_CLASSES ? class : GEMP_SLOT_CLASSES - 1;
}

uint64_t gemp_degree_class_max(unsigned class)
{
	if (class < 16)
		return class;
	unsigned octave = 4 + (class - 16) / 8, eighth = (class - 16) % 8;
	return ((uint64_t)(8 + eighth + 1) << (octave - 3)) - 1;
}

/* Collective. */
static gemp_code allocate_order(gemp_slot_order *out, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	size_t vertices = (size_t)out->vertices;
	if (gemp_shared_new(&out->shared, comm, 2 * vertices * sizeof(gemp_vertex))) {
		out->slot_of = out->shared.bytes;
		out->id_of = out->slot_of + vertices;
		return GEMP_OK;
	}
	code = gemp_new_all(GEMP_ARRAY(out->slot_of, vertices), GEMP_ARRAY(out->id_of, vertices));
	return gemp_comm_agree(comm, code);
}

/* This rank's part of what its node needs: slots follow those of greater classes, and of lower ids in the same. */
static void number(gemp_slot_order *out, const uint8_t *class)
{
	uint64_t mine[GEMP_SLOT_CLASSES] = { 0 }, before[GEMP_SLOT_CLASSES], all[GEMP_SLOT_CLASSES], next = 0;
	size_t first, end;
	gemp_shared_range(&out->shared, (size_t)out->vertices, &first, &end);
	for (size_t v = first; v < end; v++)
		mine[class[v]]++;
	gemp_shared_sums(&out->shared, mine, before, all, GEMP_SLOT_CLASSES);
	for (int c = 0; c < GEMP_SLOT_CLASSES; c++) {
		before[c] += next;
		next += all[c];
	}
	for (size_t v = first; v < end; v++) {
		gemp_vertex slot = (gemp_vertex)before[class[v]]++;
		out->slot_of[v] = slot;
		out->id_of[slot] = (gemp_vertex)v;
	}
	if (out->shared.bytes)
		gemp_shared_fence(&out->shared);
}

gemp_code gemp_slot_order_new(gemp_slot_order *out, const gemp_comm *comm, const gemp_shard *graph,
                              const uint64_t *degree)
{
	gemp_code code = GEMP_OK;
	uint8_t *mine = NULL, *class = NULL;
	size_t *begin = NULL;
	*out = (gemp_slot_order){ .vertices = graph->vertex_count };
	code = GEMP_NEW(mine, graph->rows);
	for (size_t v = 0; code == GEMP_OK && v < graph->rows; v++)
		mine[v] = (uint8_t)(GEMP_SLOT_CLASSES - 1 - gemp_degree_class(degree[v]));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_comm_allgather(comm, mine, graph->rows, (void **)&class, &begin));
	GEMP_TRY(allocate_order(out, comm));
	number(out, class);
done:
	if (code != GEMP_OK)
		gemp_slot_order_free(out);
	gemp_free_all(mine, class, begin);
	return code;
}

gemp_code gemp_slot_order_upload(const gemp_slot_order *order, gemp_device *device, gemp_buffer *id_of)
{
	size_t size = (size_t)order->vertices * sizeof *order->id_of;
	if (!order->shared.bytes)
		return gemp_buffer_new(id_of, device, size ? size : 1, size ? order->id_of : NULL);
	return gemp_buffer_share(id_of, device, size, order->id_of, gemp_shared_own_bytes(&order->shared, size));
}

void gemp_slot_order_free(gemp_slot_order *order)
{
	if (order->shared.bytes) {
		gemp_shared_free(&order->shared);
	} else {
		gemp_free_all(order->slot_of, order->id_of);
	}
	*order = (gemp_slot_order){ 0 };
}
