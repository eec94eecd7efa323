/* Edges that are added, or move to other ends or another type. */
#include "core/memory.h"
#include "comm/exchange.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/column_exchange.h"
#include "partition/patch_relations.h"

#include <string.h>

#define NOWHERE UINT64_MAX

/* WHERE VERTICES HAVE MERGED */

/* Collective. */
static gemp_code join_merged(gemp_edge_patching *e)
{
	gemp_code code = GEMP_OK;
	const gemp_patch *patch = e->p->patch;
	void *all = NULL;
	size_t *begin = NULL;
	if (!e->p->moved.some_gone)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_gather_all(e->p->comm, patch->merged, patch->merged_count * sizeof *patch->merged, &all,
	                              &begin));
	e->merged = all;
	e->merged_count = begin[e->p->comm->size] / sizeof *patch->merged;
done:
	gemp_free(begin);
	return code;
}

/* The vertex that has the edges of this one from now on, as an end; NOWHERE: none. */
static uint64_t place_of(const gemp_edge_patching *e, gemp_vertex id)
{
	const gemp_moved *m = &e->p->moved;
	if (!m->some_gone || !gemp_bit_is_set(m->gone.words, id))
		return id;
	size_t low = 0, high = e->merged_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (e->merged[middle].vertex < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == e->merged_count || e->merged[low].vertex != id)
		return NOWHERE;
	uint64_t into = e->merged[low].into;
	return into & GEMP_ADDED_VERTEX || !gemp_bit_is_set(m->gone.words, into) ? into : NOWHERE;
}

/* EDGES THAT MOVE */

/* Of one relation. What an edge becomes is the number of its type, or type_count: its own. */
typedef struct finding {
	gemp_edge_patching *e;
	const gemp_relation *relation;
	const uint8_t *fates;
	size_t kinds;        /* type_count + 1 */
	uint64_t *counts;    /* [pieces][kinds], then where the edges of each begin */
	gemp_added_edges *groups; /* [kinds] of the second pass */
	uint64_t **edges;         /* [kinds] */
} finding;

static void find_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const finding *f = context;
	const gemp_graph *from = f->e->p->from;
	uint64_t *counts = f->counts + piece * f->kinds;
	for (size_t v = piece * GEMP_PATCH_PIECE; v < gemp_patch_end(piece, from->rows); v++) {
		gemp_vertex id = (gemp_vertex)(from->first + v);
		uint64_t source = place_of(f->e, id);
		for (uint64_t e = f->relation->out_begin[v]; source != NOWHERE && e < f->relation->out_begin[v + 1]; e++) {
			unsigned fate = f->fates ? f->fates[e] : 0;
			uint64_t target = fate == 1 ? NOWHERE : place_of(f->e, f->relation->out[e]);
			if (target == NOWHERE || (!fate && source == id && target == f->relation->out[e]))
				continue;
			size_t kind = fate ? fate - 2 : f->kinds - 1, at = (size_t)counts[kind]++;
			if (!f->groups)
				continue;
			f->groups[kind].source[at] = source;
			f->groups[kind].target[at] = target;
			f->edges[kind][at] = e;
		}
	}
}

static gemp_code make_group(finding *f, size_t kind)
{
	gemp_code code = GEMP_OK;
	gemp_added_edges *group = &f->groups[kind];
	size_t pieces = gemp_patch_pieces(f->e->p->from->rows);
	const gemp_patch *patch = f->e->p->patch;
	group->type = kind < patch->type_count ? patch->types[kind] : f->relation->name;
	for (size_t piece = 0; piece < pieces; piece++) {
		uint64_t *count = &f->counts[piece * f->kinds + kind], here = *count;
		*count = group->count;
		group->count += here;
	}
	GEMP_TRY(GEMP_NEW(group->source, group->count));
	GEMP_TRY(GEMP_NEW(group->target, group->count));
	code = GEMP_NEW(f->edges[kind], group->count);
done:
	return code;
}

/* The attributes of the edges go with them. */
static gemp_code take_values(const finding *f, size_t kind)
{
	gemp_code code = GEMP_OK;
	gemp_table *values = &f->groups[kind].values;
	const gemp_table *props = &f->relation->props;
	GEMP_TRY(GEMP_RESERVE(values->columns, values->capacity, props->count));
	for (; values->count < props->count; values->count++)
		GEMP_TRY(gemp_column_gather(&values->columns[values->count], &props->columns[values->count], NULL,
		                            f->edges[kind], f->groups[kind].count));
	values->rows = f->groups[kind].count;
done:
	return code;
}

/* Local. All kinds of groups of one relation. */
static gemp_code find_moves(gemp_edge_patching *e, size_t r, gemp_added_edges *groups)
{
	gemp_code code = GEMP_OK;
	const gemp_patching *p = e->p;
	size_t pieces = gemp_patch_pieces(p->from->rows);
	finding f = { .e = e, .relation = &p->from->relations[r], .fates = p->patch->fates ? p->patch->fates[r] : NULL,
		.kinds = p->patch->type_count + 1 };
	GEMP_TRY(GEMP_NEW(f.counts, pieces * f.kinds));
	GEMP_TRY(GEMP_NEW(f.edges, f.kinds));
	gemp_parallel_for(pieces, find_piece, &f);
	f.groups = groups;
	for (size_t kind = 0; kind < f.kinds; kind++)
		GEMP_TRY(make_group(&f, kind));
	gemp_parallel_for(pieces, find_piece, &f);
	for (size_t kind = 0; kind < f.kinds; kind++)
		GEMP_TRY(take_values(&f, kind));
done:
	for (size_t kind = 0; f.edges && kind < f.kinds; kind++)
		gemp_free(f.edges[kind]);
	gemp_free(f.edges);
	gemp_free(f.counts);
	return code;
}

gemp_code gemp_patch_find_groups(gemp_edge_patching *e)
{
	gemp_code code = GEMP_OK;
	const gemp_patch *patch = e->p->patch;
	size_t relations = e->p->from->relation_count, kinds = patch->type_count + 1;
	GEMP_TRY(join_merged(e));
	bool moves = e->merged_count || patch->type_count;
	code = GEMP_RESERVE(e->groups, e->group_capacity, patch->added_edge_count + (moves ? relations * kinds : 0) + 1);
	GEMP_TRY(gemp_comm_agree(e->p->comm, code));
	memset(e->groups, 0, e->group_capacity * sizeof *e->groups);
	if (patch->added_edge_count)
		memcpy(e->groups, patch->added_edges, patch->added_edge_count * sizeof *e->groups);
	e->borrowed = e->group_count = patch->added_edge_count;
	for (size_t r = 0; r < relations && moves && code == GEMP_OK; r++) {
		code = find_moves(e, r, e->groups + e->group_count);
		e->group_count += kinds;
	}
	code = gemp_comm_agree(e->p->comm, code);
done:
	return code;
}

static void free_added(gemp_added_edges *group)
{
	gemp_free(group->source);
	gemp_free(group->target);
	gemp_table_free(&group->values);
	*group = (gemp_added_edges){ 0 };
}

void gemp_patch_free_groups(gemp_edge_patching *e)
{
	for (size_t i = e->borrowed; i < e->group_count; i++)
		free_added(&e->groups[i]);
	gemp_free(e->groups);
	gemp_free(e->merged);
}

/* ALL THAT ONE RELATION GETS */

typedef struct naming {
	const gemp_patching *p;
	const gemp_added_edges *group;
	gemp_edge_ids *edges;
} naming;

static gemp_vertex new_id(const gemp_patching *p, uint64_t end)
{
	if (!(end & GEMP_ADDED_VERTEX))
		return gemp_moved_id(&p->moved, (gemp_vertex)end);
	size_t rank = (size_t)((end ^ GEMP_ADDED_VERTEX) >> 32);
	const gemp_moved *m = &p->moved;
	uint64_t old_end = m->old_bounds[rank + 1], gone = m->some_gone ? gemp_bits_before(&m->gone, old_end) : 0;
	return (gemp_vertex)(old_end - gone + m->shift[rank] + (end & UINT32_MAX));
}

static void name_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const naming *n = context;
	for (size_t i = piece * GEMP_PATCH_PIECE; i < gemp_patch_end(piece, n->group->count); i++) {
		n->edges[i] = (gemp_edge_ids){ new_id(n->p, n->group->source[i]), new_id(n->p, n->group->target[i]) };
		if (n->p->done->changed) {
			gemp_patch_note(n->p, n->edges[i].source);
			gemp_patch_note(n->p, n->edges[i].target);
		}
	}
}

static bool adds(const gemp_added_edges *group, const char *type)
{
	return group->type && strcmp(group->type, type) == 0;
}

/* Local. The edges of all groups, and room for their columns. */
static gemp_code join_edges(gemp_edge_group *out, const gemp_edge_patching *e, const char *type)
{
	gemp_code code = GEMP_OK;
	size_t at = 0;
	for (size_t i = 0; i < e->group_count; i++)
		out->count += adds(&e->groups[i], type) ? e->groups[i].count : 0;
	GEMP_TRY(GEMP_NEW(out->edges, out->count));
	for (size_t i = 0; i < e->group_count; i++) {
		naming n = { e->p, &e->groups[i], out->edges + at };
		if (!adds(n.group, type))
			continue;
		gemp_parallel_for(gemp_patch_pieces(n.group->count), name_piece, &n);
		at += n.group->count;
	}
done:
	return code;
}

/* Local. One column of all groups. */
static gemp_code join_column(gemp_column *out, const gemp_edge_patching *e, const char *type)
{
	gemp_code code = GEMP_OK;
	size_t rows = 0;
	GEMP_TRY(gemp_column_reserve(out, 0, 0));
	for (size_t i = 0; i < e->group_count; i++) {
		gemp_added_edges *group = &e->groups[i];
		if (!adds(group, type))
			continue;
		gemp_column *column = gemp_table_find(&group->values, out->name);
		rows += group->count;
		if (column && column->type != out->type)
			GEMP_TRY(gemp_column_widen(column));
		GEMP_TRY(column ? gemp_column_append(out, column) : gemp_column_grow(out, rows));
	}
done:
	return code;
}

static bool has(const gemp_edge_patching *e, const char *type, const char *name)
{
	for (size_t i = 0; i < e->group_count; i++)
		if (adds(&e->groups[i], type) && gemp_table_find(&e->groups[i].values, name))
			return true;
	return false;
}

/* Local. The columns that the relation has from now on, in the order of the patch. */
static gemp_code add_columns(const gemp_edge_patching *e, const char *type, size_t edges, gemp_table *props)
{
	gemp_code code = GEMP_OK;
	const gemp_patch_columns *all = &e->p->patch->edges;
	gemp_table made = { .rows = edges };
	size_t old = 0;
	GEMP_TRY(GEMP_RESERVE(made.columns, made.capacity, all->count));
	for (size_t c = 0; c < all->count; c++) {
		gemp_column *column = &made.columns[made.count];
		if (old < props->count && strcmp(props->columns[old].name, all->columns[c].name) == 0) {
			*column = props->columns[old];
			props->columns[old++] = (gemp_column){ 0 };
			made.count++;
		} else if (has(e, type, all->columns[c].name)) {
			GEMP_TRY(gemp_column_init(column, all->columns[c].name, all->columns[c].type));
			made.count++;
			GEMP_TRY(gemp_column_grow(column, edges));
		}
	}
	gemp_table_free(props);
	*props = made;
	made = (gemp_table){ 0 };
done:
	gemp_table_free(&made);
	return code;
}

static gemp_code join(gemp_edge_group *out, const gemp_edge_patching *e, const char *type, size_t edges,
                      gemp_table *props)
{
	gemp_code code = GEMP_OK;
	if (e->p->patch->edges.count)
		GEMP_TRY(add_columns(e, type, edges, props));
	GEMP_TRY(join_edges(out, e, type));
	for (size_t c = 0; c < props->count; c++) {
		gemp_column *column;
		GEMP_TRY(gemp_table_add(&out->values, props->columns[c].name, props->columns[c].type, &column));
		GEMP_TRY(join_column(column, e, type));
	}
done:
	return code;
}

/* Collective. */
static gemp_code send(gemp_edge_group *group, const gemp_patching *p)
{
	gemp_code code = GEMP_OK;
	int *owner = NULL;
	void *came = NULL;
	size_t *from = NULL;
	GEMP_TRY(gemp_comm_agree(p->comm, GEMP_NEW(owner, group->count)));
	for (size_t i = 0; i < group->count; i++)
		owner[i] = gemp_graph_owner(p->to, group->edges[i].source);
	GEMP_TRY(gemp_exchange_records(p->comm, group->edges, group->count, sizeof *group->edges, owner, &came, &from,
	                               NULL));
	for (size_t c = 0; c < group->values.count; c++) {
		gemp_column *column = &group->values.columns[c], received = { 0 };
		GEMP_TRY(gemp_column_exchange(&received, p->comm, column, owner));
		gemp_column_free(column);
		*column = received;
	}
	gemp_free(group->edges);
	group->edges = came;
	group->count = from[p->comm->size];
	came = NULL;
done:
	gemp_free(owner);
	gemp_free(came);
	gemp_free(from);
	return code;
}

gemp_code gemp_patch_gather_group(gemp_edge_group *out, const gemp_edge_patching *e, const char *type, size_t edges,
                                  gemp_table *props)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_comm_agree(e->p->comm, join(out, e, type, edges, props)));
	if (e->p->comm->size > 1)
		code = send(out, e->p);
done:
	return code;
}

void gemp_edge_group_free(gemp_edge_group *group)
{
	gemp_free(group->edges);
	gemp_table_free(&group->values);
	*group = (gemp_edge_group){ 0 };
}
