#include "topology/reverse_graph.h"

#include "core/memory.h"
#include "graph/column_bulk.h"
#include "partition/build/content_hash.h"
#include "partition/build/rows_by_target.h"
#include "partition/exchange/value_exchange.h"
#include "topology/reverse.h"

/* A graph while its relations are reversed one after the other. */
typedef struct graph_reversal {
	const gemp_comm *comm;
	gemp_shard *graph;
	gemp_device *device;
	gemp_placement place;
	gemp_reverse_stats *figures;
} graph_reversal;

/* Collective. Attributes follow their edges to the owners of the targets. */
static gemp_code move_attributes(const graph_reversal *t, gemp_relation *relation, const gemp_reversed_rows *rows)
{
	gemp_code code = GEMP_OK;
	size_t edges = (size_t)relation->out_offsets[t->graph->rows];
	GEMP_OWNED_BY(gemp_table_free) gemp_table moved = { 0 };
	GEMP_OWNED int *owner = NULL;
	if (t->comm->size > 1)
		code = GEMP_NEW(owner, edges);
	for (size_t e = 0; owner && e < edges; e++)
		owner[e] = gemp_shard_owner(t->graph, relation->out_targets[e]);
	GEMP_PROPAGATE(gemp_comm_agree(t->comm, code));
	GEMP_PROPAGATE(
		gemp_table_move(t->comm, &moved, &relation->props, owner, rows->edge, (size_t)rows->begin[rows->rows], true));
	gemp_table_free(&relation->props);
	relation->props = moved;
	moved = (gemp_table){ 0 };
	return GEMP_OK;
}

/* The reversed rows become the rows by source; rows by target are made when they are loaded. */
static void replace_rows(gemp_relation *relation, gemp_reversed_rows *rows)
{
	relation->props.rows = (size_t)rows->begin[rows->rows];
	gemp_relation_drop_rows(relation);
	relation->loaded |= GEMP_LOAD_OUT;
	relation->out_offsets = rows->begin;
	relation->out_targets = rows->source;
	rows->begin = NULL;
	rows->source = NULL;
}

/* Bytes are those of the rows that were read and written, 8 an edge and 16 a vertex. */
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
	gemp_shard *graph = t->graph;
	gemp_relation *relation = &graph->relations[index];
	const gemp_csr csr = gemp_csr_out(graph, index);
	GEMP_OWNED_BY(gemp_reversed_rows_free) gemp_reversed_rows rows = { 0 };
	bool edges = relation->props.count > 0;
	if (t->comm->size == 1)
		GEMP_PROPAGATE(gemp_reverse(&rows, &csr, t->device, t->place, edges));
	else
		GEMP_PROPAGATE(gemp_reverse_ranks(&rows, t->comm, graph->bounds, &csr, edges));
	add_figures(t->figures, &rows);
	t->figures->edges += relation->edge_count;
	if (edges)
		GEMP_PROPAGATE(move_attributes(t, relation, &rows));
	replace_rows(relation, &rows);
	relation->first_edge = gemp_comm_exscan(t->comm, relation->out_offsets[graph->rows]);
	return GEMP_OK;
}

gemp_code gemp_shard_reverse(gemp_shard *graph, const gemp_comm *comm, const bool *relations, gemp_device *device,
                             gemp_placement place, gemp_reverse_stats *figures)
{
	graph_reversal t = { comm, graph, comm->size == 1 ? device : NULL, place, figures };
	*figures = (gemp_reverse_stats){ 0 };
	GEMP_PROPAGATE(gemp_shard_load_outgoing(graph));
	if (graph->loader.free)
		graph->loader.free(graph->loader.self);
	graph->loader = gemp_rows_by_target_source(comm);
	for (size_t r = 0; r < graph->relation_count; r++)
		if (graph->relations[r].directed && (!relations || relations[r]))
			GEMP_PROPAGATE(reverse_relation(&t, r));
	for (size_t r = 0; r < graph->relation_count; r++)
		GEMP_PROPAGATE(gemp_shard_load_relation(graph, r, GEMP_LOAD_IN | GEMP_LOAD_IN_EDGES));
	return gemp_shard_content_hash(comm, graph, &graph->hash);
}
