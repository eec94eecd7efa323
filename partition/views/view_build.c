/* Makes views. Own rows are made from the relations. Hot rows come from their owners: every rank copies its own rows to
 * their places in the view, and then the ranks exchange the missing rows. If all rows are resident, a node has them
 * once, in shared memory, if possible. The ranks of a node then make their rows there, with room for all edges of each
 * vertex, and only the first ranks of the nodes exchange rows. */

#include "comm/comm.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "core/timer.h"
#include "partition/views/view_rows.h"

#include <string.h>

enum {
	ALIGNED = 128,
	COPIED = 1 << 16, /* entries that a thread copies at a time */
	COPIED_ROWS = 1 << 10,
};

/* A copy of own rows, which ascend by slot, to their places in a view. */
typedef struct row_copy {
	gemp_view *out;
	const gemp_residency *residency;
	const gemp_view *own;
	size_t own_hot; /* number of own rows that are hot; the others follow the hot rows of all ranks */
} row_copy;

/* The row of the view that an own row becomes. */
static size_t row_of(const row_copy *c, size_t row)
{
	return row < c->own_hot ? c->residency->own_slots[row] : c->residency->hot + row - c->own_hot;
}

/* Copies the entries [begin, end) of own rows. A row has one owner, so no two ranks write the same place. */
static void copy_entries(void *context, size_t chunk, size_t begin, size_t end)
{
	(void)chunk;
	const row_copy *c = context;
	const gemp_view *own = c->own;
	size_t row = gemp_range_find(own->begin, own->rows, begin);
	for (uint64_t from = begin, next; from < end; from = next, row++) {
		next = gemp_min(own->begin[row + 1], (uint64_t)end);
		const uint64_t to = c->out->begin[row_of(c, row)] + (from - own->begin[row]);
		memcpy(c->out->neighbours + to, own->neighbours + from, (size_t)(next - from) * sizeof *own->neighbours);
		if (own->edges)
			memcpy(c->out->edges + to, own->edges + from, (size_t)(next - from) * sizeof *own->edges);
	}
}

/* Writes the lengths of own rows behind the offsets of their rows in the view. */
static void set_lengths(void *context, size_t begin, size_t end)
{
	const row_copy *c = context;
	for (size_t r = begin; r < end; r++)
		c->out->begin[row_of(c, r) + 1] = c->own->begin[r + 1] - c->own->begin[r];
}

static void copy_own(row_copy *c)
{
	gemp_for_chunks((size_t)c->own->begin[c->own->rows], COPIED, copy_entries, c);
}

/* The exchange of a view's rows between all ranks of the job, or between the first ranks of the nodes, each of which
 * sends the rows of its node. All of these ranks know begin[]. The rows that a rank sends are at their places
 * already. */
typedef struct row_exchange {
	const gemp_comm *comm;
	/* [ranks of the job] rank in `comm` that sends the rows of each rank; NULL: each rank sends its own rows */
	const int *sender_of;
	const gemp_shard *graph;
	const gemp_slot_order *order;
	const gemp_view *view;
} row_exchange;

static int sender_of_slot(const row_exchange *p, size_t slot)
{
	int owner = gemp_shard_owner(p->graph, p->order->id_of[slot]);
	return p->sender_of ? p->sender_of[owner] : owner;
}

/* Collective. Exchanges values of `width` bytes in the rows of slots [first, end). */
static gemp_code exchange_slots(const row_exchange *p, size_t first, size_t end, void *array, size_t width)
{
	GEMP_OWNED char *mine = NULL, *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	char *values = array;
	size_t count = 0;
	const uint64_t *at = p->view->begin;
	gemp_code code = GEMP_NEW(mine, (size_t)(at[end] - at[first]) * width);
	for (size_t s = first; s < end && code == GEMP_OK; s++)
		if (sender_of_slot(p, s) == p->comm->rank) {
			size_t bytes = (size_t)(at[s + 1] - at[s]) * width;
			memcpy(mine + count, values + at[s] * width, bytes);
			count += bytes;
		}
	GEMP_TRY(gemp_comm_allgather(p->comm, code, mine, count, (void **)&all, &begin));
	for (size_t s = first; s < end; s++) {
		size_t bytes = (size_t)(at[s + 1] - at[s]) * width, *from = &begin[sender_of_slot(p, s)];
		memcpy(values + at[s] * width, all + *from, bytes);
		*from += bytes;
	}
	return GEMP_OK;
}

/* Collective. Exchanges the rows of all slots below `slots` in chunks, so beside the view a rank needs memory for two
 * chunks of entries at most, or for two copies of a row that is longer than a chunk. */
static gemp_code exchange_rows(const row_exchange *p, size_t slots)
{
	const gemp_view *view = p->view;
	const uint64_t chunk = gemp_limits_now()->view_chunk;
	for (size_t first = 0, end; first < slots; first = end) {
		for (end = first + 1; end < slots && view->begin[end + 1] - view->begin[first] <= chunk;)
			end++;
		GEMP_TRY(exchange_slots(p, first, end, view->neighbours, sizeof *view->neighbours));
		if (view->edges)
			GEMP_TRY(exchange_slots(p, first, end, view->edges, sizeof *view->edges));
	}
	return GEMP_OK;
}

/* Collective. Makes the hot rows by slot, each from its owner. The rank's other own rows follow in their order. */
static gemp_code gather_rows(gemp_view *out, const gemp_comm *comm, const gemp_shard *graph,
                             const gemp_slot_order *order, const gemp_residency *residency, const gemp_view *own)
{
	const size_t hot = residency->hot;
	row_copy copy = { out, residency, own, residency->own_count - residency->own };
	out->rows = hot + residency->own;
	out->loops = own->loops;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(out->begin, out->rows + 1)));
	gemp_for_elements(own->rows, set_lengths, &copy);
	gemp_comm_sum_long(comm, out->begin + 1, hot);
	gemp_prefix_inclusive(out->begin, out->rows + 1);
	gemp_code code = GEMP_NEW(out->neighbours, out->begin[out->rows] + 1);
	if (own->edges)
		GEMP_THEN(GEMP_NEW(out->edges, out->begin[out->rows] + 1));
	GEMP_TRY(gemp_comm_agree(comm, code));
	copy_own(&copy);
	return exchange_rows(&(row_exchange){ comm, NULL, graph, order, out }, hot);
}

/* A communicator of the first ranks of all nodes. */
typedef struct node_leaders {
	int count;
	gemp_comm between; /* size is 0 on other ranks */
	int *node_of;      /* [ranks] rank of each rank's node in `between`; NULL if there is one node */
} node_leaders;

/* Collective. With one node no communicator is made. */
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

/* Takes {0}. With one node there is nothing to free. */
static void free_leaders(node_leaders *n)
{
	if (n->between.size)
		gemp_comm_free(&n->between);
	gemp_free(n->node_of);
}

/* Returns the offset of an array of `size` bytes in the block. *end becomes the offset of the next array. */
static size_t place(size_t *end, size_t size)
{
	size_t at = *end;
	*end = (at + size + ALIGNED - 1) / ALIGNED * ALIGNED;
	return at;
}

bool gemp_view_share(gemp_view *out, const gemp_comm *comm, size_t rows, size_t entries, bool edges)
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

/* Collective. Puts the offsets of a view alone into a block of each node. */
static bool share_offsets(gemp_view *out, const gemp_comm *comm, size_t rows)
{
	size_t size = 0;
	size_t begin = place(&size, (rows + 1) * sizeof *out->begin);
	if (!gemp_shared_new(&out->shared, comm, size))
		return false;
	out->begin = (uint64_t *)(void *)((char *)out->shared.bytes + begin);
	return true;
}

/* This rank's part of the offsets of a shared view. */
typedef struct offset_task {
	gemp_view *out;
	size_t first;
	uint64_t before; /* entries of the lower ranks of the node */
} offset_task;

/* begin32[] is read only if all offsets fit into 32 bits. */
static void shift_offsets(void *context, size_t begin, size_t end)
{
	const offset_task *t = context;
	for (size_t i = t->first + begin; i < t->first + end; i++) {
		t->out->begin[i] += t->before;
		if (t->out->begin32)
			t->out->begin32[i] = (uint32_t)t->out->begin[i];
	}
}

/* Own rows of a view that ranks share. */
typedef struct shared_rows {
	gemp_view *view;
	const gemp_shard *graph;
	const gemp_slot_order *order;
	const uint64_t *size; /* [graph->rows] their lengths */
} shared_rows;

static void set_sizes(void *context, size_t begin, size_t end)
{
	const shared_rows *s = context;
	for (size_t v = begin; v < end; v++)
		s->view->begin[s->order->slot_of[s->graph->first_vertex + v] + (size_t)1] = s->size[v];
}

/* Collective. Gathers the sizes of all rows from their owners, and turns the sizes into offsets. */
static void lay_out(shared_rows *s, const node_leaders *n)
{
	gemp_view *out = s->view;
	uint64_t sum = 0, before, all;
	size_t first, end;
	gemp_shared_range(&out->shared, out->rows + 1, &first, &end);
	memset(out->begin + first, 0, (end - first) * sizeof *out->begin);
	gemp_shared_fence(&out->shared);
	gemp_for_elements(s->graph->rows, set_sizes, s);
	gemp_shared_fence(&out->shared);
	if (n->between.size)
		gemp_comm_sum_long(&n->between, out->begin + 1, out->rows);
	gemp_shared_fence(&out->shared);
	gemp_prefix_inclusive(out->begin + first, end - first);
	sum = end > first ? out->begin[end - 1] : 0;
	gemp_shared_sums(&out->shared, &sum, &before, &all, 1);
	gemp_for_elements(end - first, shift_offsets, &(offset_task){ out, first, before });
	gemp_shared_fence(&out->shared);
}

gemp_code gemp_view_offsets_new(gemp_view *out, const gemp_comm *comm, const gemp_shard *graph,
                                const gemp_slot_order *order, const uint64_t *size)
{
	GEMP_OWNED_BY(free_leaders) node_leaders n = { 0 };
	shared_rows rows = { .view = out, .graph = graph, .order = order, .size = size };
	*out = (gemp_view){ .rows = (size_t)graph->vertex_count };
	if (share_offsets(out, comm, out->rows)) {
		const gemp_code code = find_leaders(&n, comm);
		if (code == GEMP_OK)
			lay_out(&rows, &n);
		else
			gemp_view_free(out);
		return code;
	}
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(out->begin, out->rows + 1)));
	gemp_for_elements(graph->rows, set_sizes, &rows);
	gemp_comm_sum_long(comm, out->begin + 1, out->rows);
	gemp_prefix_inclusive(out->begin, out->rows + 1);
	return GEMP_OK;
}

/* A copy of own rows from one view to another. A shared view has a row for each slot, any other view has a row for each
 * own vertex. */
typedef struct own_rows_copy {
	const shared_rows *rows;
	const gemp_view *from, *to;
} own_rows_copy;

static void copy_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const own_rows_copy *c = context;
	const shared_rows *s = c->rows;
	for (size_t v = begin; v < end; v++) {
		const size_t slot = s->order->slot_of[s->graph->first_vertex + v], size = (size_t)s->size[v];
		const uint64_t from = c->from->begin[c->from->shared.bytes ? slot : v];
		const uint64_t to = c->to->begin[c->to->shared.bytes ? slot : v];
		memcpy(c->to->neighbours + to, c->from->neighbours + from, size * sizeof *c->to->neighbours);
		if (c->to->edges)
			memcpy(c->to->edges + to, c->from->edges + from, size * sizeof *c->to->edges);
	}
}

/* Local. Copies own rows from the shared view to memory of this rank. */
static gemp_code set_aside(gemp_view *out, const shared_rows *s)
{
	out->rows = s->graph->rows;
	GEMP_TRY(GEMP_NEW(out->begin, out->rows + 1));
	memcpy(out->begin + 1, s->size, out->rows * sizeof *out->begin);
	gemp_prefix_inclusive(out->begin, out->rows + 1);
	GEMP_TRY(GEMP_NEW(out->neighbours, out->begin[out->rows] + 1));
	if (s->view->edges)
		GEMP_TRY(GEMP_NEW(out->edges, out->begin[out->rows] + 1));
	gemp_for_chunks(out->rows, COPIED_ROWS, copy_rows, &(own_rows_copy){ s, s->view, out });
	return GEMP_OK;
}

/* Collective. Rows that are shorter than their places are copied to a new view. If the shared memory cannot hold both
 * views, each rank holds its own rows while the new view replaces the old one. If there is no shared memory for the new
 * view, either, *shared becomes false, and *out is {0}. After an error *out is {0}, too. */
static gemp_code close_gaps(gemp_view *out, bool *shared, const gemp_comm *comm, shared_rows *s, const node_leaders *n)
{
	GEMP_OWNED_BY(gemp_view_free) gemp_view aside = { 0 };
	gemp_view exact = { 0 }, old = *out;
	const bool edges = old.edges != NULL;
	gemp_code code = GEMP_OK;
	uint64_t entries = 0;
	for (size_t v = 0; v < s->graph->rows; v++)
		entries += s->size[v];
	entries = gemp_comm_sum1(comm, entries);
	s->view = &old;
	*shared = gemp_view_share(&exact, comm, out->rows, (size_t)entries, edges);
	if (!*shared) {
		code = gemp_comm_agree(comm, set_aside(&aside, s));
		gemp_view_free(&old);
		*shared = code == GEMP_OK && gemp_view_share(&exact, comm, out->rows, (size_t)entries, edges);
	}
	if (*shared) {
		s->view = &exact;
		lay_out(s, n);
		gemp_for_chunks(s->graph->rows, COPIED_ROWS, copy_rows,
		                &(own_rows_copy){ s, aside.begin ? &aside : &old, &exact });
		gemp_shared_fence(&exact.shared);
		exact.loops = out->loops;
	}
	gemp_view_free(&old);
	*out = exact;
	return code;
}

/* Adds the time since `since` to the trace, and returns the current time. */
static double trace_step(const char *name, double since)
{
	gemp_trace_add(name, GEMP_LANE_HOST, since);
	return gemp_now();
}

/* Collective. If all nodes have shared memory for all rows, *shared becomes true, and the view gets all rows by slot.
 * Each rank makes its own rows at their places, and the first ranks of the nodes exchange the rows of other nodes. */
static gemp_code share_rows(gemp_view *out, bool *shared, const gemp_comm *comm, const gemp_shard *graph,
                            const gemp_slot_order *order, const gemp_view_key *key)
{
	GEMP_OWNED_BY(free_leaders) node_leaders n = { 0 };
	GEMP_OWNED uint64_t *size = NULL;
	uint64_t entries = 0;
	bool gaps = false;
	double since = gemp_now();
	gemp_code code = GEMP_NEW(size, graph->rows);
	GEMP_THEN(gemp_view_degrees(graph, key, size));
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t v = 0; v < graph->rows; v++)
		entries += size[v];
	entries = gemp_comm_sum1(comm, entries);
	*shared = gemp_view_share(out, comm, (size_t)graph->vertex_count, (size_t)entries, key->edges);
	since = trace_step("window of rows", since);
	if (!*shared)
		return GEMP_OK;
	GEMP_TRY(find_leaders(&n, comm));
	shared_rows rows = { .view = out, .graph = graph, .order = order, .size = size };
	lay_out(&rows, &n);
	since = trace_step("offsets of rows", since);
	GEMP_TRY(gemp_comm_agree(comm, gemp_view_fill_own(out, graph, order, key, size, &gaps)));
	gemp_shared_fence(&out->shared);
	since = trace_step("fill rows", since);
	if (gemp_comm_sum1(comm, gaps) > 0)
		GEMP_TRY(close_gaps(out, shared, comm, &rows, &n));
	trace_step("close gaps", since);
	if (!*shared || n.count == 1)
		return GEMP_OK;
	const row_exchange nodes = { &n.between, n.node_of, graph, order, out };
	GEMP_TRY(gemp_comm_agree(comm, n.between.size ? exchange_rows(&nodes, out->rows) : GEMP_OK));
	gemp_shared_fence(&out->shared);
	return GEMP_OK;
}

/* Without hot rows, or with one rank, the own rows are the whole view. */
gemp_code gemp_view_new(gemp_view *out, const gemp_comm *comm, const gemp_shard *graph, const gemp_slot_order *order,
                        const gemp_residency *residency, const gemp_view_key *key)
{
	GEMP_OWNED_BY(gemp_view_free) gemp_view own = { 0 };
	gemp_code code = GEMP_OK;
	bool shared = false;
	const double since = gemp_now();
	*out = (gemp_view){ 0 };
	if (comm->size > 1 && residency->hot >= graph->vertex_count && residency->hot)
		code = share_rows(out, &shared, comm, graph, order, key);
	if (code == GEMP_OK && !shared && residency->node)
		return GEMP_OK; /* the caller chooses fewer rows */
	if (!shared)
		GEMP_THEN(gemp_comm_agree(comm, gemp_view_own_rows(&own, graph, order, residency, key)));
	if (code == GEMP_OK && !shared && (residency->hot == 0 || comm->size == 1)) {
		*out = own;
		own = (gemp_view){ 0 };
	} else if (!shared) {
		GEMP_THEN(gather_rows(out, comm, graph, order, residency, &own));
	}
	gemp_trace_add("rows of a view", GEMP_LANE_HOST, since);
	if (code != GEMP_OK)
		gemp_view_free(out);
	return code;
}
