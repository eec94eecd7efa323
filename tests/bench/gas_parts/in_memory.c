/* Copies a graph of the benchmarks to a shard on several threads, in two passes: count, then copy. */
#include "gas_parts/in_memory.h"
#include "comm/comm.h"
#include "graph/column.h"
#include "graph/graph.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"

#include <string.h>

enum { RANGES = 256 };

typedef struct copying {
	const graph *g;
	const uint8_t *weight;
	gemp_shard *graph;
	gemp_relation *relation;
	int64_t *value; /* [own edges]; NULL: no weights */
	bool counting;
} copying;

/* Returns the position of v's first neighbour greater than v. An undirected edge is stored at its smaller end. */
static uint64_t greater(const graph *g, uint32_t v)
{
	uint64_t low = g->begin[v], high = g->begin[v + 1];
	while (low < high) {
		uint64_t middle = (low + high) / 2;
		if (g->end[middle] > v)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void copy_range(void *context, unsigned thread, size_t range)
{
	(void)thread;
	const copying *c = context;
	size_t rows = c->graph->rows;
	for (size_t row = rows * range / RANGES; row < rows * (range + 1) / RANGES; row++) {
		uint32_t v = (uint32_t)(c->graph->first_vertex + row);
		uint64_t from = greater(c->g, v), count = c->g->begin[v + 1] - from, to = c->relation->out_offsets[row];
		if (c->counting) {
			c->relation->out_offsets[row + 1] = count;
			c->graph->keys.integers[row] = v;
			c->graph->key_ranks[row] = v;
			continue;
		}
		memcpy(c->relation->out_targets + to, c->g->end + from, count * sizeof *c->relation->out_targets);
		for (uint64_t i = 0; c->value && i < count; i++)
			c->value[to + i] = c->weight[from + i];
	}
}

/* Adds the edges by target; for one rank only. Sources are visited in ascending order, so rows are ascending. */
static gemp_code add_edges_by_target(gemp_relation *relation, size_t rows)
{
	gemp_code code = GEMP_OK;
	uint64_t *next = NULL, edges = relation->out_offsets[rows];
	GEMP_TRY_DONE(GEMP_NEW(relation->in_offsets, rows + 1));
	GEMP_TRY_DONE(GEMP_NEW(relation->in_sources, edges));
	GEMP_TRY_DONE(GEMP_NEW(relation->in_edges, edges));
	GEMP_TRY_DONE(GEMP_NEW(next, rows));
	for (uint64_t e = 0; e < edges; e++)
		relation->in_offsets[relation->out_targets[e] + 1]++;
	gemp_prefix_inclusive(relation->in_offsets, rows + 1);
	memcpy(next, relation->in_offsets, rows * sizeof *next);
	for (uint32_t source = 0; source < rows; source++)
		for (uint64_t e = relation->out_offsets[source]; e < relation->out_offsets[source + 1]; e++) {
			uint64_t at = next[relation->out_targets[e]]++;
			relation->in_sources[at] = source;
			relation->in_edges[at] = e;
		}
	relation->loaded |= GEMP_LOAD_IN | GEMP_LOAD_IN_EDGES;
done:
	gemp_free(next);
	return code;
}

static gemp_code copy_edges(copying *c, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	gemp_relation *relation = c->relation;
	gemp_column *column;
	*relation = (gemp_relation){ .reciprocal = -1, .loaded = GEMP_LOAD_OUT | GEMP_LOAD_PROPS };
	GEMP_TRY_DONE((relation->name = gemp_strdup("edge")) ? GEMP_OK : GEMP_ENOMEM);
	GEMP_TRY_DONE(GEMP_NEW(relation->out_offsets, c->graph->rows + 1));
	c->counting = true;
	gemp_parallel_for(RANGES, copy_range, c);
	gemp_prefix_inclusive(relation->out_offsets, c->graph->rows + 1);
	uint64_t own = relation->out_offsets[c->graph->rows];
	GEMP_TRY_DONE(GEMP_NEW(relation->out_targets, own));
	relation->edge_count = c->g->begin[c->g->vertices] / 2;
	relation->first_edge = gemp_comm_exscan(comm, own);
	relation->props.rows = own;
	if (c->weight) {
		GEMP_TRY_DONE(gemp_table_add(&relation->props, "weight", GEMP_INTEGER, &column));
		GEMP_TRY_DONE(gemp_column_reserve(column, own, 0));
		column->rows = own;
		c->value = column->integers;
	}
	c->counting = false;
	gemp_parallel_for(RANGES, copy_range, c);
	if (comm->size == 1)
		GEMP_TRY_DONE(add_edges_by_target(relation, c->graph->rows));
done:
	return code;
}

gemp_code graph_in_memory(gemp_shard **out, const gemp_comm *comm, const graph *g, const uint8_t *weight)
{
	gemp_code code = GEMP_OK;
	gemp_shard *graph = NULL;
	GEMP_TRY_DONE(GEMP_NEW(graph, 1));
	graph->rank = comm->rank;
	graph->ranks = comm->size;
	graph->vertex_count = g->vertices;
	GEMP_TRY_DONE(GEMP_NEW(graph->bounds, (size_t)comm->size + 1));
	gemp_partition_assign(&graph->partition, graph->vertex_count, (size_t)comm->size, graph->bounds);
	graph->first_vertex = graph->bounds[comm->rank];
	graph->rows = graph->bounds[comm->rank + 1] - graph->first_vertex;
	GEMP_TRY_DONE(gemp_column_init(&graph->keys, "id", GEMP_INTEGER));
	GEMP_TRY_DONE(gemp_column_reserve(&graph->keys, graph->rows, 0));
	graph->keys.rows = graph->rows;
	GEMP_TRY_DONE(GEMP_NEW(graph->key_ranks, graph->rows));
	GEMP_TRY_DONE(GEMP_NEW(graph->relations, 1));
	graph->relation_count = 1;
	copying c = { .g = g, .weight = weight, .graph = graph, .relation = graph->relations };
	GEMP_TRY_DONE(copy_edges(&c, comm));
	*out = graph;
	graph = NULL;
done:
	gemp_shard_free(graph);
	return code;
}
