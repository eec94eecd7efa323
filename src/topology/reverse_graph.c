#include "topology/reverse_graph.h"

#include "core/memory.h"
#include "graph/column_bulk.h"
#include "partition/build/content_hash.h"
#include "partition/build/rows_by_target.h"
#include "partition/exchange/value_exchange.h"
#include "topology/reverse.h"

typedef struct graph_reversal {
	const gemp_comm *comm;
	gemp_shard *graph;
	gemp_device *device;
	gemp_placement place;
	gemp_reverse_stats *figures;
} graph_reversal;

static void free_targets(gemp_relation *relation)
{
	gemp_free(relation->in_offsets);
	gemp_free(relation->in_sources);
	gemp_free(relation->in_edges);
	relation->in_offsets = NULL;
	relation->in_sources = NULL;
	relation->in_edges = NULL;
	relation->loaded &= (unsigned)~(GEMP_LOAD_IN | GEMP_LOAD_IN_EDGES);
}

/* Collective. Attributes follow their edges to the owners of the targets. */
static gemp_code move_attributes(const graph_reversal *t, gemp_relation *relation, const gemp_reversed_rows *rows)
{
	gemp_code code = GEMP_OK;
	size_t before = (size_t)relation->out_offsets[t->graph->rows], count = (size_t)rows->begin[rows->rows];
	int *owner = NULL;
	gemp_column came = { 0 }, sorted = { 0 };
	code = GEMP_NEW(owner, before);
	for (size_t e = 0; e < before && code == GEMP_OK; e++)
		owner[e] = gemp_shard_owner(t->graph, relation->out_targets[e]);
	GEMP_TRY(gemp_comm_agree(t->comm, code));
	for (size_t c = 0; c < relation->props.count; c++) {
		gemp_column *column = &relation->props.columns[c];
		if (t->comm->size > 1) {
			GEMP_TRY(gemp_column_exchange(&came, t->comm, column, owner));
			gemp_column_free(column);
			*column = came;
			came = (gemp_column){ 0 };
		}
		GEMP_TRY(gemp_comm_agree(t->comm, gemp_column_gather(&sorted, column, NULL, rows->edge, count)));
		gemp_column_free(column);
		*column = sorted;
		sorted = (gemp_column){ 0 };
	}
done:
	gemp_column_free(&sorted);
	gemp_free(owner);
	return code;
}

static void take_rows(gemp_relation *relation, gemp_reversed_rows *rows)
{
	relation->props.rows = (size_t)rows->begin[rows->rows];
	gemp_free(relation->out_offsets);
	gemp_free(relation->out_targets);
	free_targets(relation);
	relation->out_offsets = rows->begin;
	relation->out_targets = rows->source;
	rows->begin = NULL;
	rows->source = NULL;
}

static void add_figures(gemp_reverse_stats *figures, const gemp_reversed_rows *rows)
{
	figures->bytes += 8 * rows->begin[rows->rows] + 16 * ((uint64_t)rows->rows + 1);
	figures->on_device |= rows->on_device;
	figures->seconds += rows->seconds;
	figures->transfers += rows->transfers;
	figures->traffic.bytes += rows->traffic.bytes;
	figures->traffic.messages += rows->traffic.messages;
	figures->traffic.rounds += rows->traffic.rounds;
}

/* Collective. */
static gemp_code reverse_relation(graph_reversal *t, size_t index)
{
	gemp_code code = GEMP_OK;
	gemp_shard *graph = t->graph;
	gemp_relation *relation = &graph->relations[index];
	const gemp_csr csr = gemp_csr_out(graph, index);
	gemp_reversed_rows rows = { 0 };
	bool edges = relation->props.count > 0;
	if (t->comm->size == 1)
		GEMP_TRY(gemp_reverse(&rows, &csr, t->device, t->place, edges));
	else
		GEMP_TRY(gemp_reverse_ranks(&rows, t->comm, graph->bounds, &csr, edges));
	add_figures(t->figures, &rows);
	t->figures->edges += relation->edge_count;
	if (edges)
		GEMP_TRY(move_attributes(t, relation, &rows));
	take_rows(relation, &rows);
	relation->first_edge = gemp_comm_exscan(t->comm, relation->out_offsets[graph->rows]);
done:
	gemp_reversed_rows_free(&rows);
	return code;
}

gemp_code gemp_shard_reverse(gemp_shard *graph, const gemp_comm *comm, const bool *relations, gemp_device *device,
                             gemp_placement place, gemp_reverse_stats *figures)
{
	gemp_code code = GEMP_OK;
	graph_reversal t = { comm, graph, comm->size == 1 ? device : NULL, place, figures };
	*figures = (gemp_reverse_stats){ 0 };
	GEMP_TRY(gemp_shard_load_outgoing(graph));
	if (graph->loader.free)
		graph->loader.free(graph->loader.self);
	graph->loader = gemp_rows_by_target_source(comm);
	for (size_t r = 0; r < graph->relation_count; r++)
		if (graph->relations[r].directed && (!relations || relations[r]))
			GEMP_TRY(reverse_relation(&t, r));
	for (size_t r = 0; r < graph->relation_count; r++)
		GEMP_TRY(gemp_shard_load_relation(graph, r, GEMP_LOAD_IN | GEMP_LOAD_IN_EDGES));
	GEMP_TRY(gemp_shard_content_hash(comm, graph, &graph->hash));
done:
	return code;
}
