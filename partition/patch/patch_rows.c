/* New rows are merged from two kinds of sorted rows: the old rows, whose targets keep their order under the new ids,
 * and the rows of added edges, which the row builder makes. The first pass finds the lengths of the new rows, and the
 * second pass writes the rows. Rows are independent, so each thread takes ranges of rows. If no old edge stays, the
 * rows of added edges are the new rows. */

#include "partition/patch/patch_rows.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/pages.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/build/row_builder.h"
#include "partition/build/row_partition.h"
#include "partition/patch/rows_merge.h"

#include <stdlib.h>
#include <string.h>

/* Old rows and rows of added edges while they are merged. */
typedef struct row_merge {
	gemp_row_patch *r;
	const gemp_row_builder *made; /* rows of added edges; begin is NULL if no edge is added */
	uint64_t old_edges;
} row_merge;

/* Finds the old edges of new row i. A new vertex has no old edges. */
static void find_old(const row_merge *m, size_t i, uint64_t *begin, uint64_t *end)
{
	const gemp_patch_state *p = m->r->p;
	size_t row = p->surviving ? (size_t)p->surviving[i] : i;
	bool there = m->old_edges && row < p->from->rows;
	*begin = there ? m->r->old->out_offsets[row] : 0;
	*end = there ? m->r->old->out_offsets[row + 1] : 0;
}

/* Returns the new id of an old edge's target, or GEMP_NO_VERTEX if the edge is deleted. */
static gemp_vertex target_of(const gemp_row_patch *r, uint64_t edge)
{
	if (r->edge_actions && r->edge_actions[edge])
		return GEMP_NO_VERTEX;
	return gemp_id_map_get(&r->p->id_map, r->old->out_targets[edge]);
}

/* First pass: the length of a new row is the number of its remaining old edges and of its added edges. */
static void count_range(void *context, size_t begin, size_t end)
{
	const row_merge *m = context;
	const gemp_row_patch *r = m->r;
	const gemp_patch_state *p = r->p;
	bool all = !r->edge_actions && !p->id_map.some_deleted;
	for (size_t i = begin; i < end; i++) {
		uint64_t at, end, count = m->made->begin ? m->made->begin[i + 1] - m->made->begin[i] : 0;
		find_old(m, i, &at, &end);
		if (all)
			count += end - at;
		for (; !all && at < end; at++)
			count += !(r->edge_actions && r->edge_actions[at]) &&
			         !(p->id_map.some_deleted && gemp_bits64_test(p->id_map.deleted.words, r->old->out_targets[at]));
		r->begin[i + 1] = count;
	}
}

static void put(const gemp_row_patch *r, uint64_t at, gemp_vertex target, uint64_t edge)
{
	r->out[at] = target;
	if (r->ordered)
		r->order[at] = edge;
}

/* Second pass: old targets ascend by their new ids, and added targets ascend, so rows are merged without a sort. */
static void merge_range(void *context, size_t begin, size_t end)
{
	const row_merge *m = context;
	const gemp_row_patch *r = m->r;
	const gemp_row_builder *made = m->made;
	for (size_t i = begin; i < end; i++) {
		uint64_t at, end, to = r->begin[i];
		uint64_t next = made->begin ? made->begin[i] : 0, last = made->begin ? made->begin[i + 1] : 0;
		find_old(m, i, &at, &end);
		for (; at < end; at++) {
			gemp_vertex target = target_of(r, at);
			for (; target != GEMP_NO_VERTEX && next < last && made->slots[next] < target; next++)
				put(r, to++, made->slots[next], made->edges ? m->old_edges + made->edges[next] : 0);
			if (target != GEMP_NO_VERTEX)
				put(r, to++, target, at);
		}
		for (; next < last; next++)
			put(r, to++, made->slots[next], made->edges ? m->old_edges + made->edges[next] : 0);
	}
}

/* Local. Makes the two passes. */
static gemp_code merge(row_merge *m)
{
	gemp_row_patch *r = m->r;
	size_t rows = r->p->to->rows;
	GEMP_TRY(GEMP_NEW_UNSET(r->begin, rows + 1));
	r->begin[0] = 0;
	gemp_for_elements(rows, count_range, m);
	gemp_prefix_inclusive(r->begin, rows + 1);
	GEMP_TRY(GEMP_NEW_UNSET(r->out, r->begin[rows]));
	if (r->ordered)
		GEMP_TRY(GEMP_NEW_UNSET(r->order, r->begin[rows]));
	gemp_for_elements(rows, merge_range, m);
	return GEMP_OK;
}

/* Rows are sorted, so parallel edges are adjacent. */
static bool has_parallel(const void *self, size_t row)
{
	const gemp_row_patch *r = self;
	for (uint64_t e = r->begin[row] + 1; e < r->begin[row + 1]; e++)
		if (r->out[e] == r->out[e - 1])
			return true;
	return false;
}

/* The numbers of added edges follow the numbers of all old edges, even if no old edge stays. */
static void offset_added_range(void *context, size_t begin, size_t end)
{
	const row_merge *m = context;
	for (size_t e = begin; e < end; e++)
		m->r->order[e] += m->old_edges;
}

/* Actions that are searched together for an edge that stays. */
enum { ACTIONS = 1 << 10 };

static bool has_kept_action(const void *self, size_t block)
{
	const row_merge *m = self;
	const size_t begin = block * ACTIONS;
	return memchr(m->r->edge_actions + begin, 0, (size_t)gemp_min(m->old_edges - begin, ACTIONS)) != NULL;
}

/* Returns whether an old edge stays in new row i. */
static bool has_old_edge(const void *self, size_t i)
{
	const row_merge *m = self;
	uint64_t at, end;
	find_old(m, i, &at, &end);
	while (at < end && target_of(m->r, at) == GEMP_NO_VERTEX)
		at++;
	return at < end;
}

/* Returns whether any old edge stays. An edge goes by its own action or with a deleted vertex. */
static bool keeps_an_edge(const row_merge *m)
{
	const gemp_row_patch *r = m->r;
	if (m->old_edges == 0 || (r->edge_actions && !gemp_any((size_t)(m->old_edges / ACTIONS + 1), has_kept_action, m)))
		return false;
	return !r->p->id_map.some_deleted || gemp_any(r->p->to->rows, has_old_edge, m);
}

/* FEW ADDED EDGES */

/* The keys of added edges; see gemp_rows_merge. */
typedef struct added_keys {
	const gemp_row_patch *r;
	uint64_t *keys, *numbers; /* [r->added] */
} added_keys;

static void free_added(added_keys *a)
{
	gemp_free_all(a->keys, a->numbers);
}

static void make_keys(void *context, size_t begin, size_t end)
{
	const added_keys *a = context;
	for (size_t i = begin; i < end; i++) {
		const gemp_edge_pair *edge = &a->r->edges[i];
		a->keys[i] = (edge->source - a->r->p->to->first_vertex) << 32 | edge->target;
		a->numbers[i] = i;
	}
}

/* No old edge is deleted. Parallel edges of the old relation may be on other ranks, which delete them. */
static gemp_code merge_few(gemp_row_patch *r)
{
	const gemp_patch_state *p = r->p;
	GEMP_OWNED_BY(free_added) added_keys a = { .r = r };
	const uint64_t edges = r->old->out_offsets[p->from->rows] + r->added;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(a.keys, r->added), GEMP_ARRAY(a.numbers, r->added)));
	gemp_for_elements(r->added, make_keys, &a);
	GEMP_TRY(gemp_rows_merge_sort(a.keys, a.numbers, r->added));
	GEMP_TRY(GEMP_NEW_UNSET(r->begin, p->to->rows + 1));
	GEMP_TRY(GEMP_NEW_UNSET(r->out, edges));
	if (r->ordered)
		GEMP_TRY(GEMP_NEW_UNSET(r->order, edges));
	gemp_rows_merge merge = { .old_rows = p->from->rows,
		                      .rows = p->to->rows,
		                      .old_begin = r->old->out_offsets,
		                      .old = r->old->out_targets,
		                      .ids = p->id_map.identity ? NULL : &p->id_map,
		                      .count = r->added,
		                      .keys = a.keys,
		                      .numbers = a.numbers,
		                      .begin = r->begin,
		                      .to = r->out,
		                      .order = r->order };
	gemp_rows_merge_begin(&merge);
	gemp_rows_merge_entries(&merge);
	r->parallel = merge.parallel || (r->old->multigraph && gemp_any(p->to->rows, has_parallel, r));
	r->merged = true;
	if (r->wants_keys) {
		r->keys = a.keys;
		a.keys = NULL;
	}
	return GEMP_OK;
}

/* Few added edges need no passes over all rows. If no old edge stays, the sorted added edges are the new rows, and
 * nothing is merged. */
gemp_code gemp_patch_rows(gemp_row_patch *r)
{
	gemp_code code = GEMP_OK;
	gemp_row_builder made = { .rows = r->p->to->rows, .first = r->p->to->first_vertex };
	row_merge m = { .r = r, .made = &made };
	if (r->old && !r->edge_actions && !r->p->surviving && gemp_rows_merge_pays(r->p->to->rows, r->added))
		return merge_few(r);
	if (r->old)
		m.old_edges = r->old->out_offsets[r->p->from->rows];
	if (r->added)
		GEMP_TRY_DONE(
			gemp_row_builder_make(&made, r->edges, r->added, r->p->to->vertex_count, r->ordered, &r->parallel));
	if (r->added && !keeps_an_edge(&m)) {
		r->begin = made.begin;
		r->out = made.slots;
		r->order = made.edges;
		made = (gemp_row_builder){ 0 };
		if (r->order && m.old_edges)
			gemp_for_elements(r->added, offset_added_range, &m);
	} else {
		GEMP_TRY_DONE(merge(&m));
		r->parallel = gemp_any(r->p->to->rows, has_parallel, r);
	}
done:
	gemp_free_all(made.begin, made.slots, made.edges);
	return code;
}

/* Targets while they are replaced by their new ids. */
typedef struct target_map {
	const gemp_id_map *ids;
	gemp_vertex *targets;
} target_map;

/* Rows stay sorted, since new ids ascend with old ids within a rank and over the ranks. */
static void map_targets_range(void *context, size_t begin, size_t end)
{
	const target_map *m = context;
	for (size_t e = begin; e < end; e++)
		m->targets[e] = gemp_id_map_get(m->ids, m->targets[e]);
}

/* If no id changes, nothing is written. */
void gemp_patch_targets(const gemp_patch_state *p, gemp_vertex *out, uint64_t count)
{
	if (!p->id_map.identity)
		gemp_for_elements((size_t)count, map_targets_range, &(target_map){ &p->id_map, out });
}
