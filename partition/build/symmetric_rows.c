/* An edge is an entry of both rows. Its direction follows from its ids (gemp_edge_leads), so each rank can count the
 * edges that it owns. */

#include "partition/build/symmetric_rows.h"

#include "core/log.h"
#include "core/status.h"
#include "core/threads.h"
#include "graph/either_rows.h"

#include <stdatomic.h>

typedef struct parallel_count {
	const gemp_shard *graph;
	const gemp_relation *relation;
	_Atomic uint64_t pairs;
} parallel_count;

/* A pair counts at the source of its edges. */
static void count_parallel(void *context, size_t begin, size_t end)
{
	parallel_count *count = context;
	const gemp_relation *relation = count->relation;
	uint64_t pairs = 0;
	for (size_t v = begin; v < end; v++) {
		const gemp_vertex self = (gemp_vertex)(count->graph->first_vertex + v);
		const gemp_vertex *row = relation->either_neighbours + relation->either_offsets[v];
		const uint64_t length = relation->either_offsets[v + 1] - relation->either_offsets[v];
		for (uint64_t e = 1; e < length; e++)
			pairs += row[e] == row[e - 1] && (e == 1 || row[e] != row[e - 2]) && gemp_edge_leads(self, row[e]);
	}
	atomic_fetch_add_explicit(&count->pairs, pairs, memory_order_relaxed);
}

/* Collective. */
static void warn_of_parallel(const gemp_comm *comm, const gemp_shard *graph, const gemp_relation *relation)
{
	parallel_count count = { graph, relation, 0 };
	if (!relation->multigraph)
		return;
	gemp_for_elements(graph->rows, count_parallel, &count);
	gemp_warn("relation %s: %" PRIu64 " pairs of vertices are joined by several edges; these edges stay parallel, "
	          "--parallel merge makes them one",
	          relation->name, gemp_comm_sum1(comm, count.pairs));
}

gemp_code gemp_symmetric_rows_make(const gemp_comm *comm, const gemp_shard *graph, gemp_pair_list *lists, size_t count,
                                   bool merge, gemp_relation *relation)
{
	gemp_row_builder rows = { .rows = graph->rows, .first = graph->first_vertex };
	bool parallel = false;
	gemp_code code = gemp_row_partition_make(&rows, lists, count, graph->vertex_count, true, merge, &parallel);
	relation->either_offsets = rows.begin;
	relation->either_neighbours = rows.slots;
	GEMP_TRY(gemp_comm_agree(comm, code));
	relation->loaded = GEMP_LOAD_EITHER | GEMP_LOAD_PROPS;
	relation->merged = true;
	relation->reciprocal = -1;
	relation->multigraph = gemp_comm_sum1(comm, parallel) > 0;
	const uint64_t own = gemp_relation_own_edges(graph, relation);
	relation->props.rows = own;
	relation->first_edge = gemp_comm_exscan(comm, own);
	relation->edge_count = gemp_comm_sum1(comm, own);
	warn_of_parallel(comm, graph, relation);
	return GEMP_OK;
}
