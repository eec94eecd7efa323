/* layout_lists: the layout of a single rank without weights, made from the rows of the graph, which are renumbered
 * (partition/views/renumber.h). The numbers of arcs to and from each vertex are known already. If a device will
 * renumber the rows, only offsets are made here. */

#include "analytics/layout/layout_state.h"
#include "core/memory.h"
#include "core/threads.h"

#include <stdatomic.h>

typedef struct count_task {
	const gemp_layout_state *state;
	uint64_t *in, *out; /* offsets; `out` may be NULL */
	_Atomic uint64_t longest;
} count_task;

/* Writes the number of arcs of each row behind the offset of the row. In a symmetric layout as many arcs leave a vertex
 * as lead to it, and out_degree[] is in the order of the rows. */
static void set_counts(void *context, size_t begin, size_t end)
{
	count_task *c = context;
	const gemp_layout *layout = c->state->out;
	uint64_t longest = 0, known = atomic_load_explicit(&c->longest, memory_order_relaxed);
	for (size_t v = begin; v < end; v++) {
		c->in[v + 1] = layout->symmetric ? layout->out_degree[v] : c->state->from_own[layout->id[v]];
		if (c->out)
			c->out[v + 1] = layout->out_degree[v];
		longest = gemp_max(longest, gemp_max(c->in[v + 1], layout->out_degree[v]));
	}
	while (longest > known && !atomic_compare_exchange_weak(&c->longest, &known, longest))
		;
}

/* An edge that leads both ways is in both lists of its type, but a loop is taken from one list only. */
static gemp_code list_types(const gemp_layout_state *state)
{
	gemp_layout *out = state->out;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(out->in_lists, 2 * state->type_count),
	                      GEMP_ARRAY(out->out_lists, 2 * state->type_count)));
	for (size_t t = 0; t < state->type_count; t++) {
		const gemp_layout_type *type = &state->types[t];
		const gemp_relation *relation = type->relation;
		gemp_id_rows by_source = { relation->out_offsets, relation->out_targets, false };
		gemp_id_rows by_target = { relation->in_offsets, relation->in_sources, false };
		if (type->merged) {
			const gemp_id_rows merged = { relation->either_offsets, relation->either_neighbours, false };
			out->in_lists[out->list_count] = out->out_lists[out->list_count] = merged;
			out->list_count++;
			continue;
		}
		if (type->forward) {
			out->in_lists[out->list_count] = by_target;
			out->out_lists[out->list_count++] = by_source;
		}
		if (type->backward) {
			by_source.drop_loops = by_target.drop_loops = type->forward;
			out->in_lists[out->list_count] = by_source;
			out->out_lists[out->list_count++] = by_target;
		}
	}
	return GEMP_OK;
}

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
static gemp_code make_ends(gemp_layout *out, gemp_layout_rows *rows, const gemp_id_rows *lists, uint64_t longest)
{
	const gemp_renumber renumber = { lists, out->list_count, out->own, out->id, out->local, rows->begin };
	GEMP_TRY(GEMP_NEW(rows->end, gemp_layout_row_edges(rows)));
	return gemp_renumber_rows(&renumber, longest, rows->end);
}

/* The layout keeps the lists only for a device. */
gemp_code gemp_layout_make_lists(gemp_layout_state *state, const gemp_device *device, unsigned parts)
{
	gemp_layout *out = state->out;
	bool apart = parts & GEMP_LAYOUT_OUT && !out->symmetric;
	uint64_t longest;
	GEMP_TRY(set_offsets(state, parts, &longest));
	GEMP_TRY(list_types(state));
	state->arcs.count = gemp_layout_row_edges(&out->in);
	if (device && gemp_renumber_possible(device, out->own,
	                                     state->arcs.count * (apart && parts & GEMP_LAYOUT_IN ? 2 : 1), longest))
		return GEMP_OK;
	if (parts & GEMP_LAYOUT_IN || !apart)
		GEMP_TRY(make_ends(out, &out->in, out->in_lists, longest));
	GEMP_TRY(GEMP_NEW(out->in_ghost.end, 0));
	if (apart)
		GEMP_TRY(make_ends(out, &out->out, out->out_lists, longest));
	else if (parts & GEMP_LAYOUT_OUT)
		out->out = out->in;
	gemp_free_all(out->in_lists, out->out_lists);
	out->in_lists = out->out_lists = NULL;
	return GEMP_OK;
}
