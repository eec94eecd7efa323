/* The loader keeps all rows that it has made, since there is no file to read them from. */

#include "partition/build/rows_source.h"

#include "core/status.h"
#include "graph/either_rows.h"
#include "partition/build/rows_by_target.h"
#include "partition/exchange/record_stream.h"

/* The rows by source number the edges, so the numbers of edges by target are made from them. */
gemp_code gemp_rows_split_merged(const gemp_comm *comm, const gemp_shard *graph, gemp_relation *relation,
                                 unsigned parts)
{
	if (parts & GEMP_LOAD_IN_EDGES)
		parts = (parts | GEMP_LOAD_OUT) & ~(unsigned)GEMP_LOAD_IN;
	parts &= ~relation->loaded;
	GEMP_TRY(gemp_comm_agree(comm, gemp_relation_split_rows(graph, relation, parts)));
	if (parts & GEMP_LOAD_IN_EDGES) {
		GEMP_TRY(gemp_rows_by_target_make(comm, GEMP_RECORD_BATCH, graph, relation));
		relation->loaded |= GEMP_LOAD_IN | GEMP_LOAD_IN_EDGES;
	}
	relation->loaded |= parts & GEMP_LOAD_PROPS;
	return GEMP_OK;
}

static gemp_code load_relation(void *self, gemp_shard *graph, size_t index, unsigned parts)
{
	gemp_relation *relation = &graph->relations[index];
	if (relation->merged && relation->loaded & GEMP_LOAD_EITHER)
		return gemp_rows_split_merged(self, graph, relation, parts);
	GEMP_CHECK(!(parts & (GEMP_LOAD_OUT | GEMP_LOAD_PROPS)));
	if (!(relation->loaded & GEMP_LOAD_IN)) {
		GEMP_TRY(gemp_rows_by_target_make(self, GEMP_RECORD_BATCH, graph, relation));
		relation->loaded |= GEMP_LOAD_IN | GEMP_LOAD_IN_EDGES;
	}
	return parts & GEMP_LOAD_EITHER ? gemp_comm_agree(self, gemp_relation_merge_rows(graph, relation)) : GEMP_OK;
}

gemp_shard_loader gemp_rows_source(const gemp_comm *comm)
{
	return (gemp_shard_loader){ .self = (void *)(uintptr_t)comm, .load_relation = load_relation };
}
