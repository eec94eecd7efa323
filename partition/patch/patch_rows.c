#include "partition/patch/patch_rows.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/prefix_sum.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/build/row_builder.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ADDED EDGES, BY ROW */

typedef struct numbered {
	gemp_edge_pair ends;
	uint64_t edge;
} numbered;

typedef struct numbering {
	const gemp_edge_pair *edges;
	size_t count;
	numbered *records;
} numbering;

static void number_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const numbering *n = context;
	for (size_t i = piece * GEMP_PATCH_PIECE; i < gemp_patch_end(piece, n->count); i++)
		n->records[i] = (numbered){ n->edges[i], i };
}

static gemp_code make_added(const gemp_row_patch *r, gemp_row_builder *made)
{
	gemp_code code = GEMP_OK;
	numbering n = { r->edges, r->added, NULL };
	const void *records = r->edges;
	size_t width = (r->ordered ? sizeof *n.records : sizeof *r->edges) / sizeof(uint32_t);
	made->rows = r->p->to->rows;
	made->first = r->p->to->first_vertex;
	GEMP_TRY(GEMP_NEW(made->begin, made->rows + 1));
	GEMP_TRY(GEMP_NEW(made->slots, r->added));
	if (r->ordered) {
		GEMP_TRY(GEMP_NEW(made->edges, r->added));
		GEMP_TRY(GEMP_NEW(n.records, r->added));
		gemp_parallel_for(gemp_patch_pieces(r->added), number_piece, &n);
		records = n.records;
	}
	gemp_row_builder_count(made, records, width, r->added);
	gemp_row_builder_offsets(made);
	gemp_row_builder_fill(made, records, width, r->added);
	gemp_row_builder_finish(made);
	code = gemp_row_builder_sort(made, r->p->to->vertex_count);
done:
	gemp_free(n.records);
	return code;
}

/* TOGETHER WITH THOSE THAT STAY */

typedef struct merging {
	gemp_row_patch *r;
	const gemp_row_builder *made; /* no begin: nothing is added */
	uint64_t old_edges;
	atomic_bool stays; /* some old edge does */
} merging;

/* The old edges of a new row. */
static void find_old(const merging *m, size_t i, uint64_t *begin, uint64_t *end)
{
	const gemp_patch_state *p = m->r->p;
	size_t row = p->surviving ? (size_t)p->surviving[i] : i;
	bool there = m->old_edges && row < p->from->rows;
	*begin = there ? m->r->old->out_offsets[row] : 0;
	*end = there ? m->r->old->out_offsets[row + 1] : 0;
}

/* The new target; GEMP_NO_VERTEX: the edge goes. */
static gemp_vertex target_of(const gemp_row_patch *r, uint64_t edge)
{
	if (r->edge_actions && r->edge_actions[edge])
		return GEMP_NO_VERTEX;
	return gemp_id_map_get(&r->p->id_map, r->old->out_targets[edge]);
}

static void count_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const merging *m = context;
	const gemp_row_patch *r = m->r;
	const gemp_patch_state *p = r->p;
	bool all = !r->edge_actions && !p->id_map.some_deleted;
	for (size_t i = piece * GEMP_PATCH_PIECE; i < gemp_patch_end(piece, p->to->rows); i++) {
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

static void merge_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const merging *m = context;
	const gemp_row_patch *r = m->r;
	const gemp_row_builder *made = m->made;
	for (size_t i = piece * GEMP_PATCH_PIECE; i < gemp_patch_end(piece, r->p->to->rows); i++) {
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

static gemp_code merge(merging *m)
{
	gemp_code code = GEMP_OK;
	gemp_row_patch *r = m->r;
	size_t rows = r->p->to->rows;
	GEMP_TRY(GEMP_NEW(r->begin, rows + 1));
	gemp_parallel_for(gemp_patch_pieces(rows), count_piece, m);
	gemp_prefix_inclusive(r->begin, rows + 1);
	GEMP_TRY(GEMP_NEW(r->out, r->begin[rows]));
	if (r->ordered)
		GEMP_TRY(GEMP_NEW(r->order, r->begin[rows]));
	gemp_parallel_for(gemp_patch_pieces(rows), merge_piece, m);
done:
	return code;
}

/* PARALLEL EDGES */

typedef struct parallel_sort {
	const uint64_t *begin;
	const gemp_vertex *out;
	size_t rows;
	atomic_bool found;
	const gemp_table *props; /* of edges, whose order among parallel ones is looked at, and mended */
	uint64_t *order;
} parallel_sort;

static void look_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	parallel_sort *p = context;
	bool found = atomic_load_explicit(&p->found, memory_order_relaxed);
	for (size_t v = piece * GEMP_PATCH_PIECE; !found && v < gemp_patch_end(piece, p->rows); v++)
		for (uint64_t e = p->begin[v] + 1; !found && e < p->begin[v + 1]; e++)
			found = p->out[e] == p->out[e - 1];
	if (found)
		atomic_store_explicit(&p->found, true, memory_order_relaxed);
}

/* Added edges are numbered behind the old ones, also where none of these is left. */
static void copy_out_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const merging *m = context;
	for (size_t e = piece * GEMP_PATCH_PIECE; e < gemp_patch_end(piece, m->r->added); e++)
		m->r->order[e] += m->old_edges;
}

/* Is an edge of before still there? */
static void copy_back_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	merging *m = context;
	bool found = atomic_load_explicit(&m->stays, memory_order_relaxed);
	for (size_t i = piece * GEMP_PATCH_PIECE; !found && i < gemp_patch_end(piece, m->r->p->to->rows); i++) {
		uint64_t at, end;
		find_old(m, i, &at, &end);
		for (; !found && at < end; at++)
			found = target_of(m->r, at) != GEMP_NO_VERTEX;
	}
	if (found)
		atomic_store_explicit(&m->stays, true, memory_order_relaxed);
}

gemp_code gemp_patch_rows(gemp_row_patch *r)
{
	gemp_code code = GEMP_OK;
	gemp_row_builder made = { 0 };
	merging m = { .r = r, .made = &made };
	if (r->old)
		m.old_edges = r->old->out_offsets[r->p->from->rows];
	if (r->added)
		GEMP_TRY(make_added(r, &made));
	if (m.old_edges)
		gemp_parallel_for(gemp_patch_pieces(r->p->to->rows), copy_back_piece, &m);
	if (r->added && !m.stays) {
		r->begin = made.begin;
		r->out = made.slots;
		r->order = made.edges;
		made = (gemp_row_builder){ 0 };
		if (r->order && m.old_edges)
			gemp_parallel_for(gemp_patch_pieces(r->added), copy_out_piece, &m);
	} else {
		GEMP_TRY(merge(&m));
	}
	parallel_sort p = { .begin = r->begin, .out = r->out, .rows = r->p->to->rows };
	gemp_parallel_for(gemp_patch_pieces(p.rows), look_piece, &p);
	r->parallel = p.found;
done:
	gemp_free(made.begin);
	gemp_free(made.slots);
	gemp_free(made.edges);
	return code;
}

static int compare(const void *a, const void *b, void *props_)
{
	const gemp_table *props = props_;
	size_t left = (size_t) * (const uint64_t *)a, right = (size_t) * (const uint64_t *)b;
	for (size_t c = 0; c < props->count; c++) {
		int order = gemp_column_compare(&props->columns[c], left, right);
		if (order)
			return order;
	}
	return 0;
}

static void sort_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	parallel_sort *p = context;
	uint64_t first = p->begin[piece * GEMP_PATCH_PIECE], last = p->begin[gemp_patch_end(piece, p->rows)];
	for (uint64_t e = first; e < last; e++)
		p->order[e] = e;
	for (size_t v = piece * GEMP_PATCH_PIECE; v < gemp_patch_end(piece, p->rows); v++)
		for (uint64_t e = p->begin[v], next; e < p->begin[v + 1]; e = next) {
			bool sorted = true;
			for (next = e + 1; next < p->begin[v + 1] && p->out[next] == p->out[e]; next++)
				sorted &= compare(&p->order[next - 1], &p->order[next], (void *)p->props) <= 0;
			if (sorted)
				continue;
			qsort_r(p->order + e, next - e, sizeof *p->order, compare, (void *)p->props);
			atomic_store_explicit(&p->found, true, memory_order_relaxed);
		}
}

static gemp_code permute_props(gemp_table *props, const uint64_t *order, uint64_t *moved, size_t count)
{
	gemp_code code = GEMP_OK;
	uint64_t *before = NULL;
	for (size_t c = 0; c < props->count; c++) {
		gemp_column sorted = { 0 };
		GEMP_TRY(gemp_column_gather(&sorted, &props->columns[c], NULL, order, count));
		gemp_column_free(&props->columns[c]);
		props->columns[c] = sorted;
	}
	if (!moved)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(before, count));
	memcpy(before, moved, count * sizeof *before);
	for (size_t i = 0; i < count; i++)
		moved[i] = before[order[i]];
done:
	gemp_free(before);
	return code;
}

gemp_code gemp_patch_sort_parallel(const uint64_t *begin, const gemp_vertex *out, size_t rows, gemp_table *props,
                                   uint64_t *order)
{
	gemp_code code = GEMP_OK;
	parallel_sort p = { .begin = begin, .out = out, .rows = rows, .props = props };
	GEMP_TRY(GEMP_NEW(p.order, begin[rows]));
	gemp_parallel_for(gemp_patch_pieces(rows), sort_piece, &p);
	if (p.found)
		code = permute_props(props, p.order, order, (size_t)begin[rows]);
done:
	gemp_free(p.order);
	return code;
}

/* NEW IDS ALONE */

typedef struct target_renaming {
	const gemp_id_map *moved;
	gemp_vertex *out;
	size_t count;
} target_renaming;

static void move_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const target_renaming *m = context;
	for (size_t e = piece * GEMP_PATCH_PIECE; e < gemp_patch_end(piece, m->count); e++)
		m->out[e] = gemp_id_map_get(m->moved, m->out[e]);
}

void gemp_patch_targets(const gemp_patch_state *p, gemp_vertex *out, uint64_t count)
{
	if (!p->id_map.identity)
		gemp_parallel_for(gemp_patch_pieces((size_t)count), move_piece,
		                  &(target_renaming){ &p->id_map, out, (size_t)count });
}
