#include "partition/order.h"

#include "core/memory.h"

#include <string.h>

enum { CLASSES = 256 };

unsigned gemp_degree_class(uint64_t degree)
{
	if (degree < 16)
		return (unsigned)degree;
	unsigned octave = 63u - (unsigned)__builtin_clzll(degree); /* at least 4 */
	unsigned class = 16 + (octave - 4) * 8 + (unsigned)(degree >> (octave - 3) & 7);
	return class < CLASSES ? class : CLASSES - 1;
}

gemp_code gemp_order_new(gemp_order *out, const gemp_comm *comm, const gemp_graph *graph, const uint64_t *degree)
{
	gemp_code code = GEMP_OK;
	uint8_t *mine = NULL, *class = NULL;
	size_t *begin = NULL;
	*out = (gemp_order){ .vertices = graph->vertices };
	code = GEMP_NEW(mine, graph->rows);
	for (size_t v = 0; code == GEMP_OK && v < graph->rows; v++)
		mine[v] = (uint8_t)(CLASSES - 1 - gemp_degree_class(degree[v]));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_comm_gather_all(comm, mine, graph->rows, (void **)&class, &begin));
	code = GEMP_NEW(out->slot_of, graph->vertices);
	if (code == GEMP_OK)
		code = GEMP_NEW(out->id_of, graph->vertices);
	GEMP_TRY(gemp_comm_agree(comm, code));
	uint64_t next[CLASSES + 1] = { 0 };
	for (uint64_t v = 0; v < graph->vertices; v++)
		next[class[v] + 1]++;
	for (int c = 0; c < CLASSES; c++)
		next[c + 1] += next[c];
	for (uint64_t v = 0; v < graph->vertices; v++) {
		gemp_vertex slot = (gemp_vertex)next[class[v]]++;
		out->slot_of[v] = slot;
		out->id_of[slot] = (gemp_vertex)v;
	}
done:
	if (code != GEMP_OK)
		gemp_order_free(out);
	gemp_free(mine);
	gemp_free(class);
	gemp_free(begin);
	return code;
}

void gemp_order_free(gemp_order *order)
{
	gemp_free(order->slot_of);
	gemp_free(order->id_of);
	*order = (gemp_order){ 0 };
}
