#include "match/distinct/key_ranks.h"

#include "core/memory.h"

gemp_code gemp_key_ranks_gather(gemp_comm *comm, gemp_shard *graph, uint32_t **rank, gemp_vertex **vertex)
{
	void *gathered = NULL;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_TRY(gemp_shard_load_keys(graph));
	GEMP_TRY(gemp_comm_allgather(comm, GEMP_OK, graph->key_ranks, graph->rows * sizeof *graph->key_ranks, &gathered,
	                             &begin));
	*rank = gathered;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(*vertex, graph->vertex_count)));
	for (uint64_t id = 0; id < graph->vertex_count; id++)
		(*vertex)[(*rank)[id]] = (gemp_vertex)id;
	return GEMP_OK;
}
