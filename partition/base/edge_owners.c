#include "partition/base/edge_owners.h"

#include "core/memory.h"
#include "core/search.h"

#include <string.h>

gemp_code gemp_edge_owners_new(gemp_edge_owners *out, const gemp_comm *comm, const gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_edge_owners){ .relations = graph->relation_count, .ranks = comm->size };
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(out->relation_offset, out->relations + 1),
	                                            GEMP_ARRAY(out->rank_first, out->relations * (size_t)comm->size))));
	for (size_t r = 0; r < out->relations; r++)
		out->relation_offset[r + 1] = out->relation_offset[r] + graph->relations[r].edge_count;
	gemp_edge_owners_update(out, comm, graph);
done:
	if (code != GEMP_OK)
		gemp_edge_owners_free(out);
	return code;
}

void gemp_edge_owners_update(gemp_edge_owners *places, const gemp_comm *comm, const gemp_shard *graph)
{
	size_t ranks = (size_t)places->ranks, all = places->relations * ranks;
	memset(places->rank_first, 0, all * sizeof *places->rank_first);
	for (size_t r = 0; r < places->relations; r++)
		places->rank_first[r * ranks + (size_t)comm->rank] = graph->relations[r].first_edge;
	gemp_comm_sum(comm, places->rank_first, (int)all);
}

void gemp_edge_owners_free(gemp_edge_owners *places)
{
	gemp_free_all(places->relation_offset, places->rank_first);
	*places = (gemp_edge_owners){ 0 };
}

size_t gemp_edge_relation(const gemp_edge_owners *places, uint64_t edge)
{
	size_t r = 0;
	while (edge >= places->relation_offset[r + 1])
		r++;
	return r;
}

/* The last rank whose first edge is not behind it: ranks without edges begin where the next one does. */
int gemp_edge_owner(const gemp_edge_owners *places, uint64_t edge)
{
	size_t r = gemp_edge_relation(places, edge);
	const uint64_t *first = places->rank_first + r * (size_t)places->ranks;
	return (int)gemp_range_find(first, (size_t)places->ranks, edge - places->relation_offset[r]);
}

size_t gemp_edge_local_index(const gemp_edge_owners *places, uint64_t edge, int rank)
{
	size_t relation = gemp_edge_relation(places, edge);
	return (size_t)(edge - places->relation_offset[relation] -
	                places->rank_first[relation * (size_t)places->ranks + (size_t)rank]);
}

gemp_code gemp_edge_offsets(const gemp_shard *graph, gemp_edge **offsets)
{
	gemp_edge *first;
	if (GEMP_NEW(first, graph->relation_count + 1) != GEMP_OK)
		return GEMP_ENOMEM;
	for (size_t r = 0; r < graph->relation_count; r++)
		first[r + 1] = first[r] + graph->relations[r].edge_count;
	*offsets = first;
	return GEMP_OK;
}
