/* Relations: those that were there, and those that edges are added to. */
#include "partition/patch_relations.h"

#include "core/memory.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/patch_rows.h"

#include <stdlib.h>
#include <string.h>

typedef struct relating {
	gemp_edge_patching edges;
	gemp_patching *p;
	size_t count;
	const char **names; /* [count] sorted */
	uint64_t *touched;  /* [from->relation_count] of all ranks: 1: some edges have a fate */
	bool *added;        /* [count] there are groups of the relation */
} relating;

/* NAMES */

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static gemp_code list_names(relating *all)
{
	gemp_code code = GEMP_OK;
	const gemp_graph *from = all->p->from;
	size_t count = 0;
	GEMP_TRY(GEMP_NEW(all->names, from->relation_count + all->edges.group_count + 1));
	for (size_t r = 0; r < from->relation_count; r++)
		all->names[count++] = from->relations[r].name;
	for (size_t i = 0; i < all->edges.group_count; i++)
		all->names[count++] = all->edges.groups[i].type;
	qsort(all->names, count, sizeof *all->names, compare_names);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || strcmp(all->names[i], all->names[all->count - 1]) != 0)
			all->names[all->count++] = all->names[i];
	GEMP_TRY(GEMP_NEW(all->added, all->count));
	code = GEMP_NEW(all->touched, from->relation_count + all->count);
done:
	return code;
}

/* Collective. What some rank touches. */
static void find_touched(relating *all)
{
	const gemp_graph *from = all->p->from;
	uint64_t *adds = all->touched + from->relation_count;
	for (size_t r = 0; r < from->relation_count; r++)
		all->touched[r] = all->p->patch->fates && all->p->patch->fates[r];
	for (size_t n = 0; n < all->count; n++)
		for (size_t i = 0; i < all->edges.group_count; i++)
			if (all->edges.groups[i].count && strcmp(all->edges.groups[i].type, all->names[n]) == 0)
				adds[n] = 1;
	gemp_comm_max(all->p->comm, all->touched, (int)(from->relation_count + all->count));
	for (size_t n = 0; n < all->count; n++)
		all->added[n] = adds[n];
}

/* CHANGED ENDS */

typedef struct noting {
	const gemp_patching *p;
	const gemp_relation *relation;
	const uint8_t *fates;
	const gemp_put *put;
} noting;

static void note_ends(const noting *n, size_t row, uint64_t edge)
{
	gemp_patch_note(n->p, gemp_moved_id(&n->p->moved, (gemp_vertex)(n->p->from->first + row)));
	gemp_patch_note(n->p, gemp_moved_id(&n->p->moved, n->relation->out[edge]));
}

static void note_gone_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const noting *n = context;
	const gemp_graph *from = n->p->from;
	const gemp_moved *m = &n->p->moved;
	for (size_t v = piece * GEMP_PATCH_PIECE; v < gemp_patch_end(piece, from->rows); v++) {
		bool gone = m->some_gone && gemp_bit_is_set(m->gone.words, from->first + v);
		for (uint64_t e = n->relation->out_begin[v]; e < n->relation->out_begin[v + 1]; e++)
			if (gone || (n->fates && n->fates[e]) ||
			    (m->some_gone && gemp_bit_is_set(m->gone.words, n->relation->out[e])))
				note_ends(n, v, e);
	}
}

static void note_put_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const noting *n = context;
	for (size_t i = piece * GEMP_PATCH_PIECE; i < gemp_patch_end(piece, n->put->count); i++) {
		size_t low = 0, high = n->p->from->rows;
		while (high - low > 1) {
			size_t middle = low + (high - low) / 2;
			if (n->relation->out_begin[middle] <= n->put->rows[i])
				low = middle;
			else
				high = middle;
		}
		note_ends(n, low, n->put->rows[i]);
	}
}

static void note_relation(const relating *all, size_t r)
{
	const gemp_patching *p = all->p;
	const gemp_patch_columns *columns = &p->patch->edges;
	noting n = { p, &p->from->relations[r], p->patch->fates ? p->patch->fates[r] : NULL, NULL };
	if (p->moved.some_gone || n.fates)
		gemp_parallel_for(gemp_patch_pieces(p->from->rows), note_gone_piece, &n);
	for (size_t i = 0; i < columns->put_count; i++) {
		n.put = &columns->puts[i];
		if (n.put->relation == r)
			gemp_parallel_for(gemp_patch_pieces(n.put->count), note_put_piece, &n);
	}
}

/* ONE RELATION */

typedef struct making {
	const relating *all;
	const char *name;
	size_t old_index;   /* SIZE_MAX: it is new */
	gemp_relation *old; /* NULL: it is new */
	gemp_relation *to;
	bool added, touched, put;
	uint64_t **origin;  /* where it is wanted */
} making;

/* Local. Rows stay what they are, but for ids and rows of new vertices. */
static gemp_code keep_rows(making *m)
{
	gemp_code code = GEMP_OK;
	const gemp_patching *p = m->all->p;
	size_t before = p->from->rows, rows = p->to->rows;
	uint64_t edges = m->old->out_begin[before];
	uint64_t *begin = gemp_realloc(m->old->out_begin, rows + 1, sizeof *begin);
	GEMP_TRY(begin ? GEMP_OK : GEMP_ENOMEM);
	m->old->out_begin = NULL;
	for (size_t row = before; row < rows; row++)
		begin[row + 1] = edges;
	m->to->out_begin = begin;
	m->to->out = m->old->out;
	m->old->out = NULL;
	gemp_patch_targets(p, m->to->out, edges);
	m->to->multigraph = m->old->multigraph;
	m->to->reciprocal = m->old->reciprocal;
	m->to->props = m->old->props;
	m->old->props = (gemp_table){ 0 };
	if (m->put && m->to->multigraph && m->to->props.count)
		code = gemp_patch_sort_parallel(begin, m->to->out, rows, &m->to->props, NULL);
done:
	return code;
}

/* Local. */
static gemp_code pick_props(making *m, const gemp_row_patch *r, const gemp_edge_group *group)
{
	gemp_code code = GEMP_OK;
	gemp_table *old = m->old ? &m->old->props : NULL, *out = &m->to->props;
	size_t edges = (size_t)r->begin[m->all->p->to->rows];
	GEMP_TRY(GEMP_RESERVE(out->columns, out->capacity, group->values.count));
	for (size_t c = 0; c < group->values.count; c++) {
		const gemp_column *added = &group->values.columns[c];
		GEMP_TRY(old ? gemp_column_gather(&out->columns[c], &old->columns[c], added, r->order, edges)
		             : gemp_column_gather(&out->columns[c], added, NULL, r->order, edges));
		out->count++;
		if (old)
			gemp_column_free(&old->columns[c]);
	}
	out->rows = edges;
	if (r->parallel && out->count)
		code = gemp_patch_sort_parallel(r->begin, r->out, m->all->p->to->rows, out, r->order);
done:
	return code;
}

typedef struct originating {
	uint64_t *order;
	uint64_t old;
	size_t count;
} originating;

static void originate_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const originating *o = context;
	for (size_t e = piece * GEMP_PATCH_PIECE; e < gemp_patch_end(piece, o->count); e++)
		if (o->order[e] >= o->old)
			o->order[e] = GEMP_NO_EDGE;
}

/* Local. */
static gemp_code make_rows(making *m, const gemp_edge_group *group)
{
	gemp_code code = GEMP_OK;
	const gemp_patching *p = m->all->p;
	gemp_row_patch r = { .p = p, .old = m->old, .added = group->count, .edges = group->edges,
		.ordered = group->values.count || m->origin };
	uint64_t old = m->old ? m->old->out_begin[p->from->rows] : 0;
	if (m->old && p->patch->fates)
		r.fates = p->patch->fates[m->old_index];
	GEMP_TRY(gemp_patch_rows(&r));
	if (m->old) {
		gemp_free(m->old->out);
		m->old->out = NULL;
	}
	GEMP_TRY(pick_props(m, &r, group));
	m->to->multigraph = r.parallel;
	m->to->props.rows = (size_t)r.begin[p->to->rows];
	m->to->out_begin = r.begin;
	m->to->out = r.out;
	r.begin = NULL;
	r.out = NULL;
	if (!m->origin)
		goto done;
	gemp_parallel_for(gemp_patch_pieces(m->to->props.rows), originate_piece,
	                  &(originating){ r.order, old, m->to->props.rows });
	*m->origin = r.order;
	r.order = NULL;
done:
	gemp_free(r.begin);
	gemp_free(r.out);
	gemp_free(r.order);
	return code;
}

/* Collective. Numbers of edges, and columns without a value go. */
static gemp_code settle(making *m)
{
	gemp_code code = GEMP_OK;
	const gemp_patching *p = m->all->p;
	gemp_table *props = &m->to->props;
	uint64_t mine = m->to->out_begin[p->to->rows], *facts = NULL;
	bool drops = m->put || m->added || m->touched || p->moved.some_gone;
	size_t kept = 0, columns = drops ? props->count : 0;
	GEMP_TRY(gemp_comm_agree(p->comm, GEMP_NEW(facts, 2 + columns)));
	facts[0] = mine;
	facts[1] = m->to->multigraph;
	for (size_t c = 0; c < columns; c++)
		facts[2 + c] = gemp_column_any(&props->columns[c]);
	gemp_comm_sum(p->comm, facts, (int)(2 + columns));
	m->to->first = gemp_comm_before(p->comm, mine);
	m->to->edges = facts[0];
	m->to->multigraph = facts[1] > 0;
	for (size_t c = 0; c < columns; c++) {
		gemp_column column = props->columns[c];
		props->columns[c] = (gemp_column){ 0 };
		if (facts[2 + c])
			props->columns[kept++] = column;
		else
			gemp_column_free(&column);
	}
	props->count = drops ? kept : props->count;
	m->to->loaded = GEMP_PART_OUT | GEMP_PART_PROPS;
done:
	gemp_free(facts);
	return code;
}

/* Collective. */
static gemp_code make(making *m)
{
	gemp_code code = GEMP_OK;
	const gemp_patching *p = m->all->p;
	gemp_edge_group group = { 0 };
	gemp_table none = { 0 };
	bool stays = m->old && !m->added && !m->touched && !p->moved.some_gone;
	m->to->name = gemp_strdup(m->name);
	GEMP_TRY(gemp_comm_agree(p->comm, m->to->name ? GEMP_OK : GEMP_ENOMEM));
	if (stays && !m->origin) {
		GEMP_TRY(gemp_comm_agree(p->comm, keep_rows(m)));
	} else {
		size_t edges = m->old ? (size_t)m->old->out_begin[p->from->rows] : 0;
		GEMP_TRY(gemp_patch_gather_group(&group, &m->all->edges, m->name, edges, m->old ? &m->old->props : &none));
		GEMP_TRY(gemp_comm_agree(p->comm, make_rows(m, &group)));
	}
	code = settle(m);
done:
	gemp_table_free(&none);
	gemp_edge_group_free(&group);
	return code;
}

static bool has_puts(const gemp_patch_columns *columns, size_t relation)
{
	for (size_t i = 0; i < columns->put_count; i++)
		if (columns->puts[i].relation == relation)
			return true;
	return false;
}

static void forget(gemp_relation *relation)
{
	gemp_free(relation->name);
	gemp_free(relation->out_begin);
	gemp_free(relation->out);
	gemp_table_free(&relation->props);
	*relation = (gemp_relation){ 0 };
}

/* Collective. The n-th name. */
static gemp_code make_named(relating *all, size_t n, bool directed)
{
	gemp_code code = GEMP_OK;
	gemp_patching *p = all->p;
	gemp_relation *old = gemp_graph_relation(p->from, all->names[n]);
	size_t index = old ? (size_t)(old - p->from->relations) : SIZE_MAX, to = p->to->relation_count;
	if (!old && !all->added[n])
		return GEMP_OK;
	making m = { .all = all, .name = all->names[n], .old_index = index, .old = old, .to = &p->to->relations[to],
		.added = all->added[n], .touched = old && all->touched[index], .put = old && has_puts(&p->patch->edges, index),
		.origin = p->done->origins ? &p->done->origins[to] : NULL };
	m.to->directed = directed;
	p->to->relation_count++;
	GEMP_TRY(make(&m));
	if (m.to->edges == 0) {
		forget(m.to);
		p->to->relation_count--;
		if (m.origin) {
			gemp_free(*m.origin);
			*m.origin = NULL;
		}
	} else if (old) {
		p->done->relations[index] = to;
	}
done:
	return code;
}

/* Local. Room for relations, and for what is asked about them. */
static gemp_code make_room(relating *all)
{
	gemp_code code = GEMP_OK;
	gemp_patched *done = all->p->done;
	GEMP_TRY(list_names(all));
	GEMP_TRY(GEMP_NEW(all->p->to->relations, all->count));
	GEMP_TRY(GEMP_NEW(done->relations, all->p->from->relation_count));
	for (size_t r = 0; r < all->p->from->relation_count; r++)
		done->relations[r] = SIZE_MAX;
	done->relation_count = all->p->from->relation_count;
	if (all->p->patch->want_origins) {
		GEMP_TRY(GEMP_NEW(done->origins, all->count));
		done->origin_count = all->count;
	}
done:
	return code;
}

gemp_code gemp_patch_relations(gemp_patching *p)
{
	gemp_code code = GEMP_OK;
	relating all = { .p = p, .edges = { .p = p } };
	bool directed = true;
	GEMP_TRY(gemp_comm_agree(p->comm, gemp_patch_put_edges(p)));
	GEMP_TRY(gemp_patch_find_groups(&all.edges));
	GEMP_TRY(gemp_comm_agree(p->comm, make_room(&all)));
	find_touched(&all);
	for (size_t r = 0; r < p->from->relation_count; r++) {
		directed &= p->from->relations[r].directed;
		if (p->done->changed)
			note_relation(&all, r);
	}
	for (size_t n = 0; n < all.count; n++)
		GEMP_TRY(make_named(&all, n, directed));
done:
	gemp_patch_free_groups(&all.edges);
	gemp_free(all.names);
	gemp_free(all.touched);
	gemp_free(all.added);
	return code;
}
