/* New rows are merged from what is sorted already: old rows, whose targets keep their order under the new ids, and
 * added edges, which the row builder sorts. A first pass finds the lengths, a second one writes; rows are independent,
 * so threads share ranges of them. Where no old edge is left, the added rows are taken as they are.
 */

#include "partition/patch/patch_rows.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/build/row_builder.h"

#include <stdlib.h>
#include <string.h>

/* Old rows and added rows that are merged into new ones. */
typedef struct row_merge {
	gemp_row_patch *r;
	const gemp_row_builder *made; /* begin is NULL if no edge is added */
	uint64_t old_edges;
} row_merge;

/* The old edges of a new row. */
static void find_old(const row_merge *m, size_t i, uint64_t *begin, uint64_t *end)
{
	const gemp_patch_state *p = m->r->p;
	size_t row = p->surviving ? (size_t)p->surviving[i] : i;
	bool there = m->old_edges && row < p->from->rows;
	*begin = there ? m->r->old->out_offsets[row] : 0;
	*end = there ? m->r->old->out_offsets[row + 1] : 0;
}

/* The new target; GEMP_NO_VERTEX: the edge is deleted. */
static gemp_vertex target_of(const gemp_row_patch *r, uint64_t edge)
{
	if (r->edge_actions && r->edge_actions[edge])
		return GEMP_NO_VERTEX;
	return gemp_id_map_get(&r->p->id_map, r->old->out_targets[edge]);
}

/* Lengths of the new rows: surviving old edges and added ones. */
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

/* Writes one edge of a new row. */
static void put(const gemp_row_patch *r, uint64_t at, gemp_vertex target, uint64_t edge)
{
	r->out[at] = target;
	if (r->ordered)
		r->order[at] = edge;
}

/* Old targets ascend, also by their new ids, and so do added ones: rows are merged without a sort. */
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

/* Local. Two passes: lengths, then edges. */
static gemp_code merge(row_merge *m)
{
	gemp_row_patch *r = m->r;
	size_t rows = r->p->to->rows;
	GEMP_TRY(GEMP_NEW(r->begin, rows + 1));
	gemp_for_elements(rows, count_range, m);
	gemp_prefix_inclusive(r->begin, rows + 1);
	GEMP_TRY(GEMP_NEW(r->out, r->begin[rows]));
	if (r->ordered)
		GEMP_TRY(GEMP_NEW(r->order, r->begin[rows]));
	gemp_for_elements(rows, merge_range, m);
	return GEMP_OK;
}

/* Parallel edges are neighbours, as rows are sorted. */
static bool has_parallel(const void *self, size_t row)
{
	const gemp_row_patch *r = self;
	for (uint64_t e = r->begin[row] + 1; e < r->begin[row + 1]; e++)
		if (r->out[e] == r->out[e - 1])
			return true;
	return false;
}

/* Added edges are numbered behind the old ones, also where none of these is left. */
static void offset_added_range(void *context, size_t begin, size_t end)
{
	const row_merge *m = context;
	for (size_t e = begin; e < end; e++)
		m->r->order[e] += m->old_edges;
}

/* Does a new row still have an edge of the old one? */
static bool has_old_edge(const void *self, size_t i)
{
	const row_merge *m = self;
	uint64_t at, end;
	find_old(m, i, &at, &end);
	while (at < end && target_of(m->r, at) == GEMP_NO_VERTEX)
		at++;
	return at < end;
}

/* If no old edge stays, the sorted new edges are the rows, and merging is skipped. */
gemp_code gemp_patch_rows(gemp_row_patch *r)
{
	gemp_code code = GEMP_OK;
	gemp_row_builder made = { .rows = r->p->to->rows, .first = r->p->to->first_vertex };
	row_merge m = { .r = r, .made = &made };
	if (r->old)
		m.old_edges = r->old->out_offsets[r->p->from->rows];
	if (r->added)
		GEMP_TRY_DONE(gemp_row_builder_make(&made, r->edges, r->added, r->p->to->vertex_count, r->ordered));
	if (r->added && !(m.old_edges && gemp_any(r->p->to->rows, has_old_edge, &m))) {
		r->begin = made.begin;
		r->out = made.slots;
		r->order = made.edges;
		made = (gemp_row_builder){ 0 };
		if (r->order && m.old_edges)
			gemp_for_elements(r->added, offset_added_range, &m);
	} else {
		GEMP_TRY_DONE(merge(&m));
	}
	r->parallel = gemp_any(r->p->to->rows, has_parallel, r);
done:
	gemp_free_all(made.begin, made.slots, made.edges);
	return code;
}

/* Targets that get their new ids. */
typedef struct target_map {
	const gemp_id_map *ids;
	gemp_vertex *targets;
} target_map;

/* Rows stay sorted, since new ids ascend with the old ones. */
static void map_targets_range(void *context, size_t begin, size_t end)
{
	const target_map *m = context;
	for (size_t e = begin; e < end; e++)
		m->targets[e] = gemp_id_map_get(m->ids, m->targets[e]);
}

/* Where ids are unchanged nothing is written. */
void gemp_patch_targets(const gemp_patch_state *p, gemp_vertex *out, uint64_t count)
{
	if (!p->id_map.identity)
		gemp_for_elements((size_t)count, map_targets_range, &(target_map){ &p->id_map, out });
}
