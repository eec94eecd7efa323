/* layout_lists: makes a layout from the rows of the graph, which are renumbered. The numbers of arcs to and from each
 * vertex are known already.
 *
 * A single rank without weights has the rows of all vertices (partition/views/renumber.h). If a device will renumber
 * them, only offsets are made here. In all other cases a rank has all arcs to its own rows. It maps and sorts each row,
 * own sources and ghosts apart. */

#include "analytics/layout/layout_state.h"
#include "analytics/layout/list_device.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "core/vector.h"
#include "partition/build/row_builder.h"

#include <stdatomic.h>

typedef struct count_task {
	const gemp_layout_state *state;
	uint64_t *in, *out; /* offsets; `out` may be NULL; of several ranks of `in` and `in_ghost` */
	_Atomic uint64_t longest;
} count_task;

static void raise_longest(count_task *c, uint64_t longest)
{
	uint64_t known = atomic_load_explicit(&c->longest, memory_order_relaxed);
	while (longest > known && !atomic_compare_exchange_weak(&c->longest, &known, longest))
		;
}

/* Writes the number of arcs of each row behind the offset of the row. In a symmetric layout as many arcs leave a vertex
 * as lead to it, and out_degree[] is in the order of the rows. */
static void set_counts(void *context, size_t begin, size_t end)
{
	count_task *c = context;
	const gemp_layout *layout = c->state->out;
	uint64_t longest = 0;
	for (size_t v = begin; v < end; v++) {
		c->in[v + 1] = layout->symmetric ? layout->out_degree[v] : c->state->from_own[layout->id[v]];
		if (c->out)
			c->out[v + 1] = layout->out_degree[v];
		longest = gemp_max(longest, gemp_max(c->in[v + 1], layout->out_degree[v]));
	}
	raise_longest(c, longest);
}

/* An edge that leads both ways is in both lists of its type, but a loop is taken from one list only. */
gemp_code gemp_layout_list_types(gemp_layout_state *state)
{
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(state->in_lists, 2 * state->type_count),
	                      GEMP_ARRAY(state->out_lists, 2 * state->type_count)));
	for (size_t t = 0; t < state->type_count; t++) {
		const gemp_layout_type *type = &state->types[t];
		const gemp_relation *relation = type->relation;
		gemp_id_rows by_source = { relation->out_offsets, relation->out_targets, false };
		gemp_id_rows by_target = { relation->in_offsets, relation->in_sources, false };
		if (type->merged) {
			const gemp_id_rows merged = { relation->either_offsets, relation->either_neighbours, false };
			state->in_lists[state->list_count] = state->out_lists[state->list_count] = merged;
			state->list_count++;
			continue;
		}
		if (type->forward) {
			state->in_lists[state->list_count] = by_target;
			state->out_lists[state->list_count++] = by_source;
		}
		if (type->backward) {
			by_source.drop_loops = by_target.drop_loops = type->forward;
			state->in_lists[state->list_count] = by_source;
			state->out_lists[state->list_count++] = by_target;
		}
	}
	return GEMP_OK;
}

/* A SINGLE RANK WITHOUT WEIGHTS */

/* Allocates and sets the offsets of rows. There are no ghosts, so the rows of in_ghost are empty. */
static gemp_code set_offsets(gemp_layout_state *state, unsigned parts, uint64_t *longest)
{
	gemp_layout *out = state->out;
	count_task c = { .state = state };
	bool apart = parts & GEMP_LAYOUT_OUT && !out->symmetric;
	out->in.rows = out->in_ghost.rows = out->own;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(out->in.begin, (size_t)out->own + 1),
	                      GEMP_ARRAY(out->in_ghost.begin, (size_t)out->own + 1)));
	if (apart) {
		out->out.rows = out->own;
		GEMP_TRY(GEMP_NEW(out->out.begin, (size_t)out->own + 1));
	}
	c.in = out->in.begin;
	c.out = out->out.begin;
	gemp_for_elements(out->own, set_counts, &c);
	gemp_prefix_inclusive(c.in, (size_t)out->own + 1);
	if (apart)
		gemp_prefix_inclusive(c.out, (size_t)out->own + 1);
	else if (parts & GEMP_LAYOUT_OUT)
		out->out = out->in;
	*longest = c.longest;
	return GEMP_OK;
}

/* Makes the ends of rows on the host. */
static gemp_code make_ends(const gemp_layout_state *state, gemp_layout_rows *rows, const gemp_id_rows *lists,
                           uint64_t longest)
{
	const gemp_layout *out = state->out;
	const gemp_renumber renumber = { .lists = lists,
		                             .list_count = state->list_count,
		                             .vertices = out->own,
		                             .row_of = out->id,
		                             .numbers = out->own,
		                             .number_of = out->local,
		                             .begin = rows->begin };
	GEMP_TRY(GEMP_NEW(rows->end, gemp_layout_row_edges(rows)));
	return gemp_renumber_rows(&renumber, longest, rows->end);
}

/* The layout keeps the lists only for a device. */
static gemp_code renumber_lists(gemp_layout_state *state, const gemp_device *device, unsigned parts)
{
	gemp_layout *out = state->out;
	bool apart = parts & GEMP_LAYOUT_OUT && !out->symmetric;
	uint64_t longest;
	GEMP_TRY(set_offsets(state, parts, &longest));
	state->arcs.count = gemp_layout_row_edges(&out->in);
	if (device && gemp_renumber_possible(device, out->own,
	                                     state->arcs.count * (apart && parts & GEMP_LAYOUT_IN ? 2 : 1), longest)) {
		out->in_lists = state->in_lists;
		out->out_lists = state->out_lists;
		out->list_count = state->list_count;
		state->in_lists = state->out_lists = NULL;
		return GEMP_OK;
	}
	if (parts & GEMP_LAYOUT_IN || !apart)
		GEMP_TRY(make_ends(state, &out->in, state->in_lists, longest));
	GEMP_TRY(GEMP_NEW(out->in_ghost.end, 0));
	if (apart)
		GEMP_TRY(make_ends(state, &out->out, state->out_lists, longest));
	else if (parts & GEMP_LAYOUT_OUT)
		out->out = out->in;
	return GEMP_OK;
}

/* ROWS OF ANY RANK */

enum { ENTRIES = 1 << 16 }; /* entries of the rows that a thread makes at a time */

typedef struct row_task {
	const gemp_layout_state *state;
	unsigned bits;    /* bits of the largest local vertex */
	size_t longest;   /* entries of the longest row of `in` or `in_ghost` */
	uint32_t *spare;  /* [threads][longest] */
	uint64_t *values; /* [threads][2][longest] weights of a row, and spare memory; NULL: unweighted */
} row_task;

/* The number of entries of the rows before `row`. */
static uint64_t entries_before(const gemp_layout *layout, size_t row)
{
	return layout->in.begin[row] + layout->in_ghost.begin[row];
}

/* The first row that begins at or behind `entry`. */
static size_t row_behind(const gemp_layout *layout, uint64_t entry)
{
	size_t row;
	GEMP_PARTITION_POINT(row, 0, layout->own, entries_before(layout, row) < entry);
	return row;
}

/* Writes the local numbers of ghosts. Most of the time is spent in counting bits. */
GEMP_VECTOR_BODY void map_ghosts_loop(const gemp_layout_state *state, const gemp_vertex *ids, size_t count,
                                      uint32_t *to)
{
	for (size_t i = 0; i < count; i++)
		to[i] = state->ghost_local[gemp_rank_bitmap_rank(&state->ghosts, ids[i])];
}
GEMP_VECTOR_LOOP(map_ghosts, (const gemp_layout_state *state, const gemp_vertex *ids, size_t count, uint32_t *to),
                 (state, ids, count, to))

/* A row in the making. */
typedef struct row_part {
	const row_task *task;
	size_t row;       /* of the graph */
	uint32_t *end;    /* its ends so far */
	uint64_t *values; /* their weights; NULL: unweighted */
	size_t count;
} row_part;

/* Appends own sources, which are the entries [begin, end) of a list. */
static void add_own(row_part *p, size_t l, uint64_t begin, uint64_t end)
{
	const gemp_layout_state *state = p->task->state;
	const gemp_id_rows *list = &state->in_lists[l];
	const size_t size = gemp_layout_weight_size(state->out->weights);
	for (uint64_t e = begin; e < end; e++) {
		const size_t source = (size_t)(list->ids[e] - state->graph->first_vertex);
		if (list->drop_loops && source == p->row)
			continue;
		if (p->values)
			memcpy(&p->values[p->count], (const char *)state->in_weights[l] + e * size, size);
		p->end[p->count++] = state->out->local[source];
	}
}

static void add_ghosts(row_part *p, size_t l, uint64_t begin, uint64_t end)
{
	const gemp_layout_state *state = p->task->state;
	const size_t size = gemp_layout_weight_size(state->out->weights);
	map_ghosts(state, state->in_lists[l].ids + begin, (size_t)(end - begin), p->end + p->count);
	for (uint64_t e = begin; p->values && e < end; e++)
		memcpy(&p->values[p->count + (e - begin)], (const char *)state->in_weights[l] + e * size, size);
	p->count += (size_t)(end - begin);
}

/* Makes a row of `in` or of `in_ghost`. On little-endian machines the lowest bytes of a value come first. */
static void make_row(const row_task *t, unsigned thread, size_t v, bool ghosts)
{
	const gemp_layout_state *state = t->state;
	gemp_layout_rows *rows = ghosts ? &state->out->in_ghost : &state->out->in;
	const size_t size = gemp_layout_weight_size(state->out->weights);
	uint64_t *values = t->values ? t->values + 2 * thread * t->longest : NULL;
	row_part p = { t, (size_t)(state->out->id[v] - state->graph->first_vertex), rows->end + rows->begin[v], values, 0 };
	for (size_t l = 0; l < state->list_count; l++) {
		const gemp_id_rows *list = &state->in_lists[l];
		const uint64_t begin = list->begin[p.row], end = list->begin[p.row + 1];
		const gemp_block_range own = gemp_layout_own_part(state, list->ids + begin, (size_t)(end - begin));
		if (!ghosts) {
			add_own(&p, l, begin + own.begin, begin + own.end);
			continue;
		}
		add_ghosts(&p, l, begin, begin + own.begin);
		add_ghosts(&p, l, begin + own.end, end);
	}
	gemp_row_sort(p.end, values, p.count, t->bits, t->spare + thread * t->longest, values ? values + t->longest : NULL);
	for (size_t i = 0; values && i < p.count; i++)
		memcpy((char *)rows->weight + (rows->begin[v] + i) * size, &values[i], size);
}

/* Makes the rows that begin in a chunk of entries. */
static void make_chunk(void *context, unsigned thread, size_t chunk)
{
	const row_task *t = context;
	const gemp_layout *out = t->state->out;
	const size_t end = row_behind(out, (chunk + 1) * (uint64_t)ENTRIES);
	for (size_t v = row_behind(out, chunk * (uint64_t)ENTRIES); v < end; v++) {
		make_row(t, thread, v, false);
		if (t->state->comm->size > 1)
			make_row(t, thread, v, true);
	}
}

/* Writes the numbers of arcs from own vertices and from ghosts behind the offset of each row. */
static void set_row_counts(void *context, size_t begin, size_t end)
{
	count_task *c = context;
	const gemp_layout *layout = c->state->out;
	uint64_t longest = 0;
	for (size_t v = begin; v < end; v++) {
		const size_t row = (size_t)(layout->id[v] - c->state->graph->first_vertex);
		c->in[v + 1] = c->state->from_own[row];
		c->out[v + 1] = c->state->from_ghost[row];
		longest = gemp_max(longest, gemp_max(c->in[v + 1], c->out[v + 1]));
	}
	raise_longest(c, longest);
}

static gemp_code set_row_offsets(gemp_layout_state *state, size_t *longest)
{
	gemp_layout *out = state->out;
	out->in.rows = out->in_ghost.rows = out->own;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(out->in.begin, (size_t)out->own + 1),
	                      GEMP_ARRAY(out->in_ghost.begin, (size_t)out->own + 1)));
	count_task c = { .state = state, .in = out->in.begin, .out = out->in_ghost.begin };
	gemp_for_elements(out->own, set_row_counts, &c);
	gemp_prefix_inclusive(c.in, (size_t)out->own + 1);
	gemp_prefix_inclusive(c.out, (size_t)out->own + 1);
	state->arcs.count = entries_before(out, out->own);
	*longest = (size_t)c.longest;
	return GEMP_OK;
}

/* Makes the rows on the host, with all threads. */
static gemp_code make_host_rows(gemp_layout_state *state, size_t longest)
{
	gemp_layout *out = state->out;
	GEMP_OWNED uint32_t *spare = NULL;
	GEMP_OWNED uint64_t *values = NULL;
	GEMP_TRY(gemp_layout_allocate_ends(&out->in, out->weights));
	GEMP_TRY(gemp_layout_allocate_ends(&out->in_ghost, out->weights));
	const size_t chunks = (size_t)((state->arcs.count + ENTRIES - 1) / ENTRIES);
	const size_t threads = chunks > 1 ? gemp_threads() : 1;
	GEMP_TRY(GEMP_NEW(spare, threads * longest));
	if (out->weights != GEMP_LAYOUT_UNWEIGHTED)
		GEMP_TRY(GEMP_NEW(values, 2 * threads * longest));
	row_task t = { state, out->known > 1 ? 32 - (unsigned)__builtin_clz(out->known - 1) : 1, longest, spare, values };
	gemp_parallel_for(chunks, make_chunk, &t);
	return GEMP_OK;
}

/* If the device turns out to have too little memory, the host makes the rows. */
gemp_code gemp_layout_make_lists(gemp_layout_state *state, gemp_device *device, unsigned parts)
{
	size_t longest;
	if (gemp_layout_renumbered(state))
		return renumber_lists(state, device, parts);
	GEMP_TRY(set_row_offsets(state, &longest));
	if (device && gemp_layout_device_can(state, device)) {
		const gemp_code code = gemp_layout_make_on_device(state, device, parts);
		if (code != GEMP_ENOMEM)
			return code;
	}
	return make_host_rows(state, longest);
}
