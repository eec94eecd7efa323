/* vertex_order: counts degrees, orders own vertices, and finds the ghosts of each rank (remote_vertices.h). On a grid
 * of several columns the same exchange finds the rows of other ranks' targets (make_sums). */

#include "analytics/layout/layout_state.h"
#include "analytics/layout/remote_vertices.h"
#include "comm/exchange.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/timer.h"
#include "primitive/sort.h"

/* Collective, with several columns. All ranks of a row of the grid have edges to the same vertices, so their counts are
 * added up. The ranks of a row own consecutive ids, so the counts of targets lie in the order of ranks. */
static gemp_code make_in_counts(gemp_layout_state *state)
{
	const gemp_shard *graph = state->graph;
	size_t ranks = (size_t)state->comm->size, columns = (size_t)state->out->grid.columns, own = graph->rows,
		   capacity = 0;
	size_t first = (size_t)state->comm->rank / columns * columns;
	GEMP_OWNED size_t *sizes = NULL;
	GEMP_OWNED uint64_t *counts = NULL;
	GEMP_OWNED void *received_count = NULL;
	GEMP_TRY(gemp_comm_agree(state->comm, gemp_new_all(GEMP_ARRAY(state->in_counts, own), GEMP_ARRAY(sizes, 2 * ranks),
	                                                   GEMP_ARRAY(counts, state->targets))));
	for (size_t to = 0; to < state->targets; to++)
		counts[to] = state->from_own[to] + state->from_ghost[to];
	for (size_t r = first; r < first + columns; r++)
		sizes[r] = (graph->bounds[r + 1] - graph->bounds[r]) * sizeof *counts;
	GEMP_TRY(gemp_exchange(state->comm, GEMP_OK, counts, sizes, &received_count, &capacity, sizes + ranks, NULL));
	for (size_t i = 0; i < columns * own; i++)
		state->in_counts[i % own] += ((const uint64_t *)received_count)[i];
	return GEMP_OK;
}

/* Does this rank have arcs to a target that another rank owns? */
static bool is_remote_target(const gemp_layout_state *state, size_t to)
{
	return !gemp_layout_is_own(state, to) && state->from_own[to] + state->from_ghost[to] > 0;
}

/* Lists the ids of remote targets in ascending order. */
static gemp_code list_remote_targets(gemp_remote_vertices *remote, const gemp_layout_state *state)
{
	for (size_t to = 0; to < state->targets; to++)
		remote->count += is_remote_target(state, to);
	GEMP_TRY(GEMP_NEW(remote->id, remote->count));
	for (size_t to = 0, i = 0; to < state->targets; to++)
		if (is_remote_target(state, to))
			remote->id[i++] = (uint32_t)(state->first + to);
	return GEMP_OK;
}

/* Numbers the rows of other ranks' targets in the order in which their sums are sent. */
static gemp_code place_other_rows(gemp_layout_state *state, const gemp_remote_vertices *remote)
{
	const gemp_layout *out = state->out;
	GEMP_TRY(GEMP_NEW(state->row, state->targets));
	memset(state->row, 0xff, state->targets * sizeof *state->row);
	memcpy(state->row + (state->graph->first_vertex - state->first), out->local, out->own * sizeof *state->row);
	for (size_t i = 0; i < remote->count; i++)
		state->row[remote->id[i] - state->first] = (uint32_t)i;
	state->others = (uint32_t)remote->count;
	return GEMP_OK;
}

/* Makes the links for sums. Only ranks of this row of the grid own remote targets or have requested targets from this
 * rank. */
static gemp_code link_sums(gemp_layout *out, const gemp_remote_vertices *remote)
{
	gemp_layout_links *sums = &out->sums;
	size_t columns = (size_t)out->grid.columns, first = (size_t)out->comm->rank / columns * columns;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(sums->send_begin, columns + 1), GEMP_ARRAY(sums->ghost_begin, columns + 1),
	                      GEMP_ARRAY(sums->send, remote->count)));
	for (size_t c = 0; c <= columns; c++) {
		sums->send_begin[c] = remote->begin[first + c];
		sums->ghost_begin[c] = out->known + (uint32_t)remote->request_begin[first + c];
	}
	for (size_t i = 0; i < remote->count; i++)
		sums->send[i] = (uint32_t)i;
	return GEMP_OK;
}

/* Sets the weight of the edge of a received sum to 1, in the layout's type of weights. */
static void set_weight_one(void *weight, gemp_layout_weights weights, uint64_t edge)
{
	const uint64_t integer = 1;
	const double wide = 1;
	const float narrow = 1;
	size_t size = gemp_layout_weight_size(weights);
	const void *one = &integer;
	if (weights == GEMP_LAYOUT_F32)
		one = &narrow;
	if (weights == GEMP_LAYOUT_F64)
		one = &wide;
	memcpy((char *)weight + edge * size, one, size);
}

/* Makes in_sums: the ends of an own row are the places behind the known vertices where sums for the row arrive. */
static gemp_code row_sums(gemp_layout *out, const gemp_remote_vertices *remote)
{
	gemp_layout_rows *rows = &out->in_sums;
	uint64_t received_count = remote->request_begin[out->comm->size];
	GEMP_OWNED uint64_t *next = NULL;
	size_t size = gemp_layout_weight_size(out->weights);
	rows->rows = out->own;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(rows->begin, (size_t)out->own + 1), GEMP_ARRAY(next, out->own)));
	for (uint64_t i = 0; i < received_count; i++)
		rows->begin[remote->requested[i] + 1]++;
	GEMP_TRY(gemp_layout_new_ends(rows, out->weights));
	memcpy(next, rows->begin, out->own * sizeof *next);
	for (uint64_t i = 0; i < received_count; i++) {
		rows->end[next[remote->requested[i]]++] = out->known + (uint32_t)i;
		if (size)
			set_weight_one(rows->weight, out->weights, i);
	}
	return GEMP_OK;
}

/* Collective. Makes rows for other ranks' targets, sums and in_sums. Own vertices are in order already. */
static gemp_code make_sums(gemp_layout_state *state)
{
	GEMP_OWNED_BY(gemp_remote_vertices_free) gemp_remote_vertices remote = { 0 };
	GEMP_TRY(gemp_comm_agree(state->comm, list_remote_targets(&remote, state)));
	GEMP_TRY(gemp_remote_vertices_locate(&remote, state->out));
	gemp_code code = place_other_rows(state, &remote);
	GEMP_THEN(link_sums(state->out, &remote));
	GEMP_THEN(row_sums(state->out, &remote));
	return gemp_comm_agree(state->comm, code);
}

/* DEGREES, AND THE ORDER OF OWN VERTICES */

/* Counts the arcs to each row of a range, from own and from remote sources, and marks remote sources as ghosts. A range
 * belongs to one thread, but all threads set bits of ghosts. */
static void count_range(void *context, unsigned thread, size_t range)
{
	(void)thread;
	const gemp_layout_state *state = context;
	const gemp_layout_arcs *arcs = &state->arcs;
	for (uint64_t i = arcs->begin[range]; i < arcs->begin[range + 1]; i++) {
		const uint32_t *arc = arcs->word + i * arcs->words;
		if (arc[ARC_FROM] - state->graph->first_vertex < state->graph->rows) {
			state->from_own[arc[ARC_TO]]++;
			continue;
		}
		state->from_ghost[arc[ARC_TO]]++;
		gemp_bits64_set_atomic(state->ghosts.words, arc[ARC_FROM]);
	}
}

static void mark_ghosts(const gemp_layout_state *state, const gemp_vertex *ids, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++)
		gemp_bits64_set_atomic(state->ghosts.words, ids[i]);
}

/* If all rows by target are here, their lengths are the numbers of arcs. Ids ascend, so own sources are one part of a
 * row. */
static void count_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const gemp_layout_state *state = context;
	const bool several = state->comm->size > 1;
	for (size_t row = begin; row < end; row++)
		for (size_t l = 0; l < state->list_count; l++) {
			const gemp_id_rows *list = &state->in_lists[l];
			const gemp_vertex *ids = list->ids + list->begin[row];
			const size_t count = (size_t)(list->begin[row + 1] - list->begin[row]);
			const gemp_block_range own = several ? gemp_layout_own_part(state, ids, count)
			                                     : (gemp_block_range){ 0, count };
			state->from_own[row] += own.end - own.begin - gemp_layout_dropped(state, list, row);
			state->from_ghost[row] += count - (own.end - own.begin);
			mark_ghosts(state, ids, 0, (size_t)own.begin);
			mark_ghosts(state, ids, (size_t)own.end, count);
		}
}

typedef struct order_task {
	gemp_layout_state *state;
	uint64_t *out_degree; /* [own] by row; NULL: the same as the in-degree */
	uint32_t *key;        /* [own] sort keys: the rank of the vertex's key, then the complement of the degree */
	uint32_t *row;        /* [own] rows, sorted by key[] */
} order_task;

/* With several columns this rank has only some of the edges to its vertices, and in_counts[] counts the edges of all
 * ranks. */
static uint64_t in_degree_of(const gemp_layout_state *state, size_t row)
{
	return state->in_counts ? state->in_counts[row] : state->from_own[row] + state->from_ghost[row];
}

/* load() has loaded the rows by target of the types that lead backward. */
static uint64_t count_out_degree(const gemp_layout_state *state, size_t row)
{
	uint64_t out_degree = 0;
	for (size_t l = 0; l < state->list_count; l++) {
		const gemp_id_rows *list = &state->out_lists[l];
		out_degree += list->begin[row + 1] - list->begin[row] - gemp_layout_dropped(state, list, row);
	}
	return out_degree;
}

static void list_out_degrees(void *context, size_t begin, size_t end)
{
	const order_task *o = context;
	for (size_t row = begin; row < end; row++)
		o->out_degree[row] = count_out_degree(o->state, row);
}

static uint64_t out_degree_of(const order_task *o, size_t row)
{
	return o->out_degree ? o->out_degree[row] : in_degree_of(o->state, row);
}

/* A single rank knows all vertices, so the ranks of their keys are the places in the sorted order. */
static void place_by_key(void *context, size_t begin, size_t end)
{
	const order_task *o = context;
	for (size_t row = begin; row < end; row++)
		o->row[o->state->graph->key_ranks[row]] = (uint32_t)row;
}

static void list_rows(void *context, size_t begin, size_t end)
{
	const order_task *o = context;
	for (size_t row = begin; row < end; row++)
		o->row[row] = (uint32_t)row;
}

/* Sets the key of each row. out->local[] holds it until the order is known. */
static void list_degrees(void *context, size_t begin, size_t end)
{
	const order_task *o = context;
	for (size_t row = begin; row < end; row++) {
		uint64_t degree = out_degree_of(o, row) + in_degree_of(o->state, row);
		o->state->out->local[row] = ~(degree < UINT32_MAX ? (uint32_t)degree : UINT32_MAX);
	}
}

static void gather_keys(void *context, size_t begin, size_t end)
{
	const order_task *o = context;
	for (size_t i = begin; i < end; i++)
		o->key[i] = o->state->out->local[o->row[i]];
}

/* Vertices of equal degree are ordered by their keys, so the order does not depend on ids and on the file's seed. The
 * sort by degree is stable. */
static gemp_code sort_rows(order_task *o)
{
	const gemp_shard *graph = o->state->graph;
	const gemp_sort by_key = { .key = GEMP_KEY_U32, .value_size = sizeof *o->row };
	if (o->state->comm->size == 1) {
		gemp_for_elements(graph->rows, place_by_key, o);
	} else {
		memcpy(o->key, graph->key_ranks, graph->rows * sizeof *o->key);
		gemp_for_elements(graph->rows, list_rows, o);
		GEMP_TRY(gemp_sort_host(&by_key, o->key, o->row, graph->rows));
	}
	gemp_for_elements(graph->rows, list_degrees, o);
	gemp_for_elements(graph->rows, gather_keys, o);
	return gemp_sort_host(&by_key, o->key, o->row, graph->rows);
}

/* Sets the arrays that are indexed by local vertex, and local[], which maps rows to local vertices. */
static void place_own_rows(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const order_task *o = context;
	gemp_layout *out = o->state->out;
	for (size_t v = begin; v < end; v++) {
		uint32_t row = o->row[v];
		out->local[row] = (uint32_t)v;
		out->id[v] = (gemp_vertex)(o->state->graph->first_vertex + row);
		out->key_rank[v] = o->state->graph->key_ranks[row];
		out->out_degree[v] = out_degree_of(o, row);
	}
}

/* Local. out->known is set already, so the arrays have elements for ghosts, too. */
static gemp_code order_own(gemp_layout_state *state)
{
	gemp_code code = GEMP_OK;
	gemp_layout *out = state->out;
	order_task o = { .state = state };
	GEMP_TRY_DONE(gemp_new_all(GEMP_ARRAY(out->id, out->known), GEMP_ARRAY(out->key_rank, out->known),
	                           GEMP_ARRAY(out->local, out->own), GEMP_ARRAY(out->out_degree, out->own),
	                           GEMP_ARRAY(o.key, out->own), GEMP_ARRAY(o.row, out->own)));
	if (!out->symmetric) {
		GEMP_TRY_DONE(GEMP_NEW(o.out_degree, out->own));
		gemp_for_elements(out->own, list_out_degrees, &o);
	}
	GEMP_TRY_DONE(sort_rows(&o));
	gemp_for_ranges(out->own, place_own_rows, &o);
done:
	gemp_free_all(o.out_degree, o.key, o.row);
	return code;
}

/* GHOSTS */

typedef struct ghost_task {
	const gemp_layout_state *state;
	gemp_remote_vertices *remote;
} ghost_task;

/* Lists the ids of ghosts in the blocks [begin, end) of the bitmap, in ascending order. */
static void list_ghosts(void *context, size_t begin, size_t end)
{
	const ghost_task *g = context;
	const gemp_rank_bitmap *ghosts = &g->state->ghosts;
	const uint64_t last = gemp_min(end * (uint64_t)GEMP_RANK_WORDS, ghosts->count / 64 + 1);
	uint64_t i = ghosts->before[begin];
	for (uint64_t w = begin * (uint64_t)GEMP_RANK_WORDS; w < last; w++)
		for (uint64_t bits = ghosts->words[w]; bits; bits &= bits - 1)
			g->remote->id[i++] = (uint32_t)(w * 64 + (unsigned)__builtin_ctzll(bits));
}

/* Sets the arrays that are indexed by ghost. */
static void place_ghosts(void *context, size_t begin, size_t end)
{
	const ghost_task *task = context;
	const gemp_layout_state *state = task->state;
	gemp_layout *out = state->out;
	for (size_t g = begin; g < end; g++) {
		const uint32_t id = task->remote->id[g];
		state->ghost_local[gemp_rank_bitmap_rank(&state->ghosts, id)] = out->own + (uint32_t)g;
		out->id[out->own + g] = id;
		out->key_rank[out->own + g] = task->remote->key_rank[g];
	}
}

/* Collective. Numbers the ghosts and makes the links. The vertices that other ranks have requested are the vertices
 * that this rank sends. */
static gemp_code locate_ghosts(gemp_layout_state *state)
{
	gemp_layout *out = state->out;
	GEMP_OWNED_BY(gemp_remote_vertices_free) gemp_remote_vertices remote = { .count = out->known - out->own };
	ghost_task task = { state, &remote };
	GEMP_TRY(gemp_comm_agree(
		state->comm, gemp_new_all(GEMP_ARRAY(remote.id, remote.count), GEMP_ARRAY(state->ghost_local, remote.count))));
	gemp_for_elements((size_t)(state->ghosts.count / (64 * GEMP_RANK_WORDS)) + 1, list_ghosts, &task);
	const double since = gemp_now();
	GEMP_TRY(gemp_remote_vertices_locate(&remote, out));
	gemp_trace_add("locate ghosts", GEMP_LANE_HOST, since);
	memcpy(out->links.send_begin, remote.request_begin, ((size_t)state->comm->size + 1) * sizeof *remote.request_begin);
	out->links.send = remote.requested;
	remote.requested = NULL;
	for (int r = 0; r <= out->comm->size; r++)
		out->links.ghost_begin[r] = out->own + remote.begin[r];
	gemp_for_elements(remote.count, place_ghosts, &task);
	return GEMP_OK;
}

/* Collective. Counts arcs and marks ghosts, orders own vertices, and then locates ghosts, which are in the order of
 * their owners. On a grid of several columns the rows of other ranks' targets come last, because they need local
 * numbers. */
gemp_code gemp_layout_make_order(gemp_layout_state *state)
{
	gemp_layout *out = state->out;
	bool several = state->comm->size > 1;
	size_t bounds = (size_t)state->comm->size + 1;
	out->own = (uint32_t)state->graph->rows;
	gemp_code code = gemp_new_all(
		GEMP_ARRAY(state->from_own, state->targets), GEMP_ARRAY(state->from_ghost, state->targets),
		GEMP_ARRAY(out->links.send_begin, bounds), GEMP_ARRAY(out->links.ghost_begin, bounds));
	if (several)
		GEMP_THEN(gemp_rank_bitmap_new(&state->ghosts, out->vertices));
	GEMP_TRY(gemp_comm_agree(state->comm, code));
	const double since = gemp_now();
	if (state->listed)
		gemp_for_ranges(out->own, count_rows, state);
	else
		gemp_parallel_for(state->arcs.ranges, count_range, state);
	gemp_trace_add("count arcs", GEMP_LANE_HOST, since);
	out->known = out->own + (several ? (uint32_t)gemp_rank_bitmap_count(&state->ghosts) : 0);
	out->links.ghost_begin[0] = out->links.ghost_begin[1] = out->own;
	if (out->grid.columns > 1)
		GEMP_TRY(make_in_counts(state));
	GEMP_TRY(gemp_comm_agree(state->comm, order_own(state)));
	if (several)
		GEMP_TRY(locate_ghosts(state));
	return out->grid.columns > 1 ? make_sums(state) : GEMP_OK;
}
