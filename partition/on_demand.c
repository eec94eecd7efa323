#include "partition/on_demand.h"

#include "partition/builder_edges.h"

enum { BATCH = 64 << 20 }; /* bytes a rank sends in one round of an exchange */

static gemp_code load_relation(void *self, gemp_graph *graph, size_t index, unsigned parts)
{
	gemp_code code = GEMP_OK;
	const gemp_builder builder = { .comm = self, .options.batch = BATCH };
	gemp_relation *relation = &graph->relations[index];
	GEMP_CHECK(!(parts & (GEMP_PART_OUT | GEMP_PART_PROPS)));
	GEMP_TRY(gemp_builder_targets(&builder, graph, relation));
	relation->loaded |= GEMP_PART_IN | GEMP_PART_IN_EDGES;
done:
	return code;
}

gemp_graph_source gemp_rows_on_demand(const gemp_comm *comm)
{
	return (gemp_graph_source){ .self = (void *)(uintptr_t)comm, .load_relation = load_relation };
}
