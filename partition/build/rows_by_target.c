/* Makes the rows by target, with the number of each edge, in two passes over all edges. Each pass takes rounds of
 * bounded size. The first pass sends only targets and counts the length of each row. The second pass sends (target,
 * source, edge), and the receiver writes each edge to its final place. Sending the targets twice costs 4 bytes an edge,
 * but the received edges are never stored beside the rows. */

#include "partition/build/rows_by_target.h"

#include "comm/exchange.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "core/types.h"
#include "graph/either_rows.h"
#include "partition/build/row_builder.h"
#include "partition/build/row_partition.h"
#include "partition/exchange/record_stream.h"

#include <stdatomic.h>
#include <string.h>

enum { MAX_EDGES = 1 << 19 }; /* edges of one round */

/* An edge on its way to the owner of its target. */
typedef struct in_edge {
	gemp_vertex target, source;
	gemp_edge edge;
} in_edge;

/* 32-bit numbers of a record in the first pass and in the second pass */
enum { LENGTHS = 1, ALL = sizeof(in_edge) / sizeof(uint32_t) };

/* The exchange of one relation's edges: the rows that are made, and the buffers of one round. */
typedef struct exchange_state {
	const gemp_shard *graph;
	const gemp_relation *relation;
	gemp_row_builder rows;
	size_t size;         /* edges in one round */
	in_edge *records;    /* [size] */
	int *owner;          /* [size]; NULL if there is one rank */
	size_t first, count; /* the edges of this round */
} exchange_state;

/* The edges of a round are in CSR order. One search finds the row of the first edge, and the loop advances to the next
 * rows. */
static void pack_range(void *context, size_t begin, size_t end)
{
	const exchange_state *p = context;
	const gemp_relation *relation = p->relation;
	size_t row = gemp_range_find(relation->out_offsets, p->graph->rows, p->first + begin);
	for (size_t i = begin; i < end; i++) {
		uint64_t e = p->first + i;
		while (e >= relation->out_offsets[row + 1])
			row++;
		p->records[i] = (in_edge){ relation->out_targets[e], (gemp_vertex)(p->graph->first_vertex + row),
			                       relation->first_edge + e };
	}
}

/* An edge is sent to the owner of its target. */
static void find_owners(void *context, size_t begin, size_t end)
{
	const exchange_state *p = context;
	for (size_t i = begin; i < end; i++)
		p->owner[i] = gemp_shard_owner(p->graph, p->relation->out_targets[p->first + i]);
}

/* Collective. One round of the first or the second pass. */
static gemp_code exchange_round(const gemp_comm *comm, exchange_state *p, size_t width)
{
	size_t count = p->count;
	GEMP_OWNED size_t *from = NULL;
	const void *records = width == ALL ? (void *)p->records : p->count ? p->relation->out_targets + p->first : NULL;
	GEMP_OWNED void *received = NULL;
	if (width == ALL)
		gemp_for_elements(p->count, pack_range, p);
	if (p->owner) {
		gemp_for_elements(p->count, find_owners, p);
		GEMP_TRY(gemp_exchange_records(comm, GEMP_OK, records, count, width * sizeof(uint32_t), p->owner, &received,
		                               &from, NULL));
		records = received;
		count = from[comm->size];
	}
	if (width == ALL)
		gemp_row_builder_fill(&p->rows, records, width, count);
	else
		gemp_row_builder_count(&p->rows, records, width, count);
	return GEMP_OK;
}

/* Collective. One pass over all edges, in rounds. The first pass counts, and the second pass places. */
static gemp_code exchange_edges(const gemp_comm *comm, exchange_state *p, size_t width)
{
	uint64_t edges = p->relation->out_offsets[p->graph->rows], rounds = gemp_exchange_rounds(comm, edges, p->size);
	for (uint64_t round = 0; round < rounds; round++) {
		gemp_block_range own = gemp_exchange_round(round, edges, p->size);
		p->first = own.begin;
		p->count = own.end - own.begin;
		gemp_progress("rows by target", round, rounds, 0);
		GEMP_TRY(exchange_round(comm, p, width));
	}
	return GEMP_OK;
}

/* Local. Allocates the buffers of one round, of about `batch` bytes, and the offsets. */
static gemp_code allocate_rows(const gemp_comm *comm, size_t batch, exchange_state *p)
{
	p->size = gemp_min(gemp_max(batch / sizeof *p->records, 1), MAX_EDGES);
	if (comm->size > 1)
		GEMP_TRY(GEMP_NEW(p->owner, p->size));
	return gemp_new_all(GEMP_ARRAY(p->records, p->size), GEMP_ARRAY(p->rows.begin, p->graph->rows + 1));
}

static void free_exchange(exchange_state *p)
{
	gemp_free_all(p->rows.begin, p->rows.slots, p->rows.edges, p->records, p->owner);
}

/* Collective. The ranks agree after each step that allocates memory. The passes agree in their exchanges. */
static gemp_code make_by_exchange(const gemp_comm *comm, size_t batch, exchange_state *p)
{
	gemp_row_builder *rows = &p->rows;
	GEMP_TRY(gemp_comm_agree(comm, allocate_rows(comm, batch, p)));
	GEMP_TRY(exchange_edges(comm, p, LENGTHS));
	gemp_prefix_inclusive(rows->begin, rows->rows + 1);
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(rows->slots, rows->begin[rows->rows]),
	                                            GEMP_ARRAY(rows->edges, rows->begin[rows->rows]))));
	GEMP_TRY(exchange_edges(comm, p, ALL));
	gemp_prefix_shift(rows->begin, rows->rows + 1);
	return gemp_comm_agree(comm, gemp_row_builder_sort(rows, p->graph->vertex_count));
}

/* A single rank has all rows, so it reverses them without an exchange. */
gemp_code gemp_rows_by_target_make(const gemp_comm *comm, size_t batch, const gemp_shard *graph,
                                   gemp_relation *relation)
{
	GEMP_OWNED_BY(free_exchange)
	exchange_state p = { .graph = graph,
		                 .relation = relation,
		                 .rows = { .rows = graph->rows, .first = graph->first_vertex } };
	gemp_row_builder *rows = &p.rows;
	const gemp_rows_to_reverse from = { relation->out_offsets, relation->out_targets, graph->rows, graph->first_vertex,
		                                relation->first_edge };
	GEMP_TRY(comm->size > 1 ? make_by_exchange(comm, batch, &p) : gemp_row_partition_reverse(rows, &from));
	gemp_free_all(relation->in_offsets, relation->in_sources, relation->in_edges);
	relation->in_offsets = rows->begin;
	relation->in_sources = rows->slots;
	relation->in_edges = rows->edges;
	*rows = (gemp_row_builder){ 0 };
	return GEMP_OK;
}

/* The search for pairs that are joined in both directions, on all threads. */
typedef struct reciprocal_search {
	const gemp_shard *graph;
	const gemp_relation *relation;
	uint8_t *marked;
	_Atomic uint64_t found;
} reciprocal_search;

/* Both rows of a vertex ascend, so one pass over both rows finds their common neighbours. A pair is searched for only
 * from its larger vertex, so each pair is found once. */
static void search_rows(void *context, size_t begin, size_t end)
{
	reciprocal_search *search = context;
	const gemp_relation *relation = search->relation;
	uint64_t found = 0;
	for (size_t row = begin; row < end; row++) {
		uint64_t in = relation->in_offsets[row], in_end = relation->in_offsets[row + 1];
		gemp_vertex last = GEMP_NO_VERTEX;
		for (uint64_t e = relation->out_offsets[row]; e < relation->out_offsets[row + 1]; e++) {
			gemp_vertex other = relation->out_targets[e];
			if (other >= search->graph->first_vertex + row)
				break;
			while (in < in_end && relation->in_sources[in] < other)
				in++;
			if (in == in_end || relation->in_sources[in] != other)
				continue;
			search->marked[e] = 1;
			found += other != last;
			last = other;
		}
	}
	atomic_fetch_add(&search->found, found);
}

uint64_t gemp_rows_by_target_reciprocal(const gemp_shard *graph, const gemp_relation *relation, uint8_t *marked)
{
	reciprocal_search search = { graph, relation, marked, 0 };
	gemp_for_elements(graph->rows, search_rows, &search);
	return search.found;
}
