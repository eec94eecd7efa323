/* Makes the own rows of a view. row_of[rows] gives the row of an own vertex. At first begin[rows + 1] gives each row a
 * place in neighbours[] and edges[] with as many entries as its vertex has, and the row is filled there. Dropped loops
 * and merged parallel edges leave gaps. If there are gaps, one thread closes them at the end.
 *
 * All threads work on different rows. A row is gathered from the relations into its place and sorted there, so little
 * more memory is needed than for the view itself. Rows are made in the order of ids, since the relations have this
 * order and are then read sequentially. */

#include "partition/views/view_rows.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "partition/build/row_builder.h"

#include <stdatomic.h>
#include <string.h>

enum {
	CHUNK = 1 << 16, /* entries that a thread takes at a time, approximately */
	LONG = 1 << 20,  /* entries; one thread alone sorts longer rows, so the spare memory of each thread is limited */
};

/* A view that all threads fill row by row, with spare memory for each thread. */
typedef struct view_fill {
	const gemp_shard *graph;
	const gemp_slot_order *order;
	const gemp_view_key *key;
	const gemp_view_lists *lists;
	gemp_view *view;
	uint64_t *row_of;         /* [graph->rows] the row of each own vertex; rows are in the order of own slots */
	uint64_t *size;           /* [graph->rows] length of the row of each own vertex */
	unsigned bits;            /* bits of the largest slot */
	size_t chunks, chunk;     /* number of chunks, and rows of each chunk */
	size_t spare;             /* entries of each thread's spare memory */
	gemp_vertex *spare_slots; /* [threads][spare] */
	gemp_edge *spare_edges;   /* [threads][spare] or NULL */
	const gemp_vertex *own_slots;
	atomic_bool loops;
	atomic_bool gaps;         /* some row is shorter than its place */
	_Atomic uint64_t longest; /* entries of the longest row */
} view_fill;

/* The loop has no branch for loops of the graph: an entry is always written, but only a kept entry advances `taken`. */
static size_t append_entries(const view_fill *f, const gemp_view_list *from, size_t v, gemp_vertex *slots,
                             gemp_edge *edges)
{
	const gemp_vertex self = (gemp_vertex)(f->graph->first_vertex + v);
	size_t taken = 0;
	for (uint64_t i = from->offsets[v]; i < from->offsets[v + 1]; i++) {
		gemp_vertex id = from->neighbours[i];
		slots[taken] = f->order->slot_of[id];
		if (edges)
			edges[taken] = from->first + (from->numbers ? from->numbers[i] : i);
		taken += !(from->drops_loops && id == self);
	}
	return taken;
}

static size_t gather(const view_fill *f, size_t v, gemp_vertex *slots, gemp_edge *edges)
{
	size_t count = 0;
	for (size_t k = 0; k < f->lists->count; k++)
		count += append_entries(f, &f->lists->list[k], v, slots + count, edges ? edges + count : NULL);
	return count;
}

/* Parallel entries of a sorted row become one entry with the smallest edge. */
static size_t merge(gemp_vertex *slots, gemp_edge *edges, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		if (kept && slots[kept - 1] == slots[i]) {
			if (edges && edges[kept - 1] > edges[i])
				edges[kept - 1] = edges[i];
			continue;
		}
		slots[kept] = slots[i];
		if (edges)
			edges[kept] = edges[i];
		kept++;
	}
	return kept;
}

/* Returns whether the row has the slot as a neighbour. The row is sorted. */
static bool names(const gemp_vertex *slots, size_t count, gemp_vertex slot)
{
	size_t low = gemp_lower_bound_u32(slots, count, slot);
	return low < count && slots[low] == slot;
}

/* Gathers, sorts and merges one row in its place in the view. */
static void fill_row(view_fill *f, size_t v, gemp_vertex *spare_slots, gemp_edge *spare_edges)
{
	gemp_view *view = f->view;
	uint64_t row = f->row_of[v];
	gemp_vertex *slots = view->neighbours + view->begin[row];
	gemp_edge *edges = view->edges ? view->edges + view->begin[row] : NULL;
	size_t count = gather(f, v, slots, edges);
	gemp_row_sort(slots, edges, count, f->bits, spare_slots, spare_edges);
	if (f->key->simple)
		count = merge(slots, edges, count);
	else if (names(slots, count, f->order->slot_of[f->graph->first_vertex + v]))
		atomic_store_explicit(&f->loops, true, memory_order_relaxed);
	f->size[v] = count;
	if (count < view->begin[row + 1] - view->begin[row])
		atomic_store_explicit(&f->gaps, true, memory_order_relaxed);
}

/* Returns the length of the row's place, which is the degree with loops and parallel edges. */
static uint64_t max_degree(const view_fill *f, size_t v)
{
	uint64_t row = f->row_of[v];
	return f->view->begin[row + 1] - f->view->begin[row];
}

/* Ids are random unless a partitioner has assigned them, so chunks with the same number of rows have about the same
 * number of entries. */
static void fill_chunk(void *context, unsigned thread, size_t chunk)
{
	view_fill *f = context;
	gemp_vertex *slots = f->spare_slots + thread * f->spare;
	gemp_edge *edges = f->spare_edges ? f->spare_edges + thread * f->spare : NULL;
	size_t end = (chunk + 1) * f->chunk < f->graph->rows ? (chunk + 1) * f->chunk : f->graph->rows;
	for (size_t v = chunk * f->chunk; v < end; v++)
		if (max_degree(f, v) <= LONG)
			fill_row(f, v, slots, edges);
}

/* One thread fills the long rows, with spare memory for the longest row. */
static gemp_code fill_long_rows(view_fill *f)
{
	GEMP_OWNED gemp_vertex *slots = NULL;
	GEMP_OWNED gemp_edge *edges = NULL;
	if (f->longest <= LONG)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(slots, f->longest));
	if (f->key->edges)
		GEMP_TRY(GEMP_NEW(edges, f->longest));
	for (size_t v = 0; v < f->graph->rows; v++)
		if (max_degree(f, v) > LONG)
			fill_row(f, v, slots, edges);
	return GEMP_OK;
}

/* Moves the rows together where dropped entries have left gaps. */
static void close_gaps(view_fill *f)
{
	gemp_view *view = f->view;
	uint64_t to = 0, from = 0, next;
	for (size_t row = 0; row < view->rows; row++, from = next) {
		const uint64_t size = f->size[f->order->id_of[f->own_slots[row]] - f->graph->first_vertex];
		next = view->begin[row + 1];
		if (to < from) {
			memmove(view->neighbours + to, view->neighbours + from, size * sizeof *view->neighbours);
			if (view->edges)
				memmove(view->edges + to, view->edges + from, size * sizeof *view->edges);
		}
		to += size;
		view->begin[row + 1] = to;
	}
}

/* row_of has the degrees of the vertices. They become the sizes of places in begin[], and row_of gets the rows. */
static void place_rows(void *context, size_t begin, size_t end)
{
	view_fill *f = context;
	uint64_t longest = 0, seen = atomic_load_explicit(&f->longest, memory_order_relaxed);
	for (size_t row = begin; row < end; row++) {
		size_t v = (size_t)(f->order->id_of[f->own_slots[row]] - f->graph->first_vertex);
		f->view->begin[row + 1] = f->row_of[v];
		longest = f->row_of[v] > longest ? f->row_of[v] : longest;
		f->row_of[v] = row;
	}
	while (longest > seen && !atomic_compare_exchange_weak(&f->longest, &seen, longest))
		;
}

/* Cuts the rows, which have so many entries, into chunks, and allocates the memory of threads. */
static gemp_code allocate_spare(view_fill *f, uint64_t entries)
{
	f->chunks = (size_t)(entries / CHUNK) + 1;
	f->chunk = (f->graph->rows + f->chunks - 1) / f->chunks;
	f->spare = (size_t)gemp_min(f->longest + 1, (uint64_t)LONG);
	const size_t threads = f->chunks > 1 ? gemp_threads() : 1;
	GEMP_TRY(GEMP_NEW(f->spare_slots, threads * f->spare));
	return f->key->edges ? GEMP_NEW(f->spare_edges, threads * f->spare) : GEMP_OK;
}

/* Allocates places for the maximum number of entries of each row. At the call row_of has the degrees. */
static gemp_code allocate_rows(view_fill *f, const gemp_residency *residency)
{
	gemp_view *view = f->view;
	view->rows = f->graph->rows;
	GEMP_TRY(GEMP_NEW(view->begin, view->rows + 1));
	f->own_slots = residency->own_slots;
	gemp_for_elements(view->rows, place_rows, f);
	gemp_prefix_inclusive(view->begin, view->rows + 1);
	uint64_t entries = view->begin[view->rows];
	GEMP_TRY(GEMP_NEW(view->neighbours, entries + 1));
	if (f->key->edges)
		GEMP_TRY(GEMP_NEW(view->edges, entries + 1));
	return allocate_spare(f, entries);
}

static void free_fill(view_fill *f)
{
	gemp_free_all(f->row_of, f->size, f->spare_slots, f->spare_edges);
}

/* Fills all rows. Long rows are filled first, by one thread. Their spare memory is freed before all threads fill the
 * other rows. */
static gemp_code fill_rows(view_fill *f)
{
	GEMP_TRY(fill_long_rows(f));
	gemp_parallel_for(f->chunks, fill_chunk, f);
	f->view->loops = f->loops;
	return GEMP_OK;
}

/* Takes a view_fill with graph, order, key, lists and view. */
static gemp_code begin_fill(view_fill *f, gemp_view_lists *lists)
{
	const gemp_shard *graph = f->graph;
	while (f->bits < 32 && graph->vertex_count >> f->bits)
		f->bits++;
	for (size_t r = 0; r < graph->relation_count; r++)
		GEMP_CHECK(!f->key->edges || !f->key->relations[r] || f->key->direction == GEMP_VIEW_OUT ||
		           graph->relations[r].in_edges);
	GEMP_TRY(gemp_view_lists_new(lists, graph, f->key));
	f->lists = lists;
	return GEMP_NEW(f->row_of, graph->rows);
}

gemp_code gemp_view_own_rows(gemp_view *own, const gemp_shard *graph, const gemp_slot_order *order,
                             const gemp_residency *residency, const gemp_view_key *key)
{
	GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists lists = { 0 };
	GEMP_OWNED_BY(free_fill) view_fill f = { .graph = graph, .order = order, .key = key, .view = own };
	GEMP_TRY(begin_fill(&f, &lists));
	GEMP_TRY(GEMP_NEW(f.size, graph->rows));
	GEMP_TRY(gemp_view_degrees(graph, key, f.row_of));
	GEMP_TRY(allocate_rows(&f, residency));
	GEMP_TRY(fill_rows(&f));
	if (f.gaps)
		close_gaps(&f);
	return GEMP_OK;
}

/* In a view of all rows, the row of a vertex is its slot. */
static void place_slots(void *context, size_t begin, size_t end)
{
	view_fill *f = context;
	uint64_t longest = 0, seen = atomic_load_explicit(&f->longest, memory_order_relaxed);
	for (size_t v = begin; v < end; v++) {
		f->row_of[v] = f->order->slot_of[f->graph->first_vertex + v];
		longest = gemp_max(longest, f->size[v]);
	}
	while (longest > seen && !atomic_compare_exchange_weak(&f->longest, &seen, longest))
		;
}

/* size[] is the caller's, so it is not freed here. */
gemp_code gemp_view_fill_own(gemp_view *view, const gemp_shard *graph, const gemp_slot_order *order,
                             const gemp_view_key *key, uint64_t *size, bool *gaps)
{
	GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists lists = { 0 };
	GEMP_OWNED_BY(free_fill) view_fill f = { .graph = graph, .order = order, .key = key, .view = view };
	gemp_code code = begin_fill(&f, &lists);
	f.size = size;
	if (code == GEMP_OK)
		gemp_for_elements(graph->rows, place_slots, &f);
	GEMP_THEN(allocate_spare(&f, gemp_view_entries(&lists, 0, graph->rows)));
	GEMP_THEN(fill_rows(&f));
	*gaps = f.gaps;
	f.size = NULL;
	return code;
}

/* INDEXES */

static bool has_twin(const void *self, size_t v)
{
	const gemp_row_index *index = self;
	for (uint64_t i = index->offsets[v] + 1; i < index->offsets[v + 1]; i++)
		if (index->neighbours[i] == index->neighbours[i - 1])
			return true;
	return false;
}

/* Collective. Degrees of 0 number the slots by ids. */
static gemp_code order_by_id(gemp_slot_order *out, const gemp_comm *comm, const gemp_shard *graph)
{
	GEMP_OWNED uint64_t *degree = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(degree, graph->rows)));
	return gemp_slot_order_new(out, comm, graph, degree);
}

gemp_code gemp_row_index_make(gemp_row_index *index, const gemp_comm *comm, gemp_shard *graph)
{
	GEMP_OWNED_BY(gemp_slot_order_free) gemp_slot_order order = { 0 };
	GEMP_OWNED_BY(gemp_residency_free) gemp_residency residency = { 0 };
	GEMP_OWNED_BY(gemp_view_free) gemp_view view = { 0 };
	const gemp_view_key key = { .relations = index->relations,
		                        .direction = index->part == GEMP_LOAD_OUT  ? GEMP_VIEW_OUT
		                                     : index->part == GEMP_LOAD_IN ? GEMP_VIEW_IN
		                                                                   : GEMP_VIEW_EITHER };
	for (size_t r = 0; r < graph->relation_count; r++)
		if (index->relations[r])
			GEMP_TRY(gemp_shard_load_relation(graph, r, gemp_view_parts(key.direction)));
	GEMP_TRY(order_by_id(&order, comm, graph));
	gemp_code code = gemp_residency_new(&residency, graph, &order, 0);
	GEMP_THEN(gemp_view_own_rows(&view, graph, &order, &residency, &key));
	GEMP_TRY(gemp_comm_agree(comm, code));
	index->offsets = view.begin;
	index->neighbours = view.neighbours;
	view.begin = NULL;
	view.neighbours = NULL;
	index->entries = gemp_comm_sum1(comm, index->offsets[graph->rows]);
	index->multigraph = gemp_comm_sum1(comm, gemp_any(graph->rows, has_twin, index)) > 0;
	return GEMP_OK;
}
