/* On the host the edges are split into at most 2,048 ranges of targets, and then one thread makes the rows of a range,
 * which fit in a cache. Between the hosts of ranks edges travel in rounds of bounded size. They are put behind the
 * earlier edges from the same rank, so the result does not depend on the size of a round. */

#include "topology/reverse.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "core/timer.h"
#include "graph/column_bulk.h"
#include "graph/kept.h"
#include "partition/build/content_hash.h"
#include "partition/build/rows_source.h"
#include "partition/exchange/value_exchange.h"
#include "primitive/device_choice.h"
#include "primitive/split.h"
#include "topology/csr.h"
#include "topology/reverse_device.h"
#include "topology/reverse_numbers.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Edges that lead to the vertices of this rank. The sources are in csr or in source[]. */
typedef struct incoming_edges {
	gemp_vertex first; /* id of row 0 */
	size_t rows, count;
	const gemp_vertex *target; /* [count] */
	const gemp_csr *csr;       /* the rows of the edges, or NULL */
	const gemp_vertex *source; /* [count] used if csr is NULL */
} incoming_edges;

/* Edges in ranges of rows. Each target has a value: its source (4 bytes) or, if out->edge is wanted, source << 32 |
 * number of the edge (packed). With 2^32 edges or more it is the number alone. */
typedef struct range_reversal {
	const incoming_edges *edges;
	gemp_reversed_rows *out;
	gemp_multisplit split;
	bool packed;
	void *values, *split_values;
	gemp_vertex *split_rows;
	uint64_t *range; /* [ranges + 1] first edge of each range */
	uint64_t *next;  /* [rows] place of the next edge of each row */
} range_reversal;

/* Sets the value of each target: source, number, or both packed. */
static void list_range(void *context, size_t begin, size_t end)
{
	const range_reversal *t = context;
	const gemp_csr *csr = t->edges->csr;
	size_t row = csr ? gemp_csr_row(csr, begin) : 0;
	for (uint64_t edge = begin; edge < end; edge++) {
		while (csr && edge >= csr->begin[row + 1])
			row++;
		uint64_t source = csr ? csr->first + row : t->edges->source[edge];
		if (!t->out->edge)
			((gemp_vertex *)t->values)[edge] = (gemp_vertex)source;
		else
			((uint64_t *)t->values)[edge] = t->packed ? source << 32 | edge : edge;
	}
}

/* Stores an edge in its row. If source and number do not fit in 64 bits, the number gives the source. */
static void put_edge(const range_reversal *t, uint64_t from, uint64_t to)
{
	if (!t->out->edge) {
		t->out->source[to] = ((const gemp_vertex *)t->split_values)[from];
		return;
	}
	uint64_t value = ((const uint64_t *)t->split_values)[from], edge = t->packed ? (uint32_t)value : value;
	const gemp_csr *csr = t->edges->csr;
	t->out->edge[to] = edge;
	if (t->packed)
		t->out->source[to] = (gemp_vertex)(value >> 32);
	else
		t->out->source[to] = csr ? csr->first + (gemp_vertex)gemp_csr_row(csr, edge) : t->edges->source[edge];
}

/* Makes the rows of one range. */
static void put_range(void *context, unsigned thread, size_t range)
{
	(void)thread;
	const range_reversal *t = context;
	size_t row = range << t->split.shift, end = (range + 1) << t->split.shift;
	uint64_t at = t->range[range];
	end = end < t->edges->rows ? end : t->edges->rows;
	for (uint64_t e = at; e < t->range[range + 1]; e++)
		t->next[t->split_rows[e] - t->edges->first]++;
	for (; row < end; row++) {
		uint64_t count = t->next[row];
		t->out->begin[row] = t->next[row] = at;
		at += count;
	}
	for (uint64_t e = t->range[range]; e < t->range[range + 1]; e++)
		put_edge(t, e, t->next[t->split_rows[e] - t->edges->first]++);
}

/* Arrays may be NULL. */
static void free_reversal(range_reversal *t)
{
	gemp_free_all(t->values, t->split_values, t->split_rows, t->range, t->next);
}

/* Fills the arrays of `out`, which are allocated, and sets out->seconds. */
static gemp_code reverse_on_host(gemp_reversed_rows *out, const incoming_edges *all)
{
	size_t edges = all->count;
	unsigned bits = all->rows > 1 ? 64 - (unsigned)__builtin_clzll(all->rows - 1) : 1;
	unsigned size = out->edge ? sizeof(uint64_t) : sizeof(gemp_vertex);
	unsigned kept = bits < GEMP_SPLIT_BITS ? bits : GEMP_SPLIT_BITS;
	GEMP_OWNED_BY(free_reversal)
	range_reversal t = {
		.edges = all,
		.out = out,
		.packed = edges <= UINT32_MAX,
		.split = { .key = GEMP_KEY_U32, .value_size = size, .shift = bits - kept, .bits = kept, .min_code = all->first }
	};
	double since = gemp_now();
	GEMP_TRY(gemp_new_all(GEMP_ARRAY_OF(t.values, edges, size), GEMP_ARRAY_OF(t.split_values, edges, size),
	                      GEMP_ARRAY(t.split_rows, edges), GEMP_ARRAY(t.range, ((size_t)1 << kept) + 1),
	                      GEMP_ARRAY(t.next, all->rows)));
	gemp_for_elements(edges, list_range, &t);
	GEMP_TRY(gemp_split_host(&t.split, all->target, t.values, edges, t.split_rows, t.split_values, t.range));
	gemp_parallel_for((size_t)1 << kept, put_range, &t);
	out->begin[all->rows] = edges;
	out->seconds = gemp_now() - since;
	return GEMP_OK;
}

/* Edges that are sent to the owners of their targets, and the buffers of one round. */
typedef struct edge_exchange {
	const gemp_comm *comm;
	const uint64_t *bounds;
	const gemp_csr *csr;
	gemp_traffic *traffic;
	gemp_block_range own;         /* edges of this round */
	gemp_edge_pair *pairs;        /* [step] */
	int *owner;                   /* [step] */
	uint64_t *place;              /* [ranks + 1] place of the next edge from each rank */
	gemp_vertex *source, *target; /* ends of received edges */
} edge_exchange;

/* Lists edges of a round with the owners of their targets. */
static void pack_range(void *context, size_t begin, size_t end)
{
	const edge_exchange *s = context;
	size_t row = gemp_csr_row(s->csr, s->own.begin + begin);
	for (size_t i = begin; i < end; i++) {
		uint64_t edge = s->own.begin + i;
		while (edge >= s->csr->begin[row + 1])
			row++;
		gemp_vertex target = s->csr->target[edge];
		s->pairs[i] = (gemp_edge_pair){ s->csr->first + (gemp_vertex)row, target };
		s->owner[i] = (int)gemp_range_find(s->bounds, (size_t)s->comm->size, target);
	}
}

/* Lists the edges of a round and returns their number. */
static size_t pack_round(edge_exchange *s, uint64_t round)
{
	s->own = gemp_exchange_round(round, gemp_csr_edges(s->csr), gemp_limits_now()->reverse_round);
	size_t count = (size_t)(s->own.end - s->own.begin);
	gemp_for_elements(count, pack_range, s);
	return count;
}

/* Collective. place[r] becomes the place of the first edge from rank r. */
static void count_edges(edge_exchange *s, uint64_t rounds)
{
	int ranks = s->comm->size;
	uint64_t sum = 0;
	memset(s->place, 0, ((size_t)ranks + 1) * sizeof *s->place);
	for (uint64_t round = 0; round < rounds; round++) {
		size_t count = pack_round(s, round);
		for (size_t i = 0; i < count; i++)
			s->place[s->owner[i]]++;
	}
	GEMP_MPI(MPI_Alltoall(MPI_IN_PLACE, 1, MPI_UINT64_T, s->place, 1, MPI_UINT64_T, s->comm->world));
	for (int r = 0; r <= ranks; r++) {
		uint64_t count = s->place[r];
		s->place[r] = sum;
		sum += count;
	}
}

/* Collective. Puts the received edges of this round behind the earlier edges from the same rank. */
static gemp_code send_round(edge_exchange *s, uint64_t round)
{
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED size_t *from = NULL;
	size_t count = pack_round(s, round);
	GEMP_TRY(gemp_exchange_records(s->comm, GEMP_OK, s->pairs, count, sizeof *s->pairs, s->owner, &received, &from,
	                               s->traffic));
	for (int r = 0; r < s->comm->size; r++)
		for (size_t i = from[r]; i < from[r + 1]; i++) {
			const gemp_edge_pair pair = ((const gemp_edge_pair *)received)[i];
			s->source[s->place[r]] = pair.source;
			s->target[s->place[r]++] = pair.target;
		}
	return GEMP_OK;
}

static void free_exchange(edge_exchange *s)
{
	gemp_free_all(s->pairs, s->owner, s->place, s->source, s->target);
}

/* Collective, on the hosts of all ranks. An edge that leads to another rank costs 8 bytes. Rank r owns the ids
 * bounds[r] .. bounds[r + 1] - 1. */
static gemp_code reverse_ranks(gemp_reversed_rows *out, const gemp_comm *comm, const uint64_t *bounds,
                               const gemp_csr *csr, bool edges)
{
	uint64_t all = gemp_csr_edges(csr), per_round = gemp_limits_now()->reverse_round;
	uint64_t rounds = (all + per_round - 1) / per_round, room = all < per_round ? all : per_round;
	GEMP_OWNED_BY(free_exchange)
	edge_exchange s = { .comm = comm, .bounds = bounds, .csr = csr, .traffic = &out->traffic };
	double since = gemp_now();
	*out = (gemp_reversed_rows){ 0 };
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(s.pairs, room), GEMP_ARRAY(s.owner, room),
	                                            GEMP_ARRAY(s.place, (size_t)comm->size + 1))));
	count_edges(&s, rounds);
	size_t count = (size_t)s.place[comm->size];
	gemp_code code = gemp_reversed_rows_new(out, csr->rows, count, edges);
	GEMP_THEN(gemp_new_all(GEMP_ARRAY(s.source, count), GEMP_ARRAY(s.target, count)));
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_comm_max(comm, &rounds, 1);
	for (uint64_t round = 0; round < rounds; round++)
		GEMP_TRY(send_round(&s, round));
	const incoming_edges received = { csr->first, csr->rows, count, s.target, NULL, s.source };
	GEMP_TRY(gemp_comm_agree(comm, reverse_on_host(out, &received)));
	out->seconds = gemp_now() - since;
	return GEMP_OK;
}

/* EXCHANGE: the number of items of a device that has ranks beside it that count as one. The devices of several ranks
 * also make the memory of an exchange, so the hosts are faster up to larger sizes: on two H200 devices take 10.5 ms
 * for 2^17 edges and hosts 5.3, for 2^18 edges 1.36 times as long (2026-11-30). */
enum { HOST_BELOW = 1 << 24, EXCHANGE = 12 };

static bool choose_device(const gemp_device *device, const gemp_csr *csr, gemp_placement place)
{
	return gemp_use_device(device, place, gemp_csr_edges(csr) + csr->rows, "reverse.host_below", HOST_BELOW);
}

/* If there are more edges than a device can number, or its memory does not suffice, the host reverses them, unless the
 * device is demanded. */
static gemp_code reverse_all(gemp_reversed_rows *out, const incoming_edges *all, gemp_device *device,
                             gemp_placement place, bool numbers)
{
	if (choose_device(device, all->csr, place)) {
		const gemp_code code = gemp_reverse_on_device(out, all->csr, device, numbers);
		if (code != GEMP_ENOMEM || place == GEMP_PLACE_DEVICE)
			return code;
		out->on_device = false;
	}
	return reverse_on_host(out, all);
}

/* A graph without edges also gets rows, which are all empty. numbers: a device also makes number[]. */
static gemp_code reverse_alone(gemp_reversed_rows *out, const gemp_csr *csr, gemp_device *device, gemp_placement place,
                               bool edges, bool numbers)
{
	const incoming_edges all = {
		.first = csr->first, .rows = csr->rows, .count = gemp_csr_edges(csr), .target = csr->target, .csr = csr
	};
	assert(gemp_csr_is_valid(csr));
	gemp_code code = gemp_reversed_rows_new(out, csr->rows, all.count, edges);
	if (all.count)
		GEMP_THEN(reverse_all(out, &all, device, place, numbers));
	if (code != GEMP_OK)
		gemp_reversed_rows_free(out);
	return code;
}

gemp_code gemp_reverse(gemp_reversed_rows *out, const gemp_csr *csr, gemp_device *device, gemp_placement place,
                       bool edges)
{
	return reverse_alone(out, csr, device, place, edges, false);
}

/* The state while the relations of a graph are reversed one after the other. */
typedef struct graph_reversal {
	const gemp_comm *comm;
	gemp_shard *graph;
	gemp_device *device;
	gemp_placement place;
	gemp_owner_router *router; /* several ranks, from the first relation on that is reversed on devices */
	size_t longest;            /* number of own edges of the largest relation that is reversed */
	gemp_reverse_stats *figures;
} graph_reversal;

/* Collective. The router's lists suffice for a round of any relation. */
static gemp_code reverse_on_devices(graph_reversal *t, gemp_reversed_rows *rows, const gemp_csr *csr, bool edges)
{
	const size_t capacity = gemp_min(t->longest, gemp_limits_now()->reverse_device_round);
	if (!t->router)
		GEMP_TRY(gemp_owner_router_new(&t->router, t->comm, t->device, t->graph->bounds, gemp_max(capacity, (size_t)1),
		                               sizeof(gemp_edge_pair)));
	return gemp_reverse_on_devices(rows, t->router, csr, edges);
}

/* Collective. If the memory of a device does not suffice, the hosts reverse the edges, unless devices are demanded.
 * Hosts of several ranks number them afterwards, for which they need edge[]. */
static gemp_code reverse_rows(graph_reversal *t, gemp_reversed_rows *rows, const gemp_csr *csr, bool edges)
{
	if (t->comm->size == 1)
		return reverse_alone(rows, csr, t->device, t->place, edges, true);
	if (gemp_use_all_devices(t->comm, t->device, t->place, (gemp_csr_edges(csr) + csr->rows + EXCHANGE - 1) / EXCHANGE,
	                         "reverse.host_below", HOST_BELOW / EXCHANGE)) {
		const gemp_code code = reverse_on_devices(t, rows, csr, edges);
		if (code != GEMP_ENOMEM || t->place == GEMP_PLACE_DEVICE)
			return code;
		gemp_reversed_rows_free(rows);
	}
	return reverse_ranks(rows, t->comm, t->graph->bounds, csr, true);
}

typedef struct owner_task {
	const gemp_shard *graph;
	const gemp_vertex *target;
	int *owner;
} owner_task;

static void find_owners(void *context, size_t begin, size_t end)
{
	const owner_task *o = context;
	for (size_t e = begin; e < end; e++)
		o->owner[e] = gemp_shard_owner(o->graph, o->target[e]);
}

/* Collective. Sends attributes to the ranks to which their edges have moved, the owners of the targets. */
static gemp_code move_attributes(const graph_reversal *t, gemp_relation *relation, const gemp_reversed_rows *rows)
{
	gemp_code code = GEMP_OK;
	size_t edges = (size_t)relation->out_offsets[t->graph->rows];
	GEMP_OWNED_BY(gemp_table_free) gemp_table moved = { 0 };
	GEMP_OWNED int *owner = NULL;
	if (t->comm->size > 1)
		code = GEMP_NEW(owner, edges);
	if (owner)
		gemp_for_elements(edges, find_owners, &(owner_task){ t->graph, relation->out_targets, owner });
	GEMP_TRY(gemp_comm_agree(t->comm, code));
	GEMP_TRY(
		gemp_table_move(t->comm, &moved, &relation->props, owner, rows->edge, (size_t)rows->begin[rows->rows], true));
	gemp_table_free(&relation->props);
	relation->props = moved;
	moved = (gemp_table){ 0 };
	return GEMP_OK;
}

/* The reversed rows become the rows by source. With the numbers of the edges, the old rows become the rows by target;
 * otherwise these are made later, when they are loaded. */
static void replace_rows(gemp_relation *relation, gemp_reversed_rows *rows, gemp_edge *numbers)
{
	gemp_relation old = *relation;
	relation->props.rows = (size_t)rows->begin[rows->rows];
	if (numbers)
		relation->out_offsets = NULL, relation->out_targets = NULL;
	gemp_relation_keep_rows(relation, 0);
	relation->loaded |= GEMP_LOAD_OUT;
	relation->out_offsets = rows->begin;
	relation->out_targets = rows->source;
	rows->begin = NULL;
	rows->source = NULL;
	if (!numbers)
		return;
	relation->loaded |= GEMP_LOAD_IN | GEMP_LOAD_IN_EDGES;
	relation->in_offsets = old.out_offsets;
	relation->in_sources = old.out_targets;
	relation->in_edges = numbers;
}

/* The bytes are the bytes of the rows that were read and written: 8 for each edge and 16 for each vertex. */
static void add_figures(gemp_reverse_stats *figures, const gemp_reversed_rows *rows)
{
	figures->bytes += 8 * rows->begin[rows->rows] + 16 * ((uint64_t)rows->rows + 1);
	figures->on_device |= rows->on_device;
	figures->seconds += rows->seconds;
	figures->transfers += rows->transfers;
	figures->exchange += rows->exchange;
	figures->traffic.bytes += rows->traffic.bytes;
	figures->traffic.messages += rows->traffic.messages;
	figures->traffic.rounds += rows->traffic.rounds;
}

/* Collective. Several ranks number the edges for the rows by target, unless a rank has too many edges. *numbers is
 * NULL if they do not. Devices have numbered them already. */
static gemp_code number_edges(const graph_reversal *t, const gemp_csr *csr, const gemp_reversed_rows *rows,
                              gemp_edge **numbers)
{
	uint64_t longest = gemp_max(gemp_csr_edges(csr), rows->begin[rows->rows]);
	*numbers = rows->number;
	if (t->comm->size == 1 || rows->on_device)
		return GEMP_OK;
	gemp_comm_max(t->comm, &longest, 1);
	return longest < UINT32_MAX ? gemp_reverse_numbers(numbers, t->comm, t->graph->bounds, csr, rows) : GEMP_OK;
}

/* Collective. The old rows are replaced after the attributes have been moved. */
static gemp_code reverse_relation(graph_reversal *t, size_t index)
{
	gemp_shard *graph = t->graph;
	gemp_relation *relation = &graph->relations[index];
	const gemp_csr csr = gemp_csr_out(graph, index);
	GEMP_OWNED_BY(gemp_reversed_rows_free) gemp_reversed_rows rows = { 0 };
	const bool attributes = relation->props.count > 0;
	gemp_edge *numbers;
	double since = gemp_now();
	GEMP_TRY(reverse_rows(t, &rows, &csr, attributes));
	gemp_trace_add("reverse rows", GEMP_LANE_HOST, since);
	add_figures(t->figures, &rows);
	t->figures->edges += relation->edge_count;
	if (attributes)
		GEMP_TRY(move_attributes(t, relation, &rows));
	since = gemp_now();
	GEMP_TRY(number_edges(t, &csr, &rows, &numbers));
	gemp_trace_add("number edges", GEMP_LANE_HOST, since);
	rows.number = NULL;
	replace_rows(relation, &rows, numbers);
	relation->first_edge = gemp_comm_exscan(t->comm, relation->out_offsets[graph->rows]);
	return GEMP_OK;
}

/* Collective. Reverses the selected relations one after the other. */
static gemp_code reverse_relations(graph_reversal *t, const bool *relations)
{
	gemp_shard *graph = t->graph;
	for (size_t r = 0; r < graph->relation_count; r++)
		if (graph->relations[r].directed && (!relations || relations[r]))
			t->longest = gemp_max(t->longest, (size_t)graph->relations[r].out_offsets[graph->rows]);
	for (size_t r = 0; r < graph->relation_count; r++)
		if (graph->relations[r].directed && (!relations || relations[r]))
			GEMP_TRY(reverse_relation(t, r));
	return GEMP_OK;
}

/* The loader of a file would load the old rows, so it is replaced. */
gemp_code gemp_shard_reverse(gemp_shard *graph, const gemp_comm *comm, const bool *relations, gemp_device *device,
                             gemp_placement place, gemp_reverse_stats *figures)
{
	graph_reversal t = { .comm = comm, .graph = graph, .device = device, .place = place, .figures = figures };
	*figures = (gemp_reverse_stats){ 0 };
	GEMP_TRY(gemp_shard_load_outgoing(graph));
	if (graph->loader.free)
		graph->loader.free(graph->loader.self);
	graph->loader = gemp_rows_source(comm);
	gemp_shard_drop_indexes(graph);
	gemp_kept_clear(graph->kept);
	const gemp_code code = reverse_relations(&t, relations);
	gemp_owner_router_free(t.router);
	GEMP_TRY(code);
	for (size_t r = 0; r < graph->relation_count; r++)
		GEMP_TRY(gemp_shard_load_relation(graph, r, GEMP_LOAD_IN | GEMP_LOAD_IN_EDGES));
	const double since = gemp_now();
	const gemp_code hashed = gemp_shard_content_hash(comm, graph, &graph->hash);
	gemp_trace_add("hash", GEMP_LANE_HOST, since);
	return hashed;
}
