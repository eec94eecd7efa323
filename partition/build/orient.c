/* Turns undirected edges. A graph is turned only if one of its edges needs it. */

#include "partition/build/orient.h"

#include "core/threads.h"
#include "graph/either_rows.h"
#include "partition/build/rows_by_target.h"
#include "partition/exchange/record_stream.h"

static void orient_range(void *context, size_t begin, size_t end)
{
	gemp_edge_pair *edges = context;
	for (size_t e = begin; e < end; e++)
		if (!gemp_edge_leads(edges[e].source, edges[e].target))
			edges[e] = (gemp_edge_pair){ edges[e].target, edges[e].source };
}

void gemp_orient_pairs(gemp_edge_pair *edges, size_t count)
{
	gemp_for_elements(count, orient_range, edges);
}

typedef struct row_test {
	const gemp_shard *graph;
	const gemp_relation *relation;
} row_test;

static bool has_turned(const void *self, size_t v)
{
	const row_test *t = self;
	const gemp_vertex source = (gemp_vertex)(t->graph->first_vertex + v);
	bool found = false;
	for (uint64_t e = t->relation->out_offsets[v]; e < t->relation->out_offsets[v + 1]; e++)
		found |= !gemp_edge_leads(source, t->relation->out_targets[e]);
	return found;
}

static bool has_parallel(const void *self, size_t v)
{
	const gemp_relation *relation = ((const row_test *)self)->relation;
	bool found = false;
	for (uint64_t e = relation->out_offsets[v] + 1; e < relation->out_offsets[v + 1]; e++)
		found |= relation->out_targets[e] == relation->out_targets[e - 1];
	return found;
}

/* The edges {u, v} and {v, u}, which had different directions, are parallel after they are turned. */
gemp_code gemp_orient_relation(const gemp_comm *comm, const gemp_shard *graph, gemp_relation *relation, bool *turned)
{
	const row_test test = { graph, relation };
	bool wrong = gemp_comm_sum1(comm, gemp_any(graph->rows, has_turned, &test)) > 0;
	if (!wrong)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(comm, gemp_relation_split_rows(graph, relation, GEMP_LOAD_OUT)));
	relation->first_edge = gemp_comm_exscan(comm, relation->out_offsets[graph->rows]);
	GEMP_TRY(gemp_rows_by_target_make(comm, GEMP_RECORD_BATCH, graph, relation));
	relation->loaded |= GEMP_LOAD_IN | GEMP_LOAD_IN_EDGES | GEMP_LOAD_PROPS;
	relation->props.rows = relation->out_offsets[graph->rows];
	relation->multigraph = gemp_comm_sum1(comm, gemp_any(graph->rows, has_parallel, &test)) > 0;
	relation->reciprocal = -1;
	*turned = true;
	return GEMP_OK;
}
