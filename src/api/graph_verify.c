/* graph_verify: what the two directions of a graph file's rows, and the order of its keys, must agree on.
 *
 * gemp_graph_file_verify has compared checksums before. The rows by source and by target are compared as sets, by a sum of hashes
 * of their edges, since each rank holds other edges in either direction.
 */

#include "api/report_state.h"
#include "core/quantity.h"
#include "core/random.h"
#include "gemp/graph.h"
#include "io/graph_file/graph_file_read.h"

/* What the two directions of a relation must agree on: the sum over its edges of a hash of (source, target, number). */
static uint64_t edge_hash(uint64_t source, uint64_t target, uint64_t edge)
{
	return gemp_mix(gemp_mix(gemp_mix(source) + target) + edge);
}

/* The sum over one direction's rows of this rank; edges by source are numbered through from relation->first. */
static uint64_t hash_rows(const gemp_shard *graph, const gemp_relation *relation, bool out)
{
	uint64_t sum = 0;
	const uint64_t *begin = out ? relation->out_offsets : relation->in_offsets;
	for (size_t row = 0; row < graph->rows; row++) {
		uint64_t id = graph->first_vertex + row;
		for (uint64_t i = begin[row]; i < begin[row + 1]; i++)
			sum += out ? edge_hash(id, relation->out_targets[i], relation->first_edge + i)
			           : edge_hash(relation->in_sources[i], id, relation->in_edges[i]);
	}
	return sum;
}

/* Collective. */
static gemp_code check_relation(const gemp_comm *comm, gemp_shard *graph, size_t index)
{
	gemp_relation *relation = &graph->relations[index];
	gemp_code code = gemp_shard_load_relation(graph, index, GEMP_LOAD_OUT | GEMP_LOAD_IN_EDGES);
	if (code != GEMP_OK)
		return code;
	uint64_t sums[4] = {
		hash_rows(graph, relation, true),
		hash_rows(graph, relation, false),
		relation->out_offsets[graph->rows],
		relation->in_offsets[graph->rows],
	};
	gemp_comm_sum(comm, sums, 4);
	if (sums[2] != relation->edge_count || sums[3] != relation->edge_count)
		code = gemp_fail(GEMP_EDATA,
		                 "edge type %s: %" GEMP_PRICOUNT " edges in the head of the file, "
		                 "%" GEMP_PRICOUNT " by source, %" GEMP_PRICOUNT " by target",
		                 relation->name, relation->edge_count, sums[2], sums[3]);
	else if (sums[0] != sums[1])
		code = gemp_fail(GEMP_EDATA, "edge type %s: the rows by source and by target hold different edges",
		                 relation->name);
	return code;
}

/* Collective. The orders of keys are 0 to n - 1, each once. */
static gemp_code check_key_order(const gemp_comm *comm, gemp_shard *graph)
{
	uint64_t difference = 0;
	gemp_code code = gemp_shard_load_keys(graph);
	if (code != GEMP_OK)
		return code;
	for (size_t row = 0; row < graph->rows; row++)
		difference += gemp_mix(graph->key_ranks[row]) - gemp_mix(graph->first_vertex + row);
	if (gemp_comm_sum1(comm, difference) != 0)
		code = gemp_fail(GEMP_EDATA, "the orders of keys (_rank) are not 0 to n - 1, each once");
	return code;
}

gemp_code gemp_graph_verify(gemp_context *context, const char *path, gemp_report *report)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = &context->comm;
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *graph = NULL;
	gemp_report none;
	report = gemp_report_or(report, &none, context);
	GEMP_TRY(gemp_graph_file_verify(comm, path));
	GEMP_TRY(gemp_graph_file_open(&graph, comm, path));
	code = check_key_order(comm, graph);
	for (size_t i = 0; i < graph->relation_count && code == GEMP_OK; i++)
		code = check_relation(comm, graph, i);
	if (code != GEMP_OK) {
		gemp_fail_in(code, "%s: ", path);
		return code;
	}
	gemp_report_graph(report, graph);
	gemp_report_set(report, "good", json_true());
	gemp_report_print(report, "%s: good (%s, %s)\n", path, gemp_counted(graph->vertex_count, "vertex").text,
	                  gemp_counted(gemp_shard_edges(graph), "edge").text);
	return code;
}
