/* view_shared: a view of which a node holds all rows once, in memory that its ranks have in common. */

#include "partition/views/view_build.h"

#include "comm/comm.h"
#include "core/limits.h"
#include "core/memory.h"
#include "partition/views/view_rows.h"

#include <string.h>

/* Every rank sends its rows of slots below hot, ascending, some slots at a time; all lay them out by slot. */

/* Own rows [first, end) of these slots. */
typedef struct own_range {
	size_t first, end;
} own_range;

enum { ALIGNED = 128 };

/* How many entries the row of each hot slot has, on all ranks. Collective. */
static gemp_code hot_sizes(uint64_t **out, const gemp_comm *comm, const gemp_view *own, const gemp_residency *residency)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED uint64_t *size = NULL;
	code = GEMP_NEW(size, (size_t)residency->hot + 1);
	for (size_t r = 0; code == GEMP_OK && r < residency->own_count - residency->own; r++) /* own hot rows come first */
		size[residency->own_slots[r]] = own->begin[r + 1] - own->begin[r];
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_comm_sum_long(comm, size, residency->hot);
	*out = size;
	size = NULL;
	return GEMP_OK;
}

/* Begins of all resident rows, and room for them. */
static gemp_code allocate_rows(gemp_view *out, const gemp_residency *residency, const gemp_view *own,
                               const uint64_t *size)
{
	size_t mine = residency->own_count - residency->own;
	out->rows = (size_t)residency->hot + residency->own;
	out->loops = own->loops;
	GEMP_TRY(GEMP_NEW(out->begin, out->rows + 1));
	for (size_t s = 0; s < residency->hot; s++)
		out->begin[s + 1] = out->begin[s] + size[s];
	for (size_t r = 0; r < residency->own; r++)
		out->begin[residency->hot + r + 1] = out->begin[residency->hot + r] + own->begin[mine + r + 1] -
		                                     own->begin[mine + r];
	GEMP_TRY(GEMP_NEW(out->neighbours, out->begin[out->rows] + 1));
	if (own->edges)
		GEMP_TRY(GEMP_NEW(out->edges, out->begin[out->rows] + 1));
	return GEMP_OK;
}

/* Collective. Values of `width` bytes in the rows of slots [first, end): from their owners to all. */
static gemp_code gather_slots(const gemp_comm *comm, const gemp_shard *graph, const gemp_slot_order *order,
                              const gemp_view *out, const gemp_view *own, own_range part, size_t first, size_t end,
                              size_t width, const void *from, void *to)
{
	GEMP_OWNED size_t *begin = NULL;
	GEMP_OWNED char *all = NULL;
	uint64_t at = own->begin[part.first], count = own->begin[part.end] - at;
	GEMP_TRY(gemp_comm_allgather(comm, GEMP_OK, (const char *)from + at * width, count * width, (void **)&all, &begin));
	for (size_t s = first; s < end; s++) {
		int owner = gemp_shard_owner(graph, order->id_of[s]);
		size_t bytes = (size_t)(out->begin[s + 1] - out->begin[s]) * width;
		memcpy((char *)to + out->begin[s] * width, all + begin[owner], bytes);
		begin[owner] += bytes;
	}
	return GEMP_OK;
}

/* Collective. Some slots at a time, so that a rank never holds more than a chunk of gathered entries beside the view.
 */
static gemp_code gather_hot(gemp_view *out, const gemp_comm *comm, const gemp_shard *graph,
                            const gemp_slot_order *order, const gemp_residency *residency, const gemp_view *own)
{
	own_range part = { 0 };
	const uint64_t chunk = gemp_limits_now()->view_chunk;
	size_t mine = residency->own_count - residency->own;
	for (size_t first = 0, end; first < residency->hot; first = end) {
		for (end = first + 1; end < residency->hot && out->begin[end + 1] - out->begin[first] <= chunk;)
			end++;
		while (part.end < mine && residency->own_slots[part.end] < end)
			part.end++;
		GEMP_TRY(gather_slots(comm, graph, order, out, own, part, first, end, sizeof *own->neighbours, own->neighbours,
		                      out->neighbours));
		if (own->edges)
			GEMP_TRY(gather_slots(comm, graph, order, out, own, part, first, end, sizeof *own->edges, own->edges,
			                      out->edges));
		part.first = part.end;
	}
	return GEMP_OK;
}

/* Own rows that are not hot keep their order behind the hot ones. */
static void copy_rest(gemp_view *out, const gemp_residency *residency, const gemp_view *own)
{
	uint64_t from = own->begin[residency->own_count - residency->own], to = out->begin[residency->hot];
	size_t count = (size_t)(out->begin[out->rows] - to);
	memcpy(out->neighbours + to, own->neighbours + from, count * sizeof *out->neighbours);
	if (own->edges)
		memcpy(out->edges + to, own->edges + from, count * sizeof *out->edges);
}

/* The first ranks of the nodes, among themselves. */
typedef struct node_leaders {
	int count;
	gemp_comm between; /* size 0 on other ranks */
	int *node_of;      /* [ranks] as between has them */
} node_leaders;

/* Collective. Of one node nothing has to be known. */
static gemp_code find_leaders(node_leaders *out, const gemp_comm *comm)
{
	int own = 0;
	*out = (node_leaders){ .count = (int)gemp_comm_sum1(comm, comm->node_rank == 0) };
	if (out->count == 1)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(out->node_of, (size_t)comm->size)));
	MPI_Comm firsts;
	GEMP_MPI(MPI_Comm_split(comm->world, comm->node_rank == 0 ? 0 : MPI_UNDEFINED, comm->rank, &firsts));
	if (firsts != MPI_COMM_NULL) {
		gemp_comm_new(&out->between, firsts);
		GEMP_MPI(MPI_Comm_free(&firsts));
	}
	own = out->between.rank;
	GEMP_MPI(MPI_Bcast(&own, 1, MPI_INT, 0, comm->node));
	GEMP_MPI(MPI_Allgather(&own, 1, MPI_INT, out->node_of, 1, MPI_INT, comm->world));
	return GEMP_OK;
}

/* Takes {0}: on one node there are no leaders. */
static void free_leaders(node_leaders *n)
{
	if (n->between.size)
		gemp_comm_free(&n->between);
	gemp_free(n->node_of);
}

/* Where an array of `size` bytes goes in the block; *end is where the next begins. */
static size_t place(size_t *end, size_t size)
{
	size_t at = *end;
	*end = (at + size + ALIGNED - 1) / ALIGNED * ALIGNED;
	return at;
}

/* Collective. All arrays in one block, each aligned for devices that read it in place. */
static bool allocate_shared(gemp_view *out, const gemp_comm *comm, size_t rows, size_t entries, bool edges)
{
	size_t size = 0;
	size_t begin = place(&size, (rows + 1) * sizeof *out->begin);
	size_t narrow = place(&size, (rows + 1) * sizeof *out->begin32);
	size_t near = place(&size, (entries + 1) * sizeof *out->neighbours);
	size_t numbers = edges ? place(&size, (entries + 1) * sizeof *out->edges) : 0;
	if (!gemp_shared_new(&out->shared, comm, size))
		return false;
	char *bytes = out->shared.bytes;
	out->rows = rows;
	out->begin = (uint64_t *)(void *)(bytes + begin);
	out->begin32 = (uint32_t *)(void *)(bytes + narrow);
	out->neighbours = (gemp_vertex *)(void *)(bytes + near);
	out->edges = edges ? (gemp_edge *)(void *)(bytes + numbers) : NULL;
	return true;
}

/* Collective. Sizes of all rows, each from its owner, and then where they begin. */
static void lay_out(gemp_view *out, const node_leaders *n, const gemp_residency *residency, const gemp_view *own)
{
	uint64_t sum = 0, before, all;
	size_t first, end;
	gemp_shared_range(&out->shared, out->rows + 1, &first, &end);
	memset(out->begin + first, 0, (end - first) * sizeof *out->begin);
	gemp_shared_fence(&out->shared);
	for (size_t r = 0; r < own->rows; r++)
		out->begin[residency->own_slots[r] + 1] = own->begin[r + 1] - own->begin[r];
	gemp_shared_fence(&out->shared);
	if (n->between.size)
		gemp_comm_sum_long(&n->between, out->begin + 1, out->rows);
	gemp_shared_fence(&out->shared);
	for (size_t i = first; i < end; i++)
		sum += out->begin[i];
	gemp_shared_sums(&out->shared, &sum, &before, &all, 1);
	for (size_t i = first; i < end; i++) {
		before += out->begin[i];
		out->begin[i] = before;
		out->begin32[i] = (uint32_t)before; /* read where all fit */
	}
	gemp_shared_fence(&out->shared);
}

/* Each rank writes its own rows into the shared block; no row has two owners. */
static void copy_own(gemp_view *out, const gemp_residency *residency, const gemp_view *own)
{
	for (size_t r = 0; r < own->rows; r++) {
		size_t count = (size_t)(own->begin[r + 1] - own->begin[r]);
		uint64_t to = out->begin[residency->own_slots[r]];
		memcpy(out->neighbours + to, own->neighbours + own->begin[r], count * sizeof *out->neighbours);
		if (own->edges)
			memcpy(out->edges + to, own->edges + own->begin[r], count * sizeof *out->edges);
	}
}

/* The exchange among the first ranks of the nodes, each of which lacks the rows of the other nodes. */
typedef struct node_exchange {
	const node_leaders *nodes;
	const gemp_shard *graph;
	const gemp_slot_order *order;
	const gemp_view *view;
} node_exchange;

/* The node that has a row first is that of its owner. */
static int node_of(const node_exchange *p, size_t slot)
{
	return p->nodes->node_of[gemp_shard_owner(p->graph, p->order->id_of[slot])];
}

/* Collective over the first ranks. Values of `width` bytes in the rows of slots [first, end). */
static gemp_code exchange_slots(const node_exchange *p, size_t first, size_t end, char *values, size_t width)
{
	GEMP_OWNED char *mine = NULL, *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	size_t count = 0;
	const uint64_t *at = p->view->begin;
	const gemp_comm *between = &p->nodes->between;
	GEMP_TRY(gemp_comm_agree(between, GEMP_NEW(mine, (size_t)(at[end] - at[first]) * width)));
	for (size_t s = first; s < end; s++)
		if (node_of(p, s) == between->rank) {
			size_t bytes = (size_t)(at[s + 1] - at[s]) * width;
			memcpy(mine + count, values + at[s] * width, bytes);
			count += bytes;
		}
	GEMP_TRY(gemp_comm_allgather(between, GEMP_OK, mine, count, (void **)&all, &begin));
	for (size_t s = first; s < end; s++) {
		size_t bytes = (size_t)(at[s + 1] - at[s]) * width, *from = &begin[node_of(p, s)];
		memcpy(values + at[s] * width, all + *from, bytes);
		*from += bytes;
	}
	return GEMP_OK;
}

/* Collective over the first ranks. */
static gemp_code exchange_nodes(const node_exchange *p)
{
	const gemp_view *view = p->view;
	const uint64_t chunk = gemp_limits_now()->view_chunk;
	for (size_t first = 0, end; first < view->rows; first = end) {
		for (end = first + 1; end < view->rows && view->begin[end + 1] - view->begin[first] <= chunk;)
			end++;
		GEMP_TRY(exchange_slots(p, first, end, (char *)view->neighbours, sizeof *view->neighbours));
		if (view->edges)
			GEMP_TRY(exchange_slots(p, first, end, (char *)view->edges, sizeof *view->edges));
	}
	return GEMP_OK;
}

/* Collective. All rows, laid out by slot from each rank's own, where there is room for them in shared memory on all
 * nodes: *shared. Each rank copies its rows into place, and the first ranks of the nodes send one another what these
 * lack. */
static gemp_code share_rows(gemp_view *out, bool *shared, const gemp_comm *comm, const gemp_shard *graph,
                            const gemp_slot_order *order, const gemp_residency *residency, const gemp_view *own)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(free_leaders) node_leaders n = { 0 };
	uint64_t entries = gemp_comm_sum1(comm, own->begin[own->rows]);
	*shared = allocate_shared(out, comm, (size_t)residency->hot, (size_t)entries, own->edges != NULL);
	if (!*shared)
		return GEMP_OK;
	GEMP_TRY(find_leaders(&n, comm));
	lay_out(out, &n, residency, own);
	copy_own(out, residency, own);
	gemp_shared_fence(&out->shared);
	out->loops = own->loops;
	if (n.count == 1)
		return code;
	if (n.between.size)
		code = exchange_nodes(&(node_exchange){ &n, graph, order, out });
	GEMP_TRY(gemp_comm_agree(comm, code));
	gemp_shared_fence(&out->shared);
	return GEMP_OK;
}

/* Without hot rows, or on one rank, the own rows are the whole view. */
gemp_code gemp_view_new(gemp_view *out, const gemp_comm *comm, const gemp_shard *graph, const gemp_slot_order *order,
                        const gemp_residency *residency, const gemp_view_key *key)
{
	gemp_code code = GEMP_OK;
	gemp_view own = { 0 };
	uint64_t *size = NULL;
	bool shared = false;
	*out = (gemp_view){ 0 };
	GEMP_TRY_DONE(gemp_comm_agree(comm, gemp_view_own_rows(&own, graph, order, residency, key)));
	if (residency->hot == 0 || comm->size == 1) {
		*out = own;
		return GEMP_OK;
	}
	if (residency->hot >= graph->vertex_count)
		GEMP_TRY_DONE(share_rows(out, &shared, comm, graph, order, residency, &own));
	if (shared)
		goto done;
	GEMP_TRY_DONE(hot_sizes(&size, comm, &own, residency));
	GEMP_TRY_DONE(gemp_comm_agree(comm, allocate_rows(out, residency, &own, size)));
	GEMP_TRY_DONE(gather_hot(out, comm, graph, order, residency, &own));
	copy_rest(out, residency, &own);
done:
	if (code != GEMP_OK)
		gemp_view_free(out);
	gemp_view_free(&own);
	gemp_free(size);
	return code;
}
