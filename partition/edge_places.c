#include "partition/edge_places.h"

#include "core/memory.h"

#include <string.h>

gemp_code gemp_edge_places_new(gemp_edge_places *out, const gemp_comm *comm, const gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_edge_places){ .relations = graph->relation_count, .ranks = comm->size };
	code = GEMP_NEW(out->offset, out->relations + 1);
	if (code == GEMP_OK)
		code = GEMP_NEW(out->first, out->relations * (size_t)comm->size);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t r = 0; r < out->relations; r++)
		out->offset[r + 1] = out->offset[r] + graph->relations[r].edges;
	gemp_edge_places_own(out, comm, graph);
done:
	if (code != GEMP_OK)
		gemp_edge_places_free(out);
	return code;
}

void gemp_edge_places_own(gemp_edge_places *places, const gemp_comm *comm, const gemp_graph *graph)
{
	size_t ranks = (size_t)places->ranks, all = places->relations * ranks;
	memset(places->first, 0, all * sizeof *places->first);
	for (size_t r = 0; r < places->relations; r++)
		places->first[r * ranks + (size_t)comm->rank] = graph->relations[r].first;
	gemp_comm_sum(comm, places->first, (int)all);
}

void gemp_edge_places_free(gemp_edge_places *places)
{
	gemp_free(places->offset);
	gemp_free(places->first);
	*places = (gemp_edge_places){ 0 };
}

size_t gemp_edge_relation(const gemp_edge_places *places, uint64_t edge)
{
	size_t r = 0;
	while (edge >= places->offset[r + 1])
		r++;
	return r;
}

/* The last rank whose first edge is not behind it: ranks without edges begin where the next one does. */
int gemp_edge_owner(const gemp_edge_places *places, uint64_t edge)
{
	size_t r = gemp_edge_relation(places, edge);
	const uint64_t *first = places->first + r * (size_t)places->ranks;
	int low = 0, high = places->ranks - 1;
	while (low < high) {
		int middle = low + (high - low + 1) / 2;
		if (first[middle] <= edge - places->offset[r])
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

size_t gemp_edge_place(const gemp_edge_places *places, uint64_t edge, int rank)
{
	size_t relation = gemp_edge_relation(places, edge);
	return (size_t)(edge - places->offset[relation] - places->first[relation * (size_t)places->ranks + (size_t)rank]);
}
